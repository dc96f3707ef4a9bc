/* Quantiles by interpolation: closed forms. */
#include "check.h"

#include "stats/quantile.h"

static void quantiles_of_evenly_spaced_values_are_linear(void **state)
{
    (void)state;
    double v[101];
    for (int i = 0; i <= 100; i++)
        v[i] = (i * 37 % 101) / 10.0; /* each of 0 .. 10 once */
    recon_sort_doubles(v, 101);
    for (int q = 0; q <= 1000; q++)
        CHECK_NEAR(recon_quantile(v, 101, q / 1000.0), q / 100.0, 1e-12);
}

static void small_samples(void **state)
{
    (void)state;
    const double one[] = { 3 }, two[] = { 1, 2 };
    CHECK_NEAR(recon_quantile(one, 1, 0), 3, 0);
    CHECK_NEAR(recon_quantile(one, 1, 1), 3, 0);
    CHECK_NEAR(recon_quantile(two, 2, 0.5), 1.5, 1e-15);
    CHECK_NEAR(recon_quantile(two, 2, 1), 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_evenly_spaced_values_are_linear),
        cmocka_unit_test(small_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
