/* cpu.h - the kernels of the cpu table. */
#ifndef OPS_CPU_CPU_H
#define OPS_CPU_CPU_H

#include "ops/ops.h"

/* What has no kernel of its own here is ref's. */
#define recon_cpu_tensor_product      recon_ref_tensor_product
#define recon_cpu_tensor_product_back recon_ref_tensor_product_back

/* A matrix of floats whose rows are ld apart, or its transpose. */
typedef struct {
    const float *at;
    size_t ld;
    int transpose;
} recon_matrix;
static inline recon_matrix recon_plain(const float *at, size_t ld)
{
    return (recon_matrix){ at, ld, 0 };
}
static inline recon_matrix recon_transposed(const float *at, size_t ld)
{
    return (recon_matrix){ at, ld, 1 };
}
/* c = a b + beta c, where c is mnk[0] x mnk[1] with rows ldc apart, and the sums
 * have mnk[2] terms. */
recon_status recon_cpu_product(recon_ctx *ctx, float *c, size_t ldc, recon_matrix a, recon_matrix b,
                               const size_t mnk[3], double beta);

/* Products of bytes without a library. oneDNN 2.6 runs them on AMX where the CPU has it, and then walks
 * over the result once more to add offsets, number by number, even where there are none: for sums of 128
 * terms that takes three times as long as the product. Has the CPU the instructions (AVX-512 VNNI), and
 * this product the form: not transposed, a multiple of four terms? */
int recon_bytes_fit(const recon_gemm_args *args);
/* One tile of such a product, by one thread. */
recon_status recon_bytes_tile(recon_ctx *ctx, const recon_gemm_args *args, int worker);

recon_status recon_cpu_norm2(recon_ctx *ctx, double *out, const void *x, size_t n,
                             recon_dtype type);
int recon_cpu_steer_pays(recon_ctx *ctx, const recon_steer_args *args, int training);
/* "cpu (oneDNN)"; kept until this thread asks again. */
const char *recon_cpu_name(void);
/* Warns, once, of a library that is broken, and if there is none. */
void recon_cpu_warn(recon_ctx *ctx);
#define DECLARE(name, kind)                                                                        \
    recon_status recon_cpu_##name(recon_ctx *ctx, const recon_##kind##_args *args);
RECON_OPS(DECLARE)
RECON_HOST_OPS(DECLARE)
#undef DECLARE

#endif
