/* estimators.c - compares the Frechet, chordal and Tukey mean of samples from four known
 * distributions, as in the paper: a mean is better if the density there is higher. */
#include "lab/lab.h"
#include "lab/reproduce.h"
#include "lab/table.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"
#include "report/figure.h"
#include "group/mean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAWS = 4, DRAWN = 2000, MEANS = 3, MODES = 5 };
#define KAPPA 20.0

typedef struct {
    const char *name;
    size_t modes;
    double at[MODES];  /* of von Mises densities, equally heavy */
    double half_width; /* of an arc about 0 in their place */
} law;

static const law laws[LAWS] = {
    { "one mode", 1, { M_PI / 2 }, 0 },
    { "two opposite modes", 2, { 0, M_PI }, 0 },
    { "five modes", 5, { 0, 2 * M_PI / 5, 4 * M_PI / 5, 6 * M_PI / 5, 8 * M_PI / 5 }, 0 },
    { "an arc of 120 degrees", 0, { 0 }, M_PI / 3 },
};
static const recon_mean_kind kinds[MEANS] = { RECON_MEAN_FRECHET, RECON_MEAN_CHORDAL,
                                              RECON_MEAN_TUKEY };

static recon_so2_density part_of(const law *l, size_t mode)
{
    if (l->modes == 0)
        return (recon_so2_density){ .family = RECON_SO2_UNIFORM, .width = l->half_width };
    return (recon_so2_density){ .family = RECON_SO2_VONMISES,
                                .center = recon_so2_wrap(l->at[mode]),
                                .width = KAPPA };
}

static double density_at(const law *l, double angle)
{
    size_t n = l->modes ? l->modes : 1;
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        recon_so2_density p = part_of(l, k);
        sum += exp(recon_so2_log_density(&p, angle)) / (double)n;
    }
    return sum;
}

static void draw_sample(double *out, const law *l, uint64_t seed)
{
    for (size_t i = 0; i < DRAWN; i++) {
        recon_rng rng = recon_rng_new(seed, i);
        recon_so2_density p = part_of(l, l->modes ? i % l->modes : 0);
        out[i] = recon_so2_sample(&p, &rng);
    }
}

/* The density as a table, for the figure. */
static recon_so2_density table_of(const law *l)
{
    recon_so2_density out = { .family = RECON_SO2_BINS };
    double sum = 0;
    for (int b = 0; b < RECON_POSE_BINS; b++)
        sum += density_at(l, 2 * M_PI * b / RECON_POSE_BINS);
    for (int b = 0; b < RECON_POSE_BINS; b++)
        out.bin[b] = (float)(density_at(l, 2 * M_PI * b / RECON_POSE_BINS) / sum * RECON_POSE_BINS /
                             (2 * M_PI));
    return out;
}

static json_t *law_json(const law *l, const recon_so2_center mean[MEANS])
{
    json_t *out = json_pack("{s:s}", "law", l->name);
    double most = 0;
    for (int i = 0; i < 3600; i++)
        most = fmax(most, density_at(l, 2 * M_PI * i / 3600));
    for (int k = 0; k < MEANS; k++)
        json_object_set_new(out, recon_mean_name(kinds[k]),
                            json_pack("{s:f, s:f}", "at_deg", mean[k].mean * RECON_TO_DEGREES,
                                      "density_of_highest", density_at(l, mean[k].mean) / most));
    json_object_set_new(out, "verdict", json_string(recon_natural_name(mean[MEANS - 1].natural)));
    return out;
}

static recon_status draw(recon_ctx *ctx, json_t *list, const char *dir, const double *samples,
                         recon_so2_center mean[LAWS][MEANS])
{
    static const char *const names[MEANS] = { "Frechet", "chordal", "Tukey" };
    const char *headings[LAWS];
    recon_so2_density density[LAWS];
    recon_so2_mode mark[MEANS * LAWS];
    recon_rose roses[MEANS * LAWS] = { { 0 } };
    char path[4096], *svg = NULL;
    recon_status status;
    for (size_t g = 0; g < MEANS * LAWS; g++) {
        size_t l = g % LAWS;
        headings[l] = laws[l].name;
        density[l] = table_of(&laws[l]);
        mark[g] = (recon_so2_mode){ mean[l][g / LAWS].mean, 1 };
        roses[g] = (recon_rose){ .angles = samples + l * DRAWN,
                                 .count = DRAWN,
                                 .density = &density[l],
                                 .modes = &mark[g],
                                 .mode_count = 1 };
    }
    RECON_TRY(recon_folder_make(ctx, dir));
    RECON_TRY(
        recon_figure_roses(ctx, &svg,
                           &(recon_roses){ .title = "Means of samples from known distributions",
                                           .roses = roses,
                                           .rows = MEANS,
                                           .columns = LAWS,
                                           .headings = headings,
                                           .names = names,
                                           .own_scale = 1,
                                           .curve = "density that they are drawn from",
                                           .mark = "their mean" }));
    snprintf(path, sizeof path, "%s/estimators.svg", dir);
    RECON_TRY(recon_svg_save_over(ctx, path, svg));
    json_array_append_new(list, json_string(path));
done:
    free(svg);
    return status;
}

recon_status estimators_run(recon_ctx *ctx, json_t **result, const lab_settings *s)
{
    recon_so2_center mean[LAWS][MEANS];
    json_t *list = json_array(), *figures = json_array();
    double *samples = NULL;
    recon_status status;
    *result = NULL;
    RECON_TRY(recon_alloc_raw(ctx, &samples, LAWS * DRAWN, sizeof *samples));
    for (size_t l = 0; l < LAWS; l++) {
        draw_sample(samples + l * DRAWN, &laws[l], s->seed + l);
        for (size_t k = 0; k < MEANS; k++)
            RECON_TRY(recon_so2_mean(ctx, &mean[l][k], samples + l * DRAWN, DRAWN,
                                     &(recon_mean_options){ .kind = kinds[k] }));
        json_array_append_new(list, law_json(&laws[l], mean[l]));
    }
    if (s->figures)
        RECON_TRY(draw(ctx, figures, s->figures, samples, mean));
    *result = json_pack("{s:s, s:I, s:i, s:f, s:O}", "dataset", "estimators", "seed",
                        (json_int_t)s->seed, "samples", DRAWN, "kappa", KAPPA, "laws", list);
    if (s->figures) {
        json_object_set(*result, "figures", figures);
        RECON_TRY(reproduce_page(ctx, s->figures, *result));
    }
done:
    free(samples);
    json_decref(figures);
    json_decref(list);
    return status;
}

void estimators_show(const json_t *result)
{
    lab_print_table(
        result,
        &(lab_table){
            .title = "means of {samples} angles from known distributions: where, degrees, and the "
                     "density there as a share of the highest\n",
            .over = "laws",
            LAB_COLUMNS({ "", "laws.*.law", "  %-24s" }, { "", "laws.*.frechet.at_deg", "%9.1f" },
                        { "frechet", "laws.*.frechet.density_of_highest", " (%4.2f)" },
                        { "", "laws.*.chordal.at_deg", "%9.1f" },
                        { "chordal", "laws.*.chordal.density_of_highest", " (%4.2f)" },
                        { "", "laws.*.tukey.at_deg", "%9.1f" },
                        { "tukey", "laws.*.tukey.density_of_highest", " (%4.2f)" },
                        { "verdict", "laws.*.verdict", "%16s" }) });
    lab_print_list(result, "figures", "\nfigures", "  ");
}
