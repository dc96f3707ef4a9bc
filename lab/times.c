/* times.c - what canonicalizing costs, of inputs of any kind: the fastest of several rounds. */
#include "lab/times.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <recon/group/so2.h>
#include <recon/model/canonicalize.h>
#include <recon/ops/backend.h>
#include <stdlib.h>

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 200 };
#define LONG_ENOUGH 0.25 /* seconds that all rounds together should take */

recon_status recon_fastest(recon_ctx *ctx, double *seconds, recon_work *work, void *arg)
{
    recon_status status = work(ctx, arg);
    double first = recon_now();
    *seconds = INFINITY;
    for (int i = 0; status == RECON_OK && i < MOST_ROUNDS; i++) {
        double begin = recon_now();
        if (i >= LEAST_ROUNDS && begin - first > LONG_ENOUGH)
            break;
        status = work(ctx, arg);
        *seconds = fmin(*seconds, recon_now() - begin);
    }
    return status;
}

typedef struct {
    const recon_model *model;
    const void *inputs;
    size_t n;
    char *canonical, *maps;
    recon_seen seen;
} task;

static recon_status make_canonical(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    return recon_canonicalize(ctx, t->canonical, NULL, t->model, t->inputs, t->n, NULL);
}

/* Lambda of a backbone with a pose density needs no head; the density of molecules is one. */
static recon_status center(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    if (t->seen.density && t->model->maps->lambda == RECON_LAMBDA_DENSITY)
        return recon_maps_put_densities(ctx, (recon_so2_map *)t->maps, t->model->maps, t->seen.psi,
                                        t->seen.density, t->n, RECON_MAPS_LAMBDA);
    return recon_maps_apply(ctx, t->maps, t->model->maps,
                            &(recon_maps_inputs){ .n = t->n, .z = t->seen.z, .inputs = t->inputs },
                            RECON_MAPS_LAMBDA);
}

recon_status recon_times_measure(recon_ctx *ctx, recon_times *out, const recon_model *model,
                                 const void *inputs, size_t n, size_t bytes)
{
    const recon_backbone *b = model->backbone;
    task t = { .model = model, .inputs = inputs, .n = n };
    recon_status status;
    *out = (recon_times){ .batch = n, .threads = recon_ctx_threads(ctx) };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "times: no %s", b->kind->data);
    RECON_TRY(recon_alloc_raw(ctx, &t.canonical, bytes, 1));
    RECON_TRY(recon_alloc_raw(ctx, &t.maps, n, model->maps->kind->map));
    RECON_TRY(recon_alloc_raw(ctx, &t.seen.z, n * b->code, sizeof *t.seen.z));
    RECON_TRY(recon_alloc_raw(ctx, &t.seen.psi, n, b->kind->group->numbers * sizeof *t.seen.psi));
    if (b->density)
        RECON_TRY(
            recon_alloc_raw(ctx, &t.seen.density, n, RECON_POSE_BINS * sizeof *t.seen.density));
    RECON_TRY(b->kind->embed(ctx, &t.seen, b, inputs, n));
    RECON_TRY(recon_fastest(ctx, &out->canonicalize_ms, make_canonical, &t));
    RECON_TRY(recon_fastest(ctx, &out->overhead_ms, center, &t));
    out->canonicalize_ms *= 1000 / (double)n;
    out->overhead_ms *= 1000 / (double)n;
    out->backend = recon_ops_name(ctx);
done:
    free(t.seen.density);
    free(t.seen.psi);
    free(t.seen.z);
    free(t.maps);
    free(t.canonical);
    return status;
}
