/* What a search will take: proportions that hold whatever the machine, and who is told. */
#include "check.h"
#include "core/ctx.h"
#include "normalize/plan.h"

#include <stdio.h>

static const recon_plan_sizes large = {
    .rows = 1000000, .d = 128, .k = 10, .ranks = 1, .threads = 1, .bytes = 1
};

/* The table of docs/notebook/cluster.md: 10^6 rows are 0.23 core hours. */
static void the_plan_is_the_documents_table(void **state)
{
    (void)state;
    recon_plan_sizes s = large;
    assert_true(fabs(recon_plan_of(&s).seconds / 3600 - 0.23) < 0.01);
    s.rows = 100000000, s.ranks = 16, s.threads = 32;
    assert_true(fabs(recon_plan_of(&s).seconds / 3600 - 4.5) < 0.1);
    assert_true(fabs((double)recon_plan_of(&s).bytes / 1e9 - 20) < 0.5);
}

static void time_and_memory_go_by_ranks_rows_and_columns(void **state)
{
    (void)state;
    recon_plan_sizes s = large, t = large;
    recon_plan one = recon_plan_of(&s);
    t.ranks = 4;
    assert_true(fabs(recon_plan_of(&t).seconds * 4 / one.seconds - 1) < 1e-9);
    assert_true(recon_plan_of(&t).bytes < one.bytes / 3 && recon_plan_of(&t).bytes > one.bytes / 4);
    t = large;
    t.rows *= 3, t.d *= 2;
    assert_true(fabs(recon_plan_of(&t).seconds / one.seconds - 18) < 1e-6);
    t = large;
    t.bytes = 0;
    assert_true(fabs(recon_plan_of(&t).seconds / one.seconds - 3) < 1e-9);
    t = large;
    t.queries = large.rows / 2; /* as many pairs as all rows with each other */
    assert_true(fabs(recon_plan_of(&t).seconds / one.seconds - 1) < 1e-9);
}

static char told[256];
static void listen(void *user, recon_log_level level, const char *message)
{
    (void)user, (void)level;
    snprintf(told, sizeof told, "%s", message);
}

static void only_a_long_run_is_announced(void **state)
{
    (void)state;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .on_log = listen });
    recon_plan_sizes s = large;
    s.rows = 50000; /* two seconds */
    recon_plan_tell(ctx, &s);
    assert_string_equal(told, "");
    s.rows = 200000;
    recon_plan_tell(ctx, &s);
    assert_string_equal(told, "exact search: about 33 seconds and 327 MiB on 1 rank of 1 thread");
    s.rows = 1000000, s.ranks = 2, s.threads = 4;
    recon_plan_tell(ctx, &s);
    assert_string_equal(
        told, "exact search: about 104 seconds and 865 MiB on 2 ranks of 4 threads, each");
    recon_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_is_the_documents_table),
        cmocka_unit_test(time_and_memory_go_by_ranks_rows_and_columns),
        cmocka_unit_test(only_a_long_run_is_announced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
