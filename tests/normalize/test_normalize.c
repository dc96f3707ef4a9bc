/* Algorithm 1: what is true is recovered, and what is arbitrary does not matter. */
#include "borders.h"
#include "normalize/known.h"

#include <recon/group/mean.h>
#include "group/group.h"
#include "normalize/classes.h"
#include "normalize/pooled.h"

#include "group/wasserstein.h"
#include "../group/wasserstein_so3.h"

static double pose_distance(const recon_group *group, const double *a, size_t i, const double *b,
                            size_t j)
{
    return group->distance(group, a + i * group->numbers, b + j * group->numbers);
}

/* --- what comes out --------------------------------------------------------------------------- */

static void gamma_is_the_offset_of_the_class(void **state)
{
    const double spread = 0.2;
    data *w = make_data(spread, NORMAL, 0.05);
    for (int g = 0; g < 2; g++) {
        const recon_group *group = groups[g];
        recon_embedded e = view(w, group, N);
        recon_frames f = normalize(*state, &e, NULL, neighbors(K));
        double sum = 0, worst = 0, axes = group == RECON_SO2 ? 1 : sqrt(3);
        for (size_t i = 0; i < N; i++) {
            double off = pose_distance(group, f.gamma, i,
                                       group == RECON_SO2 ? w->offset2 : (const double *)w->offset3,
                                       (size_t)w->label[i]);
            sum += off;
            worst = fmax(worst, off);
        }
        CHECK_LESS(sum / N, 1.2 * spread * axes / sqrt(K));
        CHECK_LESS(worst, 5 * spread * axes / sqrt(K));
        assert_int_equal(f.rows, N);
        assert_true(f.natural[RECON_NATURAL_ONE] > 0.95 * N);
        CHECK_NEAR(f.hit_rate, 1, 0);
        recon_frames_free(&f);
    }
    free(w);
}

static void rows_have_verdicts_modes_and_p_values(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    for (int g = 0; g < 2; g++) {
        const recon_group *group = groups[g];
        recon_embedded e = view(w, group, N);
        recon_frames f = normalize(*state, &e, NULL, neighbors(K));
        size_t count[RECON_NATURAL_KINDS] = { 0 }, below = 0;
        for (size_t i = 0; i < N; i++) {
            const double *mode = f.modes + i * RECON_FRAME_MODES * f.modes_width;
            double weight = 0;
            for (size_t m = 0; m < RECON_FRAME_MODES; m++)
                weight += mode[(m + 1) * f.modes_width - 1];
            CHECK_NEAR(weight, 1, 1e-9);
            assert_int_equal(f.fold[i], f.verdict[i] == RECON_NATURAL_ONE ||
                                            f.verdict[i] == RECON_NATURAL_SEVERAL);
            assert_true(f.p[i] > 0 && f.p[i] <= 1);
            below += f.p[i] < 0.1;
            count[f.verdict[i]]++;
        }
        assert_memory_equal(count, f.natural, sizeof count);
        CHECK_NEAR((double)below / N, 0.1, 0.015);
        recon_frames_free(&f);
    }
    free(w);
}

/* Ten poses cannot tell that there is no natural pose; fifty can, and so can those of a cluster. */
static void pooled_poses_tell_more(void **state)
{
    data *w = make_data(M_PI, UNIFORM, 0.05);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_normalize_options o = neighbors(10);
    recon_frames all = normalize(*state, &e, NULL, o);
    o.only_tails = 1;
    recon_frames few = normalize(*state, &e, &e, o);
    o.pool = 50;
    recon_frames many = normalize(*state, &e, NULL, o);
    assert_true(few.natural[RECON_NATURAL_UNSURE] > 0.8 * N);
    assert_true(many.natural[RECON_NATURAL_NONE] > 0.8 * N);
    assert_int_equal(all.natural[RECON_NATURAL_NONE], N);
    assert_memory_equal(all.neighbors, many.neighbors, N * 10 * sizeof *all.neighbors);
    recon_frames_free(&all);
    recon_frames_free(&few);
    recon_frames_free(&many);
    free(w);
}

static void collapsed_embeddings_are_counted(void **state)
{
    float z[60][2];
    double g[60];
    recon_embedded e = { .n = 60, .d = 2, .z = z[0], .group = RECON_SO2, .poses = g };
    for (size_t i = 0; i < 60; i++) {
        z[i][0] = i < 40 ? 1 : (float)i;
        z[i][1] = 1;
        g[i] = 0.01 * (double)i;
    }
    recon_frames f = normalize(*state, &e, NULL, neighbors(10));
    assert_int_equal(f.collapsed, 40);
    recon_frames_free(&f);
}

static void absolute_pose_and_normalized_poses_follow_from_gamma(void **state)
{
    data *w = make_data(0.5, NORMAL, 0.05);
    for (int g = 0; g < 2; g++) {
        const recon_group *group = groups[g];
        recon_embedded e = view(w, group, N);
        recon_frames f = normalize(*state, &e, NULL, neighbors(5));
        for (size_t i = 0; i < N; i++)
            for (size_t m = 0; m <= 5; m++) { /* the neighbours, then the point itself */
                size_t at = m < 5 ? (size_t)f.neighbors[i * 5 + m] : i;
                const double *p = m < 5 ? f.normalized : f.absolute;
                size_t row = m < 5 ? i * 5 + m : i;
                double off =
                    group == RECON_SO2
                        ? recon_so2_distance(recon_so2_compose(p[row], f.gamma[i]), w->so2[at])
                        : recon_so3_distance(
                              recon_so3_compose(recon_so3_at(p, row), recon_so3_at(f.gamma, i)),
                              w->so3[at]);
                CHECK_NEAR(off, 0, 1e-12);
            }
        recon_frames_free(&f);
    }
    free(w);
}

static double mean_parameter(const recon_frames *f, size_t column)
{
    double sum = 0;
    for (size_t i = 0; i < f->rows; i++)
        sum += f->parameters[i * f->parameters_width + column];
    return sum / (double)f->rows;
}

