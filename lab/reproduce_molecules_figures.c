/* reproduce_molecules_figures.c - the figures about molecules, from what was measured. */
#include "lab/reproduce_molecules.h"
#include "core/fail.h"
#include "core/memory.h"
#include "report/figure.h"
#include "stats/roc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 3, SHOWN = 4 };

typedef struct {
    const molecule_reproduction *r;
    const char *dir;
    json_t *list;
    molecule_facts facts;
} album;

static recon_status keep(recon_ctx *ctx, const album *a, const char *name, char *svg)
{
    return reproduce_keep(ctx, a->list, a->dir, "molecules", name, svg);
}

/* --- low, average and high errors ------------------------------------------------------------- */

typedef struct {
    double mse;
    size_t molecule;
} ranked;

static int by_mse(const void *a, const void *b)
{
    double x = ((const ranked *)a)->mse, y = ((const ranked *)b)->mse;
    return (x > y) - (x < y);
}

/* The molecules at the 5th, 50th and 95th percentile of the error. */
static recon_status choose(recon_ctx *ctx, size_t out[EXAMPLES], const album *a)
{
    ranked *all = NULL;
    size_t n = 0;
    recon_status status = recon_alloc(ctx, &all, a->r->molecules, sizeof *all);
    if (status != RECON_OK)
        return status;
    for (size_t m = 0; m < a->r->molecules; m++)
        if (!isnan(a->facts.mse[m]))
            all[n++] = (ranked){ a->facts.mse[m], m };
    qsort(all, n, sizeof *all, by_mse);
    for (size_t k = 0; k < EXAMPLES; k++)
        out[k] = all[(size_t)((0.05 + 0.45 * (double)k) * (double)(n - 1))].molecule;
    free(all);
    return RECON_OK;
}

/* The first test conformers of a molecule; returns how many there are, SHOWN at most. */
static size_t find_conformers(size_t out[SHOWN], const molecule_part *p, size_t molecule)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n && n < SHOWN; i++)
        if ((size_t)p->codes.labels[i] == molecule)
            out[n++] = i;
    return n;
}

static recon_status draw_spheres(recon_ctx *ctx, const album *a, const size_t chosen[EXAMPLES])
{
    static const char *const headings[] = { "truth", "predicted", "predicted", "predicted",
                                            "predicted" };
    const molecule_reproduction *r = a->r;
    recon_sphere spheres[EXAMPLES * (1 + SHOWN)] = { 0 };
    char captions[EXAMPLES][48];
    const char *names[EXAMPLES];
    char *svg;
    recon_status status;
    for (size_t k = 0; k < EXAMPLES; k++) {
        size_t rows[SHOWN], n = find_conformers(rows, &r->test, chosen[k]);
        recon_sphere *row = spheres + k * (1 + SHOWN);
        snprintf(captions[k], sizeof captions[k], "MSE %.0f", a->facts.mse[chosen[k]]);
        names[k] = recon_molecules_name(r->test.data, chosen[k]);
        row[0] = (recon_sphere){ captions[k], r->truth + 9 * chosen[k] };
        for (size_t i = 0; i < n; i++)
            row[1 + i] = (recon_sphere){ NULL, r->f[MOLECULE_F_DENSITY] + 9 * rows[i] };
    }
    RECON_TRY(recon_figure_spheres(
        ctx, &svg,
        &(recon_sphere_sheet){ .title = "Distributions of poses: low, average and high error",
                               .spheres = spheres,
                               .rows = EXAMPLES,
                               .columns = 1 + SHOWN,
                               .headings = headings,
                               .names = names }));
    RECON_TRY(keep(ctx, a, "distributions", svg));
done:
    return status;
}

/* --- molecules before and after ----------------------------------------------------------------
 */

static void rotate_into(float *out, const recon_conformer *x, recon_so3 rotation)
{
    double m[9];
    recon_so3_to_matrix(m, rotation);
    for (size_t a = 0; a < x->atoms; a++)
        for (size_t i = 0; i < 3; i++)
            out[3 * a + i] = (float)(m[3 * i] * (double)x->xyz[3 * a] +
                                     m[3 * i + 1] * (double)x->xyz[3 * a + 1] +
                                     m[3 * i + 2] * (double)x->xyz[3 * a + 2]);
}

/* A row of inputs and below it their canonical forms: they agree up to the spin of their class,
 * which is one for all. */
