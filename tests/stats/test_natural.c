/* test_natural.c - what a density says about a natural pose. What samples say: test_verdicts.c. */
#include "check.h"

#include <math.h>
#include <recon/recon.h>

#define DEGREE (M_PI / 180)

static recon_natural of_rotations(recon_ctx *ctx, double a, double b, double c, double background)
{
    const double f[9] = { a, 0, 0, 0, b, 0, 0, 0, c };
    recon_fisher fisher;
    CHECK_OK(ctx, recon_fisher_of(ctx, &fisher, f));
    return recon_so3_natural(&fisher, background);
}

static void an_axis_is_held_closely_by_most(void **state)
{
    assert_int_equal(of_rotations(*state, 100, 100, 100, 0.3), RECON_NATURAL_ONE);
    assert_int_equal(of_rotations(*state, 100, 0, 0, 0.3), RECON_NATURAL_AXIS);
    assert_int_equal(of_rotations(*state, 100, 100, 100, 0.69), RECON_NATURAL_NONE);
    assert_int_equal(of_rotations(*state, 2, 0, 0, 0.43), RECON_NATURAL_NONE); /* 60 degrees */
    assert_int_equal(of_rotations(*state, 0, 0, 0, 0), RECON_NATURAL_NONE);
}

static void every_kind_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < RECON_NATURAL_KINDS; i++)
        assert_true(strlen(recon_natural_name((recon_natural)i)) > 0);
    assert_string_equal(recon_natural_name(RECON_NATURAL_UNSURE), "cannot_tell");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_is_held_closely_by_most),
        cmocka_unit_test(every_kind_has_a_name),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
