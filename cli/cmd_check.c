/* cmd_check.c - recon check: how equivariant a model is. */
#include "cli/cli.h"
#include "backbone/kinds.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include "backbone/molecule_equivariance.h"
#include "report/figure.h"
#include <stdio.h>
#include <stdlib.h>

static int run(int argc, char **argv);
const cli_command cli_check = {
    .name = "check",
    .purpose = "measure how equivariant a model is",
    .arguments = "MODEL",
    .example =
        "  recon check digits/model.safetensors --data mnist/test --svg equivariance.svg\n"
        "\n"
        "Every image is rotated by two angles, each time from the original, and the two copies are\n"
        "compared: their poses should differ by the rotation between them, and their embeddings z\n"
        "should be equal. After each layer, the feature fields of one copy, rotated as an image, should\n"
        "equal those of the other. The floor is the error of resampling the fields there and back\n"
        "without a network; an error near its floor is good. The centre of the pose density, which is\n"
        "the rotation from the natural pose, should follow the rotation too; it is shown as - if the\n"
        "model has no pose density. --rotate is refused, because check itself rotates the data.\n"
        "--precision auto means f32 here.\n"
        "\n"
        "  recon check molecules/model.safetensors --data conformers/test\n"
        "\n"
        "Every conformer is rotated, translated, permuted, and all three at once. The pose should\n"
        "follow and z should not change, up to rounding. The command also reports whether mirror\n"
        "images are distinguished.",
    .run = run,
};

enum {
    ANGLES = 7,
    STEP = 15, /* degrees */
    RIGHT = 6,
    LIMIT = 256,
    LAYER_IMAGES = 64, /* enough for a median, and fields take long to rotate */
    DRAWN_LAYERS = 4,
    LAYER_NAME = 32
};
#define ROUNDING 0.5 /* degrees: float is off by a thousandth, bfloat16 by a tenth */

typedef struct {
    const char *model, *svg;
    cli_data data;
    cli_common common;
    const recon_backbone *backbone;
} settings;

typedef struct {
    size_t depth; /* the picture and the layers */
    size_t some;  /* images that layers are measured on */
    double angles[ANGLES];
    recon_equivariance random, sweep[ANGLES];
    recon_layer_equivariance *layers; /* [ANGLES][depth] */
} findings;

/* --- images: shown ---------------------------------------------------------------------------- */

static const char *layer_name(char out[LAYER_NAME], size_t layer)
{
    snprintf(out, LAYER_NAME, layer ? "layer %zu" : "picture", layer);
    return out;
}

static json_t *degrees(double radians)
{
    return isfinite(radians) ? json_real(radians * RECON_TO_DEGREES) : json_null();
}

static json_t *errors_json(const recon_equivariance *e)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f}", "pose_median_deg",
                     degrees(e->pose_median), "pose_p95_deg", degrees(e->pose_p95), "pose_max_deg",
                     degrees(e->pose_max), "centre_median_deg", degrees(e->centre_median),
                     "centre_p95_deg", degrees(e->centre_p95), "centre_max_deg",
                     degrees(e->centre_max), "code_median", e->code_median, "code_p95", e->code_p95,
                     "code_max", e->code_max);
}

static json_t *layer_json(const findings *f, size_t layer)
{
    const recon_layer_equivariance *l = &f->layers[layer];
    json_t *error = json_array(), *floor = json_array();
    recon_fields_text fields;
    char name[LAYER_NAME];
    for (size_t k = 0; k < ANGLES; k++) {
        json_array_append_new(error, json_real(l[k * f->depth].error));
        json_array_append_new(floor, json_real(l[k * f->depth].floor));
    }
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o}", "name", layer_name(name, layer), "fields",
                     recon_fields_print(fields, &l->fields), "height", (json_int_t)l->height,
                     "width", (json_int_t)l->width, "error", error, "floor", floor);
}

static json_t *as_json(const findings *f)
{
    json_t *angles = json_array(), *sweep = json_array(), *layers = json_array();
    for (size_t k = 0; k < ANGLES; k++) {
        json_array_append_new(angles, json_integer((json_int_t)(k * STEP)));
        json_array_append_new(sweep, errors_json(&f->sweep[k]));
    }
    for (size_t l = 0; l < f->depth; l++)
        json_array_append_new(layers, layer_json(f, l));
    return json_pack("{s:I, s:b, s:o, s:o, s:o, s:I, s:o}", "images", (json_int_t)f->random.n,
                     "equivariant", cli_is_equivariant(&f->random), "random",
                     errors_json(&f->random), "angles_deg", angles, "by_angle", sweep,
                     "layer_images", (json_int_t)f->some, "layers", layers);
}

