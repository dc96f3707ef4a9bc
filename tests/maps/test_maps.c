/* Maps of either group: they answer the same from a file, in every thread and in every run; their
 * p-values mean what they say; what makes no sense is refused. How well each group learns its truth
 * is in test_so2_maps.c and test_so3_maps.c. */
#include "borders.h"
#include "so2_world.h"
#include "so3_world.h"

#include <pthread.h>
#include <recon/nn/params.h>

static world *both[2]; /* SO(2), SO(3) */
enum { GROUPS = sizeof both / sizeof *both };

static void check_same_so2(const recon_so2_map *a, const recon_so2_map *b)
{
    CHECK_NEAR(a->lambda, b->lambda, 0);
    CHECK_NEAR(a->theta, b->theta, 0);
    CHECK_NEAR(a->theta_label, b->theta_label, 0);
    CHECK_NEAR(a->midpoint, b->midpoint, 0);
    CHECK_NEAR(a->half_width, b->half_width, 0);
    assert_int_equal(a->family, b->family);
    assert_memory_equal(a->density.part, b->density.part, sizeof a->density.part);
}

static void check_same_so3(const recon_so3_map *a, const recon_so3_map *b)
{
    CHECK_NEAR(recon_so3_distance(a->lambda, b->lambda), 0, 0);
    CHECK_NEAR(recon_so3_distance(a->lambda_label, b->lambda_label), 0, 0);
    assert_memory_equal(a->theta, b->theta, sizeof a->theta);
    assert_memory_equal(a->theta_label, b->theta_label, sizeof a->theta_label);
    assert_memory_equal(a->support, b->support, sizeof a->support);
    CHECK_NEAR(a->background, b->background, 0);
    CHECK_NEAR(a->density.log_constant, b->density.log_constant, 0);
    assert_int_equal(a->free, b->free);
}

static void check_same(const world *w, const void *a, const void *b)
{
    for (size_t i = 0; i < w->test; i++)
        if (w->group == RECON_SO2)
            check_same_so2((const recon_so2_map *)a + i, (const recon_so2_map *)b + i);
        else
            check_same_so3((const recon_so3_map *)a + i, (const recon_so3_map *)b + i);
}

static const void *map_at(const recon_maps *m, const void *maps, size_t i)
{
    return (const char *)maps + i * m->kind->map;
}

/* --- calibration ------------------------------------------------------------------------------ */

/* tolerance: 3 deviations of the draws held out and asked. */
static void check_p_values(recon_ctx *ctx, const world *w, double held_out, double step,
                           double tolerance)
{
    recon_maps_options o = w->quick;
    o.held_out = held_out;
    if (w->group == RECON_SO3)
        o.epochs = 40;
    recon_maps *m = fit(ctx, w, &o);
    void *map = maps_of_test(ctx, w, m);
    assert_int_equal(recon_maps_describe(m).held_out, (size_t)(held_out * (double)w->train));
    for (double share = 0.05; share < 1; share += step) {
        double threshold = recon_maps_threshold(m, share), below = 0, alarms = 0;
        for (size_t i = 0; i < w->test; i++) {
            const void *one = map_at(m, map, i), *psi = psi_of(w, w->train + i);
            below += recon_maps_p_value(m, one, psi) <= share;
            alarms += m->kind->score(one, psi) > threshold;
        }
        CHECK_LESS(below / (double)w->test, share + tolerance);
        CHECK_LESS(share - tolerance - 0.03, below / (double)w->test); /* they allow for one more */
        CHECK_NEAR(alarms / (double)w->test, share, tolerance);
    }
    double least = 1. / (1 + held_out * (double)w->train);
    assert_true(isfinite(recon_maps_threshold(m, least)));
    assert_true(isinf(recon_maps_threshold(m, 0.99 * least))); /* no p-value is so small */
    assert_true(isinf(recon_maps_threshold(m, -1)));
    free(map), recon_maps_free(ctx, m);
}

