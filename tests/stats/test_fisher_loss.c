/* The loss behind the density head: it is minus the logarithm of the mixture, its slopes are those
 * of finite differences, and what is not finite is NaN and no crash. */
#include "check.h"
#include "stats/fisher_loss.h"

#include <recon/stats/matrix_fisher.h>

static void random_f(double f[9], double size, recon_rng *rng)
{
    for (int i = 0; i < 9; i++)
        f[i] = size * recon_rng_normal(rng);
}

static void it_is_the_mixture(void **state)
{
    recon_rng rng = recon_rng_new(1, 0);
    for (int round = 0; round < 100; round++) {
        double f[9], r[9], logit = 3 * recon_rng_normal(&rng);
        recon_so3 g = recon_so3_haar(&rng);
        recon_fisher p;
        random_f(f, round % 2 ? 1 : 40, &rng);
        CHECK_OK(*state, recon_fisher_of(*state, &p, f));
        recon_so3_to_matrix(r, g);
        CHECK_NEAR(recon_fisher_loss(NULL, NULL, f, logit, r),
                   -recon_fisher_mixture_log_density(&p, 1 / (1 + exp(-logit)), g), 1e-9);
    }
}

static void slopes_are_finite_differences(void **state)
{
    recon_rng rng = recon_rng_new(2, 0);
    const double h = 1e-5;
    (void)state;
    for (int round = 0; round < 40; round++) {
        double f[9], r[9], df[9], dlogit, logit = recon_rng_normal(&rng);
        recon_so3_to_matrix(r, recon_so3_haar(&rng));
        random_f(f, 1 + 5 * (round % 3), &rng);
        if (round % 4 == 0) /* a ring, its singular values in a tie, near the pose */
            for (int i = 0; i < 9; i++)
                f[i] = 100 * r[i / 3 * 3] * (i % 3 == 0);
        recon_fisher_loss(df, &dlogit, f, logit, r);
        for (int i = 0; i < 9; i++) {
            double kept = f[i], up, down;
            f[i] = kept + h, up = recon_fisher_loss(NULL, NULL, f, logit, r);
            f[i] = kept - h, down = recon_fisher_loss(NULL, NULL, f, logit, r);
            f[i] = kept;
            CHECK_NEAR(df[i], (up - down) / (2 * h), 1e-6);
        }
        CHECK_NEAR(dlogit,
                   (recon_fisher_loss(NULL, NULL, f, logit + h, r) -
                    recon_fisher_loss(NULL, NULL, f, logit - h, r)) /
                       (2 * h),
                   1e-8);
    }
}

/* However far F is from the pose, the background bounds the loss: by -log pi. */
static void the_background_bounds_it(void **state)
{
    const double f[9] = { [0] = 1e9 }, r[9] = { -1, 0, 0, 0, -1, 0, 0, 0, 1 };
    double df[9], dlogit;
    (void)state;
    CHECK_NEAR(recon_fisher_loss(df, &dlogit, f, 0, r), log(2), 1e-12);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(df[i], 0, 0);
    CHECK_NEAR(dlogit, -0.5, 1e-12);
}

static void what_is_not_finite_is_nan(void **state)
{
    double f[9] = { 1 }, r[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, df[9], dlogit;
    (void)state;
    f[4] = INFINITY;
    assert_true(isnan(recon_fisher_loss(df, &dlogit, f, 0, r)) && isnan(df[8]) && isnan(dlogit));
    f[4] = 0;
    assert_true(isnan(recon_fisher_loss(NULL, NULL, f, NAN, r)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_mixture),
        cmocka_unit_test(slopes_are_finite_differences),
        cmocka_unit_test(the_background_bounds_it),
        cmocka_unit_test(what_is_not_finite_is_nan),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
