/* Errors of equivariance: of codes made by hand, and of an encoder where they are known. */
#include "borders.h"
#include "model/tiny.h"
#include "backbone/ieae.h"

#include "backbone/equivariance.h"
#include <recon/group/so2.h>

enum { N = 101, D = 3 };

/* Image i: its pose is off by i hundredths of a radian to either side, across the cut too, its centre
 * by twice that, and its code longer by i thousandths. */
static void make(float z[2][N * D], double psi[2][N], double centre[2][N], double angles[N])
{
    recon_rng rng = recon_rng_new(1, 0);
    for (int i = 0; i < N; i++) {
        psi[0][i] = recon_so2_haar(&rng);
        angles[i] = recon_so2_haar(&rng);
        psi[1][i] = recon_so2_wrap(psi[0][i] + angles[i] + (i % 2 ? 0.01 : -0.01) * i);
        centre[0][i] = -psi[0][i];
        centre[1][i] = recon_so2_wrap(centre[0][i] + angles[i] + (i % 2 ? 0.02 : -0.02) * i);
        for (int j = 0; j < D; j++) {
            z[0][i * D + j] = (float)recon_rng_normal(&rng);
            z[1][i * D + j] = (float)((double)z[0][i * D + j] * (1 + 0.001 * i));
        }
    }
}

static void errors_are_those_put_in(void **state)
{
    recon_ctx *ctx = *state;
    float z[2][N * D];
    double psi[2][N], centre[2][N], angles[N];
    recon_equivariance e;
    make(z, psi, centre, angles);
    recon_codes before = { z[0], psi[0], centre[0] }, after = { z[1], psi[1], centre[1] };
    CHECK_OK(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D));
    assert_int_equal(e.n, N);
    CHECK_NEAR(e.pose_median, 0.5, 1e-9);
    CHECK_NEAR(e.pose_p95, 0.95, 1e-9);
    CHECK_NEAR(e.pose_max, 1.0, 1e-9);
    CHECK_NEAR(e.centre_median, 1.0, 1e-9);
    CHECK_NEAR(e.centre_p95, 1.9, 1e-9);
    CHECK_NEAR(e.centre_max, 2.0, 1e-9);
    CHECK_NEAR(e.code_median, 0.05, 1e-6);
    CHECK_NEAR(e.code_p95, 0.095, 1e-6);
    CHECK_NEAR(e.code_max, 0.1, 1e-6);
    after.centre = NULL;
    CHECK_OK(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D));
    assert_true(isnan(e.centre_median) && isnan(e.centre_p95) && isnan(e.centre_max));
    CHECK_NEAR(e.pose_median, 0.5, 1e-9);
}

static void what_is_not_finite_is_named(void **state)
{
    recon_ctx *ctx = *state;
    float z[2][N * D];
    double psi[2][N], centre[2][N], angles[N];
    recon_equivariance e;
    make(z, psi, centre, angles);
    recon_codes before = { z[0], psi[0], centre[0] }, after = { z[1], psi[1], centre[1] };
    CHECK_FAILS(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, 0, D),
                RECON_ERR_INPUT, "no images");
    for (int j = 0; j < D; j++)
        z[0][4 * D + j] = 0;
    CHECK_FAILS(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D),
                RECON_ERR_INPUT, "of image 4");
    centre[1][3] = INFINITY;
    CHECK_FAILS(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D),
                RECON_ERR_INPUT, "of image 3");
    psi[1][2] = NAN;
    CHECK_FAILS(ctx, recon_equivariance_compare(ctx, &e, &before, &after, angles, N, D),
                RECON_ERR_INPUT, "of image 2");
}

enum { ANGLES = 5, QUARTERS = 4, LAYERS = 6 /* the picture, and the preset's five */ };
static const double quarters[ANGLES] = { 0, 1.5707963267948966, 3.141592653589793,
                                         -1.5707963267948966, 0.4 };

/* 16 x 16 pixels rotated by quarters pass through every layer exactly; in between they do not. */
static void quarter_turns_are_exact(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *data = tiny_data(ctx);
    recon_ieae *model = NULL;
    recon_equivariance e[ANGLES], random, again;
    tiny_train(ctx, data, 0);
    CHECK_OK(ctx, recon_ieae_open(ctx, &model, scratch("backbone.safetensors"), RECON_SINGLE));
    CHECK_OK(ctx, recon_equivariance_sweep(ctx, e, model, data, quarters, ANGLES, 7));
    for (int a = 0; a < QUARTERS; a++) {
        assert_int_equal(e[a].n, TINY_N);
        CHECK_LESS(e[a].pose_max, 1e-3);
        CHECK_LESS(e[a].centre_max, 1e-3);
        CHECK_LESS(e[a].code_max, 1e-3);
    }
    CHECK_LESS(10 * e[1].code_median, e[4].code_median);
    CHECK_OK(ctx, recon_equivariance_random(ctx, &random, model, data, 7));
    CHECK_OK(ctx, recon_equivariance_random(ctx, &again, model, data, 7));
    assert_memory_equal(&random, &again, sizeof random);
    CHECK_LESS(random.pose_median, random.pose_p95);
    recon_ieae_close(ctx, model);
    recon_dataset_close(data);
}

/* --- layers, of a network that has learnt nothing --------------------------------------------- */

enum { BLOBS = BORDER_MOST(RECON_BLOCK_LAYERS) };

