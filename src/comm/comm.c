/* comm.c - broadcasts, gathers and sums from messages between two ranks.
 *
 * While waiting, every rank checks for an interruption, and rank 0 for the message of a rank that
 * has failed, so that no call waits for a rank that will not answer. */
#include "comm/comm.h"
#include "comm/engine.h"
#include "comm/launch.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATIENCE 5.0       /* seconds in which rank 0 must show what another one has failed of */
#define SPIN     400       /* looks at a request before the processor is given to others ... */
#define YIELD    800       /* ... and before that takes a nap */
#define SETTLE   300000000 /* nanoseconds */
#define NAP      100000    /* nanoseconds */

enum { TAG_DATA = 1, TAG_FAILED = 2 };

struct recon_comm {
    const recon_engine *engine;
    int rank, size;
    double waited;
    int told;   /* another rank's failure is known */
    int agreed; /* a failure is known to all ranks */
};

/* What a rank has failed of, as it travels. */
typedef struct {
    int status;
    char text[1020];
} failure;

/* --- the process ------------------------------------------------------------------------------ */

static recon_status not_started(recon_launch launch, recon_comm_message message, const char *why)
{
    if (launch.rank == 0)
        snprintf(message, sizeof(recon_comm_message), "%d processes were started: %s", launch.size,
                 why);
    return RECON_ERR_UNSUPPORTED;
}

recon_status recon_comm_start(recon_comm **out, recon_comm_message message)
{
    recon_launch launch = recon_launch_find();
    char why[900];
    *out = NULL;
    message[0] = '\0';
    if (launch.problem)
        return not_started(launch, message, launch.problem);
    if (!launch.engine)
        return RECON_OK;
    const recon_engine *engine = recon_launch_load(launch.engine, why, sizeof why);
    if (!engine)
        return not_started(launch, message, why);
    recon_comm *comm = calloc(1, sizeof *comm);
    if (!comm)
        return not_started(launch, message, "out of memory");
    comm->engine = engine;
    int code = engine->start(&comm->rank, &comm->size);
    if (code == 0 && comm->size == launch.size) {
        *out = comm;
        return RECON_OK;
    }
    engine->explain(code, why, sizeof why);
    if (code == 0)
        snprintf(why, sizeof why, "%s sees %d of them: does the launcher belong to another MPI?",
                 engine->plugin.name, comm->size);
    free(comm);
    return not_started(launch, message, why);
}

void recon_comm_finish(recon_comm *comm)
{
    if (!comm)
        return;
    comm->engine->finish();
    free(comm);
}

static void nap(long nanoseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = nanoseconds }, NULL);
}

void recon_comm_abort(recon_comm *comm, int code)
{
    if (comm->agreed)
        return;
    nap(SETTLE); /* launchers may drop lines that are still under way when a job is aborted */
    comm->engine->abort(code);
}

/* Rank 0 shows what has happened, unless it does not come by in time. The patience differs, lest
 * two ranks that fail at once both speak. */
int recon_comm_tell(recon_comm *comm, recon_status status, const char *message)
{
    if (comm->rank == 0 || comm->agreed)
        return comm->rank == 0;
    failure sent = { .status = (int)status };
    snprintf(sent.text, sizeof sent.text, "%s", message);
    void *request = NULL;
    double until = recon_now() + PATIENCE + 0.5 * comm->rank;
    int done = 0, failed = comm->engine->send(&request, &sent, sizeof sent, 0, TAG_FAILED);
    while (recon_now() < until) { /* rank 0 ends us */
        if (!failed && !done)
            failed = comm->engine->test(&request, &done);
        nap(NAP);
    }
    return 1;
}

void recon_comm_attach(recon_ctx *ctx, recon_comm *comm)
{
    ctx->comm = comm;
}

int recon_comm_rank(const recon_ctx *ctx)
{
    return ctx->comm ? ctx->comm->rank : 0;
}

