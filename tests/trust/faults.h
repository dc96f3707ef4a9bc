/* faults.h - jobs done while the system refuses one request after the other (failing.h), and the
 * law that they keep: the answer that was asked for, or a failure that says so; nothing lost,
 * nothing left behind, and the same context does it right the next time. */
#ifndef TESTS_TRUST_FAULTS_H
#define TESTS_TRUST_FAULTS_H

#include "failing.h"

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

/* Which request comes after n: with RECON_SLOW, the next. */
static inline long fault_next(const fault_job *job, const fault_count *count, long n)
{
    if (getenv("RECON_SLOW"))
        return n + 1;
    long first = job->first ? job->first / FAULT_SHARE : 300;
    long more = job->more ? job->more / FAULT_SHARE : 100;
    return n + (n < first ? 1 : (count->requests - first) / more + 1);
}

/* Each allocation in turn, alone and with all that follow it. */
static inline void fault_memory(const fault_job *job)
{
    json_may_fail = !job->not_json;
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