static recon_status draw_molecules(recon_ctx *ctx, const album *a, size_t molecule)
{
    const molecule_reproduction *r = a->r;
    size_t rows[SHOWN], n = find_conformers(rows, &r->test, molecule);
    size_t atoms = recon_molecules_describe(r->test.data).atoms;
    const char *names[] = { "input", "canonical" };
    recon_molecule_picture pictures[2 * SHOWN] = { 0 };
    float *places = NULL;
    char *svg;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &places, SHOWN * 3 * atoms, sizeof *places));
    for (size_t i = 0; i < n; i++) {
        const recon_conformer *x = &r->test.x[rows[i]];
        recon_so3 to = recon_so3_compose(
            r->map[rows[i]].lambda, recon_so3_inverse(recon_so3_at(r->test.codes.poses, rows[i])));
        rotate_into(places + i * 3 * atoms, x, to);
        pictures[i] = (recon_molecule_picture){ NULL, x->atoms, x->z, x->xyz, NULL };
        pictures[n + i] =
            (recon_molecule_picture){ NULL, x->atoms, x->z, places + i * 3 * atoms, NULL };
    }
    RECON_TRY(recon_figure_molecules(
        ctx, &svg,
        &(recon_molecule_sheet){ .title = recon_molecules_name(r->test.data, molecule),
                                 .molecules = pictures,
                                 .rows = 2,
                                 .columns = n,
                                 .names = names }));
    RECON_TRY(keep(ctx, a, "canonical", svg));
done:
    free(places);
    return status;
}

/* Input, decoded canonical and reconstruction, a molecule in each row: the decoder has one slot for each
 * atom, in their order. */
static recon_status draw_decoded(recon_ctx *ctx, const album *a, const size_t chosen[EXAMPLES])
{
    static const char *const headings[] = { "input", "decoded", "reconstruction" };
    enum { COLUMNS_SHOWN = sizeof headings / sizeof *headings };
    const molecule_reproduction *r = a->r;
    const recon_molecule_net *net = recon_backbone_molecule_net(r->model->backbone);
    recon_molecule_net_shape shape = recon_molecule_net_describe(net);
    size_t slots = shape.slots;
    recon_molecule_picture pictures[EXAMPLES * COLUMNS_SHOWN] = { 0 };
    const char *names[EXAMPLES];
    float *room = NULL, *latent = NULL, shift[3];
    char *svg = NULL;
    recon_so3 psi;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &room, EXAMPLES * 2 * 3 * slots, sizeof *room));
    RECON_TRY(recon_alloc_raw(ctx, &latent, shape.latent, sizeof *latent));
    for (size_t k = 0; k < EXAMPLES; k++) {
        size_t row[SHOWN];
        float *decoded = room + k * 6 * slots, *rebuilt = decoded + 3 * slots;
        recon_molecule_picture *to = pictures + k * COLUMNS_SHOWN;
        names[k] = recon_molecules_name(r->test.data, chosen[k]);
        if (find_conformers(row, &r->test, chosen[k]) == 0)
            continue;
        const recon_conformer *x = &r->test.x[row[0]];
        recon_molecule_net_answer seen = { .latent = latent, .psi = &psi, .shift = shift };
        RECON_TRY(recon_molecule_net_embed(ctx, &seen, net, x, 1));
        RECON_TRY(recon_molecule_net_decode(ctx, decoded, NULL, net, latent, 1));
        recon_conformer canonical = { .atoms = x->atoms < slots ? x->atoms : slots,
                                      .z = x->z,
                                      .xyz = decoded };
        rotate_into(rebuilt, &canonical, psi);
        to[0] = (recon_molecule_picture){ NULL, x->atoms, x->z, x->xyz, NULL };
        to[1] = (recon_molecule_picture){ NULL, canonical.atoms, x->z, decoded, NULL };
        to[2] = (recon_molecule_picture){ NULL, canonical.atoms, x->z, rebuilt, NULL };
    }
    RECON_TRY(recon_figure_molecules(
        ctx, &svg,
        &(recon_molecule_sheet){ .title = "Decoded canonicals and reconstructions",
                                 .molecules = pictures,
                                 .rows = EXAMPLES,
                                 .columns = COLUMNS_SHOWN,
                                 .headings = headings,
                                 .names = names }));
    RECON_TRY(keep(ctx, a, "decoded", svg));