static void print_row(const char *rotation, const recon_equivariance *e)
{
    printf("%7s %9.2f%8.2f", rotation, e->pose_median * RECON_TO_DEGREES,
           e->pose_p95 * RECON_TO_DEGREES);
    if (isfinite(e->centre_median))
        printf(" %9.2f%8.2f", e->centre_median * RECON_TO_DEGREES,
               e->centre_p95 * RECON_TO_DEGREES);
    else
        printf(" %9s%8s", "-", "-");
    printf(" %9.4f%8.4f\n", e->code_median, e->code_p95);
}

static void print_sweep(const findings *f)
{
    printf("%7s %17s %17s %17s\n", "angle", "pose, degrees", "centre, degrees", "change of z");
    printf("%7s", "");
    for (int i = 0; i < 3; i++)
        printf(" %9s%8s", "median", "95%");
    putchar('\n');
    for (size_t k = 0; k < ANGLES; k++) {
        char rotation[16];
        snprintf(rotation, sizeof rotation, "%zu", k * STEP);
        print_row(rotation, &f->sweep[k]);
    }
    print_row("any", &f->random);
}

static void print_layers(const findings *f)
{
    printf("\nfields of %s: relative error, and its floor, percent\n%9s",
           RECON_COUNT(f->some, "image"), "");
    for (size_t k = 0; k < ANGLES; k++)
        printf("%11zu", k * STEP);
    putchar('\n');
    for (size_t l = 0; l < f->depth; l++) {
        char name[LAYER_NAME];
        printf("  %-9s", layer_name(name, l));
        for (size_t k = 0; k < ANGLES; k++) {
            const recon_layer_equivariance *at = &f->layers[k * f->depth + l];
            printf(" %5.1f%5.1f", 100 * at->error, 100 * at->floor);
        }
        putchar('\n');
    }
}

static void print_text(const settings *s, const findings *f)
{
    double right = f->sweep[RIGHT].pose_max * RECON_TO_DEGREES;
    printf("%s, two rotated copies of each of %s of %s\n\n", s->model,
           RECON_COUNT(f->random.n, "image"), s->data.spec);
    print_sweep(f);
    print_layers(f);
    printf("\n%s right angles (at most %.1g degrees). At any angle: half of the poses within %.2f "
           "degrees,\n"
           "95 of 100 within %.2f.\n",
           right < ROUNDING ? "Exact at" : "Not exact at", right,
           f->random.pose_median * RECON_TO_DEGREES, f->random.pose_p95 * RECON_TO_DEGREES);
    printf("%s\n", cli_equivariance_words(&f->random));
}

/* z, some of the layers from the first to the last, and the picture's floor. */
static recon_status draw(recon_ctx *ctx, const settings *s, const findings *f)
{
    double degrees[ANGLES], errors[1 + DRAWN_LAYERS][ANGLES], high[ANGLES], floor[ANGLES];
    char names[DRAWN_LAYERS][LAYER_NAME], *svg = NULL;
    recon_series series[2 + DRAWN_LAYERS];
    size_t drawn = f->depth > 1 ? DRAWN_LAYERS : 0; /* photo presets have no layers of fields */
    const recon_panel panel = { .x_label = "rotation of the input (degrees)",
                                .y_label = "relative error",
                                .series = series,
                                .count = 2 + drawn,
                                .degrees = 1 };
    recon_status status;
    for (size_t k = 0; k < ANGLES; k++) {
        degrees[k] = f->angles[k] * RECON_TO_DEGREES;
        errors[0][k] = f->sweep[k].code_median;
        high[k] = f->sweep[k].code_p95;
        floor[k] = f->layers[k * f->depth].floor;
    }
    series[0] = (recon_series){ .name = "z, end to end",
                                .x = degrees,
                                .y = errors[0],
                                .low = errors[0],
                                .high = high,
                                .count = ANGLES };
    for (size_t i = 0; i < drawn; i++) {
        size_t layer = 1 + i * (f->depth - 2) / (DRAWN_LAYERS - 1);
        for (size_t k = 0; k < ANGLES; k++)
            errors[1 + i][k] = f->layers[k * f->depth + layer].error;
        series[1 + i] = (recon_series){
            .name = layer_name(names[i], layer), .x = degrees, .y = errors[1 + i], .count = ANGLES
        };
    }
    series[1 + drawn] = (recon_series){
        .name = "interpolation alone", .x = degrees, .y = floor, .count = ANGLES, .dashed = 1
    };
    RECON_TRY(recon_figure_chart(
        ctx, &svg, &(recon_chart){ .title = "equivariance error", .panels = &panel, .count = 1 }));
    RECON_TRY(recon_svg_save(ctx, s->svg, svg));
done:
    free(svg);
    return status;
}

