/* cmd_canonicalize.c - recon canonicalize: rotates images or molecules to their natural pose, in
 * blocks. */
#include "cli/actions.h"
#include "cli/rotate.h"
#include "comm/comm.h"
#include "core/text.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "data/image.h"
#include "group/group.h"
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <recon/backbone/gcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv);
const cli_command cli_canonicalize = {
    .name = "canonicalize",
    .purpose = "rotate images or molecules into their natural pose",
    .arguments = "DATA",
    .example =
        "  recon canonicalize --model digits/model.safetensors --data mnist/test --rotate mnist \\\n"
        "    --out upright.npy --poses g.npy\n"
        "  recon canonicalize --model digits --data photos --out upright --only-if 0.01\n"
        "  recon canonicalize --model signs/model.safetensors --data images:photos --out upright/\n"
        "  recon canonicalize --model molecules/model.safetensors --data xyz:mine.xyz --out natural.xyz\n"
        "  recon canonicalize --model conformers --data conformers/test --rotate fisher \\\n"
        "    --spin conformers-classifier --spin-from conformers/val --out natural.xyz\n"
        "\n"
        "Images: FILE.npy is written as float32, n x height x width [x channels]; any other name is a\n"
        "folder. Image files (images:DIR) are rotated once, at their own resolution, and keep their\n"
        "names, sub-folders, sizes, channels, alpha and bit depth. JPEG stays JPEG (--quality), TIFF\n"
        "stays TIFF with all pages that are used, PNG stays PNG; PGM and PPM become PNG. JPEG keeps\n"
        "its EXIF data but for the thumbnail, JPEG and TIFF keep their ICC profile; the orientation\n"
        "is applied and reset. --fill selects the colour of empty corners, and --keep all enlarges\n"
        "the frame so that nothing is cut off. Images from other sources are written as 000000.png,\n"
        "000001.png and so on.\n"
        "\n"
        "The folder also gets poses.csv, one row per input, with the columns of `recon score --out\n"
        "s.csv`: name and index, rotation from the natural pose (degrees, counter-clockwise), score\n"
        "and p-value of the pose, p-value of the embedding, verdict (fold m: the natural pose is known\n"
        "modulo 360/m degrees), candidates as angle:weight pairs, and whether it was rotated. --poses\n"
        "g.csv writes the same table for other outputs; --poses g.npy writes the poses in radians, in\n"
        "the order of the data.\n"
        "\n"
        "Inputs whose verdict is none or cannot_tell are left unchanged; --all rotates them too, and\n"
        "--only-one leaves all that have not one natural pose. With --only-if P, an input is rotated\n"
        "only if its pose has a p-value below P and the pose it would get is a usual one (--all: the\n"
        "former alone). What is left unchanged is copied byte for byte (PNG, JPEG and TIFF files),\n"
        "unless an EXIF orientation has to be applied; for other formats the pixels are unchanged.\n"
        "\n"
        "--anchor FILE=DEGREES states that this input is upright after rotating it by DEGREES, --examples\n"
        "SPEC that these inputs are upright already; all inputs of their clusters follow. --prior MODEL\n"
        "asks another model: what these data do and what such things usually do are two questions. Where\n"
        "it holds one pose of most inputs of a cluster for upright, the cluster follows. --actions applies\n"
        "a table: clusters.csv of discover, edited, or one with the columns file, action (rotate or\n"
        "leave) and degrees.\n"
        "\n"
        "Molecules: FILE.xyz is extended XYZ, each molecule rotated about its centre, in the order of\n"
        "the data. g.npy holds the rotations, n x 3 x 3 matrices, row-major (g.csv: unit quaternions,\n"
        "w x y z). Where the spin about an axis is free (see `recon distribution`), the axis is\n"
        "aligned, and the spin is arbitrary but the same for the whole class. With --spin, a frozen\n"
        "classifier (from `recon classifier train`) chooses it: the spin at which it is most confident\n"
        "that the nearest conformers are all of one class. These are taken from the inputs, including\n"
        "the input itself, or from --spin-from, to which --rotate and similar options also apply.\n"
        "Labels are not used.",
    .run = run,
    .over_ranks = 1,
};

enum { KEEP_ALL = 1 };

