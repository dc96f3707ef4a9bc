/* Means of angles: the exact one against brute force; the paper's estimator figures; one broad mode
 * or several from few samples; rotating, threads, bad input. */
#include "borders.h"
#include "check.h"
#include "core/memory.h"
#include "group/mean.h"

#include <stdlib.h>
#include <time.h>
#include <recon/group/so2.h>
#include <recon/group/so2_density.h>
#include <recon/group/mean.h>

#define DEGREE (M_PI / 180)

enum { N = 2000, SEEDS = 25 };

static const recon_mean_options frechet = { .kind = RECON_MEAN_FRECHET };
static const recon_mean_options chordal = { .kind = RECON_MEAN_CHORDAL };
static const recon_mean_options tukey_mean = { .kind = RECON_MEAN_TUKEY };

static recon_so2_density uniform(double degrees)
{
    return (recon_so2_density){ .family = RECON_SO2_UNIFORM, .width = degrees * DEGREE };
}

static recon_so2_density normal(double degrees)
{
    return (recon_so2_density){ .family = RECON_SO2_NORMAL, .width = degrees * DEGREE };
}

static recon_so2_density vonmises(double kappa, double center)
{
    return (recon_so2_density){ .family = RECON_SO2_VONMISES, .width = kappa, .center = center };
}

static void draw(double *out, size_t n, const recon_so2_density *p, uint64_t stream)
{
    recon_rng rng = recon_rng_new(11, stream);
    for (size_t i = 0; i < n; i++)
        out[i] = recon_so2_sample(p, &rng);
}

/* n angles around modes at 2 pi j / modes, each with kappa 20. */
static void draw_modes(double *out, size_t n, int modes, uint64_t stream)
{
    recon_rng rng = recon_rng_new(12, stream);
    recon_so2_density p = vonmises(20, 0);
    for (size_t i = 0; i < n; i++) {
        double at = 2 * M_PI * (double)recon_rng_below(&rng, (uint64_t)modes) / modes;
        out[i] = recon_so2_compose(at, recon_so2_sample(&p, &rng));
    }
}

static recon_so2_center center_of(recon_ctx *ctx, const double *angles, size_t n,
                                  const recon_mean_options *options)
{
    recon_so2_center out;
    CHECK_OK(ctx, recon_so2_mean(ctx, &out, angles, n, options));
    return out;
}

static double frechet_loss(double y, const double *angles, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += pow(recon_so2_distance(y, angles[i]), 2);
    return sum;
}

static double tukey_loss(double y, const double *angles, size_t n, double c)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double u = fmin(recon_so2_distance(y, angles[i]) / c, 1);
        sum += c * c / 6 * (1 - pow(1 - u * u, 3));
    }
    return sum;
}

static void the_frechet_mean_is_the_global_minimum(void **state)
{
    double angles[30];
    for (uint64_t seed = 0; seed < 200; seed++) {
        size_t n = 1 + seed % 30;
        recon_so2_density p = { .family = RECON_SO2_NORMAL, .width = 0.1 + 0.02 * (double)seed };
        draw(angles, n, &p, seed);
        double mean = center_of(*state, angles, n, &frechet).mean;
        double loss = frechet_loss(mean, angles, n);
        for (double y = -M_PI; y < M_PI; y += 0.01)
            assert_true(loss <= frechet_loss(y, angles, n) * (1 + 1e-12));
    }
}

static void ties_go_to_the_identity(void **state)
{
    double pair[2] = { 0.3 + M_PI / 2, 0.3 - M_PI / 2 };
    CHECK_NEAR(center_of(*state, pair, 2, &frechet).mean, 0.3, 1e-12);
    double triangle[3] = { 2 * M_PI / 3 + 0.2, 0.2, 0.2 - 2 * M_PI / 3 };
    CHECK_NEAR(center_of(*state, triangle, 3, &frechet).mean, 0.2, 1e-12);
    double one = 9; /* any finite angle will do */
    recon_so2_center c = center_of(*state, &one, 1, NULL);
    CHECK_NEAR(c.mean, 9 - 2 * M_PI, 1e-12);
    assert_int_equal(c.modes, 1);
    CHECK_NEAR(c.moment[3], 1, 1e-15);
}

