/* conv.c - convolution and its gradients, and with them the linear layer.
 *
 * Operands are widened to double first, so that the inner loops are multiply-adds over contiguous
 * numbers. A task owns what it sums into (a row of y or dx, some filters of dw): sums have one
 * order. Indices outside the image wrap around to huge ones and fail the one comparison. */
#include "ops/ref/ref.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/simd.h"
#include "core/threads.h"

#include <string.h>

#define FILTERS 8 /* of dw and dbias per task */

typedef struct {
    const recon_conv_args *args;
    size_t n, h, w, c;        /* of x        */
    size_t o, kh, kw;         /* of w        */
    size_t p, q, stride, pad; /* of y        */
    double *x;                /* n, h, w, c  */
    double *filter;           /* forward: kh, kw, c, o; backward: o, kh, kw, c as given */
    double *dy;               /* n, p, q, o  */
} conv;

static conv shapes(const recon_conv_args *a)
{
    int image = a->x.ndim == 4;
    conv v = { .args = a,
               .n = image ? a->x.shape[0] : recon_tensor_rows(&a->x),
               .h = image ? a->x.shape[1] : 1,
               .w = image ? a->x.shape[2] : 1,
               .c = recon_tensor_cols(&a->x),
               .o = a->w.shape[0],
               .kh = a->w.ndim == 4 ? a->w.shape[1] : 1,
               .kw = a->w.ndim == 4 ? a->w.shape[2] : 1,
               .stride = image ? a->stride : 1,
               .pad = image ? a->pad : 0 };
    v.p = (v.h + 2 * v.pad - v.kh) / v.stride + 1;
    v.q = (v.w + 2 * v.pad - v.kw) / v.stride + 1;
    return v;
}

static void free_operands(conv *v)
{
    recon_free_all(v->x, v->filter, v->dy);
}

static inline void add_product(double *restrict out, const double *restrict in, double factor,
                               size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += factor * in[i];
}

/* A task's sums, zeroed, in its worker's scratch. */
static recon_status take_sums(recon_ctx *ctx, int worker, double **sum, size_t n)
{
    RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, worker), sum, n, sizeof **sum));
    memset(*sum, 0, n * sizeof **sum);
    return RECON_OK;
}

/* ---- forward ---- */

RECON_CLONES static void forward_row(double *sum, const conv *v, size_t n, size_t p)
{
    for (size_t i = 0; i < v->kh; i++) {
        size_t row = p * v->stride + i - v->pad;
        if (row >= v->h)
            continue;
        const double *x = v->x + (n * v->h + row) * v->w * v->c;
        for (size_t j = 0; j < v->kw; j++)
            for (size_t c = 0; c < v->c; c++) {
                const double *filter = v->filter + ((i * v->kw + j) * v->c + c) * v->o;
                for (size_t q = 0; q < v->q; q++) {
                    size_t col = q * v->stride + j - v->pad;
                    if (col < v->w)
                        add_product(sum + q * v->o, filter, x[col * v->c + c], v->o);
                }
            }
    }
}

static recon_status forward_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const conv *v = arg;
    double *sum;
    RECON_CHECK(take_sums(ctx, worker, &sum, v->q * v->o));
    forward_row(sum, v, index / v->p, index % v->p);
    const recon_conv_args *a = v->args;
    for (size_t i = 0; i < v->q * v->o; i++) {
        if (a->bias.data)
            sum[i] += recon_ref_get(&a->bias, i % v->o);
        if (a->relu && sum[i] < 0)
            sum[i] = 0;
    }
    recon_ref_store(&v->args->y, index * v->q * v->o, sum, v->q * v->o);
    return RECON_OK;
}

/* Outputs last: the inner loop runs over them. */
static recon_status widen_filter(recon_ctx *ctx, conv *v)
{
    size_t taps = v->kh * v->kw * v->c;
    RECON_CHECK(recon_alloc_raw(ctx, &v->filter, taps * v->o, sizeof *v->filter));
    for (size_t o = 0; o < v->o; o++)
        for (size_t t = 0; t < taps; t++)
            v->filter[t * v->o + o] = recon_ref_get(&v->args->w, o * taps + t);
    return RECON_OK;
}

recon_status recon_ref_conv(recon_ctx *ctx, const recon_conv_args *args)
{
    recon_status status;
    conv v = shapes(args);
    RECON_TRY(recon_ref_widen(ctx, &v.x, &args->x));
    RECON_TRY(widen_filter(ctx, &v));
    RECON_TRY(recon_parallel(ctx, forward_task, &v, v.n * v.p));
done:
    free_operands(&v);
    return status;
}