/* --- images: measured ------------------------------------------------------------------------- */

static recon_status measure(recon_ctx *ctx, findings *f, const recon_ieae *model,
                            const recon_dataset *data, uint64_t seed)
{
    recon_dataset *some = NULL;
    recon_status status;
    f->depth = recon_equivariance_depth(model);
    f->some = recon_dataset_describe(data).n < LAYER_IMAGES ? recon_dataset_describe(data).n
                                                            : LAYER_IMAGES;
    for (size_t k = 0; k < ANGLES; k++)
        f->angles[k] = (double)(k * STEP) / RECON_TO_DEGREES;
    RECON_TRY(recon_alloc(ctx, &f->layers, ANGLES * f->depth, sizeof *f->layers));
    RECON_TRY(recon_equivariance_random(ctx, &f->random, model, data, seed));
    RECON_TRY(recon_equivariance_sweep(ctx, f->sweep, model, data, f->angles, ANGLES, seed));
    RECON_TRY(recon_dataset_take(ctx, &some, data, f->some, seed));
    RECON_TRY(recon_equivariance_layers(ctx, f->layers, model, some, f->angles, ANGLES, seed));
done:
    recon_dataset_close(some);
    return status;
}

static recon_status check_images(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    findings f = { 0 };
    recon_status status;
    RECON_TRY(measure(ctx, &f, recon_backbone_ieae(s->backbone), recon_data_images(in->use),
                      cli_seed(&s->data)));
    if (s->svg)
        RECON_TRY(draw(ctx, s, &f));
    if (s->common.json)
        RECON_TRY(cli_print_json(ctx, as_json(&f)));
    else if (!s->common.quiet)
        print_text(s, &f);
done:
    free(f.layers);
    return status;
}

/* --- molecules -------------------------------------------------------------------------------- */

static const char *const moves[RECON_MOVES] = { [RECON_MOVE_ROTATE] = "rotated",
                                                [RECON_MOVE_SHIFT] = "moved",
                                                [RECON_MOVE_PERMUTE] = "reordered",
                                                [RECON_MOVE_ALL] = "all of it",
                                                [RECON_MOVE_MIRROR] = "mirrored" };
static const char *const move_keys[RECON_MOVES] = { [RECON_MOVE_ROTATE] = "rotate",
                                                    [RECON_MOVE_SHIFT] = "shift",
                                                    [RECON_MOVE_PERMUTE] = "permute",
                                                    [RECON_MOVE_ALL] = "all",
                                                    [RECON_MOVE_MIRROR] = "mirror" };

static json_t *moves_json(const recon_molecule_equivariance e[RECON_MOVES])
{
    json_t *out = json_pack("{s:I, s:b}", "conformers", (json_int_t)e->n, "mirror_distinguished",
                            recon_molecule_equivariance_sees_mirror(e));
    for (int i = 0; i < RECON_MOVES; i++)
        json_object_set_new(out, move_keys[i],
                            json_pack("{s:o, s:o, s:o, s:f, s:f, s:f}", "pose_median_deg",
                                      degrees(e[i].pose_median), "pose_p99_deg",
                                      degrees(e[i].pose_p99), "pose_max_deg",
                                      degrees(e[i].pose_max), "code_median", e[i].code_median,
                                      "code_p99", e[i].code_p99, "code_max", e[i].code_max));
    return out;
}

