/* Maps of SO(2) fitted to angles whose truth is known (so2_world.h). What maps of either group do
 * is in test_maps.c. */
#include "so2_world.h"

#include <recon/ops/backend.h>
#include "backbone/pose_density.h"
#include "group/so2/mean.h"
#include "maps/kind.h"
#include "group/tail.h"
#include "group/so2/fit.h"

#include <float.h>

enum { CLASSES = SO2_CLASSES, TRAIN = SO2_TRAIN, TEST = SO2_TEST };

/* --- the natural pose -------------------------------------------------------------------------- */

/* Of a density it is psi less the centre of q(g | x), of everything else the map's. */
static void lambda_is_of_the_source_that_is_asked(void **state)
{
    const double bin = 2 * M_PI / RECON_POSE_BINS;
    const recon_so2_map map = { .lambda = 0.7 };
    (void)state;
    for (int peak = 0; peak < RECON_POSE_BINS; peak += 5) {
        float log_q[RECON_POSE_BINS];
        double lambda = 9, psi = -2.9 + 0.31 * peak;
        for (int b = 0; b < RECON_POSE_BINS; b++)
            log_q[b] = (float)(4 * cos(bin * (b - peak)));
        recon_so2_maps.lambda_of(&lambda, &map, RECON_LAMBDA_DENSITY, &psi, log_q);
        CHECK_NEAR(recon_so2_wrap(psi - lambda - recon_pose_centre(log_q)), 0, 1e-6);
        CHECK_LESS(fabs(recon_so2_wrap(recon_pose_centre(log_q) - bin * peak)), bin);
        recon_so2_maps.lambda_of(&lambda, &map, RECON_LAMBDA_HEAD, &psi, log_q);
        CHECK_NEAR(lambda, 0.7, 0);
    }
}

/* --- recovery --------------------------------------------------------------------------------- */

/* -E log p of a spread, by its closed form. */
static double entropy(recon_so2_family family, double spread)
{
    return family == RECON_SO2_NORMAL ? log(spread) + 0.5 * log(2 * M_PI * M_E) : log(2 * spread);
}

/* What the poses of a class show, which is all that there is to learn from: of a normal the mean
 * and the deviation of the sample. */
static void see(double *offset, double *spread, const world *w, recon_so2_family family, size_t c)
{
    double sum = 0, squares = 0, n = (double)TRAIN / CLASSES;
    for (size_t i = c; i < TRAIN; i += CLASSES) {
        double g = recon_so2_wrap(w->so2[i] - w->so2_offset[c]);
        sum += g;
        squares += g * g;
    }
    *offset = w->so2_offset[c] + (family == RECON_SO2_NORMAL ? sum / n : 0);
    *spread = family == RECON_SO2_NORMAL ? sqrt(squares / n - sum / n * sum / n) : w->spread[c];
}

static void check_recovery(recon_ctx *ctx, recon_so2_family family)
{
    world *w = new_so2_world(family, SEAM);
    recon_maps *m = fit(ctx, w, &w->quick);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    double rotation[CLASSES] = { 0 }, theta[CLASSES] = { 0 }, score = 0, truth = 0;
    double offset[CLASSES], spread[CLASSES];
    for (size_t c = 0; c < CLASSES; c++)
        see(&offset[c], &spread[c], w, family, c);
    for (size_t i = 0; i < TEST; i++) {
        size_t c = (TRAIN + i) % CLASSES;
        rotation[c] += recon_so2_distance(map[i].lambda, offset[c]) * CLASSES / TEST;
        theta[c] += map[i].theta * CLASSES / TEST;
        score += recon_so2_map_score(&map[i], w->so2[TRAIN + i]) / TEST;
        truth += entropy(family, w->spread[c]) / TEST;
        assert_int_equal(map[i].family, family);
    }
    for (size_t c = 0; c < CLASSES; c++) {
        CHECK_LESS(rotation[c], DEGREE + 0.06 * spread[c]);
        CHECK_NEAR(theta[c], spread[c], 0.1 * spread[c]);
    }
    /* no density beats the truth, and an arc is no mixture of von Mises densities */
    double cost = score - truth;
    CHECK_NEAR(cost, family == RECON_SO2_UNIFORM ? 0.2 : 0.05, 0.05);
    free(map), recon_maps_free(ctx, m), free(w);
}

