/* A model whose Lambda and Theta are networks on images (--heads paper), from discover to its answers. */
#include "tiny.h"

#include <recon/core/array.h>
#include <recon/group/so2.h>
#include <recon/model/canonicalize.h>
#include <recon/model/score.h>

#include "model/model.h"

enum { SOME = 12 };

/* Trained for a moment, on letters that have one natural pose or two. */
static int setup(void **state)
{
    recon_discover_options o = tiny_options;
    recon_discovery d;
    if (scratch_setup(state) != 0)
        return -1;
    recon_dataset *data = tiny_data(*state);
    tiny_train(*state, data, -1);
    o.lambda = RECON_LAMBDA_HEAD;
    o.maps.heads = RECON_HEADS_PAPER;
    o.maps.epochs = 4;
    CHECK_OK(*state, recon_discover(*state, &d, scratch("backbone.safetensors"), NULL,
                                    recon_dataset_data(data), scratch_folder, &o));
    assert_non_null(strstr(d.summary, "\"heads\": \"paper\""));
    assert_int_equal(d.trust.lambda.taken, RECON_LAMBDA_HEAD);
    assert_true(isfinite(d.trust.moved));
    recon_discovery_free(&d);
    recon_dataset_close(data);
    return 0;
}

/* Letters, and the same rotated by quarter turns. */
static void draw(float x[4][SOME][TINY_PIXELS])
{
    recon_rng rng = recon_rng_new(9, 0);
    for (int i = 0; i < SOME; i++) {
        tiny_letter(x[0][i], i % 2, 0, &rng);
        for (int q = 1; q < 4; q++)
            recon_image_rotate(x[q][i], x[0][i], TINY_SIDE, TINY_SIDE, 1, q * M_PI / 2,
                               RECON_BILINEAR);
    }
}

static void rotated_copies_have_one_canonical_image(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    static float x[4][SOME][TINY_PIXELS], y[4][SOME][TINY_PIXELS];
    recon_pose pose[4][SOME];
    assert_int_equal(recon_model_describe(model).maps.heads, RECON_HEADS_PAPER);
    draw(x);
    for (int q = 0; q < 4; q++)
        CHECK_OK(ctx, recon_canonicalize_images(ctx, y[q][0], pose[q], model, x[q][0], SOME, NULL));
    for (int q = 1; q < 4; q++)
        for (int i = 0; i < SOME; i++) {
            CHECK_LESS(recon_so2_distance(pose[q][i].lambda[0], pose[0][i].lambda[0]), 1e-3);
            CHECK_LESS(recon_so2_distance(pose[q][i].psi[0], pose[0][i].psi[0] + q * M_PI / 2),
                       1e-3);
            for (int p = 0; p < TINY_PIXELS; p++)
                CHECK_NEAR(y[q][i][p], y[0][i][p], 5e-3);
        }
    recon_model_close(ctx, model);
}

/* What discover found of its own inputs, the model that was saved says again. */
static void the_model_says_what_was_found(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    recon_pose_score score[TINY_N];
    recon_array natural;
    CHECK_OK(ctx, recon_npy_read(ctx, &natural, scratch("natural.npy")));
    CHECK_OK(ctx, recon_score_images(ctx, score, model, tiny_images[0], TINY_N));
    for (int i = 0; i < TINY_N; i++) {
        CHECK_NEAR(score[i].pose.lambda[0], ((const double *)natural.data)[i], 1e-6);
        assert_true(score[i].p_value > 0 && score[i].p_value <= 1 && isfinite(score[i].score));
    }
    recon_array_free(&natural);
    recon_model_close(ctx, model);
}

/* The other ways to Lambda are there still. */
static void lambda_can_be_chosen(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = tiny_model(ctx);
    recon_pose head[SOME], near[SOME];
    double apart = 0;
    CHECK_OK(ctx, recon_canonicalize_images(ctx, NULL, head, model, tiny_images[0], SOME, NULL));
    CHECK_OK(ctx, recon_model_use_lambda(ctx, model, RECON_LAMBDA_NEIGHBOURS));
    CHECK_OK(ctx, recon_canonicalize_images(ctx, NULL, near, model, tiny_images[0], SOME, NULL));
    for (int i = 0; i < SOME; i++)
        apart += recon_so2_distance(head[i].lambda[0], near[i].lambda[0]) / SOME;
    CHECK_LESS(1e-6, apart);
    CHECK_FAILS(ctx, recon_model_use_lambda(ctx, model, RECON_LAMBDA_DENSITY), RECON_ERR_INPUT,
                "no pose density");
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotated_copies_have_one_canonical_image),
        cmocka_unit_test(the_model_says_what_was_found),
        cmocka_unit_test(lambda_can_be_chosen),
    };
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
