/* file.h - whole files in, whole files out.
 *
 * In: the bytes of a regular file, mapped when large. Out: a temporary file beside the target takes
 * its name only when everything is on the disk, so that no reader ever sees half a file. In a stage
 * (core/folder.h), where nobody reads, files are written under their own names. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include <stddef.h>
#include <recon/core/ctx.h>

typedef struct {
    const unsigned char *bytes; /* aligned to 64 at least */
    size_t size;
    void *block;   /* what recon_block_free takes; NULL: the bytes are somebody else's */
    size_t mapped; /* of block: bytes mapped, 0 for plain memory                       */
} recon_file;

/* RECON_ERR_IO when it is not there, not ours to read or not a regular file. */
recon_status recon_file_open(recon_ctx *ctx, recon_file *out, const char *path);
void recon_file_close(recon_file *file);

/* The same for who reads piece by piece: begin gives a descriptor to close, next reads what it
 * gets, which is nothing at the end. Every reader comes by one of these: a pipe or a device never
 * holds it up. */
recon_status recon_file_begin(recon_ctx *ctx, int *fd, size_t *size, const char *path);
recon_status recon_file_next(recon_ctx *ctx, size_t *got, void *out, size_t room, int fd,
                             const char *path);
void recon_block_free(void *block, size_t mapped);
/* Lets the memory of a mapped file go: what is touched again is read again. */
void recon_block_forget(void *block, size_t mapped);

/* All of n bytes, however often the system takes a part; 0: errno says why not. */
int recon_put(int fd, const char *bytes, size_t n);

/* What a call of the system about path says in errno, "PATH: WHAT: WHY": RECON_ERR_MEMORY where it
 * was out of that, else RECON_ERR_IO. */
recon_status recon_refused(recon_ctx *ctx, const char *path, const char *what);

typedef struct {
    char *path, *temporary;
    unsigned char *buffer;
    size_t used;
    int fd;     /* -1 once it is done, one way or the other */
    int synced; /* nothing was written since */
    int staged; /* temporary is path         */
} recon_writer;

/* Close always, also after a failure; without a commit before it, nothing is left behind. */
recon_status recon_writer_open(recon_ctx *ctx, recon_writer *out, const char *path);
/* A link stays, and what it leads to is replaced; over: the link is. */
recon_status recon_writer_open_over(recon_ctx *ctx, recon_writer *out, const char *path);
recon_status recon_writer_write(recon_ctx *ctx, recon_writer *writer, const void *bytes, size_t n);
recon_status recon_writer_commit(recon_ctx *ctx, recon_writer *writer);

/* For who goes back and forth in the file, and writes in no other way. Reading gives as many bytes as
 * there are, or -1. */
recon_status recon_writer_write_at(recon_ctx *ctx, recon_writer *writer, const void *bytes,
                                   size_t n, uint64_t at);
ptrdiff_t recon_writer_read_at(const recon_writer *writer, void *out, size_t n, uint64_t at);
void recon_writer_close(recon_writer *writer);

/* For a rank that writes its part of another one's file, by recon_writer_write_at and
 * recon_writer_sync: `temporary` is that of the writer that commits it. */
recon_status recon_writer_join(recon_ctx *ctx, recon_writer *out, const char *temporary);

/* For who has several files: puts on the disk what was written, so that all are there before the
 * first commit, which has nothing left to do then but to give the file its name. */
recon_status recon_writer_sync(recon_ctx *ctx, recon_writer *writer);

/* --- who is at work on a file or a folder, by flock: a lock ends with the process that holds it, so
 * what is not locked was left by one that is dead */

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
