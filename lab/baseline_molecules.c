/* baseline_molecules.c - other methods on rotated conformers, in front of the frozen classifier or in
 * its place. */
#include "lab/reproduce.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/rmsd.h"
#include "lab/rival_segnn.h"
#include "data/molecules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TTA_SEED = 11, SWEEPS = 12, AT_ONCE = 512 };

/* --- principal axes --------------------------------------------------------------------------- */

/* One rotation of Jacobi's method on the symmetric a, columns of v along. */
static void rotate_pair(double a[3][3], double v[3][3], int p, int q)
{
    if (fabs(a[p][q]) < 1e-300)
        return;
    double t = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(t), s = sin(t);
    for (int k = 0; k < 3; k++) {
        double x = a[k][p], y = a[k][q], z = v[k][p], w = v[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
        v[k][p] = c * z - s * w;
        v[k][q] = s * z + c * w;
    }
    for (int k = 0; k < 3; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
}

static void covariance(double a[3][3], double mean[3], const recon_conformer *x)
{
    for (int k = 0; k < 3; k++) {
        mean[k] = 0;
        for (size_t i = 0; i < x->atoms; i++)
            mean[k] += (double)x->xyz[3 * i + (size_t)k] / (double)x->atoms;
    }
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            a[j][k] = 0;
            for (size_t i = 0; i < x->atoms; i++)
                a[j][k] += ((double)x->xyz[3 * i + (size_t)j] - mean[j]) *
                           ((double)x->xyz[3 * i + (size_t)k] - mean[k]);
        }
}

/* Which end of an axis comes first: towards the positive third moment. */
static double sign_along(const double axis[3], const double mean[3], const recon_conformer *x)
{
    double third = 0;
    for (size_t i = 0; i < x->atoms; i++) {
        double along = 0;
        for (int k = 0; k < 3; k++)
            along += axis[k] * ((double)x->xyz[3 * i + (size_t)k] - mean[k]);
        third += along * along * along;
    }
    return third < 0 ? -1 : 1;
}

/* Takes the longest principal axis to x and the next one to y. */
static recon_so3 to_axes(const recon_conformer *x)
{
    double a[3][3], v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, mean[3], m[9], axis[3];
    int order[3] = { 0, 1, 2 };
    covariance(a, mean, x);
    for (int s = 0; s < SWEEPS; s++) {
        rotate_pair(a, v, 0, 1);
        rotate_pair(a, v, 0, 2);
        rotate_pair(a, v, 1, 2);
    }
    for (int i = 0; i < 2; i++)
        for (int j = i + 1; j < 3; j++)
            if (a[order[j]][order[j]] > a[order[i]][order[i]]) {
                int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++)
            axis[k] = v[k][order[i]];
        double sign = sign_along(axis, mean, x);
        for (int k = 0; k < 3; k++)
            m[3 * i + k] = sign * axis[k];
    }
    for (int k = 0; k < 3; k++)
        m[6 + k] = m[(k + 1) % 3] * m[3 + (k + 2) % 3] - m[(k + 2) % 3] * m[3 + (k + 1) % 3];
    return recon_so3_from_matrix(m);
}

/* --- the frozen classifier -------------------------------------------------------------------- */

static recon_status measure(recon_ctx *ctx, baseline *out, const molecule_reproduction *r,
                            const recon_so3 *rotations, double begun)
{
    recon_spin_gcn judge = { r->gcn, r->test.graphs };
    RECON_CHECK(recon_evaluate_molecule_accuracy(
        ctx, &out->accuracy, r->test.codes.labels, r->test.row, rotations, r->test.n,
        recon_spin_by_gcn, &judge, recon_gcn_describe(r->gcn).classes));
    out->ms = 1000 * (recon_now() - begun) / (double)r->test.n;
    return RECON_OK;
}

/* --- the mean of several rotations ------------------------------------------------------------ */

