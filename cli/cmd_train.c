/* cmd_train.c - recon train: the backbone, from images or molecules alone. */
#include "cli/cli.h"
#include "comm/comm.h"
#include "model/trust.h"
#include "data/elements.h"
#include "backbone/kinds.h"
#include "data/kinds.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "ops/ops.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_train = {
    .name = "train",
    .purpose = "train a backbone on images or molecules, without labels",
    .arguments = "",
    .example =
        "  recon train --data mnist --rotate mnist --out digits.safetensors\n"
        "  recon train --data images:photos --out photos.safetensors\n"
        "  recon train --data images:photos --out photos.safetensors --resume --epochs 60\n"
        "  recon train --data images:photos --from general --out photos.safetensors\n"
        "  recon train --data conformers --rotate fisher --out conformers.safetensors\n"
        "\n"
        "Labels are not used. One input in twelve is held out for validation, and the best epoch is\n"
        "kept. MODEL.jsonl logs loss, learning rate and validation. --resume continues from\n"
        "MODEL.last with bit-identical results; with more --epochs it also extends a finished run,\n"
        "starting from the best weights. An existing MODEL or MODEL.last is never replaced without\n"
        "--resume or --overwrite. The memory per step is printed before the first one, and a batch\n"
        "that does not fit into memory is split. --from fine-tunes another model, which determines\n"
        "preset, width, code and size. Images of different sizes (images:) are scaled to one size,\n"
        "which is chosen, printed and stored in the model; other commands use it. Under mpirun, up to\n"
        "8 ranks share each batch, on CPUs with bit-identical results. The next step is\n"
        "`recon discover`.",
    .run = run,
    .over_ranks = 1,
};

enum { BY_DEVICE = -1 }; /* the preset, where none is given */
enum { BY_MODEL = -1 };  /* --crop: as that of --from, or none */

