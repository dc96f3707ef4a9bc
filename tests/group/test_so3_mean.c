/* Means of rotations: SciPy's answers, first-order conditions, equivariance, modes, and what the
 * data leave undetermined. */
#include "check.h"
#include "group/vectors.h"

#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>
#include "core/memory.h"
#include "group/so3/frame.h"
#include "group/mean.h"
#include "group/so3/so3.h"

static const recon_mean_options chordal = { .kind = RECON_MEAN_CHORDAL };
static const recon_mean_options frechet = { .kind = RECON_MEAN_FRECHET };
static const double degree = M_PI / 180;

static recon_so3 near(recon_rng *rng, recon_so3 at, double sd)
{
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = sd * recon_rng_normal(rng);
    return recon_so3_compose(at, recon_so3_exp(v));
}

static recon_so3 in_ball(recon_rng *rng, double radius)
{
    recon_so3 q = recon_so3_haar(rng);
    while (recon_so3_angle(q) > radius)
        q = recon_so3_haar(rng);
    return q;
}

static recon_so3 about_z(double angle)
{
    const double v[3] = { 0, 0, angle };
    return recon_so3_exp(v);
}

static double loss(recon_so3 at, const recon_so3 *g, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += recon_so3_distance(at, g[i]) * recon_so3_distance(at, g[i]) / 2;
    return sum;
}

static void chordal_mean_is_scipys(void **state)
{
    for (int set = 0, first = 0; set < 6; first += mean_size[set++]) {
        recon_so3 g[60];
        recon_so3_center c;
        for (int i = 0; i < mean_size[set]; i++)
            memcpy(&g[i], mean_rotation[first + i], sizeof g[i]);
        memcpy(&g[59], mean_plain[set], sizeof g[59]);
        CHECK_OK(*state, recon_so3_mean(*state, &c, g, (size_t)mean_size[set], &chordal));
        CHECK_NEAR(recon_so3_distance(c.mean, g[59]), 0, 1e-12);
    }
}

/* The singular values have the invariants of the mean matrix, and the axes are its first pair. */
static void singular_values_are_those_of_the_mean_matrix(void **state)
{
    enum { N = 30 };
    recon_rng rng = recon_rng_new(71, 0);
    for (int t = 0; t < 100; t++) {
        recon_so3 g[N], at = recon_so3_haar(&rng);
        double m[9] = { 0 }, r[9], square = 0, trace = 0, image[3] = { 0 };
        recon_so3_center c;
        for (int i = 0; i < N; i++) {
            g[i] = t % 2 ? recon_so3_haar(&rng) : near(&rng, at, .5);
            recon_so3_to_matrix(r, g[i]);
            for (int k = 0; k < 9; k++)
                m[k] += r[k] / N;
        }
        CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, &chordal));
        recon_so3_to_matrix(r, c.mean);
        for (int k = 0; k < 9; k++) {
            square += m[k] * m[k], trace += m[k] * r[k];
            image[k / 3] += m[k] * c.axis_body[k % 3];
        }
        double det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                     m[2] * (m[3] * m[7] - m[4] * m[6]);
        const double *d = c.singular;
        CHECK_NEAR(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], square, 1e-14);
        CHECK_NEAR(d[0] + d[1] + d[2], trace, 1e-14);
        CHECK_NEAR(d[0] * d[1] * d[2], det, 1e-14);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(image[k], d[0] * c.axis_world[k], 1e-13);
    }
}

static void batches_are_single_sets_on_any_threads(void **state)
{
    enum { SETS = 1037, K = 7 };
    static recon_so3 g[SETS * K];
    static recon_so3_center center[2][SETS];
    recon_ctx *one = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_rng rng = recon_rng_new(72, 0);
    for (int i = 0; i < SETS * K; i++)
        g[i] = recon_so3_haar(&rng);
    memset(center, 0, sizeof center);
    CHECK_OK(one, recon_so3_mean_batch(one, center[0], g, SETS, K, &chordal));
    CHECK_OK(*state, recon_so3_mean_batch(*state, center[1], g, SETS, K, &chordal));
    for (int i = 0; i < SETS; i++) {
        recon_so3_center single;
        CHECK_OK(one, recon_so3_mean(one, &single, g + i * K, K, &chordal));
        assert_memory_equal(&center[0][i].mean, &center[1][i].mean, sizeof(recon_so3));
        assert_memory_equal(&center[0][i].mean, &single.mean, sizeof(recon_so3));
    }
    recon_ctx_free(one);
}

