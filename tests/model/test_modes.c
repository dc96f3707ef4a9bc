/* Modes of mixtures whose truth is known. */
#include "check.h"

#include "model/modes.h"
#include <recon/group/so2.h>

#define PI 3.14159265358979323846

static recon_so2_density mixture(int parts, const double (*part)[3])
{
    recon_so2_density p = { .family = RECON_SO2_MIXTURE, .parts = parts };
    for (int i = 0; i < parts; i++)
        p.part[i] = (recon_so2_part){ part[i][0], part[i][1], part[i][2] };
    return p;
}

static void one_part_is_one_mode_wherever_it_is(void **state)
{
    (void)state;
    const double places[] = { 0, 0.001, 1.2345, -3.1, PI, -0.004 };
    const double kappas[] = { 0.5, 5, 800 };
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++) {
            recon_so2_mode mode[RECON_MODES_MAX];
            recon_so2_density p = mixture(1, (const double[][3]){ { 1, places[i], kappas[j] } });
            p.background = 0.1;
            assert_int_equal(recon_density_modes(mode, &p, 0), 1);
            CHECK_LESS(recon_so2_distance(mode[0].at, places[i]), 1e-3);
            CHECK_NEAR(mode[0].weight, 1, 1e-12);
            assert_true(mode[0].weight <= 1);
        }
}

static void weights_are_the_masses(void **state)
{
    (void)state;
    recon_so2_mode mode[RECON_MODES_MAX];
    recon_so2_density p =
        mixture(3, (const double[][3]){ { 0.2, 2.0, 60 }, { 0.5, -0.3, 60 }, { 0.3, -2.4, 60 } });
    assert_int_equal(recon_density_modes(mode, &p, 0), 3);
    const double want[3][2] = { { -0.3, 0.5 }, { -2.4, 0.3 }, { 2.0, 0.2 } };
    for (int i = 0; i < 3; i++) {
        CHECK_LESS(recon_so2_distance(mode[i].at, want[i][0]), 1e-3);
        CHECK_NEAR(mode[i].weight, want[i][1], 1e-3);
    }
}

/* Equally heavy: the one nearer to 0 comes first, wherever the circle is cut. */
static void equal_modes_are_in_order(void **state)
{
    (void)state;
    recon_so2_mode mode[RECON_MODES_MAX];
    recon_so2_density p =
        mixture(2, (const double[][3]){ { 0.5, 0.7 - PI, 20 }, { 0.5, 0.7, 20 } });
    assert_int_equal(recon_density_modes(mode, &p, 0), 2);
    CHECK_LESS(recon_so2_distance(mode[0].at, 0.7), 1e-4);
    CHECK_LESS(recon_so2_distance(mode[1].at, 0.7 - PI), 1e-4);
    CHECK_NEAR(mode[0].weight, 0.5, 1e-3);
}

/* Parts that overlap, a part that is a sliver, a flat density: one mode. */
static void what_is_no_mode_of_its_own_is_not_listed(void **state)
{
    (void)state;
    const recon_so2_density single[] = {
        mixture(2, (const double[][3]){ { 0.5, -0.1, 20 }, { 0.5, 0.1, 20 } }),
        mixture(2, (const double[][3]){ { 0.98, 0, 20 }, { 0.02, 2, 200 } }),
        mixture(1, (const double[][3]){ { 1, 0, 0 } }),
    };
    for (int i = 0; i < 3; i++) {
        recon_so2_mode mode[RECON_MODES_MAX];
        assert_int_equal(recon_density_modes(mode, &single[i], 0), 1);
        CHECK_NEAR(mode[0].weight, 1, 1e-12);
    }
}

/* Rotating the density rotates the modes and leaves the weights; looking from there undoes it. */
static void modes_rotate_with_the_density(void **state)
{
    (void)state;
    recon_so2_mode mode[RECON_MODES_MAX], rotated[RECON_MODES_MAX], seen[RECON_MODES_MAX];
    recon_so2_density p = mixture(2, (const double[][3]){ { 0.7, 0.4, 12 }, { 0.3, 2.6, 30 } });
    p.background = 0.2;
    assert_int_equal(recon_density_modes(mode, &p, 0), 2);
    p.center = 2.2;
    assert_int_equal(recon_density_modes(rotated, &p, 0), 2);
    assert_int_equal(recon_density_modes(seen, &p, 2.2), 2);
    for (int i = 0; i < 2; i++) {
        CHECK_LESS(recon_so2_distance(mode[i].at + 2.2, rotated[i].at), 1e-4);
        CHECK_NEAR(mode[i].weight, rotated[i].weight, 1e-3);
        CHECK_LESS(recon_so2_distance(mode[i].at, seen[i].at), 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_part_is_one_mode_wherever_it_is),
        cmocka_unit_test(weights_are_the_masses),
        cmocka_unit_test(equal_modes_are_in_order),
        cmocka_unit_test(what_is_no_mode_of_its_own_is_not_listed),
        cmocka_unit_test(modes_rotate_with_the_density),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