/* Probabilities of test conformers at .. at + n over so many rotations, to sum. */
static recon_status add_rotated(recon_ctx *ctx, double *sum, float *log_p,
                                const molecule_reproduction *r, size_t at, size_t n,
                                size_t rotations)
{
    recon_spin_gcn judge = { r->gcn, r->test.graphs };
    recon_so3 same[AT_ONCE];
    size_t classes = recon_gcn_describe(r->gcn).classes;
    memset(sum, 0, n * classes * sizeof *sum);
    for (size_t k = 0; k < rotations; k++) {
        recon_rng rng = recon_rng_new(TTA_SEED, k);
        recon_so3 g = k ? recon_so3_haar(&rng) : recon_so3_identity();
        for (size_t i = 0; i < n; i++)
            same[i] = g;
        RECON_CHECK(recon_spin_by_gcn(ctx, &judge, log_p, r->test.row + at, same, n));
        for (size_t i = 0; i < n * classes; i++)
            sum[i] += exp((double)log_p[i]);
    }
    return RECON_OK;
}

static recon_status measure_mean(recon_ctx *ctx, baseline *out, const molecule_reproduction *r,
                                 size_t rotations)
{
    size_t classes = recon_gcn_describe(r->gcn).classes, right = 0;
    double begun = recon_now(), *sum = NULL;
    float *log_p = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &sum, AT_ONCE * classes, sizeof *sum));
    RECON_TRY(recon_alloc_raw(ctx, &log_p, AT_ONCE * classes, sizeof *log_p));
    for (size_t at = 0; at < r->test.n; at += AT_ONCE) {
        size_t n = r->test.n - at < AT_ONCE ? r->test.n - at : AT_ONCE;
        RECON_TRY(add_rotated(ctx, sum, log_p, r, at, n, rotations));
        for (size_t i = 0; i < n; i++)
            right +=
                (int64_t)lab_largest(sum + i * classes, classes) == r->test.codes.labels[at + i];
    }
    out->accuracy = (double)right / (double)r->test.n;
    out->ms = 1000 * (recon_now() - begun) / (double)r->test.n;
done:
    recon_free_all(log_p, sum);
    return status;
}

/* --- Kabsch ----------------------------------------------------------------------------------- */

typedef struct {
    const molecule_reproduction *r;
    const recon_molecules *upright; /* the training part, never rotated     */
    size_t *order;                  /* [train.n] its rows, by their elements */
    recon_so3 *rotations;           /* [test.n]                             */
} alignment;

static int by_elements(const recon_conformer *a, const recon_conformer *b)
{
    if (a->atoms != b->atoms)
        return a->atoms < b->atoms ? -1 : 1;
    return memcmp(a->z, b->z, a->atoms);
}

static int compare_rows(const void *a, const void *b, void *user)
{
    const recon_conformer *x = user;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int by = by_elements(&x[i], &x[j]);
    return by ? by : (i > j) - (i < j);
}

