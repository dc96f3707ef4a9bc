/* guard.h - what the calling thread is while it is inside oneDNN.
 *
 * One OpenMP thread: the parallel loop is ours. And no signals: the library's generated sgemm moves
 * the stack pointer into a block of the heap while it computes, and a handler that ran then would
 * write its frame over whatever lies in front of that block. Signals that come meanwhile, to be
 * handled by this thread, wait until the call returns. */
#ifndef OPS_CPU_GUARD_H
#define OPS_CPU_GUARD_H

#include "core/threads.h"

#include <omp.h>

typedef struct {
    int threads;
    sigset_t signals;
} recon_guard;

static inline recon_guard recon_guard_enter(void)
{
    recon_guard g = { .threads = omp_get_max_threads() };
    recon_signals_block(&g.signals);
    omp_set_num_threads(1); /* of this thread alone */
    return g;
}

static inline void recon_guard_leave(const recon_guard *g)
{
    omp_set_num_threads(g->threads);
    pthread_sigmask(SIG_SETMASK, &g->signals, NULL);
}

#endif
