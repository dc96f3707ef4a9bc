/* Symmetries are named as they were drawn, wherever their axes lie; what repeats no group is not said to. */
#include "group/symmetries.h"

#include <recon/group/so2.h>

enum { MOST = 200, SETS = 8 };

static void the_14_laws_are_named(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(5, 0);
    recon_so3 g[MOST];
    int right = 0, all = 0;
    for (int i = 0; i < SYMMETRIES; i++)
        for (int set = 0; set < SETS; set++, all++) {
            const law l = symmetry_law(i);
            recon_point_group found;
            recon_so3 a = recon_so3_haar(&rng), c = recon_so3_haar(&rng);
            draw_set(g, 25, &l, a, c, 5, set % 2 ? 0.2 : 0, &rng);
            CHECK_OK(ctx, recon_so3_symmetry(ctx, &found, g, 25));
            right += found.code == l.code;
            if (found.code != l.code || l.order < 0)
                continue;
            assert_int_equal(found.order, l.order);
            assert_true(found.width > 2.5 * M_PI / 180 && found.width < 10 * M_PI / 180);
            /* The centre is the true one up to the group. */
            recon_so3 left = recon_so3_compose(
                recon_so3_inverse(a),
                recon_so3_compose(recon_so3_compose(found.center, recon_so3_inverse(c)), a));
            double nearest = M_PI;
            for (int k = 0; k < 400; k++)
                nearest = fmin(nearest, recon_so3_distance(left, draw(&l, &rng)));
            assert_true(nearest < 12 * M_PI / 180);
        }
    assert_true(right >= all - 4); /* of 112: 97 % are asked */
}

/* The axis moves with the objects' frame, and nothing else depends on it or on the arbitrary canonical. */
static void names_do_not_depend_on_frames(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(6, 0);
    const law laws[] = { cyclic(4), dihedral(3), solid(RECON_SYMMETRY_O) };
    recon_so3 g[60], moved[60];
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        recon_point_group found, other;
        recon_so3 a = recon_so3_haar(&rng), c = recon_so3_haar(&rng), to = recon_so3_haar(&rng);
        double axis[3], best = 0;
        draw_set(g, 60, &laws[i], a, c, 3, 0, &rng);
        for (int j = 0; j < 60; j++)
            moved[j] = recon_so3_compose(recon_so3_compose(to, g[j]), c);
        CHECK_OK(ctx, recon_so3_symmetry(ctx, &found, g, 60));
        CHECK_OK(ctx, recon_so3_symmetry(ctx, &other, moved, 60));
        assert_int_equal(found.code, laws[i].code);
        assert_int_equal(other.code, laws[i].code);
        CHECK_NEAR(other.width, found.width, 1e-3);
        recon_so3_act(axis, a, laws[i].axis);
        for (int k = 0; k < 400; k++) { /* up to the group: a cube has three such axes */
            double image[3], dot = 0;
            recon_so3 h =
                recon_so3_compose(recon_so3_compose(a, draw(&laws[i], &rng)), recon_so3_inverse(a));
            recon_so3_act(image, h, axis);
            for (int j = 0; j < 3; j++)
                dot += image[j] * found.axis[j];
            best = fmax(best, fabs(dot));
        }
        assert_true(best > cos(4 * M_PI / 180));
    }
}

/* An arc, two poses, poses of unequal weight: no law of the list. */
static void no_group_is_claimed_without_one(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(7, 0);
    const struct {
        size_t n;
        double arc, apart, share; /* an arc of so many degrees, or a second pose */
    } cases[] = { { 25, 60, 0, 0 },     { 100, 180, 0, 0 },  { 25, 0, 60, 0.5 },
                  { 200, 0, 180, 0.3 }, { 200, 0, 90, 0.3 }, { 200, 0, 120, 0.3 },
                  { 25, 0, 120, 0.5 },  { 100, 0, 145, 0.5 } };
    recon_so3 g[MOST];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int set = 0; set < 3; set++) {
            recon_point_group found;
            recon_so3 a = recon_so3_haar(&rng), c = recon_so3_haar(&rng);
            for (size_t j = 0; j < cases[i].n; j++) {
                double t = cases[i].arc * (recon_rng_uniform(&rng) - 0.5) +
                           (recon_rng_uniform(&rng) < cases[i].share ? cases[i].apart : 0);
                recon_so3 h = recon_so3_compose(noise(&rng, 5), about(0, 0, 1, t * M_PI / 180));
                g[j] = recon_so3_compose(recon_so3_compose(a, h), c);
            }
            CHECK_OK(ctx, recon_so3_symmetry(ctx, &found, g, cases[i].n));
            assert_true(found.code <= RECON_SYMMETRY_C1);
        }
}

