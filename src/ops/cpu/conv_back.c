/* conv_back.c - the gradients of a convolution: dy's mask, then each task's part, then the sums. */
#include "ops/cpu/conv.h"
#include "ops/cpu/cpu.h"
#include "ops/cpu/elements.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

typedef recon_conv_job job;

RECON_CLONES static void mask_floats(float *restrict out, const float *restrict dy,
                                     const float *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = y[i] > 0 ? dy[i] : 0;
}

/* y > 0 is a sign bit that is not set, and others that are. NaN is not: its gradient is NaN's
 * business elsewhere. */
RECON_CLONES static void mask_bf16(uint16_t *restrict out, const uint16_t *restrict dy,
                                   const uint16_t *restrict y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint16_t)(y[i] - 1) < 0x7f80 ? dy[i] : 0;
}

/* dy of a task with the ReLU undone, in the type that is computed with. */
static recon_status masked(recon_ctx *ctx, const job *j, int worker, void **out, size_t at,
                           size_t count)
{
    recon_status status = RECON_OK;
    void *dy, *y;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    RECON_TRY(recon_conv_part_in(ctx, j, worker, &dy, &j->a->dy, at, count));
    *out = dy;
    if (!j->a->relu)
        return RECON_OK;
    RECON_TRY(recon_conv_part_in(ctx, j, worker, &y, &j->a->y, at, count));
    RECON_TRY(recon_arena_take(ctx, arena, out, count, recon_dtype_size(j->type)));
    if (j->type == RECON_F32)
        mask_floats(*out, dy, y, count);
    else
        mask_bf16(*out, dy, y, count);
done:
    return status;
}

/* The column sums of a task's dy. */
static void bias_gradient(const job *j, size_t task, const void *dy, size_t rows)
{
    double *sum = j->bias + task * j->o;
    float buffer[RECON_RUN];
    memset(sum, 0, j->o * sizeof *sum);
    recon_tensor t = { .type = j->type, .data = (void *)dy };
    size_t step = j->o < RECON_RUN ? RECON_RUN / j->o : 1;
    if (j->type == RECON_F32) {
        recon_column_sums(sum, dy, rows, j->o);
        return;
    }
    for (size_t r = 0; r < rows; r += step)
        for (size_t c = 0; c < j->o; c += RECON_RUN) {
            size_t take = recon_min(step, rows - r), width = recon_min(j->o - c, RECON_RUN);
            recon_column_sums(sum + c, recon_run_read(buffer, &t, r * j->o + c, take * width), take,
                              width);
        }
}

static recon_status back_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t images = recon_conv_images(j, task), first = task * j->images;
    size_t in = j->h * j->w * j->c, out = j->p * j->q * j->o;
    int last = recon_conv_is_last(j, task);
    void *dy, *x, *dx;
    RECON_TRY(masked(ctx, j, worker, &dy, first * out, images * out));
    if (j->a->dbias.data)
        bias_gradient(j, task, dy, images * j->p * j->q);
    if (j->a->dw.data) {
        void *dw = (char *)j->partial + task * j->stride;
        RECON_TRY(recon_conv_part_in(ctx, j, worker, &x, &j->a->x, first * in, images * in));
        RECON_TRY(recon_conv_by_gemm(j)
                      ? recon_cpu_product(ctx, dw, j->c, recon_transposed(dy, j->o),
                                          recon_plain(x, j->c), (size_t[]){ j->o, j->c, images }, 0)
                      : recon_conv_run_weights(ctx, j, last, worker, dw, x, dy));
    }
    if (j->a->dx.data) {
        RECON_TRY(recon_conv_part_out(ctx, j, worker, &dx, &j->a->dx, first * in, images * in));
        RECON_TRY(recon_conv_by_gemm(j) ? recon_cpu_product(ctx, dx, j->c, recon_plain(dy, j->o),
                                                            recon_plain(j->weights, j->c),
                                                            (size_t[]){ images, j->c, j->o }, 0)
                                        : recon_conv_run_data(ctx, j, last, worker, dx, dy));
        recon_conv_part_done(j, dx, &j->a->dx, first * in, images * in);
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

typedef struct {
    float *out;
    const char *part;
    size_t stride, parts, count;
} fold;

RECON_CLONES static void add_floats(float *restrict out, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += x[i];
}

#define FOLD 4096
static recon_status fold_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const fold *f = arg;
    size_t at = task * FOLD, n = recon_min(FOLD, f->count - at);
    (void)ctx, (void)worker;
    if (f->out != (const void *)f->part)
        memcpy(f->out + at, (const float *)f->part + at, n * sizeof(float));
    for (size_t i = 1; i < f->parts; i++)
        add_floats(f->out + at, (const float *)(f->part + i * f->stride) + at, n);
    return RECON_OK;
}

