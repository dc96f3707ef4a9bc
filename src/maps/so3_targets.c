/* so3_targets.c - pseudo-labels from the frames of Algorithm 1.
 *
 * Lambda, Theta and the support learn what the paper's networks learn: the matrix Fisher distribution
 * that has the moments of the neighbours' poses; its mode is Gamma, F about that is theta. Where a
 * spin is free the mode lies anywhere on the ring, in each neighbourhood elsewhere: the density has a
 * gauge for that, the paper has not. */
#include "maps/so3_heads.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/so3/fisher.h"
#include "stats/quantile.h"
#include "group/so3/fisher_fit.h"

#include <math.h>
#include <recon/group/matrix_fisher.h>
#include <stdlib.h>

enum { F = 9, BLOCK = RECON_BLOCK_SO3_FITS };
#define LEAST_UNIT 0x1p-10 /* a float, as files keep it */
#define LONGEST    10.0    /* units: copies of one rotation have F without end */

static double length(const double *f)
{
    double sum = 0;
    for (int i = 0; i < F; i++)
        sum += f[i] * f[i];
    return sqrt(sum);
}

static recon_status find_unit(recon_ctx *ctx, double *unit, const recon_frames *frames)
{
    double *lengths;
    RECON_CHECK(recon_alloc_raw(ctx, &lengths, frames->rows, sizeof *lengths));
    for (size_t i = 0; i < frames->rows; i++)
        lengths[i] = length(frames->parameters + F * i);
    recon_sort_doubles(lengths, frames->rows);
    *unit = fmax((double)(float)recon_quantile(lengths, frames->rows, 0.5), LEAST_UNIT);
    free(lengths);
    return RECON_OK;
}

static void put_rotation(float *to, recon_so3 g)
{
    double m[F];
    recon_so3_to_matrix(m, g);
    for (int i = 0; i < F; i++)
        to[i] = (float)m[i];
}

static void put_f(float *to, const double *f, double unit)
{
    double scale = 1 / fmax(unit, length(f) / LONGEST);
    for (int i = 0; i < F; i++)
        to[i] = (float)(scale * f[i]);
}

static recon_status put_frames(recon_ctx *ctx, const recon_targets *t, const recon_embedded *data,
                               const recon_frames *frames)
{
    for (size_t i = 0; i < data->n; i++) {
        recon_so3 psi = recon_so3_at(data->poses, i), gamma = recon_so3_at(frames->gamma, i);
        double size = length(frames->parameters + F * i);
        if (!isfinite(psi.w + psi.x + psi.y + psi.z + gamma.w) || !isfinite(size))
            return recon_fail(ctx, RECON_ERR_INPUT, "point %zu: psi %g.., gamma %g.., |F| %g", i,
                              psi.w, gamma.w, size);
        put_rotation(t->of[RECON_SO3_DENSITY] + F * i, psi);
        put_rotation(t->of[RECON_SO3_MIXTURE] + F * i, psi);
        for (int k = 0; k < RECON_NATURAL_KINDS; k++)
            t->of[RECON_SO3_VERDICT][RECON_NATURAL_KINDS * i + (size_t)k] = frames->verdict[i] == k;
    }
    return RECON_OK;
}

/* The paper's labels of point i, from the moments of its neighbours' poses. */
static void put_moments(const recon_targets *t, size_t i, const recon_fisher *fisher)
{
    double theta[F];
    recon_fisher_center(theta, fisher->f, fisher->mode);
    put_rotation(t->of[RECON_SO3_LAMBDA] + F * i, fisher->mode);
    put_f(t->of[RECON_SO3_THETA] + F * i, theta, t->number);
    put_f(t->of[RECON_SO3_SUPPORT] + F * i, fisher->f, t->number);
}

static recon_status fit_moments(recon_ctx *ctx, const recon_targets *t, const recon_embedded *data,
                                const recon_frames *frames)
{
    const recon_fisher_fit_options moment = { .method = RECON_FISHER_MOMENT };
    size_t k = frames->k;
    recon_fisher_fit *fit = NULL;
    recon_so3 *poses = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &fit, BLOCK, sizeof *fit));
    RECON_TRY(recon_alloc_raw(ctx, &poses, BLOCK * k, sizeof *poses));
    for (size_t at = 0; at < data->n; at += BLOCK) {
        size_t some = data->n - at < BLOCK ? data->n - at : BLOCK;
        for (size_t i = 0; i < some * k; i++)
            poses[i] = recon_so3_at(data->poses, (size_t)frames->neighbors[at * k + i]);
        RECON_TRY(recon_fisher_fit_batch(ctx, fit, poses, some, k, &moment));
        for (size_t i = 0; i < some; i++)
            put_moments(t, at + i, &fit[i].fisher);
    }
done:
    recon_free_all(poses, fit);
    return status;
}

static recon_status check_neighbors(recon_ctx *ctx, const recon_embedded *data,
                                    const recon_frames *frames)
{
    if (!frames->neighbors)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "maps need classes of neighbours");
    for (size_t i = 0; i < frames->rows * frames->k; i++) /* of queries: neighbours elsewhere */
        if (frames->neighbors[i] < 0 || (uint64_t)frames->neighbors[i] >= data->n)
            return recon_fail(ctx, RECON_ERR_INPUT, "point %zu has neighbour %lld of %zu points",
                              i / frames->k, (long long)frames->neighbors[i], data->n);
    return RECON_OK;
}

recon_status recon_so3_targets(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                               const recon_frames *frames)
{
    RECON_CHECK(check_neighbors(ctx, data, frames));
    for (int h = 0; h < RECON_SO3_HEADS; h++)
        RECON_CHECK(recon_alloc_raw(ctx, &out->of[h], data->n * recon_so3_heads[h].targets,
                                    sizeof *out->of[h]));
    RECON_CHECK(find_unit(ctx, &out->number, frames));
    RECON_CHECK(put_frames(ctx, out, data, frames));
    return fit_moments(ctx, out, data, frames);
}