/* Rotations about one axis within a half circle: the Frechet mean is the mean angle. */
static void frechet_mean_on_an_axis_is_the_mean_angle(void **state)
{
    recon_rng rng = recon_rng_new(73, 0);
    for (int t = 0; t < 50; t++) {
        enum { N = 9 };
        recon_so3 g[N], off = recon_so3_haar(&rng);
        recon_so3_center c;
        double sum = 0;
        for (int i = 0; i < N; i++) {
            double angle = 170 * degree * recon_rng_uniform(&rng);
            g[i] = recon_so3_compose(about_z(angle), off);
            sum += angle / N;
        }
        CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, &frechet));
        CHECK_NEAR(recon_so3_distance(c.mean, recon_so3_compose(about_z(sum), off)), 0, 1e-13);
    }
}

/* The logarithms at a Frechet mean add up to zero, and no other start finds less. */
static void frechet_mean_is_the_minimum(void **state)
{
    enum { N = 25 };
    recon_rng rng = recon_rng_new(74, 0);
    for (int t = 0; t < 60; t++) {
        recon_so3 g[N];
        recon_so3_center c;
        double sum[3] = { 0 };
        for (int i = 0; i < N; i++)
            g[i] = t % 3 == 0   ? in_ball(&rng, M_PI / 2)
                   : t % 3 == 1 ? near(&rng, recon_so3_identity(), .7)
                                : near(&rng, about_z(2 * M_PI * recon_rng_uniform(&rng)), .1);
        CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, &frechet));
        for (int i = 0; i < N; i++) {
            double v[3];
            recon_so3_log(v, recon_so3_compose(recon_so3_inverse(c.mean), g[i]));
            for (int k = 0; k < 3; k++)
                sum[k] += v[k];
        }
        CHECK_NEAR(sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]), 0, 1e-11);
        for (int i = 0; i < 400; i++) {
            recon_so3 other = i % 2 ? recon_so3_haar(&rng) : near(&rng, c.mean, .3);
            assert_true(loss(other, g, N) >= loss(c.mean, g, N) - 1e-9);
        }
    }
}

/* However the samples lie, 20 random starts find nothing lower: 3 to 32 of them, about one rotation
 * (40 degrees an axis, or more), about a ring, or anywhere. */
static void frechet_mean_is_the_lowest_minimum(void **state)
{
    enum { SETS = 400, MOST = 32, RANDOM = 20 };
    int bad = 0;
    for (uint64_t t = 0; t < SETS; t++) {
        recon_rng rng = recon_rng_new(86, t);
        recon_so3 g[MOST];
        recon_so3_center c;
        size_t n = 3 + recon_rng_below(&rng, MOST - 2);
        double sd = 40 * degree * (1 + 2 * recon_rng_uniform(&rng));
        for (size_t i = 0; i < n; i++)
            g[i] = t % 4 == 0   ? recon_so3_haar(&rng)
                   : t % 4 == 1 ? near(&rng, about_z(2 * M_PI * recon_rng_uniform(&rng)), .3)
                                : near(&rng, recon_so3_identity(), sd);
        CHECK_OK(*state, recon_so3_mean(*state, &c, g, n, &frechet));
        const recon_so3_samples all = { g, NULL, n };
        double lowest = loss(c.mean, g, n);
        for (int i = 0; i < RANDOM; i++)
            if (recon_so3_descend(recon_so3_haar(&rng), &all, 0).loss < lowest * (1 - 1e-9)) {
                bad++;
                break;
            }
    }
    assert_int_equal(bad, 0);
}

/* The centre of a g b is a (centre of g) b, in every part. */
static void means_rotate_with_the_data(void **state)
{
    enum { N = 40 };
    recon_rng rng = recon_rng_new(75, 0);
    for (int t = 0; t < 120; t++) {
        recon_so3 g[N], moved[N], a = recon_so3_haar(&rng), b = recon_so3_haar(&rng);
        recon_mean_options options = { .kind = (recon_mean_kind)(t % 3),
                                       .tukey_c = t % 6 == 3 ? .6 : 0 };
        recon_so3_center here, there;
        for (int i = 0; i < N; i++) {
            g[i] = t % 4 == 0   ? in_ball(&rng, M_PI / 2)
                   : t % 4 == 1 ? near(&rng, about_z(i < 35 ? 0 : 2), .2) /* 35 against 5: no tie */
                                : near(&rng, recon_so3_identity(), .3);
            moved[i] = recon_so3_compose(recon_so3_compose(a, g[i]), b);
        }
        CHECK_OK(*state, recon_so3_mean(*state, &here, g, N, &options));
        CHECK_OK(*state, recon_so3_mean(*state, &there, moved, N, &options));
        recon_so3 want = recon_so3_compose(recon_so3_compose(a, here.mean), b);
        CHECK_NEAR(recon_so3_distance(there.mean, want), 0, 1e-9);
        CHECK_NEAR(there.tukey_c, here.tukey_c, 1e-6);
        assert_int_equal(there.modes, here.modes);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(there.singular[k], here.singular[k], 1e-13);
        for (int k = 0; k < here.modes; k++)
            CHECK_NEAR(there.mode[k].weight, here.mode[k].weight, 1e-12);
    }
}

