/* cmd_distribution.c - recon distribution: the poses of one image or molecule. */
#include "cli/cli.h"
#include "model/summary.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include "report/figure.h"
#include <stdio.h>
#include <stdlib.h>

static int run(int argc, char **argv);
const cli_command cli_distribution = {
    .name = "distribution",
    .purpose = "show the pose distribution of one image or molecule",
    .arguments = "DATA",
    .example =
        "  recon distribution --model digits/model.safetensors --data mnist/test --index 61 \\\n"
        "    --svg eight.svg\n"
        "  recon distribution --model molecules/model.safetensors --data conformers/test --index 7\n"
        "\n"
        "For an image, angles are in degrees, counter-clockwise, relative to its natural pose. For a\n"
        "molecule, the poses follow a matrix Fisher distribution around the natural pose. The output\n"
        "has F, its singular values (two near zero: the spin about an axis is free) and the direction\n"
        "of that axis. The last singular value has the sign of F's determinant; the precision of\n"
        "rotations about one axis of F is the sum of the other two. --index counts all of the data,\n"
        "as `recon score` does.",
    .run = run,
};

typedef struct {
    const char *model, *svg;
    size_t index;
    cli_data data;
    cli_common common;
    const recon_model *of;
} settings;

static void print_written(const settings *s)
{
    if (s->svg)
        printf("  written    %s\n", s->svg);
}

/* Absent: the model has no stored codes. */
static json_t *p_embedding_json(double p)
{
    return isnan(p) ? json_null() : json_real(p);
}

static void print_p_embedding(double p)
{
    if (!isnan(p))
        printf(
            "  embedding  p-value %.4f: how often natural inputs are as far from the training data\n",
            p);
}

/* --- images ----------------------------------------------------------------------------------- */

static double part_mean(const recon_so2_density *p, int i)
{
    return recon_so2_wrap(p->center + p->part[i].mean) * RECON_TO_DEGREES;
}

static json_t *as_json(const settings *s, const recon_distribution *d, const char *file)
{
    json_t *modes = json_array(), *moments = json_array(), *parts = json_array();
    json_t *table = json_array();
    for (int i = 0; i < d->modes; i++)
        json_array_append_new(modes,
                              json_pack("{s:f, s:f}", "at_deg", d->mode[i].at * RECON_TO_DEGREES,
                                        "weight", d->mode[i].weight));
    for (int m = 0; m < 4; m++)
        json_array_append_new(moments, json_real(d->moment[m]));
    for (int i = 0; i < RECON_POSE_BINS; i++)
        json_array_append_new(
            table, json_real(exp(recon_so2_log_density(
                       &d->density, d->pose.lambda[0] + 2 * M_PI * i / RECON_POSE_BINS))));
    for (int i = 0; i < d->density.parts; i++)
        json_array_append_new(
            parts, json_pack("{s:f, s:f, s:f}", "weight", d->density.part[i].weight, "mean_deg",
                             part_mean(&d->density, i), "kappa", d->density.part[i].kappa));
    json_t *out = json_pack(
        "{s:I, s:f, s:f, s:f, s:f, s:f, s:s, s:f, s:s, s:i, s:o, s:o, s:f, s:o}", "index",
        (json_int_t)s->index, "pose_deg", d->pose.absolute[0] * RECON_TO_DEGREES, "psi_deg",
        d->pose.psi[0] * RECON_TO_DEGREES, "lambda_deg", d->pose.lambda[0] * RECON_TO_DEGREES,
        "score", d->score, "p_value", d->p_value, "family", recon_so2_family_name(d->family),
        "theta_deg", d->theta * RECON_TO_DEGREES, "verdict", recon_natural_name(d->verdict), "fold",
        d->fold, "modes", modes, "moments", moments, "background", d->density.background, "density",
        parts);
    json_object_set_new(out, "density_table", table);
    json_object_set_new(out, "p_embedding", p_embedding_json(d->p_embedding));
    if (file) /* left out where it is not UTF-8 */
        json_object_set_new(out, "file", json_string(file));
    return out;
}

