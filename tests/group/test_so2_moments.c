/* Moments against sums over the circle, and the rule that tells how often a pose repeats. */
#include "check.h"

#include <complex.h>
#include "group/so2/mean.h"

/* |E exp(i m theta)| by the midpoint rule. */
static double by_sum(const recon_so2_density *p, int m)
{
    enum { STEPS = 40000 };
    double complex sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double angle = 2 * M_PI * (i + 0.5) / STEPS - M_PI;
        sum += exp(recon_so2_log_density(p, angle)) * cexp(I * m * angle);
    }
    return cabs(sum) * 2 * M_PI / STEPS;
}

static void check_moments(const recon_so2_density *p)
{
    double moment[RECON_SO2_MOMENTS];
    recon_so2_moments(moment, p);
    for (int m = 1; m <= RECON_SO2_MOMENTS; m++)
        CHECK_NEAR(moment[m - 1], by_sum(p, m), p->family == RECON_SO2_UNIFORM ? 2e-3 : 2e-6);
}

static void moments_are_integrals(void **state)
{
    (void)state;
    for (double width = 0.05; width < 1e5; width *= 4) {
        recon_so2_density p = { .center = 0.3, .width = width, .background = 0.2 };
        p.family = RECON_SO2_VONMISES;
        check_moments(&p);
        p.family = RECON_SO2_UNIFORM;
        if (width < M_PI)
            check_moments(&p);
        p.family = RECON_SO2_NORMAL;
        if (width < M_PI)
            check_moments(&p);
        p = (recon_so2_density){ .family = RECON_SO2_MIXTURE,
                                 .center = -1,
                                 .parts = 3,
                                 .part = { { 0.5, 0.1, width }, { 0.3, 2, 3 }, { 0.2, -2, 0 } } };
        check_moments(&p);
    }
}

static void a_share_of_the_angles_lies_within_its_distance(void **state)
{
    (void)state;
    recon_so2_density arc = { .family = RECON_SO2_UNIFORM, .center = 3, .width = 1.2 };
    recon_so2_density normal = { .family = RECON_SO2_NORMAL, .center = 3, .width = 0.3 };
    recon_so2_density mixed = { .family = RECON_SO2_MIXTURE,
                                .parts = 2,
                                .part = { { 0.5, 3, 4 }, { 0.5, -3, 4 } } };
    CHECK_NEAR(recon_so2_deviation(&arc, 0.5), 0.6, 2e-3);
    CHECK_NEAR(recon_so2_deviation(&arc, 0.85), 0.85 * 1.2, 2e-3);
    CHECK_NEAR(recon_so2_deviation(&normal, 0.5), 0.3 * 0.67449, 1e-5);
    normal.width = 1e-3;
    CHECK_NEAR(recon_so2_deviation(&normal, 0.5), 1e-3 * 0.67449, 2e-5);
    double half = recon_so2_deviation(&mixed, 0.5), sum = 0;
    for (double at = M_PI - half; at < M_PI + half; at += 1e-4)
        sum += 1e-4 * exp(recon_so2_log_density(&mixed, at));
    CHECK_NEAR(sum, 0.5, 1e-3); /* about the mean direction, which is pi */
    normal.width = 0.05;
    normal.background = 0.2; /* a minority from elsewhere */
    CHECK_LESS(recon_so2_deviation(&normal, 0.5), 0.05);
    CHECK_NEAR(recon_so2_deviation(&arc, 1), 1.2, 0.03);
}

static void extremes_have_their_limits(void **state)
{
    (void)state;
    double moment[RECON_SO2_MOMENTS];
    recon_so2_moments(moment, &(recon_so2_density){ .family = RECON_SO2_VONMISES });
    for (int m = 0; m < RECON_SO2_MOMENTS; m++)
        CHECK_NEAR(moment[m], 0, 0);
    recon_so2_moments(moment, &(recon_so2_density){ .family = RECON_SO2_VONMISES, .width = 1e8 });
    for (int m = 1; m <= RECON_SO2_MOMENTS; m++)
        CHECK_NEAR(moment[m - 1], 1 - m * m / 2e8, 1e-12);
    recon_so2_moments(moment, &(recon_so2_density){ .family = RECON_SO2_UNIFORM });
    CHECK_NEAR(moment[3], 1, 0);
}

/* fold modes, evenly spaced; the first is as heavy as `first` says, the others share the rest. */
static int fold_of(int fold, double first, double kappa)
{
    double moment[RECON_SO2_MOMENTS];
    recon_so2_density p = { .family = RECON_SO2_MIXTURE, .parts = fold };
    for (int k = 0; k < fold; k++)
        p.part[k] = (recon_so2_part){ k ? (1 - first) / (fold - 1) : first,
                                      0.7 + 2 * M_PI * k / fold, kappa };
    recon_so2_moments(moment, &p);
    return recon_so2_fold(moment);
}

static void equal_modes_are_counted(void **state)
{
    (void)state;
    for (int fold = 1; fold <= 4; fold++)
        assert_int_equal(fold_of(fold, 1. / fold, 100), fold);
    assert_int_equal(fold_of(2, 0.72, 500), 2);
    assert_int_equal(fold_of(2, 0.78, 500), 1);
    assert_int_equal(fold_of(2, 0.5, 0.05), 0);
}

/* However broad one mode is, it is one. */
static void one_mode_is_never_folded(void **state)
{
    (void)state;
    double moment[RECON_SO2_MOMENTS];
    for (double width = 0.01; width < M_PI; width += 0.01)
        for (int family = RECON_SO2_UNIFORM; family <= RECON_SO2_VONMISES; family++) {
            recon_so2_moments(
                moment, &(recon_so2_density){ .family = (recon_so2_family)family, .width = width });
            assert_in_range(recon_so2_fold(moment), 0, 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_integrals),
        cmocka_unit_test(a_share_of_the_angles_lies_within_its_distance),
        cmocka_unit_test(extremes_have_their_limits),
        cmocka_unit_test(equal_modes_are_counted),
        cmocka_unit_test(one_mode_is_never_folded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
