/* False-discovery rates: closed forms, and what simulations with a known truth come to. */
#include "check.h"

#include "stats/fdr.h"

#include <math.h>
#include <recon/core/rng.h>
#include <stdlib.h>

enum { N = 5000, WRONG = 150, SEEDS = 40 };

static recon_ctx *ctx;

/* Of ten at 0.2 the line is 0.02 r. */
static void the_threshold_is_the_largest_below_its_line(void **state)
{
    (void)state;
    const double p[10] = { 0.9, 0.055, 0.041, 0.5, 0.021, 0.7, 0.3, 0.6, 0.8, 0.4 };
    const double none[3] = { 0.5, 0.9, 0.2 };
    double t;
    assert_int_equal(recon_fdr_threshold(ctx, &t, p, 10, 0.2), RECON_OK);
    CHECK_NEAR(t, 0.055, 0); /* though neither 0.021 nor 0.041 is below 0.02 and 0.04 */
    assert_int_equal(recon_fdr_threshold(ctx, &t, p, 10, 0.1), RECON_OK);
    CHECK_NEAR(t, 0, 0);
    assert_int_equal(recon_fdr_threshold(ctx, &t, none, 3, 0.05), RECON_OK);
    CHECK_NEAR(t, 0, 0);
}

/* Uniform p-values, of which WRONG are tiny: the mean share of false calls is rate times the share of the usual. */
static void uniform_p_values_keep_the_rate(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(3, 0);
    double *p = malloc(N * sizeof *p), t, sum = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        size_t called = 0, usual = 0;
        for (int i = 0; i < N; i++)
            p[i] = recon_rng_uniform(&rng) * (i < WRONG ? 1e-5 : 1);
        assert_int_equal(recon_fdr_threshold(ctx, &t, p, N, 0.1), RECON_OK);
        for (int i = 0; i < N; i++) {
            called += p[i] <= t;
            usual += p[i] <= t && i >= WRONG;
        }
        sum += (double)usual / (double)called;
    }
    free(p);
    CHECK_NEAR(sum / SEEDS, 0.1 * (1 - (double)WRONG / N), 0.015);
}

typedef struct {
    double rate, recall;
    int called;
} outcome;

/* Usual scores whose tail falls by the rate `fall`, and `wrong` that are `above` on average. */
static outcome call(size_t n, size_t wrong, double fall, double above, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 1);
    double *score = malloc(n * sizeof *score), *p = malloc(n * sizeof *p), t;
    size_t called = 0, right = 0;
    for (size_t i = 0; i < n; i++)
        score[i] = i < wrong ? above + 2 * recon_rng_normal(&rng)
                             : -log(1 - recon_rng_uniform(&rng)) / fall;
    assert_int_equal(recon_fdr_p_values(ctx, p, &t, NULL, score, n, 0.05), RECON_OK);
    for (size_t i = 0; i < n; i++) {
        assert_true(p[i] >= 1 / ((double)n + 1) && p[i] <= 1);
        called += p[i] <= t;
        right += p[i] <= t && i < wrong;
    }
    free(score);
    free(p);
    return (outcome){ called ? 1 - (double)right / (double)called : 0,
                      wrong ? (double)right / (double)wrong : 0, (int)called };
}

static outcome mean_call(size_t wrong, double fall, double above)
{
    outcome sum = { 0 };
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        outcome o = call(N, wrong, fall, above, seed);
        sum.rate += o.rate / SEEDS;
        sum.recall += o.recall / SEEDS;
        sum.called += o.called;
    }
    return sum;
}

/* Calibrated odds, odds of a model that is not sure enough, and odds of one that is too sure. */
static void wrong_inputs_are_called_at_the_rate(void **state)
{
    (void)state;
    static const double falls[] = { 1, 1.5, 0.7 };
    for (int i = 0; i < 3; i++) {
        outcome o = mean_call(WRONG, falls[i], 16);
        assert_true(o.rate < 0.06);
        assert_true(o.recall > 0.9);
    }
}

static void of_a_set_without_wrong_inputs_hardly_any_is_called(void **state)
{
    (void)state;
    assert_true(mean_call(0, 1, 0).called < 0.0005 * N * SEEDS);
    assert_true(mean_call(0, 0.7, 0).called < 0.0005 * N * SEEDS);
}

/* The least p-value is 1 / (n + 1), so 3 % of 600 are not called however far they are, and of 800 they are. */
static void few_inputs_cannot_be_called(void **state)
{
    (void)state;
    assert_int_equal(call(600, 18, 1, 60, 1).called, 0);
    assert_true(call(800, 24, 1, 60, 1).recall == 1);
}

/* Only differences of scores count, and a higher score never has a higher p-value. */
static void p_values_fall_with_the_score(void **state)
{
    (void)state;
    enum { FEW = 300 };
    double score[FEW], moved[FEW], p[FEW], q[FEW], t, fall;
    recon_rng rng = recon_rng_new(9, 0);
    for (int i = 0; i < FEW; i++) {
        score[i] = recon_rng_normal(&rng);
        moved[i] = score[i] + 4;
    }
    assert_int_equal(recon_fdr_p_values(ctx, p, &t, &fall, score, FEW, 0.05), RECON_OK);
    assert_int_equal(recon_fdr_p_values(ctx, q, &t, NULL, moved, FEW, 0.05), RECON_OK);
    assert_true(fall > 0 && fall <= 1);
    for (int i = 0; i < FEW; i++) {
        CHECK_NEAR(p[i], q[i], 1e-9);
        for (int j = 0; j < FEW; j++)
            assert_true(score[i] <= score[j] || p[i] <= p[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_threshold_is_the_largest_below_its_line),
        cmocka_unit_test(uniform_p_values_keep_the_rate),
        cmocka_unit_test(wrong_inputs_are_called_at_the_rate),
        cmocka_unit_test(of_a_set_without_wrong_inputs_hardly_any_is_called),
        cmocka_unit_test(few_inputs_cannot_be_called),
        cmocka_unit_test(p_values_fall_with_the_score),
    };
    ctx = recon_ctx_new(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    recon_ctx_free(ctx);
    return failed;
}
