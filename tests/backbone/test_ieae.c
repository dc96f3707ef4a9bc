/* The image autoencoder: codes do not rotate, poses do, what it learns survives threads, files and
 * being cut short. */
#include "borders.h"
#include "shapes.h"
#include "backbone/ieae.h"
#include "core/ctx.h"
#include "nn/params.h"
#include "data/dataset.h"

#include <recon/group/so2.h>
#include <recon/ops/backend.h>

static const double right_angle = 1.5707963267948966;
static const recon_ieae_options tiny = {
    .shape = { .preset = RECON_PRESET_SMALL, .width = 0.5, .code = 8 },
    .epochs = 3,
    .batch = 16,
    .seed = 5,
    .overwrite = 1,
};

static void train(recon_ctx *ctx, const recon_ieae_options *o, const char *path, uint32_t n,
                  recon_train_result *r)
{
    recon_dataset *data;
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(n, 1)));
    CHECK_OK(ctx, recon_ieae_train(ctx, r, data, path, o));
    recon_dataset_close(data);
}

/* The code of x rotated by right angles is that of x, the pose is ahead by as much, and the pose
 * density is moved along: even sides and symmetric windows leave no other error than rounding. */
static void check_right_angles(recon_ctx *ctx, const recon_ieae *m)
{
    float x[4][SHAPE_PIXELS], z[4][8];
    float q[4][RECON_POSE_BINS];
    double psi[4], sum = 0;
    const recon_seen seen = { .z = z[0], .psi = psi, .density = q[0] };
    int has_density = recon_ieae_describe(m).density;
    for (int quarter = 0; quarter < 4; quarter++)
        shape_draw(x[quarter], 1, quarter * right_angle, 0.2);
    CHECK_OK(ctx, recon_ieae_embed(ctx, &seen, m, x[0], 4));
    for (int quarter = 0; quarter < 4; quarter++) {
        CHECK_NEAR(recon_so2_distance(psi[quarter], psi[0] + quarter * right_angle), 0, 1e-3);
        for (int b = 0; has_density && b < RECON_POSE_BINS; b++)
            CHECK_NEAR(q[quarter][(b + quarter * RECON_POSE_BINS / 4) % RECON_POSE_BINS], q[0][b],
                       2e-3);
        for (int i = 0; i < 8; i++)
            CHECK_NEAR(z[quarter][i], z[0][i], 1e-3 * (1 + fabs((double)z[0][i])));
    }
    for (int b = 0; has_density && b < RECON_POSE_BINS; b++)
        sum += exp((double)q[0][b]) * 2 * M_PI / RECON_POSE_BINS;
    CHECK_NEAR(sum, has_density, 1e-5);
}

static void right_angles_are_exact(void **state)
{
    recon_ctx *ctx = *state;
    for (int preset = 0; preset < 3; preset++) {
        recon_ieae_options o = tiny;
        recon_train_result r;
        recon_ieae *m;
        o.shape.preset = (recon_preset)preset;
        o.shape.width = 0.2;
        o.shape.mask = preset == 1;
        o.contrast = o.pose = -1; /* one view is enough */
        o.batch = 8;
        o.epochs = 24; /* for norms to know their inputs */
        train(ctx, &o, scratch("m"), 24, &r);
        CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
        assert_int_equal(recon_ieae_describe(m).density, preset != RECON_PRESET_PAPER);
        check_right_angles(ctx, m);
        recon_ieae_close(ctx, m);
    }
}

/* --- the paper's preset ----------------------------------------------------------------------- */

/* Its decoder draws a picture of 16 x 16 pixels, and smaller images are the middle of that: 12 of 16 as
 * 28 of 32. */
