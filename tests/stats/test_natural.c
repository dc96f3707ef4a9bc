/* test_natural.c - what is known of a natural pose, from samples and from densities. */
#include "check.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/group/so2.h>
#include <recon/recon.h>

#define DEGREE (M_PI / 180)
enum { SETS = 200, MOST = 100 };

/* --- angles ----------------------------------------------------------------------------------- */

typedef double draw(recon_rng *rng);

static double even(recon_rng *rng)
{
    return 2 * M_PI * recon_rng_uniform(rng);
}

static double standing(recon_rng *rng)
{
    return 1 + 20 * DEGREE * recon_rng_normal(rng);
}

static double either_way(recon_rng *rng)
{
    return standing(rng) * 0.5 + (recon_rng_uniform(rng) < 0.5 ? M_PI : 0);
}

static double two_ways(recon_rng *rng) /* a third of them at a right angle */
{
    return 0.3 * standing(rng) + (recon_rng_uniform(rng) < 1. / 3 ? M_PI / 2 : 0);
}

/* The share of sets of n angles that are of this kind. */
static double share_so2(recon_ctx *ctx, draw *of, size_t n, recon_natural kind)
{
    double angle[MOST], found = 0;
    for (size_t s = 0; s < SETS; s++) {
        recon_rng rng = recon_rng_new(5, s);
        recon_so2_center center;
        for (size_t i = 0; i < n; i++)
            angle[i] = recon_so2_wrap(of(&rng));
        CHECK_OK(ctx, recon_so2_mean_batch(ctx, &center, angle, 1, n, &(recon_mean_options){ 0 }));
        found += recon_so2_natural(center.moment, center.modes, (double)n) == kind;
    }
    return found / SETS;
}

static void even_angles_have_none(void **state)
{
    const size_t sizes[] = { 1, 2, 4, 5, 10, 25, 100 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_true(share_so2(*state, even, sizes[i], RECON_NATURAL_NONE) > 0.9);
}

static void angles_that_gather_have_theirs(void **state)
{
    const size_t sizes[] = { 10, 25, 100 };
    for (size_t i = 0; i < 3; i++) {
        assert_true(share_so2(*state, standing, sizes[i], RECON_NATURAL_ONE) > 0.95);
        assert_true(share_so2(*state, either_way, sizes[i], RECON_NATURAL_MODULO) >
                    (sizes[i] < 25 ? 0.6 : 0.9)); /* of ten, eight often stand one way */
        assert_true(share_so2(*state, either_way, sizes[i], RECON_NATURAL_NONE) < 0.05);
    }
    assert_true(share_so2(*state, two_ways, 100, RECON_NATURAL_SEVERAL) > 0.9);
    for (size_t few = 1; few <= 4; few++) /* however well they agree */
        assert_true(share_so2(*state, standing, few, RECON_NATURAL_NONE) == 1);
}

/* A density needs no samples: one as broad as a quarter turn each way says nothing. */
static void broad_densities_have_none(void **state)
{
    double moment[RECON_SO2_MOMENTS];
    (void)state;
    for (double sigma = 5; sigma < 150; sigma += 5) {
        recon_so2_density p = { .family = RECON_SO2_NORMAL, .width = sigma * DEGREE };
        recon_so2_moments(moment, &p);
        assert_int_equal(recon_so2_natural(moment, 1, INFINITY),
                         sigma < 96 ? RECON_NATURAL_ONE : RECON_NATURAL_NONE);
        p.background = 0.8; /* most of them come from anywhere */
        recon_so2_moments(moment, &p);
        assert_int_equal(recon_so2_natural(moment, 1, INFINITY), RECON_NATURAL_NONE);
    }
}

/* --- rotations -------------------------------------------------------------------------------- */

static recon_so3 about(double x, double y, double z, double angle)
{
    return recon_so3_normalize(
        (recon_so3){ cos(angle / 2), x * sin(angle / 2), y * sin(angle / 2), z * sin(angle / 2) });
}

static recon_so3 wobble(recon_rng *rng)
{
    recon_so3 a = about(1, 0, 0, 10 * DEGREE * recon_rng_normal(rng));
    return recon_so3_compose(about(0, 1, 0, 10 * DEGREE * recon_rng_normal(rng)), a);
}

static recon_so3 ring(recon_rng *rng)
{
    return recon_so3_compose(wobble(rng), about(0, 0, 1, even(rng)));
}

static double share_so3(recon_ctx *ctx, recon_so3 (*of)(recon_rng *), recon_natural kind)
{
    enum { N = 25 };
    recon_so3 pose[N];
    double found = 0;
    for (size_t s = 0; s < SETS; s++) {
        recon_rng rng = recon_rng_new(6, s);
        recon_so3_center center;
        for (size_t i = 0; i < N; i++)
            pose[i] = of(&rng);
        CHECK_OK(ctx, recon_so3_mean_batch(ctx, &center, pose, 1, N, &(recon_mean_options){ 0 }));
        found += recon_so3_natural(recon_so3_free_directions(center.singular, N), center.modes,
                                   0) == kind;
    }
    return found / SETS;
}

static void rotations_have_theirs(void **state)
{
    assert_true(share_so3(*state, recon_so3_haar, RECON_NATURAL_NONE) > 0.95);
    assert_true(share_so3(*state, ring, RECON_NATURAL_AXIS) > 0.9);
    assert_true(share_so3(*state, wobble, RECON_NATURAL_ONE) > 0.9);
}

static void a_background_of_most_leaves_none(void **state)
{
    (void)state;
    for (int loose = 0; loose <= 3; loose++)
        assert_int_equal(recon_so3_natural(loose, 1, 0.69), RECON_NATURAL_NONE);
    assert_int_equal(recon_so3_natural(0, 1, 0.3), RECON_NATURAL_ONE);
    assert_int_equal(recon_so3_natural(1, 1, 0.3), RECON_NATURAL_AXIS);
    assert_int_equal(recon_so3_natural(1, 2, 0), RECON_NATURAL_SEVERAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_angles_have_none),
        cmocka_unit_test(angles_that_gather_have_theirs),
        cmocka_unit_test(broad_densities_have_none),
        cmocka_unit_test(rotations_have_theirs),
        cmocka_unit_test(a_background_of_most_leaves_none),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
