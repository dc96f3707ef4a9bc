/* conv.c - convolutions and linear layers, a few images at a time.
 *
 * The batch is cut into tasks of so many images as the shape alone says, each computed by one
 * thread, and the gradients of weights are summed over tasks in order: the bits do not depend on
 * the number of threads. Products with one tap (1 x 1, linear) are gemms. The others are oneDNN's,
 * and the gradient of x at stride 1 is one of its forward convolutions, with the taps flipped and
 * the channels exchanged: these are up to 1.8x faster than its backward ones.
 *
 * bf16 goes through float where the processor has no instructions for it: emulated, oneDNN runs at
 * a quarter of the speed of float. */
#include "ops/cpu/cpu.h"
#include "ops/cpu/dnnl.h"
#include "ops/cpu/elements.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

#define TASK_ROWS 2048 /* output pixels of a task: sums of weight gradients cost a few percent */
#define MIN_TASKS 4
#define MAX_TASKS 32 /* each holds a gradient of the weights of its own */

/* A convolution prepared for whole tasks, and for the last one, which may be smaller. */
typedef struct {
    const recon_dnnl_plan *plan[2];
    void *packed[2];
} kernel;

typedef struct {
    const recon_conv_args *a;
    size_t n, h, w, c, o, kh, kw, p, q; /* one tap: every pixel is an image of 1 x 1 */
    int point;                          /* one tap */
    int cast;                           /* bf16 through float */
    recon_dtype type;                   /* what is computed with */
    size_t images, tasks;
    const void *weights; /* in that type */
    kernel forward, data, gradient;
    void *partial; /* the tasks' gradients of the weights, stride bytes apart */
    size_t stride;
    double *bias; /* and of the bias, [tasks][o] */
} job;

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static size_t images_per_task(size_t n, size_t pixels)
{
    size_t images = min(up(TASK_ROWS, pixels ? pixels : 1), up(n, MIN_TASKS));
    return images > up(n, MAX_TASKS) ? images : up(n, MAX_TASKS);
}

static job make_job(const recon_conv_args *a)
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
    j.cast = x->type == RECON_BF16 && !recon_dnnl_has_bf16();
    j.type = j.cast ? RECON_F32 : x->type;
    j.images = images_per_task(j.n, j.p * j.q);
    j.tasks = j.images ? up(j.n, j.images) : 0;
    return j;
}

/* gemm where there is one tap and floats; the rest is oneDNN's. */
static int by_gemm(const job *j)
{
    return j->point && j->type == RECON_F32;
}

static size_t images_of(const job *j, size_t task)
{
    return min(j->images, j->n - task * j->images);
}

static int is_last(const job *j, size_t task)
{
    return images_of(j, task) != j->images;
}

static void *task_part(void *base, size_t at, recon_dtype type)
{
    return (char *)base + at * recon_dtype_size(type);
}

/* Elements at .. at + count of t as the job computes with them: in place, or floats in scratch. */
static recon_status part_in(recon_ctx *ctx, const job *j, int worker, void **out,
                            const recon_tensor *t, size_t at, size_t count)
{
    *out = task_part(t->data, at, t->type);
    if (!j->cast)
        return RECON_OK;
    const uint16_t *from = *out;
    recon_status status =
        recon_arena_take(ctx, recon_worker_arena(ctx, worker), out, count, sizeof(float));
    if (status == RECON_OK)
        recon_floats_from_bf16(*out, from, count);
    return status;
}

static recon_status part_out(recon_ctx *ctx, const job *j, int worker, void **out,
                             const recon_tensor *t, size_t at, size_t count)
{
    *out = task_part(t->data, at, t->type);
    return j->cast
               ? recon_arena_take(ctx, recon_worker_arena(ctx, worker), out, count, sizeof(float))
               : RECON_OK;
}

static void part_done(const job *j, const void *part, const recon_tensor *t, size_t at,
                      size_t count)
{
    if (j->cast)
        recon_floats_to_bf16((uint16_t *)t->data + at, part, count);
}