recon_status recon_conv_sum(recon_ctx *ctx, float *out, const void *part, size_t stride,
                            size_t parts, size_t count)
{
    fold f = { out, part, stride, parts, count };
    return recon_parallel(ctx, fold_task, &f, recon_up(count, FOLD));
}

static recon_status sum_parts(recon_ctx *ctx, const job *j, float *out, size_t parts, size_t count)
{
    return recon_conv_sum(ctx, out, j->partial, j->stride, parts, count);
}

/* Whole tasks share a packing and are summed in it; the last may have another. */
static recon_status sum_weights(recon_ctx *ctx, const job *j)
{
    recon_status status = RECON_OK;
    float *dw = j->a->dw.data, *rest;
    size_t count = j->o * j->kh * j->kw * j->c, whole = j->n / j->images;
    if (recon_conv_by_gemm(j))
        return sum_parts(ctx, j, dw, j->tasks, count);
    RECON_TRY(sum_parts(ctx, j, j->partial, whole, recon_conv_packed_count(j)));
    RECON_TRY(recon_conv_unpack(ctx, j, 0, dw, j->partial));
    if (whole == j->tasks)
        return RECON_OK;
    RECON_TRY(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &rest, count, sizeof *rest));
    RECON_TRY(recon_conv_unpack(ctx, j, 1, rest, (char *)j->partial + whole * j->stride));
    add_floats(dw, rest, count);
done:
    return status;
}

static void sum_bias(const job *j)
{
    float *out = j->a->dbias.data;
    for (size_t c = 0; c < j->o; c++) {
        double sum = 0;
        for (size_t t = 0; t < j->tasks; t++)
            sum += j->bias[t * j->o + c];
        out[c] = (float)sum;
    }
}

static recon_status take_partials(recon_ctx *ctx, job *j)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    j->stride = recon_up(recon_conv_gradient_bytes(j), 64) * 64;
    if (j->a->dw.data)
        RECON_TRY(recon_arena_take(ctx, arena, &j->partial, j->tasks, j->stride));
    if (j->a->dbias.data)
        RECON_TRY(recon_arena_take(ctx, arena, &j->bias, j->tasks * j->o, sizeof *j->bias));
done:
    return status;
}

static void clear(const recon_tensor *t)
{
    if (t->data)
        memset(t->data, 0, recon_tensor_bytes(t));
}

recon_status recon_cpu_conv_back(recon_ctx *ctx, const recon_conv_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j = recon_conv_job_of(ctx, a);
    if (!recon_conv_by_gemm(&j) && !recon_dnnl_is_there())
        return recon_ops_ref.conv_back(ctx, a);
    if (j.n == 0) {
        clear(&a->dw);
        clear(&a->dbias);
        return RECON_OK;
    }
    RECON_TRY(recon_conv_weights(ctx, &j));
    RECON_TRY(recon_conv_plan_back(ctx, &j));
    RECON_TRY(take_partials(ctx, &j));
    RECON_TRY(recon_parallel(ctx, back_task, &j, j.tasks));
    if (a->dw.data)
        RECON_TRY(sum_weights(ctx, &j));
    if (a->dbias.data)
        sum_bias(&j);
done:
    recon_arena_release(arena, mark);
    return status;
}
