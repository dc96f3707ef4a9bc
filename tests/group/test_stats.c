/* Weighted means and spread by closed forms and group laws; p-values that are uniform where the null holds. */
#include "group/symmetries.h"

#include <recon/group/so2.h>
#include <stdlib.h>

enum { N = 24, SETS = SANITIZED ? 20 : 80 };

static const recon_group *group_of(recon_ctx *ctx, const char *name)
{
    const recon_group *g;
    CHECK_OK(ctx, recon_group_find(ctx, &g, name));
    return g;
}

/* Poses within a radius of a random one. */
static void draw_near(double *out, const recon_group *g, size_t n, double radius, recon_rng *rng)
{
    double center[RECON_NUMBERS_MAX], v[RECON_NUMBERS_MAX];
    g->haar(g, center, rng);
    for (size_t i = 0; i < n; i++) {
        for (size_t d = 0; d < g->dimension; d++)
            v[d] = radius * (2 * recon_rng_uniform(rng) - 1);
        g->exp(g, v, v);
        g->compose(g, out + i * g->numbers, v, center);
    }
}

/* F(mu gamma) = F(mu) gamma; a weight of m is m poses; weights may be scaled. */
static void weighted_means_obey_the_laws(void **state)
{
    static const char *const names[] = { "so2", "so3", "torus3" };
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(1, 0);
    for (int i = 0; i < 6; i++) {
        const recon_group *g = group_of(ctx, names[i / 2]);
        recon_mean_kind kind = i % 2 ? RECON_MEAN_CHORDAL : RECON_MEAN_FRECHET;
        double poses[N * 4], moved[N * 4], many[3 * N * 4], weights[N], gamma[4], a[4], b[4];
        size_t copies = 0;
        draw_near(poses, g, N, 0.9, &rng);
        g->haar(g, gamma, &rng);
        for (size_t j = 0; j < N; j++) {
            weights[j] = (double)recon_rng_below(&rng, 4);
            g->compose(g, moved + j * g->numbers, poses + j * g->numbers, gamma);
            for (int c = 0; c < (int)weights[j]; c++)
                memcpy(many + copies++ * g->numbers, poses + j * g->numbers,
                       g->numbers * sizeof *many);
        }
        if (kind == RECON_MEAN_CHORDAL && g->dimension == 3 && g->numbers == 3) {
            CHECK_FAILS(ctx, recon_stats_mean(ctx, a, g, poses, weights, N, kind),
                        RECON_ERR_UNSUPPORTED, "chordal");
            continue;
        }
        CHECK_OK(ctx, recon_stats_mean(ctx, a, g, poses, weights, N, kind));
        CHECK_OK(ctx, recon_stats_mean(ctx, b, g, moved, weights, N, kind));
        g->compose(g, gamma, a, gamma);
        CHECK_NEAR(g->distance(g, b, gamma), 0, 1e-10);
        CHECK_OK(ctx, recon_stats_mean(ctx, b, g, many, NULL, copies, kind));
        CHECK_NEAR(g->distance(g, a, b), 0, 1e-10);
        for (size_t j = 0; j < N; j++)
            weights[j] *= 7.25;
        CHECK_OK(ctx, recon_stats_mean(ctx, b, g, poses, weights, N, kind));
        CHECK_NEAR(g->distance(g, a, b), 0, 1e-10);
    }
}

