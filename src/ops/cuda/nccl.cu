/* nccl.cu - sums over the ranks' GPUs by NCCL, which is loaded when ranks join: a build needs neither
 * its header nor its library. Names and numbers below are those of NCCL 2, whose binary interface
 * stays. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/peers.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NCCL_OK = 0, NCCL_FLOAT = 7, NCCL_SUM = 0 };
struct nccl_id {
    char bytes[RECON_PEERS_ID];
};
#if __has_include(<nccl.h>)
#include <nccl.h>
static_assert(sizeof(ncclUniqueId) == sizeof(nccl_id) && (int)ncclFloat32 == NCCL_FLOAT &&
                  (int)ncclSum == NCCL_SUM && (int)ncclSuccess == NCCL_OK,
              "as NCCL has them");
#endif

struct nccl_library {
    void *handle;
    int (*get_id)(nccl_id *);
    int (*init)(void **comm, int size, nccl_id id, int rank);
    int (*destroy)(void *comm);
    int (*all_reduce)(const void *from, void *to, size_t n, int type, int op, void *comm,
                      cudaStream_t stream);
    int (*all_gather)(const void *from, void *to, size_t n, int type, void *comm,
                      cudaStream_t stream);
    const char *(*explain)(int code);
};

/* What a context keeps. */
struct nccl_peers {
    nccl_library nccl;
    void *comm;
    int size;
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
           find(n->handle, &n->all_gather, "ncclAllGather") &&
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
    if (s->peers->comm)
        s->peers->nccl.destroy(s->peers->comm);
    free(s->peers); /* the library stays: it has threads of its own */
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

static recon_status join(recon_ctx *ctx, const unsigned char id[RECON_PEERS_ID], int rank, int size)
{
    nccl_id made;
    TRY(open_peers(ctx));
    nccl_peers *p = cuda_of(ctx)->peers;
    memcpy(made.bytes, id, RECON_PEERS_ID);
    p->size = size;
    return p->comm ? RECON_OK
                   : check(ctx, p, "ncclCommInitRank", p->nccl.init(&p->comm, size, made, rank));
}

/* Number i of all ranks: neighbours, then neighbours of those, and so on. */
struct add_ranks {
    float *x, *all; /* [n], [size][n] */
    size_t n;
    int size;
    __device__ void at(size_t i) const
    {
        for (int apart = 1; apart < size; apart *= 2)
            for (int r = 0; r + apart < size; r += 2 * apart)
                all[r * n + i] += all[(r + apart) * n + i];
        x[i] = all[i];
    }
};

static recon_status sum_in_order(recon_ctx *ctx, const nccl_peers *p, float *x, size_t n)
{
    float *all;
    scratch_begin(ctx);
    TRY(scratch_take(ctx, &all, (size_t)p->size * n));
    TRY(check(ctx, p, "ncclAllGather",
              p->nccl.all_gather(x, all, n, NCCL_FLOAT, p->comm, cuda_of(ctx)->stream)));
    return each_index(ctx, "sum over ranks", n, add_ranks{ x, all, n, p->size });
}

static recon_status sum(recon_ctx *ctx, float *x, size_t n)
{
    const recon_cuda *s = cuda_of(ctx);
    const nccl_peers *p = s->peers;
    if (!s->tune)
        return sum_in_order(ctx, p, x, n);
    return check(ctx, p, "ncclAllReduce",
                 p->nccl.all_reduce(x, x, n, NCCL_FLOAT, NCCL_SUM, p->comm, s->stream));
}

extern "C" const recon_peer_table recon_cuda_peers = { card, make_id, join, sum };