static void the_chordal_mean_is_the_circular_one(void **state)
{
    double angles[N], x = 0, y = 0;
    recon_so2_density p = vonmises(2, 3);
    draw(angles, N, &p, 1);
    for (int i = 0; i < N; i++) {
        x += cos(angles[i]);
        y += sin(angles[i]);
    }
    recon_so2_center c =
        center_of(*state, angles, N, &(recon_mean_options){ .kind = RECON_MEAN_CHORDAL });
    CHECK_NEAR(c.mean, atan2(y, x), 1e-12);
    CHECK_NEAR(c.moment[0], hypot(x, y) / N, 1e-12);
}

static void a_fixed_c_minimises_the_tukey_loss(void **state)
{
    double angles[40];
    for (uint64_t seed = 0; seed < 50; seed++) {
        recon_so2_density p = normal(15);
        draw(angles, 40, &p, seed);
        recon_so2_center c =
            center_of(*state, angles, 40, &(recon_mean_options){ .tukey_c = M_PI / 4 });
        double loss = tukey_loss(c.mean, angles, 40, M_PI / 4);
        for (double y = -M_PI; y < M_PI; y += 0.01)
            assert_true(loss <= tukey_loss(y, angles, 40, M_PI / 4) * (1 + 1e-9));
        CHECK_NEAR(c.tukey_c, M_PI / 4, 0);
    }
}

static void the_tukey_mean_of_one_mode_is_the_frechet_mean(void **state)
{
    double angles[N];
    recon_so2_density one = vonmises(20, M_PI / 2);
    recon_so2_density all[] = { one, uniform(60), uniform(90), normal(32), normal(64) };
    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            draw(angles, N, &all[f], seed);
            recon_so2_center tukey = center_of(*state, angles, N, &tukey_mean);
            CHECK_NEAR(tukey.mean, center_of(*state, angles, N, &frechet).mean, 0);
            CHECK_NEAR(tukey.tukey_c, 0, 0);
            assert_int_equal(tukey.modes, 1);
            CHECK_NEAR(recon_so2_distance(tukey.mean, all[f].center) / DEGREE, 0, f == 0 ? 1 : 6);
        }
}

static void two_opposite_modes_give_the_one_at_the_identity(void **state)
{
    double angles[N];
    for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
        draw_modes(angles, N, 2, seed);
        recon_so2_center tukey = center_of(*state, angles, N, NULL);
        CHECK_NEAR(tukey.mean / DEGREE, 0, 2);
        CHECK_NEAR(fabs(center_of(*state, angles, N, &frechet).mean) / DEGREE, 90, 10);
        assert_int_equal(tukey.modes, 2);
        CHECK_NEAR(tukey.mode[0].weight, 0.5, 0.05);
        assert_true(tukey.mode[0].weight >= tukey.mode[1].weight);
        CHECK_NEAR(recon_so2_distance(tukey.mode[0].at, tukey.mode[1].at) / DEGREE, 180, 4);
        CHECK_NEAR(tukey.tukey_c / DEGREE, 90, 15); /* half the spacing */
        CHECK_LESS(tukey.moment[0], 0.1);
        CHECK_LESS(0.85, tukey.moment[1]);
        recon_mean_options fixed = { .tukey_c = M_PI / 4 };
        CHECK_NEAR(center_of(*state, angles, N, &fixed).mean / DEGREE, 0, 2);
    }
}

static void five_modes_give_the_one_at_the_identity(void **state)
{
    double angles[N];
    for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
        draw_modes(angles, N, 5, seed);
        recon_so2_center tukey = center_of(*state, angles, N, NULL);
        CHECK_NEAR(tukey.mean / DEGREE, 0, 3);
        assert_int_equal(tukey.modes, 5);
        CHECK_NEAR(tukey.mode[4].weight, 0.2, 0.05);
    }
}

