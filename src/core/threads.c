/* threads.c - the pool behind recon_parallel.
 *
 * Workers sleep on a condition and wake for a job; the caller works too, as worker 0. Tasks are
 * handed out one at a time from a counter, so uneven tasks balance themselves. */
#include "core/threads.h"
#include "core/arena.h"
#include "core/ctx.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 256

typedef struct {
    recon_ctx *ctx;
    recon_task *task;
    void *arg;
    size_t count;
    atomic_size_t next;
    atomic_int status; /* the first failure */
} job;

typedef struct {
    struct recon_pool *pool;
    pthread_t thread;
    recon_arena *scratch;
    int id;
} worker;

struct recon_pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    job *job;           /* the one being run, NULL between jobs */
    unsigned long turn; /* counts jobs, so that a worker takes each once */
    int busy;           /* workers that have not finished the job */
    int stop;
    int threads, started;
    worker worker[];
};

static _Thread_local struct {
    const recon_ctx *ctx; /* whose task this thread is in, NULL outside any */
    int worker;
} running;

static void run_tasks(job *j, int id)
{
    const recon_ctx *outer = running.ctx;
    int outer_worker = running.worker;
    recon_arena *scratch = recon_worker_arena(j->ctx, id);
    recon_mark mark = recon_arena_mark(scratch);
    running.ctx = j->ctx;
    running.worker = id;
    for (;;) {
        if (atomic_load(&j->status) != RECON_OK)
            break;
        if (atomic_load(&j->ctx->interrupted) && !j->ctx->hold) {
            int ok = RECON_OK;
            atomic_compare_exchange_strong(&j->status, &ok, RECON_ERR_INTERRUPTED);
            break;
        }
        size_t i = atomic_fetch_add(&j->next, 1);
        if (i >= j->count)
            break;
        int ok = RECON_OK;
        recon_status status = j->task(j->ctx, j->arg, i, id);
        recon_arena_release(scratch, mark);
        if (status != RECON_OK)
            atomic_compare_exchange_strong(&j->status, &ok, (int)status);
    }
    running.ctx = outer;
    running.worker = outer_worker;
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    recon_pool *pool = w->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->turn == seen)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->turn;
        job *j = pool->job;
        pthread_mutex_unlock(&pool->lock);
        run_tasks(j, w->id);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static int machine_threads(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return 1;
}

recon_pool *recon_pool_new(int threads)
{
    if (threads <= 0)
        threads = machine_threads();
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    recon_pool *pool = calloc(1, sizeof *pool + (size_t)threads * sizeof *pool->worker);
    if (!pool)
        return NULL;
    pool->threads = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    for (int i = 0; i < threads; i++) {
        worker *w = &pool->worker[i];
        *w = (worker){ .pool = pool, .id = i, .scratch = recon_arena_make() };
        if (!w->scratch || (i > 0 && recon_thread_create(&w->thread, worker_main, w) != 0)) {
            recon_arena_free(w->scratch);
            w->scratch = NULL;
            recon_pool_free(pool);
            return NULL;
        }
        pool->started = i + 1;
    }
    return pool;
}

void recon_pool_free(recon_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) {
        if (i > 0)
            pthread_join(pool->worker[i].thread, NULL);
        recon_arena_free(pool->worker[i].scratch);
    }
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int recon_pool_threads(const recon_pool *pool)
{
    return pool->threads;
}

recon_arena *recon_worker_arena(recon_ctx *ctx, int id)
{
    return ctx->pool->worker[id].scratch;
}

static void run_on_all(recon_pool *pool, job *j)
{
    pthread_mutex_lock(&pool->lock);
    pool->job = j;
    pool->busy = pool->threads - 1;
    pool->turn++;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);

    run_tasks(j, 0);

    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pool->job = NULL;
    pthread_mutex_unlock(&pool->lock);
}

recon_status recon_parallel(recon_ctx *ctx, recon_task *task, void *arg, size_t count)
{
    job j = { .ctx = ctx, .task = task, .arg = arg, .count = count };
    if (running.ctx == ctx) { /* inside a task: this worker alone */
        run_tasks(&j, running.worker);
        return (recon_status)atomic_load(&j.status);
    }
    if (ctx->process != getpid())
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "this context was made in another process: make one after fork()");
    ctx->message[0] = '\0';
    ctx->in_parallel = 1;
    if (count > 1 && ctx->pool->threads > 1)
        run_on_all(ctx->pool, &j);
    else
        run_tasks(&j, 0);
    ctx->in_parallel = 0;
    recon_status status = (recon_status)atomic_load(&j.status);
    if (status == RECON_ERR_INTERRUPTED) /* a task may have failed before, and gone on */
        return recon_fail(ctx, status, "interrupted");
    return status;
}

/* --- signals ------------------------------------------------------------------------------------- */

void recon_signals_block(sigset_t *before)
{
    static const int raised[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        sigdelset(&all, raised[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

int recon_thread_create(pthread_t *out, void *(*work)(void *), void *arg)
{
    sigset_t before;
    recon_signals_block(&before); /* a thread begins with its maker's mask */
    int refused = pthread_create(out, NULL, work, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return refused;
}

/* --- a budget of bytes --------------------------------------------------------------------------- */

void recon_budget_init(recon_budget *b, size_t most)
{
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->given, NULL);
    b->used = 0;
    b->most = most;
}

void recon_budget_end(recon_budget *b)
{
    pthread_cond_destroy(&b->given);
    pthread_mutex_destroy(&b->lock);
}

void recon_budget_take(recon_budget *b, size_t bytes)
{
    pthread_mutex_lock(&b->lock);
    while (b->used && (bytes > b->most || b->used > b->most - bytes))
        pthread_cond_wait(&b->given, &b->lock);
    b->used += bytes;
    pthread_mutex_unlock(&b->lock);
}

void recon_budget_give(recon_budget *b, size_t bytes)
{
    pthread_mutex_lock(&b->lock);
    b->used -= bytes;
    pthread_cond_broadcast(&b->given);
    pthread_mutex_unlock(&b->lock);
}
