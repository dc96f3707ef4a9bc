/* test_group.c - the table: laws that every group keeps, groups by name, and that none is taken for another. */
#include "check.h"

#include <recon/recon.h>

enum { K = 60, TRIES = 40, FIT = 4096 };

static const char *const names[] = { "so2", "so3", "c2", "c5", "t2", "t3", "t16" };
enum { GROUPS = sizeof names / sizeof *names };

static const recon_group *find(recon_ctx *ctx, const char *name)
{
    const recon_group *group;
    CHECK_OK(ctx, recon_group_find(ctx, &group, name));
    assert_string_equal(group->name, name);
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
        const recon_group *g = find(*state, names[i]);
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

/* Two elements of three are at m, the others close to it or anywhere. */
static void draw(const recon_group *g, double *poses, const double *m, recon_rng *rng)
{
    for (size_t i = 0; i < K; i++) {
        double near[RECON_NUMBERS_MAX] = { 0 }, v[RECON_NUMBERS_MAX];
        g->identity(g, near);
        for (size_t j = 0; j < g->dimension; j++)
            v[j] = 0.1 * recon_rng_normal(rng);
        if (g->exp)
            g->exp(g, near, v);
        else if (i % 3 == 0)
            g->haar(g, near, rng);
        g->compose(g, poses + i * g->numbers, near, m);
    }
}

static void centers_follow_a_translation_on_the_right(void **state)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, names[i]);
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
        CHECK_NEAR(apart(g, after.mean, moved), 0, 1e-6);
        assert_int_equal(after.natural, center.natural);
    }
}

static void spread_poses_have_no_center(void **state)
{
    for (size_t i = 0; i < GROUPS; i++) {
        const recon_group *g = find(*state, names[i]);
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
        const recon_group *g = find(*state, names[i]);
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
        CHECK_NEAR(g->tail(g, fit, b, one), 1, 1e-2);
        CHECK_NEAR(g->score(g, fit, 1, far), g->uniform, 1e-9);
    }
}

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
    CHECK_FAILS(*state, recon_group_find(*state, &group, "se3"), RECON_ERR_INPUT,
                "no group 'se3': so2, so3, ");
    assert_null(group);
    assert_true(find(*state, "c5") == find(*state, "c5"));
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
        cmocka_unit_test(an_element_is_told_by_many_poses),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(a_table_that_lacks_something_is_refused),
        cmocka_unit_test(a_group_without_heads_is_for_normalize_alone),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
