/* test_group.c - the table: laws that every group keeps, groups by name, and that none is taken for another. */
#include "group/groups.h"

enum { K = 60, TRIES = 40, FIT = 8192 };

/* One group at a time. */
static const recon_group *find(recon_ctx *ctx, const char *name)
{
    static recon_group_run run;
    const recon_group *group = group_of(ctx, &run, name);
    assert_true(group->numbers <= RECON_NUMBERS_MAX && group->fit_size <= FIT);
    return group;
}

static double apart(const recon_group *g, const double *a, const double *b)
{
    return g->distance(g, a, b);
}

static void they_are_groups(void **state)
{
    recon_rng rng = recon_rng_new(1, 0);
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, group_names[i]);
        double one[RECON_NUMBERS_MAX], a[RECON_NUMBERS_MAX], b[RECON_NUMBERS_MAX],
            c[RECON_NUMBERS_MAX], x[RECON_NUMBERS_MAX], y[RECON_NUMBERS_MAX];
        g->identity(g, one);
        for (int t = 0; t < TRIES; t++) {
            g->haar(g, a, &rng);
            g->haar(g, b, &rng);
            g->haar(g, c, &rng);
            CHECK_OK(*state, g->check(*state, g, a, 1));
            g->compose(g, x, a, one);
            CHECK_NEAR(apart(g, x, a), 0, 1e-9);
            g->inverse(g, x, a);
            g->compose(g, x, x, a);
            CHECK_NEAR(g->length(g, x), 0, 1e-7);
            g->compose(g, x, a, b);
            g->compose(g, x, x, c);
            g->compose(g, y, b, c);
            g->compose(g, y, a, y);
            CHECK_NEAR(apart(g, x, y), 0, 1e-7);
            CHECK_NEAR(apart(g, a, one), g->length(g, a), 1e-9);
            g->compose(g, x, a, c);
            g->compose(g, y, b, c);
            CHECK_NEAR(apart(g, x, y), apart(g, a, b), 1e-7); /* right translation */
            if (!g->exp)
                continue;
            g->log(g, x, a);
            g->exp(g, y, x);
            CHECK_NEAR(apart(g, y, a), 0, 1e-7);
        }
    }
}

/* On a finite group two of three are at m. */
static void draw(const recon_group *g, double *poses, const double *m, recon_rng *rng)
{
    int stray;
    for (size_t i = 0; i < K; i++)
        draw_about(g, poses + i * g->numbers, m, 0.1, g->elements && i % 3 == 0, &stray, rng);
}

static void centers_follow_a_translation_on_the_right(void **state)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, group_names[i]);
        recon_rng rng = recon_rng_new(2, i);
        static double poses[K * RECON_NUMBERS_MAX], fit[FIT];
        double m[RECON_NUMBERS_MAX], h[RECON_NUMBERS_MAX], moved[RECON_NUMBERS_MAX];
        recon_center center, after;
        g->haar(g, m, &rng);
        g->haar(g, h, &rng);
        draw(g, poses, m, &rng);
        CHECK_OK(*state, g->center(*state, g, &center, fit, poses, 1, K, NULL));
        CHECK_LESS(apart(g, center.mean, m), 0.2);
        assert_int_equal(center.natural, RECON_NATURAL_ONE);
        assert_true(center.fold == 1 && center.modes >= 1 && center.mode[0].weight > 0.5);
        for (size_t j = 0; j < K; j++)
            g->compose(g, poses + j * g->numbers, poses + j * g->numbers, h);
        CHECK_OK(*state, g->center(*state, g, &after, fit, poses, 1, K, NULL));
        g->compose(g, moved, center.mean, h);
        CHECK_NEAR(apart(g, after.mean, moved), 0, 2e-8); /* acos near 1 */
        assert_int_equal(after.natural, center.natural);
    }
}

static void spread_poses_have_no_center(void **state)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, group_names[i]);
        recon_rng rng = recon_rng_new(3, i);
        static double poses[K * RECON_NUMBERS_MAX], fit[FIT];
        recon_center center;
        for (size_t j = 0; j < K; j++)
            g->haar(g, poses + j * g->numbers, &rng);
        CHECK_OK(*state, g->center(*state, g, &center, fit, poses, 1, K, NULL));
        assert_true(center.natural == RECON_NATURAL_NONE || center.natural == RECON_NATURAL_UNSURE);
    }
}

