/* backend.h - which kernels a context computes with.
 *
 * "cpu" uses oneDNN or OpenBLAS where the build found them, "ref" is plain loops: slow, portable,
 * and the truth the others are tested against. "cuda" is the first GPU, in builds made with CUDA=1:
 * the fastest plan for each convolution is found by timing, so two runs may differ in their last
 * bits; "cuda-deterministic" leaves the choice to rules, and runs repeat. A context without a
 * backend takes "cpu" at its first computation.
 *
 * Kernels run under the context's own threads. OpenBLAS, when it is the library used, is told to
 * use one thread of its own, which holds for the whole process. */
#ifndef RECON_OPS_BACKEND_H
#define RECON_OPS_BACKEND_H

#include <recon/core/ctx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name: "cpu", "cuda", "cuda-deterministic" or "ref". RECON_ERR_UNSUPPORTED, and the backend stays
 * as it was, when this build has no CUDA or the machine no GPU; the message says which. */
RECON_API recon_status recon_ops_attach(recon_ctx *ctx, const char *name);

/* The backend in use with the library behind it, such as "cpu (oneDNN)". */
RECON_API const char *recon_ops_name(recon_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
