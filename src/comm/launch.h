/* launch.h - who has started this process, as one of how many, and which plug-in speaks with the
 * others. */
#ifndef COMM_LAUNCH_H
#define COMM_LAUNCH_H

#include "comm/engine.h"

typedef struct {
    const char *engine;  /* "openmpi", "mpich"; NULL: no launcher that we know, or one process */
    int rank, size;      /* as the environment says */
    const char *problem; /* several processes that cannot reach each other: why; or NULL */
} recon_launch;

recon_launch recon_launch_find(void);

/* This process's place among those of its machine; 0 where no launcher says. */
int recon_launch_place(void);

/* The plug-in of that name: $RECON_COMM_PLUGIN; beside the program or the library; in lib/recon of
 * its prefix; in /usr/local/lib/recon and /usr/lib/recon. NULL, and why not in message. */
const recon_engine *recon_launch_load(const char *engine, char *message, size_t room);

#endif
