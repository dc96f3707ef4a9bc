/* numbers.c - runs of numbers between their stored type and double, and loops over fixed pieces. */
#include "ops/ref/ref.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#define EACH(type, value)                                                                          \
    for (size_t i = 0; i < n; i++) {                                                               \
        type v = ((const type *)t->data)[at + i];                                                  \
        out[i] = (value);                                                                          \
    }                                                                                              \
    break

void recon_ref_load(double *out, const recon_tensor *t, size_t at, size_t n)
{
    switch (t->type) {
    case RECON_F64: EACH(double, v);
    case RECON_F32: EACH(float, (double)v);
    case RECON_BF16: EACH(uint16_t, (double)recon_bf16_to_float(v));
    default: EACH(int32_t, v);
    }
}

void recon_ref_store(const recon_tensor *t, size_t at, const double *in, size_t n)
{
    switch (t->type) {
    case RECON_F64:
        for (size_t i = 0; i < n; i++)
            ((double *)t->data)[at + i] = in[i];
        break;
    case RECON_F32:
        for (size_t i = 0; i < n; i++)
            ((float *)t->data)[at + i] = (float)in[i];
        break;
    default:
        for (size_t i = 0; i < n; i++)
            ((uint16_t *)t->data)[at + i] = recon_bf16_from_float((float)in[i]);
        break;
    }
}

typedef struct {
    recon_ref_span *span;
    const void *args;
    size_t n, piece;
} spans;

static recon_status span_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    (void)ctx, (void)worker;
    const spans *s = arg;
    size_t begin = index * s->piece;
    s->span(s->args, begin, s->n - begin < s->piece ? s->n : begin + s->piece);
    return RECON_OK;
}

recon_status recon_ref_spans(recon_ctx *ctx, recon_ref_span *span, const void *args, size_t n,
                             size_t piece)
{
    spans s = { span, args, n, piece };
    return recon_parallel(ctx, span_task, &s, (n + piece - 1) / piece);
}

typedef struct {
    double *out;
    const recon_tensor *in;
} widening;

static void widen_span(const void *args, size_t begin, size_t end)
{
    const widening *w = args;
    recon_ref_load(w->out + begin, w->in, begin, end - begin);
}

recon_status recon_ref_widen(recon_ctx *ctx, double **out, const recon_tensor *t)
{
    size_t n = recon_tensor_count(t);
    RECON_CHECK(recon_alloc_raw(ctx, out, n, sizeof **out));
    return recon_ref_spans(ctx, widen_span, &(widening){ *out, t }, n, 1 << 16);
}
