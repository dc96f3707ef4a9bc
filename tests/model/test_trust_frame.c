/* The frame of a picture never tells the pose: whatever its shape, a network sees the same disc; blank
 * paper has no pose; and where bars are in the images themselves, trust says so. */
#include "check.h"
#include "backbone/ieae.h"
#include "backbone/pose_density.h"
#include "core/picture.h"
#include "data/dataset.h"
#include "maps/so2_map.h"
#include "model/trust.h"
#include "scratch.h"

#include <recon/data/bitmap.h>
#include <recon/group/so2.h>
#include <stdlib.h>

enum { SIDE = 16, PIXELS = SIDE * SIDE, N = 96, LONG = 40, SHORT = 30, MOST = 60 * 60 };

/* --- what is seen ----------------------------------------------------------------------------- */

/* Paper with something on it, endless: at a place from its middle, rows down. */
static uint8_t paper(double x, double y)
{
    return (uint8_t)(200 + 40 * sin(0.9 * x + 0.3 * y) * cos(0.4 * x - 0.7 * y + 1));
}

/* Seen through a frame, after the paper has been rotated by so many right angles. */
static recon_bitmap look(uint8_t *out, size_t height, size_t width, int quarters)
{
    for (size_t i = 0; i < height; i++)
        for (size_t j = 0; j < width; j++) {
            double x = (double)j - (double)(width - 1) / 2,
                   y = (double)i - (double)(height - 1) / 2;
            for (int q = 0; q < quarters; q++) {
                double before = x;
                x = -y, y = before;
            }
            out[i * width + j] = paper(x, y);
        }
    return (recon_bitmap){
        .height = height, .width = width, .channels = 1, .dtype = RECON_U8, .samples = out
    };
}

typedef struct {
    float z[8];
    double psi;
    float q[RECON_POSE_BINS];
} answer;

static answer ask(recon_ctx *ctx, const recon_ieae *m, int crop, const recon_bitmap *picture)
{
    float x[PIXELS];
    answer a;
    CHECK_OK(ctx, recon_bitmap_see(ctx, x, SIDE, SIDE, 1, crop, picture));
    CHECK_OK(ctx, recon_ieae_embed(ctx, &(recon_seen){ .z = a.z, .psi = &a.psi, .density = a.q }, m,
                                   x, 1));
    return a;
}

static void check_same(const answer *a, const answer *b, double between)
{
    for (int i = 0; i < 8; i++)
        CHECK_NEAR(a->z[i], b->z[i], 1e-3);
    CHECK_NEAR(recon_so2_distance(b->psi, a->psi + between), 0, 1e-3);
}

/* Content rotated inside an upright frame, and rotated with it; a frame that is wider, or just wide
 * enough. */
static void the_network_sees_no_frame(void **state)
{
    recon_ctx *ctx = *state;
    static uint8_t pixels[MOST];
    const recon_ieae_shape shape = { .preset = RECON_PRESET_SMALL,
                                     .width = 0.25,
                                     .code = 8,
                                     .height = SIDE,
                                     .width_px = SIDE,
                                     .channels = 1,
                                     .mask = RECON_MASK_DISC,
                                     .density = 1 };
    recon_ieae *m;
    CHECK_OK(ctx, recon_ieae_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 3));
    for (int crop = 0; crop < 2; crop++)
        for (int quarters = 0; quarters < 4; quarters++) {
            static const size_t frames[][2] = {
                { SHORT, LONG }, { LONG, SHORT }, { SHORT, 52 }, { SHORT, SHORT + 2 }
            };
            recon_bitmap upright = look(pixels, SHORT, LONG, 0);
            answer a = ask(ctx, m, crop, &upright), b;
            for (size_t f = 0; f < 4; f++) {
                recon_bitmap other = look(pixels, frames[f][0], frames[f][1], quarters);
                b = ask(ctx, m, crop, &other);
                check_same(&a, &b, quarters * M_PI / 2);
            }
        }
    recon_ieae_close(ctx, m);
}

/* --- what is learned -------------------------------------------------------------------------- */

/* Light paper with a few dark spots; above and below it `bar` rows of nothing. */
static void draw(float *out, size_t height, size_t width, size_t bar, recon_rng *rng)
{
    for (size_t i = 0; i < height * width; i++)
        out[i] = i / width < bar || i / width >= height - bar
                     ? 0
                     : (float)(0.85 - 0.05 * recon_rng_uniform(rng));
    for (int spot = 0; spot < 6; spot++) {
        size_t row = bar + recon_rng_below(rng, height - 2 * bar - 2);
        size_t column = recon_rng_below(rng, width - 2);
        for (size_t k = 0; k < 4; k++)
            out[(row + k / 2) * width + column + k % 2] = 0.2f;
    }
}

