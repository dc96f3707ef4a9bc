/* times.c - what canonicalising images costs. */
#include "experiments/times.h"
#include <recon/group/so2.h>
#include <recon/model/canonicalize.h>
#include <recon/ops/backend.h>
#include "experiments/fastest.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct {
    const recon_model *model;
    const float *images;
    size_t n;
    float *canonical, *z;
    double *lambda, *psi, *lean; /* lean NULL: Lambda is a head on z */
} task;

static recon_status make_canonical(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    return recon_canonicalize(ctx, t->canonical, NULL, t->model, t->images, t->n, NULL);
}

static recon_status center(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    if (t->lean) {
        for (size_t i = 0; i < t->n; i++)
            t->lambda[i] = recon_so2_wrap(t->psi[i] - t->lean[i]);
        return RECON_OK;
    }
    return recon_maps_lambda(ctx, t->lambda, recon_model_maps(t->model), t->z, t->n);
}

recon_status recon_times_measure(recon_ctx *ctx, recon_times *out, const recon_model *model,
                                 const float *images, size_t n)
{
    recon_ieae_shape s = recon_ieae_describe(recon_model_backbone(model));
    size_t pixels = s.height * s.width_px * s.channels;
    task t = { .model = model, .images = images, .n = n };
    recon_status status;
    *out = (recon_times){ .batch = n, .threads = recon_ctx_threads(ctx) };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "times: no images");
    RECON_TRY(recon_alloc_raw(ctx, &t.canonical, n * pixels, sizeof *t.canonical));
    RECON_TRY(recon_alloc_raw(ctx, &t.z, n * s.code, sizeof *t.z));
    RECON_TRY(recon_alloc_raw(ctx, &t.lambda, n, sizeof *t.lambda));
    RECON_TRY(recon_alloc_raw(ctx, &t.psi, n, sizeof *t.psi));
    if (s.lean)
        RECON_TRY(recon_alloc_raw(ctx, &t.lean, n, sizeof *t.lean));
    RECON_TRY(recon_ieae_embed(ctx, t.z, t.psi, t.lean, recon_model_backbone(model), images, n));
    RECON_TRY(recon_fastest(ctx, &out->canonicalize_ms, make_canonical, &t));
    RECON_TRY(recon_fastest(ctx, &out->overhead_ms, center, &t));
    out->canonicalize_ms *= 1000 / (double)n;
    out->overhead_ms *= 1000 / (double)n;
    out->backend = recon_ops_name(ctx);
done:
    free(t.lean);
    free(t.psi);
    free(t.lambda);
    free(t.z);
    free(t.canonical);
    return status;
}