/* On fresh data p-values are uniform or a little larger, and a threshold raises as many alarms as
 * it was asked for. */
static void p_values_are_uniform(void **state)
{
    plain_build_only();
    world *normal = new_so2_world(RECON_SO2_NORMAL, PLAIN), *wrong = plain_so3_world(*state, 0.05);
    check_p_values(*state, normal, 0.3, 0.1, 0.07);
    check_p_values(*state, wrong, 0.4, 0.15, 0.13);
    free(wrong), free(normal);
}

static void poses_far_away_are_unusual(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_so2_world(RECON_SO2_NORMAL, PLAIN);
    recon_maps_options o = w->quick;
    o.held_out = 0.3;
    recon_maps *m = fit(ctx, w, &o);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    CHECK_LESS(recon_maps_p_value(m, &map[0], &(double){ w->so2[w->train] + M_PI }), 0.01);
    assert_true(isnan(recon_maps_p_value(m, &map[0], &(double){ NAN })));
    free(map), recon_maps_free(ctx, m), free(w);
}

/* --- passes ----------------------------------------------------------------------------------- */

/* Of first weights: what is asked in passes is answered as a few are. */
static void check_passes(recon_ctx *ctx, const recon_maps_kind *kind, double number, size_t block)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_MAPS), FEW = 40, WIDE = 2 };
    static float z[MOST * WIDE];
    const size_t size = kind->map;
    char *few = calloc(MOST, size), *all = calloc(MOST + 1, size);
    recon_rng rng = recon_rng_new(8, 0);
    recon_maps *m;
    CHECK_OK(ctx, recon_maps_new(ctx, &m, kind, WIDE, 3, 0, NULL, 1));
    m->number = number;
    m->scale[0] = m->scale[1] = 1;
    for (int i = 0; i < MOST * WIDE; i++)
        z[i] = (float)recon_rng_normal(&rng);
    for (size_t at = 0; at < border(block, BORDERS - 1); at += FEW)
        CHECK_OK(ctx, recon_maps_apply(ctx, few + at * size, m,
                                       &(recon_maps_inputs){ .n = MOST - at < FEW ? MOST - at : FEW,
                                                             .z = z + at * WIDE },
                                       RECON_MAPS_ALL));
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(block, k);
        memset(all, 0, (MOST + 1) * size);
        CHECK_OK(ctx, recon_maps_apply(ctx, all, m, &(recon_maps_inputs){ .n = n, .z = z },
                                       RECON_MAPS_ALL));
        for (size_t i = 0; i < n; i++) {
            const void *a = all + i * size, *b = few + i * size;
            if (kind->group == RECON_SO2)
                CHECK_NEAR(recon_so2_distance(((const recon_so2_map *)a)->lambda,
                                              ((const recon_so2_map *)b)->lambda),
                           0, 1e-5);
            else
                CHECK_NEAR(((const recon_so3_map *)a)->density.log_constant,
                           ((const recon_so3_map *)b)->density.log_constant, 1e-5);
        }
        for (size_t i = 0; i < size; i++)
            assert_int_equal(all[n * size + i], 0);
    }
    recon_maps_free(ctx, m);
    free(few);
    free(all);
}

static void any_number_is_answered_in_passes(void **state)
{
    check_passes(*state, &recon_so2_maps, RECON_SO2_NORMAL, RECON_BLOCK_MAPS);
    check_passes(*state, &recon_so3_maps, 10, RECON_BLOCK_SO3_MAPS);
}