static void theta_is_the_width_of_the_distribution(void **state)
{
    const struct {
        recon_so2_family family;
        form how;
        double spread, want, tolerance;
    } cases[] = {
        { RECON_SO2_UNIFORM, UNIFORM, 1.0, 1.0, 0.05 },
        { RECON_SO2_NORMAL, NORMAL, 0.3, 0.3, 0.02 },
        { RECON_SO2_VONMISES, NORMAL, 0.3, 1 / 0.09 + 0.5, 1.2 }, /* exp(-s^2/2) = I1/I0(kappa) */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        data *w = make_data(cases[c].spread, cases[c].how, 0.05);
        recon_embedded e = view(w, RECON_SO2, N);
        recon_normalize_options o = neighbors(K);
        o.family = cases[c].family;
        recon_frames f = normalize(*state, &e, NULL, o);
        assert_int_equal(f.family, cases[c].family);
        assert_int_equal(f.parameters_width, 1);
        for (size_t i = 0; i < N; i++) /* radians, whatever the family */
            CHECK_NEAR(f.theta[i], cases[c].spread, 0.6 * cases[c].spread);
        CHECK_NEAR(mean_parameter(&f, 0), cases[c].want, cases[c].tolerance);
        recon_frames_free(&f);
        free(w);
    }
}

/* A small normal step about each axis is matrix Fisher with F = 1 / (2 sigma^2). */
static void theta_is_the_fisher_matrix(void **state)
{
    const double sigma = 0.1, s = 1 / (2 * sigma * sigma);
    data *w = make_data(sigma, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO3, N);
    recon_frames f = normalize(*state, &e, NULL, neighbors(K));
    assert_int_equal(f.parameters_width, 9);
    for (size_t c = 0; c < 9; c++)
        CHECK_NEAR(mean_parameter(&f, c), c % 4 == 0 ? s : 0, 0.15 * s);
    assert_true(f.natural[RECON_NATURAL_ONE] > 0.95 * N);
    recon_frames_free(&f);
    free(w);
}

