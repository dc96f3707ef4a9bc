/* Maps fitted to data whose truth is known: classes about their own prototypes in z, poses spread
 * about an arbitrary offset of each class. */
#include "scratch.h"
#include "maps/maps.h"

#include <pthread.h>
#include <recon/group/so2.h>
#include <recon/maps/maps.h>
#include <recon/nn/params.h>
#include <recon/ops/backend.h>
#include <recon/stats/so2_moments.h>

enum { TRAIN = 2200, TEST = 1000, N = TRAIN + TEST, D = 8, CLASSES = 4, K = 40 };
#define DEGREE (M_PI / 180)

typedef struct {
    float z[N][D];
    double psi[N], offset[CLASSES], spread[CLASSES];
    size_t label[N];
} world;

static double draw(recon_so2_family family, double spread, recon_rng *r)
{
    return spread *
           (family == RECON_SO2_NORMAL ? recon_rng_normal(r) : 2 * recon_rng_uniform(r) - 1);
}

/* SEAM: the first class lies where angles jump. TURNED: the last is seen from either end, half of
 * its poses are turned by pi. */
typedef enum { PLAIN, SEAM, TURNED } twist;

static world *new_world(recon_so2_family family, twist how)
{
    static const double spread[CLASSES] = { 10 * DEGREE, 20 * DEGREE, 40 * DEGREE, 10 * DEGREE };
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (size_t c = 0; c < CLASSES; c++) {
        w->offset[c] = recon_so2_wrap((how == SEAM ? M_PI : -1.5) + 1.1 * (double)c);
        w->spread[c] = spread[c];
    }
    for (size_t i = 0; i < N; i++) {
        recon_rng r = recon_rng_new(41, i);
        size_t c = w->label[i] = i % CLASSES;
        for (size_t j = 0; j < D; j++)
            w->z[i][j] = (float)(5 + (j == c) + 0.1 * recon_rng_normal(&r));
        double g = draw(family, w->spread[c], &r);
        if (how == TURNED && c == 3 && recon_rng_below(&r, 2))
            g += M_PI;
        w->psi[i] = recon_so2_compose(g, w->offset[c]);
    }
    return w;
}

static recon_embedded points(const world *w, size_t n)
{
    return (recon_embedded){ .n = n, .d = D, .z = &w->z[0][0], .so2 = w->psi };
}

static const recon_maps_options quick = {
    .hidden = 64, .epochs = 10, .batch = 64, .rate = 6e-3, .dropout = 0.1
};

static recon_maps *fit(recon_ctx *ctx, const world *w, recon_so2_family family,
                       const recon_maps_options *options)
{
    recon_embedded e = points(w, TRAIN);
    recon_frames f;
    recon_maps *m;
    recon_normalize_options o = { .knn.k = K, .family = family };
    CHECK_OK(ctx, recon_normalize(ctx, &f, &e, NULL, &o));
    CHECK_OK(ctx, recon_maps_fit(ctx, &m, &e, &f, options));
    recon_frames_free(&f);
    return m;
}

static recon_so2_map *maps_of_test(recon_ctx *ctx, const world *w, const recon_maps *m)
{
    recon_so2_map *map = calloc(TEST, sizeof *map);
    assert_non_null(map);
    CHECK_OK(ctx, recon_maps_apply(ctx, map, m, w->z[TRAIN], TEST));
    return map;
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
        double g = recon_so2_wrap(w->psi[i] - w->offset[c]);
        sum += g;
        squares += g * g;
    }
    *offset = w->offset[c] + (family == RECON_SO2_NORMAL ? sum / n : 0);
    *spread = family == RECON_SO2_NORMAL ? sqrt(squares / n - sum / n * sum / n) : w->spread[c];
}