static recon_status product(recon_ctx *ctx, float *c, const float *a, int transpose_a,
                            const float *b, int transpose_b, size_t m, size_t n, size_t k)
{
    return recon_cpu_gemm(ctx, &(recon_gemm_args){ .type = RECON_F32,
                                                   .transpose_a = transpose_a,
                                                   .transpose_b = transpose_b,
                                                   .m = m,
                                                   .n = n,
                                                   .k = k,
                                                   .alpha = 1,
                                                   .a = a,
                                                   .b = b,
                                                   .c = c,
                                                   .lda = transpose_a ? m : k,
                                                   .ldb = transpose_b ? k : n,
                                                   .ldc = n });
}

RECON_CLONES static void add_bias(float *restrict y, const float *restrict bias, int relu,
                                  size_t rows, size_t cols)
{
    for (size_t r = 0; r < rows; r++, y += cols) {
        if (bias)
            for (size_t c = 0; c < cols; c++)
                y[c] += bias[c];
        if (relu)
            for (size_t c = 0; c < cols; c++)
                y[c] = y[c] < 0 ? 0 : y[c];
    }
}

/* The weights as the job computes with them. */
static recon_status prepare_weights(recon_ctx *ctx, job *j)
{
    void *w;
    recon_status status = part_in(ctx, j, 0, &w, &j->a->w, 0, j->o * j->kh * j->kw * j->c);
    j->weights = w;
    return status;
}

static recon_dnnl_shape shape_of(const job *j, recon_dnnl_kind kind, size_t images)
{
    recon_dnnl_shape s;
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.bf16 = j->type == RECON_BF16;
    s.n = (int64_t)images, s.h = (int64_t)j->h, s.w = (int64_t)j->w, s.c = (int64_t)j->c;
    s.p = (int64_t)j->p, s.q = (int64_t)j->q, s.o = (int64_t)j->o;
    s.kh = (int64_t)j->kh, s.kw = (int64_t)j->kw, s.stride = (int64_t)j->a->stride;
    s.pad_h = s.pad_w = (int64_t)j->a->pad;
    if (j->point) {
        s.n = s.stride = 1;
        s.w = s.q = (int64_t)images;
    }
    return s;
}

/* Can the gradient of x be had by a forward convolution? */
static int is_turnable(const job *j)
{
    return j->point || (j->a->stride == 1 && j->a->pad < j->kh && j->a->pad < j->kw);
}

static recon_dnnl_shape turned(recon_dnnl_shape s)
{
    recon_dnnl_shape t = s;
    t.kind = RECON_DNNL_FORWARD;
    t.h = s.p, t.w = s.q, t.c = s.o;
    t.p = s.h, t.q = s.w, t.o = s.c;
    t.pad_h = s.kh - 1 - s.pad_h;
    t.pad_w = s.kw - 1 - s.pad_w;
    return t;
}

static recon_dnnl_shape shape_for(const job *j, recon_dnnl_kind kind, size_t images)
{
    recon_dnnl_shape s = shape_of(j, kind, images);
    if (kind == RECON_DNNL_DATA && is_turnable(j))
        return turned(s);
    if (kind == RECON_DNNL_FORWARD) {
        s.bias = j->a->bias.data != NULL;
        s.relu = j->a->relu;
    }
    return s;
}

/* Plans for whole tasks and the last; where there are weights, packed for each. */
static recon_status prepare(recon_ctx *ctx, const job *j, kernel *k, recon_dnnl_kind kind,
                            const void *weights)
{
    recon_status status = RECON_OK;
    size_t count[2] = { j->images, j->n % j->images };
    for (int i = 0; i < 2; i++) {
        if (count[i] == 0)
            continue;
        recon_dnnl_shape s = shape_for(j, kind, count[i]);
        RECON_TRY(recon_dnnl_find(ctx, &k->plan[i], &s));
        if (!weights)
            continue;
        RECON_TRY(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &k->packed[i],
                                   recon_dnnl_packed_bytes(k->plan[i]), 1));
        int exchange = kind == RECON_DNNL_DATA && is_turnable(j);
        RECON_TRY(recon_dnnl_pack(ctx, k->plan[i], k->packed[i], weights, exchange));
    }
done:
    return status;
}

