/* test_tail.c - of poses drawn from a density the tail is uniform, whatever the density. */
#include "check.h"

#include <recon/recon.h>
#include "group/tail.h"

enum { N = 4000 };

/* The largest distance of the distribution of u from the uniform one, at tenths. */
static double unevenness(const double *u)
{
    double worst = 0;
    for (double x = 0.05; x < 1; x += 0.1) {
        double below = 0;
        for (size_t i = 0; i < N; i++)
            below += u[i] < x;
        worst = fmax(worst, fabs(below / N - x));
    }
    return worst;
}

static void tails_of_angles_are_uniform(void **state)
{
    const recon_so2_density all[] = {
        { .family = RECON_SO2_UNIFORM, .width = 1 },
        { .family = RECON_SO2_NORMAL, .width = 0.1 },
        { .family = RECON_SO2_NORMAL, .width = 2.5 },
        { .family = RECON_SO2_VONMISES, .width = 4 },
        { .family = RECON_SO2_VONMISES, .width = 4000 },
        { .family = RECON_SO2_MIXTURE, .parts = 2, .part = { { 0.7, 0, 20 }, { 0.3, 2, 5 } } },
    };
    double u[N];
    (void)state;
    for (size_t l = 0; l < sizeof all / sizeof *all; l++) {
        recon_so2_density p = all[l];
        recon_rng rng = recon_rng_new(1, l);
        p.background = 0.1;
        p.center = 2.5;
        for (size_t i = 0; i < N; i++)
            u[i] = recon_so2_tail(&p, recon_so2_sample(&p, &rng));
        CHECK_LESS(unevenness(u), 0.03);
        CHECK_LESS(recon_so2_tail(&p, 2.5 + M_PI), 0.35);
    }
}

static void tails_of_rotations_are_uniform(void **state)
{
    const double all[][3] = { { 100, 100, 100 }, { 100, 0, 0 }, { 1000, 0, 0 }, { 20, 5, 2 },
                              { 5, 5, 5 },       { 50, 50, 0 }, { 10, 10, -5 }, { 1, 1, 1 } };
    double u[N];
    for (size_t l = 0; l < sizeof all / sizeof *all; l++) {
        const double f[9] = { all[l][0], 0, 0, 0, all[l][1], 0, 0, 0, all[l][2] };
        recon_rng rng = recon_rng_new(2, l);
        recon_fisher fisher;
        recon_so3 g[N];
        CHECK_OK(*state, recon_fisher_of(*state, &fisher, f));
        recon_fisher_sample(g, &fisher, N, &rng);
        for (size_t i = 0; i < N; i++)
            u[i] = recon_fisher_tail(&fisher, 0.1, i % 10 ? g[i] : recon_so3_haar(&rng));
        CHECK_LESS(unevenness(u), 0.06);
    }
}

/* Of a table: bins that are as likely as the pose, up to rounding, do not jump in or out. */
static void rounding_does_not_decide_about_a_tie(void **state)
{
    recon_so2_density p = { .family = RECON_SO2_BINS };
    double tail[2];
    (void)state;
    for (int i = 0; i < RECON_POSE_BINS; i++)
        p.bin[i] = (float)(1 + cos(4 * M_PI * i / RECON_POSE_BINS));
    for (int k = 0; k < 2; k++) {
        p.bin[RECON_POSE_BINS / 2 + 6] = p.bin[6] * (k ? 1 + 1e-5F : 1 - 1e-5F);
        tail[k] = recon_so2_tail(&p, 12 * M_PI / RECON_POSE_BINS);
    }
    CHECK_NEAR(tail[1], tail[0], 1e-4);
    for (int i = 0; i < RECON_POSE_BINS; i++)
        p.bin[i] = (float)(1 / (2 * M_PI));
    CHECK_NEAR(recon_so2_tail(&p, 1), 0.5, 1e-4);
    for (int i = 1; i < RECON_POSE_BINS; i++)
        p.bin[i] = 0;
    assert_true(recon_so2_tail(&p, M_PI) >= 0 && recon_so2_tail(&p, M_PI) < 1e-6);
}

/* No number is out of bounds, however far out or narrow. */
static void tails_are_shares(void **state)
{
    const double s[] = { 0, 1e-9, 1e-3, 1, 1e3, 1e6 };
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            const double f[9] = { s[i], 0, 0, 0, fmin(s[i], s[j]), 0, 0, 0, 0 };
            recon_fisher fisher;
            CHECK_OK(*state, recon_fisher_of(*state, &fisher, f));
            for (uint64_t k = 0; k < 20; k++) {
                recon_rng rng = recon_rng_new(3, k);
                double u = recon_fisher_tail(&fisher, 0.01, recon_so3_haar(&rng));
                assert_true(u >= 0 && u <= 1);
            }
            double at_mode = recon_fisher_tail(&fisher, 0, fisher.mode);
            assert_true(at_mode > 0.9 && at_mode <= 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tails_of_angles_are_uniform),
                                        cmocka_unit_test(tails_of_rotations_are_uniform),
                                        cmocka_unit_test(rounding_does_not_decide_about_a_tie),
                                        cmocka_unit_test(tails_are_shares) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
