/* shim.c - a disk that fails at one call: preloaded (LD_PRELOAD) before `recon` by test_whole.c.
 *
 * Counts the calls by which a process changes files: write, pwrite, rename, link, unlink, rmdir,
 * mkdir, fsync, and every open that creates. Standard output and standard error are left alone.
 *   SHIM_AT=N        at the N-th call ...
 *   SHIM_ERROR=E     ... fail with this errno; 0: be killed (SIGKILL) instead
 *   SHIM_EXCHANGE=E  folders cannot be exchanged: every attempt fails with this errno
 *   SHIM_COUNT=FILE  at the end: how many calls there were, and how many of them were fsync
 * fsync is counted but not done: no test pulls the plug. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls, syncs;

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

/* Whether this call is the one that fails. */
static int fails(void)
{
    if (atomic_fetch_add(&calls, 1) + 1 != number("SHIM_AT"))
        return 0;
    if (number("SHIM_ERROR") == 0)
        kill(getpid(), SIGKILL);
    errno = (int)number("SHIM_ERROR");
    return 1;
}

__attribute__((destructor)) static void tell(void)
{
    char text[64];
    const char *path = getenv("SHIM_COUNT");
    int fd =
        path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (fd < 0)
        return;
    int n = snprintf(text, sizeof text, "%ld %ld\n", atomic_load(&calls), atomic_load(&syncs));
    syscall(SYS_write, fd, text, n);
    close(fd);
}

/* The function behind ours. */
#define REAL(type, name, parameters)                                                               \
    static type(*real) parameters;                                                                 \
    if (!real)                                                                                     \
    *(void **)&real = dlsym(RTLD_NEXT, #name)

#define FAILING(refused, type, name, parameters, arguments)                                        \
    type name parameters;                                                                          \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(type, name, parameters);                                                              \
        return fails() ? (refused) : real arguments;                                               \
    }

FAILING(-1, int, rename, (const char *from, const char *to), (from, to))
FAILING(-1, int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
FAILING(-1, int, link, (const char *from, const char *to), (from, to))
FAILING(-1, int, linkat, (int a, const char *from, int b, const char *to, int flags),
        (a, from, b, to, flags))
FAILING(-1, int, unlink, (const char *path), (path))
FAILING(-1, int, unlinkat, (int a, const char *path, int flags), (a, path, flags))
FAILING(-1, int, rmdir, (const char *path), (path))
FAILING(-1, int, mkdir, (const char *path, mode_t mode), (path, mode))
FAILING(-1, int, mkdirat, (int a, const char *path, mode_t mode), (a, path, mode))
FAILING(NULL, char *, mkdtemp, (char *path), (path))
FAILING(-1, ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at))
FAILING(-1, ssize_t, pwrite64, (int fd, const void *bytes, size_t n, off64_t at),
        (fd, bytes, n, at))

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    REAL(int, renameat2, (int, const char *, int, const char *, unsigned));
    if (fails())
        return -1;
    if ((flags & RENAME_EXCHANGE) && number("SHIM_EXCHANGE")) {
        errno = (int)number("SHIM_EXCHANGE");
        return -1;
    }
    return real(a, from, b, to, flags);
}

int fsync(int fd)
{
    (void)fd;
    atomic_fetch_add(&syncs, 1);
    return fails() ? -1 : 0;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    REAL(ssize_t, write, (int, const void *, size_t));
    return fd > STDERR_FILENO && fails() ? -1 : real(fd, bytes, n);
}

#define OPENS(name, first, given)                                                                  \
    int name first;                                                                                \
    int name first                                                                                 \
    {                                                                                              \
        REAL(int, name, first);                                                                    \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;                                    \
        va_end(ap);                                                                                \
        return (flags & O_CREAT) && fails() ? -1 : real given;                                     \
    }
OPENS(open, (const char *path, int flags, ...), (path, flags, mode))
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat, (int a, const char *path, int flags, ...), (a, path, flags, mode))
OPENS(openat64, (int a, const char *path, int flags, ...), (a, path, flags, mode))

#define OPENS_STREAM(name)                                                                         \
    FILE *name(const char *path, const char *mode)                                                 \
    {                                                                                              \
        REAL(FILE *, name, (const char *, const char *));                                          \
        return strpbrk(mode, "wa+") && fails() ? NULL : real(path, mode);                          \
    }
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)