/* Near the centre a pose is likely and nothing unusual; far from it the score is higher. */
static void scores_rise_away_from_the_center(void **state)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, group_names[i]);
        recon_rng rng = recon_rng_new(4, i);
        static double poses[K * RECON_NUMBERS_MAX], fit[FIT];
        double one[RECON_NUMBERS_MAX], far[RECON_NUMBERS_MAX];
        recon_center center;
        g->identity(g, one);
        do
            g->haar(g, far, &rng);
        while (g->length(g, far) < 1);
        draw(g, poses, one, &rng);
        CHECK_OK(*state, g->center(*state, g, &center, fit, poses, 1, K, NULL));
        if (g->fit)
            CHECK_OK(*state, g->fit(*state, g, fit, poses, 1, K, g->family_count - 1));
        double b = fmax(g->background(g, fit), 0.01);
        assert_true(g->score(g, fit, b, far) > g->score(g, fit, b, one) + 1);
        assert_true(g->tail(g, fit, b, far) < g->tail(g, fit, b, one));
        CHECK_NEAR(g->tail(g, fit, b, one), 1, 0.1);
        if (isfinite(g->uniform))
            CHECK_NEAR(g->score(g, fit, 1, far), g->uniform, 1e-9);
    }
}

/* A half of the poses is another element on the left of the other half: all are modulo the subgroup of both. */
static void subgroups_and_free_directions_have_names(void **state)
{
    static const struct {
        const char *group;
        double by[2]; /* the element of order 2 */
        int symmetry;
    } halves[] = { { "o2", { 1, 1 }, RECON_SYMMETRY_D + 1 }, /* a mirror image */
                   { "d4", { 6, 0 }, RECON_SYMMETRY_D + 1 },
                   { "d4", { 2, 0 }, 2 },
                   { "c6", { 3, 0 }, 2 } };
    static double poses[K * RECON_NUMBERS_MAX], fit[FIT];
    recon_symmetry_text text;
    recon_direction_text name;
    recon_center c;
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        const recon_group *g = find(*state, halves[i].group);
        recon_rng rng = recon_rng_new(9, i);
        for (size_t j = 0; j < K; j++) {
            draw_near(g, poses + j * g->numbers, 0.1, &rng);
            if (j % 2)
                g->compose(g, poses + j * g->numbers, halves[i].by, poses + j * g->numbers);
        }
        CHECK_OK(*state, g->center(*state, g, &c, fit, poses, 1, K, NULL));
        assert_int_equal(c.natural, RECON_NATURAL_MODULO);
        assert_int_equal(c.fold, 2);
        assert_int_equal(c.symmetry, halves[i].symmetry);
    }
    assert_string_equal(recon_symmetry_name(text, RECON_SYMMETRY_D + 1), "either hand");
    static const struct {
        const char *group, *name;
        double scale; /* of the free coordinate */
        size_t which;
    } free[] = { { "r2", "any shift along y", 2, 1 },
                 { "r1*so2", "any shift", 2, 0 },
                 { "so2*scale", "any size", 2, 1 },
                 { "se3", "any shift along z", 2, 5 } };
    for (size_t i = 0; i < sizeof free / sizeof *free; i++) {
        const recon_group *g = find(*state, free[i].group);
        recon_rng rng = recon_rng_new(10, i);
        for (size_t j = 0; j < K; j++) {
            double v[RECON_NUMBERS_MAX];
            for (size_t a = 0; a < g->dimension; a++)
                v[a] = (a == free[i].which ? free[i].scale : 0.05) * recon_rng_normal(&rng);
            g->exp(g, poses + j * g->numbers, v);
        }
        CHECK_OK(*state, g->center(*state, g, &c, fit, poses, 1, K, NULL));
        assert_int_equal(c.natural, RECON_NATURAL_AXIS);
        assert_int_equal(c.free_count, 1);
        assert_string_equal(recon_direction_name(name, g, recon_direction_of(g, c.free[0])),
                            free[i].name);
    }
}