/* A density each, its peak at another bin. */
static void densities_are_put_in_blocks(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_DENSITIES), BINS = RECON_POSE_BINS };
    static float log_q[MOST][BINS];
    recon_so2_map map[MOST + 1];
    double psi[MOST] = { 0 };
    recon_maps *m;
    CHECK_OK(*state, recon_maps_new(*state, &m, &recon_so2_maps, 2, 3, 0, NULL, 1));
    m->number = RECON_SO2_NORMAL;
    m->lambda = RECON_LAMBDA_DENSITY;
    for (int i = 0; i < MOST; i++)
        for (int b = 0; b < BINS; b++)
            log_q[i][b] = (float)(4 * cos(2 * M_PI * (b - i) / BINS));
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_DENSITIES, k);
        memset(map, 0, sizeof map);
        CHECK_OK(*state,
                 recon_maps_put_densities(*state, map, m, psi, log_q[0], n, RECON_MAPS_ALL));
        for (size_t i = 0; i < n; i++)
            CHECK_NEAR(recon_so2_distance(map[i].lambda, -2 * M_PI * (double)(i % BINS) / BINS), 0,
                       0.01);
        CHECK_NEAR(map[n].theta, 0, 0);
    }
    recon_maps_free(*state, m);
}

/* Points that repeat have the targets of the first of them. */
static void molecules_targets_are_made_in_blocks(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_SO3_FITS), PERIOD = 50, NEAR = 3 };
    static float z[MOST];
    static recon_so3 psi[MOST];
    static int64_t near[MOST * NEAR];
    static double parameters[9 * MOST];
    static int8_t verdict[MOST];
    recon_rng rng = recon_rng_new(4, 0);
    for (int i = 0; i < MOST; i++) {
        psi[i] = i < PERIOD ? recon_so3_haar(&rng) : psi[i - PERIOD];
        for (int k = 0; k < NEAR; k++)
            near[i * NEAR + k] = (i + k) % PERIOD;
        for (int k = 0; k < 9; k++)
            parameters[9 * i + k] = k;
    }
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_SO3_FITS, k);
        recon_embedded e = {
            .n = n, .d = 1, .z = z, .group = RECON_SO3, .poses = (const double *)psi
        };
        recon_frames f = { .group = RECON_SO3,
                           .rows = n,
                           .k = NEAR,
                           .neighbors = near,
                           .gamma = (double *)psi,
                           .parameters = parameters,
                           .verdict = verdict };
        recon_targets t;
        CHECK_OK(*state, recon_targets_make(*state, &t, &e, &f));
        for (size_t i = PERIOD; i < n; i++) /* Lambda and Theta as the paper learns them */
            for (int h = 0; h < 2; h++)
                assert_memory_equal(t.of[h] + 9 * i, t.of[h] + 9 * (i % PERIOD), 9 * sizeof(float));
        recon_targets_free(&t);
    }
}

/* --- files, threads, repetition --------------------------------------------------------------- */

static recon_status open_maps(recon_ctx *ctx, recon_maps **out, const char *path)
{
    recon_safetensors *file;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, path));
    recon_status status = recon_maps_read(ctx, out, file, path, NULL);
    recon_safetensors_close(file);
    return status;
}

/* With what else may be in a model's file. */
static void save_beside_others(recon_ctx *ctx, const char *path, const recon_maps *m)
{
    const recon_metadata_entry said[] = { { "model", "any" }, recon_maps_metadata(m) };
    recon_params *other;
    recon_param *param;
    size_t one = 1;
    CHECK_OK(ctx, recon_params_new(ctx, &other, RECON_SINGLE));
    CHECK_OK(ctx, recon_params_add_buffer(ctx, &param, other, "encoder.x", &one, 1, 0));
    CHECK_OK(ctx, recon_params_make(ctx, other, 0));
    const recon_params *sets[] = { other, m->params };
    CHECK_OK(ctx, recon_params_save_all(ctx, path, sets, 2, said, 2, NULL));
    recon_params_free(ctx, other);
}

