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

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>
#ifdef RECON_HAVE_DNNL
#include <dnnl.h>
#endif

/* Requests of one kind, counted while a call under test is running. */
typedef struct {
    atomic_int watching;
    atomic_long requests;
    long fail_at; /* this one fails, counted from 1; 0: none */
    int onwards;  /* and so do all after it                  */
    int how;      /* of files: the error; 0: one byte only, where bytes are moved */
} gate;

static gate memory, disk;
static atomic_long live; /* blocks of memory */
static int stream_error; /* what ferror says */
static int json_refused; /* jansson's parser takes some such failures for mistakes in the text */

static int refuses(gate *g)
{
    if (!atomic_load(&g->watching))
        return 0;
    long n = atomic_fetch_add(&g->requests, 1) + 1;
    return g->fail_at && (n == g->fail_at || (g->onwards && n > g->fail_at));
}

static void gate_watch(gate *g, long fail_at, int onwards, int how)
{
    g->fail_at = fail_at;
    g->onwards = onwards;
    g->how = how;
    json_refused = 0;
    atomic_store(&g->requests, 0);
    atomic_store(&g->watching, 1);
}

static long gate_stop(gate *g)
{
    atomic_store(&g->watching, 0);
    stream_error = 0;
    return atomic_load(&g->requests);
}

/* The call behind the wrapper, and the wrapper: visible, or the linker minds that shared libraries
 * use some of these names too. */
#define WRAP(type, name, ...)                                                                      \
    type __real_##name(__VA_ARGS__);                                                               \
    RECON_API type __wrap_##name(__VA_ARGS__);                                                     \
    type __wrap_##name(__VA_ARGS__)

/* --- memory ----------------------------------------------------------------------------------- */

static void *lives(void *block)
{
    if (block)
        atomic_fetch_add(&live, 1);
    else
        errno = ENOMEM;
    return block;
}

WRAP(void *, malloc, size_t size)
{
    return lives(refuses(&memory) ? NULL : __real_malloc(size));
}
WRAP(void *, calloc, size_t count, size_t size)
{
    return lives(refuses(&memory) ? NULL : __real_calloc(count, size));
}
WRAP(void *, aligned_alloc, size_t align, size_t size)
{
    return lives(refuses(&memory) ? NULL : __real_aligned_alloc(align, size));
}
WRAP(char *, strdup, const char *text)
{
    return lives(refuses(&memory) ? NULL : __real_strdup(text));
}
WRAP(char *, realpath, const char *path, char *out)
{
    if (out)
        return __real_realpath(path, out);
    return lives(refuses(&memory) ? NULL : __real_realpath(path, NULL));
}
WRAP(void, free, void *block)
{
    if (block)
        atomic_fetch_sub(&live, 1);
    __real_free(block);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
     void *arg)
{
    return refuses(&memory) ? EAGAIN : __real_pthread_create(thread, attr, run, arg);
}

WRAP(int, inflateInit2_, z_stream *z, int bits, const char *version, int size)
{
    return refuses(&memory) ? Z_MEM_ERROR : __real_inflateInit2_(z, bits, version, size);
}
WRAP(int, inflate, z_stream *z, int flush)
{
    return refuses(&memory) ? Z_MEM_ERROR : __real_inflate(z, flush);
}
WRAP(int, deflateInit2_, z_stream *z, int level, int method, int bits, int room, int strategy,
     const char *version, int size)
{
    if (refuses(&memory))
        return Z_MEM_ERROR;
    return __real_deflateInit2_(z, level, method, bits, room, strategy, version, size);
}

#ifdef RECON_HAVE_DNNL
WRAP(dnnl_status_t, dnnl_engine_create, dnnl_engine_t *out, dnnl_engine_kind_t kind, size_t i)
{
    return refuses(&memory) ? dnnl_out_of_memory : __real_dnnl_engine_create(out, kind, i);
}
WRAP(dnnl_status_t, dnnl_stream_create, dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags)
{
    return refuses(&memory) ? dnnl_out_of_memory : __real_dnnl_stream_create(out, engine, flags);
}
WRAP(dnnl_status_t, dnnl_memory_create, dnnl_memory_t *out, const dnnl_memory_desc_t *desc,
     dnnl_engine_t engine, void *at)
{
    return refuses(&memory) ? dnnl_out_of_memory : __real_dnnl_memory_create(out, desc, engine, at);
}
WRAP(dnnl_status_t, dnnl_primitive_create, dnnl_primitive_t *out, const_dnnl_primitive_desc_t desc)
{
    return refuses(&memory) ? dnnl_out_of_memory : __real_dnnl_primitive_create(out, desc);
}
#endif

