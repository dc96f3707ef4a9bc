/* The paper's Lambda and Theta on images: they learn what they are told of each shape, do not see
 * how it is rotated, and survive a file. */
#include "backbone/shapes.h"

#include "backbone/ieae.h"
#include <recon/group/so2.h>
#include "maps/image_maps.h"

enum { IMAGES = 240, CODE = 8 };
static const double lambda_of[2] = { 3.1, -1 }, theta_of[2] = { 0.3, 1.2 };

typedef struct {
    recon_dataset *data;
    recon_ieae *backbone;
    double psi[IMAGES], gamma[IMAGES], theta[IMAGES];
    recon_frames frames;
} world;

/* A backbone that has barely been trained will do: only its shape counts. Frames are made up, so
 * that the truth is known. */
static void world_new(recon_ctx *ctx, world *w)
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
    CHECK_OK(ctx, recon_ieae_open(ctx, &w->backbone, scratch("m"), RECON_SINGLE));
    for (size_t i = 0; i < IMAGES; i++) {
        w->gamma[i] = lambda_of[i % 2];
        w->theta[i] = theta_of[i % 2];
    }
    w->frames.family = RECON_SO2_NORMAL;
    w->frames.gamma.so2 = w->gamma;
    w->frames.theta = w->theta;
}

static void world_free(recon_ctx *ctx, world *w)
{
    recon_ieae_close(ctx, w->backbone);
    recon_dataset_close(w->data);
}

static recon_image_maps *fit(recon_ctx *ctx, const world *w, size_t epochs)
{
    recon_image_maps *m;
    recon_maps_options o = { .hidden = 16, .epochs = epochs, .batch = 16, .rate = 5e-3 };
    CHECK_OK(ctx, recon_image_maps_fit(ctx, &m, w->backbone, w->data, w->psi, &w->frames, &o));
    return m;
}

/* New shapes at angles never seen: the answer is that of the shape. */
static void shapes_are_told_in_any_orientation(void **state)
{
    recon_ctx *ctx = *state;
    world w;
    world_new(ctx, &w);
    recon_image_maps *m = fit(ctx, &w, 12);
    float x[8][SHAPE_PIXELS];
    recon_so2_map map[8];
    for (int i = 0; i < 8; i++)
        shape_draw(x[i], i % 2, i / 2 * (M_PI / 2), 0.1);
    CHECK_OK(ctx, recon_image_maps_apply(ctx, map, m, x[0], 8));
    for (int i = 0; i < 8; i++) {
        CHECK_LESS(recon_so2_distance(map[i].lambda, lambda_of[i % 2]), 0.3);
        CHECK_NEAR(map[i].theta, theta_of[i % 2], 0.25);
        CHECK_LESS(recon_so2_distance(map[i].lambda, map[i % 2].lambda), 1e-3);
        CHECK_NEAR(map[i].theta, map[i % 2].theta, 1e-3);
        assert_int_equal(map[i].family, RECON_SO2_NORMAL);
    }
    x[0][5] = NAN;
    CHECK_OK(ctx, recon_image_maps_apply(ctx, map, m, x[0], 1));
    assert_true(isnan(map[0].theta));
    recon_image_maps_free(ctx, m);
    world_free(ctx, &w);
}

static void what_is_saved_answers_the_same(void **state)
{
    recon_ctx *ctx = *state;
    world w;
    world_new(ctx, &w);
    recon_image_maps *m = fit(ctx, &w, 1), *again;
    float x[300][SHAPE_PIXELS];
    recon_so2_map a[300], b[300];
    for (int i = 0; i < 300; i++)
        shape_draw(x[i], i % 2, i, 0);
    const recon_params *sets[] = { w.backbone->base.params, recon_image_maps_params(m) };
    CHECK_OK(ctx, recon_params_save_all(ctx, scratch("maps"), sets, 2, NULL, 0, NULL));
    CHECK_OK(ctx, recon_image_maps_open(ctx, &again, w.backbone, scratch("maps")));
    CHECK_OK(ctx, recon_image_maps_apply(ctx, a, m, x[0], 300));
    CHECK_OK(ctx, recon_image_maps_apply(ctx, b, again, x[0], 300));
    for (int i = 0; i < 300; i++) {
        CHECK_NEAR(a[i].lambda, b[i].lambda, 0);
        CHECK_NEAR(a[i].theta, b[i].theta, 0);
        assert_int_equal(a[i].family, b[i].family);
    }
    recon_image_maps_free(ctx, again);
    CHECK_FAILS(ctx, recon_image_maps_open(ctx, &again, w.backbone, scratch("m")), RECON_ERR_INPUT,
                "holds no maps on images");
    assert_null(again);
    recon_image_maps_free(ctx, m);
    world_free(ctx, &w);
}

static void what_does_not_fit_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    world w;
    recon_image_maps *m;
    world_new(ctx, &w);
    w.frames.rows = IMAGES - 1;
    CHECK_FAILS(ctx, recon_image_maps_fit(ctx, &m, w.backbone, w.data, w.psi, &w.frames, NULL),
                RECON_ERR_INPUT, "frames of 239 points for 240 inputs");
    assert_null(m);
    w.frames.rows = IMAGES;
    w.gamma[9] = NAN;
    CHECK_FAILS(ctx, recon_image_maps_fit(ctx, &m, w.backbone, w.data, w.psi, &w.frames, NULL),
                RECON_ERR_INPUT, "point 9");
    world_free(ctx, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(shapes_are_told_in_any_orientation),
        SCRATCH_TEST(what_is_saved_answers_the_same),
        SCRATCH_TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