typedef struct {
    const char *out, *held, *from;
    int group, preset, augment, flip, mask, views, resume, overwrite, plain, no_density,
        no_contrast, pairs;
    size_t epochs, before, batch, every, frequencies, layers, code;
    double density, rate, decay, contrast, pose, warp, align, element, radius, temperature, width;
    cli_data data;
    cli_common common;
    int *misuse; /* set where only the files show that the options cannot be meant */
} settings;

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[33 + CLI_DATA_OPTIONS + 1] = {
        { "--out", "MODEL", NULL, "file for the best weights", CLI_TEXT | CLI_WRITES, 1, &s->out },
        { "--group", NULL, "auto|so2|so3",
          "rotation group (default: so2 for images, so3 for molecules)", CLI_CHOICE, 0, &s->group },
        { "--preset", NULL, "fast|paper|small|photo|photo-small",
          "small (default on a CPU), fast (default on a GPU), or paper: the paper's network, "
          "trained by reconstruction alone (molecules: 600 epochs). For photographs: photo for "
          "a GPU, photo-small for a CPU",
          CLI_CHOICE, 0, &s->preset },
        { "--from", "MODEL", NULL,
          "start from the weights of this model: a file, or the name of a shipped model",
          CLI_MODEL | CLI_IMAGES, 0, &s->from },
        { "--width", "F", NULL, "width factor on the preset's channels (default 1)", CLI_NUMBER, 0,
          &s->width },
        { "--frequencies", "N", NULL, "rotation orders of the fields, 2 to 4 (default: preset's)",
          CLI_COUNT | CLI_IMAGES, 0, &s->frequencies },
        { "--code", "N", NULL, "length of the embedding (default 128, molecules 64)", CLI_COUNT, 0,
          &s->code },
        { "--mask", NULL, NULL, "mask to a disc, for objects that reach into the corners",
          CLI_FLAG | CLI_IMAGES, 0, &s->mask },
        { "--epochs", "N", NULL, "passes over the data (default: preset's)", CLI_COUNT, 0,
          &s->epochs },
        { "--batch", "N", NULL,
          "batch size (default: preset's; 32 below 10,000 images with preset small or --from)",
          CLI_COUNT, 0, &s->batch },
        { "--rate", "R", NULL,
          "highest learning rate (default: preset's; 3e-3 below 10,000 images with preset small or "
          "--from)",
          CLI_NUMBER, 0, &s->rate },
        { "--decay", "D", NULL,
          "weight decay, times the learning rate; 0: none (default: 0.5 with photo presets, 0.05 below "
          "10,000 images with preset small or --from, else 0)",
          CLI_WEIGHT | CLI_IMAGES, 0, &s->decay },
        { "--contrast", "W", NULL, "weight of the contrastive loss (default: preset's)", CLI_NUMBER,
          0, &s->contrast },
        { "--no-contrast", NULL, NULL,
          "no contrastive loss: better if classes differ only in "
          "details",
          CLI_FLAG, 0, &s->no_contrast },
        { "--temperature", "T", NULL,
          "temperature of the contrastive loss (default 0.2, "
          "molecules 0.1)",
          CLI_NUMBER, 0, &s->temperature },
        { "--pose", "W", NULL, "weight of the pose loss between views (default: preset's)",
          CLI_NUMBER | CLI_IMAGES, 0, &s->pose },
        { "--density", "W", NULL,
          "weight of the pose density's likelihood (default: preset's; 1 below 10,000 images with "
          "preset small or --from)",
          CLI_NUMBER | CLI_IMAGES, 0, &s->density },
        { "--no-density", NULL, NULL, "no pose density: natural poses come from neighbours alone",
          CLI_FLAG | CLI_IMAGES, 0, &s->no_density },
        { "--augment", NULL, "auto|on|off",
          "warp, shift, blur and brighten every view (default auto: with a pose density, or few"
          " images)",
          CLI_CHOICE | CLI_IMAGES, 0, &s->augment },
        { "--flip", NULL, "auto|on|off",
          "mirror half of the images (default auto: with photo and photo-small; use off for "
          "text)",
          CLI_CHOICE | CLI_IMAGES, 0, &s->flip },
        { "--views", NULL, "random|given",
          "how images are shown: rotated by a new random angle each time (default), or as they come "
          "(with --plain or --preset paper)",
          CLI_CHOICE | CLI_IMAGES, 0, &s->views },
        { "--warp", "S", NULL,
          "stretch the second view by up to S; photo presets: enlarge it (default 0.2; 0.15 below "
          "10,000 images with preset small or --from)",
          CLI_NUMBER | CLI_IMAGES, 0, &s->warp },
        { "--plain", NULL, NULL, "reconstruction loss only, as in the paper", CLI_FLAG, 0,
          &s->plain },
        { "--align", "W", NULL, "weight of aligning neighbours (default 4)",
          CLI_NUMBER | CLI_MOLECULES, 0, &s->align },
        { "--pairs", NULL, "bonds|elements",
          "which conformers are paired for --align and --contrast: those with equal elements "
          "and bonds, or with equal elements (default bonds)",
          CLI_CHOICE | CLI_MOLECULES, 0, &s->pairs },
        { "--element", "W", NULL, "weight of the element loss (default: preset's)",
          CLI_NUMBER | CLI_MOLECULES, 0, &s->element },
        { "--held", "SPEC", NULL, "validation data (default: one conformer in twelve)",
          CLI_SPEC | CLI_MOLECULES, 0, &s->held },
        { "--before", "N", NULL, "epochs before neighbours are searched (default 8)",
          CLI_COUNT | CLI_MOLECULES, 0, &s->before },
        { "--layers", "N", NULL, "number of message-passing layers (default: preset's)",
          CLI_COUNT | CLI_MOLECULES, 0, &s->layers },
        { "--radius", "A", NULL, "paper: radius of the graph in Angstrom (default 2)",
          CLI_NUMBER | CLI_MOLECULES, 0, &s->radius },
        { "--every", "N", NULL,
          "also write a checkpoint every N steps (default: after epochs, in a twentieth of the time at most)",
          CLI_COUNT, 0, &s->every },
        { "--resume", NULL, NULL, CLI_RESUME_HELP, CLI_FLAG, 0, &s->resume },
        { "--overwrite", NULL, NULL, CLI_OVERWRITE_HELP, CLI_FLAG, 0, &s->overwrite },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    return cli_parse(&cli_train, options, &s->common, argc, argv, NULL, 0, NULL);
}

/* A weight that another option takes away again. */
static const char *lost_weight(const settings *s)
{
    return s->plain && s->contrast > 0         ? "--plain cannot be used with --contrast"
           : s->plain && s->pose > 0           ? "--plain cannot be used with --pose"
           : s->plain && s->align > 0          ? "--plain cannot be used with --align"
           : s->plain && s->density > 0        ? "--plain cannot be used with --density"
           : s->no_contrast && s->contrast > 0 ? "--no-contrast cannot be used with --contrast"
           : s->no_density && s->density > 0   ? "--no-density cannot be used with --density"
           : s->views && !s->plain && s->preset != RECON_PRESET_PAPER
               ? "--views given needs --plain or --preset paper"
               : NULL;
}

