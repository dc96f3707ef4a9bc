/* conv_gemm.h - convolution as a product of matrices, for the shapes cuDNN has no plan for. */
#ifndef OPS_CUDA_CONV_GEMM_H
#define OPS_CUDA_CONV_GEMM_H

#include "ops/cuda/conv_plan.h"

/* on.x, on.w and on.y are of the type, dw is F32. The entry has begun scratch. */
recon_status conv_gemm(recon_ctx *ctx, conv_pass pass, recon_dtype type, const conv_dims &dims,
                       const conv_operands &on);

#endif