static void print_verdict(const recon_distribution *d)
{
    if (d->verdict == RECON_NATURAL_SEVERAL)
        printf(", one of %d", d->modes);
    else if (d->verdict == RECON_NATURAL_MODULO)
        printf(", and defined modulo %d degrees only", 360 / d->fold);
    else if (d->verdict == RECON_NATURAL_NONE)
        printf(", and hardly defined:\n             inputs like it occur in nearly all "
               "orientations, and none is natural");
    else if (d->verdict == RECON_NATURAL_UNSURE)
        printf(
            ", but whether it\n             is natural is undecided: the poses fit two hypotheses");
}

static void print_text(const settings *s, const recon_distribution *d, const recon_model *model,
                       const char *file)
{
    recon_input_name name;
    snprintf(name, sizeof name, "%s", file ? file : "");
    recon_keep_to_one_line(name);
    printf("image %zu of %s%s%s\n", s->index, s->data.spec, file ? ": " : "", name);
    printf("  pose       %+.1f degrees from its natural pose, score %.3f, p-value %.4f\n",
           d->pose.absolute[0] * RECON_TO_DEGREES, d->score, d->p_value);
    print_p_embedding(d->p_embedding);
    printf("  natural    at %+.1f degrees in the backbone's frame (psi %+.1f)",
           d->pose.lambda[0] * RECON_TO_DEGREES, d->pose.psi[0] * RECON_TO_DEGREES);
    print_verdict(d);
    printf("\n  width      %.1f degrees (%s)%s\n", d->theta * RECON_TO_DEGREES,
           recon_so2_family_name(d->family), cli_width_note(recon_model_trust(model)));
    for (int i = 0; i < d->modes; i++)
        printf("  %s %+7.1f degrees, weight %.2f\n", i ? "          " : "modes     ",
               d->mode[i].at * RECON_TO_DEGREES, d->mode[i].weight);
    printf("  moments    %.2f %.2f %.2f %.2f\n", d->moment[0], d->moment[1], d->moment[2],
           d->moment[3]);
    if (d->density.background > RECON_BACKGROUND_MUCH)
        printf("  warning    %.0f %% of the poses in its class fit no distribution\n",
               100 * d->density.background);
    print_written(s);
}

static recon_status draw(recon_ctx *ctx, const settings *s, const recon_distribution *d,
                         const float *image, recon_dataset_info size)
{
    char title[128], *svg = NULL;
    float *canonical = NULL;
    recon_status status;
    snprintf(title, sizeof title, "image %zu", s->index);
    RECON_TRY(recon_alloc_raw(ctx, &canonical, size.height * size.width * size.channels,
                              sizeof *canonical));
    recon_pose_image(canonical, &d->pose, RECON_TO_CANONICAL, image, size.height, size.width,
                     size.channels, RECON_BILINEAR);
    const recon_pose_plot plot = {
        .title = title,
        .input = { image, size.height, size.width, size.channels, NULL },
        .canonical = { canonical, size.height, size.width, size.channels, NULL },
        .density = &d->density,
        .pose = d->pose.absolute[0],
        .candidates = d->mode,
        .candidate_count = (size_t)d->modes,
        .fold = d->fold,
        .score = d->score,
    };
    RECON_TRY(recon_figure_pose(ctx, &svg, &plot));
    RECON_TRY(recon_svg_save(ctx, s->svg, svg));
done:
    recon_free_all(svg, canonical);
    return status;
}

static recon_status tell_image(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    const recon_dataset *images = recon_data_images(in->use);
    recon_dataset_info d = recon_dataset_describe(images);
    const char *file = recon_inputs_name(in, s->index);
    recon_distribution said;
    float *image = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &image, d.height * d.width * d.channels, sizeof *image));
    recon_dataset_get(image, images, s->index);
    RECON_TRY(recon_distribution_images(ctx, &said, s->of, image, 1));
    if (s->svg)
        RECON_TRY(draw(ctx, s, &said, image, d));
    if (s->common.json)
        RECON_TRY(cli_print_json(ctx, as_json(s, &said, file)));
    else if (!s->common.quiet)
        print_text(s, &said, s->of, file);
done:
    free(image);
    return status;
}

/* --- molecules -------------------------------------------------------------------------------- */

static json_t *numbers(const double *x, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out, isfinite(x[i]) ? json_real(x[i]) : json_null());
    return out;
}

static json_t *rotation(recon_so3 g)
{
    double m[9];
    recon_so3_to_matrix(m, g);
    return numbers(m, 9);
}