static void a_mixture_has_parts_in_rows(void **state)
{
    enum { PARTS = RECON_SO2_PARTS_MAX };
    data *w = make_data(0.3, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_normalize_options o = neighbors(K);
    o.family = RECON_SO2_MIXTURE;
    recon_frames f = normalize(*state, &e, NULL, o);
    assert_int_equal(f.parameters_width, 3 * PARTS);
    for (size_t i = 0; i < N; i++) {
        const double *theta = f.parameters + i * f.parameters_width;
        double sum = 0;
        for (int p = 0; p < PARTS; p++) {
            sum += theta[p];
            if (theta[p] == 0)
                assert_true(theta[PARTS + p] == 0 && theta[2 * PARTS + p] == 0);
        }
        CHECK_NEAR(sum, 1, 1e-9);
    }
    recon_frames_free(&f);
    free(w);
}

/* -log p at an angle beyond the farthest of the class, under an arc without outliers: the background
 * alone, and that is what one more would have weighed. */
static void no_pose_is_impossible(void **state)
{
    enum { FEW = 10 };
    static const float z[FEW] = { 0 };
    double so2[FEW], away = 2.5;
    recon_so3 so3[FEW], half_turn = { 0, 0, 0, 1 };
    for (size_t i = 0; i < FEW; i++) {
        double about_x[3] = { 0.02 * (double)i - 0.09, 0, 0 };
        so2[i] = 0.1 * (double)i - 0.45;
        so3[i] = recon_so3_exp(about_x);
    }
    recon_embedded e = { .n = FEW, .d = 1, .z = z, .group = RECON_SO2, .poses = so2 };
    recon_embedded q = { .n = 1, .d = 1, .z = z, .group = RECON_SO2, .poses = &away };
    for (int c = 0; c < 4; c++) {
        recon_normalize_options o = c % 2 ? neighbors(FEW) : components(1);
        o.knn.metric = RECON_EUCLIDEAN;
        o.family = RECON_SO2_UNIFORM;
        if (c == 2)
            e.group = q.group = RECON_SO3, e.poses = (const double *)so3,
            q.poses = (const double *)&half_turn;
        recon_frames f = normalize(*state, &e, &q, o);
        double share = 1.0 / (FEW + 2);
        CHECK_NEAR(f.score[0], -log(c < 2 ? share / (2 * M_PI) : share), 1e-3);
        recon_frames_free(&f);
    }
}

static void expect_family(recon_ctx *ctx, const data *w, recon_normalize_options o, int want,
                          int or_this)
{
    recon_embedded e = view(w, RECON_SO2, N), some = view(w, RECON_SO2, 48);
    o.family = RECON_SO2_AUTO;
    recon_frames f = normalize(ctx, &e, &some, o);
    assert_true(f.family == want || f.family == or_this);
    recon_frames_free(&f);
}

static void auto_takes_the_family_of_the_data(void **state)
{
    data *uniform = make_data(1.2, UNIFORM, 0.05), *normal = make_data(0.4, NORMAL, 0.05);
    const recon_normalize_options how[] = { neighbors(K), components(0.5) };
    for (int i = 0; i < 2; i++) {
        expect_family(*state, uniform, how[i], RECON_SO2_UNIFORM, RECON_SO2_UNIFORM);
        expect_family(*state, normal, how[i], RECON_SO2_NORMAL, RECON_SO2_VONMISES);
    }
    free(uniform);
    free(normal);
}

/* --- laws ------------------------------------------------------------------------------------- */

static void rotate_right(data *w, double h2, recon_so3 h3)
{
    for (size_t i = 0; i < N; i++) {
        w->so2[i] = recon_so2_compose(w->so2[i], h2);
        w->so3[i] = recon_so3_compose(w->so3[i], h3);
    }
}

static void expect_same_numbers(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(a[i], b[i], 1e-9 * fmax(1, fabs(b[i])));
}

/* Everything but Gamma. */
static void expect_same_answer(const recon_frames *a, const recon_frames *b)
{
    assert_int_equal(a->family, b->family);
    for (size_t i = 0; i < a->rows; i++)
        CHECK_NEAR(pose_distance(a->group, a->absolute, i, b->absolute, i), 0, 1e-9);
    for (size_t i = 0; i < a->rows * a->k; i++)
        CHECK_NEAR(pose_distance(a->group, a->normalized, i, b->normalized, i), 0, 1e-9);
    expect_same_numbers(a->theta, b->theta, a->rows);
    expect_same_numbers(a->parameters, b->parameters, a->rows * a->parameters_width);
    expect_same_numbers(a->score, b->score, a->rows); /* Proposition 2 */
    expect_same_numbers(a->identifiability, b->identifiability, a->rows * a->identifiability_width);
}

/* The canonical pose is the backbone's whim: another one, psi' = psi h, changes Gamma and nothing
 * else. */
static void right_translation_moves_gamma_alone(void **state)
{
    recon_rng r = recon_rng_new(3, 0);
    const double h2 = recon_so2_haar(&r);
    const recon_so3 h3 = recon_so3_haar(&r);
    for (int c = 0; c < 4; c++) {
        const recon_group *group = c % 2 ? RECON_SO3 : RECON_SO2;
        recon_normalize_options o = c < 2 ? neighbors(25) : components(0.5);
        data *w = make_data(0.3, NORMAL, 0.05);
        recon_embedded e = view(w, group, N);
        recon_frames a = normalize(*state, &e, NULL, o);
        rotate_right(w, h2, h3);
        recon_frames b = normalize(*state, &e, NULL, o);
        for (size_t i = 0; i < N; i++)
            CHECK_NEAR(group == RECON_SO2
                           ? recon_so2_distance(recon_so2_compose(a.gamma[i], h2), b.gamma[i])
                           : recon_so3_distance(recon_so3_compose(recon_so3_at(a.gamma, i), h3),
                                                recon_so3_at(b.gamma, i)),
                       0, 1e-9);
        expect_same_answer(&a, &b);
        recon_frames_free(&a);
        recon_frames_free(&b);
        free(w);
    }
}

/* W1 between the absolute poses of a class and samples of the true mu: the mean over a few classes.
 * Pose noise is on the left, where the true pose is. */
static double recovery_error(recon_ctx *ctx, const recon_group *group, size_t n, double noise,
                             uint64_t offset)
{
    enum { MOST = 96, REPEATS = 6 };
    static const float z[MOST] = { 0 };
    double sum = 0;
    assert_true(n <= MOST);
    for (uint64_t repeat = 0; repeat < REPEATS; repeat++) {
        double so2[MOST], true2[MOST], d2, c2, w1;
        recon_so3 so3[MOST], true3[MOST], d3, c3;
        recon_rng r = recon_rng_new(4, repeat), o = recon_rng_new(5, offset);
        c2 = recon_so2_haar(&o);
        c3 = recon_so3_haar(&o);
        for (size_t i = 0; i < n; i++) {
            draw(&true2[i], &true3[i], 0.8, UNIFORM, &r);
            draw(&so2[i], &so3[i], 0.8, UNIFORM, &r);
            draw(&d2, &d3, noise, NORMAL, &r);
            so2[i] = recon_so2_compose(recon_so2_compose(d2, so2[i]), c2);
            so3[i] = recon_so3_compose(recon_so3_compose(d3, so3[i]), c3);
        }
        recon_embedded e = { .n = n,
                             .d = 1,
                             .z = z,
                             .group = group,
                             .poses = group == RECON_SO2 ? so2 : (const double *)so3 };
        recon_normalize_options all = components(1);
        all.knn.metric = RECON_EUCLIDEAN;
        recon_frames f = normalize(ctx, &e, NULL, all);
        assert_int_equal(f.classes, 1);
        CHECK_OK(ctx,
                 group == RECON_SO2
                     ? recon_so2_wasserstein(ctx, &w1, f.absolute, true2, n, n, 1)
                     : recon_so3_wasserstein(ctx, &w1, (const recon_so3 *)f.absolute, true3, n, 1));
        recon_frames_free(&f);
        sum += w1;
    }
    return sum / REPEATS;
}

static void proposition_1_the_distribution_is_recovered(void **state)
{
    for (int g = 0; g < 2; g++) {
        const recon_group *group = groups[g];
        double few = recovery_error(*state, group, 6, 0, 0);
        double more = recovery_error(*state, group, 24, 0, 0);
        double many = recovery_error(*state, group, 96, 0, 0);
        CHECK_LESS(more, 0.9 * few);
        CHECK_LESS(many, 0.9 * more);
        double loud = recovery_error(*state, group, 96, 0.8, 0);
        double soft = recovery_error(*state, group, 96, 0.4, 0);
        CHECK_LESS(soft, 0.8 * loud);
        CHECK_LESS(many, 0.9 * soft);
        for (uint64_t offset = 1; offset < 4; offset++)
            CHECK_NEAR(recovery_error(*state, group, 24, 0, offset), more, 1e-9);
    }
}

static void expect_same_bits(const recon_frames *a, const recon_frames *b)
{
    size_t rows = a->rows, k = a->k;
    assert_true(rows == b->rows && k == b->k && a->classes == b->classes);
    assert_int_equal(a->family, b->family);
    if (k)
        assert_memory_equal(a->neighbors, b->neighbors, rows * k * sizeof *a->neighbors);
    else
        assert_memory_equal(a->class_of, b->class_of, rows * sizeof *a->class_of);
    const double *p[] = { a->gamma, a->absolute, a->normalized };
    const double *q[] = { b->gamma, b->absolute, b->normalized };
    for (size_t i = 0; i < (k ? 3 : 2); i++) {
        size_t n = i < 2 ? rows : rows * k;
        assert_memory_equal(p[i], q[i], n * a->group->numbers * sizeof(double));
    }
    assert_memory_equal(a->theta, b->theta, rows * sizeof(double));
    assert_memory_equal(a->parameters, b->parameters, rows * a->parameters_width * sizeof(double));
    assert_memory_equal(a->verdict, b->verdict, rows);
    assert_memory_equal(a->score, b->score, rows * sizeof(double));
    assert_memory_equal(a->identifiability, b->identifiability,
                        rows * a->identifiability_width * sizeof(double));
    assert_memory_equal(a->modes, b->modes,
                        rows * RECON_FRAME_MODES * a->modes_width * sizeof(double));
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    data *w = make_data(0.6, UNIFORM, 0.2);
    (void)state;
    for (int c = 0; c < 4; c++) {
        recon_embedded e = view(w, c % 2 ? RECON_SO3 : RECON_SO2, N);
        recon_frames f[3];
        for (int t = 0; t < 3; t++) {
            recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 + 2 * t });
            f[t] = normalize(ctx, &e, NULL, c < 2 ? neighbors(25) : components(0.6));
            recon_ctx_free(ctx);
        }
        for (int t = 1; t < 3; t++) {
            expect_same_bits(&f[t], &f[0]);
            assert_memory_equal(f[t].p, f[0].p, N * sizeof(double));
        }
        for (int t = 0; t < 3; t++)
            recon_frames_free(&f[t]);
    }
    free(w);
}