static void the_papers_decoder_crops(void **state)
{
    enum { WHOLE = 16, FRAME = (WHOLE - SHAPE_SIDE) / 2, CODE = 8 };
    recon_ctx *ctx = *state;
    recon_ieae_shape shape = {
        .preset = RECON_PRESET_PAPER, .width = 0.1, .code = CODE, .channels = 1
    };
    float z[2][CODE], whole[2][WHOLE * WHOLE], cropped[2][SHAPE_PIXELS];
    recon_ieae *m;
    for (int i = 0; i < 2 * CODE; i++)
        z[i / CODE][i % CODE] = (float)sin(i + 1);
    for (int small = 0; small < 2; small++) {
        shape.height = shape.width_px = small ? SHAPE_SIDE : WHOLE;
        CHECK_OK(ctx, recon_ieae_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 3));
        CHECK_OK(ctx, recon_ieae_decode(ctx, small ? cropped[0] : whole[0], m, z[0], 2));
        recon_ieae_close(ctx, m);
    }
    for (int n = 0; n < 2; n++)
        for (int i = 0; i < SHAPE_PIXELS; i++)
            CHECK_NEAR(cropped[n][i],
                       whole[n][(i / SHAPE_SIDE + FRAME) * WHOLE + i % SHAPE_SIDE + FRAME], 1e-6);
}

/* Its canvas has sides that are multiples of 16: each is cropped, or fits, by itself. */
static void each_side_of_the_papers_canvas_is_cropped(void **state)
{
    recon_ctx *ctx = *state;
    static const size_t side[][2] = { { 16, 16 }, { 16, 9 }, { 9, 16 }, { 9, 17 } };
    const float code[2 * 4] = { 1, -1, 2, 0, 0.5f, 3, -2, 1 };
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        recon_params *p;
        recon_decoder d;
        recon_tape *t;
        recon_ieae_shape shape = { .preset = RECON_PRESET_PAPER,
                                   .code = 4,
                                   .height = side[i][0],
                                   .width_px = side[i][1],
                                   .channels = 1 };
        CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
        CHECK_OK(ctx, recon_decoder_add(ctx, &d, p, "decoder", &shape));
        CHECK_OK(ctx, recon_params_make(ctx, p, 1));
        CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 1));
        CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
        recon_var x =
            recon_decoder_apply(t, &d, recon_var_input(t, code, RECON_F32, (size_t[]){ 2, 4 }, 2));
        CHECK_OK(ctx, recon_tape_status(t));
        const size_t *s = recon_var_shape(x, NULL);
        assert_true(s[0] == 2 && s[1] == side[i][0] && s[2] == side[i][1] && s[3] == 1);
        recon_tape_free(t);
        recon_params_free(ctx, p);
    }
}

/* Whether the file says this of its training. */
static int says(recon_ctx *ctx, const char *path, const char *words)
{
    recon_safetensors *file;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, path));
    int there = strstr(recon_safetensors_metadata(file, "training"), words) != NULL;
    recon_safetensors_close(file);
    return there;
}

/* Nothing but the reconstruction at the paper's rate, unless more is asked for. */
static void the_papers_recipe_is_its_default(void **state)
{
    recon_ctx *ctx = *state;
    recon_ieae_options o = { .shape = { .preset = RECON_PRESET_PAPER, .width = 0.1, .code = 8 },
                             .epochs = 1,
                             .batch = 8,
                             .overwrite = 1 };
    recon_train_result r;
    train(ctx, &o, scratch("m"), 24, &r);
    assert_true(
        says(ctx, scratch("m"), "rate: 0.0008, decay: 0, density: -1, pose: -1, contrast: -1"));
    o.density = 0.3;
    o.rate = 1e-3;
    train(ctx, &o, scratch("m"), 24, &r);
    assert_true(
        says(ctx, scratch("m"), "rate: 0.001, decay: 0, density: 0.3, pose: -1, contrast: -1"));
}

/* --- images from outside ---------------------------------------------------------------------- */

static recon_ieae *untrained(recon_ctx *ctx, size_t side, size_t channels)
{
    recon_ieae_shape shape = tiny.shape;
    recon_ieae *m;
    shape.height = shape.width_px = side;
    shape.channels = channels;
    CHECK_OK(ctx, recon_ieae_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 1));
    return m;
}

