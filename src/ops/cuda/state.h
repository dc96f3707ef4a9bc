/* state.h - what a context owns on the GPU, and how calls there fail.
 *
 * One stream orders everything. Scratch memory belongs to the entry that runs: it starts from
 * nothing at each call, or behind what the entry that calls it keeps. Blocks that became too small are
 * kept until the context goes, because a recorded step goes on using their addresses. */
#ifndef OPS_CUDA_STATE_H
#define OPS_CUDA_STATE_H

#include <cuda_runtime.h>
#include <cublas_v2.h>
#include <cudnn.h>

#include "ops/cuda/attach.h"
#include "ops/state.h"
extern "C" {
#include "core/fail.h"
}

struct conv_plan;  /* conv_plan.h */
struct nccl_peers; /* nccl.cu */

struct scratch_block {
    scratch_block *older;
    size_t bytes;
    void *data;
};

/* Pinned buffers, for the inputs of most steps and more: the host fills those of the next step while the
 * GPU, which copies in order, is at work on this one. */
enum { STAGES = 16 };
struct staging {
    void *host;
    cudaEvent_t copied;
};

struct recon_cuda {
    cudaStream_t stream;
    cublasHandle_t blas;
    cudnnHandle_t dnn;
    int device;     /* its number among those that this process sees */
    int processors; /* multiprocessors of the GPU */
    int capturing, tune;
    scratch_block *scratch; /* the newest is the largest */
    size_t scratch_used;    /* by the entry that runs    */
    size_t scratch_kept;    /* by one that calls others  */
    void *blas_space;
    staging stage[STAGES];
    unsigned turn; /* which of them is next */
    conv_plan *plans;
    nccl_peers *peers; /* NULL: none were asked for */
};

static inline recon_cuda *cuda_of(const recon_ctx *ctx)
{
    return static_cast<recon_cuda *>(recon_ops_state(ctx));
}

/* Message: the call as it is written, and what the library says of it. */
recon_status cuda_failed(recon_ctx *ctx, const char *call, cudaError_t error);
recon_status blas_failed(recon_ctx *ctx, const char *call, cublasStatus_t error);
recon_status dnn_failed(recon_ctx *ctx, const char *call, cudnnStatus_t error);

#define CUDA_TRY(call)                                                                             \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return cuda_failed(ctx, #call, error_);                                                \
    } while (0)
#define BLAS_TRY(call)                                                                             \
    do {                                                                                           \
        cublasStatus_t error_ = (call);                                                            \
        if (error_ != CUBLAS_STATUS_SUCCESS)                                                       \
            return blas_failed(ctx, #call, error_);                                                \
    } while (0)
#define DNN_TRY(call)                                                                              \
    do {                                                                                           \
        cudnnStatus_t error_ = (call);                                                             \
        if (error_ != CUDNN_STATUS_SUCCESS)                                                        \
            return dnn_failed(ctx, #call, error_);                                                 \
    } while (0)
#define TRY(call)                                                                                  \
    do {                                                                                           \
        recon_status status_ = (call);                                                             \
        if (status_ != RECON_OK)                                                                   \
            return status_;                                                                        \
    } while (0)

/* While a step is recorded, what may not be in it is refused by name. */
recon_status cuda_not_captured(recon_ctx *ctx, const char *what);

/* Scratch: an entry that needs some begins, then takes pieces, each aligned to 256 bytes. One that calls
 * others keeps its own (slices.h). */
void scratch_begin(recon_ctx *ctx);
recon_status scratch_take(recon_ctx *ctx, void **out, size_t bytes);
template <class T> recon_status scratch_take(recon_ctx *ctx, T **out, size_t count)
{
    void *data = nullptr;
    recon_status status = scratch_take(ctx, &data, count * sizeof(T));
    *out = static_cast<T *>(data);
    return status;
}

/* What a context has of its peers, before it goes: see nccl.cu. */
void nccl_leave(recon_cuda *state);

#endif