/* Poses that spin about a point of the plane, which is neither the origin nor fixed in the body. */
static void a_spin_about_a_point_is_found(void **state)
{
    const recon_group *g = find(*state, "se2");
    static double poses[K * 3], fit[FIT];
    const double at[2] = { 0.7, -1.2 }, body[2] = { 0.4, 0.9 };
    recon_rng rng = recon_rng_new(11, 0);
    recon_direction_text name;
    recon_center c;
    for (size_t j = 0; j < K; j++) {
        double to[2];
        poses[3 * j] = recon_so2_haar(&rng);
        recon_so2_act(to, poses[3 * j], body);
        for (int i = 0; i < 2; i++)
            poses[3 * j + 1 + i] = at[i] - to[i] + 0.02 * recon_rng_normal(&rng);
    }
    CHECK_OK(*state, g->center(*state, g, &c, fit, poses, 1, K, NULL));
    assert_int_equal(c.natural, RECON_NATURAL_AXIS);
    assert_int_equal(c.free_count, 1);
    assert_string_equal(recon_direction_name(name, g, recon_direction_of(g, c.free[0])),
                        "any rotation");
    CHECK_NEAR(c.free[0][1] / c.free[0][0], at[1], 0.02); /* v = -w x at */
    CHECK_NEAR(c.free[0][2] / c.free[0][0], -at[0], 0.02);
}

/* The density of a draw with respect to the measure of the group: uniform where that is compact, else rotations
 * about the identity and normal shifts. */
static double draw_known(const recon_group *g, double *out, recon_rng *rng)
{
    const double width = 1.5;
    double v[RECON_NUMBERS_MAX] = { 0 }, log_q = 0, angle = 0;
    size_t shifts = 0, spins;
    if (g->part[1]) {
        double first = draw_known(g->part[0], out, rng);
        return first + draw_known(g->part[1], out + g->part[0]->numbers, rng);
    }
    if (!recon_group_is_unbounded(g)) {
        g->haar(g, out, rng);
        return -g->uniform;
    }
    for (size_t i = 0; i < g->dimension; i++)
        shifts += g->directions[i] != 'r';
    spins = g->dimension - shifts;
    do {
        angle = 0;
        for (size_t i = 0; i < spins; i++) {
            v[i] = width * recon_rng_normal(rng);
            angle += v[i] * v[i];
        }
    } while (angle > M_PI * M_PI);
    log_q -= angle / (2 * width * width) + (double)g->dimension * log(width * sqrt(2 * M_PI));
    g->exp(g, out, v);
    for (size_t i = 0; i < shifts; i++) {
        double t = width * recon_rng_normal(rng);
        log_q -= t * t / (2 * width * width);
        out[g->numbers - shifts + i] = spins || g->directions[0] == 's' ? t : exp(t);
    }
    double half = sqrt(angle) / 2, sinc = half > 0 ? sin(half) / half : 1;
    if (spins == 1)
        log_q -= log(erf(M_PI / width / sqrt(2)));
    if (spins == 3) /* of the ball, and the Haar measure in it */
        log_q -= log(erf(M_PI / width / sqrt(2)) -
                     sqrt(2 / M_PI) * M_PI / width * exp(-M_PI * M_PI / width / width / 2)) +
                 2 * log(sinc) - log(8 * M_PI * M_PI);
    return log_q;
}

static void densities_have_a_mass_of_one(void **state)
{
    enum { DRAWS = 40000 };
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, group_names[i]);
        recon_rng rng = recon_rng_new(6, i);
        static double poses[K * RECON_NUMBERS_MAX], fit[FIT];
        double one[RECON_NUMBERS_MAX], at[RECON_NUMBERS_MAX], sum = 0, square = 0;
        recon_center center;
        int stray;
        if (g->dimension > 6) /* too many for so few draws */
            continue;
        g->identity(g, one);
        for (size_t j = 0; j < K; j++)
            draw_about(g, poses + j * g->numbers, one, 0.6, g->elements ? 0.3 : 0, &stray, &rng);
        CHECK_OK(*state, g->center(*state, g, &center, fit, poses, 1, K, NULL));
        if (g->fit)
            CHECK_OK(*state, g->fit(*state, g, fit, poses, 1, K, g->family_count > 1 ? 2 : 0));
        for (int j = 0; j < DRAWS; j++) {
            double log_q = draw_known(g, at, &rng);
            double ratio = exp(-g->score(g, fit, 0.1, at) - log_q);
            sum += ratio / DRAWS;
            square += ratio * ratio / DRAWS;
        }
        CHECK_NEAR(sum, 1, 0.01 + 4 * sqrt(square / DRAWS));
        CHECK_LESS(square, 2000); /* so that the bound says something */
    }
}

