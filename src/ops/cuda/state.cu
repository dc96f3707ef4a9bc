/* state.cu - life of a context on the GPU; memory and copies. */
#include "ops/cuda/state.h"
#include "ops/cuda/conv_plan.h"
#include "ops/cuda/table.h"

#include <stdlib.h>
#include <string.h>

#define STAGE_BYTES   ((size_t)2 << 20)
#define BLAS_BYTES    ((size_t)32 << 20) /* what cuBLAS asks for on Hopper */
#define SCRATCH_FIRST ((size_t)16 << 20)
#define SCRATCH_ALIGN ((size_t)256)

recon_status cuda_failed(recon_ctx *ctx, const char *call, cudaError_t error)
{
    cudaGetLastError(); /* an error that passes must not be found again by the next launch */
    return recon_fail(ctx, error == cudaErrorMemoryAllocation ? RECON_ERR_MEMORY : RECON_ERR_IO,
                      "%s: %s", call, cudaGetErrorString(error));
}

recon_status blas_failed(recon_ctx *ctx, const char *call, cublasStatus_t error)
{
    return recon_fail(ctx, error == CUBLAS_STATUS_ALLOC_FAILED ? RECON_ERR_MEMORY : RECON_ERR_IO,
                      "%s: %s", call, cublasGetStatusString(error));
}

recon_status dnn_failed(recon_ctx *ctx, const char *call, cudnnStatus_t error)
{
    return recon_fail(ctx, RECON_ERR_IO, "%s: %s", call, cudnnGetErrorString(error));
}

recon_status cuda_not_captured(recon_ctx *ctx, const char *what)
{
    if (!cuda_of(ctx)->capturing)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "%s cannot be recorded: run the step once before recording it", what);
}

static void close_state(void *state)
{
    recon_cuda *s = static_cast<recon_cuda *>(state);
    if (s->stream)
        cudaStreamSynchronize(s->stream);
    nccl_leave(s);
    conv_plans_free(s->plans);
    for (staging &stage : s->stage) {
        if (stage.copied)
            cudaEventDestroy(stage.copied);
        cudaFreeHost(stage.host);
    }
    while (s->scratch) {
        scratch_block *block = s->scratch;
        s->scratch = block->older;
        cudaFree(block->data);
        free(block);
    }
    if (s->dnn)
        cudnnDestroy(s->dnn);
    if (s->blas)
        cublasDestroy(s->blas);
    cudaFree(s->blas_space);
    if (s->stream)
        cudaStreamDestroy(s->stream);
    free(s);
}

static recon_status open_parts(recon_ctx *ctx, recon_cuda *s)
{
    CUDA_TRY(cudaSetDevice(s->device));
    CUDA_TRY(cudaDeviceGetAttribute(&s->processors, cudaDevAttrMultiProcessorCount, s->device));
    CUDA_TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    for (staging &stage : s->stage) {
        CUDA_TRY(cudaEventCreateWithFlags(&stage.copied, cudaEventDisableTiming));
    }
    CUDA_TRY(cudaMalloc(&s->blas_space, BLAS_BYTES));
    BLAS_TRY(cublasCreate(&s->blas));
    BLAS_TRY(cublasSetStream(s->blas, s->stream));
    BLAS_TRY(cublasSetWorkspace(s->blas, s->blas_space, BLAS_BYTES)); /* fixed: recordable */
    DNN_TRY(cudnnCreate(&s->dnn));
    DNN_TRY(cudnnSetStream(s->dnn, s->stream));
    return RECON_OK;
}

recon_status recon_cuda_open(recon_ctx *ctx, int place)
{
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "no GPU for backend cuda: %s",
                          cudaGetErrorString(error != cudaSuccess ? error : cudaErrorNoDevice));
    recon_cuda *s = static_cast<recon_cuda *>(calloc(1, sizeof *s));
    if (!s)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%zu bytes for a context's GPU state", sizeof *s);
    s->device = place % devices;
    recon_status status = open_parts(ctx, s);
    if (status == RECON_OK)
        recon_ops_set_state(ctx, s, close_state);
    else
        close_state(s);
    return status;
}

void recon_cuda_tune(recon_ctx *ctx, int on)
{
    cuda_of(ctx)->tune = on;
}

void scratch_begin(recon_ctx *ctx)
{
    cuda_of(ctx)->scratch_used = cuda_of(ctx)->scratch_kept;
}

/* A new block holds all the entry has taken and twice the last one, so that the next call finds
 * everything in one block; pieces taken before stay where they are. */