static int check_options(const settings *s)
{
    int molecules = !strcmp(recon_data_kind_of(s->data.spec)->name, "molecules");
    if (s->group && (s->group == 2) != molecules)
        return cli_misuse(&cli_train, "%s are rotated by %s", molecules ? "molecules" : "images",
                          molecules ? "so3" : "so2");
    if (lost_weight(s))
        return cli_misuse(&cli_train, "%s", lost_weight(s));
    return cli_check_replacing(&cli_train, s->out, s->resume, s->overwrite);
}

/* A run that was begun in bf16, on another machine perhaps, goes on in it wherever it is resumed.
 */
static recon_precision precision_of(recon_ctx *ctx, const settings *s)
{
    return s->resume && s->data.precision == CLI_BF16 ? RECON_MIXED
                                                      : cli_precision(ctx, s->data.precision);
}

static recon_ieae_options options_of(recon_ctx *ctx, const settings *s)
{
    return (recon_ieae_options){ .shape = { .preset = (recon_preset)s->preset,
                                            .width = s->width,
                                            .frequencies = s->frequencies,
                                            .code = s->code,
                                            .mask = s->mask ? RECON_MASK_DISC : 0 },
                                 .epochs = s->epochs,
                                 .batch = s->batch,
                                 .rate = s->rate,
                                 .decay = s->decay,
                                 .contrast = s->plain || s->no_contrast ? -1 : s->contrast,
                                 .temperature = s->temperature,
                                 .pose = s->plain ? -1 : s->pose,
                                 .warp = s->warp,
                                 .augment = s->augment == 2 ? -1 : s->augment,
                                 .flip = s->flip == 2 ? -1 : s->flip,
                                 .views = (recon_views)s->views,
                                 .density = s->no_density || s->plain ? -1 : s->density,
                                 .seed = cli_seed(&s->data),
                                 .every = s->every,
                                 .threads = recon_ctx_threads(ctx),
                                 .precision = precision_of(ctx, s),
                                 .resume = s->resume,
                                 .overwrite = s->overwrite,
                                 .from = s->from,
                                 .crop = s->data.crop,
                                 .data = cli_utf8(s->data.spec),
                                 .rotate = cli_utf8(s->data.rotate) };
}

static recon_molecule_net_options molecule_net_options_of(recon_ctx *ctx, const settings *s)
{
    return (recon_molecule_net_options){ .shape = { .preset = (recon_preset)s->preset,
                                                    .width = s->width,
                                                    .layers = s->layers,
                                                    .radius = s->radius,
                                                    .code = s->code },
                                         .epochs = s->epochs,
                                         .before = s->before,
                                         .batch = s->batch,
                                         .rate = s->rate,
                                         .element = s->element,
                                         .align = s->plain ? -1 : s->align,
                                         .contrast = s->plain || s->no_contrast ? -1 : s->contrast,
                                         .temperature = s->temperature,
                                         .pairs = (recon_pairs)s->pairs,
                                         .seed = cli_seed(&s->data),
                                         .every = s->every,
                                         .precision = precision_of(ctx, s),
                                         .resume = s->resume,
                                         .overwrite = s->overwrite,
                                         .data = cli_utf8(s->data.spec),
                                         .rotate = cli_utf8(s->data.rotate) };
}

static json_t *as_json(recon_ctx *ctx, const settings *s, const recon_train_result *r,
                       const char *measure, const cli_inputs *in)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:o}", "preset",
                     recon_preset_name((recon_preset)s->preset), "backend", recon_ops_name(ctx),
                     "steps", (json_int_t)r->steps, "steps_now", (json_int_t)r->ran, "seconds",
                     r->seconds, measure, r->best, "loss", r->loss, "step_bytes",
                     (json_int_t)r->peak, "skipped", (json_int_t)in->skipped, "skipped_why",
                     cli_skipped_json(&in->skips));
}