static void print_moves(const settings *s, const recon_molecule_equivariance e[RECON_MOVES])
{
    printf("%s, before and after, %s of %s\n\n", s->model, RECON_COUNT(e->n, "conformer"),
           s->data.spec);
    printf("%11s %26s %26s\n%11s", "", "pose, degrees", "change of z", "");
    for (int i = 0; i < 2; i++)
        printf(" %8s %8s %8s", "median", "99%", "largest");
    putchar('\n');
    for (int i = 0; i < RECON_MOVES; i++) {
        printf("%11s", moves[i]);
        if (i == RECON_MOVE_MIRROR)
            printf(" %8s %8s %8s", "-", "-", "-");
        else
            printf(" %8.1e %8.1e %8.1e", e[i].pose_median * RECON_TO_DEGREES,
                   e[i].pose_p99 * RECON_TO_DEGREES, e[i].pose_max * RECON_TO_DEGREES);
        printf(" %8.1e %8.1e %8.1e\n", e[i].code_median, e[i].code_p99, e[i].code_max);
    }
    const recon_molecule_equivariance *all = &e[RECON_MOVE_ALL];
    printf("\n%s\nMirror images are %s.\n",
           all->pose_p99 * RECON_TO_DEGREES < ROUNDING
               ? "The network is equivariant, up to rounding."
               : "The network is not equivariant on some inputs: their atoms may lie on a line, or "
                 "it needs\n"
                 "more training (`recon train --epochs`).",
           recon_molecule_equivariance_sees_mirror(e) ? "distinguished" : "not distinguished");
}

static recon_status check_molecules(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    recon_molecule_equivariance e[RECON_MOVES];
    RECON_CHECK(
        recon_molecule_equivariance_measure(ctx, e, recon_backbone_molecule_net(s->backbone),
                                            recon_data_molecules(in->use), cli_seed(&s->data)));
    if (s->common.json)
        RECON_CHECK(cli_print_json(ctx, moves_json(e)));
    else if (!s->common.quiet)
        print_moves(s, e);
    return RECON_OK;
}

/* --- which of the two ------------------------------------------------------------------------- */

/* Where no data are named: those that `recon discover` was given. */
static recon_status name_data(recon_ctx *ctx, settings *s, const recon_safetensors *file,
                              const recon_backbone *b)
{
    const char *said = recon_safetensors_metadata(file, "data");
    if (!s->data.spec)
        s->data.spec = said && *said ? said : NULL;
    if (!s->data.spec)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s does not record its training data: name a data set with --data",
                          s->model);
    if (s->svg && !recon_backbone_ieae(b))
        return recon_fail(ctx, RECON_ERR_INPUT, "--svg is for images");
    return RECON_OK;
}

static recon_status work(recon_ctx *ctx, const void *arg)
{
    static const cli_case cases[] = { { "images", check_images },
                                      { "molecules", check_molecules },
                                      { 0 } };
    settings s = *(const settings *)arg;
    recon_safetensors *file = NULL;
    recon_backbone *b = NULL;
    cli_inputs inputs = { 0 };
    recon_status status;
    RECON_TRY(cli_attach(ctx, &s.data));
    /* auto is f32 here: what is measured may be smaller than what bf16 rounds away */
    recon_precision precision =
        s.data.precision ? cli_precision(ctx, s.data.precision) : RECON_SINGLE;
    RECON_TRY(recon_safetensors_open(ctx, &file, s.model));
    RECON_TRY(recon_backbone_read(ctx, &b, file, s.model, precision));
    RECON_TRY(name_data(ctx, &s, file, b));
    RECON_TRY(cli_inputs_open(ctx, &inputs, &s.data, b));
    RECON_TRY(cli_inputs_keep(ctx, &inputs, &s.data, b));
    s.backbone = b;
    RECON_TRY(cli_by_data(ctx, cases, &s, &inputs));
done:
    recon_inputs_end(&inputs);
    recon_backbone_close(ctx, b);
    recon_safetensors_close(file);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { .data = { .limit = LIMIT } };
    cli_option options[1 + CLI_DATA_OPTIONS + 1] = {
        { "--svg", "FILE", NULL, "also plot the errors", CLI_TEXT | CLI_WRITES, "images", &s.svg },
    };
    size_t words = 0;
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    options[1].kind &= ~CLI_REQUIRED; /* --data: the model may say it */
    int code = cli_parse(&cli_check, options, &s.common, argc, argv, &s.model, 1, &words);
    if (code < 0 && words == 1)
        s.model = cli_model_file(s.model);
    if (code < 0 && words != 1)
        return cli_misuse(&cli_check, "name a model");
    if (code < 0 && s.data.rotate)
        return cli_misuse(&cli_check, "--rotate: check itself rotates the data");
    return code >= 0 ? code : cli_run(&cli_check, &s.common, work, &s);
}
