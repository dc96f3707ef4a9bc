/* Laws of clusters: what their poses say, in which mode their members are, and whether ends can be told. */
#include "check.h"
#include "data/image.h"
#include "model/ends.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/data/dataset.h>
#include <recon/group/so2.h>

enum { N = 100, CLUSTERS = 3 };
static const double degree = M_PI / 180;
static double poses[CLUSTERS * N];
static int64_t cluster[CLUSTERS * N];

/* The first cluster is about 1 radian, the second as often opposite to that, the third anywhere. */
static void make_poses(void)
{
    recon_rng rng = recon_rng_new(5, 0);
    for (int i = 0; i < CLUSTERS * N; i++) {
        cluster[i] = i % CLUSTERS;
        double pose = 1 + 10 * degree * recon_rng_normal(&rng);
        poses[i] = cluster[i] == 2 ? recon_so2_haar(&rng)
                                   : recon_so2_wrap(pose + (cluster[i] && i % 2 ? M_PI : 0));
    }
}

static void a_law_is_what_all_poses_of_a_cluster_say(void **state)
{
    static const recon_natural natural[] = { RECON_NATURAL_ONE, RECON_NATURAL_MODULO,
                                             RECON_NATURAL_NONE };
    recon_laws laws;
    make_poses();
    CHECK_OK(*state, recon_laws_make(*state, &laws, RECON_LAWS_OF_PSI, CLUSTERS, cluster, RECON_SO2,
                                     poses, CLUSTERS * N));
    for (int c = 0; c < CLUSTERS; c++) {
        assert_int_equal(laws.law[c].natural, natural[c]);
        assert_int_equal(laws.law[c].inputs, N);
    }
    for (int c = 0; c < 2; c++) /* within a mode */
        CHECK_NEAR(laws.law[c].width / degree, 10, 3);
    CHECK_LESS(recon_so2_distance(laws.law[0].mode[0].at[0], 1), 3 * degree);
    assert_int_equal(laws.law[1].modes, 2);
    recon_laws_free(&laws);
    CHECK_OK(*state, recon_laws_make(*state, &laws, RECON_LAWS_OF_PSI, CLUSTERS, cluster, RECON_SO2,
                                     poses, CLUSTERS * (RECON_LAW_LEAST - 1)));
    for (int c = 0; c < CLUSTERS; c++)
        assert_int_equal(laws.law[c].natural, RECON_NATURAL_UNSURE);
    recon_laws_free(&laws);
}

/* To where a broad law has its centre, hardly any rotation brings nearer. */
static void a_broad_law_is_not_clear(void **state)
{
    recon_rng rng = recon_rng_new(7, 0);
    recon_laws laws;
    for (int i = 0; i < CLUSTERS * N; i++) {
        cluster[i] = i % CLUSTERS;
        poses[i] = recon_so2_wrap((cluster[i] ? 85 : 45) * degree * recon_rng_normal(&rng));
    }
    CHECK_OK(*state, recon_laws_make(*state, &laws, RECON_LAWS_OF_PSI, CLUSTERS, cluster, RECON_SO2,
                                     poses, CLUSTERS * N));
    assert_int_equal(laws.law[0].natural, RECON_NATURAL_ONE);
    for (int c = 1; c < CLUSTERS; c++)
        assert_int_equal(laws.law[c].natural, RECON_NATURAL_NONE);
    recon_laws_free(&laws);
}

static void members_take_one_mode(void **state)
{
    recon_law law = { .frame = RECON_LAWS_OF_PSI,
                      .modes = 2,
                      .mode = { { { 1 }, 0.4 }, { { 1 - M_PI }, 0.6 } } };
    double near = 1.1, opposite = 1.2 - M_PI, upright = 0.5;
    (void)state;
    recon_law_lambda(&near, &law, RECON_SO2);
    recon_law_lambda(&opposite, &law, RECON_SO2);
    law.frame = RECON_LAWS_OF_DENSITY;
    recon_law_lambda(&upright, &law, RECON_SO2);
    CHECK_NEAR(near, 1.1, 1e-12);
    CHECK_NEAR(opposite, 1.2, 1e-12);
    CHECK_NEAR(upright, 1.5, 1e-12);
}

/* The density is 20 degrees off, another way in either cluster. Laws know that, unless rotated copies are seen in
 * another cluster; laws that move hardly anything are left alone. */
