/* cpu.c - the table for the host's processor. */
#include "ops/cpu/cpu.h"

const recon_ops recon_ops_cpu = {
    .name = RECON_CPU_NAME,
    .has_fast_bytes = recon_cpu_has_fast_bytes,
    .gemm = recon_cpu_gemm,
    .topk = recon_cpu_topk,
};
