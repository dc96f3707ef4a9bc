/* The paper's Lambda and Theta, networks on images, behind the maps: they learn the pseudo-labels of
 * each shape, do not depend on how it is rotated, and survive a file. */
#include "borders.h"
#include "core/blocks.h"
#include "backbone/shapes.h"

#include "backbone/embedded.h"
#include "backbone/ieae.h"
#include <recon/group/so2.h>
#include "maps/maps.h"

enum { IMAGES = 240, CODE = 8 };
static const double lambda_of[2] = { 3.1, -1 }, theta_of[2] = { 0.3, 1.2 };

typedef struct {
    recon_dataset *data;
    recon_ieae *backbone;
    recon_embedded points;
    double gamma[IMAGES], theta[IMAGES];
    recon_frames frames;
} world;

/* A backbone that has barely been trained will do: only its shape counts. Frames are made up, so
 * that the truth is known. */
static void world_in(recon_ctx *ctx, world *w, recon_precision precision)
{
    recon_ieae_options o = {
        .shape = { .preset = RECON_PRESET_SMALL, .width = 0.5, .code = CODE, .mask = 1 },
        .epochs = 1,
        .batch = 16
    };
    recon_train_result result;
    *w = (world){ .frames = { .group = RECON_SO2, .rows = IMAGES } };
    CHECK_OK(ctx, recon_dataset_open(ctx, &w->data, shape_set(IMAGES, 1)));
    CHECK_OK(ctx, recon_ieae_train(ctx, &result, w->data, scratch("m"), &o));
    CHECK_OK(ctx, recon_ieae_open(ctx, &w->backbone, scratch("m"), precision));
    CHECK_OK(ctx, recon_backbone_embed(ctx, &w->points, &w->backbone->base,
                                       recon_dataset_data(w->data)));
    for (size_t i = 0; i < IMAGES; i++) {
        w->gamma[i] = lambda_of[i % 2];
        w->theta[i] = theta_of[i % 2];
    }
    w->frames.family = RECON_SO2_NORMAL;
    w->frames.gamma = w->gamma;
    w->frames.theta = w->theta;
}

static void world_new(recon_ctx *ctx, world *w)
{
    world_in(ctx, w, RECON_SINGLE);
}

static void world_free(recon_ctx *ctx, world *w)
{
    recon_embedded_free(&w->points);
    recon_ieae_close(ctx, w->backbone);
    recon_dataset_close(w->data);
}

static recon_status fit_with(recon_ctx *ctx, recon_maps **out, const world *w,
                             const recon_maps_options *o)
{
    return recon_maps_fit_inputs(ctx, out, &w->points, &w->frames, o, &w->backbone->base,
                                 recon_dataset_data(w->data));
}

static recon_maps *fit(recon_ctx *ctx, const world *w, size_t epochs)
{
    recon_maps *m;
    CHECK_OK(ctx, fit_with(ctx, &m, w,
                           &(recon_maps_options){ .heads = RECON_HEADS_PAPER,
                                                  .hidden = 16,
                                                  .epochs = epochs,
                                                  .batch = 16,
                                                  .rate = 5e-3 }));
    return m;
}

/* What maps say of images; their z are all the same. */
static void ask(recon_ctx *ctx, recon_so2_map *out, const recon_maps *m, const float *x, size_t n)
{
    float *z = calloc(n * CODE, sizeof *z);
    CHECK_OK(ctx, recon_maps_apply(ctx, out, m, &(recon_maps_inputs){ .n = n, .z = z, .inputs = x },
                                   RECON_MAPS_ALL));
    free(z);
}

/* Over the points held out: the mean distance of Lambda from its pseudo-label. */
static double error_of(recon_ctx *ctx, const world *w, const recon_maps *m)
{
    recon_so2_map map[IMAGES];
    const recon_maps_inputs in = { .n = IMAGES,
                                   .z = w->points.z,
                                   .data = recon_dataset_data(w->data) };
    double sum = 0, held = 0;
    CHECK_OK(ctx, recon_maps_apply(ctx, map, m, &in, RECON_MAPS_ALL));
    for (size_t i = 0; i < IMAGES; i++) {
        sum += m->held[i] * recon_so2_distance(map[i].lambda, w->gamma[i]);
        held += m->held[i];
    }
    return sum / held;
}