static void normal_poses_are_recovered(void **state)
{
    check_recovery(*state, RECON_SO2_NORMAL);
}

static void uniform_poses_are_recovered(void **state)
{
    plain_build_only();
    check_recovery(*state, RECON_SO2_UNIFORM);
}

/* The same networks, steps recorded and replayed. */
static void the_gpu_recovers_them_too(void **state)
{
    recon_ctx *ctx = *state;
    if (recon_ops_attach(ctx, "cuda") != RECON_OK)
        skip();
    check_recovery(ctx, RECON_SO2_NORMAL);
    check_recovery(ctx, RECON_SO2_UNIFORM);
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
}

/* Mean distance of the first class's support from the truth, and its half-width. */
static void support_of(recon_ctx *ctx, double *off, double *width, twist how)
{
    world *w = new_so2_world(RECON_SO2_UNIFORM, how);
    recon_maps *m = fit(ctx, w, &w->quick);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    *off = *width = 0;
    for (size_t i = 0; i < TEST; i += CLASSES) {
        *off += recon_so2_distance(map[i].midpoint, w->so2_offset[0]) * CLASSES / TEST;
        *width += map[i].half_width / w->spread[0] * CLASSES / TEST;
    }
    free(map), recon_maps_free(ctx, m), free(w);
}

/* The paper's uncentred support is found away from the seam. At the seam its ends are means of
 * numbers a rotation apart: that is why the paper centres. */
static void the_uncentred_support_suffers_at_the_seam(void **state)
{
    plain_build_only();
    double off, width;
    support_of(*state, &off, &width, PLAIN);
    CHECK_LESS(off, 10 * DEGREE);
    CHECK_NEAR(width, 1, 0.25);
    support_of(*state, &off, &width, SEAM);
    assert_true(off > 30 * DEGREE);
}

/* A class that is seen from both ends is told as defined modulo 180 degrees, the others are not. */
static void poses_modulo_half_a_rotate_are_told(void **state)
{
    plain_build_only();
    recon_ctx *ctx = *state;
    world *w = new_so2_world(RECON_SO2_NORMAL, ROTATED);
    w->family = RECON_SO2_VONMISES; /* neither arc nor normal will do */
    recon_maps *m = fit(ctx, w, &w->quick);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    size_t right = 0;
    for (size_t i = 0; i < TEST; i++) {
        double moment[RECON_SO2_MOMENTS];
        recon_so2_moments(moment, &map[i].density);
        right += recon_so2_fold(moment) == ((TRAIN + i) % CLASSES == 3 ? 2 : 1);
    }
    assert_true(right > TEST * 98 / 100);
    free(map), recon_maps_free(ctx, m), free(w);
}

static void absolute_poses_have_lambda_taken_off(void **state)
{
    (void)state;
    recon_so2_map map = { .lambda = 3 };
    CHECK_NEAR(recon_so2_absolute(&map, 3.1), 0.1, 1e-15);
    CHECK_NEAR(recon_so2_absolute(&map, -3.1), 2 * M_PI - 6.1, 1e-15);
}

/* Of a mixture the part where psi lies says how sharp the law is, and parts with less than a tenth of the
 * density there do not make a pose usual. */