static void a_spike_does_not_catch_the_mean(void **state)
{
    double angles[N];
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        double mass = 0.05 + 0.05 * (double)(seed % 3),
               at = (25 + 15 * (double)(seed % 4)) * DEGREE;
        recon_so2_density broad = seed % 2 ? uniform(80) : normal(45), spike = vonmises(3000, at);
        size_t in_spike = (size_t)(mass * N);
        draw(angles, in_spike, &spike, seed);
        draw(angles + in_spike, N - in_spike, &broad, seed + 1000);
        double mean = center_of(*state, angles, N, NULL).mean;
        CHECK_NEAR(mean / DEGREE, 0, 1.1 * mass * at / DEGREE + 5);
    }
}

static double rms_error(recon_ctx *ctx, const double *angles, size_t sets, size_t k,
                        const recon_mean_options *options)
{
    double sum = 0;
    recon_so2_center *out = malloc(sets * sizeof *out);
    assert_non_null(out);
    CHECK_OK(ctx, recon_so2_mean_batch(ctx, out, angles, sets, k, options));
    for (size_t i = 0; i < sets; i++)
        sum += out[i].mean * out[i].mean;
    free(out);
    return sqrt(sum / (double)sets);
}

static void few_samples_of_one_broad_mode_are_not_split(void **state)
{
    enum { SETS = 2500, K_MOST = 50 };
    static double angles[SETS * K_MOST];
    static const size_t sizes[] = { 10, 15, 25, 50 };
    recon_so2_density all[] = { uniform(60), uniform(90), normal(32), normal(64) };
    for (size_t f = 0; f < 4; f++)
        for (size_t i = 0; i < 4; i++) {
            draw(angles, SETS * sizes[i], &all[f], f);
            CHECK_LESS(rms_error(*state, angles, SETS, sizes[i], NULL) /
                           rms_error(*state, angles, SETS, sizes[i], &frechet),
                       sizes[i] == 10 ? 1.08 : 1.05);
        }
}

static void sets_are_independent(void **state)
{
    enum { K_FEW = 5, MOST = BORDER_MOST(RECON_BLOCK_MEANS) };
    double angles[MOST * K_FEW];
    recon_so2_density broad = normal(40);
    draw(angles, MOST * K_FEW, &broad, 3);
    for (int i = 0; i < BORDERS; i++) {
        size_t sets = border(RECON_BLOCK_MEANS, i);
        recon_so2_center one, *all = malloc(sets * sizeof *all);
        CHECK_OK(*state, recon_so2_mean_batch(*state, all, angles, sets, K_FEW, NULL));
        for (size_t j = 0; j < sets; j++) {
            CHECK_OK(*state, recon_so2_mean(*state, &one, angles + j * K_FEW, K_FEW, NULL));
            CHECK_NEAR(all[j].mean, one.mean, 0);
        }
        free(all);
    }
}

static double on_a_mode(recon_ctx *ctx, size_t k)
{
    enum { SETS = 2000, K_MOST = 50 };
    static double angles[SETS * K_MOST];
    static recon_so2_center out[SETS];
    double hits = 0;
    draw_modes(angles, SETS * k, 2, k);
    CHECK_OK(ctx, recon_so2_mean_batch(ctx, out, angles, SETS, k, NULL));
    for (size_t i = 0; i < SETS; i++)
        hits += fabs(remainder(out[i].mean, M_PI)) < 25 * DEGREE;
    return hits / SETS;
}

static void few_samples_of_two_modes_land_on_one(void **state)
{
    CHECK_LESS(0.80, on_a_mode(*state, 10));
    CHECK_LESS(0.98, on_a_mode(*state, 25));
    CHECK_LESS(0.995, on_a_mode(*state, 50));
}

