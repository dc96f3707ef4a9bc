/* conv_plan.h - convolutions by cuDNN's graph interface, one plan for each shape, kept.
 *
 * The graph interface, because it names each engine's numerical behaviour: only deterministic
 * engines are taken, and for F32 only those that multiply in F32, unless TF32 is allowed. Images
 * are n, h, w, c and filters o, kh, kw, c, as everywhere here. */
#ifndef OPS_CUDA_CONV_PLAN_H
#define OPS_CUDA_CONV_PLAN_H

#include "ops/cuda/state.h"

/* The sizes of a convolution, and whether F32 may be multiplied as TF32. A linear layer has one
 * pixel. */
struct conv_dims {
    size_t n, h, w, c, o, kh, kw, p, q, stride, pad;
    bool tf32;
    bool operator==(const conv_dims &) const = default;
};

enum conv_pass { CONV_FORWARD, CONV_BACK_DATA, CONV_BACK_FILTER };

/* What a plan is for. filter: the type of w, or of dw. */
struct conv_key {
    conv_pass pass;
    recon_dtype type, filter;
    conv_dims dims;
    bool operator==(const conv_key &) const = default;
};

/* y is dy and so on in the backward passes: two are read, one is written. */
struct conv_operands {
    void *x, *w, *y;
};

/* The plan for key, made at its first use; *out is NULL when cuDNN has none that is allowed. Tuning
 * runs plans on the operands, so that the one written holds nothing yet. */
recon_status conv_plan_find(recon_ctx *ctx, const conv_plan **out, const conv_key &key,
                            const conv_operands &on);

/* Workspace is scratch: the entry has begun it. */
recon_status conv_plan_run(recon_ctx *ctx, const conv_plan *plan, const conv_operands &on);

/* Milliseconds of one run, as measured when tuning; 0 otherwise. */
double conv_plan_ms(const conv_plan *plan);

void conv_plans_free(conv_plan *plans);

/* A convolution as a product of matrices, for the shapes cuDNN has no plan for: on.x, on.w and on.y are
 * of the type, dw is F32. The entry has begun scratch. */
recon_status conv_gemm(recon_ctx *ctx, conv_pass pass, recon_dtype type, const conv_dims &dims,
                       const conv_operands &on);

#endif
