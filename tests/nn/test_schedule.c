/* Rates in closed form. */
#include "check.h"

#include "nn/restarts.h"

static void warm_up_rises_linearly_and_stays(void **state)
{
    (void)state;
    recon_schedule s = { .rate = 0.8, .warmup = 4 };
    const double want[] = { 0.2, 0.4, 0.6, 0.8, 0.8, 0.8 };
    for (uint64_t i = 0; i < 6; i++)
        CHECK_NEAR(recon_schedule_rate(&s, i), want[i], 1e-15);
}

static void a_cosine_falls_from_rate_to_floor(void **state)
{
    (void)state;
    recon_schedule s = {
        .kind = RECON_RATE_COSINE, .rate = 1, .floor = 0.1, .warmup = 10, .steps = 110
    };
    CHECK_NEAR(recon_schedule_rate(&s, 9), 1, 0);
    CHECK_NEAR(recon_schedule_rate(&s, 10), 1, 0);
    CHECK_NEAR(recon_schedule_rate(&s, 60), 0.55, 1e-15);
    CHECK_NEAR(recon_schedule_rate(&s, 110), 0.1, 1e-15);
    CHECK_NEAR(recon_schedule_rate(&s, 1000), 0.1, 1e-15);
    for (uint64_t i = 0; i < 50; i++) /* symmetric about the middle */
        CHECK_NEAR(recon_schedule_rate(&s, 60 - i) + recon_schedule_rate(&s, 60 + i), 1.1, 1e-14);
}

static void restarts_come_after_growing_periods(void **state)
{
    (void)state;
    recon_schedule s = { .kind = RECON_RATE_RESTARTS, .rate = 1, .period = 10, .growth = 2 };
    const uint64_t starts[] = { 0, 10, 30, 70, 150 };
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(recon_schedule_rate(&s, starts[i]), 1, 0);
        CHECK_NEAR(recon_schedule_rate(&s, (starts[i] + starts[i + 1]) / 2), 0.5, 1e-15);
        CHECK_LESS(recon_schedule_rate(&s, starts[i + 1] - 1), 0.03);
    }
    s.growth = 0;
    CHECK_NEAR(recon_schedule_rate(&s, 12345), 0.5, 1e-15);
}

/* The paper's: no step is at the top when the run ends, however many there are. */
static void restarts_end_with_the_run(void **state)
{
    (void)state;
    for (uint64_t steps = 700; steps < 800; steps++) {
        recon_schedule s = recon_restarts(1, 10, steps);
        assert_int_equal(s.warmup, 50);
        uint64_t third = s.warmup + 3 * s.period;
        CHECK_NEAR(recon_schedule_rate(&s, third), 1, 1e-12);
        CHECK_LESS(recon_schedule_rate(&s, steps - 1), 0.01);
        for (uint64_t i = third; i + 1 < steps; i++)
            CHECK_LESS(recon_schedule_rate(&s, i + 1), recon_schedule_rate(&s, i));
    }
    assert_int_equal(recon_restarts(1, 10, 100).warmup, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warm_up_rises_linearly_and_stays),
        cmocka_unit_test(a_cosine_falls_from_rate_to_floor),
        cmocka_unit_test(restarts_come_after_growing_periods),
        cmocka_unit_test(restarts_end_with_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
