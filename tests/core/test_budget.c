/* A budget: never more than it allows at once, and nobody waits for ever. */
#include "check.h"
#include "core/threads.h"

#include <stdatomic.h>

enum { MOST = 100, TASKS = 400 };

typedef struct {
    recon_budget budget;
    atomic_size_t used, worst, alone;
} trial;

static recon_status take_and_give(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    trial *t = arg;
    size_t bytes = i % 10 == 0 ? 3 * MOST : i % 60;
    (void)ctx;
    (void)worker;
    recon_budget_take(&t->budget, bytes);
    size_t now = atomic_fetch_add(&t->used, bytes) + bytes;
    if (bytes > MOST)
        atomic_fetch_add(&t->alone, now == bytes);
    else if (now > atomic_load(&t->worst))
        atomic_store(&t->worst, now);
    atomic_fetch_sub(&t->used, bytes);
    recon_budget_give(&t->budget, bytes);
    return RECON_OK;
}

static void all_threads_together_keep_to_it(void **state)
{
    (void)state;
    trial t = { .used = 0 };
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 8 });
    assert_non_null(ctx);
    recon_budget_init(&t.budget, MOST);
    CHECK_OK(ctx, recon_parallel(ctx, take_and_give, &t, TASKS));
    assert_true(atomic_load(&t.worst) <= MOST);
    assert_int_equal(atomic_load(&t.alone), TASKS / 10); /* what is larger is held alone */
    assert_int_equal(t.budget.used, 0);
    recon_budget_end(&t.budget);
    recon_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_threads_together_keep_to_it) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