int recon_comm_size(const recon_ctx *ctx)
{
    return ctx->comm ? ctx->comm->size : 1;
}

int recon_comm_place(const recon_ctx *ctx)
{
    return ctx->comm ? recon_launch_place() : 0;
}

double recon_comm_waited(const recon_ctx *ctx)
{
    return ctx->comm ? ctx->comm->waited : 0;
}

const char *recon_comm_name(const recon_ctx *ctx)
{
    return ctx->comm ? ctx->comm->engine->plugin.name : NULL;
}

recon_share recon_comm_share(const recon_ctx *ctx, int rank, size_t n, size_t unit)
{
    size_t units = (n + unit - 1) / unit, size = (size_t)recon_comm_size(ctx), r = (size_t)rank;
    size_t begin = units * r / size * unit, end = units * (r + 1) / size * unit;
    return (recon_share){ begin < n ? begin : n, end < n ? end : n };
}

recon_share recon_comm_own(const recon_ctx *ctx, size_t n, size_t unit)
{
    return recon_comm_share(ctx, recon_comm_rank(ctx), n, unit);
}

/* --- messages --------------------------------------------------------------------------------- */

static recon_status refused(recon_ctx *ctx, int code)
{
    char why[512];
    ctx->comm->engine->explain(code, why, sizeof why);
    return recon_fail(ctx, RECON_ERR_IO, "between ranks, %s: %s", ctx->comm->engine->plugin.name,
                      why);
}

/* Rank 0 takes over the failure of another rank. The others are sent none, but look too: within
 * long work that is when MPI carries their messages on. */
static recon_status hear(recon_ctx *ctx)
{
    recon_comm *comm = ctx->comm;
    failure heard = { 0 };
    void *request = NULL;
    size_t n = 0;
    int there = 0, from = 0, done = 0;
    if (comm->told)
        return RECON_OK;
    int code = comm->engine->probe(TAG_FAILED, &there, &from, &n);
    if (code || !there || n != sizeof heard)
        return code ? refused(ctx, code) : RECON_OK;
    comm->told = 1;
    code = comm->engine->recv(&request, &heard, sizeof heard, from, TAG_FAILED);
    while (!code && !done)
        code = comm->engine->test(&request, &done);
    heard.text[sizeof heard.text - 1] = '\0';
    return code ? refused(ctx, code)
                : recon_fail(ctx, (recon_status)heard.status, "rank %d: %s", from, heard.text);
}

static recon_status look_around(recon_ctx *ctx)
{
    RECON_CHECK(recon_interrupted(ctx));
    return hear(ctx);
}

recon_status recon_comm_poll(recon_ctx *ctx, int worker)
{
    return ctx->comm && worker == 0 ? hear(ctx) : RECON_OK;
}

/* Ranks that share a core must let each other work. */
static void rest(unsigned looks)
{
    if (looks > YIELD)
        nap(NAP);
    else if (looks > SPIN)
        sched_yield();
}

static recon_status wait_for(recon_ctx *ctx, void **request)
{
    recon_comm *comm = ctx->comm;
    recon_status status = RECON_OK;
    double begin = recon_now();
    for (unsigned looks = 0; status == RECON_OK && *request; looks++) {
        int done, code = comm->engine->test(request, &done);
        if (code)
            status = refused(ctx, code);
        else if (!done && looks % 16 == 15)
            status = look_around(ctx);
        if (!done)
            rest(looks);
    }
    comm->waited += recon_now() - begin;
    return status;
}

static recon_status begin(recon_ctx *ctx, recon_exchange *x, int code)
{
    x->count += x->request[x->count] != NULL;
    return code ? refused(ctx, code) : RECON_OK;
}

recon_status recon_exchange_send(recon_ctx *ctx, recon_exchange *x, const void *data, size_t bytes,
                                 int to)
{
    const recon_engine *e = ctx->comm->engine;
    return begin(ctx, x, e->send(&x->request[x->count], data, bytes, to, TAG_DATA));
}

