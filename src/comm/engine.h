/* engine.h - the table of functions that a plug-in provides to send messages between ranks.
 *
 * Open MPI and MPICH have different binary interfaces, so each has a plug-in of its own, which is
 * loaded when a launcher has started several processes.
 *
 * A plug-in only sends messages from one rank to another. Broadcasts, gathers and sums are built
 * from them in comm.c, so that they do the same under every MPI. Functions return 0 or a code for
 * `explain`. All are called by one thread. */
#ifndef COMM_ENGINE_H
#define COMM_ENGINE_H

#include "core/plugin.h"

#include <stddef.h>

typedef struct {
    recon_plugin plugin;
    int (*start)(int *rank, int *size);
    void (*finish)(void);
    void (*abort)(int code); /* ends all ranks */
    void (*explain)(int code, char *out, size_t room);
    /* Both begin; the bytes stay as they are until the request has ended. */
    int (*send)(void **request, const void *bytes, size_t n, int to, int tag);
    int (*recv)(void **request, void *bytes, size_t n, int from, int tag);
    int (*test)(void **request, int *done); /* a request that is done is freed */
    void (*cancel)(void **request);
    /* Whether a message with this tag is there: from whom, and how long. */
    int (*probe)(int tag, int *there, int *from, size_t *n);
} recon_engine;

#endif
