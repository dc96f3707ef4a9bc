/* equivariance.c - codes and poses of two rotated copies of each image. Layer by layer:
 * equivariance_layers.c. */
#include "backbone/equivariance.h"
#include "backbone/ieae.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "stats/quantile.h"

#include <math.h>
#include <recon/data/dataset.h>
#include <recon/group/so2.h>
#include "backbone/kinds.h"
#include <stdlib.h>

/* --- errors ----------------------------------------------------------------------------------- */

double recon_relative_change(const float *a, const float *b, size_t d)
{
    double change = 0, length = 0;
    for (size_t j = 0; j < d; j++) {
        change += ((double)b[j] - (double)a[j]) * ((double)b[j] - (double)a[j]);
        length += (double)a[j] * (double)a[j];
    }
    return sqrt(change / length);
}

enum { POSE, CENTRE, CODE, ERRORS };

static double rotation_error(const double *before, const double *after, const double *angles,
                             size_t i)
{
    return fabs(recon_so2_wrap(after[i] - before[i] - angles[i]));
}

static void summarize(double *median, double *p95, double *max, double *errors, size_t n)
{
    recon_sort_doubles(errors, n);
    *median = recon_quantile(errors, n, 0.5);
    *p95 = recon_quantile(errors, n, 0.95);
    *max = errors[n - 1];
}

recon_status recon_equivariance_compare(recon_ctx *ctx, recon_equivariance *out,
                                        const recon_codes *before, const recon_codes *after,
                                        const double *angles, size_t n, size_t d)
{
    double *e = NULL;
    recon_status status;
    *out = (recon_equivariance){ .n = n };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "equivariance: no images");
    RECON_TRY(recon_alloc_raw(ctx, &e, ERRORS * n, sizeof *e));
    /* Of n images to e [ERRORS][n]; a centre that is not there errs by 0. */
    for (size_t i = 0; i < n; i++) {
        double pose = rotation_error(before->psi, after->psi, angles, i);
        double centre = before->centre && after->centre
                            ? rotation_error(before->centre, after->centre, angles, i)
                            : 0;
        double code = recon_relative_change(before->z + i * d, after->z + i * d, d);
        if (!isfinite(pose) || !isfinite(centre) || !isfinite(code))
            RECON_TRY(recon_fail(
                ctx, RECON_ERR_INPUT,
                "equivariance: pose error %g, the centre's %g and change of z %g of image %zu",
                pose, centre, code, i));
        e[POSE * n + i] = pose;
        e[CENTRE * n + i] = centre;
        e[CODE * n + i] = code;
    }
    summarize(&out->pose_median, &out->pose_p95, &out->pose_max, e + POSE * n, n);
    summarize(&out->centre_median, &out->centre_p95, &out->centre_max, e + CENTRE * n, n);
    summarize(&out->code_median, &out->code_p95, &out->code_max, e + CODE * n, n);
    if (!before->centre || !after->centre)
        out->centre_median = out->centre_p95 = out->centre_max = NAN;
done:
    free(e);
    return status;
}

/* --- images ----------------------------------------------------------------------------------- */

/* A rotated copy of every image. */
typedef struct {
    double *angle;  /* [n] */
    float *z;       /* [n][d] */
    double *psi;    /* [n] */
    float *density; /* [n][RECON_POSE_BINS], or NULL */
    double *centre; /* [n], its; or NULL */
} copies;

typedef struct {
    const recon_ieae *model;
    recon_dataset_info info;
    size_t pixels, d;
    float *images, *rotated; /* [n][pixels] */
    copies a, b;
    double *between; /* [n] from a to b */
} trial;

static void copies_free(copies *c)
{
    recon_free_all(c->angle, c->z, c->psi, c->density, c->centre);
}

static void trial_free(trial *t)
{
    recon_free_all(t->images, t->rotated, t->between);
    copies_free(&t->a);
    copies_free(&t->b);
}

static recon_status copies_new(recon_ctx *ctx, copies *c, const trial *t)
{
    size_t n = t->info.n;
    RECON_CHECK(recon_alloc_raw(ctx, &c->angle, n, sizeof *c->angle));
    RECON_CHECK(recon_alloc_raw(ctx, &c->z, n * t->d, sizeof *c->z));
    RECON_CHECK(recon_alloc_raw(ctx, &c->psi, n, sizeof *c->psi));
    if (!recon_ieae_describe(t->model).density)
        return RECON_OK;
    RECON_CHECK(recon_alloc_raw(ctx, &c->density, n, RECON_POSE_BINS * sizeof *c->density));
    return recon_alloc_raw(ctx, &c->centre, n, sizeof *c->centre);
}

