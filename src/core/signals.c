/* signals.c - see signals.h. */
#include "core/signals.h"

void recon_signals_block(sigset_t *before)
{
    static const int raised[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        sigdelset(&all, raised[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

int recon_thread_create(pthread_t *out, void *(*work)(void *), void *arg)
{
    sigset_t before;
    recon_signals_block(&before); /* a thread begins with its maker's mask */
    int refused = pthread_create(out, NULL, work, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return refused;
}