/* measure: the validation's, in words. */
static void print_text(recon_ctx *ctx, const settings *s, const recon_train_result *r,
                       const char *measure, const cli_inputs *in)
{
    const char *preset = recon_preset_name((recon_preset)s->preset);
    unsigned long long steps = r->steps, ran = r->ran;
    if (!ran)
        printf(
            "%s: this run had finished after %llu steps, so nothing was trained; continue it with\n"
            "--resume and more --epochs\n",
            preset, steps);
    else if (ran < steps)
        printf("%s: %llu steps, %llu of them in the last %.1f s on %s, %.1f MiB per step\n", preset,
               steps, ran, r->seconds, recon_ops_name(ctx), (double)r->peak / 1048576);
    else
        printf("%s: %llu steps in %.1f s on %s, %.1f MiB per step\n", preset, steps, r->seconds,
               recon_ops_name(ctx), (double)r->peak / 1048576);
    cli_print_skipped(in->skipped, &in->skips);
    printf("  held out   %s %.5f at best", measure, r->best);
    if (ran)
        printf(" (last training loss %.5f)", r->loss);
    printf("\n  written    %s\n", s->out);
    if (recon_comm_size(ctx) > 1)
        printf("  ranks      %d (%s); the first waited %.2f s for others\n", recon_comm_size(ctx),
               recon_comm_name(ctx), recon_comm_waited(ctx));
}

/* --- images ----------------------------------------------------------------------------------- */

enum { JUDGED = 256 }; /* images are enough to tell whether it is of use */
#define HARDLY 0.5     /* of their variance: what a plain grey leaves is 1 */

typedef struct {
    recon_equivariance rotated;
    double unexplained; /* the error of what is rebuilt, as a share of the images' variance */
} verdict;

/* Mean over the images of the variance over their pixels. */
static recon_status find_variance(recon_ctx *ctx, double *out, const recon_dataset *data)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t pixels = d.height * d.width * d.channels;
    float *x;
    recon_status status = recon_alloc_raw(ctx, &x, pixels, sizeof *x);
    *out = 0;
    for (size_t i = 0; status == RECON_OK && i < d.n; i++) {
        double sum = 0, squares = 0;
        recon_dataset_get(x, data, i);
        for (size_t j = 0; j < pixels; j++) {
            sum += (double)x[j] / (double)pixels;
            squares += (double)x[j] * (double)x[j] / (double)pixels;
        }
        *out += fmax(squares - sum * sum, 0) / (double)d.n;
    }
    free(x);
    return status;
}

/* How truly what was written rotates with images of its own, and whether it has learned them. */
static recon_status judge(recon_ctx *ctx, verdict *out, const settings *s,
                          const recon_dataset *data, double error)
{
    size_t n = recon_dataset_describe(data).n;
    recon_dataset *some = NULL;
    recon_ieae *model = NULL;
    double variance;
    recon_status status;
    RECON_TRY(recon_ieae_open(ctx, &model, s->out, cli_precision(ctx, s->data.precision)));
    RECON_TRY(recon_dataset_take(ctx, &some, data, n < JUDGED ? n : JUDGED, cli_seed(&s->data)));
    RECON_TRY(recon_equivariance_random(ctx, &out->rotated, model, some, cli_seed(&s->data)));
    RECON_TRY(find_variance(ctx, &variance, some));
    out->unexplained = variance > 0 ? error / variance : 1;
done:
    recon_dataset_close(some);
    recon_ieae_close(ctx, model);
    return status;
}

static void print_verdict(const verdict *v)
{
    printf("  rebuilt    reconstructions explain %.1f %% of image variance\n"
           "  rotated    poses follow within %.1f degrees (median), %.1f (95 %%)\n",
           100 * fmax(1 - v->unexplained, 0), v->rotated.pose_median * RECON_TO_DEGREES,
           v->rotated.pose_p95 * RECON_TO_DEGREES);
    if (v->unexplained > HARDLY)
        puts("The network is undertrained: its reconstructions are little better than plain "
             "grey.\n"
             "More --epochs will help.");
    else
        puts(cli_equivariance_words(&v->rotated));
}