/* w[o][kh - 1 - i][kw - 1 - j][c] */
static recon_status flip_taps(recon_ctx *ctx, const job *j, const void **out)
{
    size_t taps = j->kh * j->kw, bytes = j->c * recon_dtype_size(j->type);
    char *to;
    recon_status status =
        recon_arena_take(ctx, recon_worker_arena(ctx, 0), &to, j->o * taps, bytes);
    if (status != RECON_OK)
        return status;
    const char *from = j->weights;
    for (size_t o = 0; o < j->o; o++)
        for (size_t t = 0; t < taps; t++)
            memcpy(to + (o * taps + t) * bytes, from + (o * taps + taps - 1 - t) * bytes, bytes);
    *out = to;
    return RECON_OK;
}

static recon_status prepare_forward(recon_ctx *ctx, job *j)
{
    return by_gemm(j) ? RECON_OK : prepare(ctx, j, &j->forward, RECON_DNNL_FORWARD, j->weights);
}

static recon_status prepare_back(recon_ctx *ctx, job *j)
{
    recon_status status = RECON_OK;
    const void *weights = j->weights;
    if (by_gemm(j))
        return RECON_OK;
    if (j->a->dw.data)
        RECON_TRY(prepare(ctx, j, &j->gradient, RECON_DNNL_WEIGHTS, NULL));
    if (!j->a->dx.data)
        return RECON_OK;
    if (is_turnable(j))
        RECON_TRY(flip_taps(ctx, j, &weights));
    RECON_TRY(prepare(ctx, j, &j->data, RECON_DNNL_DATA, weights));
done:
    return status;
}

static recon_status convolve(recon_ctx *ctx, const job *j, int last, int worker, void *x, void *y)
{
    return recon_dnnl_run(ctx, j->forward.plan[last], worker, x, j->forward.packed[last],
                          j->a->bias.data, y);
}

static recon_status data_gradient(recon_ctx *ctx, const job *j, int last, int worker, void *dx,
                                  void *dy)
{
    void *x = is_turnable(j) ? dy : dx, *y = is_turnable(j) ? dx : dy;
    return recon_dnnl_run(ctx, j->data.plan[last], worker, x, j->data.packed[last], NULL, y);
}

static recon_status weight_gradient(recon_ctx *ctx, const job *j, int last, int worker, void *dw,
                                    void *x, void *dy)
{
    return recon_dnnl_run(ctx, j->gradient.plan[last], worker, x, dw, NULL, dy);
}

static size_t gradient_bytes(const job *j)
{
    size_t plain = j->o * j->kh * j->kw * j->c * sizeof(float), most = plain;
    for (int i = 0; i < 2; i++)
        if (j->gradient.plan[i] && recon_dnnl_packed_bytes(j->gradient.plan[i]) > most)
            most = recon_dnnl_packed_bytes(j->gradient.plan[i]);
    return most;
}

static size_t packed_count(const job *j)
{
    return recon_dnnl_packed_bytes(j->gradient.plan[0]) / sizeof(float);
}