static json_t *modes_json(const recon_distribution3 *d)
{
    json_t *out = json_array();
    for (int k = 0; k < d->modes; k++)
        json_array_append_new(out, json_pack("{s:o, s:f}", "at", rotation(d->mode[k].at), "weight",
                                             d->mode[k].weight));
    return out;
}

static json_t *molecule_json(const settings *s, const recon_distribution3 *d, const char *name,
                             size_t rotations)
{
    recon_distribution3_text words;
    recon_symmetry_text symmetry;
    json_t *out = json_pack("{s:I, s:f, s:f, s:f, s:i, s:s, s:o, s:o, s:f, s:o, s:o, s:o}", "index",
                            (json_int_t)s->index, "tilt_deg", d->tilt * RECON_TO_DEGREES, "score",
                            d->score, "p_value", d->p_value, "free", d->free, "words",
                            recon_distribution3_words(words, d), "f", numbers(d->poses.f, 9),
                            "singular", numbers(d->poses.singular, 3), "background", d->background,
                            "axis", numbers(d->axis, 3), "axis_now", numbers(d->axis_now, 3),
                            "spread", numbers(d->spread, 3));
    json_object_set_new(out, "molecule", json_string(name)); /* left out where it is not UTF-8 */
    json_object_set_new(out, "p_embedding", p_embedding_json(d->p_embedding));
    json_object_set_new(out, "verdict", json_string(recon_natural_name(d->verdict)));
    json_object_set_new(out, "symmetry", json_string(recon_symmetry_name(symmetry, d->symmetry)));
    json_object_set_new(out, "symmetry_axis",
                        d->symmetry ? numbers(d->symmetry_axis, 3) : json_null());
    json_object_set_new(out, "modes", modes_json(d));
    json_object_set_new(out, "symmetry_number", json_integer((json_int_t)rotations));
    json_object_set_new(out, "pose", rotation(recon_so3_at(d->pose.absolute, 0)));
    json_object_set_new(out, "psi", rotation(recon_so3_at(d->pose.psi, 0)));
    json_object_set_new(out, "lambda", rotation(recon_so3_at(d->pose.lambda, 0)));
    return out;
}

static void print_molecule(const settings *s, const recon_distribution3 *d, const char *name,
                           size_t rotations)
{
    const double *f = d->poses.f, *sv = d->poses.singular;
    recon_distribution3_text words;
    printf("conformer %zu of %s: %s\n", s->index, s->data.spec, name);
    printf("  pose       score %.3f, p-value %.4f\n", d->score, d->p_value);
    print_p_embedding(d->p_embedding);
    for (int i = 0; i < 9; i += 3)
        printf("  %-10s %8.2f %8.2f %8.2f\n", i ? "" : "F", f[i], f[i + 1], f[i + 2]);
    printf("  singular   %8.2f %8.2f %8.2f%s\n", sv[0], sv[1], sv[2],
           sv[2] < 0 ? " (the last with the sign of F's determinant)" : "");
    printf("  background %8.1f %%\n", 100 * d->background);
    for (int k = 0; d->modes > 1 && k < d->modes; k++)
        printf("  %-10s %8.1f %%, %.1f degrees from the chosen one\n", k ? "" : "modes",
               100 * d->mode[k].weight, recon_so3_angle(d->mode[k].at) * RECON_TO_DEGREES);
    if (d->free <= 1) { /* else there is no axis to speak of */
        printf("  axis       %8.3f %8.3f %8.3f, in the natural pose\n", d->axis[0], d->axis[1],
               d->axis[2]);
        printf("             %8.3f %8.3f %8.3f, in the input: tilted by %.1f degrees\n",
               d->axis_now[0], d->axis_now[1], d->axis_now[2], d->tilt * RECON_TO_DEGREES);
    }
    if (rotations > 1)
        printf(
            "  warning    it is symmetric: %zu rotations leave it unchanged, so no training can\n"
            "             distinguish these poses\n",
            rotations);
    print_written(s);
    printf("%s\n", recon_distribution3_words(words, d));
}