/* Counter-clockwise. */
static void quarter(float *out, const float *in, size_t side, size_t channels)
{
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++)
            memcpy(out + ((side - 1 - x) * side + y) * channels, in + (y * side + x) * channels,
                   channels * sizeof *out);
}

static void softened_images_keep_their_mean_and_rotate(void **state)
{
    enum { SIDE = 9, CHANNELS = 2, SIZE = SIDE * SIDE * CHANNELS };
    recon_ctx *ctx = *state;
    recon_ieae *m = untrained(ctx, SIDE, CHANNELS);
    recon_rng rng = recon_rng_new(3, 0);
    float x[2][SIZE] = { { 0 } }, rotated[SIZE], soft[2][SIZE], want[SIZE];
    double before[CHANNELS] = { 0 }, after[CHANNELS] = { 0 };
    for (int i = 0; i < 2 * SIZE; i++) { /* nothing at the borders */
        int row = i % SIZE / (SIDE * CHANNELS), column = i / CHANNELS % SIDE;
        if (row > 0 && row < SIDE - 1 && column > 0 && column < SIDE - 1)
            x[i / SIZE][i % SIZE] = (float)recon_rng_uniform(&rng);
    }
    recon_ieae_preprocess(soft[0], m, x[0], 2);
    for (int i = 0; i < SIZE; i++) {
        before[i % CHANNELS] += (double)x[1][i];
        after[i % CHANNELS] += (double)soft[1][i];
    }
    for (int c = 0; c < CHANNELS; c++)
        CHECK_NEAR(after[c], before[c], 1e-4);
    quarter(rotated, x[1], SIDE, CHANNELS);
    quarter(want, soft[1], SIDE, CHANNELS);
    recon_ieae_preprocess(rotated, m, rotated, 1); /* in place */
    for (int i = 0; i < SIZE; i++)
        CHECK_NEAR(rotated[i], want[i], 1e-6);
    recon_ieae_close(ctx, m);
}

/* --- training---------------------------------------------------------------------------------- */

static void training_learns_to_rebuild_and_to_tell_rotations(void **state)
{
    plain_build_only();
    recon_ctx *ctx = *state;
    recon_ieae_options o = tiny;
    recon_train_result first, last;
    recon_ieae *m;
    float x[2][SHAPE_PIXELS], z[2][8];
    double psi[2], worst = 0;
    o.epochs = 1;
    train(ctx, &o, scratch("m"), 250, &first);
    o.epochs = 10;
    train(ctx, &o, scratch("m"), 250, &last);
    CHECK_LESS(last.best, first.best - 0.5); /* nats */
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
    for (double rotation = 0.1; rotation < 3.1; rotation += 0.3) { /* any angle, nearly */
        shape_draw(x[0], 0, 0, 0);
        shape_draw(x[1], 0, rotation, 0);
        CHECK_OK(ctx, recon_ieae_embed(ctx, &(recon_seen){ .z = z[0], .psi = psi }, m, x[0], 2));
        worst = fmax(worst, recon_so2_distance(psi[1] - psi[0], rotation));
    }
    CHECK_LESS(worst, 0.4); /* 0.15 to 0.24 by the CPU */
    recon_ieae_close(ctx, m);
}

/* As `recon train --plain` asks for it: one view, rotated and nothing else. */
static void the_reconstruction_alone_has_no_density_and_no_warp(void **state)
{
    recon_ctx *ctx = *state;
    recon_ieae_options o = tiny;
    recon_train_result r;
    recon_safetensors *file;
    recon_ieae *m;
    o.contrast = o.pose = o.density = o.warp = -1;
    o.epochs = 1;
    train(ctx, &o, scratch("m"), 24, &r);
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
    assert_int_equal(recon_ieae_describe(m).density, 0);
    recon_ieae_close(ctx, m);
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("m")));
    assert_non_null(strstr(recon_safetensors_metadata(file, "training"), ", warp: 0,"));
    recon_safetensors_close(file);
}