/* --- classes ---------------------------------------------------------------------------------- */

static void a_query_that_is_a_point_gets_the_points_answer(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    for (int c = 0; c < 4; c++) {
        recon_embedded e = view(w, c % 2 ? RECON_SO3 : RECON_SO2, N);
        recon_normalize_options o = c < 2 ? neighbors(10) : components(0.5);
        recon_frames asked = normalize(*state, &e, &e, o); /* a search knows no self */
        o.knn.include_self = 1;                            /* components have it anyway */
        recon_frames own = normalize(*state, &e, NULL, o);
        expect_same_bits(&asked, &own);
        for (size_t i = 0; c < 2 && i < N; i++)
            assert_int_equal(own.neighbors[i * 10], i);
        recon_frames_free(&own);
        recon_frames_free(&asked);
    }
    free(w);
}

static void a_point_is_not_its_own_neighbor_unless_asked(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_frames f = normalize(*state, &e, NULL, neighbors(10));
    for (size_t i = 0; i < N * 10; i++)
        assert_true((size_t)f.neighbors[i] != i / 10);
    recon_frames_free(&f);
    free(w);
}

static void components_share_one_gamma(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    for (int g = 0; g < 2; g++) {
        const recon_group *group = groups[g];
        recon_embedded e = view(w, group, N);
        recon_frames f = normalize(*state, &e, NULL, components(0.5));
        assert_int_equal(f.classes, CLASSES);
        assert_true(f.k == 0 && !f.neighbors && !f.normalized);
        CHECK_NEAR(f.hit_rate, 1, 0);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(f.class_of[i], w->label[i]); /* counted by their first rows */
            assert_true(pose_distance(group, f.gamma, i, f.gamma, i % CLASSES) == 0);
        }
        recon_frames_free(&f);
    }
    free(w);
}

static void a_query_far_from_all_is_of_no_class(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    const float z[2 * D] = { -1, -1, -1, -1, 1, 1, 1, 1, /* and one of the first class: */ 1 };
    const double so2[] = { 0, 0 };
    const recon_so3 so3[] = { { 1, 0, 0, 0 }, { 1, 0, 0, 0 } };
    const int64_t label[] = { 0, 0 };
    for (int g = 0; g < 2; g++) {
        const recon_group *group = groups[g];
        recon_embedded e = view(w, group, N);
        recon_embedded q = { .n = 2, .d = D, .z = z, .labels = label };
        q.group = group;
        q.poses = group == RECON_SO2 ? so2 : (const double *)so3;
        recon_frames f = normalize(*state, &e, &q, components(0.5));
        assert_int_equal(f.class_of[0], -1);
        assert_int_equal(f.class_of[1], 0);
        assert_true(isnan(group == RECON_SO2 ? f.gamma[0] : recon_so3_at(f.gamma, 0).w));
        assert_true(isnan(group == RECON_SO2 ? f.absolute[0] : recon_so3_at(f.absolute, 0).w));
        assert_true(isnan(f.theta[0]) && isnan(f.score[0]) && isnan(f.identifiability[0]));
        assert_true(isfinite(f.score[1]));
        assert_int_equal(f.outside, 1);
        CHECK_NEAR(f.hit_rate, 1, 0); /* over the rows that have a class */
        recon_frames_free(&f);
    }
    free(w);
}

static void a_class_of_one_says_nothing(void **state)
{
    const float z[] = { 1, 0, 0, 1, 0, 1 };
    const double so2[] = { 0.3, 1, 1.1 };
    recon_embedded e = { .n = 3, .d = 2, .z = z, .group = RECON_SO2, .poses = so2 };
    recon_frames f = normalize(*state, &e, NULL, components(0.1));
    assert_int_equal(f.classes, 2);
    assert_int_equal(f.singles, 1);
    CHECK_NEAR(f.background[0], 1, 0);
    CHECK_NEAR(f.score[0], log(2 * M_PI), 1e-12); /* the uniform distribution's */
    assert_true(f.background[1] < 1);
    recon_frames_free(&f);
    CHECK_FAILS(*state, recon_normalize(*state, &f, &e, NULL, NULL), RECON_ERR_INPUT,
                "options are needed");
}

/* A query half as far again as eps is outside, one half as far is not: to any eps that single
 * precision embeddings can tell, though their similarity no longer can. */
static void a_query_is_measured_like_the_points(void **state)
{
    const float z[] = { 1, 0 };
    const double so2[] = { 0, 0 };
    for (double eps = 0.1; eps > 1e-7; eps /= 10) {
        const float zq[] = { 1, (float)(0.5 * eps), 1, (float)(1.5 * eps) };
        recon_embedded e = { .n = 1, .d = 2, .z = z, .group = RECON_SO2, .poses = so2 };
        recon_embedded q = { .n = 2, .d = 2, .z = zq, .group = RECON_SO2, .poses = so2 };
        recon_frames f = normalize(*state, &e, &q, components(eps));
        assert_int_equal(f.class_of[0], 0);
        assert_int_equal(f.class_of[1], -1);
        recon_frames_free(&f);
    }
}

static double cosine(const float *a, const float *b)
{
    double ab = 0, aa = 0, bb = 0;
    for (size_t c = 0; c < D; c++) {
        ab += (double)a[c] * (double)b[c];
        aa += (double)a[c] * (double)a[c];
        bb += (double)b[c] * (double)b[c];
    }
    return ab / sqrt(aa * bb);
}

/* A point is among the k nearest of i when fewer than k others are nearer. */
static double brute_hit_rate(const data *w, size_t k)
{
    size_t hits = 0;
    for (size_t i = 0; i < N; i++) {
        double c[N];
        for (size_t j = 0; j < N; j++)
            c[j] = cosine(w->z + i * D, w->z + j * D);
        for (size_t j = 0; j < N; j++) {
            size_t nearer = 0;
            for (size_t m = 0; m < N; m++)
                nearer += m != i && c[m] > c[j];
            hits += j != i && nearer < k && w->label[i] == w->label[j];
        }
    }
    return (double)hits / (double)(N * k);
}

static void hit_rate_is_the_share_of_neighbors_of_the_label(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.4);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_frames f = normalize(*state, &e, NULL, neighbors(7));
    CHECK_LESS(f.hit_rate, 0.95); /* the classes do overlap */
    CHECK_NEAR(f.hit_rate, brute_hit_rate(w, 7), 1e-12);
    recon_frames_free(&f);
    e.labels = NULL;
    f = normalize(*state, &e, NULL, neighbors(7));
    assert_true(isnan(f.hit_rate));
    recon_frames_free(&f);
    free(w);
}

