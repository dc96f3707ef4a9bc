/* file.c - reads and writes whole files. */
#include "core/file.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/journal.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <sys/file.h>
#include <time.h>

#define MAP_FROM    ((size_t)1 << 20) /* below this a read is cheaper than page faults */
#define BUFFER_SIZE ((size_t)1 << 18)
#define PIECE       ((size_t)1 << 24) /* written at once */
#define NAME_KEPT   ((size_t)200)     /* bytes of a name that a temporary one begins with */

recon_status recon_refused(recon_ctx *ctx, const char *path, const char *what)
{
    return recon_fail(ctx, errno == ENOMEM ? RECON_ERR_MEMORY : RECON_ERR_IO, "%s: %s: %s", path,
                      what, strerror(errno));
}

void recon_block_forget(void *block, size_t mapped)
{
    if (mapped)
        madvise(block, mapped, MADV_DONTNEED);
}

void recon_block_free(void *block, size_t mapped)
{
    if (mapped)
        munmap(block, mapped);
    else
        free(block);
}

void recon_file_close(recon_file *file)
{
    recon_block_free(file->block, file->mapped);
    *file = (recon_file){ 0 };
}

static recon_status map_whole(recon_ctx *ctx, recon_file *out, int fd, const char *path)
{
    void *block = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (block == MAP_FAILED)
        return recon_refused(ctx, path, "cannot map");
    out->bytes = out->block = block;
    out->mapped = out->size;
    return RECON_OK;
}

static recon_status check_regular(recon_ctx *ctx, const struct stat *info, const char *path)
{
    if (S_ISREG(info->st_mode))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_IO, "%s: %s", path,
                      S_ISDIR(info->st_mode) ? "is a directory" : "is not a regular file");
}

/* A folder between two results has no file to be read. */
static recon_status check_folder(recon_ctx *ctx, const char *path)
{
    char dir[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (slash && slash - path >= PATH_MAX)
        return RECON_OK; /* to be refused below */
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path + (slash == path)) : 1,
             slash ? path : ".");
    return recon_journal_check(ctx, dir);
}

recon_status recon_file_begin(recon_ctx *ctx, int *fd, size_t *size, const char *path)
{
    recon_status status = check_folder(ctx, path);
    struct stat info;
    *fd = -1;
    if (status != RECON_OK)
        return status;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hold us up */
    if (*fd < 0 || fstat(*fd, &info) != 0)
        status = recon_refused(ctx, path, "cannot open");
    else
        status = check_regular(ctx, &info, path);
    if (status == RECON_OK)
        *size = (size_t)info.st_size;
    else if (*fd >= 0)
        close(*fd);
    return status;
}

recon_status recon_file_next(recon_ctx *ctx, size_t *got, void *out, size_t room, int fd,
                             const char *path)
{
    ssize_t n;
    *got = 0;
    RECON_CHECK(recon_interrupted(ctx));
    do
        n = read(fd, out, room);
    while (n < 0 && errno == EINTR);
    *got = n < 0 ? 0 : (size_t)n;
    return n < 0 ? recon_refused(ctx, path, "cannot read") : RECON_OK;
}

int recon_put(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t put = write(fd, bytes, n < SSIZE_MAX ? n : SSIZE_MAX);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return 0;
        bytes += put;
        n -= (size_t)put;
    }
    return 1;
}

static recon_status read_whole(recon_ctx *ctx, recon_file *out, int fd, const char *path)
{
    recon_status status = recon_alloc_raw(ctx, &out->block, out->size, 1);
    if (status != RECON_OK)
        return recon_note(ctx, status, "reading %s", path);
    out->bytes = out->block;
    for (size_t at = 0, got; at < out->size && status == RECON_OK; at += got) {
        status = recon_file_next(ctx, &got, (char *)out->block + at, out->size - at, fd, path);
        if (status == RECON_OK && got == 0)
            status = recon_fail(ctx, RECON_ERR_IO, "%s: became shorter while it was read", path);
    }
    return status;
}