static recon_status draw_molecule(recon_ctx *ctx, const settings *s, const recon_distribution3 *d,
                                  const recon_conformer *x, const char *name)
{
    static const char *const known[] = { NULL, "the spin about an axis is free", "hardly known",
                                         "all poses are alike" };
    const int known_axis = d->free <= 1;
    char tilt[64], *svg = NULL;
    double *places = NULL;
    float *canonical = NULL;
    recon_status status;
    snprintf(tilt, sizeof tilt, "axis tilted by %.0f degrees", d->tilt * RECON_TO_DEGREES);
    RECON_TRY(recon_alloc_raw(ctx, &places, x->atoms, 3 * sizeof *places));
    RECON_TRY(recon_alloc_raw(ctx, &canonical, x->atoms, 3 * sizeof *canonical));
    for (size_t i = 0; i < 3 * x->atoms; i++)
        places[i] = x->xyz[i];
    recon_pose_points3(places, &d->pose, RECON_TO_CANONICAL, places, x->atoms);
    for (size_t i = 0; i < 3 * x->atoms; i++)
        canonical[i] = (float)places[i];
    const recon_pose3_plot plot = {
        .title = name,
        .input = { known_axis ? tilt : NULL, x->atoms, x->z, x->xyz,
                   known_axis ? d->axis_now : NULL },
        .canonical = { NULL, x->atoms, x->z, canonical, known_axis ? d->axis : NULL },
        .poses = { known[d->free], d->poses.f },
    };
    RECON_TRY(recon_figure_pose3(ctx, &svg, &plot));
    RECON_TRY(recon_svg_save(ctx, s->svg, svg));
done:
    recon_free_all(svg, canonical, places);
    return status;
}

static recon_status tell_molecule(recon_ctx *ctx, void *arg, const cli_inputs *in)
{
    const settings *s = arg;
    const recon_conformer x = recon_molecules_get(recon_data_molecules(in->use), s->index);
    recon_distribution3 d;
    size_t rotations;
    recon_input_name name;
    RECON_CHECK(recon_distribution_molecules(ctx, &d, s->of, &x, 1));
    RECON_CHECK(recon_symmetry_number(ctx, &rotations, &x));
    recon_inputs_label(name, in, s->index);
    if (s->svg)
        RECON_CHECK(draw_molecule(ctx, s, &d, &x, name));
    if (s->common.json)
        RECON_CHECK(
            cli_print_json(ctx, molecule_json(s, &d, recon_inputs_name(in, s->index), rotations)));
    else if (!s->common.quiet)
        print_molecule(s, &d, name, rotations);
    return RECON_OK;
}

/* Of the others the model need not know anything. */
static recon_status work(recon_ctx *ctx, const void *arg)
{
    static const cli_case cases[] = { { "images", tell_image },
                                      { "molecules", tell_molecule },
                                      { 0 } };
    settings chosen = *(const settings *)arg, *s = &chosen;
    recon_model *model = NULL;
    cli_inputs inputs = { 0 };
    recon_status status;
    RECON_TRY(cli_attach(ctx, &s->data));
    RECON_TRY(recon_model_open(ctx, &model, s->model, cli_use_precision(ctx, s->data.precision)));
    RECON_TRY(cli_inputs_open(ctx, &inputs, &s->data, recon_model_backbone(model)));
    if (s->index >= inputs.n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: no %s %zu: it has %zu, numbered from 0",
                             s->data.spec, inputs.use->kind->one, s->index, inputs.n));
    RECON_TRY(
        recon_inputs_check(ctx, &inputs, s->index, s->data.spec, recon_model_backbone(model)));
    s->of = model;
    RECON_TRY(cli_by_data(ctx, cases, s, &inputs));
done:
    recon_inputs_end(&inputs);
    recon_model_close(ctx, model);
    return status;
}

static int run(int argc, char **argv)
{
    settings s = { 0 };
    cli_option options[3 + CLI_DATA_OPTIONS + 1] = {
        { "--model", "MODEL", NULL, "what `recon discover` wrote", CLI_MODEL | CLI_REQUIRED, 0,
          &s.model },
        { "--index", "I", NULL, "index of the image or conformer, from 0 (default 0)", CLI_INDEX, 0,
          &s.index },
        { "--svg", "FILE", NULL, "also plot it", CLI_TEXT | CLI_WRITES, 0, &s.svg },
    };
    cli_data_options(options, sizeof options / sizeof *options, &s.data);
    int code = cli_parse(&cli_distribution, options, &s.common, argc, argv, NULL, 0, NULL);
    if (code < 0 && s.data.limit)
        return cli_misuse(&cli_distribution,
                          "--limit has no effect here: --index selects the input");
    return code >= 0 ? code : cli_run(&cli_distribution, &s.common, work, &s);
}