/* --- edges ------------------------------------------------------------------------------------ */

static void one_point_is_its_own_class(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    for (int c = 0; c < 4; c++) {
        const recon_group *group = c % 2 ? RECON_SO3 : RECON_SO2;
        recon_embedded e = view(w, group, 1);
        recon_normalize_options o = c < 2 ? neighbors(1) : components(0.5);
        o.knn.include_self = 1;
        recon_frames f = normalize(*state, &e, NULL, o);
        assert_int_equal(f.classes, 1);
        CHECK_NEAR(group == RECON_SO2 ? f.absolute[0]
                                      : recon_so3_angle(recon_so3_at(f.absolute, 0)),
                   0, 1e-9);
        assert_true(isfinite(f.score[0]));
        recon_frames_free(&f);
    }
    free(w);
}

static void refuse(recon_ctx *ctx, const recon_embedded *e, const recon_embedded *queries,
                   recon_normalize_options o, const char *text)
{
    recon_frames f;
    CHECK_FAILS(ctx, recon_normalize(ctx, &f, e, queries, &o), RECON_ERR_INPUT, text);
    assert_true(f.rows == 0 && !f.gamma && !f.theta); /* nothing to free */
}

static void bad_input_is_named(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO2, N), q = view(w, RECON_SO3, 3), bad = e;
    refuse(*state, &e, NULL, neighbors(0), "k is 0");
    refuse(*state, &e, NULL, neighbors(N), "k = 480, but a point has only 479");
    refuse(*state, &e, NULL, neighbors(SIZE_MAX / 16), "but there are only 480 points");
    refuse(*state, &e, &e, neighbors(N + 1), "k = 481");
    refuse(*state, &e, NULL, components(0), "eps = 0");
    refuse(*state, &e, &q, neighbors(5), "queries have poses in SO(3), the embeddings in SO(2)");
    bad.group = NULL;
    refuse(*state, &bad, NULL, neighbors(5), "poses of a group are needed");
    bad = e, bad.poses = NULL;
    refuse(*state, &bad, NULL, neighbors(5), "z and poses are needed");
    bad = e, bad.n = 0;
    refuse(*state, &bad, NULL, neighbors(5), "embeddings are empty: 0 x 8");
    refuse(*state, &e, &bad, neighbors(5), "queries are empty: 0 x 8");
    refuse(*state, &bad, NULL, components(0.5), "embeddings are empty: 0 x 8");
    bad = e, bad.n = 1;
    refuse(*state, &bad, NULL, neighbors(1), "only 0 possible neighbours");
    bad = e, bad.d = 4, bad.n = 2 * N;
    bad.n = N;
    refuse(*state, &e, &bad, neighbors(5), "queries have 4 columns, the embeddings 8");
    free(w);
}

static void bad_values_are_named(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05), *good = make_data(0.3, NORMAL, 0.05);
    recon_embedded so2 = view(w, RECON_SO2, N), so3 = view(w, RECON_SO3, N);
    recon_embedded index = view(good, RECON_SO2, N);
    w->so2[17] = NAN;
    refuse(*state, &so2, NULL, neighbors(5), "pose 17 is nan (poses of the embeddings)");
    refuse(*state, &index, &so2, neighbors(5), "pose 17 is nan (poses of the queries)");
    w->so2[17] = INFINITY;
    refuse(*state, &so2, NULL, components(0.5), "pose 17 is inf");
    w->so2[17] = 0;
    w->so3[3].x = NAN;
    refuse(*state, &so3, NULL, neighbors(5), "rotation 3");
    w->so3[3] = (recon_so3){ 2, 0, 0, 0 };
    refuse(*state, &so3, NULL, neighbors(5), "length 2, not 1 (poses of the embeddings)");
    w->z[5 * D + 2] = INFINITY;
    refuse(*state, &so2, NULL, neighbors(5), "embeddings: row 5, column 2 is inf");
    refuse(*state, &index, &so2, neighbors(5), "queries: row 5, column 2 is inf");
    refuse(*state, &so2, NULL, components(0.5), "row 5, column 2 is inf");
    memset(w->z + 5 * D, 0, D * sizeof *w->z);
    refuse(*state, &so2, NULL, neighbors(5), "row 5 is the zero vector");
    free(w);
    free(good);
}

static void an_interrupt_ends_it(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO3, N);
    recon_normalize_options o = neighbors(10);
    recon_frames f;
    recon_ctx_interrupt(*state);
    CHECK_FAILS(*state, recon_normalize(*state, &f, &e, NULL, &o), RECON_ERR_INTERRUPTED,
                "interrupted");
    recon_ctx_resume(*state);
    f = normalize(*state, &e, NULL, o);
    recon_frames_free(&f);
    free(w);
}

/* Nothing but the p-values of queries differs, which are then tails: a second search is saved. */
static void queries_may_do_with_tails(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    recon_embedded e = view(w, RECON_SO2, 300), q = view(w, RECON_SO2, 40);
    recon_normalize_options o = neighbors(6);
    recon_frames whole = normalize(*state, &e, &q, o), tails;
    size_t differ = 0;
    o.only_tails = 1;
    tails = normalize(*state, &e, &q, o);
    for (size_t i = 0; i < whole.rows; i++) {
        CHECK_NEAR(tails.gamma[i], whole.gamma[i], 0);
        CHECK_NEAR(tails.score[i], whole.score[i], 0);
        assert_true(tails.p[i] >= 0 && tails.p[i] <= 1);
        differ += tails.p[i] != whole.p[i];
    }
    assert_true(differ > 0);
    recon_frames_free(&whole);
    recon_frames_free(&tails);
    free(w);
}

