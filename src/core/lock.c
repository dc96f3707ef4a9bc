/* lock.c - locks on folders and files. */
#include "core/lock.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
