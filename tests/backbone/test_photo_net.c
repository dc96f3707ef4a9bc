/* The network for photographs: what it says follows quarter turns bit for bit, it learns which way is
 * up, and what it cannot be asked for is said. */
#include "data/files.h"
#include "backbone/ieae.h"
#include "backbone/photo_net.h"

#include <recon/data/dataset.h>
#include <recon/group/so2.h>

enum { SIDE = 16, CHANNELS = 3, SIZE = SIDE * SIDE * CHANNELS, CODE = 8, BINS = RECON_POSE_BINS };
static const recon_ieae_options tiny = {
    .shape = { .preset = RECON_PRESET_PHOTO_SMALL, .width = 0.25, .code = CODE },
    .epochs = 12,
    .batch = 16,
    .seed = 3,
    .overwrite = 1,
};

/* Light above, dark below, and a coloured spot somewhere. */
static void draw_photo(float *out, recon_rng *rng)
{
    double horizon = 0.3 + 0.4 * recon_rng_uniform(rng);
    double spot[2] = { recon_rng_uniform(rng), recon_rng_uniform(rng) };
    size_t colour = recon_rng_below(rng, CHANNELS);
    for (size_t i = 0; i < SIDE * SIDE; i++)
        for (size_t c = 0; c < CHANNELS; c++) {
            double y = (double)(i / SIDE) / SIDE, x = (double)(i % SIDE) / SIDE;
            double far = hypot(y - spot[0], x - spot[1]);
            double value = (y < horizon ? 0.8 - 0.3 * y : 0.25) + 0.1 * recon_rng_uniform(rng);
            out[i * CHANNELS + c] = (float)(c == colour && far < 0.2 ? 1 - value : value);
        }
}

static const char *photo_set(uint32_t n)
{
    static char spec[600];
    unsigned char *data = malloc((size_t)n * SIZE), *bytes = malloc(32 + (size_t)n * SIZE);
    recon_rng rng = recon_rng_new(4, 0);
    float image[SIZE];
    for (size_t i = 0; i < n; i++) {
        draw_photo(image, &rng);
        for (size_t j = 0; j < SIZE; j++)
            data[i * SIZE + j] = (unsigned char)(255 * image[j]);
    }
    size_t size =
        idx_bytes(bytes, 8, (uint32_t[]){ n, SIDE, SIDE, CHANNELS }, 4, data, (size_t)n * SIZE);
    snprintf(spec, sizeof spec, "idx:%s", scratch_write("photos-images-idx3", bytes, size));
    free(data);
    free(bytes);
    return spec;
}

static recon_ieae *untrained(recon_ctx *ctx, recon_preset preset, size_t side, double width)
{
    recon_ieae_shape shape = { .preset = preset,
                               .width = width,
                               .code = CODE,
                               .density = 1,
                               .height = side,
                               .width_px = side,
                               .channels = CHANNELS };
    recon_ieae *m;
    CHECK_OK(ctx, recon_ieae_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 1));
    return m;
}

/* --- quarter turns ---------------------------------------------------------------------------- */

static void quarters_are_rotations(void **state)
{
    float x[SIZE], four[4 * SIZE], rotated[SIZE];
    recon_rng rng = recon_rng_new(1, 0);
    (void)state;
    draw_photo(x, &rng);
    recon_quarters_make(four, x, 1, SIDE, CHANNELS);
    for (size_t k = 0; k < 4; k++) {
        recon_image_rotate(rotated, x, SIDE, SIDE, CHANNELS, (double)k * M_PI / 2, RECON_BILINEAR);
        for (size_t i = 0; i < SIZE; i++)
            CHECK_NEAR(four[k * SIZE + i], rotated[i], 1e-5);
    }
}

