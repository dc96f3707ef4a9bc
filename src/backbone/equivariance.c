/* equivariance.c - codes and poses of images before and after they are turned. */
#include <recon/backbone/equivariance.h>
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/data/image.h>
#include <recon/group/so2.h>
#include <stdlib.h>

/* --- errors ----------------------------------------------------------------------------------- */

/* |b - a| / |a|, in double: the difference of codes that hardly change. */
static double relative_change(const float *a, const float *b, size_t d)
{
    double change = 0, length = 0;
    for (size_t j = 0; j < d; j++) {
        change += ((double)b[j] - (double)a[j]) * ((double)b[j] - (double)a[j]);
        length += (double)a[j] * (double)a[j];
    }
    return sqrt(change / length);
}

static recon_status errors_of(recon_ctx *ctx, double *pose, double *code, const recon_codes *before,
                              const recon_codes *after, const double *angles, size_t n, size_t d)
{
    for (size_t i = 0; i < n; i++) {
        pose[i] = fabs(recon_so2_wrap(after->psi[i] - before->psi[i] - angles[i]));
        code[i] = relative_change(before->z + i * d, after->z + i * d, d);
        if (!isfinite(pose[i]) || !isfinite(code[i]))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "equivariance: pose error %g and change of z %g of image %zu",
                              pose[i], code[i], i);
    }
    return RECON_OK;
}

recon_status recon_equivariance_compare(recon_ctx *ctx, recon_equivariance *out,
                                        const recon_codes *before, const recon_codes *after,
                                        const double *angles, size_t n, size_t d)
{
    double *pose = NULL, *code;
    recon_status status;
    *out = (recon_equivariance){ .n = n };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "equivariance: no images");
    RECON_TRY(recon_alloc_raw(ctx, &pose, 2 * n, sizeof *pose));
    code = pose + n;
    RECON_TRY(errors_of(ctx, pose, code, before, after, angles, n, d));
    recon_sort_doubles(pose, n);
    recon_sort_doubles(code, n);
    *out = (recon_equivariance){ .n = n,
                                 .pose_median = recon_quantile(pose, n, 0.5),
                                 .pose_p95 = recon_quantile(pose, n, 0.95),
                                 .pose_max = pose[n - 1],
                                 .code_median = recon_quantile(code, n, 0.5),
                                 .code_p95 = recon_quantile(code, n, 0.95),
                                 .code_max = code[n - 1] };
done:
    free(pose);
    return status;
}

/* --- images ----------------------------------------------------------------------------------- */

typedef struct {
    const recon_ieae *model;
    recon_dataset_info info;
    size_t pixels, d;
    float *images, *turned;  /* [n][pixels]          */
    float *z[2];             /* before, after [n][d] */
    double *psi[2], *angles; /* [n]                  */
} trial;

static void trial_free(trial *t)
{
    free(t->images);
    free(t->turned);
    free(t->angles);
    for (int i = 0; i < 2; i++) {
        free(t->z[i]);
        free(t->psi[i]);
    }
}

static recon_status trial_new(recon_ctx *ctx, trial *t, const recon_ieae *model,
                              const recon_dataset *data)
{
    size_t n, pixels;
    recon_status status;
    *t = (trial){ .model = model,
                  .info = recon_dataset_describe(data),
                  .d = recon_ieae_describe(model).code };
    n = t->info.n;
    pixels = t->pixels = t->info.height * t->info.width * t->info.channels;
    RECON_TRY(recon_ieae_check_data(ctx, model, data));
    RECON_TRY(recon_alloc_raw(ctx, &t->images, n * pixels, sizeof *t->images));
    RECON_TRY(recon_alloc_raw(ctx, &t->turned, n * pixels, sizeof *t->turned));
    RECON_TRY(recon_alloc_raw(ctx, &t->angles, n, sizeof *t->angles));
    for (int i = 0; i < 2; i++) {
        RECON_TRY(recon_alloc_raw(ctx, &t->z[i], n * t->d, sizeof *t->z[i]));
        RECON_TRY(recon_alloc_raw(ctx, &t->psi[i], n, sizeof *t->psi[i]));
    }
    for (size_t i = 0; i < n; i++)
        recon_dataset_get(t->images + i * pixels, data, i);
    RECON_TRY(recon_ieae_embed(ctx, t->z[0], t->psi[0], model, t->images, n));
done:
    return status;
}

static recon_status turn_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    trial *t = arg;
    (void)ctx, (void)worker;
    recon_image_turn(t->turned + i * t->pixels, t->images + i * t->pixels, t->info.height,
                     t->info.width, t->info.channels, t->angles[i], RECON_BILINEAR);
    return RECON_OK;
}

/* With the angles that are in t. */
static recon_status turn_and_compare(recon_ctx *ctx, recon_equivariance *out, trial *t)
{
    size_t n = t->info.n;
    recon_status status;
    RECON_TRY(recon_parallel(ctx, turn_one, t, n));
    RECON_TRY(recon_ieae_embed(ctx, t->z[1], t->psi[1], t->model, t->turned, n));
    RECON_TRY(recon_equivariance_compare(ctx, out, &(recon_codes){ t->z[0], t->psi[0] },
                                         &(recon_codes){ t->z[1], t->psi[1] }, t->angles, n, t->d));
done:
    return status;
}

recon_status recon_equivariance_random(recon_ctx *ctx, recon_equivariance *out,
                                       const recon_ieae *model, const recon_dataset *data,
                                       uint64_t seed)
{
    trial t;
    recon_status status;
    RECON_TRY(trial_new(ctx, &t, model, data));
    for (size_t i = 0; i < t.info.n; i++) {
        recon_rng rng = recon_rng_new(seed, i);
        t.angles[i] = recon_so2_haar(&rng);
    }
    RECON_TRY(turn_and_compare(ctx, out, &t));
done:
    trial_free(&t);
    return status;
}

recon_status recon_equivariance_sweep(recon_ctx *ctx, recon_equivariance *out,
                                      const recon_ieae *model, const recon_dataset *data,
                                      const double *angles, size_t count)
{
    trial t;
    recon_status status;
    RECON_TRY(trial_new(ctx, &t, model, data));
    for (size_t a = 0; a < count; a++) {
        for (size_t i = 0; i < t.info.n; i++)
            t.angles[i] = angles[a];
        RECON_TRY(turn_and_compare(ctx, &out[a], &t));
    }
done:
    trial_free(&t);
    return status;
}