typedef struct {
    const char *model, *out, *poses;
    cli_settings anchors; /* inputs, and by how many degrees each is rotated to be upright */
    const char *examples; /* inputs that are upright; or NULL */
    const char *prior;    /* a model that says what is upright; or NULL */
    const char *actions; /* a table that says what to do with single inputs and clusters; or NULL */
    const char *spin, *spin_from; /* classifier and conformers that choose free spins; or NULL */
    size_t spin_k;
    int lambda;
    int *misuse; /* set where only the model shows that --lambda cannot be meant */
    recon_canonicalize_options how;
    int all, only_one; /* --all, --only-one */
    int interpolation;
    size_t quality; /* of JPEG files; 0: the default */
    const char *fill_text;
    recon_fill fill;
    int keep;
    cli_data data;
    cli_common common;
} settings;

static int is_of(const settings *s, const char *data)
{
    return !strcmp(recon_data_kind_of(s->data.spec)->name, data);
}

static int is_folder(const settings *s)
{
    return is_of(s, "images") && !cli_ends_in(s->out, ".npy");
}

static int is_table(const char *poses)
{
    return poses && cli_ends_in(poses, ".csv");
}

static int check_poses(const settings *s)
{
    if (s->poses && strcmp(s->poses, s->out) == 0)
        return cli_misuse(&cli_canonicalize, "--poses %s: the inputs go there; choose another file",
                          s->poses);
    if (!s->poses || cli_ends_in(s->poses, ".npy") || (is_table(s->poses) && !is_folder(s)))
        return -1;
    return is_table(s->poses)
               ? cli_misuse(&cli_canonicalize, "--poses %s: %s has poses.csv", s->poses, s->out)
               : cli_misuse(&cli_canonicalize, "--poses %s: poses go to FILE.npy or FILE.csv",
                            s->poses);
}

static int check_spin(const settings *s)
{
    if (!s->spin && (s->spin_from || s->spin_k))
        return cli_misuse(&cli_canonicalize, "%s needs --spin CLASSIFIER",
                          s->spin_from ? "--spin-from" : "--spin-k");
    if (s->actions && (s->spin || s->how.only_if > 0 || s->only_one))
        return cli_misuse(&cli_canonicalize, "--actions and %s exclude each other",
                          s->spin       ? "--spin"
                          : s->only_one ? "--only-one"
                                        : "--only-if");
    if (s->spin && (s->how.only_if > 0 || s->only_one))
        return cli_misuse(&cli_canonicalize,
                          "%s cannot be used with --spin, which rotates all inputs",
                          s->only_one ? "--only-one" : "--only-if");
    return -1;
}

