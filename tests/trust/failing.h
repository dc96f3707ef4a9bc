/* failing.h - a system that refuses when it is told to: memory that runs out, disks that are full.
 *
 * The programs test_faults_* are linked so that what the library and this program ask the system
 * for comes by here first (FAULTS in the Makefile): blocks of memory, threads, zlib's streams,
 * oneDNN's objects; and files, opened, read, written, renamed. jansson and libpng get their memory
 * through functions of ours. What zlib and oneDNN allocate within a call is not seen; that the call
 * fails for want of it is. FAISS is left out: it ends the process where its own loops run out of
 * memory. Under the sanitizers the real calls behind ours are theirs. */
#ifndef TESTS_TRUST_FAILING_H
#define TESTS_TRUST_FAILING_H

#include "scratch.h"
#include "ops/cpu/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

/* Requests of one kind, counted while a call under test is running. */
typedef struct {
    atomic_int watching;
    atomic_long requests;
    long fail_at; /* this one fails, counted from 1; 0: none */
    int onwards;  /* and so do all after it                  */
    int how;      /* of files: the error; 0: one byte only, where bytes are moved */
} gate;

static gate memory, disk;
static atomic_long live;  /* blocks of memory */
static int json_may_fail; /* and not only what is ours */
static int json_refused;  /* jansson's parser takes some such failures for mistakes in the text */

static int refuses(gate *g)
{
    if (!atomic_load(&g->watching))
        return 0;
    long n = atomic_fetch_add(&g->requests, 1) + 1;
    return g->fail_at && (n == g->fail_at || (g->onwards && n > g->fail_at));
}

static inline void gate_watch(gate *g, long fail_at, int onwards, int how)
{
    g->fail_at = fail_at;
    g->onwards = onwards;
    g->how = how;
    json_refused = 0;
    atomic_store(&g->requests, 0);
    atomic_store(&g->watching, 1);
}

static inline long gate_stop(gate *g)
{
    atomic_store(&g->watching, 0);
    return atomic_load(&g->requests);
}

/* The call behind the wrapper, and the wrapper: visible, or the linker minds that shared libraries
 * use some of these names too. */
#define WRAP(type, name, parameters)                                                               \
    type __real_##name parameters;                                                                 \
    RECON_API type __wrap_##name parameters;                                                       \
    type __wrap_##name parameters

/* The whole wrapper of a call that is made, or refused with an answer of its own. */
#define REFUSE_IF(condition, refused, type, name, parameters, arguments)                           \
    WRAP(type, name, parameters)                                                                   \
    {                                                                                              \
        return (condition) ? (refused) : __real_##name arguments;                                  \
    }

/* --- memory ----------------------------------------------------------------------------------- */

static void *lives(void *block)
{
    if (block)
        atomic_fetch_add(&live, 1);
    else
        errno = ENOMEM;
    return block;
}

