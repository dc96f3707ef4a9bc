/* test_natural.c - what a density says about a natural pose. What samples say: test_verdicts.c. */
#include "check.h"

#include <math.h>
#include <recon/recon.h>
#include "group/natural.h"
#include "group/so2/mean.h"
#include "group/so2/fit.h"

#define DEGREE (M_PI / 180)

enum { POSES = 50 };

static recon_so2_center verdict_on(recon_ctx *ctx, const recon_so2_density *p)
{
    double angles[POSES];
    recon_so2_center out;
    recon_so2_quantiles(angles, p, POSES);
    CHECK_OK(ctx, recon_so2_mean(ctx, &out, angles, POSES, NULL));
    return out;
}

/* As many angles lie below each as its place says, of every family. */
static void quantiles_are_even_steps_of_probability(void **state)
{
    const recon_so2_density all[] = {
        { .family = RECON_SO2_UNIFORM, .center = 3, .width = 1 },
        { .family = RECON_SO2_NORMAL, .center = -2, .width = 0.3, .background = 0.2 },
        { .family = RECON_SO2_VONMISES, .width = 3000 },
        { .family = RECON_SO2_MIXTURE,
          .parts = 2,
          .part = { { 0.3, 0, 20 }, { 0.7, M_PI / 2, 5 } } },
    };
    double angles[POSES];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double moment[RECON_SO2_MOMENTS], c = 0, s = 0;
        recon_so2_quantiles(angles, &all[i], POSES);
        recon_so2_moments(moment, &all[i]);
        for (int j = 0; j < POSES; j++) {
            c += cos(angles[j]) / POSES;
            s += sin(angles[j]) / POSES;
        }
        CHECK_NEAR(hypot(c, s), moment[0], 0.01);
    }
    (void)state;
}

/* A table is relative to the pose of the input it was read from; the density is not, and what it
 * says must not depend on how that input was rotated. */
static void a_table_says_the_same_wherever_it_begins(void **state)
{
    enum { BINS = RECON_POSE_BINS };
    double first[POSES], then[POSES];
    for (int second = 0; second <= 40; second += 10) { /* percent in another mode */
        recon_so2_density p = { .family = RECON_SO2_BINS };
        recon_so2_center said = { 0 };
        for (int i = 0; i < BINS; i++) {
            double at = 2 * M_PI * (i + 0.3) / BINS; /* no two bins are alike */
            p.bin[i] = (float)((100 - second) * exp(20 * (cos(at) - 1)) +
                               second * exp(20 * (cos(at - 2.6) - 1)));
        }
        for (int by = 0; by < BINS; by += 5) {
            recon_so2_density q = { .family = RECON_SO2_BINS,
                                    .center = recon_so2_wrap(-2 * M_PI * by / BINS) };
            for (int i = 0; i < BINS; i++)
                q.bin[(i + by) % BINS] = p.bin[i];
            recon_so2_quantiles(by ? then : first, &q, POSES);
            for (int j = 0; by && j < POSES; j++)
                CHECK_NEAR(recon_so2_wrap(then[j] - first[j]), 0, 0.01 * DEGREE);
            recon_so2_center here = verdict_on(*state, &q);
            assert_int_equal(here.natural, by ? said.natural : here.natural);
            said = here;
        }
    }
}

static void one_law_has_one_verdict(void **state)
{
    for (double degrees = 5; degrees <= 60; degrees += 5) {
        recon_so2_density p = { .family = RECON_SO2_NORMAL, .width = degrees * DEGREE };
        assert_int_equal(verdict_on(*state, &p).natural, RECON_NATURAL_ONE);
        p.family = RECON_SO2_UNIFORM;
        p.width = 1.5 * degrees * DEGREE;
        assert_int_equal(verdict_on(*state, &p).natural, RECON_NATURAL_ONE);
    }
    recon_so2_density flat = { .family = RECON_SO2_UNIFORM, .width = M_PI };
    assert_int_equal(verdict_on(*state, &flat).natural, RECON_NATURAL_NONE);
}

/* The peaks rise to more than twice the valleys, and yet what they stand for is an arc. */
static void bumps_that_stand_for_an_arc_are_one_pose(void **state)
{
    for (double kappa = 8; kappa <= 30; kappa += 2) {
        recon_so2_density p = { .family = RECON_SO2_MIXTURE, .parts = 4 };
        for (int i = 0; i < 4; i++)
            p.part[i] = (recon_so2_part){ 0.25, (40 * i - 60) * DEGREE, kappa };
        recon_so2_center said = verdict_on(*state, &p);
        assert_int_equal(said.natural, RECON_NATURAL_ONE);
        assert_int_equal(said.modes, 1);
        CHECK_LESS(fabs(said.mode[0].at), 3 * DEGREE);
    }
}

static void modes_of_a_density_are_several_or_a_symmetry(void **state)
{
    recon_so2_density p = { .family = RECON_SO2_MIXTURE,
                            .parts = 2,
                            .part = { { 0.5, 0, 20 }, { 0.5, M_PI, 20 } } };
    recon_so2_center said = verdict_on(*state, &p);
    assert_int_equal(said.natural, RECON_NATURAL_MODULO);
    assert_int_equal(said.fold, 2);
    p.part[1].mean = M_PI / 2;
    said = verdict_on(*state, &p);
    assert_int_equal(said.natural, RECON_NATURAL_SEVERAL);
    assert_int_equal(said.modes, 2);
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
        cmocka_unit_test(quantiles_are_even_steps_of_probability),
        cmocka_unit_test(a_table_says_the_same_wherever_it_begins),
        cmocka_unit_test(one_law_has_one_verdict),
        cmocka_unit_test(bumps_that_stand_for_an_arc_are_one_pose),
        cmocka_unit_test(modes_of_a_density_are_several_or_a_symmetry),
        cmocka_unit_test(an_axis_is_held_closely_by_most),
        cmocka_unit_test(every_kind_has_a_name),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