static int parse_fill(recon_fill *out, const char *text)
{
    const char *digits = "0123456789abcdef";
    *out = (recon_fill){ .kind = RECON_FILL_ZERO };
    if (!text || !strcmp(text, "zero"))
        return 1;
    if (!strcmp(text, "edge")) {
        out->kind = RECON_FILL_EDGE;
        return 1;
    }
    out->kind = RECON_FILL_COLOUR;
    if (!strcmp(text, "white"))
        text = "#ffffff";
    if (strlen(text) != 7 || *text != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return 0;
    for (int i = 0; i < 6; i++) {
        long value = strchr(digits, text[1 + i] | ' ') - digits;
        out->colour[i / 2] = (uint8_t)(16 * out->colour[i / 2] + value);
    }
    return 1;
}

/* What concerns picture files alone. */
static int check_pictures(settings *s)
{
    int files = recon_images_folder(s->data.spec) && is_folder(s);
    if (s->quality > 100)
        return cli_misuse(&cli_canonicalize, "--quality %zu: must be 1 to 100", s->quality);
    if (!parse_fill(&s->fill, s->fill_text))
        return cli_misuse(&cli_canonicalize,
                          "--fill %s: must be zero, edge, white or a colour such as #80c0ff",
                          s->fill_text);
    if (!files && (s->fill_text || s->keep || s->quality))
        return cli_misuse(&cli_canonicalize,
                          "%s applies only to image files: --data images:DIR and --out DIR",
                          s->fill_text ? "--fill"
                          : s->keep    ? "--keep"
                                       : "--quality");
    return -1;
}

static int parse(settings *s, int argc, char **argv)
{
    cli_option options[18 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_MODEL | CLI_REQUIRED, 0,
          &s->model },
        { "--out", "FILE.npy|DIR|FILE.xyz", NULL, "output file or folder",
          CLI_TEXT | CLI_WRITES | CLI_REQUIRED, 0, &s->out },
        { "--poses", "g.npy|g.csv", NULL, "file for the poses, or for a table",
          CLI_TEXT | CLI_WRITES, 0, &s->poses },
        { "--lambda", NULL, "auto|neighbours|head|density",
          "where the natural pose comes from (default auto: what discover chose)", CLI_CHOICE, 0,
          &s->lambda },
        { "--only-if", "P", NULL, "rotate only inputs whose pose has a p-value below P", CLI_NUMBER,
          0, &s->how.only_if },
        { "--only-one", NULL, NULL, "rotate only inputs whose verdict is one natural pose",
          CLI_FLAG, 0, &s->only_one },
        { "--all", NULL, NULL, "rotate all inputs, also those without a natural pose", CLI_FLAG, 0,
          &s->all },
        { "--actions", "FILE.csv", NULL,
          "table of actions for inputs and clusters: an edited clusters.csv", CLI_TEXT | CLI_READS,
          0, &s->actions },
        { "--anchor", "FILE=DEGREES", NULL,
          "this input is upright after rotating it by DEGREES; its cluster follows; may be repeated",
          CLI_SETTING, 0, &s->anchors },
        { "--examples", "SPEC", NULL, "inputs that are upright already; their clusters follow",
          CLI_SPEC, 0, &s->examples },
        { "--prior", "MODEL", NULL,
          "clusters are upright as this model, such as general, holds; default: as in the data",
          CLI_MODEL, 0, &s->prior },
        { "--spin", "CLASSIFIER", NULL, "let this classifier choose the spin if it is free",
          CLI_MODEL, "molecules", &s->spin },
        { "--spin-from", "SPEC", NULL,
          "conformers to evaluate it on, preferably not its training data (default: --data)",
          CLI_SPEC, "molecules", &s->spin_from },
        { "--spin-k", "N", NULL, "number of nearest conformers to evaluate (default 8)", CLI_COUNT,
          "molecules", &s->spin_k },
        { "--interpolation", NULL, "bilinear|bicubic",
          "interpolation of the resampling (default "
          "bilinear)",
          CLI_CHOICE, "images", &s->interpolation },
        { "--quality", "N", NULL, "quality of JPEG files, 1 to 100 (default 95)", CLI_COUNT,
          "images", &s->quality },
        { "--fill", "zero|edge|white|#rrggbb", NULL,
          "colour of empty corners in image files (default zero: black, or transparent)", CLI_TEXT,
          "images", &s->fill_text },
        { "--keep", NULL, "size|all",
          "keep the size of image files, or enlarge the frame so that nothing is cut off "
          "(default size)",
          CLI_CHOICE, "images", &s->keep },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s->data);
    int code = cli_parse(&cli_canonicalize, options, &s->common, argc, argv, NULL, 0, NULL);
    if (code < 0 && is_of(s, "molecules") && (s->anchors.n || s->examples))
        return cli_misuse(&cli_canonicalize,
                          "%s is for images; rotate the result instead: molecules of one cluster "
                          "(--poses g.csv, column cluster) have one natural pose",
                          s->examples ? "--examples" : "--anchor");
    if (code < 0 && is_of(s, "molecules") && !cli_ends_in(s->out, ".xyz"))
        return cli_misuse(&cli_canonicalize, "--out %s: molecules go to a FILE.xyz", s->out);
    if (code < 0 && is_of(s, "images") && cli_is_other_format(s->out) &&
        !cli_ends_in(s->out, ".npy"))
        return cli_misuse(&cli_canonicalize,
                          "--out %s: images go to a folder, as files, or to a FILE.npy", s->out);
    if (code < 0 && s->all && s->only_one)
        return cli_misuse(&cli_canonicalize, "--all and --only-one exclude each other");
    s->how.interpolation = (recon_interpolation)s->interpolation;
    s->how.only = s->all || s->spin ? RECON_ONLY_ANY
                  : s->only_one     ? RECON_ONLY_ONE
                                    : RECON_ONLY_CLEAR;
    if (code < 0 && s->how.only_if > 1)
        return cli_misuse(&cli_canonicalize, "--only-if %g: must be at most 1, such as 0.01",
                          s->how.only_if);
    if (code < 0)
        code = check_spin(s);
    code = code < 0 ? check_pictures(s) : code;
    return code < 0 ? check_poses(s) : code;
}