done:
    free(latent);
    free(room);
    return status;
}

/* --- curves ------------------------------------------------------------------------------------
 */

static recon_status draw_histogram(recon_ctx *ctx, const album *a)
{
    const molecule_reproduction *r = a->r;
    const recon_mark marks[] = {
        { "median", r->fisher[MOLECULE_F_DENSITY].median },
        { "the best constant answer", r->fisher[MOLECULE_F_DENSITY].constant },
        { "the paper's bound of 80 %", 800 },
    };
    double *values = NULL;
    size_t n = 0;
    char *svg;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &values, r->molecules, sizeof *values));
    for (size_t m = 0; m < r->molecules; m++)
        if (!isnan(a->facts.mse[m]))
            values[n++] = a->facts.mse[m];
    RECON_TRY(
        recon_figure_histogram(ctx, &svg,
                               &(recon_histogram_plot){ .title = "Squared error of F, by molecule",
                                                        .x_label = "mean squared error",
                                                        .values = values,
                                                        .count = n,
                                                        .from = 0,
                                                        .to = 1200,
                                                        .bins = 60,
                                                        .marks = marks,
                                                        .mark_count = 3 }));
    RECON_TRY(keep(ctx, a, "mse", svg));
done:
    free(values);
    return status;
}

static recon_status draw_hits(recon_ctx *ctx, const album *a)
{
    const molecule_reproduction *r = a->r;
    const recon_mark marks[] = { { "mean", r->hit_rate } };
    char *svg = NULL;
    recon_status status = recon_figure_histogram(
        ctx, &svg,
        &(recon_histogram_plot){ .title = "Share of the neighbours that are of the same molecule",
                                 .x_label = "hit rate",
                                 .values = r->hits,
                                 .count = r->test.n,
                                 .from = 0,
                                 .to = 1,
                                 .bins = MOLECULE_K,
                                 .marks = marks,
                                 .mark_count = 1 });
    return status == RECON_OK ? keep(ctx, a, "hits", svg) : status;
}

/* How far the predictions for one molecule differ among its conformers. */
static recon_status draw_spread(recon_ctx *ctx, const album *a)
{
    const molecule_reproduction *r = a->r;
    double *x = NULL, *y = NULL;
    size_t n = 0;
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &x, r->molecules, sizeof *x));
    RECON_TRY(recon_alloc_raw(ctx, &y, r->molecules, sizeof *y));
    for (size_t m = 0; m < r->molecules; m++)
        if (r->of[m].n) {
            x[n] = r->of[m].mse;
            y[n++] = r->of[m].spread;
        }
    const recon_series series = { .x = x, .y = y, .count = n, .loose = 1 };
    const recon_panel panel = { .x_label = "mean MSE of F",
                                .y_label = "its standard deviation",
                                .series = &series,
                                .count = 1 };
    RECON_TRY(recon_figure_chart(
        ctx, &svg,
        &(recon_chart){
            .title = "Error over the conformers of each molecule", .panels = &panel, .count = 1 }));
    RECON_TRY(keep(ctx, a, "spread", svg));
done:
    free(y);
    free(x);
    return status;
}

static recon_status draw_roc(recon_ctx *ctx, const album *a)
{
    static const char *const names[] = { "not centred", "centred trace", "our density" };
    const molecule_reproduction *r = a->r;
    recon_roc_point *points[3] = { NULL };
    recon_roc_line lines[3];
    size_t shown = 0;
    char *svg;
    recon_status status;
    for (int k = 0; k < 3; k++) {
        size_t count;
        if (k == 1 &&
            !r->labels) /* heads that learned other labels: the tables have no such score */
            continue;
        RECON_TRY(recon_alloc_raw(ctx, &points[k], r->test.n + 1, sizeof *points[k]));
        RECON_TRY(recon_roc_curve(ctx, points[k], &count, r->score[k], r->unusual, r->test.n));
        lines[shown++] = (recon_roc_line){ names[k], points[k], count };
    }
    RECON_TRY(recon_figure_roc(
        ctx, &svg, &(recon_roc_plot){ .title = "Unusual poses", .lines = lines, .count = shown }));
    RECON_TRY(keep(ctx, a, "roc", svg));
done:
    for (int k = 0; k < 3; k++)
        free(points[k]);
    return status;
}

