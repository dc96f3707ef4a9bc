/* evaluate_molecules.c - measures for the tables of molecules. */
#include "lab/evaluate.h"
#include <recon/model/canonicalize.h>
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"
#include "core/shuffle.h"

#include <math.h>
#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>
#include <stdlib.h>

#define DEGREE  (3.14159265358979323846 / 180)
#define TUKEY_C (45 * DEGREE)

enum { CONFORMERS = 1024 }; /* that a model sees at once */

/* --- accuracy --------------------------------------------------------------------------------- */

recon_status recon_evaluate_molecule_accuracy(recon_ctx *ctx, double *out, const int64_t *molecule,
                                              const int64_t *conformer, const recon_so3 *rotations,
                                              size_t n, recon_spin_judge *judge, void *user,
                                              size_t labels)
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
        for (size_t i = 0; i < count; i++)
            right += (int64_t)lab_largest_float(log_p + i * labels, labels) == molecule[at + i];
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
    recon_free_all(groups->offset, groups->row);
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
                                           const recon_molecule_posed *fit,
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
        if (!isnan(c.w)) /* else a molecule that the first set has not */
            measured[n++] = recon_so3_distance(test->psi[i], recon_so3_compose(test->truth[i], c));
    }
    if (n == 0)
        RECON_TRY(
            recon_fail(ctx, RECON_ERR_INPUT, "evaluate: no molecule is in both sets of poses"));
    summarize(out, measured, n);
done:
    recon_free_all(measured, constant);
    return status;
}

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
    RECON_CHECK(recon_fisher_of(ctx, &fisher, f));
    recon_so3_act(axis, fisher.mode, fisher.body[0]);
    return RECON_OK;
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
    double *truth_axis; /* [molecules][3] */
    recon_molecule_groups groups;
} room;

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
static void measure_constants(recon_molecule_fisher_error *out, const recon_molecule_fisher *of,
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

static void summarize_fisher(recon_molecule_fisher_error *out, room *r,
                             const recon_molecule_fisher *of, size_t n, const double *truth,
                             size_t molecules)
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
    measure_constants(out, of, truth, molecules);
}

recon_status recon_evaluate_molecule_fisher(recon_ctx *ctx, recon_molecule_fisher_error *out,
                                            recon_molecule_fisher *of, const double *f,
                                            const int64_t *molecule, size_t n, const double *truth,
                                            size_t molecules)
{
    room r = { 0 };
    double axis[3];
    recon_status status;
    RECON_TRY(recon_molecule_groups_make(ctx, &r.groups, molecule, n, molecules));
    RECON_TRY(recon_evaluate_check_numbers(ctx, f, 9 * n, "entry of F"));
    RECON_TRY(recon_evaluate_check_numbers(ctx, truth, 9 * molecules, "entry of the true F"));
    RECON_TRY(recon_alloc_raw(ctx, &r.mse, n > molecules ? n : molecules, sizeof *r.mse));
    RECON_TRY(recon_alloc_raw(ctx, &r.axis, n, sizeof *r.axis));
    RECON_TRY(recon_alloc_raw(ctx, &r.truth_axis, molecules, 3 * sizeof *r.truth_axis));
    for (size_t m = 0; m < molecules; m++)
        RECON_TRY(axis_of(ctx, r.truth_axis + 3 * m, truth + 9 * m));
    for (size_t i = 0; i < n; i++) {
        size_t m = (size_t)molecule[i];
        RECON_TRY(axis_of(ctx, axis, f + 9 * i));
        r.mse[i] = squared_error(f + 9 * i, truth + 9 * m);
        r.axis[i] = angle_between(axis, r.truth_axis + 3 * m);
    }
    by_molecule(of, &r, molecules);
    summarize_fisher(out, &r, of, n, truth, molecules);
done:
    recon_molecule_groups_free(&r.groups);
    recon_free_all(r.mse, r.axis, r.truth_axis);
    return status;
}

#define ROUNDING 1e-28 /* a squared deviation, relative, that is none */

recon_status recon_evaluate_molecule_hits(recon_ctx *ctx, double *hits, const int64_t *neighbors,
                                          const int64_t *molecule, size_t n, size_t k,
                                          const int64_t *index, size_t m)
{
    if (n == 0 || k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: %zu queries with %zu neighbours", n, k);
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;
        for (size_t j = 0; j < k; j++) {
            int64_t row = neighbors[i * k + j];
            if (row < 0 || (uint64_t)row >= m)
                return recon_fail(ctx, RECON_ERR_INPUT,
                                  "evaluate: neighbour %zu of query %zu is %lld, of %zu rows", j, i,
                                  (long long)row, m);
            same += index[row] == molecule[i];
        }
        hits[i] = (double)same / (double)k;
    }
    return RECON_OK;
}

/* --- trends ----------------------------------------------------------------------------------- */

typedef struct {
    double value;
    size_t row;
} placed;

static int by_value(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Places from 1 on; equal values share the mean of theirs. */
static void rank(double *out, placed *order, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (placed){ x[i], i };
    qsort(order, n, sizeof *order, by_value);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && order[end].value == order[begin].value;)
            end++;
        for (size_t i = begin; i < end; i++)
            out[order[i].row] = (double)(begin + end + 1) / 2;
    }
}