static void check_recovery(recon_ctx *ctx, recon_so2_family family)
{
    world *w = new_world(family, SEAM);
    recon_maps *m = fit(ctx, w, family, &quick);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    double turn[CLASSES] = { 0 }, theta[CLASSES] = { 0 }, score = 0, truth = 0;
    double offset[CLASSES], spread[CLASSES];
    for (size_t c = 0; c < CLASSES; c++)
        see(&offset[c], &spread[c], w, family, c);
    for (size_t i = 0; i < TEST; i++) {
        size_t c = w->label[TRAIN + i];
        turn[c] += recon_so2_distance(map[i].lambda, offset[c]) * CLASSES / TEST;
        theta[c] += map[i].theta * CLASSES / TEST;
        score += recon_so2_map_score(&map[i], w->psi[TRAIN + i]) / TEST;
        truth += entropy(family, w->spread[c]) / TEST;
        assert_int_equal(map[i].family, family);
    }
    for (size_t c = 0; c < CLASSES; c++) {
        CHECK_LESS(turn[c], DEGREE + 0.06 * spread[c]);
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
    world *w = new_world(RECON_SO2_UNIFORM, how);
    recon_maps *m = fit(ctx, w, RECON_SO2_UNIFORM, &quick);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    *off = *width = 0;
    for (size_t i = 0; i < TEST; i += CLASSES) {
        assert_int_equal(w->label[TRAIN + i], 0);
        *off += recon_so2_distance(map[i].midpoint, w->offset[0]) * CLASSES / TEST;
        *width += map[i].half_width / w->spread[0] * CLASSES / TEST;
    }
    free(map), recon_maps_free(ctx, m), free(w);
}

/* The paper's uncentred support is found away from the seam. At the seam its ends are means of
 * numbers a turn apart: that is why the paper centres. */
static void the_uncentred_support_suffers_at_the_seam(void **state)
{
    double off, width;
    support_of(*state, &off, &width, PLAIN);
    CHECK_LESS(off, 10 * DEGREE);
    CHECK_NEAR(width, 1, 0.25);
    support_of(*state, &off, &width, SEAM);
    assert_true(off > 30 * DEGREE);
}

/* A class that is seen from both ends is told as defined modulo 180 degrees, the others are not. */
static void poses_modulo_half_a_turn_are_told(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_NORMAL, TURNED);
    recon_maps *m = fit(ctx, w, RECON_SO2_VONMISES, &quick); /* neither arc nor normal will do */
    recon_so2_map *map = maps_of_test(ctx, w, m);
    size_t right = 0;
    for (size_t i = 0; i < TEST; i++) {
        double moment[RECON_SO2_MOMENTS];
        recon_so2_moments(moment, &map[i].density);
        right += recon_so2_fold(moment) == (w->label[TRAIN + i] == 3 ? 2 : 1);
    }
    assert_true(right > TEST * 98 / 100);
    free(map), recon_maps_free(ctx, m), free(w);
}

/* --- calibration ------------------------------------------------------------------------------ */

/* On fresh data p-values are uniform or a little larger, and a threshold raises as many alarms as
 * it was asked for. */
static void p_values_are_uniform(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_NORMAL, PLAIN);
    recon_maps_options o = quick;
    o.held_out = 0.3;
    recon_maps *m = fit(ctx, w, RECON_SO2_NORMAL, &o);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    assert_int_equal(recon_maps_describe(m).held_out, TRAIN * 3 / 10);
    for (double share = 0.05; share < 1; share += 0.1) {
        double threshold = recon_maps_threshold(m, share), below = 0, alarms = 0;
        for (size_t i = 0; i < TEST; i++) {
            double score = recon_so2_map_score(&map[i], w->psi[TRAIN + i]);
            below += recon_maps_p_value(m, &map[i], w->psi[TRAIN + i]) <= share;
            alarms += score > threshold;
        }
        CHECK_LESS(below / TEST, share + 0.07); /* 3 deviations of 660 and 1000 draws */
        CHECK_LESS(share - 0.1, below / TEST);  /* and one more: p-values allow for one */
        CHECK_NEAR(alarms / TEST, share, 0.07);
    }
    assert_true(isnan(recon_maps_p_value(m, &map[0], NAN)));
    assert_true(isfinite(recon_maps_threshold(m, 1. / 661)));
    assert_true(isinf(recon_maps_threshold(m, 1. / 662))); /* no p-value is so small */
    assert_true(isinf(recon_maps_threshold(m, -1)));
    /* a pose turned away is unusual */
    CHECK_LESS(recon_maps_p_value(m, &map[0], w->psi[TRAIN] + M_PI), 0.01);
    free(map), recon_maps_free(ctx, m), free(w);
}

static void absolute_poses_have_lambda_taken_off(void **state)
{
    (void)state;
    recon_so2_map map = { .lambda = 3 };
    CHECK_NEAR(recon_so2_absolute(&map, 3.1), 0.1, 1e-15);
    CHECK_NEAR(recon_so2_absolute(&map, -3.1), 2 * M_PI - 6.1, 1e-15);
}

/* --- files, threads, repetition --------------------------------------------------------------- */

static const recon_maps_options brief = { .hidden = 16, .epochs = 1, .batch = 64 };

static void check_same(const recon_so2_map *a, const recon_so2_map *b)
{
    for (size_t i = 0; i < TEST; i++) {
        CHECK_NEAR(a[i].lambda, b[i].lambda, 0);
        CHECK_NEAR(a[i].theta, b[i].theta, 0);
        CHECK_NEAR(a[i].theta_label, b[i].theta_label, 0);
        CHECK_NEAR(a[i].midpoint, b[i].midpoint, 0);
        CHECK_NEAR(a[i].half_width, b[i].half_width, 0);
        assert_int_equal(a[i].family, b[i].family);
        assert_memory_equal(a[i].density.part, b[i].density.part, sizeof a[i].density.part);
    }
}

