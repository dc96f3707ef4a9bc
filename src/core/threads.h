/* threads.h - one parallel loop over a fixed pool.
 *
 * Work is cut by the caller into tasks that do not depend on the number of threads; who runs which
 * task is left to chance, what a task computes is not. That is all of our determinism on the CPU.
 * Our own threads rather than OpenMP: ThreadSanitizer understands them, and two contexts get two
 * pools that do not meet. */
#ifndef CORE_THREADS_H
#define CORE_THREADS_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <pthread.h>
#include <signal.h>

/* One task. worker is 0 .. threads-1 and names scratch space, never a result. */
typedef recon_status recon_task(recon_ctx *ctx, void *arg, size_t index, int worker);

/* Runs task 0 .. count-1, the caller's thread among the workers; returns when all are done. The
 * first failure stops the handing out of further tasks. Called from inside a task it runs on that
 * worker alone. Between tasks it looks for recon_ctx_interrupt. */
recon_status recon_parallel(recon_ctx *ctx, recon_task *task, void *arg, size_t count);

/* --- threads and code in which no signal handler may run */

/* Blocks all signals of the calling thread but those that its own instructions raise, which cannot
 * wait; *before is what to put back by pthread_sigmask. */
void recon_signals_block(sigset_t *before);

/* pthread_create for the library's own threads: signals are for the program's threads to handle,
 * and go to those. */
int recon_thread_create(pthread_t *out, void *(*work)(void *), void *arg);

/* --- the context's pool of threads: everybody but core goes through recon_parallel */

typedef struct recon_pool recon_pool;

recon_pool *recon_pool_new(int threads); /* 0: what the machine offers; NULL when refused */
void recon_pool_free(recon_pool *pool);
int recon_pool_threads(const recon_pool *pool);

/* --- so many bytes at once, over all threads of a job
 *
 * Who wants more than is left waits until others have given theirs back; who wants more than there
 * is in all gets it when nobody else holds any, so that nobody waits for ever. */

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
