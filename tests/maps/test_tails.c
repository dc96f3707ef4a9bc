/* test_tails.c - p-values from the tails of points held out. */
#include "check.h"

#include "core/shuffle.h"
#include "maps/head_training.h"
#include "maps/tails.h"
#include "data/dataset.h"

#include <math.h>
#include <recon/core/rng.h>

enum { N = 6000, FEW = 50, USUAL = 120, DRAWS = 400 };

/* Flat densities have tails as they should be, broad ones too small ones, sharp ones too large. */
static recon_tail_point draw(recon_rng *rng, size_t kind)
{
    const double sharpness[] = { 0.1, 0.6, 0.99 }, power[] = { 1, 2, 0.5 };
    return (recon_tail_point){ sharpness[kind], pow(recon_rng_uniform(rng), power[kind]) };
}

static recon_tails made(size_t n, size_t few_from, uint64_t seed)
{
    static recon_tail_point points[N];
    recon_rng rng = recon_rng_new(seed, 0);
    recon_tails t;
    for (size_t i = 0; i < n; i++)
        points[i] = draw(&rng, i < few_from ? i % 2 : 2);
    recon_tails_make(&t, points, n);
    return t;
}

/* Kind by kind as many are below a share as it says. */
static void each_kind_has_its_own_p_values(void **state)
{
    recon_tails t = made(N, N / 2, 1);
    (void)state;
    for (size_t kind = 0; kind < 3; kind++) {
        recon_rng rng = recon_rng_new(2, kind);
        double below = 0;
        for (size_t i = 0; i < N; i++)
            below += recon_tails_p_value(&t, draw(&rng, kind)) < 0.05;
        CHECK_NEAR(below / N, 0.05, 0.015);
    }
}

/* Whoever was held out of a few: on average as many new points are flagged as was asked for. */
static void few_points_flag_what_is_asked_for(void **state)
{
    const double asked[] = { 0.01, 0.05, 0.10, 0.20 };
    double flagged[4] = { 0 };
    (void)state;
    for (uint64_t draw_of = 0; draw_of < DRAWS; draw_of++) {
        recon_tails t = made(USUAL, USUAL, 10 + draw_of);
        recon_rng rng = recon_rng_new(9, draw_of);
        for (size_t i = 0; i < USUAL; i++) {
            double p = recon_tails_p_value(&t, draw(&rng, i % 2));
            for (int j = 0; j < 4; j++)
                flagged[j] += p <= asked[j];
        }
    }
    for (int j = 0; j < 4; j++)
        CHECK_NEAR(flagged[j] / (DRAWS * USUAL) / asked[j], 1, j ? 0.1 : 0.2);
}

static void a_kind_of_few_is_counted_among_the_broad(void **state)
{
    recon_tails t = made(N, N - FEW, 1);
    (void)state;
    CHECK_NEAR(t.bin[1].n, N / 2. - FEW / 2. + FEW, 1);
    assert_memory_equal(&t.bin[2], &t.bin[1], sizeof t.bin[1]);
    t = made(FEW, FEW / 2, 1);
    for (size_t b = 0; b < RECON_TAIL_BINS; b++)
        assert_true(t.bin[b].n == FEW);
}

/* 1 / (n + 1) where no point is as unusual, 1 at the end. */
static void p_values_count_the_input_itself(void **state)
{
    recon_tails t = made(FEW, FEW / 2, 3);
    double last = 0;
    (void)state;
    CHECK_NEAR(recon_tails_p_value(&t, (recon_tail_point){ 0.6, -1 }), 1. / (FEW + 1), 1e-12);
    CHECK_NEAR(recon_tails_p_value(&t, (recon_tail_point){ 0.6, 2 }), 1, 1e-12);
    for (double tail = 0; tail <= 1; tail += 0.01) {
        double p = recon_tails_p_value(&t, (recon_tail_point){ 0.6, tail });
        assert_true(p >= last && p <= 1);
        last = p;
    }
    double middle = t.bin[1].quantile[RECON_TAIL_QUANTILES / 2];
    double p = recon_tails_p_value(&t, (recon_tail_point){ 0.6, middle });
    CHECK_NEAR(p, (1 + FEW / 2.) / (FEW + 1), 0.01);
    assert_true(isnan(recon_tails_p_value(&t, (recon_tail_point){ 0.6, NAN })));
    const recon_tails none = { .bin = { { 0 } } };
    assert_true(recon_tails_p_value(&none, (recon_tail_point){ 0.6, 0.25 }) == 0.25);
    assert_true(recon_tails_p_value(&none, (recon_tail_point){ 0.6, 0 }) > 0);
}

static void files_keep_them(void **state)
{
    static double numbers[RECON_TAIL_NUMBERS];
    recon_tails t = made(N, N / 2, 4), back;
    (void)state;
    recon_tails_pack(numbers, &t);
    assert_true(recon_tails_unpack(&back, numbers));
    assert_memory_equal(&t, &back, sizeof t);
    numbers[5] = numbers[4] - 1;
    assert_false(recon_tails_unpack(&back, numbers));
    numbers[5] = NAN;
    assert_false(recon_tails_unpack(&back, numbers));
}

/* The images that a backbone's training holds out (recon_dataset_split) come first. */
static void maps_hold_out_what_the_backbone_did(void **state)
{
    (void)state;
    for (size_t n = 24; n < 3000; n = 3 * n + 1) {
        recon_head_training l = { .n = n, .as_split = 1, .seed = 7 };
        for (size_t i = 0; i < n; i++)
            assert_int_equal(recon_permute(recon_head_training_place(&l, i), n, 0, 0), i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_own_p_values),
        cmocka_unit_test(a_kind_of_few_is_counted_among_the_broad),
        cmocka_unit_test(few_points_flag_what_is_asked_for),
        cmocka_unit_test(p_values_count_the_input_itself),
        cmocka_unit_test(files_keep_them),
        cmocka_unit_test(maps_hold_out_what_the_backbone_did),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
