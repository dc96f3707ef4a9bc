/* bytes.h - products of bytes without a library. oneDNN 2.6 runs them on AMX where the CPU has it, and
 * then walks over the result once more to add offsets, number by number, even where there are none:
 * for sums of 128 terms that takes three times as long as the product. */
#ifndef OPS_CPU_BYTES_H
#define OPS_CPU_BYTES_H

#include "ops/ops.h"

/* Has the CPU the instructions (AVX-512 VNNI), and this product the form: not transposed, a multiple of
 * four terms? */
int recon_bytes_fit(const recon_gemm_args *args);

/* One tile of such a product, by one thread. */
recon_status recon_bytes_tile(recon_ctx *ctx, const recon_gemm_args *args, int worker);

#endif