/* A larger share of inputs unlike the training data is worth a warning. */
#define UNLIKE_SHARE 0.1

/* What was done, and how long it took. */
typedef struct {
    const cli_inputs *inputs;
    double begun; /* seconds */
    cli_rotated did;
    size_t calibration; /* inputs behind the p-values  */
    double natural;     /* with --only-if: the share of all rotations that are left */
    const recon_model *by;
} outcome;

/* With n calibration inputs no p-value is below 1 / (n + 1). */
static void show_gate(const settings *s, const outcome *o)
{
    double floor = 1 / ((double)o->calibration + 1), only_if = s->how.only_if;
    printf("  rotated    %zu (%.2f %%)\n", o->did.rotated,
           100 * (double)o->did.rotated / (double)o->inputs->n);
    if (only_if > 0) {
        printf("  natural    %.0f %% of all rotations of these %s", 100 * o->natural,
               o->inputs->use->kind->many);
        if (recon_model_describe(o->by).group->dimension == 1)
            printf(", as many as within %.0f degrees,", 180 * o->natural);
        puts(" have a p-value\n"
             "             above that: the model has learned that they occur, and leaves them");
    }
    if (o->did.why[RECON_WHY_USUAL])
        printf("  unchanged  %zu: their pose has no p-value below %.3g\n",
               o->did.why[RECON_WHY_USUAL], only_if);
    if (o->did.why[RECON_WHY_VERDICT])
        printf("  unchanged  %zu: %s\n", o->did.why[RECON_WHY_VERDICT],
               s->only_one ? "the verdict is not one natural pose"
                           : "no natural pose, or it cannot be told (--all rotates them)");
    if (only_if > 0 && only_if <= floor)
        printf(
            "  warning    no p-value can be below one in %zu: use more data for `recon discover`, or "
            "--only-if %.2g\n",
            o->calibration + 1, ceil(1000 * floor + 1e-9) / 1000);
}

/* A model of other things: where they are upright is a guess. */
static void show_unlike(const outcome *o)
{
    double share = (double)o->did.unlike / (double)o->inputs->n;
    if (share > UNLIKE_SHARE)
        printf(
            "  warning    %zu (%.2f %%) are unlike the training data (p-value of the embedding below "
            "%g):\n"
            "             the model does not know them, and their rotations mean little\n",
            o->did.unlike, 100 * share, CLI_UNLIKE);
}

static recon_status show_json(recon_ctx *ctx, const outcome *o, double seconds)
{
    const cli_inputs *in = o->inputs;
    json_t *all = json_pack(
        "{s:I, s:I, s:I, s:o, s:f, s:f, s:f, s:s}", in->use->kind->many, (json_int_t)in->n,
        "rotated", (json_int_t)o->did.rotated, "skipped", (json_int_t)in->skipped, "skipped_why",
        cli_skipped_json(&in->skips), "seconds", seconds, "seconds_model", o->did.seconds,
        cli_words_of(in)->each, 1000 * seconds / (double)in->n, "backend", recon_ops_name(ctx));
    json_object_set_new(all, "unchanged",
                        json_pack("{s:I, s:I}", "usual", (json_int_t)o->did.why[RECON_WHY_USUAL],
                                  "verdict", (json_int_t)o->did.why[RECON_WHY_VERDICT]));
    if (!isnan(o->natural))
        json_object_set_new(all, "natural_share", json_real(o->natural));
    cli_unread_json(all, in);
    return cli_print_json(ctx, all);
}

static recon_status show(recon_ctx *ctx, const settings *s, const outcome *o)
{
    double seconds = recon_now() - o->begun, n = (double)o->inputs->n;
    if (s->common.json)
        return show_json(ctx, o, seconds);
    if (s->common.quiet)
        return RECON_OK;
    const recon_data_kind *kind = o->inputs->use->kind;
    recon_count_text count;
    printf("%s of %s in %.2f s: %.3f ms each, of which %.3f for the model on %s\n",
           recon_count(count, o->inputs->n, kind->one, kind->many), s->data.spec, seconds,
           1000 * seconds / n, 1000 * o->did.seconds / n, recon_ops_name(ctx));
    cli_print_skipped(o->inputs->skipped, &o->inputs->skips);
    cli_print_distrust(o->by);
    show_unlike(o);
    show_gate(s, o);
    printf("  written    %s%s%s%s\n", s->out, is_folder(s) ? " (poses in poses.csv)" : "",
           s->poses ? ", " : "", s->poses ? s->poses : "");
    if (o->did.free && s->spin)
        printf("  free       the spin about an axis, or more, for %zu: chosen by %s\n", o->did.free,
               s->spin);
    else if (o->did.free)
        printf(
            "  free       the spin about an axis, or more, for %zu: the same for all of a class, "
            "but arbitrary\n",
            o->did.free);
    return RECON_OK;
}