/* Queries are worked on in blocks, and so is the gauge: each has the row that it has among a few. */
static void queries_in_any_number_have_their_rows(void **state)
{
    enum { BLOCK = RECON_BLOCK_NORMALIZE, FEW = 100, MOST = BORDER_MOST(BLOCK) };
    data *w = make_data(0.3, NORMAL, 0.05);
    float z[MOST * D];
    recon_so3 pose[MOST], want[MOST];
    double score[MOST];
    recon_embedded e = view(w, RECON_SO3, 60),
                   q = { .d = D, .group = RECON_SO3, .poses = (const double *)pose };
    recon_normalize_options o = neighbors(6);
    assert_int_equal(BLOCK, RECON_BLOCK_GAUGE);
    o.only_tails = 1;
    for (size_t i = 0; i < MOST; i++) {
        pose[i] = w->so3[i * 7 % N];
        memcpy(z + i * D, w->z + i * 7 % N * D, D * sizeof *z);
    }
    for (size_t at = 0; at < MOST; at += FEW) {
        q.n = MOST - at < FEW ? MOST - at : FEW, q.z = z + at * D,
        q.poses = (const double *)(pose + at);
        recon_frames f = normalize(*state, &e, &q, o);
        memcpy(score + at, f.score, q.n * sizeof *score);
        CHECK_OK(*state, recon_frames_gauge(*state, &f));
        memcpy(want + at, f.gamma, q.n * sizeof *want);
        recon_frames_free(&f);
    }
    for (int k = 0; k < BORDERS; k++) {
        q.n = border(BLOCK, k), q.z = z, q.poses = (const double *)pose;
        recon_frames f = normalize(*state, &e, &q, o);
        for (size_t i = 0; i < q.n; i++)
            CHECK_NEAR(f.score[i], score[i], 0);
        CHECK_OK(*state, recon_frames_gauge(*state, &f));
        assert_memory_equal(f.gamma, want, q.n * sizeof *want);
        recon_frames_free(&f);
    }
    free(w);
}

/* Over ranks rows are asked for in blocks; one rank has them all. */
static void collapsed_rows_are_counted_in_blocks(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_CLASSES) };
    static float z[MOST];
    static int64_t member[MOST];
    for (size_t i = 0; i < MOST; i++) {
        z[i] = (float)(i / 3);
        member[i] = i > 0 ? (int64_t)i - 1 : 1;
    }
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_CLASSES, k), count, want = 1;
        recon_embedded e = { .n = n, .d = 1, .z = z };
        recon_class_table t = { .sets = n, .k = 1, .member = member };
        for (size_t i = 1; i < n; i++)
            want += i % 3 > 0;
        for (int ranks = 0; ranks < 2; ranks++) {
            CHECK_OK(*state, recon_classes_collapsed(*state, &count, &t, &e, &e, n, ranks));
            assert_int_equal(count, want);
        }
    }
}

static recon_status normalize_once(recon_ctx *ctx, const recon_embedded *e,
                                   const recon_embedded *queries, recon_normalize_options o)
{
    recon_frames f;
    recon_status status = recon_normalize(ctx, &f, e, queries, &o);
    recon_frames_free(&f); /* harmless after a failure */
    return status;
}

static void every_allocation_may_fail(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    for (int g = 0; g < 2; g++) {
        const recon_group *group = groups[g];
        recon_embedded e = view(w, group, 40), q = view(w, group, 3);
        CHECK_ALLOCATIONS(*state, normalize_once(*state, &e, NULL, neighbors(6)));
        CHECK_ALLOCATIONS(*state, normalize_once(*state, &e, &q, neighbors(6)));
        CHECK_ALLOCATIONS(*state, normalize_once(*state, &e, &q, components(0.5)));
    }
    free(w);
}

/* --- clusters, strangers, classes of one's own ------------------------------------------------ */

/* Half of the poses are turned around: of 10 neighbours now this half is the larger, now that one. */
static void rows_of_a_cluster_choose_the_same_mode(void **state)
{
    data *w = make_data(0.2, NORMAL, 0.05);
    for (size_t i = 0; i < N; i++)
        w->so2[i] = recon_so2_compose(w->so2[i], i / CLASSES % 2 ? M_PI : 0);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_normalize_options o = neighbors(10);
    recon_frames f = normalize(*state, &e, NULL, o), asked = normalize(*state, &e, &e, o);
    o.mean.kind = RECON_MEAN_TUKEY;
    recon_frames tukey = normalize(*state, &e, NULL, o);
    size_t other = 0;
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(f.verdict[i], RECON_NATURAL_MODULO);
        assert_int_equal(f.fold[i], 2);
        CHECK_LESS(recon_so2_distance(f.gamma[i], f.gamma[i % CLASSES]), 1e-9);
        CHECK_LESS(recon_so2_distance(f.gamma[i], asked.gamma[i]), 1e-9);
        CHECK_LESS(fabs(remainder(f.gamma[i] - w->offset2[i % CLASSES], M_PI)), 0.1);
        assert_int_equal(f.verdict[i], asked.verdict[i]);
        other += recon_so2_distance(tukey.gamma[i], f.gamma[i]) > 1;
    }
    assert_true(other > N / 50); /* by their own neighbours */
    recon_frames_free(&f);
    recon_frames_free(&asked);
    recon_frames_free(&tukey);
    free(w);
}

/* Two kinds that a chain of embeddings joins: one cluster, and two natural poses. */
/* Classes of a screw, a fan, a cube and a thing: every row of a class has the group's name and the same one
 * of the equivalent centres, and its centred poses are the group's elements. */
static void symmetries_are_named_for_whole_classes(void **state)
{
    const int order[CLASSES] = { 1, 4, 24, 2 };
    const int8_t code[CLASSES] = { RECON_SYMMETRY_C1, 4, RECON_SYMMETRY_O, 2 };
    const double z[3] = { 0, 0, 1 }, diagonal[3] = { 1, 1, 1 };
    data *w = make_data(0.05, NORMAL, 0.05);
    recon_frames f;
    for (size_t i = 0; i < N; i++) {
        recon_rng r = recon_rng_new(3, i);
        size_t c = i % CLASSES;
        recon_so3 h = recon_so3_identity();
        for (int step = 0; step < 100; step++)
            h = recon_so3_compose(
                order[c] == 24 && recon_rng_below(&r, 2)
                    ? recon_so3_from_axis_angle(diagonal, 2 * M_PI / 3)
                    : recon_so3_from_axis_angle(z, (double)recon_rng_below(&r, 12) * 2 * M_PI /
                                                       (order[c] == 24 ? 4 : order[c])),
                h);
        w->so3[i] = recon_so3_compose(h, w->so3[i]); /* the noise is small: beside h or behind it */
    }
    recon_embedded e = view(w, RECON_SO3, N);
    CHECK_OK(*state,
             recon_normalize(*state, &f, &e, NULL, &(recon_normalize_options){ .knn.k = K }));
    for (size_t i = 0; i < N; i++) {
        size_t c = i % CLASSES;
        assert_int_equal(f.symmetry[i], code[c]);
        assert_int_equal(f.fold[i], order[c]);
        assert_int_equal(f.verdict[i], order[c] > 1 ? RECON_NATURAL_MODULO : RECON_NATURAL_ONE);
        if (order[c] > 1)
            assert_memory_equal(f.gamma + 4 * i, f.gamma + 4 * c, 4 * sizeof *f.gamma);
        for (size_t j = 0; order[c] == 2 && j < f.k; j++) { /* half a turn, or none */
            double angle = recon_so3_angle(recon_so3_at(f.normalized, i * f.k + j));
            assert_true(angle < 0.5 || angle > M_PI - 0.5);
        }
    }
    recon_frames_free(&f);
    free(w);
}