static void a_pose_is_as_unusual_as_in_its_own_part(void **state)
{
    (void)state;
    const double natural = 2;
    recon_so2_map map = { .density = { .family = RECON_SO2_MIXTURE,
                                       .center = natural,
                                       .parts = 2,
                                       .part = { { 0.5, 0, 2 }, { 0.5, M_PI, 50 } } } };
    for (int k = 0; k < 2; k++) {
        recon_tail_point at =
            recon_so2_tail_point(&map, recon_so2_wrap(natural + map.density.part[k].mean));
        CHECK_NEAR(at.sharpness, 1 - recon_vonmises_spread(map.density.part[k].kappa), 1e-12);
        CHECK_NEAR(at.tail, 1, 1e-9);
    }
    recon_so2_part narrow = { 0.95 / 3, 0, 50 }, broad = { 0.05, 0, 1 };
    recon_so2_density alone = { .family = RECON_SO2_VONMISES, .center = natural, .width = 50 };
    map.density.parts = 4;
    for (int k = 0; k < 4; k++)
        map.density.part[k] = k < 3 ? narrow : broad;
    CHECK_NEAR(recon_so2_tail_point(&map, natural + 0.3).tail,
               recon_so2_tail(&alone, natural + 0.3), 1e-12);
    alone.width = 1; /* all that is left far away */
    CHECK_NEAR(recon_so2_tail_point(&map, natural + 2).tail, recon_so2_tail(&alone, natural + 2),
               1e-12);
}

/* Bins know no family: a normal law and an arc both get their standard deviation, and poses from
 * elsewhere, 5 % of them, move it by little. */
static void widths_of_pose_densities_fit_laws_of_any_shape(void **state)
{
    (void)state;
    for (int arc = 0; arc < 2; arc++)
        for (double sigma = 10 * DEGREE; sigma < 55 * DEGREE; sigma *= 1.5)
            for (int background = 0; background < 2; background++) {
                recon_so2_map map = { .family = RECON_SO2_NORMAL };
                float log_q[RECON_POSE_BINS];
                for (int b = 0; b < RECON_POSE_BINS; b++) {
                    recon_so2_density law = { .family = arc ? RECON_SO2_UNIFORM : RECON_SO2_NORMAL,
                                              .center = 1,
                                              .width = arc ? sigma * sqrt(3) : sigma };
                    double p = exp(recon_so2_log_density(&law, 2 * M_PI * b / RECON_POSE_BINS));
                    log_q[b] = (float)log(0.05 * background / (2 * M_PI) +
                                          (1 - 0.05 * background) * p + 1e-12);
                }
                recon_so2_map_density(&map, 0.5, log_q, RECON_MAPS_ALL);
                CHECK_NEAR(map.theta / sigma, 1 + 0.05 * background, 0.1);
                CHECK_NEAR(recon_so2_wrap(map.lambda - 0.5 + 1), 0, 3 * DEGREE);
            }
}

/* A network may hold a pose for as good as impossible: its score is large, and a number. */
static void no_pose_is_infinitely_unusual(void **state)
{
    (void)state;
    const float far[] = { -80, -90, -100, -110, -1e9f };
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        recon_so2_map map = { .family = RECON_SO2_NORMAL };
        float log_q[RECON_POSE_BINS];
        for (int b = 0; b < RECON_POSE_BINS; b++)
            log_q[b] = b == 20 ? (float)log(RECON_POSE_BINS / (2 * M_PI)) : far[i];
        recon_so2_map_density(&map, 0.5, log_q, RECON_MAPS_ALL);
        CHECK_NEAR(recon_so2_map_score(&map, 0.5), i == 0 ? 80 : -log((double)FLT_MIN), 1e-4);
        double tail = recon_so2_tail_point(&map, 0.5).tail;
        assert_true(tail > 0 && tail < 1e-30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_is_of_the_source_that_is_asked),
        cmocka_unit_test(normal_poses_are_recovered),
        cmocka_unit_test(uniform_poses_are_recovered),
        cmocka_unit_test(the_gpu_recovers_them_too),
        cmocka_unit_test(the_uncentred_support_suffers_at_the_seam),
        cmocka_unit_test(poses_modulo_half_a_rotate_are_told),
        cmocka_unit_test(widths_of_pose_densities_fit_laws_of_any_shape),
        cmocka_unit_test(no_pose_is_infinitely_unusual),
        cmocka_unit_test(absolute_poses_have_lambda_taken_off),
        cmocka_unit_test(a_pose_is_as_unusual_as_in_its_own_part),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