recon_status recon_exchange_recv(recon_ctx *ctx, recon_exchange *x, void *data, size_t bytes,
                                 int from)
{
    const recon_engine *e = ctx->comm->engine;
    return begin(ctx, x, e->recv(&x->request[x->count], data, bytes, from, TAG_DATA));
}

recon_status recon_exchange_wait(recon_ctx *ctx, recon_exchange *x)
{
    for (int i = 0; i < x->count; i++)
        RECON_CHECK(wait_for(ctx, &x->request[i]));
    x->count = 0;
    return RECON_OK;
}

void recon_exchange_close(recon_ctx *ctx, recon_exchange *x)
{
    for (int i = 0; i < x->count; i++)
        ctx->comm->engine->cancel(&x->request[i]);
    x->count = 0;
}

/* To one rank and from another, at once. */
static recon_status swap(recon_ctx *ctx, const void *out, size_t out_bytes, int to, void *in,
                         size_t in_bytes, int from)
{
    recon_exchange x = { 0 };
    recon_status status;
    RECON_TRY(recon_exchange_recv(ctx, &x, in, in_bytes, from));
    RECON_TRY(recon_exchange_send(ctx, &x, out, out_bytes, to));
    RECON_TRY(recon_exchange_wait(ctx, &x));
done:
    recon_exchange_close(ctx, &x);
    return status;
}

/* --- all together ----------------------------------------------------------------------------- */

/* A binomial tree: in each round those who have it serve as many others. */
recon_status recon_comm_broadcast(recon_ctx *ctx, void *data, size_t bytes, int root)
{
    int size = recon_comm_size(ctx), place = (recon_comm_rank(ctx) - root + size) % size;
    recon_exchange x = { 0 };
    recon_status status = RECON_OK;
    for (int have = 1; have < size; have *= 2) {
        if (place < have && place + have < size)
            RECON_TRY(recon_exchange_send(ctx, &x, data, bytes, (place + have + root) % size));
        else if (place >= have && place < 2 * have)
            RECON_TRY(recon_exchange_recv(ctx, &x, data, bytes, (place - have + root) % size));
        RECON_TRY(recon_exchange_wait(ctx, &x));
    }
done:
    if (x.count)
        recon_exchange_close(ctx, &x);
    return status;
}

/* Round a ring: each passes on what it got last. */
recon_status recon_comm_gather_parts(recon_ctx *ctx, void *rows, const size_t *begin, size_t bytes)
{
    int size = recon_comm_size(ctx), rank = recon_comm_rank(ctx);
    char *all = rows;
    for (int step = 0; step < size - 1; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        RECON_CHECK(swap(ctx, all + begin[out] * bytes, (begin[out + 1] - begin[out]) * bytes,
                         (rank + 1) % size, all + begin[in] * bytes,
                         (begin[in + 1] - begin[in]) * bytes, (rank - 1 + size) % size));
    }
    return RECON_OK;
}

recon_status recon_comm_gather(recon_ctx *ctx, void *rows, size_t n, size_t unit, size_t bytes)
{
    int size = recon_comm_size(ctx);
    size_t *begin = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &begin, (size_t)size + 1, sizeof *begin));
    for (int r = 0; r < size; r++)
        begin[r + 1] = recon_comm_share(ctx, r, n, unit).end;
    RECON_TRY(recon_comm_gather_parts(ctx, rows, begin, bytes));
done:
    free(begin);
    return status;
}

recon_status recon_comm_count(recon_ctx *ctx, size_t *values, size_t n)
{
    size_t size = (size_t)recon_comm_size(ctx);
    size_t *all = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &all, size, n * sizeof *all));
    memcpy(all + (size_t)recon_comm_rank(ctx) * n, values, n * sizeof *all);
    RECON_TRY(recon_comm_gather(ctx, all, size, 1, n * sizeof *all));
    memset(values, 0, n * sizeof *values);
    for (size_t i = 0; i < size * n; i++)
        values[i % n] += all[i];