/* Pictures of four round spots this wide, of either sign, in places that do not depend on it. */
static recon_dataset *blobs(recon_ctx *ctx, size_t n, double deviation)
{
    static float images[BLOBS][TINY_PIXELS];
    recon_rng rng = recon_rng_new(5, 0);
    recon_dataset *data;
    char spec[600];
    memset(images, 0, sizeof images);
    for (int k = 0; k < 4 * BLOBS; k++) {
        double x = 5 + 5 * recon_rng_uniform(&rng), y = 5 + 5 * recon_rng_uniform(&rng);
        double height = recon_rng_normal(&rng);
        for (int i = 0; i < TINY_PIXELS; i++) {
            double dx = i % TINY_SIDE - x, dy = i / TINY_SIDE - y;
            images[k / 4][i] +=
                (float)(height * exp(-(dx * dx + dy * dy) / (2 * deviation * deviation)));
        }
    }
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"),
                                  &(recon_array){ .dtype = RECON_F32,
                                                  .ndim = 3,
                                                  .shape = { n, TINY_SIDE, TINY_SIDE },
                                                  .data = images }));
    snprintf(spec, sizeof spec, "npy:%s", scratch("images.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
    return data;
}

static recon_ieae *untrained(recon_ctx *ctx)
{
    const recon_ieae_shape shape = { .preset = RECON_PRESET_SMALL,
                                     .density = 1,
                                     .height = TINY_SIDE,
                                     .width_px = TINY_SIDE,
                                     .channels = 1 };
    recon_ieae *model;
    CHECK_OK(ctx, recon_ieae_make(ctx, &model, &shape, RECON_SINGLE, NULL, NULL, 3));
    assert_int_equal(recon_equivariance_depth(model), LAYERS);
    return model;
}

/* Whatever the weights are: pairs rotation as their frequency says, with the right sign. */
static void every_layer_is_exact_at_quarter_turns(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *data;
    recon_ieae *model = untrained(ctx);
    recon_layer_equivariance e[ANGLES][LAYERS], one[LAYERS];
    for (int k = 0; k < BORDERS; k++) {
        data = blobs(ctx, border(RECON_BLOCK_LAYERS, k), 1);
        CHECK_OK(ctx, recon_equivariance_layers(ctx, one, model, data, quarters + 1, 1, 7));
        for (int l = 0; l < LAYERS; l++)
            CHECK_LESS(one[l].error, 1e-4);
        recon_dataset_close(data);
    }
    data = blobs(ctx, BLOBS, 1);
    CHECK_OK(ctx, recon_equivariance_layers(ctx, e[0], model, data, quarters, ANGLES, 7));
    for (int l = 0; l < LAYERS; l++) {
        for (int a = 0; a < QUARTERS; a++) {
            CHECK_LESS(e[a][l].error, 1e-4);
            CHECK_LESS(e[a][l].floor, 1e-4);
        }
        CHECK_LESS(0.01, e[4][l].error);
        CHECK_LESS(0.01, e[4][l].floor);
        assert_int_equal(e[4][l].height, l == 0 ? 16 : l < 3 ? 8 : 4);
    }
    assert_int_equal(recon_fields_channels(&e[4][0].fields), 1);
    recon_ieae_close(ctx, model);
    recon_dataset_close(data);
}

/* What keeps a network from rotating exactly is sampling, and that finds less to spoil in smoother
 * pictures: behind every layer that has not come down to 4 x 4 pixels, which are nothing but
 * border, and at the network's end. */
static void smoother_pictures_rotate_more_truly(void **state)
{
    recon_ctx *ctx = *state;
    const double deviation[] = { 0.7, 1.2, 2.4 };
    recon_ieae *model = untrained(ctx);
    recon_layer_equivariance layer[3][LAYERS];
    recon_equivariance e[3];
    for (int s = 0; s < 3; s++) {
        recon_dataset *data = blobs(ctx, BLOBS, deviation[s]);
        CHECK_OK(ctx, recon_equivariance_layers(ctx, layer[s], model, data, &quarters[4], 1, 7));
        CHECK_OK(ctx, recon_equivariance_random(ctx, &e[s], model, data, 7));
        recon_dataset_close(data);
    }
    for (int s = 1; s < 3; s++) {
        for (int l = 0; layer[s][l].height > 4; l++)
            CHECK_LESS(layer[s][l].error, layer[s - 1][l].error);
        CHECK_LESS(e[s].pose_median, e[s - 1].pose_median);
        CHECK_LESS(e[s].centre_median, e[s - 1].centre_median);
        CHECK_LESS(e[s].code_median, e[s - 1].code_median);
    }
    recon_ieae_close(ctx, model);
}

static recon_status layers_once(recon_ctx *ctx, const recon_ieae *model, const recon_dataset *data)
{
    recon_layer_equivariance e[LAYERS];
    return recon_equivariance_layers(ctx, e, model, data, &quarters[4], 1, 7);
}

static void layers_fail_cleanly(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *data = blobs(ctx, BLOBS, 1);
    recon_ieae *model = untrained(ctx);
    CHECK_ALLOCATIONS(ctx, layers_once(ctx, model, data));
    recon_ieae_close(ctx, model);
    recon_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_put_in),
        cmocka_unit_test(what_is_not_finite_is_named),
        SCRATCH_TEST(quarter_turns_are_exact),
        SCRATCH_TEST(every_layer_is_exact_at_quarter_turns),
        SCRATCH_TEST(smoother_pictures_rotate_more_truly),
        SCRATCH_TEST(layers_fail_cleanly),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