/* The mean over all that is held out, whether or not it fills the last block of validation. */
static void validation_leaves_nothing_out_and_counts_nothing_twice(void **state)
{
    enum { BLOCK = 4, MOST = 2 * BLOCK + 1 };
    static const uint32_t n[] = { BLOCK - 1, BLOCK, BLOCK + 1, MOST };
    recon_ctx *ctx = *state;
    recon_ieae_options o = tiny;
    o.contrast = o.pose = o.density = -1;
    o.epochs = 1;
    o.batch = BLOCK; /* what validation takes at a time too */
    for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
        float x[MOST][SHAPE_PIXELS], got[MOST][SHAPE_PIXELS], z[MOST][8], back[SHAPE_PIXELS];
        recon_dataset *data, *rest, *held;
        recon_train_result r;
        recon_ieae *m;
        double psi[MOST], sum = 0;
        train(ctx, &o, scratch("m"), RECON_HELD_OUT * n[k], &r);
        CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(RECON_HELD_OUT * n[k], 1)));
        CHECK_OK(ctx, recon_dataset_split(ctx, &rest, &held, data, RECON_HELD_OUT, 0));
        CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
        for (size_t i = 0; i < n[k]; i++)
            recon_dataset_get(x[i], held, i);
        CHECK_OK(ctx, recon_ieae_embed(ctx, &(recon_seen){ .z = z[0], .psi = psi }, m, x[0], n[k]));
        CHECK_OK(ctx, recon_ieae_decode(ctx, got[0], m, z[0], n[k]));
        recon_ieae_preprocess(x[0], m, x[0], n[k]);
        for (size_t i = 0; i < n[k]; i++) {
            recon_image_rotate(back, got[i], SHAPE_SIDE, SHAPE_SIDE, 1, psi[i], RECON_BILINEAR);
            for (int j = 0; j < SHAPE_PIXELS; j++)
                sum += pow((double)back[j] - (double)x[i][j], 2);
        }
        CHECK_NEAR(r.best, sum / (n[k] * SHAPE_PIXELS), 1e-4 * r.best);
        recon_ieae_close(ctx, m);
        recon_dataset_close(rest);
        recon_dataset_close(held);
        recon_dataset_close(data);
    }
}

/* As `recon train --plain --views given` asks for it. A white frame is soon learned by heart, unless it
 * comes in a new pose each time. */
static void views_as_given_are_not_rotated(void **state)
{
    enum { N = 24 };
    recon_ctx *ctx = *state;
    recon_ieae_options o = tiny;
    recon_train_result given, rotated;
    recon_dataset *data;
    recon_safetensors *file;
    float *images = calloc(N, SHAPE_PIXELS * sizeof *images);
    for (size_t i = 0; i < (size_t)N * SHAPE_PIXELS; i++)
        images[i] = i % SHAPE_PIXELS ? 1 : 0; /* all of one colour would be refused */
    CHECK_OK(ctx, recon_dataset_make(ctx, &data,
                                     &(recon_array){ .data = images,
                                                     .dtype = RECON_F32,
                                                     .ndim = 3,
                                                     .shape = { N, SHAPE_SIDE, SHAPE_SIDE } },
                                     NULL, NULL));
    o.contrast = o.pose = o.density = -1;
    o.epochs = 15;
    o.batch = 11;
    CHECK_OK(ctx, recon_ieae_train(ctx, &rotated, data, scratch("rotated"), &o));
    o.views = RECON_VIEWS_GIVEN;
    CHECK_OK(ctx, recon_ieae_train(ctx, &given, data, scratch("given"), &o));
    CHECK_LESS(given.loss, 0.2 * rotated.loss); /* 0.06 by the CPU; of softened rotated ones 0.37 */
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("given")));
    assert_non_null(strstr(recon_safetensors_metadata(file, "training"), ", views: given,"));
    recon_safetensors_close(file);
    o.pose = 1;
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &given, data, scratch("terms"), &o), RECON_ERR_INPUT,
                "views given needs plain or preset paper");
    recon_dataset_close(data);
    free(images);
}