static void check_saved(recon_ctx *ctx, const world *w)
{
    const char *path = scratch("maps.safetensors");
    recon_maps *m = fit(ctx, w, &w->brief), *again;
    save_beside_others(ctx, path, m);
    CHECK_OK(ctx, open_maps(ctx, &again, path));
    void *a = maps_of_test(ctx, w, m), *b = maps_of_test(ctx, w, again);
    check_same(w, a, b);
    recon_maps_info x = recon_maps_describe(m), y = recon_maps_describe(again);
    assert_true(x.group == w->group && y.group == w->group);
    assert_true(x.d == D && x.hidden == 16 && x.weights == y.weights && x.held_out == y.held_out);
    assert_int_equal(x.family, y.family);
    CHECK_NEAR(x.unit, y.unit, 0);
    CHECK_NEAR(recon_maps_p_value(again, b, psi_of(w, w->train)),
               recon_maps_p_value(m, a, psi_of(w, w->train)), 0);
    free(a), free(b), recon_maps_free(ctx, again), recon_maps_free(ctx, m);
}

static void what_is_saved_answers_the_same(void **state)
{
    for (int g = 0; g < GROUPS; g++)
        check_saved(*state, both[g]);
}

static void check_lambda(recon_ctx *ctx, const world *w)
{
    recon_maps *m = fit(ctx, w, &w->brief);
    void *all = maps_of_test(ctx, w, m), *some = calloc(w->test, m->kind->map);
    CHECK_OK(ctx, recon_maps_apply(ctx, some, m,
                                   &(recon_maps_inputs){ .n = w->test, .z = w->z[w->train] },
                                   RECON_MAPS_LAMBDA));
    for (size_t i = 0; i < w->test; i++) {
        const recon_so2_map *a = map_at(m, all, i), *b = map_at(m, some, i);
        const recon_so3_map *a3 = map_at(m, all, i), *b3 = map_at(m, some, i);
        if (w->group == RECON_SO2) {
            CHECK_NEAR(a->lambda, b->lambda, 0);
        } else {
            CHECK_NEAR(recon_so3_distance(a3->lambda, b3->lambda), 0, 0);
            assert_int_equal(a3->free, b3->free);
        }
    }
    CHECK_OK(ctx, recon_maps_apply(ctx, NULL, m, &(recon_maps_inputs){ .n = 0 }, RECON_MAPS_ALL));
    free(some), free(all), recon_maps_free(ctx, m);
}

static void lambda_alone_is_the_same(void **state)
{
    for (int g = 0; g < GROUPS; g++)
        check_lambda(*state, both[g]);
}

/* The same bits again, and with another number of threads. */
static void fits_repeat(void **state)
{
    (void)state;
    for (int g = 0; g < GROUPS; g++) {
        void *map[2];
        for (int i = 0; i < 2; i++) {
            recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 + i });
            recon_maps *m = fit(ctx, both[g], &both[g]->brief);
            map[i] = maps_of_test(ctx, both[g], m);
            recon_maps_free(ctx, m);
            recon_ctx_free(ctx);
        }
        check_same(both[g], map[0], map[1]);
        free(map[0]), free(map[1]);
    }
}

typedef struct {
    pthread_t thread;
    const world *w;
    const recon_maps *m;
    void *map;
    recon_status status;
} reader;

static void *read_maps(void *arg)
{
    reader *r = arg;
    const world *w = r->w;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    r->status =
        recon_maps_apply(ctx, r->map, r->m,
                         &(recon_maps_inputs){ .n = w->test, .z = w->z[w->train] }, RECON_MAPS_ALL);
    recon_ctx_free(ctx);
    return NULL;
}

static void check_threads(recon_ctx *ctx, const world *w)
{
    enum { READERS = 3 };
    recon_maps *m = fit(ctx, w, &w->brief);
    void *map = maps_of_test(ctx, w, m);
    reader r[READERS];
    for (int i = 0; i < READERS; i++) {
        r[i] = (reader){ .w = w, .m = m, .map = calloc(w->test, m->kind->map) };
        assert_int_equal(pthread_create(&r[i].thread, NULL, read_maps, &r[i]), 0);
    }
    for (int i = 0; i < READERS; i++) {
        pthread_join(r[i].thread, NULL);
        assert_int_equal(r[i].status, RECON_OK);
        check_same(w, r[i].map, map);
        free(r[i].map);
    }
    free(map), recon_maps_free(ctx, m);
}