static void laws_that_do_harm_are_silent(void **state)
{
    recon_rng rng = recon_rng_new(6, 0);
    double psi[N], lambda[N];
    int64_t right[N], wrong[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        right[i] = i % 2;
        wrong[i] = i % 8 < 6 ? 1 - right[i] : right[i];
        lambda[i] = recon_so2_haar(&rng);
        psi[i] = lambda[i] + (right[i] ? 20 : -20) * degree + 2 * degree * recon_rng_normal(&rng);
    }
    for (int k = 0; k < 3; k++) {
        double off = k == 2 ? 0.1 * degree : 20 * degree;
        recon_law law[2] = {
            { .frame = RECON_LAWS_OF_DENSITY, .modes = 1, .mode = { { { -off }, 1 } } },
            { .frame = RECON_LAWS_OF_DENSITY, .modes = 1, .mode = { { { off }, 1 } } }
        };
        recon_laws laws = { .n = 2, .law = law };
        recon_laws_compare(&laws, k ? wrong : right, psi, lambda, N);
        assert_int_equal(law[0].frame, k == 1 ? RECON_LAWS_SILENT : RECON_LAWS_OF_DENSITY);
        assert_int_equal(law[1].frame, law[0].frame);
    }
}

/* Of new poses by the same laws a share P has a p-value of at most P, also where there is no natural pose; the pose
 * opposite to the one of a cluster is unusual. */
static void p_values_are_shares_of_a_cluster(void **state)
{
    enum { NEW = 4000 };
    static const double asked[] = { 0.02, 0.05, 0.1, 0.5 };
    recon_rng rng = recon_rng_new(6, 0);
    recon_laws laws;
    make_poses();
    CHECK_OK(*state, recon_laws_make(*state, &laws, RECON_LAWS_OF_PSI, CLUSTERS, cluster, RECON_SO2,
                                     poses, CLUSTERS * N));
    CHECK_OK(*state, recon_laws_calibrate(*state, &laws, cluster, poses, NULL, CLUSTERS * N));
    assert_int_equal(laws.usual.n, 2 * N); /* where there is no pose nothing is to be learned */
    for (int c = 0; c < CLUSTERS; c++)
        for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
            double below = 0, sigma = sqrt(asked[a] * (1 - asked[a]) / N);
            for (int i = 0; i < NEW; i++) {
                double pose = 1 + 10 * degree * recon_rng_normal(&rng) + (c && i % 2 ? M_PI : 0);
                double p = recon_laws_p_value(&laws, c, c == 2 ? recon_so2_haar(&rng) : pose);
                assert_true(p > 0 && p <= 1);
                below += (p <= asked[a]) / (double)NEW;
            }
            CHECK_NEAR(below, asked[a], 0.01 + 2.5 * sigma);
        }
    CHECK_LESS(recon_laws_p_value(&laws, 0, 1 - M_PI), 0.02);
    CHECK_LESS(0.3, recon_laws_p_value(&laws, 1, 1 - M_PI));
    assert_true(isnan(recon_laws_p_value(&laws, -1, 1)));
    CHECK_NEAR(laws.known,
               2 / 3. * (log(2 * M_PI) - log(10 * degree * sqrt(2 * M_PI)) - 0.5) - log(2) / 3,
               0.2);
    laws.law[0].frame = laws.law[2].frame =
        RECON_LAWS_SILENT; /* then it is not psi that tells, but where there is no pose */
    assert_false(recon_laws_by_psi(&laws, 0));
    assert_true(recon_laws_by_psi(&laws, 2));
    recon_laws_free(&laws);
}

/* A pose is likelier by the others of its own cluster; where none stands out, like any on the circle. */
static void poses_are_known_by_their_cluster(void **state)
{
    static const double at[] = { 1, 1, 1, 1 - M_PI };
    static const int64_t of_at[] = { 0, 1, 2, 0 };
    double log_p[4];
    make_poses();
    CHECK_OK(*state, recon_laws_log_densities(*state, log_p, of_at, at, 4, CLUSTERS, cluster, poses,
                                              CLUSTERS * N));
    CHECK_LESS(log_p[1] + 0.3, log_p[0]);
    CHECK_LESS(log_p[2] + 0.3, log_p[1]);
    CHECK_NEAR(log_p[2], -log(2 * M_PI), 0.5);
    CHECK_LESS(log_p[3], -3);
}

/* --- ends ------------------------------------------------------------------------------------- */

enum { SIDE = 16, MEMBERS = 40 };
static float image[MEMBERS][SIDE * SIDE];

/* Bars on a dark ground or on a bright one, about one angle or as often opposite to it; with a head at one end, or
 * without. What is known of their angles is modulo a half turn. What is said of them; the poses that correct this. */