static void what_is_saved_answers_the_same(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_UNIFORM, PLAIN);
    recon_maps *m = fit(ctx, w, RECON_SO2_UNIFORM, &brief), *again;
    const char *path = scratch("maps.safetensors");
    recon_params *other;
    recon_param *param;
    size_t one = 1;
    CHECK_OK(ctx, recon_params_new(ctx, &other, RECON_SINGLE));
    CHECK_OK(ctx, recon_params_add_buffer(ctx, &param, other, "encoder.x", &one, 1, 0));
    CHECK_OK(ctx, recon_params_make(ctx, other, 0));
    const recon_params *sets[] = { other, recon_maps_params(m) };
    CHECK_OK(ctx, recon_params_save_all(ctx, path, sets, 2, NULL, 0, NULL));
    CHECK_OK(ctx, recon_maps_open(ctx, &again, path));
    recon_so2_map *a = maps_of_test(ctx, w, m), *b = maps_of_test(ctx, w, again);
    check_same(a, b);
    recon_maps_info x = recon_maps_describe(m), y = recon_maps_describe(again);
    assert_int_equal(x.weights, y.weights);
    assert_int_equal(x.held_out, y.held_out);
    assert_int_equal(x.family, y.family);
    CHECK_NEAR(recon_maps_p_value(again, &b[0], w->psi[TRAIN]),
               recon_maps_p_value(m, &a[0], w->psi[TRAIN]), 0);
    free(a), free(b), recon_params_free(ctx, other);
    recon_maps_free(ctx, again), recon_maps_free(ctx, m), free(w);
}

static void lambda_alone_is_the_same(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_UNIFORM, PLAIN);
    recon_maps *m = fit(ctx, w, RECON_SO2_UNIFORM, &brief);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    double *lambda = calloc(TEST, sizeof *lambda);
    CHECK_OK(ctx, recon_maps_lambda(ctx, lambda, m, w->z[TRAIN], TEST));
    for (size_t i = 0; i < TEST; i++)
        CHECK_NEAR(lambda[i], map[i].lambda, 0);
    CHECK_OK(ctx, recon_maps_apply(ctx, NULL, m, NULL, 0));
    free(lambda), free(map), recon_maps_free(ctx, m), free(w);
}

/* The same bits again, and with another number of threads. */
static void fits_repeat(void **state)
{
    world *w = new_world(RECON_SO2_UNIFORM, PLAIN);
    recon_so2_map *map[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 + i });
        recon_maps *m = fit(ctx, w, RECON_SO2_UNIFORM, &brief);
        map[i] = maps_of_test(ctx, w, m);
        recon_maps_free(ctx, m);
        recon_ctx_free(ctx);
    }
    check_same(map[0], map[1]);
    free(map[0]), free(map[1]), free(w);
}

typedef struct {
    pthread_t thread;
    const world *w;
    const recon_maps *m;
    recon_so2_map map[TEST];
    recon_status status;
} reader;

static void *read_maps(void *arg)
{
    reader *r = arg;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    r->status = recon_maps_apply(ctx, r->map, r->m, r->w->z[TRAIN], TEST);
    recon_ctx_free(ctx);
    return NULL;
}

static void many_threads_share_one(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_UNIFORM, PLAIN);
    recon_maps *m = fit(ctx, w, RECON_SO2_UNIFORM, &brief);
    recon_so2_map *map = maps_of_test(ctx, w, m);
    enum { READERS = 3 };
    reader *r = calloc(READERS, sizeof *r);
    for (int i = 0; i < READERS; i++) {
        r[i].w = w;
        r[i].m = m;
        assert_int_equal(pthread_create(&r[i].thread, NULL, read_maps, &r[i]), 0);
    }
    for (int i = 0; i < READERS; i++) {
        pthread_join(r[i].thread, NULL);
        assert_int_equal(r[i].status, RECON_OK);
        check_same(r[i].map, map);
    }
    free(r), free(map), recon_maps_free(ctx, m), free(w);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void bad_points_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_UNIFORM, PLAIN);
    recon_embedded e = points(w, 100), fewer = points(w, 99);
    recon_normalize_options o = { .knn.k = 5, .family = RECON_SO2_UNIFORM };
    recon_frames f;
    recon_maps *m;
    CHECK_OK(ctx, recon_normalize(ctx, &f, &e, NULL, &o));
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, &fewer, &f, NULL), RECON_ERR_INPUT,
                "frames of 100 points for 99 inputs");
    assert_null(m);
    recon_embedded turned = e;
    turned.so2 = NULL;
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, &turned, &f, NULL), RECON_ERR_UNSUPPORTED, "SO(2)");
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, &e, &f, &(recon_maps_options){ .held_out = 1 }),
                RECON_ERR_INPUT, "held out 1");
    f.gamma.so2[7] = NAN;
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, &e, &f, NULL), RECON_ERR_INPUT, "point 7: psi");
    f.gamma.so2[7] = 0;
    w->z[3][2] = INFINITY;
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, &e, &f, NULL), RECON_ERR_INPUT,
                "embedding 3: element 2 is inf");
    f.rows = 1;
    e.n = 1;
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, &e, &f, NULL), RECON_ERR_INPUT,
                "1 points: maps need two");
    recon_frames_free(&f);
    free(w);
}