/* Two and five modes, 13 degrees wide, n = 2000: the default mean sits on one of them, and for the
 * same reference on the same one in every draw. */
static void tukey_mean_sits_on_the_mode_nearest_the_reference(void **state)
{
    enum { N = 2000 };
    static recon_so3 g[N];
    const double v[3] = { .3, -.2, .25 };
    const recon_so3 off = recon_so3_exp(v);
    for (int modes = 2; modes <= 5; modes += 3)
        for (int draw = 0; draw < 4; draw++) {
            recon_rng rng = recon_rng_new(76, (uint64_t)draw);
            recon_so3_center c;
            for (int i = 0; i < N; i++) {
                double rotation = 2 * M_PI * (double)recon_rng_below(&rng, (uint64_t)modes) / modes;
                g[i] = recon_so3_compose(near(&rng, about_z(rotation), .225), off);
            }
            CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, NULL));
            assert_int_equal(c.modes, modes);
            CHECK_NEAR(c.tukey_c, M_PI / modes, .1);
            CHECK_LESS(recon_so3_distance(c.mean, off), 3 * degree);
            for (int k = 0; k < modes; k++)
                CHECK_NEAR(c.mode[k].weight, 1.0 / modes, .05);
            CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, &frechet));
            if (modes == 2) /* the Frechet mean lies between, where nothing is */
                CHECK_LESS(60 * degree, recon_so3_distance(c.mean, off));
        }
}

/* A heavier mode wins wherever the reference is. */
static void tukey_mean_prefers_the_heavier_mode(void **state)
{
    enum { N = 100 };
    recon_so3 g[N];
    recon_rng rng = recon_rng_new(77, 0);
    recon_so3_center c;
    for (int i = 0; i < N; i++)
        g[i] = near(&rng, about_z(i < 85 ? 2 : 0), .15);
    CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, NULL));
    assert_int_equal(c.modes, 2);
    CHECK_LESS(recon_so3_distance(c.mean, about_z(2)), 5 * degree);
    CHECK_NEAR(c.mode[0].weight, .85, 1e-9);
}

/* Two modes 6 degrees wide and 35 apart: four in five samples of 40 show both. A rule that joins peaks
 * over a deeper valley shows them in two of five. */
static void near_modes_are_told_apart(void **state)
{
    enum { TRIALS = 200, K = 40 };
    static recon_so3 g[TRIALS * K];
    static recon_so3_center c[TRIALS];
    recon_rng rng = recon_rng_new(81, 0);
    int both = 0;
    for (int i = 0; i < TRIALS * K; i++)
        g[i] = near(&rng, about_z(i % 2 ? 35 * degree : 0), .1);
    CHECK_OK(*state, recon_so3_mean_batch(*state, c, g, TRIALS, K, NULL));
    for (int t = 0; t < TRIALS; t++)
        both += c[t].modes == 2;
    CHECK_LESS(0.65, (double)both / TRIALS);
}

/* A broad density with a sharp spike 80 degrees off: still one mode, the Frechet mean. */
static void spike_on_a_broad_mode_is_no_second_one(void **state)
{
    enum { N = 2000 };
    static recon_so3 g[N];
    recon_rng rng = recon_rng_new(78, 0);
    recon_so3_center tukey, mean;
    for (int i = 0; i < N; i++)
        g[i] = i < N / 20 ? near(&rng, about_z(80 * degree), .02) : in_ball(&rng, M_PI / 2);
    CHECK_OK(*state, recon_so3_mean(*state, &tukey, g, N, NULL));
    CHECK_OK(*state, recon_so3_mean(*state, &mean, g, N, &frechet));
    assert_int_equal(tukey.modes, 1);
    CHECK_NEAR(recon_so3_distance(tukey.mean, mean.mean), 0, 0);
    CHECK_LESS(recon_so3_angle(tukey.mean), 10 * degree);
}