/* Of two poses the mean divides the way between them, and the squares add up. */
static void two_poses_have_closed_forms(void **state)
{
    recon_ctx *ctx = *state;
    const double angles[] = { 3, -3 }, weights[] = { 1, 3 }, apart = 2 * M_PI - 6;
    const double elements[] = { 2, 6, 6, 2, 2 }, much[] = { 1, 9, 9, 1, 2 };
    double mean[4], spread;
    const recon_so3 pair[] = { about(0, 0, 1, 0.4), about(0, 0, 1, 1.2) };
    CHECK_OK(ctx, recon_stats_mean(ctx, mean, RECON_SO2, angles, weights, 2, RECON_MEAN_FRECHET));
    CHECK_NEAR(mean[0], -3 - apart / 4, 1e-12);
    CHECK_OK(ctx, recon_stats_dispersion(ctx, &spread, RECON_SO2, angles, weights, 2));
    CHECK_NEAR(spread, apart * sqrt(3) / 4, 1e-12);
    CHECK_OK(ctx, recon_stats_mean(ctx, mean, RECON_SO2, angles, weights, 2, RECON_MEAN_CHORDAL));
    CHECK_NEAR(mean[0], atan2(sin(3) - 3 * sin(3), 4 * cos(3)), 1e-12);
    CHECK_OK(ctx, recon_stats_mean(ctx, mean, RECON_SO3, (const double *)pair, weights, 2,
                                   RECON_MEAN_FRECHET));
    CHECK_NEAR(recon_so3_distance(recon_so3_at(mean, 0), about(0, 0, 1, 1)), 0, 1e-10);
    const recon_group *c9 = group_of(ctx, "c9");
    CHECK_OK(ctx, recon_stats_mean(ctx, mean, c9, elements, NULL, 5, RECON_MEAN_FRECHET));
    CHECK_NEAR(mean[0], 2, 0);
    CHECK_OK(ctx, recon_stats_mean(ctx, mean, c9, elements, much, 5, RECON_MEAN_FRECHET));
    CHECK_NEAR(mean[0], 6, 0);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest distance from the uniform law (Kolmogorov), for its quantile 0.999. */
static void check_uniform(double *p, size_t n, double step)
{
    double most = 0;
    qsort(p, n, sizeof *p, ascending);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fmax((double)(i + 1) / (double)n - p[i], p[i] - (double)i / (double)n));
    CHECK_LESS(most, 1.95 / sqrt((double)n) + step);
}

static void uniform_poses_have_uniform_p_values(void **state)
{
    static const char *const names[] = { "so2", "so3", "torus2" };
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(2, 0);
    double poses[N * 4], p[SETS];
    for (int i = 0; i < 3; i++) {
        const recon_group *g = group_of(ctx, names[i]);
        for (int set = 0; set < SETS; set++) {
            for (size_t j = 0; j < N; j++)
                g->haar(g, poses + j * g->numbers, &rng);
            CHECK_OK(ctx, recon_stats_uniform_test(ctx, &p[set], g, poses, N));
        }
        check_uniform(p, SETS, 0.002);
        draw_near(poses, g, N, 0.4, &rng);
        for (size_t j = 0; j < N; j += 2) /* opposite poses, too, are not uniform */
            poses[j * g->numbers] += g->numbers == 4 ? 0 : M_PI;
        CHECK_OK(ctx, recon_stats_uniform_test(ctx, p, g, poses, N));
        CHECK_LESS(p[0], 0.01);
    }
}

static void flat_laws_have_one_mode(void **state)
{
    static const char *const names[] = { "so2", "torus2" };
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(3, 0);
    double poses[N * 4], p[SETS];
    for (int i = 0; i < 2; i++) {
        const recon_group *g = group_of(ctx, names[i]);
        for (int set = 0; set < SETS; set++) {
            draw_near(poses, g, N, 1, &rng);
            for (size_t j = 0; j < N && g->dimension == 2;) { /* a disc of a square */
                double v[2] = { 2 * recon_rng_uniform(&rng) - 1, 2 * recon_rng_uniform(&rng) - 1 };
                poses[2 * j] = v[0], poses[2 * j + 1] = v[1];
                j += hypot(v[0], v[1]) < 1;
            }
            CHECK_OK(ctx, recon_stats_one_mode_test(ctx, &p[set], g, poses, N));
        }
        check_uniform(p, SETS, 0.002);
    }
}

