/* Wasserstein distances: every permutation, metric laws, closed forms, SciPy on an arc. */
#include "check.h"
#include <stdlib.h>
#include <recon/group/so2.h>
#include "group/wasserstein.h"
#include "core/memory.h"
#include "group/permutations.h"
#include "group/wasserstein_so3.h"
#include "group/vectors.h"

static double circle(void **state, const double *a, const double *b, size_t n, size_t m, double p)
{
    double w = NAN;
    CHECK_OK(*state, recon_so2_wasserstein(*state, &w, a, b, n, m, p));
    return w;
}

static double rotations(void **state, const recon_so3 *a, const recon_so3 *b, size_t n, double p)
{
    double w = NAN;
    CHECK_OK(*state, recon_so3_wasserstein(*state, &w, a, b, n, p));
    return w;
}

/* Half of the time from few values, so that points coincide and lie opposite to one another. */
static void draw_angles(double *a, int n, recon_rng *rng)
{
    int coarse = (int)recon_rng_below(rng, 2);
    for (int i = 0; i < n; i++)
        a[i] = coarse ? M_PI / 4 * (double)recon_rng_below(rng, 8) : recon_so2_haar(rng);
}

/* Over all permutations, each point repeated until both samples have the common size. */
static double brute_circle(const double *a, const double *b, int n, int m, int common, double p)
{
    double cost[49];
    for (int i = 0; i < common; i++)
        for (int j = 0; j < common; j++)
            cost[i * common + j] = pow(recon_so2_distance(a[i * n / common], b[j * m / common]), p);
    return pow(least_cost(cost, common) / common, 1 / p);
}

static void the_circle_beats_every_permutation(void **state)
{
    recon_rng rng = recon_rng_new(1, 0);
    double a[7], b[7];
    for (int trial = 0; trial < 210; trial++) {
        int n = 1 + trial % 7, p = 1 + trial % 3;
        draw_angles(a, n, &rng);
        draw_angles(b, n, &rng);
        CHECK_NEAR(circle(state, a, b, (size_t)n, (size_t)n, p), brute_circle(a, b, n, n, n, p),
                   1e-12);
    }
}

static void sizes_may_differ(void **state)
{
    static const int sizes[][3] = {
        { 1, 6, 6 }, { 2, 3, 6 }, { 3, 2, 6 }, { 2, 6, 6 }, { 4, 1, 4 }
    };
    recon_rng rng = recon_rng_new(2, 0);
    double a[7], b[7];
    for (int trial = 0; trial < 300; trial++) {
        const int *s = sizes[trial % 5];
        double p = 1 + trial % 3;
        draw_angles(a, s[0], &rng);
        draw_angles(b, s[1], &rng);
        CHECK_NEAR(circle(state, a, b, (size_t)s[0], (size_t)s[1], p),
                   brute_circle(a, b, s[0], s[1], s[2], p), 1e-12);
    }
}