/* New shapes at angles never seen: the answer is that of the shape, to rounding at right angles. */
static void a_shape_has_one_answer_in_any_orientation(void **state)
{
    recon_ctx *ctx = *state;
    world w;
    world_new(ctx, &w);
    recon_maps *barely = fit(ctx, &w, 1), *m = fit(ctx, &w, 12);
    float x[8][SHAPE_PIXELS];
    recon_so2_map map[8];
    CHECK_LESS(error_of(ctx, &w, m), 0.25 * error_of(ctx, &w, barely));
    for (int i = 0; i < 8; i++)
        shape_draw(x[i], i % 2, i / 2 * (M_PI / 2), 0.1);
    ask(ctx, map, m, x[0], 8);
    for (int i = 0; i < 8; i++) {
        CHECK_LESS(recon_so2_distance(map[i].lambda, lambda_of[i % 2]), 0.3);
        CHECK_NEAR(map[i].theta, theta_of[i % 2], 0.25);
        CHECK_NEAR(map[i].theta, map[i].theta_label, 0);
        CHECK_LESS(recon_so2_distance(map[i].lambda, map[i % 2].lambda), 1e-3);
        CHECK_NEAR(map[i].theta, map[i % 2].theta, 1e-3);
        assert_int_equal(map[i].family, RECON_SO2_NORMAL);
    }
    x[0][5] = NAN;
    CHECK_OK(ctx, recon_input_nets_apply(ctx, map, m->nets, 1u << 1, 0, x[0], 1));
    assert_true(isnan(map[0].theta) && isfinite(map[0].lambda));
    recon_maps_free(ctx, barely);
    recon_maps_free(ctx, m);
    world_free(ctx, &w);
}

/* Networks have the precision of the backbone, and learn in bfloat16 too. */
static void bfloat16_learns_as_well(void **state)
{
    plain_build_only();
    recon_ctx *ctx = *state;
    world w;
    world_in(ctx, &w, RECON_MIXED);
    recon_maps *m = fit(ctx, &w, 6);
    CHECK_LESS(error_of(ctx, &w, m), 0.5);
    recon_maps_free(ctx, m);
    world_free(ctx, &w);
}

/* As many as a pass takes, one less and more, and two passes: each image has the answer that it has among a
 * few, and nothing beside them is written. */
static void any_number_is_answered_alike(void **state)
{
    enum { PASS = RECON_BLOCK_NETS, MOST = 2 * PASS + 1, FEW = 40 };
    static const size_t n[] = { PASS - 1, PASS, PASS + 1, MOST };
    static float x[MOST][SHAPE_PIXELS];
    static recon_so2_map few[FEW];
    recon_ctx *ctx = *state;
    world w;
    world_new(ctx, &w);
    recon_maps *m = fit(ctx, &w, 1);
    for (int i = 0; i < MOST; i++)
        shape_draw(x[i], i % 2, i % FEW, 0);
    ask(ctx, few, m, x[0], FEW);
    for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
        recon_so2_map *all = malloc(n[k] * sizeof *all);
        ask(ctx, all, m, x[0], n[k]);
        for (size_t i = 0; i < n[k]; i++) {
            CHECK_NEAR(all[i].lambda, few[i % FEW].lambda, 1e-5);
            CHECK_NEAR(all[i].theta, few[i % FEW].theta, 1e-5);
        }
        free(all);
    }
    recon_maps_free(ctx, m);
    world_free(ctx, &w);
}

static recon_status open_maps(recon_ctx *ctx, recon_maps **out, const recon_backbone *backbone)
{
    recon_safetensors *file;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("maps")));
    recon_status status = recon_maps_read(ctx, out, file, "maps", backbone);
    recon_safetensors_close(file);
    return status;
}

