/* The loss behind the density heads: it is minus the logarithm of the mixture, its slopes are those
 * of finite differences, and what is not finite is NaN and no crash. */
#include "check.h"
#include "group/so3/fisher.h"

#include <recon/group/matrix_fisher.h>

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
        CHECK_NEAR(recon_fisher_loss(NULL, NULL, f, &logit, 1, r),
                   -recon_fisher_mixture_log_density(&p, 1 / (1 + exp(-logit)), g), 1e-9);
    }
}

enum { PARTS = RECON_FISHER_PARTS };

/* Any number of parts: weights are a softmax in which the first part has 0. */
static void it_is_the_mixture_of_parts(void **state)
{
    recon_rng rng = recon_rng_new(4, 0);
    for (int round = 0; round < 60; round++) {
        double f[PARTS][9], share[PARTS], r[9], sum;
        recon_so3 g = recon_so3_haar(&rng);
        recon_fisher_mixture p = { .parts = 1 + round % PARTS };
        for (int k = 0; k < p.parts; k++) {
            random_f(f[k], round % 2 ? 1 : 10, &rng);
            share[k] = recon_rng_normal(&rng);
            CHECK_OK(*state, recon_fisher_of(*state, &p.part[k], f[k]));
        }
        sum = 1;
        for (int k = 1; k < p.parts; k++)
            sum += exp(share[k]);
        for (int k = 0; k < p.parts; k++)
            p.weight[k] = (k ? exp(share[k]) : 1) / sum;
        p.background = exp(share[0]) / (exp(share[0]) + sum);
        recon_so3_to_matrix(r, g);
        CHECK_NEAR(recon_fisher_loss(NULL, NULL, f[0], share, p.parts, r),
                   -recon_fisher_parts_log_density(&p, g), 1e-9);
    }
}

static double slope_of(double *x, double *const f, double *const share, int parts,
                       const double r[9])
{
    const double h = 1e-5, kept = *x;
    *x = kept + h;
    double up = recon_fisher_loss(NULL, NULL, f, share, parts, r);
    *x = kept - h;
    double down = recon_fisher_loss(NULL, NULL, f, share, parts, r);
    *x = kept;
    return (up - down) / (2 * h);
}

static void slopes_are_finite_differences(void **state)
{
    recon_rng rng = recon_rng_new(2, 0);
    (void)state;
    for (int round = 0; round < 80; round++) {
        int parts = 1 + round % PARTS, alike = round % 5 == 0; /* alike: no shares */
        double f[9 * PARTS], r[9], df[9 * PARTS], share[PARTS], dshare[PARTS];
        recon_so3_to_matrix(r, recon_so3_haar(&rng));
        for (int k = 0; k < parts; k++) {
            random_f(f + 9 * k, 1 + 5 * (round % 3), &rng);
            share[k] = recon_rng_normal(&rng);
        }
        if (round % 8 == 0) /* a ring, its singular values in a tie, near the pose */
            for (int i = 0; i < 9; i++)
                f[i] = 100 * r[i / 3 * 3] * (i % 3 == 0);
        recon_fisher_loss(df, dshare, f, alike ? NULL : share, parts, r);
        for (int i = 0; i < 9 * parts; i++)
            CHECK_NEAR(df[i], slope_of(&f[i], f, alike ? NULL : share, parts, r), 1e-6);
        for (int k = 0; k < parts && !alike; k++)
            CHECK_NEAR(dshare[k], slope_of(&share[k], f, share, parts, r), 1e-8);
    }
}

/* However far F is from the pose, the background bounds the loss: by -log pi. */
static void the_background_bounds_it(void **state)
{
    const double f[9] = { [0] = 1e9 }, r[9] = { -1, 0, 0, 0, -1, 0, 0, 0, 1 };
    double df[9], dlogit, even = 0;
    (void)state;
    CHECK_NEAR(recon_fisher_loss(df, &dlogit, f, &even, 1, r), log(2), 1e-12);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(df[i], 0, 0);
    CHECK_NEAR(dlogit, -0.5, 1e-12);
}

static void what_is_not_finite_is_nan(void **state)
{
    double f[9] = { 1 }, r[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, df[9], dlogit, share = 0;
    (void)state;
    f[4] = INFINITY;
    assert_true(isnan(recon_fisher_loss(df, &dlogit, f, &share, 1, r)) && isnan(df[8]) &&
                isnan(dlogit));
    f[4] = 0;
    share = NAN;
    assert_true(isnan(recon_fisher_loss(NULL, NULL, f, &share, 1, r)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_mixture),
        cmocka_unit_test(it_is_the_mixture_of_parts),
        cmocka_unit_test(slopes_are_finite_differences),
        cmocka_unit_test(the_background_bounds_it),
        cmocka_unit_test(what_is_not_finite_is_nan),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