/* Of a network without a pose density: reconstruction, and whether poses follow. */
static recon_status show_plain(recon_ctx *ctx, const settings *s, const recon_train_result *r,
                               const cli_inputs *in)
{
    verdict v;
    recon_status status = judge(ctx, &v, s, cli_images(in), r->best);
    if (status != RECON_OK)
        return status;
    if (s->common.json) {
        json_t *out = as_json(ctx, s, r, "validation_mse", in);
        json_object_set_new(out, "unexplained", json_real(v.unexplained));
        cli_unread_json(out, in);
        json_object_set_new(out, "hardly_trained", json_boolean(v.unexplained > HARDLY));
        json_object_set_new(out, "pose_median_deg",
                            json_real(v.rotated.pose_median * RECON_TO_DEGREES));
        json_object_set_new(out, "pose_p95_deg", json_real(v.rotated.pose_p95 * RECON_TO_DEGREES));
        json_object_set_new(out, "equivariant", json_boolean(cli_is_equivariant(&v.rotated)));
        return cli_print_json(ctx, out);
    }
    print_text(ctx, s, r, "mean squared error", in);
    print_verdict(&v);
    return RECON_OK;
}

static recon_status show_trust(recon_ctx *ctx, const settings *s, const recon_train_result *r,
                               const cli_inputs *in, const recon_backbone *b)
{
    recon_trust trust;
    recon_status status = recon_trust_backbone(ctx, &trust, b, cli_images(in), cli_seed(&s->data));
    if (status != RECON_OK)
        return status;
    if (s->common.json) {
        json_t *out = as_json(ctx, s, r, "validation_nll", in);
        cli_unread_json(out, in);
        json_object_set_new(out, "trust", recon_trust_json(&trust));
        return cli_print_json(ctx, out);
    }
    print_text(ctx, s, r, "negative log likelihood of the pose", in);
    if (recon_ieae_describe(recon_backbone_ieae(b)).mask && !s->mask)
        puts("  masked     to a disc, because the images have content at their borders");
    cli_print_trust(&trust);
    return RECON_OK;
}

static recon_status show_images(recon_ctx *ctx, const settings *s, const recon_train_result *r,
                                const cli_inputs *in)
{
    recon_backbone *b = NULL;
    recon_status status = RECON_OK;
    if (s->common.quiet && !s->common.json)
        return RECON_OK;
    RECON_TRY(recon_backbone_open(ctx, &b, s->out, cli_precision(ctx, s->data.precision)));
    RECON_TRY(b->density ? show_trust(ctx, s, r, in, b) : show_plain(ctx, s, r, in));
done:
    recon_backbone_close(ctx, b);
    return status;
}

/* The options must be those of the model to start from; channels 0: not known yet. */
static recon_status follow(recon_ctx *ctx, const settings *s, const recon_ieae *from,
                           size_t channels)
{
    recon_ieae_options o = options_of(ctx, s);
    o.shape.channels = channels;
    recon_status status = recon_ieae_follow(ctx, &o, from, s->preset);
    *s->misuse = status == RECON_ERR_INPUT;
    return status;
}

/* Pictures are read as those that it was trained on, but in their own colours. */
static recon_status open_from(recon_ctx *ctx, recon_ieae **from, settings *s)
{
    recon_data_options as = { .size = s->data.size };
    recon_status status;
    RECON_TRY(recon_ieae_open(ctx, from, s->from, precision_of(ctx, s)));
    RECON_TRY(follow(ctx, s, *from, 0));
    (*from)->base.kind->data_options(&(*from)->base, &as);
    s->preset = recon_ieae_describe(*from).preset;
    if (recon_images_folder(s->data.spec))
        s->data.size = as.size;
    if (s->data.crop == BY_MODEL)
        s->data.crop = as.crop;
done:
    return status;
}

/* Steps take time in proportion to the pixels. */
static void warn_of_size(recon_ctx *ctx, const settings *s, recon_dataset_info d)
{
    size_t pixels = d.height * d.width;
    if (recon_images_folder(s->data.spec) && pixels > 4 * RECON_SIZE_CHOSEN * RECON_SIZE_CHOSEN)
        recon_log(ctx, RECON_LOG_WARN,
                  "%s: images of %zu x %zu train about %zu times slower than %d x %d: --size %d "
                  "scales them down",
                  s->data.spec, d.height, d.width, pixels / (RECON_SIZE_CHOSEN * RECON_SIZE_CHOSEN),
                  RECON_SIZE_CHOSEN, RECON_SIZE_CHOSEN, RECON_SIZE_CHOSEN);
}

/* What preset paper is, and whether options have made something else of it. */
static void tell_paper(recon_ctx *ctx, const settings *s)
{
    int more = s->density > 0 || s->pose > 0 || s->contrast > 0;
    if (s->preset != RECON_PRESET_PAPER || s->common.quiet)
        return;
    recon_log(
        ctx, RECON_LOG_INFO,
        "preset paper: the paper's network and recipe (%s; Adam with warm restarts; the paper "
        "trains 700 epochs: --epochs 700)",
        more ? "with additional loss terms, as requested" : "reconstruction alone");
}