static double frame_of(recon_ctx *ctx, const recon_ieae *m, const recon_dataset *data)
{
    double frame;
    CHECK_OK(ctx, recon_trust_frame(ctx, &frame, &m->base, recon_dataset_data(data)));
    return frame;
}

static recon_ieae *learn(recon_ctx *ctx, const recon_dataset *data)
{
    recon_train_result r;
    recon_ieae *m;
    CHECK_OK(ctx, recon_ieae_train(
                      ctx, &r, data, scratch("m.safetensors"),
                      &(recon_ieae_options){
                          .shape = { .preset = RECON_PRESET_SMALL, .width = 0.25, .code = 8 },
                          .epochs = 8,
                          .batch = 22,
                          .seed = 1,
                          .overwrite = 1 }));
    CHECK_OK(ctx, recon_ieae_open(ctx, &m, scratch("m.safetensors"), RECON_SINGLE));
    return m;
}

/* Bars that are in the images already are no matter of how pictures are read: they tell. */
static void bars_tell_the_pose(void **state)
{
    recon_ctx *ctx = *state;
    static float images[N][PIXELS];
    recon_rng rng = recon_rng_new(5, 0);
    for (size_t bar = 0; bar < 4; bar += 3) {
        recon_dataset *data;
        recon_trust t = recon_trust_unmeasured();
        for (int i = 0; i < N; i++)
            draw(images[i], SIDE, SIDE, bar, &rng);
        recon_array x = {
            .dtype = RECON_F32, .ndim = 3, .shape = { N, SIDE, SIDE }, .data = images
        };
        CHECK_OK(ctx, recon_dataset_make(ctx, &data, &x, NULL, NULL));
        recon_ieae *m = learn(ctx, data);
        t.frame = frame_of(ctx, m, data);
        t.points = 100;
        recon_trust_judge(&t);
        assert_int_equal(t.against & RECON_TRUST_FRAME, bar ? RECON_TRUST_FRAME : 0);
        if (bar)
            assert_int_equal(t.level, RECON_TRUST_NOT);
        recon_ieae_close(ctx, m);
        recon_dataset_close(data);
    }
}

static recon_natural natural_of_blank(recon_ctx *ctx, const recon_ieae *m, size_t height,
                                      size_t width, recon_rng *rng)
{
    static uint8_t pixels[MOST];
    recon_so2_map map = { .family = RECON_SO2_NORMAL };
    recon_natural natural;
    for (size_t i = 0; i < height * width; i++)
        pixels[i] = (uint8_t)(210 + recon_rng_below(rng, 12));
    const recon_bitmap blank = {
        .height = height, .width = width, .channels = 1, .dtype = RECON_U8, .samples = pixels
    };
    answer a = ask(ctx, m, 0, &blank);
    recon_so2_map_density(&map, a.psi, a.q, RECON_MAPS_LAMBDA);
    CHECK_OK(ctx, recon_trust_natural(ctx, &natural, &map.density));
    return natural;
}

/* The same paper as files of two shapes. */
static void blank_paper_has_no_pose(void **state)
{
    recon_ctx *ctx = *state;
    static float image[SHORT * LONG];
    static uint8_t bytes[SHORT * LONG];
    recon_dataset *data;
    recon_rng rng = recon_rng_new(6, 0);
    char name[32], spec[600];
    scratch_clear();
    for (int i = 0; i < N; i++) {
        size_t wide = i % 3 ? LONG : SHORT, tall = SHORT + LONG - wide;
        draw(image, tall, wide, 0, &rng);
        for (size_t k = 0; k < tall * wide; k++)
            bytes[k] = (uint8_t)(255 * image[k]);
        snprintf(name, sizeof name, "%02d.png", i);
        CHECK_OK(ctx, recon_png_write(ctx, scratch(name), bytes, tall, wide, 1));
    }
    snprintf(spec, sizeof spec, "images:%s", scratch_folder);
    CHECK_OK(ctx,
             recon_dataset_open_with(ctx, &data, spec, &(recon_dataset_options){ .size = SIDE }));
    recon_ieae *m = learn(ctx, data);
    assert_int_equal(recon_ieae_describe(m).mask, RECON_MASK_DISC);
    CHECK_LESS(frame_of(ctx, m, data), 0.1);
    for (int i = 0; i < 20; i++)
        assert_int_equal(natural_of_blank(ctx, m, i % 2 ? SHORT : LONG, i % 2 ? LONG : SHORT, &rng),
                         RECON_NATURAL_UNSURE);
    recon_ieae_close(ctx, m);
    recon_dataset_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_network_sees_no_frame),
        cmocka_unit_test(bars_tell_the_pose),
        cmocka_unit_test(blank_paper_has_no_pose),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