static double correlate(double *slope, const double *x, const double *y, size_t n)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i];
        my += y[i];
    }
    mx /= (double)n;
    my /= (double)n;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    xx = xx > ROUNDING * (double)n * mx * mx ? xx : NAN;
    yy = yy > ROUNDING * (double)n * my * my ? yy : NAN;
    *slope = xy / xx;
    return xy / sqrt(xx * yy);
}

recon_status recon_evaluate_molecule_trend(recon_ctx *ctx, recon_trend *out, const double *x,
                                           const double *y, size_t n)
{
    double *kept = NULL, slope;
    placed *order = NULL;
    recon_status status;
    *out = (recon_trend){ 0 };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: there is nothing to measure");
    RECON_TRY(recon_alloc_raw(ctx, &kept, 4 * n, sizeof *kept));
    RECON_TRY(recon_alloc_raw(ctx, &order, n, sizeof *order));
    double *a = kept, *b = kept + n, *ranks = kept + 2 * n;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]) && !isnan(y[i])) {
            a[out->n] = x[i];
            b[out->n++] = y[i];
        }
    rank(ranks, order, a, out->n);
    rank(ranks + n, order, b, out->n);
    out->correlation = correlate(&out->slope, a, b, out->n);
    out->rank = correlate(&slope, ranks, ranks + n, out->n);
done:
    recon_free_all(order, kept);
    return status;
}

/* --- k ---------------------------------------------------------------------------------------- */

/* The curve of one molecule: the one whose errors, one row of molecules for each k, add up to
 * most. */
static void follow_worst(recon_molecule_k_point *out, size_t count, const recon_molecule_fisher *of,
                         size_t molecules)
{
    size_t worst = 0;
    double most = -1;
    for (size_t m = 0; m < molecules; m++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += of[i * molecules + m].n ? of[i * molecules + m].mse : 0;
        if (sum > most) {
            most = sum;
            worst = m;
        }
    }
    for (size_t i = 0; i < count; i++)
        out[i].worst = of[i * molecules + worst].mse;
}

recon_status recon_evaluate_molecule_k(recon_ctx *ctx, recon_molecule_k_point *out, const size_t *k,
                                       size_t count, const recon_embedded *index,
                                       const recon_embedded *queries, const double *truth,
                                       size_t molecules)
{
    const recon_embedded *rows = queries ? queries : index;
    recon_molecule_fisher *of = NULL;
    recon_frames frames = { 0 };
    recon_status status = RECON_OK;
    if (index->group != RECON_SO3 || !index->labels || !rows->labels)
        return recon_fail(ctx, RECON_ERR_INPUT, "evaluate: embeddings without %s",
                          index->group == RECON_SO3 ? "labels" : "poses on SO(3)");
    RECON_TRY(recon_alloc(ctx, &of, count * molecules, sizeof *of));
    for (size_t i = 0; i < count; i++) {
        out[i] = (recon_molecule_k_point){ .k = k[i] };
        RECON_TRY(
            recon_normalize(ctx, &frames, index, queries,
                            &(recon_normalize_options){ .knn = { .k = k[i] },
                                                        .mean = { .kind = RECON_MEAN_TUKEY } }));
        out[i].hit_rate = frames.hit_rate;
        RECON_TRY(recon_evaluate_molecule_fisher(ctx, &out[i].error, of + i * molecules,
                                                 frames.parameters, rows->labels, rows->n, truth,
                                                 molecules));
        recon_frames_free(&frames);
    }
    follow_worst(out, count, of, molecules);
done:
    recon_frames_free(&frames);
    free(of);
    return status;
}

double recon_evaluate_molecule_trace(const double f[9], recon_so3 g)
{
    double m[9], sum = 0;
    recon_so3_to_matrix(m, g);
    for (int i = 0; i < 9; i++)
        sum += f[i] * m[i];
    return sum;
}

recon_status recon_evaluate_molecule_unusual(recon_ctx *ctx, recon_so3 *extra, uint8_t *unusual,
                                             const recon_so3 *truth, const int64_t *molecule,
                                             size_t n, const double *fisher, size_t molecules,
                                             uint64_t seed)
{
    recon_molecule_groups g = { 0 };
    recon_status status;
    RECON_TRY(recon_molecule_groups_make(ctx, &g, molecule, n, molecules));
    RECON_TRY(recon_evaluate_check_numbers(ctx, fisher, 9 * molecules, "entry of the true F"));
    for (size_t i = 0; i < n; i++) {
        extra[i] = recon_so3_identity();
        unusual[i] = 0;
        if (!isfinite(recon_so3_angle(truth[i])))
            RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "evaluate: rotation %zu is not finite", i));
    }
    for (size_t m = 0; m < molecules; m++) {
        size_t count = g.offset[m + 1] - g.offset[m];
        for (size_t i = 0; i < count / 2; i++) {
            size_t row = g.row[g.offset[m] + recon_permute(i, count, seed, m)];
            recon_rng rng = recon_rng_new(seed, row); /* its own: the others do not matter to it */
            recon_so3 anew = recon_so3_haar(&rng);
            extra[row] = recon_so3_compose(anew, recon_so3_inverse(truth[row]));
            unusual[row] =
                recon_evaluate_molecule_trace(fisher + 9 * m, anew) < RECON_MOLECULE_UNUSUAL;
        }
    }
done:
    recon_molecule_groups_free(&g);
    return status;
}