/* Quarter turns that each point takes by itself are a symmetry; those that all neighbours take alike are kinds. */
static void a_symmetry_that_neighbors_tell_is_none(void **state)
{
    enum { MANY = 400, FEW = 5, FOLD = 4 };
    int64_t neighbors[MANY * (FEW - 1)];
    size_t member[MANY];
    double g[2][MANY * 4];
    recon_rng rng = recon_rng_new(9, 0);
    for (int alike = 0; alike < 2; alike++) {
        size_t turn = 0, links = 0;
        for (size_t i = 0; i < MANY; i++) {
            turn = !alike || i % FEW == 0 ? recon_rng_below(&rng, FOLD) : turn;
            double angle = 2 * M_PI * (double)turn / FOLD + 0.05 * recon_rng_normal(&rng);
            const double v[3] = { 0.05 * recon_rng_normal(&rng), 0, angle };
            recon_so3 q = recon_so3_exp(v);
            member[i] = i;
            g[0][i] = recon_so2_wrap(angle);
            memcpy(g[1] + 4 * i, &q, sizeof q);
            for (size_t j = i - i % FEW; j < i - i % FEW + FEW; j++)
                if (j != i)
                    neighbors[links++] = (int64_t)j;
        }
        for (int k = 0; k < 2; k++) {
            const recon_clustering of = { .group = groups[k],
                                          .n = MANY,
                                          .k = FEW - 1,
                                          .neighbors = neighbors,
                                          .poses = { g[k] } };
            recon_center center;
            CHECK_OK(*state, recon_group_center(*state, &center, groups[k], g[k], MANY, NULL));
            CHECK_OK(*state, recon_pooled_name(*state, &center, &of, 0, member, MANY, g[k], MANY));
            assert_int_equal(center.symmetry, alike ? 0 : FOLD);
            assert_true((center.natural == RECON_NATURAL_MODULO) == !alike);
        }
    }
}

static void a_cluster_of_two_kinds_is_not_one(void **state)
{
    enum { MANY = 400 };
    static float z[MANY * 2];
    static double g[MANY];
    recon_rng rng = recon_rng_new(8, 0);
    for (size_t i = 0; i < MANY; i++) {
        double at = (double)i / MANY;
        z[2 * i] = (float)cos(at), z[2 * i + 1] = (float)sin(at);
        g[i] = recon_so2_wrap((i < MANY / 2 ? 0 : 1.5) + 0.1 * recon_rng_normal(&rng));
    }
    recon_embedded e = { .n = MANY, .d = 2, .z = z, .group = RECON_SO2, .poses = g };
    recon_frames f = normalize(*state, &e, NULL, neighbors(10));
    for (size_t i = 0; i < MANY; i++)
        if (i + 12 < MANY / 2 || i > MANY / 2 + 12) {
            assert_int_equal(f.verdict[i], RECON_NATURAL_ONE);
            CHECK_LESS(recon_so2_distance(f.gamma[i], i < MANY / 2 ? 0 : 1.5), 0.2);
        }
    recon_frames_free(&f);
}

static void similarities_and_their_p_values_are_those_of_all_pairs(void **state)
{
    data *w = make_data(0.2, NORMAL, 0.2);
    recon_embedded e = view(w, RECON_SO2, N - 80), q = view(w, RECON_SO2, 80);
    q.z += (N - 80) * D, q.poses += N - 80;
    recon_frames own = normalize(*state, &e, NULL, neighbors(5));
    recon_frames asked = normalize(*state, &e, &q, neighbors(5));
    double nearest[N];
    for (size_t i = 0; i < e.n; i++) {
        for (size_t j = 0; j < 5; j++)
            CHECK_NEAR(own.similarity[i * 5 + j],
                       cosine(e.z + i * D, e.z + own.neighbors[i * 5 + j] * D), 1e-6);
        nearest[i] = own.similarity[i * 5];
    }
    for (size_t i = 0; i < e.n + q.n; i++) {
        int is_query = i >= e.n;
        double at = is_query ? asked.similarity[(i - e.n) * 5] : nearest[i], as_far = is_query;
        for (size_t j = 0; j < e.n; j++)
            as_far += nearest[j] <= at;
        CHECK_NEAR(is_query ? asked.p_embedding[i - e.n] : own.p_embedding[i],
                   as_far / (double)(e.n + (size_t)is_query), 1e-12);
    }
    recon_frames_free(&own);
    recon_frames_free(&asked);
    free(w);
}

static void a_query_unlike_the_index_has_no_verdict(void **state)
{
    data *w = make_data(0.2, NORMAL, 0.05);
    float z[2 * D] = { 0 };
    double g[2] = { 0, w->offset2[0] };
    z[D - 1] = 1; /* where no class is */
    memcpy(z + D, w->z, D * sizeof *z);
    recon_embedded e = view(w, RECON_SO2, N),
                   q = { .n = 2, .d = D, .z = z, .group = RECON_SO2, .poses = g };
    recon_normalize_options o = neighbors(K);
    recon_frames f = normalize(*state, &e, &q, o);
    CHECK_NEAR(f.p_embedding[0], 1.0 / (N + 1), 1e-12);
    assert_int_equal(f.verdict[0], RECON_NATURAL_UNSURE);
    assert_int_equal(f.fold[0], 0);
    assert_int_equal(f.verdict[1], RECON_NATURAL_ONE);
    assert_int_equal(f.natural[RECON_NATURAL_UNSURE], 1);
    recon_frames_free(&f);
    o.only_tails = 1;
    f = normalize(*state, &e, &q, o);
    assert_null(f.p_embedding);
    recon_frames_free(&f);
    free(w);
}

