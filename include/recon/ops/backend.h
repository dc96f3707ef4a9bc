/* backend.h - which kernels a context computes with, and in which precision.
 *
 * "cpu" uses oneDNN or OpenBLAS where the build found them, "ref" is plain loops: slow, portable,
 * and the truth the others are tested against. "cuda" is the first GPU, in builds made with CUDA=1:
 * the fastest plan for each convolution is found by timing, so two runs may differ in their last
 * bits; "cuda-deterministic" leaves the choice to rules, so that runs repeat; it works in the same slices
 * on up to 8 ranks (docs/cluster.md).
 * A context without a backend takes "cpu" at its first computation.
 *
 * Kernels run under the context's own threads. OpenBLAS, when it is the library used, is told to
 * use one thread of its own, which holds for the whole process. */
#ifndef RECON_OPS_BACKEND_H
#define RECON_OPS_BACKEND_H

#include <recon/core/ctx.h>

/* name: "cpu", "cuda", "cuda-deterministic" or "ref". RECON_ERR_UNSUPPORTED, and the backend stays
 * as it was, when this build has no CUDA or the machine no GPU; the message says which. */
RECON_API recon_status recon_ops_attach(recon_ctx *ctx, const char *name);

/* The backend in use with the library behind it, such as "cpu (oneDNN)". */
RECON_API const char *recon_ops_name(recon_ctx *ctx);

typedef enum {
    RECON_SINGLE, /* float throughout                                                       */
    RECON_MIXED,  /* activations and products in bfloat16, weights and losses in float      */
    RECON_DOUBLE, /* double throughout, on the backend "ref" alone                          */
    RECON_TF32,   /* float; a GPU's tensor cores may round factors to ten bits of mantissa  */
    RECON_AUTO    /* RECON_MIXED where the backend runs it faster than float, else RECON_SINGLE.
                     A model that is opened on the CPU computes in RECON_SINGLE: bfloat16 moves
                     natural poses by 0.1 degrees in the median, but single ones by 20          */
} recon_precision;

/* The precision in which the context's backend computes: RECON_AUTO decided, the
 * others as given. */
RECON_API recon_precision recon_precision_on(recon_ctx *ctx, recon_precision precision);

#endif