/* ---- backward ---- */

RECON_CLONES static void dx_row(double *sum, const conv *v, size_t n, size_t row)
{
    for (size_t i = 0; i < v->kh; i++) {
        size_t p = (row + v->pad - i) / v->stride;
        if (row + v->pad < i || (row + v->pad - i) % v->stride || p >= v->p)
            continue;
        const double *dy = v->dy + (n * v->p + p) * v->q * v->o;
        for (size_t j = 0; j < v->kw; j++)
            for (size_t o = 0; o < v->o; o++) {
                const double *filter = v->filter + ((o * v->kh + i) * v->kw + j) * v->c;
                for (size_t q = 0; q < v->q; q++) {
                    size_t col = q * v->stride + j - v->pad;
                    if (col < v->w)
                        add_product(sum + col * v->c, filter, dy[q * v->o + o], v->c);
                }
            }
    }
}

static recon_status dx_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const conv *v = arg;
    double *sum;
    RECON_CHECK(take_sums(ctx, worker, &sum, v->w * v->c));
    dx_row(sum, v, index / v->h, index % v->h);
    recon_ref_store(&v->args->dx, index * v->w * v->c, sum, v->w * v->c);
    return RECON_OK;
}

/* Tap i, j of filters begin .. end, over all images. */
RECON_CLONES static void dw_tap(double *sum, const conv *v, size_t i, size_t j, size_t begin,
                                size_t end)
{
    for (size_t np = 0; np < v->n * v->p; np++) {
        size_t row = np % v->p * v->stride + i - v->pad;
        if (row >= v->h)
            continue;
        for (size_t q = 0; q < v->q; q++) {
            size_t col = q * v->stride + j - v->pad;
            if (col >= v->w)
                continue;
            const double *x = v->x + ((np / v->p * v->h + row) * v->w + col) * v->c;
            const double *dy = v->dy + (np * v->q + q) * v->o;
            for (size_t o = begin; o < end; o++)
                add_product(sum + (o - begin) * v->c, x, dy[o], v->c);
        }
    }
}

static recon_status dw_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    const conv *v = arg;
    size_t tap = index % (v->kh * v->kw), begin = index / (v->kh * v->kw) * FILTERS;
    size_t end = v->o - begin < FILTERS ? v->o : begin + FILTERS;
    double *sum;
    RECON_CHECK(take_sums(ctx, worker, &sum, FILTERS * v->c));
    dw_tap(sum, v, tap / v->kw, tap % v->kw, begin, end);
    for (size_t o = begin; o < end; o++)
        recon_ref_store(&v->args->dw, (o * v->kh * v->kw + tap) * v->c, sum + (o - begin) * v->c,
                        v->c);
    return RECON_OK;
}

static void dbias_span(const void *args, size_t begin, size_t end)
{
    const conv *v = args;
    double sum[FILTERS] = { 0 };
    for (size_t r = 0; r < v->n * v->p * v->q; r++)
        for (size_t o = begin; o < end; o++)
            sum[o - begin] += v->dy[r * v->o + o];
    recon_ref_store(&v->args->dbias, begin, sum, end - begin);
}

static void mask_span(const void *args, size_t begin, size_t end)
{
    const conv *v = args;
    for (size_t i = begin; i < end; i++)
        if (!(recon_ref_get(&v->args->y, i) > 0))
            v->dy[i] = 0;
}

recon_status recon_ref_conv_back(recon_ctx *ctx, const recon_conv_args *args)
{
    recon_status status;
    conv v = shapes(args);
    RECON_TRY(recon_ref_widen(ctx, &v.dy, &args->dy));
    if (args->relu)
        RECON_TRY(recon_ref_runs(ctx, mask_span, &v, recon_tensor_count(&args->dy)));
    if (args->dx.data) {
        RECON_TRY(recon_ref_widen(ctx, &v.filter, &args->w));
        RECON_TRY(recon_parallel(ctx, dx_task, &v, v.n * v.h));
    }
    if (args->dw.data) {
        RECON_TRY(recon_ref_widen(ctx, &v.x, &args->x));
        size_t tasks = (v.o + FILTERS - 1) / FILTERS * v.kh * v.kw;
        RECON_TRY(recon_parallel(ctx, dw_task, &v, tasks));
    }
    if (args->dbias.data)
        RECON_TRY(recon_ref_spans(ctx, dbias_span, &v, v.o, FILTERS));
done:
    free_operands(&v);
    return status;
}