recon_status recon_file_open(recon_ctx *ctx, recon_file *out, const char *path)
{
    int fd;
    *out = (recon_file){ 0 };
    RECON_CHECK(recon_file_begin(ctx, &fd, &out->size, path));
    recon_status status = (out->size >= MAP_FROM ? map_whole : read_whole)(ctx, out, fd, path);
    close(fd);
    if (status != RECON_OK)
        recon_file_close(out);
    return status;
}

/* Removes what a dead writer has left at the name; 0 where a live one is at work there. */
static int clear_dead(const char *name)
{
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int dead = fd < 0 ? errno == ENOENT
                      : recon_lock_take(fd) && recon_is_at(fd, name) && unlink(name) == 0;
    if (fd >= 0)
        close(fd);
    return dead;
}

/* Whether the path leads into a stage, marked as incomplete: nobody reads there, and all of it is
 * removed together if its writer dies. */
static int is_staged(const char *path)
{
    char marker[PATH_MAX + sizeof RECON_STAGE_MARKER];
    const char *at = path, *stage = NULL;
    while ((at = strstr(at, RECON_STAGE_INSIDE "-")))
        stage = at++;
    const char *slash = stage ? strchr(stage, '/') : NULL;
    if (!slash || slash - path >= PATH_MAX)
        return 0;
    snprintf(marker, sizeof marker, "%.*s/" RECON_STAGE_MARKER, (int)(slash - path), path);
    return access(marker, F_OK) == 0;
}

