/* evaluate_molecules.c - a frozen model on rotated conformers, and the noise of poses. */
#include "lab/evaluate_molecules.h"
#include "lab/evaluate.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/group/mean.h>
#include <stdlib.h>

#define DEGREE  (3.14159265358979323846 / 180)
#define TUKEY_C (45 * DEGREE)

enum { CONFORMERS = 1024 }; /* that a model sees at once */

/* --- accuracy --------------------------------------------------------------------------------- */

static int64_t most_likely(const float *row, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = row[i] > row[best] ? i : best;
    return (int64_t)best;
}

recon_status recon_evaluate_molecule_accuracy(recon_ctx *ctx, double *out, int64_t *guess,
                                              const int64_t *molecule, const int64_t *conformer,
                                              const recon_so3 *rotations, size_t n,
                                              recon_spin_judge *judge, void *user, size_t labels)
{
    int64_t which[CONFORMERS];
    float *log_p = NULL;
    size_t right = 0;
    recon_status status;
    RECON_TRY(recon_evaluate_check_labels(ctx, molecule, n, labels));
    RECON_TRY(recon_alloc_raw(ctx, &log_p, CONFORMERS * labels, sizeof *log_p));
    for (size_t at = 0; at < n; at += CONFORMERS) {
        size_t count = n - at < CONFORMERS ? n - at : CONFORMERS;
        for (size_t i = 0; i < count; i++)
            which[i] = conformer ? conformer[at + i] : (int64_t)(at + i);
        RECON_TRY(judge(ctx, user, log_p, which, rotations + at, count));
        for (size_t i = 0; i < count; i++) {
            int64_t best = most_likely(log_p + i * labels, labels);
            right += best == molecule[at + i];
            if (guess)
                guess[at + i] = best;
        }
    }
    *out = (double)right / (double)n;
done:
    free(log_p);
    return status;
}

/* --- rows by molecule ------------------------------------------------------------------------- */

recon_status recon_molecule_groups_make(recon_ctx *ctx, recon_molecule_groups *out,
                                        const int64_t *molecule, size_t n, size_t molecules)
{
    recon_status status;
    *out = (recon_molecule_groups){ 0 };
    RECON_TRY(recon_evaluate_check_labels(ctx, molecule, n, molecules));
    RECON_TRY(recon_alloc(ctx, &out->offset, molecules + 2, sizeof *out->offset));
    RECON_TRY(recon_alloc_raw(ctx, &out->row, n, sizeof *out->row));
    for (size_t i = 0; i < n; i++)
        out->offset[molecule[i] + 2]++;
    for (size_t m = 0; m < molecules; m++)
        out->offset[m + 2] += out->offset[m + 1];
    for (size_t i = 0; i < n; i++)
        out->row[out->offset[molecule[i] + 1]++] = i;
done:
    if (status != RECON_OK)
        recon_molecule_groups_free(out);
    return status;
}

void recon_molecule_groups_free(recon_molecule_groups *groups)
{
    free(groups->offset);
    free(groups->row);
    *groups = (recon_molecule_groups){ 0 };
}

recon_status recon_evaluate_molecule_means(recon_ctx *ctx, double *means, const double *values,
                                           const int64_t *molecule, size_t n, size_t molecules)
{
    recon_molecule_groups g;
    recon_status status = recon_molecule_groups_make(ctx, &g, molecule, n, molecules);
    for (size_t m = 0; status == RECON_OK && m < molecules; m++) {
        means[m] = 0;
        for (size_t i = g.offset[m]; i < g.offset[m + 1]; i++)
            means[m] += values[g.row[i]];
        means[m] /= (double)(g.offset[m + 1] - g.offset[m]); /* NaN for none */
    }
    recon_molecule_groups_free(&g);
    return status;
}

/* --- poses ------------------------------------------------------------------------------------ */

static recon_status check_poses(recon_ctx *ctx, const recon_molecule_posed *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (!isfinite(recon_so3_distance(p->psi[i], p->truth[i])))
            return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: pose %zu is not finite", i);
    return RECON_OK;
}

/* What psi has behind the truth, of each molecule; NaN for one without conformers. */
static recon_status constants(recon_ctx *ctx, recon_so3 *out, const recon_molecule_posed *fit,
                              size_t molecules)
{
    const recon_mean_options robust = { .kind = RECON_MEAN_TUKEY, .tukey_c = TUKEY_C };
    recon_molecule_groups g = { 0 };
    recon_so3 *rest = NULL;
    recon_status status;
    RECON_TRY(recon_molecule_groups_make(ctx, &g, fit->molecule, fit->n, molecules));
    RECON_TRY(recon_alloc_raw(ctx, &rest, fit->n, sizeof *rest));
    for (size_t i = 0; i < fit->n; i++)
        rest[i] = recon_so3_compose(recon_so3_inverse(fit->truth[g.row[i]]), fit->psi[g.row[i]]);
    for (size_t m = 0; m < molecules; m++) {
        recon_so3_center center = { .mean = { NAN, NAN, NAN, NAN } };
        if (g.offset[m + 1] > g.offset[m])
            RECON_TRY(recon_so3_mean(ctx, &center, rest + g.offset[m],
                                     g.offset[m + 1] - g.offset[m], &robust));
        out[m] = center.mean;
    }
done:
    recon_molecule_groups_free(&g);
    free(rest);
    return status;
}

static void summarize(recon_molecule_pose_error *out, double *sorted, size_t n)
{
    *out = (recon_molecule_pose_error){ .n = n };
    recon_sort_doubles(sorted, n);
    for (size_t i = 0; i < n; i++) {
        out->mean += sorted[i] / (double)n;
        out->within10 += (sorted[i] < 10 * DEGREE) / (double)n;
        out->within20 += (sorted[i] < 20 * DEGREE) / (double)n;
        out->beyond60 += (sorted[i] > 60 * DEGREE) / (double)n;
        out->beyond150 += (sorted[i] > 150 * DEGREE) / (double)n;
    }
    out->median = recon_quantile(sorted, n, 0.5);
    out->p90 = recon_quantile(sorted, n, 0.9);
}

recon_status recon_evaluate_molecule_poses(recon_ctx *ctx, recon_molecule_pose_error *out,
                                           double *error, const recon_molecule_posed *fit,
                                           const recon_molecule_posed *test, size_t molecules)
{
    recon_so3 *constant = NULL;
    double *measured = NULL;
    size_t n = 0;
    recon_status status;
    RECON_TRY(check_poses(ctx, fit));
    RECON_TRY(check_poses(ctx, test));
    RECON_TRY(recon_evaluate_check_labels(ctx, test->molecule, test->n, molecules));
    RECON_TRY(recon_alloc_raw(ctx, &constant, molecules, sizeof *constant));
    RECON_TRY(recon_alloc_raw(ctx, &measured, test->n, sizeof *measured));
    RECON_TRY(constants(ctx, constant, fit, molecules));
    for (size_t i = 0; i < test->n; i++) {
        recon_so3 c = constant[test->molecule[i]];
        double e = isnan(c.w)
                       ? NAN
                       : recon_so3_distance(test->psi[i], recon_so3_compose(test->truth[i], c));
        if (!isnan(e))
            measured[n++] = e;
        if (error)
            error[i] = e;
    }
    if (n == 0)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_INPUT, "evaluate: no molecule is in both sets of poses"));
    summarize(out, measured, n);
done:
    free(measured);
    free(constant);
    return status;
}
