/* guard.h - what the calling thread is while it is inside oneDNN.
 *
 * No signals: the library's generated sgemm moves the stack pointer into a block of the heap while it
 * computes, and a handler that ran then would write its frame over whatever lies in front of that
 * block. Signals that come meanwhile, to be handled by this thread, wait until the call returns. */
#ifndef OPS_CPU_GUARD_H
#define OPS_CPU_GUARD_H

#include "core/threads.h"

typedef struct {
    sigset_t signals;
} recon_guard;

static inline recon_guard recon_guard_enter(void)
{
    recon_guard g;
    recon_signals_block(&g.signals);
    return g;
}

static inline void recon_guard_leave(const recon_guard *g)
{
    pthread_sigmask(SIG_SETMASK, &g->signals, NULL);
}

#endif
