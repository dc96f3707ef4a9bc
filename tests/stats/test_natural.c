/* test_natural.c - what a density says about a natural pose. What samples say: test_verdicts.c. */
#include "check.h"

#include <math.h>
#include <recon/recon.h>

#define DEGREE (M_PI / 180)

/* A density needs no samples: one as broad as a quarter turn each way says nothing. */
static void broad_densities_have_none(void **state)
{
    double moment[RECON_SO2_MOMENTS];
    (void)state;
    for (double sigma = 5; sigma < 150; sigma += 5) {
        recon_so2_density p = { .family = RECON_SO2_NORMAL, .width = sigma * DEGREE };
        recon_so2_moments(moment, &p);
        assert_int_equal(recon_so2_natural(moment, 1),
                         sigma < 96 ? RECON_NATURAL_ONE : RECON_NATURAL_NONE);
        p.background = 0.8; /* most of them come from anywhere */
        recon_so2_moments(moment, &p);
        assert_int_equal(recon_so2_natural(moment, 1), RECON_NATURAL_NONE);
    }
}

static void modes_of_a_density_are_several_or_a_symmetry(void **state)
{
    double moment[RECON_SO2_MOMENTS];
    recon_so2_density p = { .family = RECON_SO2_MIXTURE,
                            .parts = 2,
                            .part = { { 0.5, 0, 20 }, { 0.5, M_PI, 20 } } };
    (void)state;
    recon_so2_moments(moment, &p);
    assert_int_equal(recon_so2_natural(moment, 2), RECON_NATURAL_MODULO);
    p.part[1].mean = M_PI / 2;
    recon_so2_moments(moment, &p);
    assert_int_equal(recon_so2_natural(moment, 2), RECON_NATURAL_SEVERAL);
}

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
        cmocka_unit_test(broad_densities_have_none),
        cmocka_unit_test(modes_of_a_density_are_several_or_a_symmetry),
        cmocka_unit_test(an_axis_is_held_closely_by_most),
        cmocka_unit_test(every_kind_has_a_name),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
