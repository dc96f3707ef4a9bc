/* conv_patches.c - a convolution as products of matrices, where there is no oneDNN.
 *
 * The numbers that a pixel of y is computed from, its patch, are a row of a matrix; y is that times
 * the weights. A few hundred pixels at a time, so that their patches stay in the cache. */
#include "ops/cpu/conv.h"
#include "ops/cpu/cpu.h"
#include "core/arena.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/threads.h"

#include <string.h>

typedef recon_conv_job job;

/* What is done with the patches of pixels at .. at + rows of a task. */
typedef recon_status patch_work(recon_ctx *ctx, const job *j, size_t at, size_t rows, float *patch,
                                const void *user);

static recon_status for_patches(recon_ctx *ctx, const job *j, size_t images, int worker,
                                patch_work *work, const void *user)
{
    size_t pixels = images * j->p * j->q, most = recon_min(pixels, RECON_BLOCK_PATCHES);
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_status status = RECON_OK;
    float *patch;
    RECON_CHECK(recon_arena_take(ctx, arena, &patch, most * j->kh * j->kw * j->c, sizeof *patch));
    for (size_t at = 0; at < pixels && status == RECON_OK; at += most)
        status = work(ctx, j, at, recon_min(most, pixels - at), patch, user);
    recon_arena_release(arena, mark);
    return status;
}

/* Where in x the channels of a tap lie; SIZE_MAX: outside of the image. */
static size_t place(const job *j, size_t pixel, size_t tap)
{
    size_t image = pixel / (j->p * j->q), r = pixel / j->q % j->p, s = pixel % j->q;
    size_t row = r * j->a->stride + tap / j->kw - j->a->pad; /* below 0 wraps around */
    size_t col = s * j->a->stride + tap % j->kw - j->a->pad;
    return row < j->h && col < j->w ? ((image * j->h + row) * j->w + col) * j->c : SIZE_MAX;
}

static void gather(const job *j, float *patch, const float *x, size_t at, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t t = 0; t < j->kh * j->kw; t++, patch += j->c) {
            size_t from = place(j, at + r, t);
            if (from == SIZE_MAX)
                memset(patch, 0, j->c * sizeof *patch);
            else
                memcpy(patch, x + from, j->c * sizeof *patch);
        }
}

static void scatter(const job *j, float *dx, const float *patch, size_t at, size_t rows)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t t = 0; t < j->kh * j->kw; t++, patch += j->c) {
            size_t to = place(j, at + r, t);
            for (size_t c = 0; to != SIZE_MAX && c < j->c; c++)
                dx[to + c] += patch[c];
        }
}

typedef struct {
    const float *x, *dy;
    float *out; /* y, dx or dw */
} tensors;

static recon_status forward(recon_ctx *ctx, const job *j, size_t at, size_t rows, float *patch,
                            const void *user)
{
    const tensors *t = user;
    size_t k = j->kh * j->kw * j->c;
    gather(j, patch, t->x, at, rows);
    return recon_cpu_product(ctx, t->out + at * j->o, j->o, recon_plain(patch, k),
                             recon_transposed(j->weights, k), (size_t[]){ rows, j->o, k }, 0);
}

static recon_status data(recon_ctx *ctx, const job *j, size_t at, size_t rows, float *patch,
                         const void *user)
{
    const tensors *t = user;
    size_t k = j->kh * j->kw * j->c;
    RECON_CHECK(recon_cpu_product(ctx, patch, k, recon_plain(t->dy + at * j->o, j->o),
                                  recon_plain(j->weights, k), (size_t[]){ rows, k, j->o }, 0));
    scatter(j, t->out, patch, at, rows);
    return RECON_OK;
}

static recon_status weights(recon_ctx *ctx, const job *j, size_t at, size_t rows, float *patch,
                            const void *user)
{
    const tensors *t = user;
    size_t k = j->kh * j->kw * j->c;
    gather(j, patch, t->x, at, rows);
    return recon_cpu_product(ctx, t->out, k, recon_transposed(t->dy + at * j->o, j->o),
                             recon_plain(patch, k), (size_t[]){ j->o, k, rows }, at > 0);
}

recon_status recon_patches_run(recon_ctx *ctx, const job *j, size_t images, int worker,
                               const float *x, float *y)
{
    return for_patches(ctx, j, images, worker, forward, &(tensors){ .x = x, .out = y });
}

recon_status recon_patches_data(recon_ctx *ctx, const job *j, size_t images, int worker, float *dx,
                                const float *dy)
{
    memset(dx, 0, images * j->h * j->w * j->c * sizeof *dx);
    return for_patches(ctx, j, images, worker, data, &(tensors){ .dy = dy, .out = dx });
}

recon_status recon_patches_weights(recon_ctx *ctx, const job *j, size_t images, int worker,
                                   float *dw, const float *x, const float *dy)
{
    return for_patches(ctx, j, images, worker, weights, &(tensors){ .x = x, .dy = dy, .out = dw });
}
