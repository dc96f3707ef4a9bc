/* ctx.h (private) - the context's fields, for the library's own files, with
 * logging and progress. */
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
struct recon_sums; /* ops/sums.h: gradients that wait; NULL: none does */

typedef struct {
    const char *label;
    uint64_t total;
    double begun, shown, every; /* seconds between two reports; a test that has to see each: 0 */
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
    recon_hash_key hash_key; /* of every table of names: see hash.h */
    pid_t process;           /* that made it, and has its threads */
    atomic_int interrupted;
    int hold; /* set between two consistent states: an interruption waits for the second */

    void *backend;                       /* what the ops keep between calls, theirs to define; */
    void (*backend_free)(void *backend); /* NULL, or how to give it back */

    pthread_mutex_t lock; /* guards the message and the callbacks: workers may fail and report */
    char message[1024];
    int in_parallel; /* within a loop the first message stays */

    recon_progress_job progress;
    int progress_held; /* jobs that have called recon_progress_hold */

    const void *kinds[8]; /* backbones of the application's own: see recon_backbone_add */
    size_t n_kinds;
    const void *groups[8]; /* the application's own: see recon_group_add */
    size_t n_groups;
    void *made_groups; /* of recon_group_find: blocks, each begins with a pointer to the next */

    atomic_long fail_at; /* tests: see recon_alloc_fail_at */
};

/* For loops that are long by themselves: RECON_ERR_INTERRUPTED once recon_ctx_interrupt was called,
 * unless that has to wait. recon_parallel asks between its tasks, files as they are read and written,
 * arrays as they are converted, sets of molecules as they grow: a loop behind these need not. */
recon_status recon_interrupted(recon_ctx *ctx);

/* The same at every 4096th index, for a loop over inputs, pixels or numbers. */
static inline recon_status recon_interrupted_at(recon_ctx *ctx, size_t i)
{
    return i % 4096 ? RECON_OK : recon_interrupted(ctx);
}

/* To whoever gave on_log. */
void recon_log(recon_ctx *ctx, recon_log_level level, const char *fmt, ...) RECON_PRINTF(3, 4);

/* Progress of one long job at a time. add may be called by any worker; the others by who began it:
 * how much was done in an earlier run, and what is measured on the way (measure is lent). */
void recon_progress_begin(recon_ctx *ctx, const char *label, uint64_t total);
void recon_progress_continue(recon_ctx *ctx, uint64_t before);
void recon_progress_measure(recon_ctx *ctx, const char *measure, double value);
void recon_progress_add(recon_ctx *ctx, uint64_t done);
void recon_progress_end(recon_ctx *ctx);
/* A job that calls what may have progress of its own: between the two calls nothing but the job
 * counts, and is shown. Released after a failure too. */
void recon_progress_hold(recon_ctx *ctx);
void recon_progress_release(recon_ctx *ctx);

/* Seconds on a clock that only goes forward. */
double recon_now(void);

#endif
