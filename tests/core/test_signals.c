/* Where signals go: to the program's threads, never to the library's. */
#include "check.h"
#include "core/threads.h"

static void blocking_is_put_back(void **state)
{
    sigset_t before, now, within;
    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    recon_signals_block(&before);
    pthread_sigmask(SIG_SETMASK, &before, &within);
    assert_true(sigismember(&within, SIGINT) && sigismember(&within, SIGPROF));
    assert_false(sigismember(&within, SIGSEGV) || sigismember(&within, SIGFPE));
    assert_int_equal(sigismember(&before, SIGINT), sigismember(&now, SIGINT));
}

enum { THREADS = 4 };
typedef struct {
    pthread_barrier_t all; /* so that each worker has one task */
    int blocked[THREADS];
} seen;

static recon_status look(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    seen *s = arg;
    sigset_t mask;
    (void)ctx, (void)i;
    pthread_barrier_wait(&s->all);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    s->blocked[worker] = sigismember(&mask, SIGINT);
    return RECON_OK;
}

static void workers_take_no_signals(void **state)
{
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = THREADS });
    seen s = { 0 };
    (void)state;
    pthread_barrier_init(&s.all, NULL, THREADS);
    CHECK_OK(ctx, recon_parallel(ctx, look, &s, THREADS));
    assert_int_equal(s.blocked[0], 0); /* the caller's own thread */
    for (int i = 1; i < THREADS; i++)
        assert_int_equal(s.blocked[i], 1);
    pthread_barrier_destroy(&s.all);
    recon_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocking_is_put_back),
        cmocka_unit_test(workers_take_no_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
