/* file.h - reads and writes whole files.
 *
 * Reading gives the bytes of a regular file, mapped if it is large. Writing uses a temporary file
 * next to the target, which gets the target's name only when everything is on the disk, so that
 * readers never see half a file. In a stage (core/folder.h), which nobody reads, files are written
 * under their own names. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <recon/core/ctx.h>

typedef struct {
    const unsigned char *bytes; /* aligned to at least 64 */
    size_t size;
    void *block;   /* for recon_block_free; NULL: somebody else owns the bytes */
    size_t mapped; /* the mapped bytes of block, or 0 if it is allocated */
} recon_file;

/* RECON_ERR_IO if it does not exist, cannot be read or is not a regular file. */
recon_status recon_file_open(recon_ctx *ctx, recon_file *out, const char *path);
void recon_file_close(recon_file *file);

/* Read a file piece by piece. begin returns a descriptor to close; next reads up to `room` bytes,
 * and none at the end. All readers use these or the above, so a pipe never blocks them. */
recon_status recon_file_begin(recon_ctx *ctx, int *fd, size_t *size, const char *path);
recon_status recon_file_next(recon_ctx *ctx, size_t *got, void *out, size_t room, int fd,
                             const char *path);
void recon_block_free(void *block, size_t mapped);
/* Releases the memory of a mapped file; pages that are accessed later are read again. */
void recon_block_forget(void *block, size_t mapped);

/* Writes all n bytes, in as many calls as necessary. Returns 0, with errno set, on failure. */
int recon_put(int fd, const char *bytes, size_t n);

/* Fails with errno of a system call as "PATH: WHAT: WHY": RECON_ERR_MEMORY if it ran out of memory,
 * else RECON_ERR_IO. */
recon_status recon_refused(recon_ctx *ctx, const char *path, const char *what);

typedef struct {
    char *path, *temporary;
    unsigned char *buffer;
    size_t used;
    int fd;       /* -1 after a commit or a close */
    int synced;   /* nothing was written since the last sync */
    int staged;   /* temporary is path */
    FILE *stream; /* takes what is written at once: there is no file and nothing to commit; set it
                     in place of an open */
} recon_writer;

/* Always close a writer, also after a failure; without a commit nothing is left behind. If path is
 * a link, its target is replaced; with _over the link itself is. */
recon_status recon_writer_open(recon_ctx *ctx, recon_writer *out, const char *path);
recon_status recon_writer_open_over(recon_ctx *ctx, recon_writer *out, const char *path);
recon_status recon_writer_write(recon_ctx *ctx, recon_writer *writer, const void *bytes, size_t n);
recon_status recon_writer_commit(recon_ctx *ctx, recon_writer *writer);

/* Write and read at any position of the file, instead of recon_writer_write. Reading returns the
 * number of bytes that exist, up to n, or -1. */
recon_status recon_writer_write_at(recon_ctx *ctx, recon_writer *writer, const void *bytes,
                                   size_t n, uint64_t at);
ptrdiff_t recon_writer_read_at(const recon_writer *writer, void *out, size_t n, uint64_t at);
void recon_writer_close(recon_writer *writer);

/* Opens a file that another rank writes and commits, to write a part of it with
 * recon_writer_write_at and recon_writer_sync. `temporary` is that of the other rank's writer. */
recon_status recon_writer_join(recon_ctx *ctx, recon_writer *out, const char *temporary);

/* Forces what was written to the disk. With several files, sync all before the first commit, which
 * then only renames. */
recon_status recon_writer_sync(recon_ctx *ctx, recon_writer *writer);

/* --- locks on files and folders, by flock. A lock ends with the process that holds it, so whatever
 * is not locked was left behind by a process that died */

/* Returns whether the lock was taken. */
int recon_lock_take(int fd);

/* The same, but also returns 1 if the file system has no locks: then writers are not kept apart,
 * and none is taken for dead. */
int recon_lock_claim(int fd);

/* Returns whether the path still leads to the open file, which may be exchanged or removed. */
int recon_is_at(int fd, const char *path);

/* Sleeps shortly before the next attempt; fails on an interruption and 10 seconds after `begun`.
 * dir is for the message. */
recon_status recon_lock_rest(recon_ctx *ctx, const char *dir, double begun);

/* Opens the folder and locks it, waiting for other processes; *fd is -1 if it does not exist. */
recon_status recon_lock_folder(recon_ctx *ctx, int *fd, const char *path, const char *dir);

#endif