/* The first row in order whose elements are not before those of x. */
static size_t first_like(const alignment *a, const recon_conformer *x)
{
    size_t low = 0, high = a->r->train.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (by_elements(&a->r->train.x[a->order[middle]], x) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Onto the nearest upright conformer of the same elements in the same order; it stays as it is where
 * there is none. */
static recon_status align_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const alignment *a = arg;
    const recon_conformer *x = &a->r->test.x[i];
    double best = INFINITY;
    (void)ctx, (void)worker;
    a->rotations[i] = recon_so3_identity();
    for (size_t at = first_like(a, x); at < a->r->train.n; at++) {
        size_t row = a->order[at];
        recon_conformer y = recon_molecules_get(a->upright, (size_t)a->r->train.row[row]);
        recon_so3 rotation;
        double rmsd;
        if (by_elements(&y, x) != 0)
            break;
        if (recon_rmsd_kabsch(&rmsd, &rotation, y.xyz, x->xyz, x->atoms, NULL) == RECON_OK &&
            rmsd < best) {
            best = rmsd;
            a->rotations[i] = rotation;
        }
    }
    return RECON_OK;
}

static recon_status measure_kabsch(recon_ctx *ctx, baseline *out, const molecule_reproduction *r,
                                   recon_so3 *rotations)
{
    recon_molecules *upright = NULL;
    alignment a = { .r = r, .rotations = rotations };
    recon_status status;
    RECON_TRY(recon_molecules_part(ctx, &upright, r->whole, "train"));
    RECON_TRY(recon_alloc_raw(ctx, &a.order, r->train.n, sizeof *a.order));
    a.upright = upright;
    for (size_t i = 0; i < r->train.n; i++)
        a.order[i] = i;
    qsort_r(a.order, r->train.n, sizeof *a.order, compare_rows, r->train.x);
    double begun = recon_now();
    RECON_TRY(recon_parallel(ctx, align_one, &a, r->test.n));
    RECON_TRY(measure(ctx, out, r, rotations, begun));
done:
    free(a.order);
    recon_molecules_close(upright);
    return status;
}

/* --- trained with rotations ------------------------------------------------------------------- */

/* The frozen classifier's network, trained on conformers rotated at random. */
static recon_status measure_augmented(recon_ctx *ctx, baseline *out, const molecule_reproduction *r,
                                      recon_so3 *rotations)
{
    const char *path = r->settings->rivals[RIVAL_AUGMENTED];
    recon_gcn *gcn = NULL;
    recon_gcn_graphs *graphs = NULL;
    recon_status status = RECON_OK;
    if (!path) {
        baseline_refuse(out,
                        "models/conformers-augmented.safetensors is not there: `recon classifier "
                        "train --data conformers --rotate haar` makes one");
        return RECON_OK;
    }
    RECON_TRY(recon_gcn_open(ctx, &gcn, path));
    if (recon_gcn_describe(gcn).classes != r->molecules) {
        baseline_refuse(out, "%s has %zu classes, but there are %zu molecules", path,
                        recon_gcn_describe(gcn).classes, r->molecules);
        goto done;
    }
    double begun = recon_now();
    RECON_TRY(recon_gcn_graphs_make(ctx, &graphs, r->test.data, recon_gcn_describe(gcn).radius));
    recon_spin_gcn judge = { gcn, graphs };
    for (size_t i = 0; i < r->test.n; i++)
        rotations[i] = recon_so3_identity();
    RECON_TRY(recon_evaluate_molecule_accuracy(ctx, &out->accuracy, r->test.codes.labels,
                                               r->test.row, rotations, r->test.n, recon_spin_by_gcn,
                                               &judge, r->molecules));
    out->ms = 1000 * (recon_now() - begun) / (double)r->test.n;
    out->weights = recon_gcn_describe(gcn).weights;
    RECON_TRY(lab_training(ctx, out->training, path));
done:
    recon_gcn_graphs_free(graphs);
    recon_gcn_close(ctx, gcn);
    return status;
}

/* --- EquiAdapt -------------------------------------------------------------------------------- */

static recon_status measure_equiadapt(recon_ctx *ctx, baseline *out, const molecule_reproduction *r,
                                      recon_so3 *rotations)
{
    const char *path = r->settings->rivals[RIVAL_EQUIADAPT];
    segnn *net = NULL;
    recon_status status = RECON_OK;
    if (!path || !r->gcn) {
        baseline_refuse(out, r->gcn ? "models/conformers-equiadapt.safetensors is not there: "
                                      "--baselines --train --rival equiadapt --out DIR makes one"
                                    : "no --classifier");
        return RECON_OK;
    }
    RECON_TRY(segnn_open(ctx, &net, path));
    if (segnn_classes(net) != 0) {
        baseline_refuse(out, "%s is a classifier, not a canonicalizer", path);
        goto done;
    }
    double begun = recon_now();
    RECON_TRY(segnn_poses(ctx, rotations, net, r->test.x, r->test.n));
    for (size_t i = 0; i < r->test.n; i++)
        rotations[i] = recon_so3_inverse(rotations[i]);
    RECON_TRY(measure(ctx, out, r, rotations, begun));
    out->weights = segnn_weights(net);
    RECON_TRY(lab_training(ctx, out->training, path));
done:
    segnn_close(ctx, net);
    return status;
}

/* --- SEGNN ------------------------------------------------------------------------------------ */

static recon_status measure_segnn(recon_ctx *ctx, baseline *out, const molecule_reproduction *r)
{
    const char *path = r->settings->segnn;
    segnn *net = NULL;
    size_t right = 0;
    recon_status status = RECON_OK;
    if (!path) {
        baseline_refuse(out,
                        "models/conformers-segnn.safetensors is not there: --baselines --train "
                        "--rival segnn --out DIR makes one");
        return RECON_OK;
    }
    RECON_TRY(segnn_open(ctx, &net, path));
    if (segnn_classes(net) != r->molecules) {
        baseline_refuse(out, "%s has %zu classes, but there are %zu molecules", path,
                        segnn_classes(net), r->molecules);
        goto done;
    }
    double begun = recon_now();
    for (size_t at = 0; at < r->test.n; at += AT_ONCE) {
        size_t n = r->test.n - at < AT_ONCE ? r->test.n - at : AT_ONCE;
        RECON_TRY(segnn_right(ctx, &right, net, r->test.x + at, n));
    }
    out->accuracy = (double)right / (double)r->test.n;
    out->ms = 1000 * (recon_now() - begun) / (double)r->test.n;
    out->weights = segnn_weights(net);
    RECON_TRY(lab_training(ctx, out->training, path));
done:
    segnn_close(ctx, net);
    return status;
}

/* --- all of them ------------------------------------------------------------------------------ */

static recon_status measure_neighbours(recon_ctx *ctx, baseline *out,
                                       const molecule_reproduction *r)
{
    double begun = recon_now(), voted;
    recon_status status =
        baseline_by_neighbours(ctx, &out->accuracy, r->frames.neighbors, r->test.n, r->frames.k,
                               r->train.codes.labels, r->test.codes.labels, r->molecules);
    voted = (recon_now() - begun) / (double)r->test.n;
    out->ms = 1000 * (r->test.embed_seconds + r->frames_seconds + voted);
    out->weights = recon_backbone_weights(r->model->backbone);
    return status;
}

/* What rotates conformers in front of the frozen classifier. */
static recon_status measure_in_front(recon_ctx *ctx, baseline out[BASELINES],
                                     const molecule_reproduction *r, recon_so3 *rotations)
{
    static const int those[] = { BASELINE_PCA, BASELINE_TTA8, BASELINE_TTA36, BASELINE_KABSCH };
    if (!r->gcn) {
        for (size_t i = 0; i < sizeof those / sizeof *those; i++)
            baseline_refuse(&out[those[i]], "no --classifier");
        return RECON_OK;
    }
    double begun = recon_now();
    for (size_t i = 0; i < r->test.n; i++)
        rotations[i] = to_axes(&r->test.x[i]);
    RECON_CHECK(measure(ctx, &out[BASELINE_PCA], r, rotations, begun));
    RECON_CHECK(measure_mean(ctx, &out[BASELINE_TTA8], r, 8));
    RECON_CHECK(measure_mean(ctx, &out[BASELINE_TTA36], r, 36));
    return measure_kabsch(ctx, &out[BASELINE_KABSCH], r, rotations);
}

recon_status baselines_measure_molecules(recon_ctx *ctx, baseline out[BASELINES],
                                         const molecule_reproduction *r)
{
    recon_so3 *rotations = NULL;
    recon_status status;
    for (int i = 0; i < BASELINES; i++)
        baseline_refuse(&out[i], "for images only");
    RECON_TRY(recon_alloc_raw(ctx, &rotations, r->test.n, sizeof *rotations));
    RECON_TRY(measure_neighbours(ctx, &out[BASELINE_KNN], r));
    RECON_TRY(measure_in_front(ctx, out, r, rotations));
    int only = r->settings->rival - 1; /* -1: all networks */
    static const int networks[] = { BASELINE_SEGNN, BASELINE_EQUIADAPT, BASELINE_AUGMENTED };
    for (size_t i = 0; only >= 0 && i < sizeof networks / sizeof *networks; i++)
        baseline_refuse(&out[networks[i]], "--rival names another network");
    if (only < 0 || only == RIVAL_KINDS)
        RECON_TRY(measure_segnn(ctx, &out[BASELINE_SEGNN], r));
    if (only < 0 || only == RIVAL_EQUIADAPT)
        RECON_TRY(measure_equiadapt(ctx, &out[BASELINE_EQUIADAPT], r, rotations));
    if (only < 0)
        RECON_TRY(measure_augmented(ctx, &out[BASELINE_AUGMENTED], r, rotations));
done:
    free(rotations);
    return status;
}
