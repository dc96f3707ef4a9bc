/* nccl.cu - sums over the ranks' GPUs by NCCL, which is loaded when ranks join: a build needs neither
 * its header nor its library. Names and numbers below are those of NCCL 2, whose binary interface
 * stays. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/state.h"
#include "ops/cuda/table.h"
extern "C" {
#include "comm/comm.h"
}

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NCCL_OK = 0, NCCL_BYTE = 0, NCCL_FLOAT = 7, NCCL_SUM = 0 };
struct nccl_id {
    char bytes[RECON_PEERS_ID];
};
#if __has_include(<nccl.h>)
#include <nccl.h>
static_assert(sizeof(ncclUniqueId) == sizeof(nccl_id) && (int)ncclFloat32 == NCCL_FLOAT &&
                  (int)ncclInt8 == NCCL_BYTE && (int)ncclSum == NCCL_SUM &&
                  (int)ncclSuccess == NCCL_OK,
              "as NCCL has them");
#endif

struct nccl_library {
    void *handle;
    int (*get_id)(nccl_id *);
    int (*init)(void **comm, int size, nccl_id id, int rank);
    int (*destroy)(void *comm);
    int (*all_reduce)(const void *from, void *to, size_t n, int type, int op, void *comm,
                      cudaStream_t stream);
    int (*broadcast)(const void *from, void *to, size_t n, int type, int root, void *comm,
                     cudaStream_t stream);
    int (*group_start)(void);
    int (*group_end)(void);
    const char *(*explain)(int code);
};

/* What a context keeps. */
struct nccl_peers {
    nccl_library nccl;
    void *comm;
    int size;
    cudaStream_t beside; /* where sums go on while kernels run in the context's own */
    cudaEvent_t begun, summed;
    int under_way; /* sums that kernels do not wait for yet */
};

template <class F> static bool find(void *handle, F **out, const char *name)
{
    *reinterpret_cast<void **>(out) = dlsym(handle, name);
    return *out != nullptr;
}

static bool find_all(nccl_library *n)
{
    return find(n->handle, &n->get_id, "ncclGetUniqueId") &&
           find(n->handle, &n->init, "ncclCommInitRank") &&
           find(n->handle, &n->destroy, "ncclCommDestroy") &&
           find(n->handle, &n->all_reduce, "ncclAllReduce") &&
           find(n->handle, &n->broadcast, "ncclBroadcast") &&
           find(n->handle, &n->group_start, "ncclGroupStart") &&
           find(n->handle, &n->group_end, "ncclGroupEnd") &&
           find(n->handle, &n->explain, "ncclGetErrorString");
}

/* RECON_NCCL names the library's file; "none": there is none. */
static recon_status load(recon_ctx *ctx, nccl_library *n)
{
    const char *chosen = getenv("RECON_NCCL"), *file = chosen && *chosen ? chosen : "libnccl.so.2";
    if (!strcmp(file, "none"))
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "RECON_NCCL=none");
    n->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!n->handle)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s", dlerror());
    if (find_all(n))
        return RECON_OK;
    dlclose(n->handle);
    n->handle = nullptr;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "%s is not NCCL 2", file);
}

static recon_status open_peers(recon_ctx *ctx)
{
    recon_cuda *s = cuda_of(ctx);
    if (s->peers)
        return RECON_OK;
    nccl_peers *p = static_cast<nccl_peers *>(calloc(1, sizeof *p));
    if (!p)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    recon_status status = load(ctx, &p->nccl);
    if (status == RECON_OK)
        s->peers = p;
    else
        free(p);
    return status;
}

void nccl_leave(recon_cuda *s)
{
    if (!s->peers)
        return;
    nccl_peers *p = s->peers;
    if (p->comm)
        p->nccl.destroy(p->comm);
    if (p->begun)
        cudaEventDestroy(p->begun);
    if (p->summed)
        cudaEventDestroy(p->summed);
    if (p->beside)
        cudaStreamDestroy(p->beside);
    free(p); /* the library stays: it has threads of its own */
    s->peers = nullptr;
}

static recon_status check(recon_ctx *ctx, const nccl_peers *p, const char *call, int code)
{
    return code == NCCL_OK ? RECON_OK
                           : recon_fail(ctx, RECON_ERR_IO, "%s: %s", call, p->nccl.explain(code));
}

static recon_status card(recon_ctx *ctx, char out[RECON_PEERS_CARD])
{
    memset(out, 0, RECON_PEERS_CARD);
    CUDA_TRY(cudaDeviceGetPCIBusId(out, RECON_PEERS_CARD, cuda_of(ctx)->device));
    return RECON_OK;
}

