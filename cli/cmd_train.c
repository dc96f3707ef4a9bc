/* cmd_train.c - recon train: the backbone, from images or molecules alone. */
#include "cli/cli.h"
#include "comm/comm.h"
#include "model/trust.h"
#include "data/elements.h"
#include "backbone/kinds.h"
#include "backbone/recipe.h"
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
    .arguments = "DATA",
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
        "preset, width, code and size. Few inputs are less than 10,000 images with preset small or\n"
        "--from. A folder of images is scaled to one size, which is chosen (at\n"
        "most 48), printed and stored in the model; other commands use it. What is not square is seen\n"
        "in the disc of its shorter side. Under mpirun, up to\n"
        "8 ranks share each batch, on CPUs with bit-identical results. The next step is\n"
        "`recon discover`.",
    .run = run,
    .over_ranks = 1,
};

typedef struct {
    const char *out, *held, *group;
    int preset, mask, no_density, no_contrast;
    size_t every;
    cli_settings set;
    recon_training training;
    recon_train_result result;
    cli_data data;
    cli_common common;
} settings;

static const char *const presets[] = { NULL, "fast", "paper", "small", "photo", "photo-small" };

static int is_set(const settings *s, const char *name)
{
    size_t i = 0;
    while (i < s->set.n && strcmp(s->set.list[i].name, name) != 0)
        i++;
    return i < s->set.n;
}

/* An option that stands for a setting. */
static int set_to(settings *s, const char *option, const char *name, const char *value)
{
    return is_set(s, name) ? cli_misuse(&cli_train, "%s cannot be used with %s", option, name)
                           : cli_settings_add(&cli_train, &s->set, name, value);
}

static int check_options(settings *s)
{
    const char *data = recon_data_kind_of(s->data.spec)->name;
    const recon_backbone_kind *kind = recon_backbone_kind_for(NULL, data);
    int code = -1;
    if (s->group && strcmp(s->group, "auto") && kind && strcmp(s->group, kind->group->name))
        return cli_misuse(&cli_train, "%s are rotated by %s", data, kind->group->name);
    if (s->mask)
        code = set_to(s, "--mask", "mask", "on");
    if (code < 0 && s->no_density)
        code = set_to(s, "--no-density", "density", "0");
    if (code < 0 && s->no_contrast)
        code = set_to(s, "--no-contrast", "contrast", "0");
    return code < 0
               ? cli_check_replacing(&cli_train, s->out, s->training.resume, s->training.overwrite)
               : code;
}

recon_status cli_training_complete(recon_ctx *ctx, recon_training *t, cli_data *d)
{
    recon_data_options as = { .size = d->size };
    recon_status status;
    t->seed = cli_seed(d);
    t->threads = recon_ctx_threads(ctx);
    t->precision = t->resume && d->precision == CLI_BF16
                       ? RECON_MIXED /* goes on in it, even if it was begun on another machine */
                       : cli_precision(ctx, d->precision);
    t->data = cli_utf8(d->spec);
    t->rotate = cli_utf8(d->rotate);
    status = recon_training_complete(ctx, t, &as, recon_data_kind_of(d->spec)->name);
    if (recon_images_folder(d->spec)) {
        d->size = as.size;
        d->channels = as.channels;
    }
    if (d->crop == CLI_CROP_BY_MODEL)
        d->crop = as.crop;
    t->crop = d->crop;
    return status == RECON_ERR_INPUT ? RECON_ERR_MISMATCH : status; /* misuse */
}

static recon_status complete(recon_ctx *ctx, settings *s)
{
    s->training.preset = presets[s->preset];
    s->training.set = s->set.list;
    s->training.n_set = s->set.n;
    s->training.every = s->every;
    return cli_training_complete(ctx, &s->training, &s->data);
}

static json_t *as_json(recon_ctx *ctx, const settings *s, const char *measure, const cli_inputs *in)
{
    const recon_train_result *r = &s->result;
    json_t *out =
        json_pack("{s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:I, s:I, s:o}", "preset",
                  s->training.preset, "backend", recon_ops_name(ctx), "steps", (json_int_t)r->steps,
                  "steps_now", (json_int_t)r->ran, "seconds", r->seconds, measure, r->best, "loss",
                  r->loss, "step_bytes", (json_int_t)r->peak, "skipped", (json_int_t)in->skipped,
                  "skipped_why", cli_skipped_json(&in->skips));
    cli_unread_json(out, in);
    return out;
}