/* By some of the inputs. */
static recon_status find_natural(recon_ctx *ctx, outcome *o, const settings *s)
{
    enum { ASKED = 64 };
    const cli_inputs *in = o->inputs;
    size_t n = in->n < ASKED ? in->n : ASKED, bytes = recon_data_describe(in->use).bytes;
    char *x = NULL;
    recon_status status;
    o->natural = NAN;
    if (s->how.only_if <= 0)
        return RECON_OK;
    RECON_TRY(recon_alloc_raw(ctx, &x, n, bytes));
    for (size_t i = 0; i < n; i++)
        in->use->kind->read(x + i * bytes, in->use, i * in->n / n, 1);
    RECON_TRY(recon_score_natural_share(ctx, &o->natural, o->by, x, n, s->how.only_if));
done:
    free(x);
    return status;
}

/* --- which way is up -------------------------------------------------------------------------- */

/* Input i of the data is upright when it is rotated by `angle`. */
typedef struct {
    char *inputs;
    double *rotations;
    size_t n, bytes, numbers;
} uprights;

static void add_upright(uprights *u, const recon_data *data, size_t i, const double *angle)
{
    data->kind->read(u->inputs + u->n * u->bytes, data, i, 1);
    memcpy(u->rotations + u->n++ * u->numbers, angle, u->numbers * sizeof *angle);
}

static recon_status add_anchor(recon_ctx *ctx, uprights *u, const cli_inputs *in,
                               const recon_setting *said)
{
    char name[RECON_FILE_NAME], *end;
    double degrees = strtod(said->value, &end), angle = degrees * RECON_TO_RADIANS;
    size_t i = 0;
    if (*end || end == said->value || !isfinite(degrees))
        return recon_fail(ctx, RECON_ERR_INPUT, "--anchor %s=%s: degrees are a number", said->name,
                          said->value);
    while (i < in->n && strcmp(recon_table_name(name, in, i), said->name))
        i++;
    if (i == in->n)
        return recon_fail(ctx, RECON_ERR_INPUT, "--anchor %s: no input has this name", said->name);
    add_upright(u, in->use, i, &angle);
    return RECON_OK;
}

static recon_status anchor(recon_ctx *ctx, recon_model *model, const settings *s,
                           const cli_inputs *in)
{
    const recon_group *g = recon_model_describe(model).group;
    uprights u = { .bytes = recon_data_describe(in->use).bytes, .numbers = g->numbers };
    cli_inputs examples = { 0 };
    cli_data as_they_are = s->data;
    double as_it_is[RECON_NUMBERS_MAX];
    size_t followed;
    recon_status status;
    as_they_are.rotate = NULL;
    if (s->examples)
        RECON_TRY(cli_also_open(ctx, &examples, &as_they_are, "--examples", s->examples,
                                recon_model_backbone(model)));
    RECON_TRY(recon_alloc_raw(ctx, &u.inputs, s->anchors.n + examples.n, u.bytes));
    RECON_TRY(recon_alloc_raw(ctx, &u.rotations, s->anchors.n + examples.n,
                              u.numbers * sizeof *u.rotations));
    for (size_t i = 0; i < s->anchors.n; i++)
        RECON_TRY(add_anchor(ctx, &u, in, &s->anchors.list[i]));
    g->identity(g, as_it_is);
    for (size_t i = 0; i < examples.n; i++)
        add_upright(&u, examples.use, i, as_it_is);
    RECON_TRY(recon_model_anchor(ctx, model, u.inputs, u.rotations, u.n, &followed));
    if (followed < u.n)
        recon_log(ctx, RECON_LOG_WARN,
                  "%zu of the %zu inputs given as upright belong to no cluster of the "
                  "model and have no effect",
                  u.n - followed, u.n);
done:
    recon_free_all(u.inputs, u.rotations);
    recon_inputs_end(&examples);
    return status;
}