static recon_status scratch_grow(recon_ctx *ctx, size_t bytes)
{
    recon_cuda *s = cuda_of(ctx);
    TRY(cuda_not_captured(ctx, "a larger scratch memory"));
    size_t size = s->scratch ? 2 * s->scratch->bytes : SCRATCH_FIRST;
    if (size < s->scratch_used + bytes)
        size = s->scratch_used + bytes;
    scratch_block *block = static_cast<scratch_block *>(calloc(1, sizeof *block));
    if (!block)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%zu bytes for a block's record", sizeof *block);
    cudaError_t error = cudaMalloc(&block->data, size);
    if (error != cudaSuccess) {
        free(block);
        return cuda_failed(ctx, "cudaMalloc of scratch memory", error);
    }
    block->bytes = size;
    block->older = s->scratch;
    s->scratch = block;
    return RECON_OK;
}

recon_status scratch_take(recon_ctx *ctx, void **out, size_t bytes)
{
    recon_cuda *s = cuda_of(ctx);
    bytes = (bytes + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
    if (!s->scratch || s->scratch_used + bytes > s->scratch->bytes)
        TRY(scratch_grow(ctx, bytes));
    *out = static_cast<char *>(s->scratch->data) + s->scratch_used;
    s->scratch_used += bytes;
    return RECON_OK;
}

recon_status cuda_alloc(recon_ctx *ctx, void **out, size_t bytes)
{
    *out = NULL;
    TRY(cuda_not_captured(ctx, "an allocation"));
    cudaError_t error = cudaMalloc(out, bytes ? bytes : 1);
    if (error == cudaSuccess)
        return RECON_OK;
    cudaGetLastError();
    return recon_fail(ctx, RECON_ERR_MEMORY, "%zu bytes of GPU memory: %s", bytes,
                      cudaGetErrorString(error));
}

void cuda_release(recon_ctx *ctx, void *block)
{
    (void)ctx;
    cudaFree(block); /* waits for the kernels that use it */
}

/* The next pinned buffer, once its last copy is through. */
static recon_status next_stage(recon_ctx *ctx, staging **out)
{
    recon_cuda *s = cuda_of(ctx);
    *out = &s->stage[s->turn];
    s->turn = (s->turn + 1) % STAGES;
    if (!(*out)->host) /* few contexts need all of them */
        CUDA_TRY(cudaMallocHost(&(*out)->host, STAGE_BYTES));
    CUDA_TRY(cudaEventSynchronize((*out)->copied));
    return RECON_OK;
}

recon_status cuda_upload(recon_ctx *ctx, void *to, const void *host, size_t bytes)
{
    recon_cuda *s = cuda_of(ctx);
    TRY(cuda_not_captured(ctx, "an upload"));
    for (size_t at = 0; at < bytes; at += STAGE_BYTES) {
        size_t part = bytes - at < STAGE_BYTES ? bytes - at : STAGE_BYTES;
        staging *stage;
        TRY(next_stage(ctx, &stage));
        memcpy(stage->host, static_cast<const char *>(host) + at, part);
        CUDA_TRY(cudaMemcpyAsync(static_cast<char *>(to) + at, stage->host, part,
                                 cudaMemcpyHostToDevice, s->stream));
        CUDA_TRY(cudaEventRecord(stage->copied, s->stream));
    }
    return RECON_OK;
}

recon_status cuda_download(recon_ctx *ctx, void *host, const void *from, size_t bytes)
{
    recon_cuda *s = cuda_of(ctx);
    TRY(cuda_not_captured(ctx, "a download"));
    for (size_t at = 0; at < bytes; at += STAGE_BYTES) {
        size_t part = bytes - at < STAGE_BYTES ? bytes - at : STAGE_BYTES;
        staging *stage;
        TRY(next_stage(ctx, &stage));
        CUDA_TRY(cudaMemcpyAsync(stage->host, static_cast<const char *>(from) + at, part,
                                 cudaMemcpyDeviceToHost, s->stream));
        CUDA_TRY(cudaStreamSynchronize(s->stream));
        memcpy(static_cast<char *>(host) + at, stage->host, part);
    }
    return RECON_OK;
}

recon_status cuda_zero(recon_ctx *ctx, void *block, size_t bytes)
{
    CUDA_TRY(cudaMemsetAsync(block, 0, bytes, cuda_of(ctx)->stream));
    return RECON_OK;
}

recon_status cuda_sync(recon_ctx *ctx)
{
    TRY(cuda_not_captured(ctx, "waiting"));
    CUDA_TRY(cudaStreamSynchronize(cuda_of(ctx)->stream));
    return RECON_OK;
}
