/* cpu.h - the kernels of the cpu table, one file each. */
#ifndef OPS_CPU_CPU_H
#define OPS_CPU_CPU_H

#include "ops/ops.h"

int recon_cpu_has_fast_bytes(void);
recon_status recon_cpu_gemm(recon_ctx *ctx, const recon_gemm_args *args);
recon_status recon_cpu_topk(recon_ctx *ctx, const recon_topk_args *args);
recon_status recon_cpu_conv(recon_ctx *ctx, const recon_conv_args *args);
recon_status recon_cpu_conv_back(recon_ctx *ctx, const recon_conv_args *args);

#if defined(RECON_HAVE_DNNL)
#define RECON_CPU_NAME "cpu (oneDNN)"
#elif defined(RECON_HAVE_OPENBLAS)
#define RECON_CPU_NAME "cpu (OpenBLAS)"
#else
#define RECON_CPU_NAME "cpu (no library)"
#endif

#endif
