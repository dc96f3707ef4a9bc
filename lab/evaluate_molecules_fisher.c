/* evaluate_molecules_fisher.c - matrix Fisher parameters against those that the molecules were rotated by.
 */
#include "lab/evaluate_molecules.h"
#include "lab/evaluate.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/matrix_fisher.h>
#include <stdlib.h>

static double squared_error(const double f[9], const double truth[9])
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += (f[i] - truth[i]) * (f[i] - truth[i]) / 9;
    return sum;
}

/* The world's axis of the largest singular value. */
static recon_status axis_of(recon_ctx *ctx, double axis[3], const double f[9])
{
    recon_fisher fisher;
    recon_status status = recon_fisher_of(ctx, &fisher, f);
    if (status == RECON_OK)
        recon_so3_act(axis, fisher.mode, fisher.body[0]);
    return status;
}

/* An axis has no sign. The sine as well as the cosine: acos near 1 is coarse. */
static double angle_between(const double a[3], const double b[3])
{
    double dot = 0, cross = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        dot += a[i] * b[i];
        cross += pow(a[j] * b[k] - a[k] * b[j], 2);
    }
    return atan2(sqrt(cross), fabs(dot));
}

typedef struct {
    double *mse, *axis; /* [n], one by one */
    double *truth_axis; /* [molecules][3]  */
    recon_molecule_groups groups;
} room;

static recon_status make_room(recon_ctx *ctx, room *r, size_t n, size_t molecules)
{
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r->mse, n > molecules ? n : molecules, sizeof *r->mse));
    RECON_TRY(recon_alloc_raw(ctx, &r->axis, n, sizeof *r->axis));
    RECON_TRY(recon_alloc_raw(ctx, &r->truth_axis, molecules, 3 * sizeof *r->truth_axis));
done:
    return status;
}

static recon_status compare(recon_ctx *ctx, room *r, const double *f, const int64_t *molecule,
                            size_t n, const double *truth, size_t molecules)
{
    recon_status status = RECON_OK;
    double axis[3];
    for (size_t m = 0; m < molecules; m++)
        RECON_TRY(axis_of(ctx, r->truth_axis + 3 * m, truth + 9 * m));
    for (size_t i = 0; i < n; i++) {
        size_t m = (size_t)molecule[i];
        RECON_TRY(axis_of(ctx, axis, f + 9 * i));
        r->mse[i] = squared_error(f + 9 * i, truth + 9 * m);
        r->axis[i] = angle_between(axis, r->truth_axis + 3 * m);
    }
done:
    return status;
}

static void by_molecule(recon_molecule_fisher *of, const room *r, size_t molecules)
{
    const recon_molecule_groups *g = &r->groups;
    for (size_t m = 0; m < molecules; m++) {
        size_t begin = g->offset[m], end = g->offset[m + 1];
        double n = (double)(end - begin), mean = 0, square = 0;
        for (size_t i = begin; i < end; i++)
            mean += r->mse[g->row[i]];
        mean /= n; /* NaN for none */
        for (size_t i = begin; i < end; i++)
            square += pow(r->mse[g->row[i]] - mean, 2);
        of[m] = (recon_molecule_fisher){ end - begin, mean, sqrt(square / n) };
    }
}

/* Errors of the best answer that is the same for all, and of none. */
static void constants(recon_molecule_fisher_error *out, const recon_molecule_fisher *of,
                      const double *truth, size_t molecules)
{
    double mean[9] = { 0 };
    const double none[9] = { 0 };
    for (size_t m = 0; m < molecules; m++)
        for (int i = 0; of[m].n && i < 9; i++)
            mean[i] += truth[9 * m + i] / (double)out->molecules;
    for (size_t m = 0; m < molecules; m++)
        if (of[m].n) {
            out->constant += squared_error(mean, truth + 9 * m) / (double)out->molecules;
            out->zero += squared_error(none, truth + 9 * m) / (double)out->molecules;
        }
}

static void summarize(recon_molecule_fisher_error *out, room *r, const recon_molecule_fisher *of,
                      size_t n, const double *truth, size_t molecules)
{
    size_t count = 0;
    recon_sort_doubles(r->mse, n);
    recon_sort_doubles(r->axis, n);
    *out = (recon_molecule_fisher_error){ .by_sample = recon_quantile(r->mse, n, 0.5),
                                          .axis_median = recon_quantile(r->axis, n, 0.5),
                                          .axis_p90 = recon_quantile(r->axis, n, 0.9) };
    for (size_t m = 0; m < molecules; m++)
        if (of[m].n)
            r->mse[count++] = of[m].mse;
    recon_sort_doubles(r->mse, count);
    for (size_t m = 0; m < count; m++) {
        out->mean += r->mse[m] / (double)count;
        out->under400 += (r->mse[m] < 400) / (double)count;
        out->under800 += (r->mse[m] < 800) / (double)count;
    }
    out->median = recon_quantile(r->mse, count, 0.5);
    out->molecules = count;
    constants(out, of, truth, molecules);
}

recon_status recon_evaluate_molecule_fisher(recon_ctx *ctx, recon_molecule_fisher_error *out,
                                            recon_molecule_fisher *of, const double *f,
                                            const int64_t *molecule, size_t n, const double *truth,
                                            size_t molecules)
{
    room r = { 0 };
    recon_status status;
    RECON_TRY(recon_molecule_groups_make(ctx, &r.groups, molecule, n, molecules));
    RECON_TRY(recon_evaluate_check_numbers(ctx, f, 9 * n, "entry of F"));
    RECON_TRY(recon_evaluate_check_numbers(ctx, truth, 9 * molecules, "entry of the true F"));
    RECON_TRY(make_room(ctx, &r, n, molecules));
    RECON_TRY(compare(ctx, &r, f, molecule, n, truth, molecules));
    by_molecule(of, &r, molecules);
    summarize(out, &r, of, n, truth, molecules);
done:
    recon_molecule_groups_free(&r.groups);
    free(r.mse);
    free(r.axis);
    free(r.truth_axis);
    return status;
}