/* Interrupts the first training that reports how far it is. */
static recon_ctx *one;
static void stop_once(void *user, const recon_progress *p)
{
    int *stops = user;
    if (!strcmp(p->label, "train") && !(*stops)++)
        recon_ctx_interrupt(one);
}

static void threads_and_a_resumed_run_give_the_same_bits(void **state)
{
    int stops = 0;
    recon_ctx *ctx = *state;
    one = recon_ctx_new(
        &(recon_ctx_options){ .threads = 1, .on_progress = stop_once, .user = &stops });
    one->progress.every = 0; /* the first step, however fast the machine */
    recon_ieae_options o = tiny;
    recon_train_result r;
    recon_dataset *data;
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(60, 1)));
    o.threads = 1;
    CHECK_OK(ctx, recon_ieae_train(ctx, &r, data, scratch("two"), &o));
    o.threads = 3;
    CHECK_FAILS(one, recon_ieae_train(one, &r, data, scratch("one"), &o), RECON_ERR_INTERRUPTED,
                "interrupted after step");
    recon_ctx_resume(one);
    o.resume = 1;
    CHECK_OK(one, recon_ieae_train(one, &r, data, scratch("one"), &o));
    scratch_same(scratch("one"), scratch("two"));
    recon_dataset_close(data);
    recon_ctx_free(one);
}

/* One pass, a part of one, and several, of a network that is as narrow as can be. */
static void batches_of_any_size_embed_alike(void **state)
{
    enum { CODE = 2, MOST = BORDER_MOST(RECON_BLOCK_IMAGES) };
    static float x[MOST][SHAPE_PIXELS], z[MOST + 1][CODE];
    recon_ctx *ctx = *state;
    double psi[MOST];
    recon_ieae *m;
    const recon_ieae_shape shape = { .preset = RECON_PRESET_SMALL,
                                     .width = 1.0 / 64,
                                     .code = CODE,
                                     .height = SHAPE_SIDE,
                                     .width_px = SHAPE_SIDE,
                                     .channels = 1 };
    CHECK_OK(ctx, recon_ieae_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 1));
    for (int i = 0; i < MOST; i++)
        shape_draw(x[i], i % 2, 0.1 * i, 0.2);
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_IMAGES, k);
        memset(z, 0, sizeof z);
        CHECK_OK(ctx, recon_ieae_embed(ctx, &(recon_seen){ .z = z[0], .psi = psi }, m, x[0], n));
        CHECK_NEAR(z[n][0], 0, 0); /* and nothing behind them */
        for (size_t i = n % 37; i < n; i += i + 37 < n ? 37 : n - 1 > i ? n - 1 - i : 1) {
            float alone[CODE];
            double angle;
            CHECK_OK(ctx,
                     recon_ieae_embed(ctx, &(recon_seen){ .z = alone, .psi = &angle }, m, x[i], 1));
            CHECK_NEAR(recon_so2_distance(angle, psi[i]), 0, 1e-3);
            for (int j = 0; j < CODE; j++)
                CHECK_NEAR(alone[j], z[i][j], 1e-4 * (1 + fabs((double)alone[j])));
        }
    }
    recon_ieae_close(ctx, m);
}

