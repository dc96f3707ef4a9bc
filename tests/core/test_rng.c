/* Philox against its authors' known answers; moments; streams do not depend on order. */
#include "check.h"

static void known_answers(void **state)
{
    (void)state;
    recon_rng zero = recon_rng_new(0, 0);
    assert_int_equal(recon_rng_u32(&zero), 0x6627e8d5);
    assert_int_equal(recon_rng_u32(&zero), 0xe169c58d);
    assert_int_equal(recon_rng_u32(&zero), 0xbc57ac4c);
    assert_int_equal(recon_rng_u32(&zero), 0x9b00dbd8);

    recon_rng ones = recon_rng_new(UINT64_MAX, UINT64_MAX);
    ones.position = UINT64_MAX;
    assert_int_equal(recon_rng_u32(&ones), 0x408f276d);
    assert_int_equal(recon_rng_u32(&ones), 0x41c83b0e);
}

static void a_copy_repeats_the_stream(void **state)
{
    (void)state;
    recon_rng a = recon_rng_new(7, 3);
    for (int i = 0; i < 5; i++)
        recon_rng_u32(&a);
    recon_rng b = a;
    for (int i = 0; i < 100; i++)
        assert_true(recon_rng_u64(&a) == recon_rng_u64(&b));
}

static void moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    recon_rng r = recon_rng_new(1, 0);
    double u = 0, n1 = 0, n2 = 0, n4 = 0;
    for (int i = 0; i < N; i++) {
        double g = recon_rng_normal(&r);
        u += recon_rng_uniform(&r);
        n1 += g, n2 += g * g, n4 += g * g * g * g;
    }
    CHECK_NEAR(u / N, 0.5, 5 * 0.2887 / sqrt(N));
    CHECK_NEAR(n1 / N, 0.0, 5 / sqrt(N));
    CHECK_NEAR(n2 / N, 1.0, 5 * sqrt(2.0 / N));
    CHECK_NEAR(n4 / N, 3.0, 5 * sqrt(96.0 / N));
}

static void below_is_unbiased(void **state)
{
    (void)state;
    enum { N = 70000 };
    int count[7] = { 0 };
    recon_rng r = recon_rng_new(2, 0);
    for (int i = 0; i < N; i++)
        count[recon_rng_below(&r, 7)]++;
    for (int i = 0; i < 7; i++)
        CHECK_NEAR(count[i], N / 7.0, 5 * sqrt(N / 7.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(a_copy_repeats_the_stream),
        cmocka_unit_test(moments),
        cmocka_unit_test(below_is_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
