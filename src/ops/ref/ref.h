/* ref.h - the kernels of the ref table, and how they touch numbers.
 *
 * Whatever the type of a tensor, numbers are read as double, computed in double, and rounded once
 * when they are stored: so each kernel is written once, and is the truth for every type. */
#ifndef OPS_REF_REF_H
#define OPS_REF_REF_H

#include "ops/ops.h"
#include "core/f16.h"

static inline double recon_ref_get(const recon_tensor *t, size_t i)
{
    switch (t->type) {
    case RECON_F64: return ((const double *)t->data)[i];
    case RECON_F32: return ((const float *)t->data)[i];
    case RECON_BF16: return recon_bf16_to_float(((const uint16_t *)t->data)[i]);
    case RECON_I8: return ((const int8_t *)t->data)[i];
    default: return ((const int32_t *)t->data)[i];
    }
}

static inline void recon_ref_set(const recon_tensor *t, size_t i, double x)
{
    switch (t->type) {
    case RECON_F64: ((double *)t->data)[i] = x; break;
    case RECON_F32: ((float *)t->data)[i] = (float)x; break;
    case RECON_BF16: ((uint16_t *)t->data)[i] = recon_bf16_from_float((float)x); break;
    default: ((int32_t *)t->data)[i] = (int32_t)x; break;
    }
}

static inline size_t recon_ref_int(const recon_tensor *t, size_t i)
{
    return (size_t)((const int32_t *)t->data)[i];
}

/* Elements at .. at + n, the type asked about once: what loops that matter use. */
void recon_ref_load(double *out, const recon_tensor *t, size_t at, size_t n);
void recon_ref_store(const recon_tensor *t, size_t at, const double *in, size_t n);

/* A copy of the whole tensor in double; free() it. */
recon_status recon_ref_widen(recon_ctx *ctx, double **out, const recon_tensor *t);

/* Calls span for 0 .. n in pieces of fixed size, in parallel. */
typedef void recon_ref_span(const void *args, size_t begin, size_t end);
recon_status recon_ref_spans(recon_ctx *ctx, recon_ref_span *span, const void *args, size_t n,
                             size_t piece);

/* The same for elementwise kernels: pieces of at most RECON_REF_RUN, which fit on the stack. */
#define RECON_REF_RUN 2048
static inline recon_status recon_ref_runs(recon_ctx *ctx, recon_ref_span *span, const void *args,
                                          size_t n)
{
    return recon_ref_spans(ctx, span, args, n, RECON_REF_RUN);
}

recon_status recon_ref_alloc(recon_ctx *ctx, void **out, size_t bytes);
void recon_ref_release(recon_ctx *ctx, void *block);
recon_status recon_ref_upload(recon_ctx *ctx, void *to, const void *host, size_t bytes);
recon_status recon_ref_download(recon_ctx *ctx, void *host, const void *from, size_t bytes);
recon_status recon_ref_zero(recon_ctx *ctx, void *block, size_t bytes);
recon_status recon_ref_sync(recon_ctx *ctx);

recon_status recon_ref_norm2(recon_ctx *ctx, double *out, const void *x, size_t n,
                             recon_dtype type);
int recon_ref_steer_pays(recon_ctx *ctx, const recon_steer_args *args, int training);
#define DECLARE(name, kind)                                                                        \
    recon_status recon_ref_##name(recon_ctx *ctx, const recon_##kind##_args *args);
RECON_OPS(DECLARE)
RECON_HOST_OPS(DECLARE)
#undef DECLARE

#endif