static void what_does_not_fit_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_dataset *data;
    recon_embedded e;
    recon_ieae *m;
    recon_ieae_options o = tiny;
    train(ctx, &tiny, scratch("m"), 40, &r);
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m"), RECON_SINGLE));
    char spec[600];
    snprintf(spec, sizeof spec, "idx:%s", idx_set("other", 20));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
    CHECK_FAILS(ctx, recon_backbone_embed(ctx, &e, &m->base, recon_dataset_data(data)),
                RECON_ERR_INPUT, "images of 4 x 3 x 1, but the model was made for 12 x 12 x 1");
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("n"), &o), RECON_ERR_INPUT,
                "8 x 8 at least");
    recon_dataset_close(data);
    recon_ieae_close(ctx, m);
    scratch_write("text", "not a model", 11);
    CHECK_FAILS(ctx, recon_ieae_open(ctx, &m, scratch("text"), RECON_SINGLE), RECON_ERR_FORMAT,
                "text");
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, shape_set(40, 1)));
    o.batch = 64;
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("n"), &o), RECON_ERR_INPUT,
                "do not fill a batch of 64");
    o.shape.width = 1e9;
    CHECK_FAILS(ctx, recon_ieae_train(ctx, &r, data, scratch("n"), &o), RECON_ERR_INPUT, "width");
    recon_dataset_close(data);
}

/* The weights of a small network under the name of another: refused by the first that differs,
 * before there is memory for it. */
static void a_file_may_not_describe_more_than_it_holds(void **state)
{
    recon_ctx *ctx = *state;
    recon_metadata_entry m[] = {
        { "model", "ieae" },    { "preset", "small" }, { "width_factor", "0.5" },
        { "frequencies", "4" }, { "code", "8" },       { "mask", "0" },
        { "density", "0" },     { "height", "12" },    { "width", "12" },
        { "channels", "1" },
    };
    const struct {
        int key;
        const char *value, *message;
        recon_status status;
    } lie[] = {
        { 2, "32", "'encoder.conv0.weight' is", RECON_ERR_INPUT },
        { 2, "1e9", "'width_factor' is '1e9': 0 to 64", RECON_ERR_FORMAT },
        { 3, "2.5", "'frequencies' is '2.5': 1 to", RECON_ERR_FORMAT },
        { 4, "4000", "'encoder.head.weight' is", RECON_ERR_INPUT },
        { 7, "1024", "'decoder.widen.weight' is", RECON_ERR_INPUT },
        { 7, "2048", "images of 2048 x 12 x 1: at most", RECON_ERR_INPUT },
        { 9, "-1", "'channels' is '-1': 1 to", RECON_ERR_FORMAT },
    };
    recon_ieae *own = untrained(ctx, SHAPE_SIDE, 1), *got;
    size_t n = sizeof m / sizeof *m;
    CHECK_OK(ctx, recon_params_save(ctx, scratch("true"), own->base.params, m, n));
    CHECK_OK(ctx, recon_ieae_open(ctx, &got, scratch("true"), RECON_SINGLE));
    recon_ieae_close(ctx, got);
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        const char *honest = m[lie[i].key].value;
        m[lie[i].key].value = lie[i].value;
        CHECK_OK(ctx, recon_params_save(ctx, scratch("lie"), own->base.params, m, n));
        m[lie[i].key].value = honest;
        CHECK_FAILS(ctx, recon_ieae_open(ctx, &got, scratch("lie"), RECON_SINGLE), lie[i].status,
                    lie[i].message);
        assert_null(got);
    }
    recon_ieae_close(ctx, own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(right_angles_are_exact),
        SCRATCH_TEST(the_papers_decoder_crops),
        SCRATCH_TEST(each_side_of_the_papers_canvas_is_cropped),
        SCRATCH_TEST(the_papers_recipe_is_its_default),
        SCRATCH_TEST(softened_images_keep_their_mean_and_rotate),
        SCRATCH_TEST(training_learns_to_rebuild_and_to_tell_rotations),
        SCRATCH_TEST(the_reconstruction_alone_has_no_density_and_no_warp),
        SCRATCH_TEST(validation_leaves_nothing_out_and_counts_nothing_twice),
        SCRATCH_TEST(views_as_given_are_not_rotated),
        SCRATCH_TEST(threads_and_a_resumed_run_give_the_same_bits),
        SCRATCH_TEST(batches_of_any_size_embed_alike),
        SCRATCH_TEST(what_does_not_fit_is_said),
        SCRATCH_TEST(a_file_may_not_describe_more_than_it_holds),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