/* The answers for x and for x rotated by a quarter turn, in any place of a batch. */
static void quarter_turns_are_exact(void **state)
{
    enum { N = 3 };
    static float x[N][SIZE], turned[N][4][SIZE];
    static float z[N][4][CODE], q[N][4][BINS];
    static double psi[N][4];
    recon_ctx *ctx = *state;
    recon_ieae *m = untrained(ctx, RECON_PRESET_PHOTO_SMALL, SIDE, 0.25);
    recon_rng rng = recon_rng_new(2, 0);
    for (size_t i = 0; i < N; i++) {
        draw_photo(x[i], &rng);
        recon_quarters_make(turned[i][0], x[i], 1, SIDE, CHANNELS);
    }
    CHECK_OK(ctx,
             recon_ieae_embed(ctx, &(recon_seen){ .z = z[0][0], .psi = psi[0], .density = q[0][0] },
                              m, turned[0][0], (size_t)4 * N));
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 4; k++) {
            assert_memory_equal(z[i][k], z[i][0], sizeof z[i][0]);
            CHECK_NEAR(recon_so2_distance(psi[i][k], psi[i][0] + (double)k * M_PI / 2), 0, 1e-12);
            for (size_t b = 0; b < BINS; b++)
                CHECK_NEAR(q[i][k][(b + k * BINS / 4) % BINS], q[i][0][b], 1e-6);
        }
    assert_memory_not_equal(z[0][0], z[1][0], sizeof z[0][0]);
    recon_ieae_preprocess_once(m); /* and a single pass does not follow */
    CHECK_OK(ctx, recon_ieae_embed(ctx, &(recon_seen){ .z = z[0][0] }, m, turned[0][0], 2));
    assert_memory_not_equal(z[0][0], z[0][1], sizeof z[0][0]);
    recon_ieae_close(ctx, m);
}

/* --- sizes ------------------------------------------------------------------------------------ */

static void every_size_has_a_network(void **state)
{
    const size_t sides[] = { 32, 33, 64, 224 };
    recon_ctx *ctx = *state;
    for (size_t i = 0; i < 4; i++) {
        size_t size = sides[i] * sides[i] * CHANNELS;
        recon_ieae *m = untrained(ctx, RECON_PRESET_PHOTO, sides[i], 0.125);
        float *x = malloc(size * sizeof *x), z[CODE];
        for (size_t j = 0; j < size; j++)
            x[j] = (float)(j % 7) / 7;
        CHECK_OK(ctx, recon_ieae_embed(ctx, &(recon_seen){ .z = z }, m, x, 1));
        for (int c = 0; c < CODE; c++)
            assert_true(isfinite(z[c]));
        free(x);
        recon_ieae_close(ctx, m);
    }
}

static void what_it_cannot_do_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_ieae *m = untrained(ctx, RECON_PRESET_PHOTO_SMALL, SIDE, 0.25);
    recon_ieae_options o = tiny;
    recon_train_result r;
    recon_dataset *data;
    float x[SIZE], z[CODE] = { 0 };
    recon_ieae_shape shape = { .preset = RECON_PRESET_PHOTO, .height = 32, .width_px = 40 };
    CHECK_FAILS(ctx, recon_ieae_decode(ctx, x, m, z, 1), RECON_ERR_INPUT, "has no decoder");
    CHECK_FAILS(ctx, recon_encoder_shape(ctx, &shape), RECON_ERR_INPUT,
                "images of 32 x 40: preset photo takes squares of 16 x 16 to 256 x 256");
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, photo_set(24)));
    o.density = -1;
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("m"), &o), RECON_ERR_INPUT,
                "trained by its pose density");
    o = (recon_ieae_options){ .shape = { .preset = RECON_PRESET_SMALL }, .flip = 1 };
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("m"), &o), RECON_ERR_INPUT,
                "preset small is not trained on mirrored images");
    recon_dataset_close(data);
    recon_ieae_close(ctx, m);
}

/* --- trained ---------------------------------------------------------------------------------- */

/* Which way is up is learned from upright pictures alone, and the file gives it back. */
static void up_is_learned(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_dataset *data;
    recon_ieae *m;
    float x[SIZE], rotated[SIZE], q[BINS];
    double off = 0;
    recon_rng rng = recon_rng_new(8, 0);
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, photo_set(96)));
    CHECK_OK(ctx, recon_ieae_train(ctx, &r, data, scratch("m"), &tiny));
    assert_true(r.best < 0.85 * log(BINS)); /* of pictures held out, rotated at random */
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
    for (int i = 0; i < 12; i++) {
        double angle = recon_so2_haar(&rng);
        draw_photo(x, &rng);
        recon_image_rotate(rotated, x, SIDE, SIDE, CHANNELS, angle, RECON_BILINEAR);
        CHECK_OK(ctx, recon_ieae_embed(ctx, &(recon_seen){ .density = q }, m, rotated, 1));
        off += recon_so2_distance(recon_pose_centre(q), angle) / 12;
    }
    assert_true(off < 0.6); /* radians; by chance 1.57 */
    recon_ieae_close(ctx, m);
    recon_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarters_are_rotations),
        SCRATCH_TEST(quarter_turns_are_exact),
        SCRATCH_TEST(every_size_has_a_network),
        SCRATCH_TEST(what_it_cannot_do_is_said),
        SCRATCH_TEST(up_is_learned),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