static recon_status unpack(recon_ctx *ctx, const job *j, int last, float *to, const void *from)
{
    return recon_dnnl_unpack(ctx, j->gradient.plan[last], to, from);
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const job *j = arg;
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t images = images_of(j, task), first = task * j->images;
    size_t in = j->h * j->w * j->c, out = j->p * j->q * j->o;
    void *x, *y;
    RECON_TRY(part_in(ctx, j, worker, &x, &j->a->x, first * in, images * in));
    RECON_TRY(part_out(ctx, j, worker, &y, &j->a->y, first * out, images * out));
    if (by_gemm(j)) {
        RECON_TRY(product(ctx, y, x, 0, j->weights, 1, images, j->o, j->c));
        add_bias(y, j->a->bias.data, j->a->relu, images, j->o);
    } else {
        RECON_TRY(convolve(ctx, j, is_last(j, task), worker, x, y));
    }
    part_done(j, y, &j->a->y, first * out, images * out);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_cpu_conv(recon_ctx *ctx, const recon_conv_args *a)
{
    recon_status status = RECON_OK;
    recon_arena *arena = recon_worker_arena(ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    job j = make_job(a);
    if (!by_gemm(&j) && !recon_dnnl_is_there())
        return recon_ops_ref.conv(ctx, a);
    if (j.n == 0)
        return RECON_OK;
    RECON_TRY(prepare_weights(ctx, &j));
    RECON_TRY(prepare_forward(ctx, &j));
    RECON_TRY(recon_parallel(ctx, forward_task, &j, j.tasks));
done:
    recon_arena_release(arena, mark);
    return status;
}

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
    RECON_TRY(part_in(ctx, j, worker, &dy, &j->a->dy, at, count));
    *out = dy;
    if (!j->a->relu)
        return RECON_OK;
    RECON_TRY(part_in(ctx, j, worker, &y, &j->a->y, at, count));
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
            size_t take = min(step, rows - r), width = min(j->o - c, RECON_RUN);
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
    size_t images = images_of(j, task), first = task * j->images;
    size_t in = j->h * j->w * j->c, out = j->p * j->q * j->o;
    int last = is_last(j, task);
    void *dy, *x, *dx, *dw = (char *)j->partial + task * j->stride;
    RECON_TRY(masked(ctx, j, worker, &dy, first * out, images * out));
    if (j->a->dbias.data)
        bias_gradient(j, task, dy, images * j->p * j->q);
    if (j->a->dw.data) {
        RECON_TRY(part_in(ctx, j, worker, &x, &j->a->x, first * in, images * in));
        RECON_TRY(by_gemm(j) ? product(ctx, dw, dy, 1, x, 0, j->o, j->c, images)
                             : weight_gradient(ctx, j, last, worker, dw, x, dy));
    }
    if (j->a->dx.data) {
        RECON_TRY(part_out(ctx, j, worker, &dx, &j->a->dx, first * in, images * in));
        RECON_TRY(by_gemm(j) ? product(ctx, dx, dy, 0, j->weights, 0, images, j->c, j->o)
                             : data_gradient(ctx, j, last, worker, dx, dy));
        part_done(j, dx, &j->a->dx, first * in, images * in);
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
    size_t at = task * FOLD, n = min(FOLD, f->count - at);
    (void)ctx, (void)worker;
    if (f->out != (const void *)f->part)
        memcpy(f->out + at, (const float *)f->part + at, n * sizeof(float));
    for (size_t i = 1; i < f->parts; i++)
        add_floats(f->out + at, (const float *)(f->part + i * f->stride) + at, n);
    return RECON_OK;
}

/* out = the sum of the parts, in order; out may be the first. */
static recon_status sum_parts(recon_ctx *ctx, const job *j, float *out, size_t parts, size_t count)
{
    fold f = { out, j->partial, j->stride, parts, count };
    return recon_parallel(ctx, fold_task, &f, up(count, FOLD));
}

/* Whole tasks share a packing and are summed in it; the last may have another. */
static recon_status sum_weights(recon_ctx *ctx, const job *j)
{
    recon_status status = RECON_OK;
    float *dw = j->a->dw.data, *rest;
    size_t count = j->o * j->kh * j->kw * j->c, whole = j->n / j->images;
    if (by_gemm(j))
        return sum_parts(ctx, j, dw, j->tasks, count);
    RECON_TRY(sum_parts(ctx, j, j->partial, whole, packed_count(j)));
    RECON_TRY(unpack(ctx, j, 0, dw, j->partial));
    if (whole == j->tasks)
        return RECON_OK;
    RECON_TRY(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &rest, count, sizeof *rest));
    RECON_TRY(unpack(ctx, j, 1, rest, (char *)j->partial + whole * j->stride));
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
    j->stride = up(gradient_bytes(j), 64) * 64;
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
    job j = make_job(a);
    if (!by_gemm(&j) && !recon_dnnl_is_there())
        return recon_ops_ref.conv_back(ctx, a);
    if (j.n == 0) {
        clear(&a->dw);
        clear(&a->dbias);
        return RECON_OK;
    }
    RECON_TRY(prepare_weights(ctx, &j));
    RECON_TRY(prepare_back(ctx, &j));
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
