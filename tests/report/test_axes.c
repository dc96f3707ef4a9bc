/* Axes: ticks that are round, even and within; places in order. */
#include "check.h"
#include "report/chart.h"

static const recon_axis_kind kinds[] = { RECON_AXIS_LINEAR, RECON_AXIS_LOG, RECON_AXIS_DEGREES };

/* A range of any size and place; positive for a logarithmic axis. */
static void any_range(recon_rng *rng, recon_axis_kind kind, double *low, double *high)
{
    double size = pow(10, 10 * recon_rng_uniform(rng) - 6);
    *low = kind == RECON_AXIS_LOG ? size : size * recon_rng_normal(rng);
    *high = kind == RECON_AXIS_LOG ? size * pow(10, 12 * recon_rng_uniform(rng))
                                   : *low + size * recon_rng_uniform(rng);
}

static void an_axis_covers_the_data_with_a_few_ticks(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    for (int i = 0; i < 3000; i++) {
        double low, high, tick[RECON_TICKS_MAX];
        any_range(&rng, kinds[i % 3], &low, &high);
        recon_axis axis = recon_axis_cover(kinds[i % 3], low, high);
        size_t n = recon_axis_ticks(&axis, tick);
        assert_true(axis.low <= low + 1e-6 * fabs(low) && axis.high >= high - 1e-6 * fabs(high));
        if (n < 2 || n > 12)
            fail_msg("%zu ticks for %.17g .. %.17g", n, low, high);
        CHECK_NEAR(tick[0], axis.low, 1e-6 * (axis.high - axis.low));
        CHECK_NEAR(tick[n - 1], axis.high, 1e-6 * (axis.high - axis.low));
    }
}

static void linear_ticks_are_even_and_round(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    for (int i = 0; i < 1000; i++) {
        double low, high, tick[RECON_TICKS_MAX];
        any_range(&rng, RECON_AXIS_LINEAR, &low, &high);
        recon_axis axis = recon_axis_cover(RECON_AXIS_LINEAR, low, high);
        size_t n = recon_axis_ticks(&axis, tick);
        for (size_t k = 1; k < n; k++)
            CHECK_NEAR(tick[k] - tick[k - 1], axis.step, 1e-6 * axis.step);
        double digit = axis.step / pow(10, floor(log10(axis.step) + 1e-9));
        assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
    }
}

static void known_axes_have_the_ticks_one_would_draw(void **state)
{
    (void)state;
    static const struct {
        recon_axis_kind kind;
        double low, high, ticks[12];
        size_t n;
    } cases[] = {
        { RECON_AXIS_LINEAR, 0, 1, { 0, .2, .4, .6, .8, 1 }, 6 },
        { RECON_AXIS_LINEAR, 89.7, 97.2, { 88, 90, 92, 94, 96, 98 }, 6 },
        { RECON_AXIS_LOG, 5, 100, { 5, 10, 20, 50, 100 }, 5 },
        { RECON_AXIS_LOG, 3e-4, .2, { 1e-4, 1e-3, 1e-2, .1, 1 }, 5 },
        { RECON_AXIS_DEGREES, 0, 360, { 0, 60, 120, 180, 240, 300, 360 }, 7 },
        { RECON_AXIS_DEGREES, -90, 90, { -90, -60, -30, 0, 30, 60, 90 }, 7 },
        { RECON_AXIS_DEGREES, 0, 5, { 0, 1, 2, 3, 4, 5 }, 6 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double tick[RECON_TICKS_MAX];
        recon_axis axis = recon_axis_cover(cases[i].kind, cases[i].low, cases[i].high);
        assert_int_equal(recon_axis_ticks(&axis, tick), cases[i].n);
        for (size_t k = 0; k < cases[i].n; k++)
            CHECK_NEAR(tick[k], cases[i].ticks[k], 1e-9 * fabs(tick[k]) + 1e-12);
    }
}

static void places_go_from_end_to_end_in_order(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(3, 0);
    for (int i = 0; i < 300; i++) {
        double low, high;
        any_range(&rng, kinds[i % 3], &low, &high);
        recon_axis axis = recon_axis_cover(kinds[i % 3], low, high);
        axis.from = 300, axis.to = 20; /* upwards */
        CHECK_NEAR(recon_axis_at(&axis, axis.low), 300, 1e-9);
        CHECK_NEAR(recon_axis_at(&axis, axis.high), 20, 1e-9);
        double below = recon_axis_at(&axis, low), above = recon_axis_at(&axis, high);
        assert_true(below >= above && below <= 300 && above >= 20);
        CHECK_NEAR(recon_axis_at(&axis, axis.high + fabs(axis.high) + 1), 20, 1e-9);
        CHECK_NEAR(recon_axis_at(&axis, axis.low - fabs(axis.low) - 1), 300, 1e-9);
    }
}

static void a_single_value_stands_inside(void **state)
{
    (void)state;
    static const double values[] = { 1e-6, 0.3, 1, 7, 12345 };
    for (size_t i = 0; i < 15; i++) {
        recon_axis axis = recon_axis_cover(kinds[i % 3], values[i / 3], values[i / 3]);
        assert_true(axis.low < values[i / 3] && axis.high > values[i / 3]);
    }
    recon_axis zero = recon_axis_cover(RECON_AXIS_LINEAR, 0, 0);
    assert_true(zero.low < 0 && zero.high > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_covers_the_data_with_a_few_ticks),
        cmocka_unit_test(linear_ticks_are_even_and_round),
        cmocka_unit_test(known_axes_have_the_ticks_one_would_draw),
        cmocka_unit_test(places_go_from_end_to_end_in_order),
        cmocka_unit_test(a_single_value_stands_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