static recon_status train_images(recon_ctx *ctx, const settings *s, const cli_inputs *in)
{
    recon_ieae_options o = options_of(ctx, s);
    recon_train_result r;
    recon_status status;
    warn_of_size(ctx, s, recon_dataset_describe(cli_images(in)));
    tell_paper(ctx, s);
    RECON_TRY(cli_note_span(ctx, in, s->data.spec, (recon_preset)s->preset));
    RECON_TRY(recon_ieae_train(ctx, &r, cli_images(in), s->out, &o));
    if (cli_ranks_rank() == 0)
        RECON_TRY(show_images(ctx, s, &r, in));
done:
    return status;
}

/* --- molecules -------------------------------------------------------------------------------- */

typedef uint8_t elements[UINT8_MAX + 1]; /* is this one there? */

static void find_elements(elements there, const recon_molecules *data)
{
    memset(there, 0, sizeof(elements));
    for (size_t i = 0; i < recon_molecules_describe(data).n; i++) {
        recon_conformer x = recon_molecules_get(data, i);
        for (size_t a = 0; a < x.atoms; a++)
            there[x.z[a]] = 1;
    }
}

/* What is held out may hold no element that is not learned. */
static recon_status accept_known(recon_ctx *ctx, const void *there, const recon_data *data,
                                 size_t i)
{
    recon_conformer x = recon_molecules_get(recon_data_molecules(data), i);
    recon_element_words words;
    for (size_t a = 0; a < x.atoms; a++)
        if (!((const uint8_t *)there)[x.z[a]])
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "an atom of %s, which is not in the training data",
                              recon_element_text(words, x.z[a]));
    return RECON_OK;
}

static recon_status train_molecules(recon_ctx *ctx, const settings *s, const cli_inputs *in)
{
    recon_molecule_net_options o = molecule_net_options_of(ctx, s);
    recon_train_result r;
    cli_inputs held = { 0 };
    elements there;
    recon_status status = RECON_OK;
    if (s->held) {
        find_elements(there, cli_molecules(in));
        RECON_TRY(cli_also_open(ctx, &held, &s->data, "--held", s->held));
        RECON_TRY(cli_inputs_filter(ctx, &held, &s->data, s->held, accept_known, there));
    }
    RECON_TRY(
        recon_molecule_net_train(ctx, &r, cli_molecules(in), cli_molecules(&held), s->out, &o));
    if (s->common.json)
        RECON_TRY(cli_print_json(ctx, as_json(ctx, s, &r, "validation_loss", in)));
    else if (!s->common.quiet)
        print_text(ctx, s, &r, "loss", in);
done:
    recon_inputs_end(&held);
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    settings chosen = *(const settings *)arg, *s = &chosen;
    cli_inputs inputs = { 0 };
    recon_ieae *from = NULL;
    recon_status status;
    RECON_TRY(cli_attach(ctx, &s->data));
    if (s->from)
        RECON_TRY(open_from(ctx, &from, s));
    if (s->data.crop == BY_MODEL)
        s->data.crop = 0;
    if (s->preset == BY_DEVICE)
        s->preset =
            recon_ops_on_host(ctx) == recon_ops_of(ctx) ? RECON_PRESET_SMALL : RECON_PRESET_FAST;
    RECON_TRY(cli_inputs_open(ctx, &inputs, &s->data, NULL, NULL));
    if (from)
        RECON_TRY(follow(ctx, s, from, recon_dataset_describe(cli_images(&inputs)).channels));
    RECON_TRY((cli_images(&inputs) ? train_images : train_molecules)(ctx, s, &inputs));
done:
    recon_ieae_close(ctx, from);
    recon_inputs_end(&inputs);
    return status;
}

static int run(int argc, char **argv)
{
    int misuse = 0;
    settings s = { .preset = BY_DEVICE, .data = { .crop = BY_MODEL }, .misuse = &misuse };
    int code = parse(&s, argc, argv);
    code = code < 0 ? check_options(&s) : code;
    code = code >= 0 ? code : cli_run(&cli_train, &s.common, work, &s);
    return misuse ? EXIT_MISUSE : code;
}