/* Few are enough to tell of clusters. */
static recon_status ask_prior(recon_ctx *ctx, recon_model *model, const settings *s,
                              const cli_inputs *in)
{
    enum { ASKED = 4096 };
    cli_subject prior = { 0 };
    cli_data data = s->data;
    char *x = NULL, *y = NULL;
    size_t n = in->n < ASKED ? in->n : ASKED, bytes[2], followed;
    recon_status status;
    data.size = 0; /* as it takes them */
    data.crop = 0;
    RECON_TRY(cli_open(ctx, &prior, s->prior, &data));
    if (prior.inputs.n != in->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "--prior %s: it takes %zu of these inputs, but the model %zu",
                             s->prior, prior.inputs.n, in->n));
    bytes[0] = recon_data_describe(in->use).bytes;
    bytes[1] = recon_data_describe(prior.inputs.use).bytes;
    RECON_TRY(recon_alloc_raw(ctx, &x, n, bytes[0]));
    RECON_TRY(recon_alloc_raw(ctx, &y, n, bytes[1]));
    for (size_t i = 0; i < n; i++) {
        in->use->kind->read(x + i * bytes[0], in->use, i * in->n / n, 1);
        in->use->kind->read(y + i * bytes[1], prior.inputs.use, i * in->n / n, 1);
    }
    RECON_TRY(recon_model_prior(ctx, model, x, prior.model, y, n, &followed));
    recon_log(ctx, followed ? RECON_LOG_INFO : RECON_LOG_WARN,
              "--prior %s: of %zu inputs %zu belong to clusters of which it holds one pose for "
              "upright; the others are rotated as without it",
              s->prior, n, followed);
done:
    recon_free_all(x, y);
    cli_close(ctx, &prior);
    return status;
}

/* --- spins, of all inputs at once --------------------------------------------------------------- */

static recon_status list_conformers(recon_ctx *ctx, recon_conformer **out,
                                    const recon_molecules *data)
{
    size_t n = recon_molecules_describe(data).n;
    RECON_CHECK(recon_alloc_raw(ctx, out, n, sizeof **out));
    for (size_t i = 0; i < n; i++)
        (*out)[i] = recon_molecules_get(data, i);
    return RECON_OK;
}

/* What changes the rows of a model. */
typedef struct {
    cli_actions actions;
    int has_actions;
    recon_pose *spun; /* [n] with --spin: poses of all inputs; NULL: the model's own */
} amendment;

static void amend(void *arg, recon_row *row, size_t i, const recon_group *group)
{
    const amendment *a = arg;
    if (a->spun) {
        row->pose = row->candidates.pose[0] = a->spun[i];
        row->rotated = group->length(group, row->pose.rotation) != 0;
    }
    if (a->has_actions)
        cli_actions_apply(&a->actions, row, i, group);
}

static recon_status choose_spins(recon_ctx *ctx, recon_pose **out, const settings *s,
                                 const cli_inputs *in, const recon_model *model)
{
    const recon_spin_options o = { .k = s->spin_k };
    cli_inputs others = { 0 };
    recon_conformer *x = NULL, *among = NULL;
    recon_gcn *classifier = NULL;
    size_t m = 0;
    recon_status status;
    RECON_TRY(recon_gcn_open(ctx, &classifier, s->spin));
    RECON_TRY(list_conformers(ctx, &x, recon_data_molecules(in->use)));
    if (s->spin_from) {
        RECON_TRY(cli_also_open(ctx, &others, &s->data, "--spin-from", s->spin_from, NULL));
        RECON_TRY(list_conformers(ctx, &among, recon_data_molecules(others.use)));
        m = others.n;
    }
    RECON_TRY(recon_alloc_raw(ctx, out, in->n, sizeof **out));
    RECON_TRY(
        recon_canonicalize_spin_gcn(ctx, NULL, *out, model, x, in->n, among, m, classifier, &o));
done:
    recon_gcn_close(ctx, classifier);
    recon_free_all(among, x);
    recon_inputs_end(&others);
    return status;
}