/* --- names and files -------------------------------------------------------------------------- */

/* The one number that is kept of a cyclic group's poses is the weight of the uniform part; two poses
 * that agree are too few to tell, and many are not. */
static void an_element_is_told_by_many_poses(void **state)
{
    const recon_group *g = find(*state, "c2");
    static const double same[K], one_off[K] = { 1 };
    double fit[FIT / sizeof(double)], kept;
    recon_center few, many;
    CHECK_OK(*state, g->center(*state, g, &few, fit, same, 1, 2, NULL));
    CHECK_OK(*state, g->center(*state, g, &many, fit, same, 1, K, NULL));
    assert_int_equal(few.natural, RECON_NATURAL_UNSURE);
    assert_int_equal(many.natural, RECON_NATURAL_ONE);
    CHECK_OK(*state, g->fit(*state, g, fit, one_off, 1, K, 0));
    g->parameters(g, &kept, fit);
    CHECK_NEAR(kept, 2.0 / K, 1e-12); /* half of it is at the centre */
}

static void unknown_names_are_refused(void **state)
{
    const recon_group *group;
    CHECK_FAILS(*state, recon_group_find(*state, &group, "se4"), RECON_ERR_INPUT,
                "no group 'se4': so2, so3, ");
    CHECK_FAILS(*state, recon_group_find(*state, &group, "so2*se4"), RECON_ERR_INPUT,
                "no group 'se4'");
    CHECK_FAILS(*state, recon_group_find(*state, &group, "so2*so2*so2"), RECON_ERR_INPUT,
                "no group 'so2*so2*so2'");
    CHECK_FAILS(*state, recon_group_find(*state, &group, "torus16*so2"), RECON_ERR_INPUT,
                "17 numbers a pose");
    assert_null(group);
    assert_true(find(*state, "c5") == find(*state, "c5"));
}

/* What is written is read again, and what is no element is refused with its row. */
static void files_hold_elements_alone(void **state)
{
    static const struct {
        const char *group, *message;
        size_t columns;
        double row[16];
        recon_quaternions order;
    } wrong[] = {
        { "o2", "row 1 is not orthogonal: R R^T is off by 0.002", 4, { 1.001, 0, 0, 1 }, 0 },
        { "se2", "row 1 is not a rotation: a mirror image", 9, { 1, 0, 0, 0, -1, 0, 0, 0, 1 }, 0 },
        { "se2", "row 1: the last line of its matrix has 2", 9, { 1, 0, 0, 0, 1, 0, 0, 0, 2 }, 0 },
        { "se3",
          "row 1 is not a rotation: a mirror image",
          16,
          { 1, 0, 0, 5, 0, 1, 0, 6, 0, 0, -1, 7, 0, 0, 0, 1 },
          0 },
        { "se3",
          "row 1 is not a rotation: the quaternion's length is off by 1",
          7,
          { 1, 2, 3, 2, 0, 0, 0 },
          RECON_QUATERNIONS_WXYZ },
        { "se3", "has to be stated", 7, { 1, 2, 3, 1, 0, 0, 0 }, 0 },
        { "scale", "row 1 is -2: a scale is above 0", 1, { -2 }, 0 },
        { "r2", "row 1 holds 2e+12: shifts are within", 2, { 0, 2e12 }, 0 },
        { "d3", "row 1 is 6, not one of 0 .. 5", 1, { 6 }, 0 },
        { "so2*scale", "row 1 is 0: a scale is above 0", 2, { 1, 0 }, 0 },
        { "so3*r3", "row 1 is not a rotation", 12, { 1, 0, 0, 0, 1, 0, 0, 0, 3, 1, 1, 1 }, 0 },
    };
    double out[2 * RECON_NUMBERS_MAX];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const recon_group *g = find(*state, wrong[i].group);
        size_t n = wrong[i].columns;
        double rows[32], good[RECON_NUMBERS_MAX];
        g->identity(g, good);
        recon_group_write(g, rows, good, 1);
        if (wrong[i].columns != recon_group_written(g)) /* another form of the file */
            memcpy(rows, wrong[i].row, n * sizeof *rows);
        if (wrong[i].order || (n == 9 && g->numbers == 3) || n == 7)
            memcpy(rows,
                   n == 9 ? (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }
                          : (double[]){ 0, 0, 0, 1, 0, 0, 0 },
                   n * sizeof *rows);
        memcpy(rows + n, wrong[i].row, n * sizeof *rows);
        recon_array a = {
            .dtype = RECON_F64, .ndim = n > 1 ? 2 : 1, .shape = { 2, n }, .data = rows
        };
        CHECK_FAILS(*state, recon_group_read(*state, g, out, &a, 2, wrong[i].order, "g.npy"),
                    RECON_ERR_INPUT, wrong[i].message);
    }
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, group_names[i]);
        recon_rng rng = recon_rng_new(8, i);
        recon_array a = { .dtype = RECON_F64, .ndim = 1, .shape = { 1 } };
        double pose[RECON_NUMBERS_MAX], rows[RECON_NUMBERS_MAX];
        for (int d = 0; d < 2 && g->shape[d]; d++)
            a.shape[a.ndim++] = g->shape[d];
        g->haar(g, pose, &rng);
        recon_group_write(g, rows, pose, 1);
        a.data = rows;
        CHECK_OK(*state, recon_group_read(*state, g, out, &a, 1, RECON_QUATERNIONS_NONE, "g.npy"));
        CHECK_NEAR(apart(g, out, pose), 0, 1e-7);
    }
}