static void *json_block(size_t size)
{
    void *block = __wrap_malloc(size);
    json_refused |= !block;
    return block;
}

static void *json_block_always(size_t size)
{
    return lives(__real_malloc(size));
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

WRAP(int, open, const char *path, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    return disk_refuses() ? -1 : __real_open(path, flags, mode);
}
WRAP(int, fstat, int fd, struct stat *out)
{
    return disk_refuses() ? -1 : __real_fstat(fd, out);
}
WRAP(ssize_t, read, int fd, void *out, size_t n)
{
    ssize_t most = disk_lets(n);
    return most < 0 ? -1 : __real_read(fd, out, (size_t)most);
}
WRAP(ssize_t, write, int fd, const void *bytes, size_t n)
{
    ssize_t most = disk_lets(n);
    return most < 0 ? -1 : __real_write(fd, bytes, (size_t)most);
}
WRAP(ssize_t, pwrite, int fd, const void *bytes, size_t n, off_t at)
{
    ssize_t most = disk_lets(n);
    return most < 0 ? -1 : __real_pwrite(fd, bytes, (size_t)most, at);
}
WRAP(int, fsync, int fd) /* thousands of them: no test here is about power that fails */
{
    (void)fd;
    return disk_refuses() ? -1 : 0;
}
WRAP(int, rename, const char *from, const char *to)
{
    return disk_refuses() ? -1 : __real_rename(from, to);
}
WRAP(int, mkdir, const char *path, mode_t mode)
{
    return disk_refuses() ? -1 : __real_mkdir(path, mode);
}
WRAP(char *, mkdtemp, char *name)
{
    return disk_refuses() ? NULL : __real_mkdtemp(name);
}

/* The C library allocates for a stream or a folder: these fail with either gate. */
static int either_refuses(void)
{
    if (!refuses(&memory))
        return disk_refuses();
    errno = ENOMEM;
    return 1;
}

WRAP(void *, mmap, void *at, size_t size, int how, int flags, int fd, off_t offset)
{
    return either_refuses() ? MAP_FAILED : __real_mmap(at, size, how, flags, fd, offset);
}
WRAP(FILE *, fopen, const char *path, const char *mode)
{
    return either_refuses() ? NULL : __real_fopen(path, mode);
}
WRAP(DIR *, opendir, const char *path)
{
    return either_refuses() ? NULL : __real_opendir(path);
}
WRAP(int, scandir, const char *path, struct dirent ***out, int (*keep)(const struct dirent *),
     int (*order)(const struct dirent **, const struct dirent **))
{
    int n = either_refuses() ? -1 : __real_scandir(path, out, keep, order);
    if (n >= 0)
        atomic_fetch_add(&live, n + 1);
    return n;
}
WRAP(struct dirent *, readdir, DIR *dir)
{
    return disk_refuses() ? NULL : __real_readdir(dir);
}

/* Streams go on after EINTR and short reads by themselves. */
WRAP(size_t, fread, void *out, size_t size, size_t n, FILE *f)
{
    if (!disk_refuses())
        return __real_fread(out, size, n, f);
    stream_error = 1;
    return 0;
}
WRAP(int, ferror, FILE *f)
{
    return stream_error || __real_ferror(f);
}

/* --- jobs ------------------------------------------------------------------------------------- */

/* What came out of a job, as one number. */
typedef uint64_t digest;

static inline void digest_add(digest *d, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *d = (*d ^ ((const unsigned char *)bytes)[i]) * 1099511628211u; /* FNV-1a */
}

/* What a job wrote, if it came so far; it is over then, and the rest is ours. */
static inline recon_status digest_file(recon_status status, const char *path, digest *out)
{
    size_t n = 0;
    gate_stop(&memory);
    gate_stop(&disk);
    unsigned char *bytes = status == RECON_OK ? slurp(path, &n) : NULL;
    digest_add(out, bytes, n);
    free(bytes);
    return status;
}

/* One piece of work from beginning to end: what it opens it closes, whatever happens. */
typedef struct {
    const char *name;
    recon_status (*run)(recon_ctx *ctx, const void *arg, digest *out);
    const void *arg;
    long first, more; /* tried: the first so many requests (0: 300), and about so many of the others
                         (0: 100), evenly spaced */
    int not_json; /* jansson gets its memory: of a large header there is nothing more to learn */
} fault_job;

typedef struct {
    long requests, tried, harmless;
    digest right;
} fault_count;

static inline recon_ctx *fault_ctx(void)
{
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    assert_non_null(ctx);
    return ctx;
}

static int is_temporary(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    if (strstr(path + at->base, ".tmp-"))
        fail_msg("%s is left behind", path);
    return 0;
}

/* No temporary file or folder, at any depth. */
static inline void no_temporaries(void)
{
    nftw(scratch_folder, is_temporary, 8, FTW_PHYS);
}

/* Only what was asked for may come out, or a failure of this kind with its message. */
static inline void check_outcome(const fault_job *job, recon_ctx *ctx, recon_status got,
                                 recon_status kind, int same, long n)
{
    const char *message = recon_ctx_message(ctx);
    if (got == RECON_OK && !same)
        fail_msg("%s, request %ld: succeeded with another result", job->name, n);
    if (got != RECON_OK && got != kind && !(json_refused && got == RECON_ERR_FORMAT))
        fail_msg("%s, request %ld: %s: %s", job->name, n, recon_status_name(got), message);
    if (got != RECON_OK && !message[0])
        fail_msg("%s, request %ld: failed without a message", job->name, n);
}

/* The n-th request of a job fails (and all later ones): it says so, nothing is lost, and the same
 * context does the job right the next time. */
static inline void fault_once(const fault_job *job, fault_count *count, gate *g, recon_status kind,
                              long n, int onwards, int how)
{
    long before = atomic_load(&live);
    recon_ctx *ctx = fault_ctx();
    digest got = 0, again = 0;
    gate_watch(g, n, onwards, how);
    recon_status status = job->run(ctx, job->arg, &got);
    gate_stop(g);
    check_outcome(job, ctx, status, kind, got == count->right, n);
    no_temporaries();
    count->tried++;
    count->harmless += status == RECON_OK;

    CHECK_OK(ctx, job->run(ctx, job->arg, &again));
    if (again != count->right)
        fail_msg("%s: another result after request %ld had failed", job->name, n);
    recon_ctx_free(ctx);
    if (atomic_load(&live) != before)
        fail_msg("%s, request %ld: %ld blocks lost", job->name, n, atomic_load(&live) - before);
}

static inline fault_count fault_count_of(const fault_job *job, gate *g)
{
    fault_count count = { 0 };
    recon_ctx *ctx = fault_ctx();
    gate_watch(g, 0, 0, 0);
    CHECK_OK(ctx, job->run(ctx, job->arg, &count.right));
    count.requests = gate_stop(g);
    recon_ctx_free(ctx);
    return count;
}

#if defined(__SANITIZE_ADDRESS__)
enum { FAULT_SHARE = 4 }; /* everything takes longer, and the release build has tried the others */
#else
enum { FAULT_SHARE = 1 };
#endif

/* Which request comes after n. */
static inline long fault_next(const fault_job *job, const fault_count *count, long n)
{
    long first = job->first ? job->first / FAULT_SHARE : 300;
    long more = job->more ? job->more / FAULT_SHARE : 100;
    return n + (n < first ? 1 : (count->requests - first) / more + 1);
}

/* Each allocation in turn, alone and with all that follow it. */
static inline void fault_memory(const fault_job *job)
{
    json_set_alloc_funcs(job->not_json ? json_block_always : json_block, free);
    fault_count count = fault_count_of(job, &memory);
    for (long n = 1; n <= count.requests; n = fault_next(job, &count, n))
        for (int onwards = 0; onwards <= 1; onwards++)
            fault_once(job, &count, &memory, RECON_ERR_MEMORY, n, onwards, 0);
    assert_true(count.requests > 0 && count.tried > count.harmless);
    print_message("# counted: %s: %ld of %ld allocations failed in turn, alone and with all later "
                  "ones (%ld of %ld did no harm)\n",
                  job->name, count.tried / 2, count.requests, count.harmless, count.tried);
}

/* Each call that reads in turn: broken, interrupted, short. The last two must go unnoticed. */
static inline void fault_reads(const fault_job *job)
{
    static const int how[] = { EIO, EINTR, 0 };
    fault_count count = fault_count_of(job, &disk);
    for (long n = 1; n <= count.requests; n = fault_next(job, &count, n))
        for (int k = 0; k < 3; k++)
            fault_once(job, &count, &disk, how[k] == EIO ? RECON_ERR_IO : RECON_OK, n, 0, how[k]);
    assert_true(count.requests > 0 && count.tried > count.harmless);
    print_message("# counted: %s: %ld calls that read failed in turn, were interrupted or cut "
                  "short\n",
                  job->name, count.requests);
}

#endif