/* Of angles: C1 to C6 among strays; no arc, no unequal modes, none that lie beside where even spacing has them. */
static void angles_have_symmetries_too(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(8, 0);
    const struct {
        int fold;
        double arc, apart, first; /* degrees; the share of the first mode, 0: all alike */
    } cases[] = {
        { .fold = 1 },
        { .fold = 2 },
        { .fold = 3 },
        { .fold = 4 },
        { .fold = 5 },
        { .fold = 6 },
        { .arc = 180 },
        { .arc = 300 },
        { .fold = 2, .first = 0.7 },
        { .fold = 4, .first = 0.6 },
        { .fold = 2, .apart = 150 },
    };
    double g[100];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int set = 0; set < 5; set++) {
            recon_center found;
            double at = 2 * M_PI * recon_rng_uniform(&rng), degree = M_PI / 180;
            int fold = cases[i].fold,
                is_group = !(cases[i].arc + cases[i].apart + cases[i].first > 0);
            for (int j = 0; j < 100; j++) {
                double step = cases[i].apart > 0 ? cases[i].apart : 360.0 / (fold ? fold : 1);
                double to = fold ? step * (double)recon_rng_below(&rng, (size_t)fold)
                                 : cases[i].arc * recon_rng_uniform(&rng);
                to = recon_rng_uniform(&rng) < cases[i].first ? 0 : to;
                g[j] = at + degree * (to + 5 * recon_rng_normal(&rng));
                if (is_group && j % 10 == 0)
                    g[j] = 2 * M_PI * recon_rng_uniform(&rng);
            }
            CHECK_OK(ctx, recon_stats_symmetry(ctx, &found, RECON_SO2, g, 100));
            if (!is_group) {
                assert_true(found.natural != RECON_NATURAL_MODULO && !found.symmetry);
                continue;
            }
            assert_int_equal(found.natural, fold > 1 ? RECON_NATURAL_MODULO : RECON_NATURAL_ONE);
            assert_int_equal(found.fold, fold);
            CHECK_LESS(fabs(recon_so2_wrap(fold * (found.mean[0] - at))) / fold, 4 * degree);
            assert_int_equal(found.modes, fold);
            CHECK_LESS(fabs(found.mean[0]), M_PI / fold + 1e-9); /* the nearest to the identity */
        }
}

static void too_few_poses_and_no_rotations(void **state)
{
    recon_ctx *ctx = *state;
    recon_point_group found;
    recon_symmetry_text text;
    recon_so3 g[RECON_SYMMETRY_LEAST];
    for (int i = 0; i < RECON_SYMMETRY_LEAST; i++)
        g[i] = recon_so3_identity();
    CHECK_OK(ctx, recon_so3_symmetry(ctx, &found, g, RECON_SYMMETRY_LEAST - 1));
    assert_int_equal(found.code, RECON_SYMMETRY_UNNAMED);
    CHECK_OK(ctx, recon_so3_symmetry(ctx, &found, g, RECON_SYMMETRY_LEAST));
    assert_int_equal(found.code, RECON_SYMMETRY_C1);
    g[3].w = 2;
    CHECK_FAILS(ctx, recon_so3_symmetry(ctx, &found, g, RECON_SYMMETRY_LEAST), RECON_ERR_INPUT,
                "3");
    assert_string_equal(recon_symmetry_name(text, 4), "C4");
    assert_string_equal(recon_symmetry_name(text, RECON_SYMMETRY_D + 3), "D3");
    assert_string_equal(recon_symmetry_name(text, RECON_SYMMETRY_I), "I");
    assert_string_equal(recon_symmetry_name(text, RECON_SYMMETRY_SPIN), "free spin");
    assert_string_equal(recon_symmetry_name(text, RECON_SYMMETRY_UNNAMED), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_14_laws_are_named),
                                        cmocka_unit_test(names_do_not_depend_on_frames),
                                        cmocka_unit_test(no_group_is_claimed_without_one),
                                        cmocka_unit_test(angles_have_symmetries_too),
                                        cmocka_unit_test(too_few_poses_and_no_rotations) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
