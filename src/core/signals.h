/* signals.h - threads and code in which no signal handler may run. */
#ifndef CORE_SIGNALS_H
#define CORE_SIGNALS_H

#include <pthread.h>
#include <signal.h>

/* Blocks all signals of the calling thread but those that its own instructions raise, which cannot
 * wait; *before is what to put back by pthread_sigmask. */
void recon_signals_block(sigset_t *before);

/* pthread_create for the library's own threads: signals are for the program's threads to handle,
 * and go to those. */
int recon_thread_create(pthread_t *out, void *(*work)(void *), void *arg);

#endif
