/* conv.c - convolutions and linear layers, a few images at a time.
 *
 * The batch is cut into tasks of so many images as the shape alone says, each computed by one
 * thread, and the gradients of weights are summed over tasks in a fixed order (slices.h): the bits
 * depend neither on the number of threads nor on that of ranks. Products with one tap (1 x 1, linear)
 * are gemms. The others are oneDNN's, and the gradient of x at stride 1 is one of its forward
 * convolutions, with the taps flipped and the channels exchanged: these are up to 1.8x faster than
 * its backward ones. Without oneDNN conv_patches.c computes them.
 *
 * bf16 goes through float where the processor has no fast instructions for it: emulated, oneDNN
 * runs at a quarter of the speed of float. */
#include "ops/cpu/conv.h"
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/blocks.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#define TASK_ROWS RECON_BLOCK_CONV
#define MIN_TASKS 4
#define MAX_TASKS 32 /* each holds a gradient of the weights of its own */

typedef recon_conv_job job;

static size_t images_per_task(size_t n, size_t pixels)
{
    size_t images = recon_min(recon_up(TASK_ROWS, pixels ? pixels : 1), recon_up(n, MIN_TASKS));
    return images > recon_up(n, MAX_TASKS) ? images : recon_up(n, MAX_TASKS);
}

/* Tasks of one size, where a slice can be cut into such without halving them: their gradients then
 * have one packing. */
static size_t even(size_t images, size_t each)
{
    for (size_t k = images; 2 * k > images && each; k--)
        if (each % k == 0)
            return k;
    return images;
}

/* Of the tasks that are here. */
static void set_sizes(job *j)
{
    const recon_pieces *p = &j->pieces;
    if (p->tasks == 0)
        return;
    size_t last = recon_pieces_rows(p, p->tasks - 1).end - recon_pieces_rows(p, p->tasks - 1).begin;
    j->images[0] = p->piece;
    j->images[1] = p->s.each % p->piece;
    j->images[2] = last != j->images[0] && last != j->images[1] ? last : 0;
}

job recon_conv_job_of(recon_ctx *ctx, const recon_conv_args *a)
{
    const recon_tensor *x = &a->x, *w = &a->w;
    job j = { .a = a, .n = recon_tensor_rows(x), .h = 1, .w = 1, .kh = 1, .kw = 1, .p = 1, .q = 1 };
    j.c = recon_tensor_cols(x);
    j.o = w->shape[0];
    if (x->ndim == 4) {
        j.n = x->shape[0], j.h = x->shape[1], j.w = x->shape[2];
        j.kh = w->shape[1], j.kw = w->shape[2];
        j.p = (j.h + 2 * a->pad - j.kh) / a->stride + 1;
        j.q = (j.w + 2 * a->pad - j.kw) / a->stride + 1;
    }
    j.point =
        j.h * j.w * j.kh * j.kw == 1 || (j.kh == 1 && j.kw == 1 && a->pad == 0 && a->stride == 1);
    if (j.point) {
        j.n *= j.h * j.w;
        j.h = j.w = j.p = j.q = 1;
    }
    j.cast = x->type == RECON_BF16 && !recon_dnnl_has_fast_bf16(ctx);
    j.type = j.cast ? RECON_F32 : x->type;
    recon_slices s = recon_slices_in_rows(x, j.n);
    size_t images = recon_min(images_per_task(s.all, j.p * j.q), s.each);
    j.pieces = recon_pieces_of(s, x->slices ? even(images, s.each) : images);
    set_sizes(&j);
    return j;
}

static void *task_part(void *base, size_t at, recon_dtype type)
{
    return (char *)base + at * recon_dtype_size(type);
}

/* Elements at .. at + count of t as the job computes with them: in place, or floats in scratch. */
recon_status recon_conv_part_in(recon_ctx *ctx, const job *j, int worker, void **out,
                                const recon_tensor *t, size_t at, size_t count)
{
    *out = task_part(t->data, at, t->type);
    if (!j->cast)
        return RECON_OK;
    const uint16_t *from = *out;
    RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, worker), out, count, sizeof(float)));
    recon_floats_from_bf16(*out, from, count);
    return RECON_OK;
}

recon_status recon_conv_part_out(recon_ctx *ctx, const job *j, int worker, void **out,
                                 const recon_tensor *t, size_t at, size_t count)
{
    *out = task_part(t->data, at, t->type);
    return j->cast
               ? recon_arena_take(ctx, recon_worker_arena(ctx, worker), out, count, sizeof(float))
               : RECON_OK;
}

void recon_conv_part_done(const job *j, const void *part, const recon_tensor *t, size_t at,
                          size_t count)
{
    if (j->cast)
        recon_floats_to_bf16((uint16_t *)t->data + at, part, count);
}

RECON_CLONES static void add_bias(float *restrict y, const float *restrict bias, size_t rows,
                                  size_t cols)
{
    for (size_t r = 0; r < rows; r++, y += cols)
        for (size_t c = 0; c < cols; c++)
            y[c] += bias[c];
}

/* ReLU while the task's y is still in the cache. Not oneDNN's, which turns NaN into 0: a bad input
 * would go unseen. */
RECON_CLONES static void clip_floats(float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] < 0 ? 0 : y[i];
}

/* Below 0 are the bits from -0 to minus infinity; what follows are NaNs. */
RECON_CLONES static void clip_bf16(uint16_t *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = ((y[i] >= 0x8000) & (y[i] <= 0xff80)) ? 0 : y[i];
}

/* The weights as the job computes with them. */
recon_status recon_conv_weights(recon_ctx *ctx, job *j)
{
    void *w;
    recon_status status =
        recon_conv_part_in(ctx, j, 0, &w, &j->a->w, 0, j->o * j->kh * j->kw * j->c);
    j->weights = w;
    return status;
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    recon_rows own = recon_pieces_rows(&j->pieces, task);
    size_t images = own.end - own.begin, first = own.begin;
    size_t in = j->h * j->w * j->c, out = j->p * j->q * j->o;
    void *x, *y;
    RECON_CHECK(recon_conv_part_in(ctx, j, worker, &x, &j->a->x, first * in, images * in));
    RECON_CHECK(recon_conv_part_out(ctx, j, worker, &y, &j->a->y, first * out, images * out));
    if (recon_conv_by_gemm(j)) {
        RECON_CHECK(recon_cpu_product(ctx, y, j->o, recon_plain(x, j->c),
                                      recon_transposed(j->weights, j->c),
                                      (size_t[]){ images, j->o, j->c }, 0));
    } else {
        RECON_CHECK(recon_conv_run(ctx, j, recon_conv_size(j, images), worker, x, y));
    }
    if (j->a->bias.data && !recon_conv_by_dnnl(j))
        add_bias(y, j->a->bias.data, images * j->p * j->q, j->o);
    if (j->a->relu && j->type == RECON_F32)
        clip_floats(y, images * out);
    else if (j->a->relu)
        clip_bf16(y, images * out);
    recon_conv_part_done(j, y, &j->a->y, first * out, images * out);
    return RECON_OK;
}

recon_status recon_cpu_conv(recon_ctx *ctx, const recon_conv_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j = recon_conv_job_of(ctx, a);
    if (j.n == 0)
        return RECON_OK;
    RECON_TRY(recon_conv_weights(ctx, &j));
    RECON_TRY(recon_conv_plan_forward(ctx, &j));
    RECON_TRY(recon_parallel(ctx, forward_task, &j, j.pieces.tasks));
done:
    recon_arena_release(arena, mark);
    return status;
}
