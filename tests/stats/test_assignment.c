/* The assignment is a permutation, no worse than any other, and finds one that was planted. */
#include "check.h"
#include "core/memory.h"
#include "stats/assignment.h"
#include "stats/permutations.h"

static double total(const double *cost, const size_t *column, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += cost[i * n + column[i]];
    return sum;
}

static void check_permutation(const size_t *column, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        assert_true(column[i] < n);
        for (size_t j = 0; j < i; j++)
            assert_true(column[i] != column[j]);
    }
}

/* Few levels make many ties; negative costs are costs too. */
static void beats_every_permutation(void **state)
{
    recon_rng rng = recon_rng_new(1, 0);
    double cost[49];
    size_t column[7];
    for (int trial = 0; trial < 300; trial++) {
        int n = 1 + trial % 7;
        for (int k = 0; k < n * n; k++)
            cost[k] = trial % 2 ? (double)recon_rng_below(&rng, 3) : recon_rng_normal(&rng);
        CHECK_OK(*state, recon_assign(*state, column, cost, (size_t)n));
        check_permutation(column, (size_t)n);
        CHECK_NEAR(total(cost, column, (size_t)n), least_cost(cost, n), 1e-13);
    }
}

/* cost = u_i + v_j + something >= 0 that is 0 on a hidden permutation: that one is optimal. */
static void finds_a_planted_optimum(void **state)
{
    enum { N = 150 };
    static double cost[N * N], u[N], v[N];
    static size_t column[N], hidden[N];
    recon_rng rng = recon_rng_new(2, 0);
    for (size_t i = 0; i < N; i++) {
        size_t j = recon_rng_below(&rng, i + 1);
        hidden[i] = hidden[j], hidden[j] = i;
        u[i] = recon_rng_normal(&rng), v[i] = recon_rng_normal(&rng);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            cost[i * N + j] =
                u[i] + v[j] + (j == hidden[i] ? 0 : 0.01 * recon_rng_exponential(&rng));
    CHECK_OK(*state, recon_assign(*state, column, cost, N));
    check_permutation(column, N);
    CHECK_NEAR(total(cost, column, N), total(cost, hidden, N), 1e-12);
}

static void stops_when_told_or_out_of_memory(void **state)
{
    recon_ctx *ctx = *state;
    const double cost[4] = { 1, 2, 3, 5 };
    size_t column[2];
    for (int n = 1; n <= 6; n++) {
        recon_alloc_fail_at(ctx, n);
        CHECK_FAILS(ctx, recon_assign(ctx, column, cost, 2), RECON_ERR_MEMORY, "out of memory");
    }
    recon_alloc_fail_at(ctx, 0);
    recon_ctx_interrupt(ctx);
    CHECK_FAILS(ctx, recon_assign(ctx, column, cost, 2), RECON_ERR_INTERRUPTED, "interrupted");
    recon_ctx_resume(ctx);
    CHECK_OK(ctx, recon_assign(ctx, column, cost, 2));
    assert_true(column[0] == 1 && column[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beats_every_permutation),
        cmocka_unit_test(finds_a_planted_optimum),
        cmocka_unit_test(stops_when_told_or_out_of_memory),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