static recon_natural told(recon_ctx *ctx, double correct[MEMBERS], int head, int modes,
                          float ground)
{
    static double angle[MEMBERS], pose[MEMBERS];
    static int64_t all[MEMBERS];
    float bar[SIDE * SIDE] = { 0 };
    recon_dataset *data;
    recon_law law = {
        .frame = RECON_LAWS_OF_PSI, .natural = RECON_NATURAL_MODULO, .fold = 2, .modes = 2
    };
    const recon_image_size size = { SIDE, SIDE, 1 };
    recon_laws laws = { .n = 1, .law = &law };
    recon_rng rng = recon_rng_new(6, 0);
    for (int row = 3; row < SIDE - 3; row++)
        for (int column = 7; column < 9; column++)
            bar[row * SIDE + column] = head && row < 6 ? 3 : 1;
    for (int i = 0; i < MEMBERS; i++) {
        angle[i] = 1 + 10 * degree * recon_rng_normal(&rng) + (modes > 1 && i % 3 == 0 ? M_PI : 0);
        pose[i] = recon_so2_wrap(angle[i] + (i % 2 ? M_PI : 0));
        recon_image_rotate(image[i], bar, SIDE, SIDE, 1, angle[i], RECON_BILINEAR);
        for (int j = 0; j < SIDE * SIDE; j++)
            image[i][j] += ground + 0.1f * (float)recon_rng_normal(&rng);
    }
    recon_array x = {
        .dtype = RECON_F32, .ndim = 3, .shape = { MEMBERS, SIDE, SIDE }, .data = image
    };
    CHECK_OK(ctx, recon_dataset_make(ctx, &data, &x, NULL, NULL));
    CHECK_OK(ctx, recon_ends_tell(ctx, &laws,
                                  &(recon_ends_job){ .data = recon_dataset_data(data),
                                                     .poses = { NULL, pose },
                                                     .cluster = all,
                                                     .n = MEMBERS }));
    for (int i = 0; i < MEMBERS; i++)
        correct[i] = pose[i] + recon_ends_turn(&law, image[i], &size, pose[i]) - angle[i];
    assert_int_equal(law.fold, law.natural == RECON_NATURAL_MODULO ? 2 : 1);
    recon_dataset_close(data);
    return law.natural;
}

static void ends_that_differ_are_several_poses(void **state)
{
    double left[MEMBERS];
    for (float ground = 0; ground <= 5; ground += 5) {
        assert_int_equal(told(*state, left, 0, 2, ground), RECON_NATURAL_MODULO);
        for (int modes = 1; modes <= 2; modes++) {
            assert_int_equal(told(*state, left, 1, modes, ground),
                             modes > 1 ? RECON_NATURAL_SEVERAL : RECON_NATURAL_ONE);
            for (int i = 1; i < MEMBERS; i++) /* all heads point one way */
                CHECK_LESS(recon_so2_distance(left[i], left[0]), 1e-6);
        }
    }
}

/* Moments turn as their image does, and where it lies, how large and how bright it is makes no difference. */
static void moments_turn_with_the_image(void **state)
{
    enum { WIDE = 64 };
    static float in[WIDE * WIDE], out[WIDE * WIDE];
    const recon_image_size size = { WIDE, WIDE, 1 };
    double want[RECON_ENDS], got[RECON_ENDS];
    (void)state;
    for (int i = 0; i < WIDE * WIDE; i++) {
        double x = i % WIDE - 34, y = i / WIDE - 30;
        in[i] =
            (float)(2 * exp(-(x * x / 90 + y * y / 30)) + exp(-((x - 9) * (x - 9) + y * y) / 8));
    }
    recon_image_rotate(out, in, WIDE, WIDE, 1, 0.7, RECON_BICUBIC);
    for (int i = 0; i < WIDE * WIDE; i++)
        out[i] = 3 - 2 * out[i];
    recon_ends_moments(want, in, &size, 0.7);
    recon_ends_moments(got, out, &size, 0);
    for (int a = 0; a < RECON_ENDS; a++)
        CHECK_NEAR(got[a], want[a], 0.01);
    CHECK_LESS(0.03, hypot(want[0], want[1]));
}

/* Of moments at random no template is found that tells steps apart, even with one member in ten of another kind. */
static void noise_has_no_ends(void **state)
{
    static double moments[100][RECON_ENDS], template[RECON_ENDS];
    static int step[100];
    recon_rng rng = recon_rng_new(8, 0);
    (void)state;
    for (int set = 0; set < 15; set++)
        for (int fold = 2; fold <= 4; fold++) {
            size_t n = fold > 3 ? 40 + (size_t)set * 4 : 27 + (size_t)set * 5;
            for (size_t i = 0; i < n; i++)
                for (int a = 0; a < RECON_ENDS; a++)
                    moments[i][a] = (i % 10 ? 1 : 4) * recon_rng_normal(&rng);
            CHECK_LESS(recon_ends_learn(template, step, moments, n, fold),
                       recon_ends_critical(n, fold));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_is_what_all_poses_of_a_cluster_say),
        cmocka_unit_test(a_broad_law_is_not_clear),
        cmocka_unit_test(members_take_one_mode),
        cmocka_unit_test(laws_that_do_harm_are_silent),
        cmocka_unit_test(p_values_are_shares_of_a_cluster),
        cmocka_unit_test(poses_are_known_by_their_cluster),
        cmocka_unit_test(ends_that_differ_are_several_poses),
        cmocka_unit_test(moments_turn_with_the_image),
        cmocka_unit_test(noise_has_no_ends),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
