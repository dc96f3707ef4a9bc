/* threads.h - one parallel loop over a fixed pool.
 *
 * The caller divides the work into tasks that do not depend on the number of threads. Which thread
 * runs a task is random, but what the task computes is not: this is why results on the CPU are
 * deterministic. Our own threads rather than OpenMP, because ThreadSanitizer understands them, and
 * two contexts have two independent pools. */
#ifndef CORE_THREADS_H
#define CORE_THREADS_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <pthread.h>
#include <signal.h>

/* One task. worker is 0 .. threads-1 and may select scratch space, but no result. */
typedef recon_status recon_task(recon_ctx *ctx, void *arg, size_t index, int worker);

/* Runs tasks 0 .. count-1 on all workers, including the calling thread, and returns when they are
 * done. After the first failure no further tasks are started. Called from inside a task it runs on
 * that worker alone. Between tasks it checks for recon_ctx_interrupt. */
recon_status recon_parallel(recon_ctx *ctx, recon_task *task, void *arg, size_t count);

/* --- threads and code in which no signal handler may run */

/* Blocks all signals for the calling thread, except those that its own instructions raise. Restore
 * *before with pthread_sigmask. */
void recon_signals_block(sigset_t *before);

/* pthread_create for the library's own threads, with signals blocked. */
int recon_thread_create(pthread_t *out, void *(*work)(void *), void *arg);

/* --- the context's pool of threads: outside core use recon_parallel */

typedef struct recon_pool recon_pool;

recon_pool *recon_pool_new(int threads); /* 0: as many as the machine has; NULL on failure */
void recon_pool_free(recon_pool *pool);
int recon_pool_threads(const recon_pool *pool);

/* --- a budget of bytes that the threads of a job share
 *
 * A thread that takes more than is left waits until others give theirs back. One that takes more
 * than the whole budget gets it when no other thread holds any, so that none waits for ever. */

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t given;
    size_t used, most;
} recon_budget;

void recon_budget_init(recon_budget *budget, size_t most);
void recon_budget_end(recon_budget *budget);
void recon_budget_take(recon_budget *budget, size_t bytes);
void recon_budget_give(recon_budget *budget, size_t bytes);

#endif