/* Pairs without NaN, in place. */
static size_t pair_up(double *x, double *y, const double *a, const double *b, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(a[i]) && !isnan(b[i])) {
            x[kept] = a[i];
            y[kept++] = b[i];
        }
    return kept;
}

static recon_status draw_scatter(recon_ctx *ctx, const album *a)
{
    const molecule_facts *f = &a->facts;
    const double *x[] = { f->conformers, f->atoms, f->rmsd, f->rebuilt };
    const double *y[] = { f->hits, f->mse, f->mse, f->mse };
    static const char *const labels[][2] = {
        { "conformers to learn from", "hit rate" },
        { "atoms", "MSE of F" },
        { "RMSD to the reference, Angstrom", "MSE of F" },
        { "reconstruction error, Angstrom", "MSE of F" },
    };
    size_t n = a->r->molecules, shown = 0;
    double *room = NULL;
    recon_series series[4];
    recon_panel panels[4];
    char *svg;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &room, 8 * n, sizeof *room));
    for (size_t k = 0; k < 4; k++) {
        double *at = room + 2 * k * n;
        size_t count = pair_up(at, at + n, x[k], y[k], n);
        if (count == 0)
            continue; /* a set without RMSD */
        series[shown] = (recon_series){ .x = at, .y = at + n, .count = count, .loose = 1 };
        panels[shown] = (recon_panel){
            .x_label = labels[k][0], .y_label = labels[k][1], .series = &series[shown], .count = 1
        };
        shown++;
    }
    RECON_TRY(recon_figure_chart(ctx, &svg,
                                 &(recon_chart){ .title = "What the errors go with, by molecule",
                                                 .panels = panels,
                                                 .count = shown }));
    RECON_TRY(keep(ctx, a, "trends", svg));
done:
    free(room);
    return status;
}

static recon_status draw_by_k(recon_ctx *ctx, const album *a)
{
    const molecule_reproduction *r = a->r;
    double k[MOLECULE_KS], hits[MOLECULE_KS], mse[MOLECULE_KS], axis[MOLECULE_KS];
    double worst[MOLECULE_KS];
    const double *y[] = { hits, mse, worst, axis };
    static const char *const labels[] = { "hit rate", "median MSE of F", "MSE of F, worst molecule",
                                          "axis error, degrees" };
    enum { PANELS = sizeof y / sizeof *y };
    recon_series series[PANELS];
    recon_panel panels[PANELS];
    char *svg;
    recon_status status;
    for (size_t i = 0; i < MOLECULE_KS; i++) {
        k[i] = (double)r->by_k[i].k;
        hits[i] = r->by_k[i].hit_rate;
        mse[i] = r->by_k[i].error.median;
        worst[i] = r->by_k[i].worst;
        axis[i] = r->by_k[i].error.axis_median * RECON_TO_DEGREES;
    }
    for (size_t i = 0; i < PANELS; i++) {
        series[i] = (recon_series){ .x = k, .y = y[i], .count = MOLECULE_KS };
        panels[i] = (recon_panel){
            .x_label = "neighbours", .y_label = labels[i], .series = &series[i], .count = 1
        };
    }
    RECON_TRY(recon_figure_chart(
        ctx, &svg,
        &(recon_chart){ .title = "Algorithm 1 against k", .panels = panels, .count = PANELS }));
    RECON_TRY(keep(ctx, a, "k", svg));
done:
    return status;
}

recon_status molecule_reproduce_figures(recon_ctx *ctx, json_t *list,
                                        const molecule_reproduction *r, const char *dir)
{
    album a = { .r = r, .dir = dir, .list = list };
    size_t chosen[EXAMPLES];
    recon_status status;
    RECON_TRY(molecule_facts_find(ctx, &a.facts, r));
    RECON_TRY(choose(ctx, chosen, &a));
    RECON_TRY(draw_spheres(ctx, &a, chosen));
    RECON_TRY(draw_molecules(ctx, &a, chosen[0]));
    RECON_TRY(draw_decoded(ctx, &a, chosen));
    RECON_TRY(draw_histogram(ctx, &a));
    RECON_TRY(draw_hits(ctx, &a));
    RECON_TRY(draw_spread(ctx, &a));
    RECON_TRY(draw_roc(ctx, &a));
    RECON_TRY(draw_scatter(ctx, &a));
    RECON_TRY(draw_by_k(ctx, &a));
done:
    molecule_facts_free(&a.facts);
    return status;
}