static void save(recon_ctx *ctx, const world *w, const recon_maps *m, recon_metadata_entry heads)
{
    const recon_metadata_entry said[] = { recon_maps_metadata(m), heads };
    const recon_params *sets[1 + RECON_MAPS_PARAMS] = { w->backbone->base.params };
    size_t n = 1 + recon_maps_params(sets + 1, m);
    CHECK_OK(ctx, recon_params_save_all(ctx, scratch("maps"), sets, n, said, 2, NULL));
}

static void what_is_saved_answers_the_same(void **state)
{
    recon_ctx *ctx = *state;
    world w;
    world_new(ctx, &w);
    recon_maps *m = fit(ctx, &w, 1), *again;
    static float x[3][SHAPE_PIXELS];
    recon_so2_map a[3], b[3];
    for (int i = 0; i < 3; i++)
        shape_draw(x[i], i % 2, i, 0);
    save(ctx, &w, m, recon_maps_metadata_heads(m));
    CHECK_OK(ctx, open_maps(ctx, &again, &w.backbone->base));
    assert_int_equal(recon_maps_describe(again).heads, RECON_HEADS_PAPER);
    assert_int_equal(recon_maps_describe(again).weights, recon_maps_describe(m).weights);
    ask(ctx, a, m, x[0], 3);
    ask(ctx, b, again, x[0], 3);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a[i].lambda, b[i].lambda, 0);
        CHECK_NEAR(a[i].theta, b[i].theta, 0);
        assert_int_equal(a[i].family, b[i].family);
    }
    recon_maps_free(ctx, again);
    CHECK_FAILS(ctx, open_maps(ctx, &again, NULL), RECON_ERR_FORMAT,
                "need a backbone of `recon train`");
    save(ctx, &w, m, (recon_metadata_entry){ "heads", "huge" });
    CHECK_FAILS(ctx, open_maps(ctx, &again, &w.backbone->base), RECON_ERR_FORMAT,
                "'heads' is 'huge': mlp or paper");
    save(ctx, &w, m, (recon_metadata_entry){ "heads", "mlp" });
    CHECK_FAILS(ctx, open_maps(ctx, &again, &w.backbone->base), RECON_ERR_INPUT, "lambda.0.weight");
    recon_maps_free(ctx, m);
    world_free(ctx, &w);
}

static void what_does_not_fit_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    const recon_maps_options paper = { .heads = RECON_HEADS_PAPER, .epochs = 1 };
    recon_so2_map map[1];
    world w;
    recon_maps *m;
    world_new(ctx, &w);
    CHECK_FAILS(ctx, recon_maps_fit(ctx, &m, &w.points, &w.frames, &paper), RECON_ERR_INPUT,
                "heads paper needs a backbone trained by `recon train`");
    CHECK_FAILS(ctx, fit_with(ctx, &m, &w, &(recon_maps_options){ .heads = 7 }), RECON_ERR_INPUT,
                "heads 7: mlp or paper");
    w.frames.rows = IMAGES - 1;
    CHECK_FAILS(ctx, fit_with(ctx, &m, &w, &paper), RECON_ERR_INPUT,
                "frames of 239 points for 240 inputs");
    assert_null(m);
    w.frames.rows = IMAGES;
    m = fit(ctx, &w, 1);
    CHECK_FAILS(ctx,
                recon_maps_apply(ctx, map, m, &(recon_maps_inputs){ .n = 1, .z = w.points.z },
                                 RECON_MAPS_ALL),
                RECON_ERR_INPUT, "only embeddings are given");
    recon_maps_free(ctx, m);
    w.gamma[9] = NAN;
    CHECK_FAILS(ctx, fit_with(ctx, &m, &w, &paper), RECON_ERR_INPUT, "point 9");
    world_free(ctx, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_shape_has_one_answer_in_any_orientation),
        SCRATCH_TEST(bfloat16_learns_as_well),
        SCRATCH_TEST(any_number_is_answered_alike),
        SCRATCH_TEST(what_is_saved_answers_the_same),
        SCRATCH_TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
