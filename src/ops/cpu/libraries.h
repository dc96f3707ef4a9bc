/* libraries.h - what plug-ins do for the cpu table: products by a BLAS, products and convolutions by
 * oneDNN. All by the calling thread alone. */
#ifndef OPS_CPU_LIBRARIES_H
#define OPS_CPU_LIBRARIES_H

#include "core/plugin.h"
#include "ops/cpu/dnnl.h"

typedef struct {
    recon_plugin plugin;
    void (*sgemm)(const recon_gemm_args *g);
} recon_blas;

/* What a call has come to: 0, or oneDNN's status, and which call it was. */
enum { RECON_ONEDNN_MEMORY = 1 };
typedef struct {
    int status;
    const char *call;
} recon_onednn_result;

typedef enum { RECON_ISA_VNNI, RECON_ISA_BF16, RECON_ISA_AMX } recon_onednn_isa;

/* Engines, streams and plans are the library's objects behind our names; each but a plan's making and
 * its run is as oneDNN says. */
typedef struct {
    recon_plugin plugin;
    int (*uses)(recon_onednn_isa isa);                     /* never above the user's limit */
    recon_onednn_result (*gemm)(const recon_gemm_args *g); /* floats, or bytes */
    recon_onednn_result (*engine_new)(void **out);
    void (*engine_free)(void *engine);
    recon_onednn_result (*stream_new)(void **out, void *engine);
    void (*stream_free)(void *stream);
    recon_onednn_result (*plan_new)(void **out, void *engine, const recon_dnnl_shape *shape);
    void (*plan_free)(void *plan);
    size_t (*packed_bytes)(const void *plan);
    size_t (*scratch_bytes)(const void *plan);
    /* Weights to the plan's packing, rotated as recon_dnnl_pack says, or back again. */
    recon_onednn_result (*pack)(const void *plan, void *stream, void *packed, const void *weights,
                                int rotated);
    recon_onednn_result (*unpack)(const void *plan, void *stream, void *weights,
                                  const void *packed);
    recon_onednn_result (*run)(const void *plan, void *stream, void *x, void *packed,
                               const float *bias, void *y, void *scratch);
} recon_onednn;

/* NULL where there is none. */
static inline const recon_onednn *recon_onednn_get(void)
{
    return (const recon_onednn *)recon_plugin_get(RECON_PLUGIN_ONEDNN);
}
/* Asked for only where there is no oneDNN: that is up to 1.3x faster on the tall thin products we make. */
static inline const recon_blas *recon_blas_get(void)
{
    return (const recon_blas *)recon_plugin_get(RECON_PLUGIN_BLAS);
}

#endif