/* Two points are one to learn from and one to choose by; a column that never changes is no harm. */
static void few_points_will_do(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_UNIFORM, PLAIN);
    recon_embedded e = points(w, 2);
    recon_normalize_options o = { .knn.k = 1, .family = RECON_SO2_UNIFORM };
    recon_frames f;
    recon_maps *m;
    recon_so2_map map;
    w->z[1][0] = w->z[0][0];
    CHECK_OK(ctx, recon_normalize(ctx, &f, &e, NULL, &o));
    CHECK_OK(ctx, recon_maps_fit(ctx, &m, &e, &f, &brief));
    CHECK_OK(ctx, recon_maps_apply(ctx, &map, m, w->z[0], 1));
    assert_true(isfinite(map.lambda) && map.theta > 0 && isfinite(map.midpoint));
    w->z[0][1] = NAN;
    CHECK_FAILS(ctx, recon_maps_apply(ctx, &map, m, w->z[0], 1), RECON_ERR_INPUT, "element 1");
    recon_maps_free(ctx, m);
    recon_frames_free(&f);
    free(w);
}

/* Saves the maps with the first number of a buffer changed, where that is allowed, and tries to
 * open them. */
static void check_refused(recon_ctx *ctx, recon_maps *m, recon_param *param, double value,
                          const char *message)
{
    const char *path = scratch("maps.safetensors");
    double numbers[RECON_QUANTILES];
    recon_maps *again;
    CHECK_OK(ctx, recon_param_read(ctx, numbers, param));
    numbers[0] = value;
    CHECK_OK(ctx, recon_param_write(ctx, param, numbers));
    if (isfinite(value)) {
        CHECK_OK(ctx, recon_params_save(ctx, path, recon_maps_params(m), NULL, 0));
        CHECK_FAILS(ctx, recon_maps_open(ctx, &again, path), RECON_ERR_FORMAT, message);
        assert_null(again);
    } else {
        CHECK_FAILS(ctx, recon_params_save(ctx, path, recon_maps_params(m), NULL, 0),
                    RECON_ERR_NUMERIC, message);
    }
    CHECK_OK(ctx, recon_bundle_keep(ctx, &m->bundle));
}

static void files_that_make_no_sense_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    world *w = new_world(RECON_SO2_UNIFORM, PLAIN);
    recon_maps *m = fit(ctx, w, RECON_SO2_UNIFORM, &brief), *again;
    check_refused(ctx, m, m->bundle.kept.number, 7, "'theta.family' is 7");
    check_refused(ctx, m, m->bundle.kept.mean, NAN, "'standard.mean' is nan");
    check_refused(ctx, m, m->bundle.kept.scale, INFINITY, "'standard.scale' is inf");
    check_refused(ctx, m, m->bundle.kept.scores, 0, "'calibration'");
    check_refused(ctx, m, m->bundle.kept.quantiles, 1e9, "'calibration'");
    recon_tensor_entry none = { "x", { .dtype = RECON_F32, .ndim = 1, .shape = { 1 } } };
    float one = 1;
    none.array.data = &one;
    const char *path = scratch("other.safetensors");
    CHECK_OK(ctx, recon_safetensors_write(ctx, path, &none, 1, NULL, 0));
    CHECK_FAILS(ctx, recon_maps_open(ctx, &again, path), RECON_ERR_INPUT, "holds no maps");
    recon_maps_free(ctx, m);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_poses_are_recovered),
        cmocka_unit_test(uniform_poses_are_recovered),
        cmocka_unit_test(the_gpu_recovers_them_too),
        cmocka_unit_test(the_uncentred_support_suffers_at_the_seam),
        cmocka_unit_test(poses_modulo_half_a_turn_are_told),
        cmocka_unit_test(p_values_are_uniform),
        cmocka_unit_test(absolute_poses_have_lambda_taken_off),
        SCRATCH_TEST(what_is_saved_answers_the_same),
        cmocka_unit_test(lambda_alone_is_the_same),
        cmocka_unit_test(fits_repeat),
        cmocka_unit_test(many_threads_share_one),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(few_points_will_do),
        SCRATCH_TEST(files_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
