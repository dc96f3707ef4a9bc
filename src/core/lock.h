/* lock.h - who is at work on a file or a folder, by flock: a lock ends with the process that holds
 * it, so what is not locked was left by one that is dead. */
#ifndef CORE_LOCK_H
#define CORE_LOCK_H

#include <recon/core/ctx.h>

/* Whether the lock is ours now. */
int recon_lock_take(int fd);

/* The same, and also where the file system knows no locks: writers are not kept apart there, and
 * nobody is taken for dead. */
int recon_lock_claim(int fd);

/* Whether the path leads to what is open: folders are exchanged, leftovers are removed. */
int recon_is_at(int fd, const char *path);

/* A short rest before the next attempt; an error after 10 seconds since `begun`, or an
 * interruption. dir is for the message. */
recon_status recon_lock_rest(recon_ctx *ctx, const char *dir, double begun);

/* Opens the folder and locks it, waiting for others; *fd is -1 where there is no such folder. */
recon_status recon_lock_folder(recon_ctx *ctx, int *fd, const char *path, const char *dir);

#endif