/* A choice of Lambda needs a model that has one. */
static recon_status check_lambda(recon_ctx *ctx, const settings *s)
{
    recon_safetensors *file = NULL;
    recon_status status = RECON_OK;
    if (s->lambda == RECON_LAMBDA_AUTO)
        return RECON_OK;
    RECON_TRY(recon_safetensors_open(ctx, &file, s->model));
    *s->misuse = !recon_safetensors_metadata(file, RECON_MAPS_METADATA);
    if (*s->misuse)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "--lambda %s: %s is only a backbone; `recon discover --model %s "
                             "--data SPEC --out DIR` learns Lambda, then --model DIR",
                             recon_lambda_name((recon_lambda)s->lambda), s->model, s->model));
done:
    recon_safetensors_close(file);
    return status;
}

/* Rank 0 writes; the others know what it will ask for. */
static recon_status open_sink(recon_ctx *ctx, cli_sink *to, const settings *s,
                              const cli_inputs *inputs, const recon_group *group, const char *table)
{
    const cli_rotation how = { .interpolation = s->how.interpolation,
                               .most = cli_picture_most(&s->data),
                               .quality = (int)s->quality,
                               .fill = s->fill,
                               .keep_all = s->keep == KEEP_ALL };
    recon_status status = RECON_OK;
    if (recon_comm_rank(ctx) == 0)
        status = cli_sink_open(ctx, to, s->out, table, inputs, group, &how);
    RECON_TRY(recon_comm_agree(ctx, status));
    RECON_TRY(recon_comm_broadcast(ctx, &to->has_table, sizeof to->has_table, 0));
    to->inputs = inputs;
    to->how = how;
done:
    return status;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    const settings *s = arg;
    cli_subject subject = { 0 };
    cli_sink to = CLI_NO_SINK;
    outcome o = { .inputs = &subject.inputs, .begun = recon_now() };
    amendment a = { .has_actions = s->actions != NULL };
    const recon_group *group;
    double spun; /* seconds */
    const char *table = is_table(s->poses) ? s->poses : NULL;
    recon_status status;
    if (s->spin && recon_comm_size(ctx) > 1)
        RECON_TRY(recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                             "--spin runs in one process, but %d were started",
                             recon_comm_size(ctx)));
    RECON_TRY(cli_keep_apart(ctx, s->data.spec, s->out));
    RECON_TRY(check_lambda(ctx, s));
    RECON_TRY(recon_comm_agree(ctx, cli_open(ctx, &subject, s->model, &s->data)));
    status = recon_model_use_lambda(ctx, subject.model, (recon_lambda)s->lambda);
    *s->misuse = status != RECON_OK;
    RECON_TRY(status);
    if (s->prior)
        RECON_TRY(ask_prior(ctx, subject.model, s, &subject.inputs));
    if (s->anchors.n || s->examples)
        RECON_TRY(anchor(ctx, subject.model, s, &subject.inputs));
    o.by = subject.model;
    o.calibration = recon_model_calibrated(o.by);
    group = recon_model_describe(o.by).group;
    RECON_TRY(find_natural(ctx, &o, s));
    RECON_TRY(open_sink(ctx, &to, s, &subject.inputs, group, table));
    if (s->actions)
        RECON_TRY(cli_actions_open(ctx, &a.actions, s->actions, &subject.inputs, o.by));
    spun = recon_now();
    if (s->spin)
        RECON_TRY(choose_spins(ctx, &a.spun, s, &subject.inputs, o.by));
    spun = recon_now() - spun;
    RECON_TRY(cli_rotate(
        ctx, &o.did,
        &(cli_rotating){ .model = o.by, .to = &to, .how = &s->how, .amend = amend, .arg = &a }));
    o.did.seconds += spun;
    if (recon_comm_rank(ctx) == 0)
        status = cli_sink_commit(ctx, &to, table ? NULL : s->poses, group, o.did.absolute);
    RECON_TRY(recon_comm_agree(ctx, status));
    RECON_TRY(show(ctx, s, &o));
done:
    free(o.did.absolute);
    free(a.spun);
    cli_actions_close(&a.actions);
    cli_sink_close(ctx, &to);
    cli_close(ctx, &subject);
    return status;
}

static int run(int argc, char **argv)
{
    int misuse = 0;
    settings s = { .misuse = &misuse };
    int code = parse(&s, argc, argv);
    code = code >= 0 ? code : cli_run(&cli_canonicalize, &s.common, work, &s);
    return misuse ? EXIT_MISUSE : code;
}