done:
    free(all);
    return status;
}

/* Neighbours, then neighbours of those, and so on. */
void recon_comm_fold(double *out, double *parts, size_t n, size_t width)
{
    for (size_t apart = 1; apart < n; apart *= 2)
        for (size_t i = 0; i + apart < n; i += 2 * apart)
            for (size_t c = 0; c < width; c++)
                parts[i * width + c] += parts[(i + apart) * width + c];
    for (size_t c = 0; c < width; c++)
        out[c] = n ? parts[c] : 0;
}

recon_status recon_comm_sum(recon_ctx *ctx, double *out, double *parts, size_t n, size_t width)
{
    RECON_CHECK(recon_comm_gather(ctx, parts, n, 1, width * sizeof *parts));
    recon_comm_fold(out, parts, n, width);
    return RECON_OK;
}

recon_status recon_comm_max(recon_ctx *ctx, double *value)
{
    size_t size = (size_t)recon_comm_size(ctx);
    double *all = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &all, size, sizeof *all));
    all[recon_comm_rank(ctx)] = *value;
    RECON_TRY(recon_comm_gather(ctx, all, size, 1, sizeof *all));
    for (size_t r = 0; r < size; r++)
        *value = fmax(*value, all[r]);
done:
    free(all);
    return status;
}

/* In round i everybody hears of 2^i others more. */
recon_status recon_comm_barrier(recon_ctx *ctx)
{
    int size = recon_comm_size(ctx), rank = recon_comm_rank(ctx);
    char out = 0, in;
    for (int apart = 1; apart < size; apart *= 2)
        RECON_CHECK(
            swap(ctx, &out, 1, (rank + apart) % size, &in, 1, (rank - apart + size) % size));
    return RECON_OK;
}

recon_status recon_comm_agree(recon_ctx *ctx, recon_status own)
{
    size_t size = (size_t)recon_comm_size(ctx), first = 0;
    failure what = { 0 };
    recon_status status;
    int *all = NULL;
    if (size == 1 || own == RECON_ERR_INTERRUPTED)
        return own;
    snprintf(what.text, sizeof what.text, "%s", recon_ctx_message(ctx));
    RECON_TRY(recon_alloc(ctx, &all, size, sizeof *all));
    all[recon_comm_rank(ctx)] = (int)own;
    RECON_TRY(recon_comm_gather(ctx, all, size, 1, sizeof *all));
    while (first < size && all[first] == RECON_OK)
        first++;
    ctx->comm->agreed = 0;
    if (first == size)
        goto done;
    RECON_TRY(recon_comm_broadcast(ctx, &what, sizeof what, (int)first));
    ctx->comm->agreed = 1;
    what.text[sizeof what.text - 1] = '\0';
    status = (int)first == 0
                 ? recon_fail(ctx, (recon_status)all[first], "%s", what.text)
                 : recon_fail(ctx, (recon_status)all[first], "rank %zu: %s", first, what.text);
done:
    free(all);
    return status;
}

recon_status recon_comm_same(recon_ctx *ctx, uint64_t number, const char *what)
{
    size_t size = (size_t)recon_comm_size(ctx), other = 1;
    uint64_t *all = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &all, size, sizeof *all));
    all[recon_comm_rank(ctx)] = number;
    RECON_TRY(recon_comm_gather(ctx, all, size, 1, sizeof *all));
    while (other < size && all[other] == all[0])
        other++;
    if (size > 1)
        ctx->comm->agreed = other < size;
    if (other < size)
        status = recon_fail(ctx, RECON_ERR_MISMATCH,
                            "%s differs between rank 0 and rank %zu: all ranks must see the same",
                            what, other);
done:
    free(all);
    return status;
}
