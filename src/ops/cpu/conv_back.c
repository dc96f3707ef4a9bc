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
    void *dy, *y;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    RECON_CHECK(recon_conv_part_in(ctx, j, worker, &dy, &j->a->dy, at, count));
    *out = dy;
    if (!j->a->relu)
        return RECON_OK;
    RECON_CHECK(recon_conv_part_in(ctx, j, worker, &y, &j->a->y, at, count));
    RECON_CHECK(recon_arena_take(ctx, arena, out, count, recon_dtype_size(j->type)));
    if (j->type == RECON_F32)
        mask_floats(*out, dy, y, count);
    else
        mask_bf16(*out, dy, y, count);
    return RECON_OK;
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
    recon_rows own = recon_pieces_rows(&j->pieces, task);
    size_t images = own.end - own.begin, first = own.begin;
    size_t in = j->h * j->w * j->c, out = j->p * j->q * j->o;
    int size = recon_conv_size(j, images);
    void *dy, *x, *dx;
    RECON_CHECK(masked(ctx, j, worker, &dy, first * out, images * out));
    if (j->a->dbias.data)
        bias_gradient(j, task, dy, images * j->p * j->q);
    if (j->a->dw.data) {
        void *dw = (char *)j->partial + task * j->stride;
        RECON_CHECK(recon_conv_part_in(ctx, j, worker, &x, &j->a->x, first * in, images * in));
        RECON_CHECK(recon_conv_by_gemm(j)
                        ? recon_cpu_product(ctx, dw, j->c, recon_transposed(dy, j->o),
                                            recon_plain(x, j->c), (size_t[]){ j->o, j->c, images },
                                            0)
                        : recon_conv_run_weights(ctx, j, size, worker, dw, x, dy));
    }
    if (j->a->dx.data) {
        RECON_CHECK(recon_conv_part_out(ctx, j, worker, &dx, &j->a->dx, first * in, images * in));
        RECON_CHECK(recon_conv_by_gemm(j) ? recon_cpu_product(ctx, dx, j->c, recon_plain(dy, j->o),
                                                              recon_plain(j->weights, j->c),
                                                              (size_t[]){ images, j->c, j->o }, 0)
                                          : recon_conv_run_data(ctx, j, size, worker, dx, dy));
        recon_conv_part_done(j, dx, &j->a->dx, first * in, images * in);
    }
    return RECON_OK;
}

RECON_CLONES static void add_floats(float *restrict out, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += x[i];
}

/* Are all tasks of the batch of one size, and so of one packing? */
static int is_even(const job *j)
{
    const recon_slices *s = &j->pieces.s;
    size_t last = s->all - (s->count - 1) * s->each;
    return s->each % j->pieces.piece == 0 && last % j->pieces.piece == 0;
}

/* The gradient of one of this rank's slices. Its whole tasks share a packing and are summed in it;
 * the last may have another. */
static recon_status unpack_slice(recon_ctx *ctx, const job *j, size_t slice, float *out,
                                 float *room, size_t count)
{
    const recon_pieces *p = &j->pieces;
    size_t first = slice * p->per, end = recon_min(first + p->per, p->tasks);
    recon_rows last = recon_pieces_rows(p, end - 1);
    int size = recon_conv_size(j, last.end - last.begin);
    size_t whole = end - first - (size != 0);
    char *part = (char *)j->partial + first * j->stride;
    if (whole) {
        recon_pieces tasks = recon_pieces_alone(whole);
        RECON_CHECK(recon_pieces_sum(ctx, &tasks, part, RECON_F32, part, j->stride,
                                     recon_conv_packed_count(j)));
        RECON_CHECK(recon_conv_unpack(ctx, j, 0, out, part));
    }
    if (size)
        RECON_CHECK(recon_conv_unpack(ctx, j, size, whole ? room : out, part + whole * j->stride));
    if (size && whole)
        add_floats(out, room, count);
    return RECON_OK;
}

static recon_status sum_unpacked(recon_ctx *ctx, const job *j, float *dw, size_t count)
{
    recon_pieces slices = recon_pieces_of(j->pieces.s, j->pieces.s.each);
    float *plain;
    RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &plain,
                                 (slices.tasks + 1) * count, sizeof *plain));
    for (size_t i = 0; i < slices.tasks; i++)
        RECON_CHECK(
            unpack_slice(ctx, j, i, plain + i * count, plain + slices.tasks * count, count));
    return recon_gradient_sum(ctx, &(recon_gradient){ .pieces = &slices,
                                                      .part = plain,
                                                      .stride = count * sizeof *plain,
                                                      .width = count,
                                                      .out = dw,
                                                      .count = count });
}

static recon_status unpack(recon_ctx *ctx, const void *user, float *out, float *sum)
{
    return recon_conv_unpack(ctx, user, 0, out, sum);
}

static recon_status sum_weights(recon_ctx *ctx, const job *j)
{
    size_t count = j->o * j->kh * j->kw * j->c;
    recon_gradient g = { .pieces = &j->pieces,
                         .part = j->partial,
                         .stride = j->stride,
                         .width = count,
                         .out = j->a->dw.data,
                         .count = count };
    if (recon_conv_by_dnnl(j)) {
        if (!is_even(j))
            return sum_unpacked(ctx, j, g.out, count);
        g.width = recon_conv_packed_count(j);
        g.arrange = unpack;
        g.user = j;
    }
    return recon_gradient_sum(ctx, &g);
}

static recon_status take_partials(recon_ctx *ctx, job *j)
{
    recon_arena *arena = recon_worker_arena(ctx, 0);
    j->stride = recon_up(recon_conv_gradient_bytes(j), 64) * 64;
    if (j->a->dw.data)
        RECON_CHECK(recon_arena_take(ctx, arena, &j->partial, j->pieces.tasks, j->stride));
    if (j->a->dbias.data)
        RECON_CHECK(
            recon_arena_take(ctx, arena, &j->bias, j->pieces.tasks * j->o, sizeof *j->bias));
    return RECON_OK;
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
    if (j.n == 0) {
        clear(&a->dw);
        clear(&a->dbias);
        return RECON_OK;
    }
    RECON_TRY(recon_conv_weights(ctx, &j));
    RECON_TRY(recon_conv_plan_back(ctx, &j));
    RECON_TRY(take_partials(ctx, &j));
    RECON_TRY(recon_parallel(ctx, back_task, &j, j.pieces.tasks));
    if (a->dw.data)
        RECON_TRY(sum_weights(ctx, &j));
    if (a->dbias.data)
        RECON_TRY(recon_gradient_sum(ctx, &(recon_gradient){ .pieces = &j.pieces,
                                                             .part = j.bias,
                                                             .stride = j.o * sizeof *j.bias,
                                                             .width = j.o,
                                                             .as_double = 1,
                                                             .out = j.a->dbias.data,
                                                             .count = j.o }));
done:
    recon_arena_release(arena, mark);
    return status;
}
