/* Two contexts in two threads train at once and meet nowhere. Built with ThreadSanitizer by
 * `make check-tsan`, on ref and our own threads alone: other runtimes are not instrumented. */
#include "task.h"

#include <pthread.h>
#include <recon/ops/backend.h>

typedef struct {
    pthread_t thread;
    recon_train_result result;
    recon_status status;
} trainer;

static void *train(void *arg)
{
    trainer *t = arg;
    task k;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
    recon_ops_attach(ctx, "ref");
    task_new(ctx, &k, RECON_SINGLE);
    recon_trainee it = task_trainee(&k);
    t->status = recon_train(ctx, &t->result, &it, &(recon_train_options){ TASK_OPTIONS });
    recon_params_free(ctx, k.params);
    recon_ctx_free(ctx);
    return NULL;
}

static void two_contexts_train_at_once(void **state)
{
    (void)state;
    trainer t[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&t[i].thread, NULL, train, &t[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i].thread, NULL);
    assert_int_equal(t[0].status, RECON_OK);
    assert_int_equal(t[1].status, RECON_OK);
    CHECK_NEAR(t[0].result.best, t[1].result.best, 0);
}

/* A model that is not trained any more is read by many threads. */
typedef struct {
    pthread_t thread;
    task *k;
    double loss;
} reader;

static void *infer(void *arg)
{
    reader *r = arg;
    task mine = *r->k;
    recon_tape *t = NULL;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_ops_attach(ctx, "ref");
    if (recon_tape_new(ctx, &t, RECON_SINGLE, 1) == RECON_OK)
        task_validate(&mine, t, &r->loss);
    recon_tape_free(t);
    recon_ctx_free(ctx);
    return NULL;
}

static void one_model_serves_many_threads(void **state)
{
    recon_ctx *ctx = *state;
    task k;
    reader r[3];
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    task_new(ctx, &k, RECON_SINGLE);
    for (int i = 0; i < 3; i++) {
        r[i] = (reader){ .k = &k };
        assert_int_equal(pthread_create(&r[i].thread, NULL, infer, &r[i]), 0);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(r[i].thread, NULL);
    assert_true(r[0].loss > 0);
    CHECK_NEAR(r[1].loss, r[0].loss, 0);
    CHECK_NEAR(r[2].loss, r[0].loss, 0);
    recon_params_free(ctx, k.params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_contexts_train_at_once),
        cmocka_unit_test(one_model_serves_many_threads),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