/* A quarter of the angles is uniform. Without them the default costs no more than Tukey's mean. */
static void strays_cost_hardly_more_than_they_cost_the_chordal_mean(void **state)
{
    enum { SETS = 10000, K = 10 };
    static double angles[SETS * K];
    recon_so2_density all[] = { normal(15), uniform(60), uniform(90) };
    for (size_t f = 0; f < 3; f++) {
        recon_rng rng = recon_rng_new(15, f);
        draw(angles, SETS * K, &all[f], f);
        CHECK_LESS(rms_error(*state, angles, SETS, K, NULL) /
                       rms_error(*state, angles, SETS, K, &tukey_mean),
                   1.01);
        for (size_t i = 0; i < SETS * K; i++)
            angles[i] = recon_rng_uniform(&rng) < 0.25 ? recon_so2_haar(&rng) : angles[i];
        double error = rms_error(*state, angles, SETS, K, NULL);
        CHECK_LESS(error / rms_error(*state, angles, SETS, K, &chordal), 1.05);
        CHECK_LESS(error / rms_error(*state, angles, SETS, K, &tukey_mean), 0.96);
    }
}

/* A fifth of the angles is uniform or lies in a clump nearer to the identity than the mode. */
static void outliers_do_not_move_a_narrow_mode(void **state)
{
    enum { SETS = 1000, K = 25 };
    static double angles[SETS * K];
    static recon_so2_center out[SETS];
    recon_rng rng = recon_rng_new(13, 0);
    recon_so2_density mode = normal(5), clump = normal(5);
    mode.center = 2;
    for (int clumped = 0; clumped < 2; clumped++) {
        double sum = 0;
        for (size_t i = 0; i < SETS * K; i++)
            angles[i] = i % K >= K / 5 ? recon_so2_sample(&mode, &rng)
                        : clumped      ? recon_so2_sample(&clump, &rng)
                                       : recon_so2_haar(&rng);
        CHECK_OK(*state, recon_so2_mean_batch(*state, out, angles, SETS, K, NULL));
        for (size_t i = 0; i < SETS; i++)
            sum += pow(recon_so2_distance(out[i].mean, 2) / DEGREE, 2);
        CHECK_LESS(sqrt(sum / SETS), 1.6);
    }
}

static void rotating_the_angles_rotates_the_mean(void **state)
{
    double angles[50], rotated[50];
    recon_rng rng = recon_rng_new(14, 0);
    recon_so2_density all[] = { uniform(90), normal(40), normal(2), vonmises(20, 1) };
    for (uint64_t seed = 0; seed < 400; seed++) {
        double by = recon_so2_haar(&rng);
        draw(angles, 50, &all[seed % 4], seed);
        for (int i = 0; i < 50; i++)
            rotated[i] = recon_so2_compose(angles[i], by);
        recon_so2_center a = center_of(*state, angles, 50, NULL);
        recon_so2_center b = center_of(*state, rotated, 50, NULL);
        assert_int_equal(a.modes, b.modes);
        CHECK_NEAR(recon_so2_distance(recon_so2_compose(a.mean, by), b.mean), 0, 1e-12);
        CHECK_NEAR(a.tukey_c, b.tukey_c, 1e-12);
        CHECK_NEAR(a.moment[2], b.moment[2], 1e-12);
    }
}

static void the_number_of_threads_does_not_matter(void **state)
{
    (void)state;
    enum { SETS = 500, K = 12 };
    static double angles[SETS * K];
    static recon_so2_center a[SETS], b[SETS];
    draw_modes(angles, SETS * K, 3, 1);
    for (int threads = 1; threads <= 3; threads++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = threads });
        CHECK_OK(ctx, recon_so2_mean_batch(ctx, threads == 1 ? a : b, angles, SETS, K, NULL));
        for (int i = 0; threads > 1 && i < SETS; i++) {
            CHECK_NEAR(a[i].mean, b[i].mean, 0);
            assert_memory_equal(a[i].mode, b[i].mode, sizeof a[i].mode);
        }
        recon_ctx_free(ctx);
    }
}

/* A class of the eps-graph may be the whole data set. */
static void a_large_set_takes_no_longer_than_sorting(void **state)
{
    enum { LARGE = 200000 };
    double *angles = malloc(LARGE * sizeof *angles);
    assert_non_null(angles);
    recon_so2_density broad = uniform(80);
    draw(angles, LARGE, &broad, 1);
    clock_t begun = clock();
    recon_so2_center one = center_of(*state, angles, LARGE, NULL);
    draw_modes(angles, LARGE, 3, 1);
    recon_so2_center three = center_of(*state, angles, LARGE, NULL);
    assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 5);
    assert_int_equal(one.modes, 1);
    assert_int_equal(three.modes, 3);
    CHECK_NEAR(three.mean / DEGREE, 0, 1);
    free(angles);
}

