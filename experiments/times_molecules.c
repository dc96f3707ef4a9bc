/* moltimes.c - what canonicalising molecules costs. */
#include "experiments/times.h"
#include <recon/model/molcanonicalize.h>
#include <recon/ops/backend.h>
#include "experiments/fastest.h"
#include "model/molmodel.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct {
    const recon_molmodel *model;
    const recon_conformer *x;
    size_t n;
    float *canonical, *z;
    recon_so3 *lambda;
} task;

static recon_status make_canonical(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    return recon_molcanonicalize(ctx, t->canonical, NULL, t->model, t->x, t->n);
}

static recon_status center(recon_ctx *ctx, void *arg)
{
    const task *t = arg;
    return recon_so3_maps_lambda(ctx, t->lambda, NULL, t->model->maps, t->z, t->n);
}

recon_status recon_times_measure_molecules(recon_ctx *ctx, recon_times *out,
                                           const recon_molmodel *model, const recon_conformer *x,
                                           size_t n)
{
    task t = { .model = model, .x = x, .n = n };
    size_t atoms = 0;
    recon_status status;
    *out = (recon_times){ .batch = n, .threads = recon_ctx_threads(ctx) };
    if (n == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "times: no molecules");
    for (size_t i = 0; i < n; i++)
        atoms += x[i].atoms;
    RECON_TRY(recon_alloc_raw(ctx, &t.canonical, atoms, 3 * sizeof *t.canonical));
    RECON_TRY(recon_alloc_raw(ctx, &t.z, n * model->shape.code, sizeof *t.z));
    RECON_TRY(recon_alloc_raw(ctx, &t.lambda, n, sizeof *t.lambda));
    RECON_TRY(recon_molnet_embed(ctx, &(recon_molnet_answer){ .z = t.z }, model->backbone, x, n));
    RECON_TRY(recon_fastest(ctx, &out->canonicalize_ms, make_canonical, &t));
    RECON_TRY(recon_fastest(ctx, &out->overhead_ms, center, &t));
    out->canonicalize_ms *= 1000 / (double)n;
    out->overhead_ms *= 1000 / (double)n;
    out->backend = recon_ops_name(ctx);
done:
    free(t.lambda);
    free(t.z);
    free(t.canonical);
    return status;
}