/* A file that is written again is another one: who has mapped the first keeps it. */
static int create_staged(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* As open would make a new file: the user's umask decides who may read it. The lock says that its
 * writer lives; one who finds the file before it is locked takes it for a leftover, and then it is
 * made again. File systems without locks will do. */
static int create_beside(char *name, size_t room, const char *path)
{
    struct stat info;
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0, length = strlen(path);
    if (length - folder > NAME_KEPT) /* a name may have NAME_MAX bytes, and so may this one */
        length = folder + NAME_KEPT;
    for (unsigned n = 0;;) {
        snprintf(name, room, "%.*s.tmp-%u", (int)length, path, n);
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            return fd;
        if (fd < 0) {
            n += !clear_dead(name);
            continue;
        }
        if (recon_lock_claim(fd) && (fstat(fd, &info) != 0 || info.st_nlink > 0))
            return fd;
        close(fd);
    }
}

/* Where a link that leads to nothing leads: the file that will be made there. Free it. */
static char *follow(const char *path)
{
    char target[PATH_MAX], joined[2 * PATH_MAX];
    char *at = strdup(path);
    for (int links = 0; at && links < 40; links++) {
        ssize_t n = readlink(at, target, sizeof target - 1);
        if (n < 0)
            return at;
        target[n] = '\0';
        const char *slash = target[0] == '/' ? NULL : strrchr(at, '/');
        snprintf(joined, sizeof joined, "%.*s%s", slash ? (int)(slash + 1 - at) : 0, at, target);
        free(at);
        at = strdup(joined);
    }
    errno = at ? ELOOP : ENOMEM;
    free(at);
    return NULL;
}

/* A link stays a link: what it points to is replaced, or made. Devices and folders are not. */
static recon_status resolve(recon_ctx *ctx, char **out, const char *path)
{
    struct stat info;
    *out = NULL;
    if (stat(path, &info) == 0) {
        RECON_CHECK(check_regular(ctx, &info, path));
        *out = realpath(path, NULL);
    } else {
        *out = follow(path);
    }
    return RECON_OK;
}

/* Takes target, where the file is to be; path is for messages. */
static recon_status open_at(recon_ctx *ctx, recon_writer *out, char *target, const char *path)
{
    recon_status status;
    *out = (recon_writer){ .fd = -1, .path = target };
    if (!target)
        return recon_refused(ctx, path, "cannot write");
    size_t room = strlen(out->path) + 48;
    RECON_TRY(recon_alloc(ctx, &out->temporary, room, 1));
    RECON_TRY(recon_alloc_raw(ctx, &out->buffer, BUFFER_SIZE, 1));
    out->staged = is_staged(out->path);
    if (out->staged)
        out->fd = create_staged(strcpy(out->temporary, out->path));
    else
        out->fd = create_beside(out->temporary, room, out->path);
    if (out->fd < 0)
        RECON_TRY(recon_refused(ctx, path, "cannot write"));
done:
    if (status != RECON_OK)
        recon_writer_close(out);
    return status;
}

recon_status recon_writer_open(recon_ctx *ctx, recon_writer *out, const char *path)
{
    char *target;
    recon_status status = resolve(ctx, &target, path);
    *out = (recon_writer){ .fd = -1 };
    return status == RECON_OK ? open_at(ctx, out, target, path) : status;
}

recon_status recon_writer_open_over(recon_ctx *ctx, recon_writer *out, const char *path)
{
    struct stat info;
    recon_status status = RECON_OK;
    *out = (recon_writer){ .fd = -1 };
    if (lstat(path, &info) == 0 && !S_ISLNK(info.st_mode))
        status = check_regular(ctx, &info, path);
    return status == RECON_OK ? open_at(ctx, out, strdup(path), path) : status;
}

static void discard(recon_writer *writer)
{
    if (writer->fd < 0)
        return;
    close(writer->fd);
    if (writer->temporary) /* else it is somebody else's */
        unlink(writer->temporary);
    writer->fd = -1;
}

void recon_writer_close(recon_writer *writer)
{
    discard(writer);
    recon_free_all(writer->path, writer->temporary, writer->buffer);
    *writer = (recon_writer){ .fd = -1 };
}

/* The first failure gives the whole file up, so that a later commit cannot publish a hole. */
static recon_status give_up(recon_ctx *ctx, recon_writer *writer)
{
    recon_status status = recon_refused(ctx, writer->path, "cannot write");
    discard(writer);
    return status;
}

static recon_status put(recon_ctx *ctx, recon_writer *writer, const unsigned char *bytes, size_t n)
{
    recon_status status = RECON_OK;
    for (size_t at = 0, some; at < n && status == RECON_OK; at += some) {
        some = n - at < PIECE ? n - at : PIECE;
        if ((status = recon_interrupted(ctx)) != RECON_OK)
            discard(writer);
        else if (!recon_put(writer->fd, (const char *)bytes + at, some))
            status = give_up(ctx, writer);
    }
    return status;
}

static recon_status flush(recon_ctx *ctx, recon_writer *writer)
{
    size_t n = writer->used;
    writer->used = 0;
    writer->synced = 0;
    if (writer->fd < 0)
        return recon_fail(ctx, RECON_ERR_IO, "%s: an earlier write failed", writer->path);
    return put(ctx, writer, writer->buffer, n);
}

recon_status recon_writer_write(recon_ctx *ctx, recon_writer *writer, const void *bytes, size_t n)
{
    if (writer->stream)
        return fwrite(bytes, 1, n, writer->stream) == n
                   ? RECON_OK
                   : recon_refused(ctx, "standard output", "cannot write");
    if (n > BUFFER_SIZE - writer->used) {
        recon_status status = flush(ctx, writer);
        if (status != RECON_OK || n > BUFFER_SIZE)
            return status != RECON_OK ? status : put(ctx, writer, bytes, n);
    }
    if (n > 0) /* bytes may be NULL then */
        memcpy(writer->buffer + writer->used, bytes, n);
    writer->used += n;
    writer->synced = 0;
    return RECON_OK;
}

recon_status recon_writer_write_at(recon_ctx *ctx, recon_writer *writer, const void *bytes,
                                   size_t n, uint64_t at)
{
    const char *from = bytes;
    if (writer->fd < 0)
        return recon_fail(ctx, RECON_ERR_IO, "%s: an earlier write failed", writer->path);
    writer->synced = 0;
    while (n > 0) {
        ssize_t put = pwrite(writer->fd, from, n < SSIZE_MAX ? n : SSIZE_MAX, (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return give_up(ctx, writer);
        from += put;
        at += (uint64_t)put;
        n -= (size_t)put;
    }
    return RECON_OK;
}

ptrdiff_t recon_writer_read_at(const recon_writer *writer, void *out, size_t n, uint64_t at)
{
    size_t got = 0;
    while (got < n) {
        ssize_t some = pread(writer->fd, (char *)out + got, n - got, (off_t)(at + got));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return -1;
        if (some == 0)
            break;
        got += (size_t)some;
    }
    return (ptrdiff_t)got;
}

/* The new name is safe only once the folder is on the disk. Some file systems cannot sync a folder;
 * the file itself is whole either way, so that is no failure. */
static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = '\0';
    int fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

recon_status recon_writer_join(recon_ctx *ctx, recon_writer *out, const char *temporary)
{
    *out = (recon_writer){ .fd = -1, .path = strdup(temporary) };
    if (!out->path)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    out->fd = open(temporary, O_WRONLY | O_CLOEXEC);
    if (out->fd >= 0)
        return RECON_OK;
    recon_status status = recon_refused(ctx, temporary, "cannot write");
    recon_writer_close(out);
    return recon_note(ctx, status, "all ranks write into one folder, which they must share");
}

recon_status recon_writer_sync(recon_ctx *ctx, recon_writer *writer)
{
    if (writer->stream)
        return RECON_OK;
    RECON_CHECK(flush(ctx, writer));
    if (fsync(writer->fd) != 0)
        return give_up(ctx, writer);
    writer->synced = 1;
    return RECON_OK;
}

recon_status recon_writer_commit(recon_ctx *ctx, recon_writer *writer)
{
    RECON_CHECK(writer->synced ? RECON_OK : recon_writer_sync(ctx, writer));
    if (writer->stream)
        return RECON_OK;
    if (!writer->staged && rename(writer->temporary, writer->path) != 0)
        return give_up(ctx, writer);
    close(writer->fd);
    writer->fd = -1;
    if (!writer->staged)
        sync_folder(writer->temporary); /* the same folder, and no longer needed */
    return RECON_OK;
}

/* --- locks ------------------------------------------------------------------------------------ */

#define WAIT 10.0 /* seconds for another writer */

int recon_lock_take(int fd)
{
    int got;
    do
        got = flock(fd, LOCK_EX | LOCK_NB);
    while (got != 0 && errno == EINTR);
    return got == 0;
}

int recon_lock_claim(int fd)
{
    return recon_lock_take(fd) || errno != EWOULDBLOCK;
}

int recon_is_at(int fd, const char *path)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

recon_status recon_lock_rest(recon_ctx *ctx, const char *dir, double begun)
{
    if (atomic_load(&ctx->interrupted) && !ctx->hold)
        return recon_fail(ctx, RECON_ERR_INTERRUPTED, "interrupted");
    if (recon_now() - begun > WAIT)
        return recon_fail(ctx, RECON_ERR_IO,
                          "%s: another recon is writing into this folder; waited %.0f seconds", dir,
                          WAIT);
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    return RECON_OK;
}

recon_status recon_lock_folder(recon_ctx *ctx, int *fd, const char *path, const char *dir)
{
    double begun = recon_now();
    recon_status status = RECON_OK;
    *fd = -1;
    while (status == RECON_OK) {
        int opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (opened < 0)
            return errno == ENOENT ? RECON_OK : recon_refused(ctx, dir, "cannot open the folder");
        int got = recon_lock_claim(opened);
        if (got && recon_is_at(opened, path)) {
            *fd = opened;
            return RECON_OK;
        }
        close(opened);
        status = got ? RECON_OK : recon_lock_rest(ctx, dir, begun);
    }
    return status;
}
