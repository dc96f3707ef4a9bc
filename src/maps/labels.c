/* labels.c - pseudo-labels from the frames of Algorithm 1. */
#include "maps/labels.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

/* --- embeddings ------------------------------------------------------------------------------- */

recon_status recon_embeddings_check(recon_ctx *ctx, const float *z, size_t n, size_t d)
{
    for (size_t i = 0; i < n * d; i++)
        if (!isfinite(z[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "embedding %zu: element %zu is %g", i / d,
                              i % d, (double)z[i]);
    return RECON_OK;
}

void recon_standardize(float *out, const float *raw, size_t n, size_t d, const double *mean,
                       const double *scale)
{
    for (size_t i = 0; i < n; i++, out += d, raw += d)
        for (size_t j = 0; j < d; j++)
            out[j] = (float)(((double)raw[j] - mean[j]) * scale[j]);
}

/* A column that stays the same to rounding says nothing: its scale is 0. Rounded as files keep
 * them, so that maps answer the same bits before and after. */
static void find_standard(double *mean, double *scale, const recon_embedded *data)
{
    size_t n = data->n, d = data->d;
    for (size_t i = 0; i < n * d; i++)
        mean[i % d] += (double)data->z[i] / (double)n;
    for (size_t i = 0; i < n * d; i++) {
        double x = (double)data->z[i] - mean[i % d];
        scale[i % d] += x * x / (double)n;
    }
    for (size_t j = 0; j < d; j++) {
        double deviation = sqrt(scale[j]);
        double rounding = fmax(1e-6 * fabs(mean[j]), 1e-30);
        scale[j] = deviation > rounding ? (double)(float)(1 / deviation) : 0;
        mean[j] = (double)(float)mean[j];
    }
}

/* --- targets ---------------------------------------------------------------------------------- */

static int theta_is_a_width(recon_so2_family family)
{
    return family == RECON_SO2_UNIFORM || family == RECON_SO2_NORMAL;
}

static double theta_of(const recon_frames *f, size_t i)
{
    if (theta_is_a_width(f->family))
        return f->theta[i * f->theta_width];
    double first = f->identifiability[i * f->identifiability_width];
    return fmin(sqrt(fmax(-2 * log(first), 0)), M_PI); /* beyond pi all wrapped normals are alike */
}

/* The paper's Theta~ = (a, b) is the support of the poses as the backbone gives them. A normal is
 * given the arc of its variance. */
static void set_targets(const recon_labels *l, size_t i, double psi, double gamma, double theta)
{
    double half = l->theta_family == RECON_SO2_NORMAL ? sqrt(3) * theta : theta;
    l->target[RECON_HEAD_LAMBDA][2 * i] = (float)cos(gamma);
    l->target[RECON_HEAD_LAMBDA][2 * i + 1] = (float)sin(gamma);
    l->target[RECON_HEAD_THETA][i] = (float)theta;
    l->target[RECON_HEAD_SUPPORT][2 * i] = (float)(gamma - half);
    l->target[RECON_HEAD_SUPPORT][2 * i + 1] = (float)(gamma + half);
    l->target[RECON_HEAD_DENSITY][i] = (float)psi;
}

static recon_status fill_targets(recon_ctx *ctx, const recon_labels *l, const recon_embedded *data,
                                 const recon_frames *frames)
{
    for (size_t i = 0; i < l->n; i++) {
        double psi = data->so2[i], gamma = frames->gamma.so2[i], theta = theta_of(frames, i);
        if (!isfinite(psi) || !isfinite(gamma) || !isfinite(theta))
            return recon_fail(ctx, RECON_ERR_INPUT, "point %zu: psi %g, gamma %g, theta %g", i, psi,
                              gamma, theta);
        set_targets(l, i, psi, gamma, theta);
    }
    return RECON_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

static recon_status check(recon_ctx *ctx, const recon_embedded *data, const recon_frames *frames)
{
    if (!data->so2 || frames->group != RECON_SO2)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "maps are for poses in SO(2)");
    if (frames->rows != data->n)
        return recon_fail(ctx, RECON_ERR_INPUT, "frames of %zu points for %zu embeddings",
                          frames->rows, data->n);
    if (data->n < 2 || data->d < 1)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu points of %zu numbers: maps need two points",
                          data->n, data->d);
    return RECON_OK;
}

recon_status recon_labels_make(recon_ctx *ctx, recon_labels *out, const recon_embedded *data,
                               const recon_frames *frames)
{
    recon_status status;
    *out = (recon_labels){ .n = data->n, .d = data->d };
    out->theta_family = frames->family == RECON_SO2_UNIFORM ? RECON_SO2_UNIFORM : RECON_SO2_NORMAL;
    RECON_TRY(check(ctx, data, frames));
    RECON_TRY(recon_alloc(ctx, &out->mean, data->d, sizeof *out->mean));
    RECON_TRY(recon_alloc(ctx, &out->scale, data->d, sizeof *out->scale));
    RECON_TRY(recon_alloc_raw(ctx, &out->z, data->n * data->d, sizeof *out->z));
    for (int h = 0; h < RECON_HEADS; h++)
        RECON_TRY(recon_alloc_raw(ctx, &out->target[h], data->n * recon_heads[h].targets,
                                  sizeof *out->target[h]));
    RECON_TRY(recon_embeddings_check(ctx, data->z, data->n, data->d));
    find_standard(out->mean, out->scale, data);
    recon_standardize(out->z, data->z, data->n, data->d, out->mean, out->scale);
    RECON_TRY(fill_targets(ctx, out, data, frames));
done:
    if (status != RECON_OK)
        recon_labels_free(out);
    return status;
}

void recon_labels_free(recon_labels *l)
{
    free(l->z);
    free(l->mean);
    free(l->scale);
    for (int h = 0; h < RECON_HEADS; h++)
        free(l->target[h]);
    *l = (recon_labels){ 0 };
}