/* Two modes are found in any group; strays, and a normal law, are no modes. */
static void modes_are_counted(void **state)
{
    static const char *const names[] = { "so2", "so3", "torus2" };
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(4, 0);
    double poses[N * 4], step[4], p;
    for (int i = 0; i < 3; i++) {
        const recon_group *g = group_of(ctx, names[i]);
        draw_near(poses, g, N, 0.2, &rng);
        for (size_t j = 0; j < N - 2; j++) { /* and two strays */
            double v[4] = { 0 };
            for (size_t d = 0; d < g->dimension; d++)
                v[d] = 0.1 * recon_rng_normal(&rng);
            g->exp(g, v, v);
            g->compose(g, poses + j * g->numbers, v, poses);
        }
        for (size_t j = N - 2; j < N; j++)
            g->haar(g, poses + j * g->numbers, &rng);
        CHECK_OK(ctx, recon_stats_one_mode_test(ctx, &p, g, poses, N));
        assert_true(p > 0.02);
        memset(step, 0, sizeof step);
        step[0] = 1.2;
        g->exp(g, step, step);
        for (size_t j = 0; j < N; j += 3)
            g->compose(g, poses + j * g->numbers, step, poses + j * g->numbers);
        CHECK_OK(ctx, recon_stats_one_mode_test(ctx, &p, g, poses, N));
        CHECK_LESS(p, 0.01);
    }
}

static void a_true_symmetry_has_uniform_p_values(void **state)
{
    plain_build_only();
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(5, 0);
    const law l = cyclic(4);
    recon_so3 g[60];
    double p[SETS];
    for (int set = 0; set < SETS; set++) {
        recon_center found;
        draw_set(g, 60, &l, recon_so3_haar(&rng), recon_so3_haar(&rng), 5, 0, &rng);
        CHECK_OK(ctx, recon_stats_symmetry(ctx, &found, RECON_SO3, (const double *)g, 60));
        p[set] = found.symmetry == 4 ? found.symmetry_p : 0;
    }
    check_uniform(p, SETS, 0);
}

static void what_is_not_there_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    const double poses[] = { 0, 1, 2, 3, 4 }, weights[] = { 1, -2, 1, 1, 1 }, none[5] = { 0 };
    double out[4];
    recon_center center;
    CHECK_FAILS(ctx, recon_stats_mean(ctx, out, RECON_SO2, poses, weights, 5, RECON_MEAN_FRECHET),
                RECON_ERR_INPUT, "weight 1 is -2");
    CHECK_FAILS(ctx, recon_stats_dispersion(ctx, out, RECON_SO2, poses, none, 5), RECON_ERR_INPUT,
                "all weights are 0");
    CHECK_FAILS(ctx, recon_stats_uniform_test(ctx, out, RECON_SO2, poses, 0), RECON_ERR_INPUT,
                "no poses");
    CHECK_FAILS(ctx, recon_stats_mean(ctx, out, RECON_SO3, poses, NULL, 1, RECON_MEAN_FRECHET),
                RECON_ERR_INPUT, "");
    CHECK_FAILS(ctx, recon_stats_mean(ctx, out, RECON_SO2, poses, weights + 2, 2, RECON_MEAN_TUKEY),
                RECON_ERR_UNSUPPORTED, "no weights");
    CHECK_FAILS(ctx, recon_stats_one_mode_test(ctx, out, group_of(ctx, "c5"), poses, 5),
                RECON_ERR_UNSUPPORTED, "one mode");
    CHECK_FAILS(ctx, recon_stats_one_mode_test(ctx, out, RECON_SO2, poses, 4), RECON_ERR_INPUT,
                "needs 5");
    CHECK_FAILS(ctx, recon_stats_symmetry(ctx, &center, group_of(ctx, "torus2"), none, 2),
                RECON_ERR_UNSUPPORTED, "T^2");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(weighted_means_obey_the_laws),
                                        cmocka_unit_test(two_poses_have_closed_forms),
                                        cmocka_unit_test(uniform_poses_have_uniform_p_values),
                                        cmocka_unit_test(flat_laws_have_one_mode),
                                        cmocka_unit_test(modes_are_counted),
                                        cmocka_unit_test(a_true_symmetry_has_uniform_p_values),
                                        cmocka_unit_test(what_is_not_there_is_refused) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
