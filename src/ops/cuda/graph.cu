/* graph.cu - a step recorded as a CUDA graph. */
#include "ops/cuda/state.h"

static recon_status begin(recon_ctx *ctx)
{
    recon_cuda *s = cuda_of(ctx);
    TRY(cuda_not_captured(ctx, "a second step within the first"));
    CUDA_TRY(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal));
    s->capturing = 1;
    return RECON_OK;
}

/* A recon_graph is CUDA's executable graph and nothing else. */
static recon_status end(recon_ctx *ctx, recon_graph **out)
{
    recon_cuda *s = cuda_of(ctx);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    s->capturing = 0;
    CUDA_TRY(cudaStreamEndCapture(s->stream, &graph));
    cudaError_t error = cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    if (error != cudaSuccess)
        return cuda_failed(ctx, "cudaGraphInstantiate", error);
    *out = reinterpret_cast<recon_graph *>(exec);
    return RECON_OK;
}

static recon_status launch_graph(recon_ctx *ctx, const recon_graph *graph)
{
    recon_graph *g = const_cast<recon_graph *>(graph);
    CUDA_TRY(cudaGraphLaunch(reinterpret_cast<cudaGraphExec_t>(g), cuda_of(ctx)->stream));
    return RECON_OK;
}

static void release(recon_graph *graph)
{
    cudaGraphExecDestroy(reinterpret_cast<cudaGraphExec_t>(graph));
}

extern "C" const recon_graph_table recon_cuda_graphs = { begin, end, launch_graph, release };