static recon_group own(const char *name)
{
    recon_group group = recon_group_so3;
    group.name = name;
    group.words = "the group of the test";
    return group;
}

static void a_table_that_lacks_something_is_refused(void **state)
{
    static recon_group group;
    group = own("so2");
    CHECK_FAILS(*state, recon_group_add(*state, &group), RECON_ERR_INPUT, "'so2' already exists");
    group = own("mine");
    group.compose = NULL;
    CHECK_FAILS(*state, recon_group_add(*state, &group), RECON_ERR_INPUT, "mine: its table lacks");
    group = own("mine");
    group.numbers = RECON_NUMBERS_MAX + 1;
    CHECK_FAILS(*state, recon_group_add(*state, &group), RECON_ERR_INPUT, "1 to 16 numbers");
    group = own("mine");
    CHECK_OK(*state, recon_group_add(*state, &group));
    assert_true(find(*state, "mine") == &group);
}

/* --- a third group is not taken for one of the two -------------------------------------------- */

static void a_group_without_heads_is_for_normalize_alone(void **state)
{
    static recon_group group;
    group = own("third");
    const recon_backbone_kind kind = { .name = "third", .data = "thirds", .group = &group };
    static float z[K * 2];
    static double poses[K * 4];
    recon_embedded e = { .n = K, .d = 2, .z = z, .group = &group, .poses = poses };
    recon_embedded q = e;
    const recon_normalize_options o = { .knn.k = 10 };
    recon_frames frames;
    recon_rng rng = recon_rng_new(5, 0);
    for (size_t i = 0; i < K; i++) {
        z[2 * i] = (float)recon_rng_normal(&rng);
        z[2 * i + 1] = (float)recon_rng_normal(&rng);
        group.haar(&group, poses + 4 * i, &rng);
    }
    CHECK_OK(*state, recon_backbone_add(*state, &kind));
    CHECK_OK(*state, recon_normalize(*state, &frames, &e, NULL, &o));
    assert_true(frames.group == &group);
    group.gauge = NULL;
    CHECK_FAILS(*state, recon_frames_gauge(*state, &frames), RECON_ERR_UNSUPPORTED,
                "not for poses in the group of the test");
    recon_frames_free(&frames);
    q.group = RECON_SO3; /* as many numbers, another group */
    CHECK_FAILS(*state, recon_normalize(*state, &frames, &e, &q, &o), RECON_ERR_INPUT,
                "queries have poses in SO(3), the embeddings in the group of the test");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_groups),
        cmocka_unit_test(centers_follow_a_translation_on_the_right),
        cmocka_unit_test(spread_poses_have_no_center),
        cmocka_unit_test(scores_rise_away_from_the_center),
        cmocka_unit_test(subgroups_and_free_directions_have_names),
        cmocka_unit_test(a_spin_about_a_point_is_found),
        cmocka_unit_test(densities_have_a_mass_of_one),
        cmocka_unit_test(files_hold_elements_alone),
        cmocka_unit_test(an_element_is_told_by_many_poses),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(a_table_that_lacks_something_is_refused),
        cmocka_unit_test(a_group_without_heads_is_for_normalize_alone),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