/* Uniform within 90 degrees, k = 10 .. 50: the default costs no more than 1.15 times the error. */
static void broad_modes_are_not_split(void **state)
{
    enum { TRIALS = 400 };
    static recon_so3 g[TRIALS * 50];
    static recon_so3_center tukey[TRIALS], mean[TRIALS];
    for (size_t k = 10; k <= 50; k += 20) {
        recon_rng rng = recon_rng_new(79, k);
        double of_tukey = 0, of_mean = 0;
        for (size_t i = 0; i < TRIALS * k; i++)
            g[i] = in_ball(&rng, M_PI / 2);
        CHECK_OK(*state, recon_so3_mean_batch(*state, tukey, g, TRIALS, k, NULL));
        CHECK_OK(*state, recon_so3_mean_batch(*state, mean, g, TRIALS, k, &frechet));
        for (int t = 0; t < TRIALS; t++) {
            of_tukey += recon_so3_angle(tukey[t].mean);
            of_mean += recon_so3_angle(mean[t].mean);
        }
        CHECK_LESS(of_tukey / of_mean, 1.15);
    }
}

/* With c fixed: a narrow cluster and a quarter of outliers, which the Frechet mean follows. */
static void fixed_c_ignores_outliers(void **state)
{
    enum { N = 40 };
    recon_so3 g[N];
    recon_rng rng = recon_rng_new(80, 0);
    double of_tukey = 0, of_mean = 0;
    for (int t = 0; t < 30; t++) {
        recon_so3_center c;
        for (int i = 0; i < N; i++)
            g[i] = i < 30 ? near(&rng, recon_so3_identity(), .05) : recon_so3_haar(&rng);
        CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, &(recon_mean_options){ .tukey_c = .5 }));
        CHECK_NEAR(c.tukey_c, .5, 0);
        of_tukey += recon_so3_angle(c.mean) / 30;
        CHECK_OK(*state, recon_so3_mean(*state, &c, g, N, &frechet));
        of_mean += recon_so3_angle(c.mean) / 30;
    }
    CHECK_LESS(of_tukey, 1.5 * degree);
    CHECK_LESS(5 * of_tukey, of_mean);
}

/* A ring is one mode whose spin is free: d near (.99, .17, .17), the axis within 2 degrees. */
static void ring_has_an_axis_and_a_free_spin(void **state)
{
    enum { TRIALS = 500, K = 25 };
    static const double f[9] = { 100, 0, 0, 0, .001, 0, 0, 0, .001 };
    static recon_so3 g[TRIALS * K];
    static recon_so3_center c[TRIALS];
    recon_fisher ring;
    recon_rng rng = recon_rng_new(81, 0);
    double axis = 0, d[3] = { 0 };
    int free = 0, single = 0;
    CHECK_OK(*state, recon_fisher_of(*state, &ring, f));
    recon_fisher_sample(g, &ring, TRIALS * K, &rng);
    CHECK_OK(*state, recon_so3_mean_batch(*state, c, g, TRIALS, K, NULL));
    for (int t = 0; t < TRIALS; t++) {
        const double *w = c[t].axis_world;
        axis += (w[1] * w[1] + w[2] * w[2]) / TRIALS;
        free += recon_so3_free_directions(c[t].singular, K) == 1;
        single += c[t].modes == 1;
        for (int k = 0; k < 3; k++)
            d[k] += c[t].singular[k] / TRIALS;
    }
    CHECK_LESS(sqrt(axis) / degree, 2);
    CHECK_NEAR(d[0], .99, .002);
    CHECK_NEAR(d[1], .18, .02);
    CHECK_NEAR(d[2], .17, .02);
    assert_true(free >= TRIALS - 3); /* the test's level is 0.001 */
    assert_true(single >= TRIALS - 5);
}

/* The share of trials in which a kind of set leaves so many directions free. */
static double share_free(int kind, int want, size_t k)
{
    enum { TRIALS = 2000 };
    static recon_so3 g[TRIALS * 50];
    recon_rng rng = recon_rng_new(82, (uint64_t)kind);
    int count = 0;
    for (size_t i = 0; i < TRIALS * k; i++) {
        recon_so3 q = recon_so3_haar(&rng);
        g[i] = kind == 0   ? near(&rng, recon_so3_identity(), .3)
               : kind == 1 ? about_z(2 * M_PI * recon_rng_uniform(&rng))
               : kind == 2 ? recon_so3_normalize((recon_so3){ 0, q.x, q.y, q.z }) /* half turns */
                           : q;
    }
    for (size_t t = 0; t < TRIALS; t++) {
        recon_so3_frame frame;
        double m[10] = { 0 };
        for (size_t i = 0; i < k; i++)
            recon_so3_moment_add(m, g[t * k + i], 1 / (double)k);
        recon_so3_frame_of(&frame, m);
        count += recon_so3_free_directions(frame.singular, (double)k) == want;
    }
    return (double)count / TRIALS;
}