static double share_below(const double *x, int n, double t)
{
    double count = 0;
    for (int i = 0; i < n; i++)
        count += recon_so2_wrap(x[i]) <= t;
    return count / n;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* For p = 1 another way: the integral of |F - G - c|, least over c, and the least is at one of the
 * values of F - G (a weighted median). */
static void one_is_the_integral_about_the_median(void **state)
{
    enum { NA = 40, NB = 23 };
    recon_rng rng = recon_rng_new(3, 0);
    for (int trial = 0; trial < 20; trial++) {
        double a[NA], b[NB], at[NA + NB + 1], gap[NA + NB], best = INFINITY;
        for (int i = 0; i < NA; i++)
            a[i] = at[i] = recon_so2_haar(&rng);
        for (int i = 0; i < NB; i++)
            b[i] = at[NA + i] = recon_so2_wrap(3 + 0.5 * recon_rng_normal(&rng));
        qsort(at, NA + NB, sizeof *at, ascending);
        at[NA + NB] = at[0] + 2 * M_PI;
        for (int i = 0; i < NA + NB; i++)
            gap[i] = share_below(a, NA, at[i]) - share_below(b, NB, at[i]);
        for (int c = 0; c < NA + NB; c++) {
            double sum = 0;
            for (int i = 0; i < NA + NB; i++)
                sum += (at[i + 1] - at[i]) * fabs(gap[i] - gap[c]);
            best = fmin(best, sum);
        }
        CHECK_NEAR(circle(state, a, b, NA, NB, 1), best, 1e-13);
    }
}

/* A grid of n angles rotated by s goes nowhere nearer than s, until the next angle is nearer. */
static void a_rotated_grid_is_as_far_as_the_rotation(void **state)
{
    enum { N = 50 };
    double a[N], b[N];
    for (int k = 0; k <= 10; k++) {
        double s = 2 * M_PI / N * k / 10;
        for (int i = 0; i < N; i++)
            a[i] = 2 * M_PI * i / N, b[(i * 7) % N] = a[i] + s + 40 * M_PI;
        for (int p = 1; p <= 3; p++)
            CHECK_NEAR(circle(state, a, b, N, N, p), fmin(s, 2 * M_PI / N - s), 1e-11);
    }
}

static void point_masses_are_as_far_as_the_points(void **state)
{
    recon_rng rng = recon_rng_new(4, 0);
    for (int i = 0; i < 200; i++) {
        double a = recon_so2_haar(&rng), b[5], p = 1 + 15 * recon_rng_uniform(&rng);
        for (int k = 0; k < 5; k++)
            b[k] = recon_so2_wrap(a + pow(10, -0.05 * i));
        CHECK_NEAR(circle(state, &a, b, 1, 5, p), recon_so2_distance(a, b[0]), 1e-14);
        recon_so3 q = recon_so3_haar(&rng), r = recon_so3_haar(&rng);
        CHECK_NEAR(rotations(state, &q, &r, 1, p), recon_so3_distance(q, r), 1e-14);
    }
}

static void scipy_agrees_on_an_arc(void **state)
{
    for (int i = 0; i < ARC_SETS; i++) {
        CHECK_NEAR(circle(state, arc_a[i], arc_b[i], ARC_SIZE_A, ARC_SIZE_B, 1), arc_distance[i],
                   1e-14);
        CHECK_NEAR(circle(state, arc_b[i], arc_a[i], ARC_SIZE_B, ARC_SIZE_A, 1), arc_distance[i],
                   1e-14);
    }
}

static void the_circle_is_a_metric_that_rotates_along(void **state)
{
    enum { N = 17, M = 11, K = 5 };
    recon_rng rng = recon_rng_new(5, 0);
    for (int trial = 0; trial < 100; trial++) {
        double a[N], b[M], c[K], g = recon_so2_haar(&rng), p = 1 + trial % 4;
        draw_angles(a, N, &rng), draw_angles(b, M, &rng), draw_angles(c, K, &rng);
        double ab = circle(state, a, b, N, M, p);
        CHECK_NEAR(circle(state, b, a, M, N, p), ab, 1e-13);
        CHECK_LESS(ab, circle(state, a, c, N, K, p) + circle(state, c, b, K, M, p) + 1e-12);
        assert_true(ab > 0 && ab <= M_PI);
        assert_true(circle(state, a, a, N, N, p) == 0);
        for (int i = 0; i < N; i++)
            a[i] = recon_so2_compose(a[i], g);
        for (int i = 0; i < M; i++)
            b[i] = recon_so2_compose(b[i], g);
        CHECK_NEAR(circle(state, a, b, N, M, p), ab, 1e-12);
    }
}

static void rotations_beat_every_permutation(void **state)
{
    recon_rng rng = recon_rng_new(6, 0);
    recon_so3 a[7], b[7];
    double cost[49];
    for (int trial = 0; trial < 105; trial++) {
        int n = 1 + trial % 7, p = 1 + trial % 3;
        for (int i = 0; i < n; i++)
            a[i] = recon_so3_haar(&rng), b[i] = recon_so3_haar(&rng);
        for (int i = 0; i < n * n; i++)
            cost[i] = pow(recon_so3_distance(a[i / n], b[i % n]), p);
        CHECK_NEAR(rotations(state, a, b, (size_t)n, p), pow(least_cost(cost, n) / n, 1.0 / p),
                   1e-13);
    }
}

static void rotations_have_a_metric_that_rotates_along(void **state)
{
    enum { N = 40 };
    static recon_so3 a[N], b[N], c[N], left[N], right[N];
    recon_rng rng = recon_rng_new(7, 0);
    for (int trial = 0; trial < 20; trial++) {
        recon_so3 g = recon_so3_haar(&rng);
        double p = 1 + trial % 3;
        for (int i = 0; i < N; i++)
            a[i] = recon_so3_haar(&rng), b[i] = recon_so3_haar(&rng), c[i] = recon_so3_haar(&rng);
        double ab = rotations(state, a, b, N, p);
        assert_true(ab > 0 && ab <= M_PI);
        CHECK_NEAR(rotations(state, b, a, N, p), ab, 1e-13);
        CHECK_LESS(ab, rotations(state, a, c, N, p) + rotations(state, c, b, N, p) + 1e-12);
        for (int i = 0; i < N; i++)
            left[i] = recon_so3_compose(a[i], g), right[i] = recon_so3_compose(b[i], g);
        CHECK_NEAR(rotations(state, left, right, N, p), ab, 1e-12);
        for (int i = 0; i < N; i++)
            left[i] = a[(i * 7 + 3) % N]; /* the same rotations in another order */
        assert_true(rotations(state, left, a, N, p) == 0);
    }
}

static void about_one_axis_both_agree(void **state)
{
    enum { N = 60 };
    static double a[N], b[N];
    static recon_so3 qa[N], qb[N];
    recon_rng rng = recon_rng_new(8, 0);
    for (int trial = 0; trial < 12; trial++) {
        const double axis[3] = { 1, -2, 0.5 };
        double p = 1 + trial % 3;
        draw_angles(a, N, &rng), draw_angles(b, N, &rng);
        for (int i = 0; i < N; i++) {
            qa[i] = recon_so3_from_axis_angle(axis, a[i]);
            qb[i] = recon_so3_from_axis_angle(axis, b[i]);
        }
        CHECK_NEAR(rotations(state, qa, qb, N, p), circle(state, a, b, N, N, p), 1e-12);
    }
}

static void bad_samples_are_named(void **state)
{
    recon_ctx *ctx = *state;
    const double good[2] = { 0, 1 }, bad[2] = { 0, NAN };
    double w;
    CHECK_FAILS(ctx, recon_so2_wasserstein(ctx, &w, good, bad, 2, 2, 1), RECON_ERR_INPUT,
                "angle 1 of the second sample is nan");
    CHECK_FAILS(ctx, recon_so2_wasserstein(ctx, &w, bad, good, 2, 2, 1), RECON_ERR_INPUT,
                "angle 1 of the first sample");
    CHECK_FAILS(ctx, recon_so2_wasserstein(ctx, &w, good, good, 2, 0, 1), RECON_ERR_INPUT,
                "second sample is empty");
    CHECK_FAILS(ctx, recon_so2_wasserstein(ctx, &w, good, good, 2, 2, 0.5), RECON_ERR_INPUT,
                "p is 0.5");
    CHECK_FAILS(ctx, recon_so2_wasserstein(ctx, &w, good, good, 2, 2, NAN), RECON_ERR_INPUT,
                "p is nan");
}

static void memory_may_run_out(void **state)
{
    recon_ctx *ctx = *state;
    const double a[2] = { 0, 1 };
    double w;
    for (int n = 1; n <= 2; n++) {
        recon_alloc_fail_at(ctx, n);
        CHECK_FAILS(ctx, recon_so2_wasserstein(ctx, &w, a, a, 2, 2, 1), RECON_ERR_MEMORY, "out of");
    }
    recon_alloc_fail_at(ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_circle_beats_every_permutation),
        cmocka_unit_test(sizes_may_differ),
        cmocka_unit_test(one_is_the_integral_about_the_median),
        cmocka_unit_test(a_rotated_grid_is_as_far_as_the_rotation),
        cmocka_unit_test(point_masses_are_as_far_as_the_points),
        cmocka_unit_test(scipy_agrees_on_an_arc),
        cmocka_unit_test(the_circle_is_a_metric_that_rotates_along),
        cmocka_unit_test(rotations_beat_every_permutation),
        cmocka_unit_test(rotations_have_a_metric_that_rotates_along),
        cmocka_unit_test(about_one_axis_both_agree),
        cmocka_unit_test(bad_samples_are_named),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