#define GIVES_BLOCK(type, name, parameters, arguments)                                             \
    WRAP(type, name, parameters)                                                                   \
    {                                                                                              \
        return lives(refuses(&memory) ? NULL : __real_##name arguments);                           \
    }
GIVES_BLOCK(void *, malloc, (size_t size), (size))
GIVES_BLOCK(void *, calloc, (size_t count, size_t size), (count, size))
GIVES_BLOCK(void *, aligned_alloc, (size_t align, size_t size), (align, size))
GIVES_BLOCK(char *, strdup, (const char *text), (text))
WRAP(char *, realpath, (const char *path, char *out))
{
    if (out)
        return __real_realpath(path, out);
    return lives(refuses(&memory) ? NULL : __real_realpath(path, NULL));
}
WRAP(void, free, (void *block))
{
    if (block)
        atomic_fetch_sub(&live, 1);
    __real_free(block);
}

#define NEEDS_MEMORY(refused, type, name, parameters, arguments)                                   \
    REFUSE_IF(refuses(&memory), refused, type, name, parameters, arguments)
NEEDS_MEMORY(EAGAIN, int, pthread_create,
             (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg),
             (thread, attr, run, arg))
NEEDS_MEMORY(Z_MEM_ERROR, int, inflateInit2_,
             (z_stream * z, int bits, const char *version, int size), (z, bits, version, size))
NEEDS_MEMORY(Z_MEM_ERROR, int, inflate, (z_stream * z, int flush), (z, flush))

/* oneDNN's plug-in, whose objects cannot be made. Its table as it is, but for these. */
static const recon_onednn *whole;
static const recon_onednn_result no_memory = { RECON_ONEDNN_MEMORY, "refused" };
#define LIBRARY_NEEDS_MEMORY(name, parameters, arguments)                                          \
    static recon_onednn_result failing_##name parameters                                           \
    {                                                                                              \
        return refuses(&memory) ? no_memory : whole->name arguments;                               \
    }
LIBRARY_NEEDS_MEMORY(engine_new, (void **out), (out))
LIBRARY_NEEDS_MEMORY(stream_new, (void **out, void *engine), (out, engine))
LIBRARY_NEEDS_MEMORY(plan_new, (void **out, void *engine, const recon_dnnl_shape *shape),
                     (out, engine, shape))
LIBRARY_NEEDS_MEMORY(pack,
                     (const void *plan, void *stream, void *packed, const void *weights,
                      int rotated),
                     (plan, stream, packed, weights, rotated))
LIBRARY_NEEDS_MEMORY(unpack, (const void *plan, void *stream, void *weights, const void *packed),
                     (plan, stream, weights, packed))
LIBRARY_NEEDS_MEMORY(run,
                     (const void *plan, void *stream, void *x, void *packed, const float *bias,
                      void *y, void *scratch),
                     (plan, stream, x, packed, bias, y, scratch))
static recon_onednn failing_onednn;
static pthread_once_t onednn_once = PTHREAD_ONCE_INIT;
static void make_failing_onednn(void)
{
    failing_onednn = *whole;
    failing_onednn.engine_new = failing_engine_new;
    failing_onednn.stream_new = failing_stream_new;
    failing_onednn.plan_new = failing_plan_new;
    failing_onednn.pack = failing_pack;
    failing_onednn.unpack = failing_unpack;
    failing_onednn.run = failing_run;
}
WRAP(const recon_plugin *, recon_plugin_get, (recon_plugin_id id))
{
    const recon_plugin *real = __real_recon_plugin_get(id);
    if (id != RECON_PLUGIN_ONEDNN || !real)
        return real;
    whole = (const recon_onednn *)real;
    pthread_once(&onednn_once, make_failing_onednn);
    return &failing_onednn.plugin;
}

static inline void *json_block_always(size_t size)
{
    return lives(__real_malloc(size));
}

static _Thread_local int json_parses;

static inline void *json_block(size_t size)
{
    if (json_parses)
        return json_block_always(size);
    void *block = __wrap_malloc(size);
    json_refused |= !block;
    return block;
}

/* Refused as a whole or not at all: within, jansson (2.14) goes on with a text that lacks what it had no
 * memory for, and writes beyond its end. */
WRAP(json_t *, json_loadb, (const char *text, size_t size, size_t flags, json_error_t *error))
{
    if (json_may_fail && refuses(&memory)) {
        json_refused = 1;
        if (error)
            *error = (json_error_t){ .text = "out of memory" };
        return NULL;
    }
    json_parses = 1;
    json_t *value = __real_json_loadb(text, size, flags, error);
    json_parses = 0;
    return value;
}

/* --- files ------------------------------------------------------------------------------------ */

/* A call that fails as a whole; with disk.how = 0 it is left alone. */
static int disk_refuses(void)
{
    int refused = refuses(&disk) && disk.how && disk.how != EINTR;
    if (refused)
        errno = disk.how;
    return refused;
}

/* A call that moves n bytes: the error, or one byte of them. Returns how many it may move, -1 for
 * none. */
static ssize_t disk_lets(size_t n)
{
    if (!refuses(&disk))
        return (ssize_t)n;
    errno = disk.how;
    return disk.how ? -1 : n > 0;
}

#define NEEDS_DISK(refused, type, name, parameters, arguments)                                     \
    REFUSE_IF(disk_refuses(), refused, type, name, parameters, arguments)
NEEDS_DISK(-1, int, fstat, (int fd, struct stat *out), (fd, out))
NEEDS_DISK(-1, int, rename, (const char *from, const char *to), (from, to))
NEEDS_DISK(-1, int, mkdir, (const char *path, mode_t mode), (path, mode))
NEEDS_DISK(-1, int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
NEEDS_DISK(-1, int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
NEEDS_DISK(-1, int, renameat2, (int a, const char *from, int b, const char *to, unsigned int flags),
           (a, from, b, to, flags))
NEEDS_DISK(-1, int, linkat, (int a, const char *from, int b, const char *to, int flags),
           (a, from, b, to, flags))
NEEDS_DISK(-1, int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
NEEDS_DISK(NULL, struct dirent *, readdir, (DIR * dir), (dir))
WRAP(int, open, (const char *path, int flags, ...))
{
    va_list ap;
    va_start(ap, flags);
    int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    return disk_refuses() ? -1 : __real_open(path, flags, mode);
}
WRAP(int, openat, (int at, const char *path, int flags, ...))
{
    va_list ap;
    va_start(ap, flags);
    int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    return disk_refuses() ? -1 : __real_openat(at, path, flags, mode);
}
WRAP(int, fsync, (int fd)) /* thousands of them: no test here is about power that fails */
{
    (void)fd;
    return disk_refuses() ? -1 : 0;
}

WRAP(ssize_t, read, (int fd, void *out, size_t n))
{
    ssize_t most = disk_lets(n);
    return most < 0 ? -1 : __real_read(fd, out, (size_t)most);
}
WRAP(ssize_t, write, (int fd, const void *bytes, size_t n))
{
    ssize_t most = disk_lets(n);
    return most < 0 ? -1 : __real_write(fd, bytes, (size_t)most);
}
WRAP(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at))
{
    ssize_t most = disk_lets(n);
    return most < 0 ? -1 : __real_pwrite(fd, bytes, (size_t)most, at);
}

/* The C library allocates for a folder: these fail with either gate. */
static int either_refuses(void)
{
    if (!refuses(&memory))
        return disk_refuses();
    errno = ENOMEM;
    return 1;
}

#define NEEDS_BOTH(refused, type, name, parameters, arguments)                                     \
    REFUSE_IF(either_refuses(), refused, type, name, parameters, arguments)
NEEDS_BOTH(MAP_FAILED, void *, mmap,
           (void *at, size_t size, int how, int flags, int fd, off_t offset),
           (at, size, how, flags, fd, offset))
NEEDS_BOTH(NULL, DIR *, opendir, (const char *path), (path))
WRAP(int, scandir,
     (const char *path, struct dirent ***out, int (*keep)(const struct dirent *),
      int (*order)(const struct dirent **, const struct dirent **)))
{
    int n = either_refuses() ? -1 : __real_scandir(path, out, keep, order);
    if (n >= 0)
        atomic_fetch_add(&live, n + 1);
    return n;
}

#endif
