/* dnnl.h - convolutions and products with packed weights by oneDNN, one library thread each.
 *
 * A plan is a convolution of fixed shape, ready to run. Plans are kept in the context, the latest
 * few hundred of them, and found again by their shape; one plan may run on several workers at once,
 * each with its own scratch. Images are plain NHWC: on AVX-512 the library's kernels for it
 * (batch-reduce gemm) are as fast as those for its blocked layout or faster. Weights want packing,
 * once per call. */
#ifndef OPS_CPU_DNNL_H
#define OPS_CPU_DNNL_H

#include "ops/ops.h"

typedef enum {
    RECON_DNNL_FORWARD,
    RECON_DNNL_DATA,
    RECON_DNNL_WEIGHTS,
    RECON_DNNL_PRODUCT
} recon_dnnl_kind;

/* The shape: x n,h,w,c and y n,p,q,o. A product: n rows of c numbers, w apart, to rows of o, q
 * apart; kh and kw are 1. Compared as bytes, so all fields are of one type: there is no padding. */
typedef struct {
    int64_t kind; /* a recon_dnnl_kind */
    int64_t bf16; /* images and weights, never the gradient of weights */
    int64_t bias; /* forward only */
    int64_t n, h, w, c, o, kh, kw, p, q, stride, pad_h, pad_w;
} recon_dnnl_shape;

typedef struct recon_dnnl_plan recon_dnnl_plan;

int recon_dnnl_is_there(void); /* is there a oneDNN? */

recon_status recon_dnnl_find(recon_ctx *ctx, const recon_dnnl_plan **out,
                             const recon_dnnl_shape *shape);

/* Bytes of the weights, or of their gradient, as the plan wants them. */
size_t recon_dnnl_packed_bytes(const recon_dnnl_plan *plan);

/* Weights o,kh,kw,c to the plan's packing. rotated: they are given as c,kh,kw,o, the weights of the
 * convolution whose gradient this one computes (the caller has flipped the taps). */
recon_status recon_dnnl_pack(recon_ctx *ctx, const recon_dnnl_plan *plan, void *packed,
                             const void *weights, int rotated);
/* The gradient, from the plan's packing to o,kh,kw,c. */
recon_status recon_dnnl_unpack(recon_ctx *ctx, const recon_dnnl_plan *plan, float *weights,
                               const void *packed);

/* x, packed, y: of each kind two are read and the one it is named for is written. bias is forward's
 * and optional. Scratch comes from the worker's arena. */
recon_status recon_dnnl_run(recon_ctx *ctx, const recon_dnnl_plan *plan, int worker, void *x,
                            void *packed, const float *bias, void *y);

/* Are convolutions of bf16 faster than of float? With AMX, where it works; without it, where the
 * processor has AVX512_BF16. Processors with both run AVX512_BF16 at half the speed of float. */
int recon_dnnl_has_fast_bf16(recon_ctx *ctx);

/* Products of bytes four at a time. Without these instructions the library sums in sixteen bits,
 * which saturate: not exact. */
int recon_dnnl_has_exact_bytes(void);
/* Does the library run products on AMX? */
int recon_dnnl_takes_amx(void);

/* What the CPU and the operating system allow, asked at run time. Libraries ask the same questions and
 * have been wrong: oneDNN 2.6 takes a CPU's word that it has AMX, and its kernels die with SIGILL where a
 * hypervisor hides the tiles' shape. */

/* Has the CPU AMX, whether or not it may be used? */
int recon_processor_has_amx(void);

/* May AMX be used by this process: are the tile registers enabled, permitted (oneDNN asks the
 * kernel for them when it is first called), and of the shape every kernel is written for? */
int recon_processor_may_use_amx(void);

#endif
