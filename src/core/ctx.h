/* ctx.h (private) - the fields of the context, logging and progress. */
#ifndef CORE_CTX_H
#define CORE_CTX_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <recon/core/ctx.h>
#include "core/hash.h"

struct recon_ops;  /* ops/ops.h: core only carries the pointer that recon_ops_attach sets */
struct recon_pool; /* threads.c */
struct recon_comm; /* comm/comm.h: lent by recon_comm_attach; NULL: one process */
struct recon_sums; /* ops/sums.h: gradients waiting to be summed; NULL: none */

typedef struct {
    const char *label;
    uint64_t total;
    double begun, shown, every; /* every: seconds between two reports; 0 in tests */
    atomic_ullong done;
    uint64_t before;
    const char *measure;
    double value;
} recon_progress_job;

struct recon_ctx {
    const struct recon_ops *ops;
    struct recon_pool *pool;
    struct recon_comm *comm;
    struct recon_sums *sums;
    recon_ctx_options options;
    recon_hash_key hash_key; /* for all tables of names: see hash.h */
    pid_t process;           /* the process that made it and has its threads */
    atomic_int interrupted;
    int hold; /* set between two consistent states, to delay an interruption */

    void *backend;                       /* state of the ops between calls */
    void (*backend_free)(void *backend); /* frees it, or NULL */

    pthread_mutex_t lock; /* guards the message and the callbacks: workers may fail and report */
    char message[1024];
    int in_parallel; /* in a parallel loop the first message is kept */

    recon_progress_job progress;
    int progress_held; /* jobs that have called recon_progress_hold */

    const void *kinds[8]; /* the application's backbones: see recon_backbone_add */
    size_t n_kinds;
    const void *groups[8]; /* the application's groups: see recon_group_add */
    size_t n_groups;
    void *made_groups; /* made by recon_group_find; each block begins with a pointer to the next */

    atomic_long fail_at; /* tests: see recon_alloc_fail_at */
};

/* For long loops: returns RECON_ERR_INTERRUPTED after recon_ctx_interrupt, unless interruptions are
 * on hold. recon_parallel checks between its tasks; reading and writing files, converting arrays
 * and adding molecules check too, so loops over these need not. */
recon_status recon_interrupted(recon_ctx *ctx);

/* The same at every 4096th index, for a loop over inputs, pixels or numbers. */
static inline recon_status recon_interrupted_at(recon_ctx *ctx, size_t i)
{
    return i % 4096 ? RECON_OK : recon_interrupted(ctx);
}

/* Calls on_log. */
void recon_log(recon_ctx *ctx, recon_log_level level, const char *fmt, ...) RECON_PRINTF(3, 4);

/* Report the progress of one long job at a time. Any worker may call add; the thread that began the
 * job calls the others: continue with the work done in an earlier run, and measure with a value to
 * show (measure is lent). */
void recon_progress_begin(recon_ctx *ctx, const char *label, uint64_t total);
void recon_progress_continue(recon_ctx *ctx, uint64_t before);
void recon_progress_measure(recon_ctx *ctx, const char *measure, double value);
void recon_progress_add(recon_ctx *ctx, uint64_t done);
void recon_progress_end(recon_ctx *ctx);
/* While a job holds the progress, the progress of functions that it calls is ignored. Release it
 * also after a failure. */
void recon_progress_hold(recon_ctx *ctx);
void recon_progress_release(recon_ctx *ctx);

/* Seconds on a monotonic clock. */
double recon_now(void);

#endif