static void many_threads_share_one(void **state)
{
    for (int g = 0; g < GROUPS; g++)
        check_threads(*state, both[g]);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void refuse_fit(recon_ctx *ctx, const recon_embedded *e, const recon_frames *f,
                       const recon_maps_options *o, const char *message)
{
    recon_maps *m;
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, e, f, o), RECON_ERR_INPUT, message);
    assert_null(m);
}

static void check_bad_points(recon_ctx *ctx, world *w)
{
    recon_embedded e = points(w, 100), fewer = points(w, 99), other = points(w, 100);
    recon_frames f = frames_of(ctx, w, &e, 5);
    double kept = w->z[3][2], pose = w->group == RECON_SO2 ? f.gamma[7] : f.gamma[28];
    other.group = w->group == RECON_SO2 ? RECON_SO3 : RECON_SO2;
    other.poses = w->group == RECON_SO2 ? (const double *)w->so3 : w->so2;
    refuse_fit(ctx, &fewer, &f, NULL, "frames of 100 points for 99 inputs");
    refuse_fit(ctx, &other, &f, NULL, "frames of another group than the poses'");
    refuse_fit(ctx, &e, &f, &(recon_maps_options){ .held_out = 1 }, "held out 1");
    if (w->group == RECON_SO2)
        f.gamma[7] = NAN;
    else
        f.gamma[28] = NAN;
    refuse_fit(ctx, &e, &f, NULL, "point 7: psi");
    if (w->group == RECON_SO2)
        f.gamma[7] = pose;
    else
        f.gamma[28] = pose;
    w->z[3][2] = INFINITY;
    refuse_fit(ctx, &e, &f, NULL, "embedding 3: element 2 is inf");
    w->z[3][2] = (float)kept;
    f.rows = 1;
    e.n = 1;
    refuse_fit(ctx, &e, &f, NULL, "maps need at least two points, got 1");
    recon_frames_free(&f);
}

static void bad_points_are_refused(void **state)
{
    for (int g = 0; g < GROUPS; g++)
        check_bad_points(*state, both[g]);
}

/* Two points are one to learn from and one to choose by; a column that never changes is no harm,
 * and F of one neighbour is nothing. */
static void check_few_points(recon_ctx *ctx, const world *from)
{
    world *w = calloc(1, sizeof *w);
    *w = *from;
    w->z[1][0] = w->z[0][0];
    recon_embedded e = points(w, 2);
    recon_frames f = frames_of(ctx, w, &e, 1);
    recon_maps *m;
    CHECK_OK(ctx, recon_maps_fit(ctx, &m, &e, &f, &w->brief));
    void *map = calloc(1, m->kind->map);
    CHECK_OK(ctx, recon_maps_apply(ctx, map, m, &(recon_maps_inputs){ .n = 1, .z = w->z[0] },
                                   RECON_MAPS_ALL));
    assert_true(isfinite(m->kind->score(map, psi_of(w, 0))));
    w->z[0][1] = NAN;
    CHECK_FAILS(
        ctx,
        recon_maps_apply(ctx, map, m, &(recon_maps_inputs){ .n = 1, .z = w->z[0] }, RECON_MAPS_ALL),
        RECON_ERR_INPUT, "element 1");
    free(map), recon_maps_free(ctx, m), recon_frames_free(&f), free(w);
}

static void few_points_will_do(void **state)
{
    for (int g = 0; g < GROUPS; g++)
        check_few_points(*state, both[g]);
}

