/* backend.h - the kernels and the precision that a context computes with.
 *
 * "cpu" uses oneDNN or OpenBLAS if the build found them. "ref" is plain loops: slow, portable, and
 * the reference that the others are tested against. "cuda" is the first GPU, in builds made with
 * CUDA=1. It times the algorithms for each convolution and takes the fastest, so two runs may
 * differ in their last bits; "cuda-deterministic" chooses by rules, so that runs repeat, and on up
 * to 8 ranks works in the same slices (docs/cluster.md). A context without a backend attaches "cpu"
 * at its first computation.
 *
 * Kernels run on the context's own threads. If OpenBLAS is used, it is set to one thread of its
 * own, for the whole process. */
#ifndef RECON_OPS_BACKEND_H
#define RECON_OPS_BACKEND_H

#include <recon/core/ctx.h>

/* Selects the backend "cpu", "cuda", "cuda-deterministic" or "ref". RECON_ERR_UNSUPPORTED, without
 * changing the backend, if this build has no CUDA or the machine has no GPU; the message tells
 * which. */
RECON_API recon_status recon_ops_attach(recon_ctx *ctx, const char *name);

/* Returns the backend in use and its library, such as "cpu (oneDNN)". */
RECON_API const char *recon_ops_name(recon_ctx *ctx);

typedef enum {
    RECON_SINGLE, /* float throughout */
    RECON_MIXED,  /* activations and products in bfloat16, weights and losses in float */
    RECON_DOUBLE, /* double throughout; only the backend "ref" */
    RECON_TF32,   /* float; the tensor cores of a GPU may round factors to ten bits of mantissa */
    /* RECON_MIXED if the backend runs it faster than float, else RECON_SINGLE. A model that is
     * opened on the CPU computes in RECON_SINGLE: bfloat16 moves natural poses by 0.1 degrees in
     * the median, but a few by 20. */
    RECON_AUTO
} recon_precision;

/* Returns the precision that the context's backend computes in: resolves RECON_AUTO, and returns
 * the others as given. */
RECON_API recon_precision recon_precision_on(recon_ctx *ctx, recon_precision precision);

#endif