static void free_directions_are_counted(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        assert_true(share_free(kind, kind, 50) >= .99);
        if (kind != 2) /* half turns look uniform to 25 samples */
            assert_true(share_free(kind, kind, 25) >= .99);
    }
    /* few samples determine nothing, copies of one rotation do from seven on */
    const double copies[3] = { 1, 1, 1 };
    assert_int_equal(recon_so3_free_directions(copies, 1), 3);
    assert_int_equal(recon_so3_free_directions(copies, 3), 3);
    assert_int_equal(recon_so3_free_directions(copies, 7), 0);
}

static void one_two_and_equal_samples(void **state)
{
    recon_rng rng = recon_rng_new(83, 0);
    recon_so3 g[12], at = recon_so3_haar(&rng);
    for (int i = 0; i < 12; i++)
        g[i] = at;
    for (int kind = 0; kind < 3; kind++)
        for (size_t n = 1; n <= 12; n++) {
            recon_so3_center c;
            recon_mean_options options = { .kind = (recon_mean_kind)kind };
            CHECK_OK(*state, recon_so3_mean(*state, &c, g, n, &options));
            CHECK_NEAR(recon_so3_distance(c.mean, at), 0, 1e-14);
            assert_int_equal(c.modes, 1);
            assert_int_equal(c.count, n);
            CHECK_NEAR(c.singular[2], 1, 1e-14);
        }
}

static void bad_input_is_named(void **state)
{
    recon_rng rng = recon_rng_new(84, 0);
    recon_so3 g[6];
    recon_so3_center c[2];
    for (int i = 0; i < 6; i++)
        g[i] = recon_so3_haar(&rng);
    CHECK_FAILS(*state, recon_so3_mean(*state, c, g, 0, NULL), RECON_ERR_INPUT, "no rotations");
    CHECK_FAILS(*state, recon_so3_mean(*state, c, g, 6, &(recon_mean_options){ .tukey_c = NAN }),
                RECON_ERR_INPUT, "tukey_c is nan");
    CHECK_FAILS(
        *state,
        recon_so3_mean(*state, c, g, 6, &(recon_mean_options){ .kind = (recon_mean_kind)4 }),
        RECON_ERR_INPUT, "no mean has the number 4");
    g[5].w = NAN;
    CHECK_FAILS(*state, recon_so3_mean_batch(*state, c, g, 2, 3, NULL), RECON_ERR_INPUT,
                "rotation 5: quaternion of length nan");
    g[5] = (recon_so3){ 2, 0, 0, 0 };
    CHECK_FAILS(*state, recon_so3_mean_batch(*state, c, g, 2, 3, NULL), RECON_ERR_INPUT,
                "rotation 5: quaternion of length 2");
}

/* Every allocation fails once: a clear error each time, and nothing leaks. */
static void memory_can_run_out(void **state)
{
    (void)state;
    recon_so3 g[50];
    recon_rng rng = recon_rng_new(85, 0);
    for (int i = 0; i < 50; i++)
        g[i] = near(&rng, about_z(i % 2 * 2), .2);
    recon_status status = RECON_ERR_MEMORY;
    for (long n = 1; status != RECON_OK; n++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
        recon_so3_center c;
        recon_alloc_fail_at(ctx, n);
        status = recon_so3_mean(ctx, &c, g, 50, NULL);
        assert_true(status == RECON_OK || status == RECON_ERR_MEMORY);
        recon_ctx_free(ctx);
        assert_true(n < 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chordal_mean_is_scipys),
        cmocka_unit_test(singular_values_are_those_of_the_mean_matrix),
        cmocka_unit_test(batches_are_single_sets_on_any_threads),
        cmocka_unit_test(frechet_mean_on_an_axis_is_the_mean_angle),
        cmocka_unit_test(frechet_mean_is_the_minimum),
        cmocka_unit_test(frechet_mean_is_the_lowest_minimum),
        cmocka_unit_test(means_rotate_with_the_data),
        cmocka_unit_test(tukey_mean_sits_on_the_mode_nearest_the_reference),
        cmocka_unit_test(tukey_mean_prefers_the_heavier_mode),
        cmocka_unit_test(spike_on_a_broad_mode_is_no_second_one),
        cmocka_unit_test(broad_modes_are_not_split),
        cmocka_unit_test(near_modes_are_told_apart),
        cmocka_unit_test(fixed_c_ignores_outliers),
        cmocka_unit_test(ring_has_an_axis_and_a_free_spin),
        cmocka_unit_test(free_directions_are_counted),
        cmocka_unit_test(one_two_and_equal_samples),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(memory_can_run_out),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