static recon_status trial_new(recon_ctx *ctx, trial *t, const recon_ieae *model,
                              const recon_dataset *data)
{
    size_t n, pixels;
    *t = (trial){ .model = model,
                  .info = recon_dataset_describe(data),
                  .d = recon_ieae_describe(model).code };
    n = t->info.n;
    pixels = t->pixels = t->info.height * t->info.width * t->info.channels;
    RECON_CHECK(recon_backbone_check_data(ctx, &model->base, recon_dataset_data(data)));
    RECON_CHECK(recon_alloc_raw(ctx, &t->images, n * pixels, sizeof *t->images));
    RECON_CHECK(recon_alloc_raw(ctx, &t->rotated, n * pixels, sizeof *t->rotated));
    RECON_CHECK(recon_alloc_raw(ctx, &t->between, n, sizeof *t->between));
    RECON_CHECK(copies_new(ctx, &t->a, t));
    RECON_CHECK(copies_new(ctx, &t->b, t));
    for (size_t i = 0; i < n; i++)
        recon_dataset_get(t->images + i * pixels, data, i);
    return RECON_OK;
}

typedef struct {
    const trial *t;
    const double *angle;
} blocks;

static recon_status rotate_one(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const blocks *by = arg;
    const trial *t = by->t;
    (void)ctx, (void)worker;
    recon_image_rotate(t->rotated + i * t->pixels, t->images + i * t->pixels, t->info.height,
                       t->info.width, t->info.channels, by->angle[i], RECON_BILINEAR);
    return RECON_OK;
}

/* By the angles that are in c. */
static recon_status embed_copies(recon_ctx *ctx, const trial *t, copies *c)
{
    RECON_CHECK(recon_parallel(ctx, rotate_one, &(blocks){ t, c->angle }, t->info.n));
    RECON_CHECK(recon_ieae_embed(ctx,
                                 &(recon_seen){ .z = c->z, .psi = c->psi, .density = c->density },
                                 t->model, t->rotated, t->info.n));
    for (size_t i = 0; c->density && i < t->info.n; i++)
        c->centre[i] = recon_pose_centre(c->density + i * RECON_POSE_BINS);
    return RECON_OK;
}

static recon_status compare_copies(recon_ctx *ctx, recon_equivariance *out, trial *t)
{
    for (size_t i = 0; i < t->info.n; i++)
        t->between[i] = t->b.angle[i] - t->a.angle[i];
    return recon_equivariance_compare(ctx, out, &(recon_codes){ t->a.z, t->a.psi, t->a.centre },
                                      &(recon_codes){ t->b.z, t->b.psi, t->b.centre }, t->between,
                                      t->info.n, t->d);
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
        t.a.angle[i] = recon_so2_haar(&rng);
        t.b.angle[i] = recon_so2_haar(&rng);
    }
    RECON_TRY(embed_copies(ctx, &t, &t.a));
    RECON_TRY(embed_copies(ctx, &t, &t.b));
    RECON_TRY(compare_copies(ctx, out, &t));
done:
    trial_free(&t);
    return status;
}

recon_status recon_equivariance_sweep(recon_ctx *ctx, recon_equivariance *out,
                                      const recon_ieae *model, const recon_dataset *data,
                                      const double *angles, size_t count, uint64_t seed)
{
    trial t;
    recon_status status;
    RECON_TRY(trial_new(ctx, &t, model, data));
    for (size_t i = 0; i < t.info.n; i++) {
        recon_rng rng = recon_rng_new(seed, i);
        t.a.angle[i] = recon_so2_haar(&rng);
    }
    RECON_TRY(embed_copies(ctx, &t, &t.a));
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < t.info.n; i++)
            t.b.angle[i] = t.a.angle[i] + angles[k];
        RECON_TRY(embed_copies(ctx, &t, &t.b));
        RECON_TRY(compare_copies(ctx, &out[k], &t));
    }
done:
    trial_free(&t);
    return status;
}