/* Four angles are too few to tell modes apart: the mean is that of all of them. */
static void a_handful_is_one_mode(void **state)
{
    double four[4] = { 0, 0.01, 1.5, 1.51 };
    recon_so2_center c = center_of(*state, four, 4, NULL);
    assert_int_equal(c.modes, 1);
    CHECK_NEAR(c.mean, 0.755, 1e-12);
}

/* Five angles are the fewest among which a stray is seen: the mean then hardly follows it. */
static void one_of_five_may_be_a_stray(void **state)
{
    double five[5] = { -0.002, -0.001, 0, 0.001, 2.5 }, four[4] = { -0.001, 0, 0.001, 2.5 };
    recon_mean_options o = { .kind = RECON_MEAN_TUKEY };
    CHECK_NEAR(center_of(*state, five, 5, &o).mean, 0, 0.2);
    assert_true(center_of(*state, four, 4, &o).mean > 0.3);
}

static void running_out_of_memory_is_said(void **state)
{
    (void)state;
    double angles[3] = { 0, 1, 2 };
    recon_so2_center out;
    recon_status status = RECON_ERR_MEMORY;
    for (long n = 1; status != RECON_OK; n++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
        recon_alloc_fail_at(ctx, n);
        status = recon_so2_mean(ctx, &out, angles, 3, NULL);
        assert_true(n > 1 ? status == RECON_OK || status == RECON_ERR_MEMORY
                          : status == RECON_ERR_MEMORY);
        recon_ctx_free(ctx);
    }
}

static void bad_input_is_named(void **state)
{
    recon_so2_center out[2];
    double angles[4] = { 0, 1, 2, INFINITY };
    CHECK_FAILS(*state, recon_so2_mean(*state, out, angles, 0, NULL), RECON_ERR_INPUT, "no angles");
    CHECK_FAILS(*state, recon_so2_mean_batch(*state, out, angles, 2, 2, NULL), RECON_ERR_INPUT,
                "angle 1 of set 1 is inf");
    CHECK_FAILS(*state,
                recon_so2_mean(*state, out, angles, 2, &(recon_mean_options){ .tukey_c = -1 }),
                RECON_ERR_INPUT, "tukey_c is -1");
    CHECK_FAILS(
        *state,
        recon_so2_mean(*state, out, angles, 2, &(recon_mean_options){ .kind = (recon_mean_kind)4 }),
        RECON_ERR_INPUT, "number 4");
    CHECK_OK(*state, recon_so2_mean_batch(*state, out, angles, 0, 3, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frechet_mean_is_the_global_minimum),
        cmocka_unit_test(ties_go_to_the_identity),
        cmocka_unit_test(the_chordal_mean_is_the_circular_one),
        cmocka_unit_test(a_fixed_c_minimises_the_tukey_loss),
        cmocka_unit_test(the_tukey_mean_of_one_mode_is_the_frechet_mean),
        cmocka_unit_test(two_opposite_modes_give_the_one_at_the_identity),
        cmocka_unit_test(five_modes_give_the_one_at_the_identity),
        cmocka_unit_test(a_spike_does_not_catch_the_mean),
        cmocka_unit_test(sets_are_independent),
        cmocka_unit_test(few_samples_of_one_broad_mode_are_not_split),
        cmocka_unit_test(few_samples_of_two_modes_land_on_one),
        cmocka_unit_test(strays_cost_hardly_more_than_they_cost_the_chordal_mean),
        cmocka_unit_test(outliers_do_not_move_a_narrow_mode),
        cmocka_unit_test(rotating_the_angles_rotates_the_mean),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(a_large_set_takes_no_longer_than_sorting),
        cmocka_unit_test(a_handful_is_one_mode),
        cmocka_unit_test(one_of_five_may_be_a_stray),
        cmocka_unit_test(running_out_of_memory_is_said),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
