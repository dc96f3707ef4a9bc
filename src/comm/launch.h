/* launch.h - detects the launcher and rank of this process, and finds the plug-in for messages. */
#ifndef COMM_LAUNCH_H
#define COMM_LAUNCH_H

#include "comm/engine.h"

typedef struct {
    const char *engine;  /* "openmpi", "mpich"; NULL: no launcher that we know, or one process */
    int rank, size;      /* as the environment says */
    const char *problem; /* several processes that cannot reach each other: why; or NULL */
} recon_launch;

recon_launch recon_launch_find(void);

/* Returns the index of this process on its machine; 0 if no launcher tells. */
int recon_launch_place(void);

/* The plug-in of "openmpi" or "mpich". NULL, with the reason in message, if there is none. */
const recon_engine *recon_launch_load(const char *engine, char *message, size_t room);

#endif