/* measure: the validation's, in words. */
static void print_text(recon_ctx *ctx, const settings *s, const char *measure, const cli_inputs *in)
{
    const recon_train_result *r = &s->result;
    const char *preset = s->training.preset;
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
                          const recon_dataset *data, const recon_backbone *b)
{
    size_t n = recon_dataset_describe(data).n;
    uint64_t seed = cli_seed(&s->data);
    recon_dataset *some = NULL;
    double variance;
    recon_status status;
    RECON_TRY(recon_dataset_take(ctx, &some, data, n < JUDGED ? n : JUDGED, seed));
    RECON_TRY(recon_equivariance_random(ctx, &out->rotated, recon_backbone_ieae(b), some, seed));
    RECON_TRY(find_variance(ctx, &variance, some));
    out->unexplained = variance > 0 ? s->result.best / variance : 1;
done:
    recon_dataset_close(some);
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
static recon_status show_plain(recon_ctx *ctx, const settings *s, const cli_inputs *in,
                               const recon_backbone *b)
{
    verdict v;
    RECON_CHECK(judge(ctx, &v, s, recon_data_images(in->use), b));
    if (s->common.json) {
        json_t *out = as_json(ctx, s, "validation_mse", in);
        json_object_set_new(out, "unexplained", json_real(v.unexplained));
        json_object_set_new(out, "hardly_trained", json_boolean(v.unexplained > HARDLY));
        json_object_set_new(out, "pose_median_deg",
                            json_real(v.rotated.pose_median * RECON_TO_DEGREES));
        json_object_set_new(out, "pose_p95_deg", json_real(v.rotated.pose_p95 * RECON_TO_DEGREES));
        json_object_set_new(out, "equivariant", json_boolean(cli_is_equivariant(&v.rotated)));
        return cli_print_json(ctx, out);
    }
    print_text(ctx, s, "mean squared error", in);
    print_verdict(&v);
    return RECON_OK;
}

static recon_status show_trust(recon_ctx *ctx, const settings *s, const cli_inputs *in,
                               const recon_backbone *b)
{
    recon_trust trust;
    RECON_CHECK(
        recon_trust_backbone(ctx, &trust, b, recon_data_images(in->use), cli_seed(&s->data)));
    cli_judge(&trust, &s->data);
    if (s->common.json) {
        json_t *out = as_json(ctx, s, "validation_nll", in);
        json_object_set_new(out, "trust", recon_trust_json(&trust));
        return cli_print_json(ctx, out);
    }
    print_text(ctx, s, "negative log likelihood of the pose", in);
    if (recon_ieae_describe(recon_backbone_ieae(b)).mask && !is_set(s, "mask"))
        printf("  masked     to a disc, because the images %s\n",
               recon_dataset_is_cut(recon_data_images(in->use))
                   ? "are not square: their frame must not tell the pose"
                   : "have content at their borders");
    cli_print_trust(&trust);
    cli_print_verdict(&trust);
    return RECON_OK;
}

static recon_status show_images(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    recon_backbone *b = NULL;
    recon_status status;
    RECON_TRY(recon_backbone_open(ctx, &b, s->out, cli_use_precision(ctx, s->data.precision)));
    RECON_TRY((b->density ? show_trust : show_plain)(ctx, s, in, b));
done:
    recon_backbone_close(ctx, b);
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

/* What preset paper is, and whether settings have made something else of it. */
static void note_paper(recon_ctx *ctx, const settings *s)
{
    int more = 0;
    for (size_t i = 0; i < s->set.n; i++)
        more |= recon_recipe_find(&recon_ieae_recipe, s->set.list[i].name)->is_term &&
                strcmp(s->set.list[i].value, "0");
    recon_log(
        ctx, RECON_LOG_INFO,
        "preset paper: the paper's network and recipe (%s; Adam with warm restarts; the paper "
        "trains 700 epochs: --epochs 700)",
        more ? "with additional loss terms, as requested" : "reconstruction alone");
}

static recon_status note_images(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    recon_preset preset;
    RECON_CHECK(recon_training_preset(ctx, &preset, &s->training));
    warn_of_size(ctx, s, recon_dataset_describe(recon_data_images(in->use)));
    if (preset == RECON_PRESET_PAPER && !s->common.quiet)
        note_paper(ctx, s);
    return cli_note_span(ctx, in, s->data.spec, preset);
}

/* --- molecules -------------------------------------------------------------------------------- */

typedef uint8_t elements[UINT8_MAX + 1]; /* is this one there? */

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

static recon_status open_held(recon_ctx *ctx, const settings *s, const cli_inputs *in,
                              cli_inputs *held)
{
    elements there = { 0 };
    for (size_t i = 0; i < in->n; i++) {
        recon_conformer x = recon_molecules_get(recon_data_molecules(in->use), i);
        for (size_t a = 0; a < x.atoms; a++)
            there[x.z[a]] = 1;
    }
    RECON_CHECK(cli_also_open(ctx, held, &s->data, "--held", s->held, NULL));
    return cli_inputs_filter(ctx, held, &s->data, s->held, accept_known, there);
}

/* --- of any kind ------------------------------------------------------------------------------ */

static recon_status note_nothing(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    (void)ctx;
    (void)arg;
    (void)in;
    return RECON_OK;
}

static recon_status show(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    if (s->common.json)
        return cli_print_json(ctx, as_json(ctx, s, "validation_loss", in));
    print_text(ctx, s, "loss", in);
    return RECON_OK;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    static const cli_case notes[] = { { "images", note_images }, { NULL, note_nothing } };
    static const cli_case shows[] = { { "images", show_images }, { NULL, show } };
    settings chosen = *(const settings *)arg, *s = &chosen;
    cli_inputs inputs = { 0 }, held = { 0 };
    recon_status status;
    RECON_TRY(cli_attach(ctx, &s->data));
    RECON_TRY(complete(ctx, s));
    RECON_TRY(cli_inputs_open(ctx, &inputs, &s->data, NULL));
    if (s->held)
        RECON_TRY(open_held(ctx, s, &inputs, &held));
    s->training.held = held.use;
    RECON_TRY(cli_by_data(ctx, notes, s, &inputs));
    RECON_TRY(recon_backbone_train(ctx, &s->result, inputs.use, s->out, &s->training));
    if (cli_ranks_rank() == 0 && (s->common.json || !s->common.quiet))
        RECON_TRY(cli_by_data(ctx, shows, s, &inputs));
done:
    recon_inputs_end(&held);
    recon_inputs_end(&inputs);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .data = { .crop = CLI_CROP_BY_MODEL } };
    recon_training *t = &s.training;
    cli_option options[14 + CLI_DATA_OPTIONS + 1] = {
        { "--out", "MODEL", NULL, "file for the best weights", CLI_TEXT | CLI_WRITES | CLI_REQUIRED,
          0, &s.out },
        { "--preset", NULL, "auto|fast|paper|small|photo|photo-small",
          "small (default on a CPU), fast (default on a GPU), or paper: the paper's network, "
          "trained by reconstruction alone (molecules: 600 epochs). For photographs: photo for "
          "a GPU, photo-small for a CPU",
          CLI_CHOICE, 0, &s.preset },
        { "--from", "MODEL", NULL,
          "start from the weights of this model: a file, or the name of a shipped model", CLI_MODEL,
          "images", &t->from },
        { "--mask", NULL, NULL, "mask to a disc, for objects that reach into the corners", CLI_FLAG,
          "images", &s.mask },
        { "--epochs", "N", NULL, "passes over the data (default: preset's)", CLI_SETTING, 0,
          &s.set },
        { "--plain", NULL, NULL, "reconstruction loss only, as in the paper", CLI_FLAG, 0,
          &t->plain },
        { "--held", "SPEC", NULL, "validation data (default: one conformer in twelve)", CLI_SPEC,
          "molecules", &s.held },
        { "--every", "N", NULL,
          "also write a checkpoint every N steps (default: after epochs, in a twentieth of the time at most)",
          CLI_COUNT, 0, &s.every },
        { "--resume", NULL, NULL, CLI_RESUME_HELP, CLI_FLAG, 0, &t->resume },
        { "--overwrite", NULL, NULL, CLI_OVERWRITE_HELP, CLI_FLAG, 0, &t->overwrite },
        { "--set", "NAME=VALUE", NULL,
          "set a parameter of the network's recipe; --help all lists them; may be repeated",
          CLI_SETTING, 0, &s.set },
        { "--group", "NAME", NULL, "", CLI_TEXT | CLI_HIDDEN, 0, &s.group },
        { "--no-contrast", NULL, NULL, "", CLI_FLAG | CLI_HIDDEN, 0, &s.no_contrast },
        { "--no-density", NULL, NULL, "", CLI_FLAG | CLI_HIDDEN, "images", &s.no_density },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    int code = cli_parse(&cli_train, options, &s.common, argc, argv, NULL, 0, NULL);
    code = code < 0 ? check_options(&s) : code;
    return code < 0 ? cli_run(&cli_train, &s.common, work, &s) : code;
}