/* Classes of 2, 3 ... 30 rows; copies, and one class alone, are no reason to cut a list. */
static void a_small_class_borrows_no_strangers(void **state)
{
    enum { MOST = 30, ROWS = MOST * (MOST + 1) / 2 - 1, WIDE = 24, NEAR = 12 };
    static float z[ROWS * WIDE];
    static double g[ROWS];
    static size_t size[ROWS];
    for (int alone = 0; alone < 2; alone++) {
        size_t row = 0, right = 0;
        for (size_t c = 2; c <= MOST; c++) {
            recon_rng rng = recon_rng_new(21, alone ? 0 : c), each = recon_rng_new(22, c);
            float center[WIDE];
            for (size_t j = 0; j < WIDE; j++)
                center[j] = (float)recon_rng_normal(&rng);
            for (size_t i = 0; i < c; i++, row++) {
                size[row] = alone ? ROWS : c;
                g[row] = recon_so2_wrap((double)c + 0.1 * recon_rng_normal(&each));
                for (size_t j = 0; j < WIDE; j++)
                    z[row * WIDE + j] =
                        center[j] + (float)((alone ? 2 : 0.2) * recon_rng_normal(&each));
                if (alone && i == 1) /* every class has a copy */
                    memcpy(z + row * WIDE, z + (row - 1) * WIDE, WIDE * sizeof *z);
            }
        }
        recon_embedded e = { .n = ROWS, .d = WIDE, .z = z, .group = RECON_SO2, .poses = g };
        recon_frames f = normalize(*state, &e, NULL, neighbors(NEAR));
        for (size_t i = 0; i < ROWS; i++)
            right += f.members[i] == (int64_t)(size[i] > NEAR ? NEAR : size[i] - 1);
        assert_int_equal(right, ROWS);
        for (size_t i = 2; i < 5 && !alone; i++) /* the class of three: the mean of the other two */
            CHECK_NEAR(f.gamma[i], (g[2] + g[3] + g[4] - g[i]) / 2, 1e-9);
        recon_frames_free(&f);
    }
}

static void classes_may_be_given(void **state)
{
    data *w = make_data(0.3, NORMAL, 0.05);
    int64_t class_of[N];
    for (size_t i = 0; i < N; i++) /* none for every tenth, else 7, 14 ... */
        class_of[i] = i % 10 == 9 ? -3 : 7 * (int64_t)(i % CLASSES + 1);
    recon_embedded e = view(w, RECON_SO2, N);
    recon_normalize_options o = { .classes = RECON_CLASSES_GIVEN, .class_of = class_of };
    recon_frames f = normalize(*state, &e, NULL, o), asked = normalize(*state, &e, &e, o);
    double poses[N];
    for (int64_t c = 0; c < CLASSES; c++) {
        recon_so2_center center;
        size_t n = 0;
        for (size_t i = 0; i < N; i++)
            if (class_of[i] == 7 * (c + 1))
                poses[n++] = w->so2[i];
        CHECK_OK(*state, recon_so2_mean(*state, &center, poses, n, NULL));
        for (size_t i = 0; i < N; i++)
            if (class_of[i] == 7 * (c + 1)) {
                CHECK_NEAR(f.gamma[i], center.mean, 1e-12);
                CHECK_NEAR(asked.gamma[i], center.mean, 1e-12);
            }
    }
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(f.class_of[i], class_of[i] < 0 ? -1 : class_of[i]);
        assert_true(class_of[i] >= 0 || (isnan(f.gamma[i]) && f.verdict[i] == -1));
    }
    assert_int_equal(f.outside, N / 10);
    assert_int_equal(f.classes, CLASSES);
    assert_null(f.similarity);
    recon_frames_free(&f);
    recon_frames_free(&asked);
    for (size_t i = 0; i < N; i++)
        class_of[i] = -1;
    CHECK_FAILS(*state, recon_normalize(*state, &f, &e, NULL, &o), RECON_ERR_INPUT,
                "no row has a class");
    o.class_of = NULL;
    CHECK_FAILS(*state, recon_normalize(*state, &f, &e, NULL, &o), RECON_ERR_INPUT,
                "classes that are given need class_of");
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gamma_is_the_offset_of_the_class),
        cmocka_unit_test(rows_have_verdicts_modes_and_p_values),
        cmocka_unit_test(pooled_poses_tell_more),
        cmocka_unit_test(collapsed_embeddings_are_counted),
        cmocka_unit_test(absolute_pose_and_normalized_poses_follow_from_gamma),
        cmocka_unit_test(theta_is_the_width_of_the_distribution),
        cmocka_unit_test(theta_is_the_fisher_matrix),
        cmocka_unit_test(a_mixture_has_parts_in_rows),
        cmocka_unit_test(no_pose_is_impossible),
        cmocka_unit_test(auto_takes_the_family_of_the_data),
        cmocka_unit_test(right_translation_moves_gamma_alone),
        cmocka_unit_test(proposition_1_the_distribution_is_recovered),
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(a_query_that_is_a_point_gets_the_points_answer),
        cmocka_unit_test(a_point_is_not_its_own_neighbor_unless_asked),
        cmocka_unit_test(components_share_one_gamma),
        cmocka_unit_test(a_query_far_from_all_is_of_no_class),
        cmocka_unit_test(a_class_of_one_says_nothing),
        cmocka_unit_test(a_query_is_measured_like_the_points),
        cmocka_unit_test(hit_rate_is_the_share_of_neighbors_of_the_label),
        cmocka_unit_test(one_point_is_its_own_class),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(an_interrupt_ends_it),
        cmocka_unit_test(queries_may_do_with_tails),
        cmocka_unit_test(queries_in_any_number_have_their_rows),
        cmocka_unit_test(collapsed_rows_are_counted_in_blocks),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(rows_of_a_cluster_choose_the_same_mode),
        cmocka_unit_test(symmetries_are_named_for_whole_classes),
        cmocka_unit_test(a_symmetry_that_neighbors_tell_is_none),
        cmocka_unit_test(a_cluster_of_two_kinds_is_not_one),
        cmocka_unit_test(similarities_and_their_p_values_are_those_of_all_pairs),
        cmocka_unit_test(a_query_unlike_the_index_has_no_verdict),
        cmocka_unit_test(a_small_class_borrows_no_strangers),
        cmocka_unit_test(classes_may_be_given),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
