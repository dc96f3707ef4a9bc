/* sample.c - bilinear samples of whole images, and the adjoint. */
#include "ops/ref/sample.h"
#include "core/arena.h"
#include "core/threads.h"

#include <string.h>

typedef struct {
    const recon_tensor *y, *x; /* or dy, dx */
    recon_sampler *sampler;
    const void *args;
} job;

/* Rows of y, over all images. */
static void sample_span(const void *args, size_t begin, size_t end)
{
    const job *j = args;
    size_t p = j->y->shape[1], q = j->y->shape[2], c = j->y->shape[3];
    size_t image = j->x->shape[1] * j->x->shape[2] * c;
    for (size_t i = begin * q; i < end * q; i++) {
        size_t n = i / q / p;
        recon_sample s = j->sampler(j->args, n, i / q % p, i % q);
        for (size_t k = 0; k < c; k++)
            recon_ref_set(j->y, i * c + k, recon_sample_value(&s, j->x, n * image, c, k));
    }
}

recon_status recon_ref_sample(recon_ctx *ctx, const recon_tensor *y, const recon_tensor *x,
                              recon_sampler *sampler, const void *args)
{
    job j = { y, x, sampler, args };
    return recon_ref_spans(ctx, sample_span, &j, y->shape[0] * y->shape[1], 4);
}

static void spread(double *sum, const job *j, size_t n)
{
    size_t p = j->y->shape[1], q = j->y->shape[2], c = j->y->shape[3];
    for (size_t i = 0; i < p * q; i++) {
        recon_sample s = j->sampler(j->args, n, i / q, i % q);
        for (int t = 0; t < 4; t++)
            for (size_t k = 0; s.weight[t] != 0 && k < c; k++)
                sum[s.at[t] * c + k] += s.weight[t] * recon_ref_get(j->y, (n * p * q + i) * c + k);
    }
}

static recon_status image_task(recon_ctx *ctx, void *arg, size_t n, int worker)
{
    const job *j = arg;
    size_t image = j->x->shape[1] * j->x->shape[2] * j->x->shape[3];
    recon_arena *scratch = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(scratch);
    double *sum;
    recon_status status = recon_arena_take(ctx, scratch, &sum, image, sizeof *sum);
    if (status != RECON_OK)
        return status;
    memset(sum, 0, image * sizeof *sum);
    spread(sum, j, n);
    recon_ref_store(j->x, n * image, sum, image);
    recon_arena_release(scratch, mark);
    return RECON_OK;
}

recon_status recon_ref_unsample(recon_ctx *ctx, const recon_tensor *dx, const recon_tensor *dy,
                                recon_sampler *sampler, const void *args)
{
    job j = { dy, dx, sampler, args };
    return recon_parallel(ctx, image_task, &j, dx->shape[0]);
}
