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

/* One task. worker is 0 .. threads-1 and names scratch space, never a result. */
typedef recon_status recon_task(recon_ctx *ctx, void *arg, size_t index, int worker);

/* Runs task 0 .. count-1, the caller's thread among the workers; returns when all are done. The
 * first failure stops the handing out of further tasks. Called from inside a task it runs on that
 * worker alone. Between tasks it looks for recon_ctx_interrupt. */
recon_status recon_parallel(recon_ctx *ctx, recon_task *task, void *arg, size_t count);

#endif