static recon_status make_id(recon_ctx *ctx, unsigned char id[RECON_PEERS_ID])
{
    nccl_id made;
    TRY(open_peers(ctx));
    nccl_peers *p = cuda_of(ctx)->peers;
    TRY(check(ctx, p, "ncclGetUniqueId", p->nccl.get_id(&made)));
    memcpy(id, made.bytes, RECON_PEERS_ID);
    return RECON_OK;
}

/* A sum takes few of the GPU's processors, and is waited for: it goes first where both could. */
static recon_status open_stream(recon_ctx *ctx, nccl_peers *p)
{
    int least, greatest;
    CUDA_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_TRY(cudaStreamCreateWithPriority(&p->beside, cudaStreamNonBlocking, greatest));
    CUDA_TRY(cudaEventCreateWithFlags(&p->begun, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&p->summed, cudaEventDisableTiming));
    return RECON_OK;
}

static recon_status join(recon_ctx *ctx, const unsigned char id[RECON_PEERS_ID], int rank, int size)
{
    nccl_id made;
    TRY(open_peers(ctx));
    nccl_peers *p = cuda_of(ctx)->peers;
    memcpy(made.bytes, id, RECON_PEERS_ID);
    if (p->comm)
        return RECON_OK;
    p->size = size;
    if (!p->summed) /* a second try has them */
        TRY(open_stream(ctx, p));
    return check(ctx, p, "ncclCommInitRank", p->nccl.init(&p->comm, size, made, rank));
}

/* The fastest order: runs that must repeat cut their batches into slices, and gather those. Events are
 * what a graph that records both streams is made of, too. */
static recon_status sum(recon_ctx *ctx, float *x, size_t n)
{
    nccl_peers *p = cuda_of(ctx)->peers;
    CUDA_TRY(cudaEventRecord(p->begun, cuda_of(ctx)->stream));
    CUDA_TRY(cudaStreamWaitEvent(p->beside, p->begun, 0));
    p->under_way = 1;
    return check(ctx, p, "ncclAllReduce",
                 p->nccl.all_reduce(x, x, n, NCCL_FLOAT, NCCL_SUM, p->comm, p->beside));
}

static recon_status sums_end(recon_ctx *ctx)
{
    nccl_peers *p = cuda_of(ctx)->peers;
    if (!p->under_way)
        return RECON_OK;
    p->under_way = 0;
    CUDA_TRY(cudaEventRecord(p->summed, p->beside));
    CUDA_TRY(cudaStreamWaitEvent(cuda_of(ctx)->stream, p->summed, 0));
    return RECON_OK;
}

extern "C" const recon_peer_table recon_cuda_peers = { card, make_id, join, sum, sums_end };

/* ---- rows of all ranks ---- */

/* Each rank's rows from it to all: their numbers may differ. */
static recon_status gather_by_nccl(recon_ctx *ctx, const nccl_peers *p, char *rows,
                                   const size_t *begin, size_t bytes)
{
    cudaStream_t stream = cuda_of(ctx)->stream;
    TRY(check(ctx, p, "ncclGroupStart", p->nccl.group_start()));
    int code = NCCL_OK;
    for (int r = 0; r < p->size && code == NCCL_OK; r++) {
        char *at = rows + begin[r] * bytes;
        code = p->nccl.broadcast(at, at, (begin[r + 1] - begin[r]) * bytes, NCCL_BYTE, r, p->comm,
                                 stream);
    }
    int end = p->nccl.group_end();
    return check(ctx, p, "ncclBroadcast", code == NCCL_OK ? end : code);
}

static recon_status gather_by_hosts(recon_ctx *ctx, char *rows, const size_t *begin, size_t bytes)
{
    int rank = recon_comm_rank(ctx);
    size_t all = begin[recon_comm_size(ctx)] * bytes, own = begin[rank] * bytes;
    char *host = static_cast<char *>(malloc(all ? all : 1));
    if (!host)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%zu bytes for what ranks exchange", all);
    recon_status status = cuda_download(ctx, host + own, rows + own, begin[rank + 1] * bytes - own);
    if (status == RECON_OK)
        status = recon_comm_gather_parts(ctx, host, begin, bytes);
    if (status == RECON_OK)
        status = cuda_upload(ctx, rows, host, all);
    free(host);
    return status;
}

recon_status cuda_gather_ranks(recon_ctx *ctx, void *rows, const size_t *begin, size_t bytes)
{
    const nccl_peers *p = cuda_of(ctx)->peers;
    char *at = static_cast<char *>(rows);
    if (recon_comm_size(ctx) == 1)
        return RECON_OK;
    return p && p->comm ? gather_by_nccl(ctx, p, at, begin, bytes)
                        : gather_by_hosts(ctx, at, begin, bytes);
}