/* Saves the maps with the first number of a buffer changed, where that is allowed, and tries to
 * open them. */
static void check_refused(recon_ctx *ctx, recon_maps *m, recon_param *param, double value,
                          const char *message)
{
    const char *path = scratch("maps.safetensors");
    const recon_metadata_entry said = recon_maps_metadata(m);
    double numbers[RECON_QUANTILES];
    recon_maps *again;
    CHECK_OK(ctx, recon_param_read(ctx, numbers, param));
    numbers[0] = value;
    CHECK_OK(ctx, recon_param_write(ctx, param, numbers));
    if (isfinite(value)) {
        CHECK_OK(ctx, recon_params_save(ctx, path, m->params, &said, 1));
        CHECK_FAILS(ctx, open_maps(ctx, &again, path), RECON_ERR_FORMAT, message);
        assert_null(again);
    } else {
        CHECK_FAILS(ctx, recon_params_save(ctx, path, m->params, &said, 1), RECON_ERR_NUMERIC,
                    message);
    }
    CHECK_OK(ctx, recon_maps_keep(ctx, m));
}

static void files_that_make_no_sense_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    for (int g = 0; g < GROUPS; g++) {
        recon_maps *m = fit(ctx, both[g], &both[g]->brief);
        check_refused(ctx, m, m->kept.mean, NAN, "'standard.mean' is nan");
        check_refused(ctx, m, m->kept.scale, INFINITY, "'standard.scale' is inf");
        check_refused(ctx, m, m->kept.scores, 0, "'calibration'");
        check_refused(ctx, m, m->kept.quantiles, 1e9, "'calibration'");
        if (both[g]->group == RECON_SO2)
            check_refused(ctx, m, m->kept.number, 7, "'theta.family' is 7");
        else
            check_refused(ctx, m, m->kept.number, -1, "'theta.unit' is -1");
        recon_maps_free(ctx, m);
    }
}

static void the_metadata_say_of_which_group_they_are(void **state)
{
    static const struct {
        const char *maps;
        recon_status status;
        const char *message;
    } cases[] = { { NULL, RECON_ERR_INPUT, "other: a model without maps: run `recon discover`" },
                  { "so2", RECON_ERR_INPUT, "holds no maps" },
                  { "so3", RECON_ERR_INPUT, "holds no maps" },
                  { "so4", RECON_ERR_FORMAT, "no group 'so4': so2, so3, " } };
    float one = 1;
    const recon_tensor_entry x = {
        "x", { .dtype = RECON_F32, .ndim = 1, .shape = { 1 }, .data = &one }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const recon_metadata_entry said = { "maps", cases[i].maps };
        recon_maps *m;
        CHECK_OK(*state, recon_safetensors_write(*state, scratch("other"), &x, 1, &said,
                                                 cases[i].maps ? 1 : 0));
        CHECK_FAILS(*state, open_maps(*state, &m, scratch("other")), cases[i].status,
                    cases[i].message);
        assert_null(m);
    }
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    both[0] = new_so2_world(RECON_SO2_UNIFORM, PLAIN);
    both[1] = plain_so3_world(*state, 0);
    return 0;
}

static int teardown(void **state)
{
    free(both[0]), free(both[1]);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_is_answered_in_passes),
        cmocka_unit_test(densities_are_put_in_blocks),
        cmocka_unit_test(molecules_targets_are_made_in_blocks),
        cmocka_unit_test(p_values_are_uniform),
        cmocka_unit_test(poses_far_away_are_unusual),
        SCRATCH_TEST(what_is_saved_answers_the_same),
        cmocka_unit_test(lambda_alone_is_the_same),
        cmocka_unit_test(fits_repeat),
        cmocka_unit_test(many_threads_share_one),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(few_points_will_do),
        SCRATCH_TEST(files_that_make_no_sense_are_refused),
        SCRATCH_TEST(the_metadata_say_of_which_group_they_are),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
