/* Rotated and warped images: the op's convention, quarter turns exact, maps that undo each other. */
#include "borders.h"
#include "check.h"
#include "core/pixels.h"
#include "data/image.h"
#include "ops/ops.h"

#include <recon/data/bitmap.h>
#include <recon/data/dataset.h>
#include <recon/group/so2.h>
#include <recon/ops/backend.h>

#include <stdlib.h>

enum { H = 9, W = 12, C = 3, N = H * W * C, SIDE = 41 };
#define PI 3.14159265358979323846

static void noise(float *x, size_t n, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)recon_rng_uniform(&rng);
}

static void it_rotates_as_the_op_does(void **state)
{
    recon_ctx *ctx = *state;
    float x[N], got[N], want[N];
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    noise(x, N, 1);
    for (size_t c = 1; c <= C; c++)
        for (double t = -3.1; t < 3.2; t += 0.3) {
            float angle = (float)t;
            recon_tensor image = {
                .type = RECON_F32, .ndim = 4, .shape = { 1, H, W, c }, .data = x
            };
            recon_rotate_args args = { .x = image,
                                       .y = image,
                                       .angle = { RECON_F32, 1, { 1 }, &angle } };
            args.y.data = want;
            CHECK_OK(ctx, recon_ops_of(ctx)->rotate(ctx, &args));
            recon_image_rotate(got, x, H, W, c, (double)angle, RECON_BILINEAR);
            for (size_t i = 0; i < H * W * c; i++)
                CHECK_NEAR(got[i], want[i], 1e-6);
        }
}

static void quarter_turns_are_exact(void **state)
{
    (void)state;
    static float x[SIDE * SIDE], y[SIDE * SIDE];
    for (size_t side = 1; side <= SIDE; side += 5)
        for (int kind = 0; kind < 2; kind++) {
            noise(x, side * side, side);
            recon_image_rotate(y, x, side, side, 1, PI / 2, (recon_interpolation)kind);
            for (size_t p = 0; p < side; p++) /* the right edge comes to the top */
                for (size_t q = 0; q < side; q++)
                    assert_true(y[p * side + q] == x[q * side + side - 1 - p]);
            recon_image_rotate(y, x, side, side, 1, 0, (recon_interpolation)kind);
            assert_memory_equal(x, y, side * side * sizeof *x);
        }
}

/* A smooth blob off the middle. */
static void blob(float *x, double cx, double cy, double width)
{
    for (int p = 0; p < SIDE; p++)
        for (int q = 0; q < SIDE; q++) {
            double dx = q - SIDE / 2 - cx, dy = SIDE / 2 - p - cy;
            x[p * SIDE + q] = (float)exp(-(dx * dx + dy * dy) / (2 * width * width));
        }
}

static double farthest(const float *a, const float *b)
{
    double most = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

static void a_blob_goes_where_its_centre_goes_and_comes_back(void **state)
{
    (void)state;
    static float x[SIDE * SIDE], y[SIDE * SIDE], want[SIDE * SIDE];
    const double at[2] = { 8, 3 }, error[2] = { 0.03, 0.003 }; /* bilinear, bicubic */
    blob(x, at[0], at[1], 3);
    for (double t = -3; t <= 3; t += 0.37)
        for (int kind = 0; kind < 2; kind++) {
            double to[2];
            recon_so2_act(to, t, at);
            blob(want, to[0], to[1], 3);
            recon_image_rotate(y, x, SIDE, SIDE, 1, t, (recon_interpolation)kind);
            CHECK_LESS(farthest(y, want), error[kind]);
            recon_image_rotate(want, y, SIDE, SIDE, 1, -t, (recon_interpolation)kind);
            CHECK_LESS(farthest(want, x), 2 * error[kind]);
        }
}

static void a_warp_shows_what_its_source_shows(void **state)
{
    (void)state;
    static float x[SIDE * SIDE], y[SIDE * SIDE];
    const recon_affine source = { { { 0.9, 0.2 }, { -0.1, 1.1 } }, { 1.5, -0.7 } };
    for (int p = 0; p < SIDE; p++) /* linear: both interpolations are exact inside */
        for (int q = 0; q < SIDE; q++)
            x[p * SIDE + q] = (float)(2 * (q - SIDE / 2) + 3 * (SIDE / 2 - p));
    for (int kind = 0; kind < 2; kind++) {
        recon_image_warp(y, x, SIDE, SIDE, 1, &source, (recon_interpolation)kind);
        for (int v = -9; v <= 9; v++)
            for (int u = -9; u <= 9; u++) {
                double sx = 0.9 * u + 0.2 * v + 1.5, sy = -0.1 * u + 1.1 * v - 0.7;
                CHECK_NEAR(y[(SIDE / 2 - v) * SIDE + SIDE / 2 + u], 2 * sx + 3 * sy, 1e-4);
            }
    }
}

static void outside_there_is_nothing(void **state)
{
    (void)state;
    float x[N], y[N];
    noise(x, N, 2);
    const double far[] = { 1e300, -1e300, 40, NAN, INFINITY };
    for (int i = 0; i < 5; i++)
        for (int kind = 0; kind < 2; kind++) {
            recon_affine source = { { { 1, 0 }, { 0, 1 } }, { far[i], 0 } };
            recon_image_warp(y, x, H, W, C, &source, (recon_interpolation)kind);
            for (int j = 0; j < N; j++)
                assert_true(y[j] == 0);
        }
    recon_image_rotate(y, x, 0, 0, 1, 1, RECON_BILINEAR); /* an image without pixels */
}

/* The edge goes on: an image of one value keeps it, and where a view shows the inside alone nothing
 * changes. */
static void an_edge_goes_on(void **state)
{
    (void)state;
    float x[N], y[N], edge[N];
    recon_affine source = recon_image_rotate_source(0.6);
    source.shift[0] = 1.5;
    for (int kind = 0; kind < 2; kind++) {
        for (int j = 0; j < N; j++)
            x[j] = 0.7f;
        recon_image_warp(y, x, H, W, C, &source, (recon_interpolation)kind);
        recon_image_fill_edge(y, x, H, W, C, &source, (recon_interpolation)kind);
        for (int j = 0; j < N; j++)
            CHECK_NEAR(y[j], 0.7f, 1e-6);
        noise(x, N, 3);
        recon_image_warp(y, x, H, W, C, &source, (recon_interpolation)kind);
        memcpy(edge, y, sizeof y);
        recon_image_fill_edge(edge, x, H, W, C, &source, (recon_interpolation)kind);
        int middle = (H / 2 * W + W / 2) * C, changed = 0;
        for (int c = 0; c < C; c++)
            assert_true(edge[middle + c] == y[middle + c]);
        for (int j = 0; j < N; j++)
            changed += edge[j] != y[j];
        assert_true(changed > 0);
    }
}

static void a_picture_fits_with_its_mean_and_its_slope(void **state)
{
    (void)state;
    static float x[SIDE * SIDE], y[64 * 64];
    for (size_t size = 5; size <= 64; size += 7) { /* smaller and larger */
        double step = (double)SIDE / (double)size, middle = ((double)size - 1) / 2;
        for (int p = 0; p < SIDE; p++)
            for (int q = 0; q < SIDE; q++)
                x[p * SIDE + q] = (float)(1 + 0.1 * q - 0.05 * p);
        recon_image_fit(y, size, x, SIDE, SIDE, 1);
        for (size_t p = 0; p < size; p++) /* a plane stays one, but for the rim's one-sided means */
            for (size_t q = 0; q < size; q++) {
                double row = ((double)p - middle) * step, col = ((double)q - middle) * step;
                double reach = SIDE / 2.0 - fmax(step, 1);
                if (fabs(row) < reach && fabs(col) < reach)
                    CHECK_NEAR(y[p * size + q],
                               1 + 0.1 * (col + SIDE / 2) - 0.05 * (row + SIDE / 2),
                               size < SIDE ? 0.02 : 1e-5);
            }
        for (int i = 0; i < SIDE * SIDE; i++)
            x[i] = i % 2 ? 1 : 0; /* a chequerboard rotates grey, it does not alias */
        recon_image_fit(y, size, x, SIDE, SIDE, 1);
        for (size_t i = 0; size < SIDE / 2 && i < size * size; i++)
            CHECK_NEAR(y[i], 0.5, 0.05);
    }
    recon_image_fit(y, SIDE, x, SIDE, SIDE, 1);
    assert_memory_equal(x, y, sizeof x); /* its own size: as it was */
}

/* --- pictures of whole numbers ---------------------------------------------------------------- */

static void rotate_pixels(uint8_t *out, const recon_pixels *p, double angle, int kind)
{
    size_t stride = recon_pixels_size(p) / p->height;
    for (size_t y = 0; y < p->height; y += 4)
        recon_pixels_rotate(
            out + y * stride, p,
            &(recon_pixels_rotation){ .angle = angle, .interpolation = (recon_interpolation)kind },
            y, p->height - y < 4 ? p->height - y : 4);
}

static void whole_numbers_rotate_as_floats_do(void **state)
{
    (void)state;
    uint8_t bytes[2 * N], got[2 * N];
    float x[N], want[N];
    recon_rng rng = recon_rng_new(5, 0);
    for (int deep = 0; deep < 2; deep++)
        for (size_t c = 1; c <= 3; c += 2)
            for (int kind = 0; kind < 2; kind++) {
                recon_pixels p = { H, W, c, bytes, deep, 0 };
                for (size_t i = 0; i < sizeof bytes; i++)
                    bytes[i] = (uint8_t)recon_rng_u32(&rng);
                for (size_t i = 0; i < H * W * c; i++)
                    x[i] = deep ? ((uint16_t *)(void *)bytes)[i] : bytes[i];
                rotate_pixels(got, &p, 0.7, kind);
                recon_image_rotate(want, x, H, W, c, 0.7, (recon_interpolation)kind);
                for (size_t i = 0; i < H * W * c; i++) {
                    double most = deep ? 65535 : 255, clipped = fmin(fmax(want[i], 0), most);
                    CHECK_NEAR(deep ? ((uint16_t *)(void *)got)[i] : got[i], clipped, 0.51);
                }
            }
}

/* Rows of a picture as wide and as high as what is done at a time; images in any number. */
static void blocks_rotate_as_single_images_do(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_PIXELS) };
    static uint8_t bytes[MOST * MOST], got[MOST * MOST];
    static float x[MOST * MOST], want[MOST * MOST];
    for (int k = 0; k < BORDERS; k++) {
        size_t side = border(RECON_BLOCK_PIXELS, k), n = border(RECON_BLOCK_ROTATE, k);
        recon_bitmap p = { side, side, 1, 0, RECON_U8, bytes };
        for (size_t i = 0; i < side * side; i++)
            x[i] = bytes[i] = (uint8_t)(i * 2654435761u >> 13);
        recon_image_rotate(want, x, side, side, 1, 0.7, RECON_BILINEAR);
        CHECK_OK(*state, recon_bitmap_rotate(*state, got, &p, 0.7, RECON_BILINEAR));
        for (size_t i = 0; i < side * side; i++)
            CHECK_NEAR(got[i], want[i], 0.51);
        float *all = malloc(n * 9 * sizeof *all), one[9];
        double angle[BORDER_MOST(RECON_BLOCK_ROTATE)];
        for (size_t i = 0; i < n; i++)
            angle[i] = 0.1 * (double)i;
        CHECK_OK(*state, recon_images_rotate(*state, all, x, NULL, angle, n,
                                             &(recon_image_size){ 3, 3, 1 }, RECON_BILINEAR, 0));
        for (size_t i = 0; i < n; i++) {
            recon_image_rotate(one, x + 9 * i, 3, 3, 1, angle[i], RECON_BILINEAR);
            assert_memory_equal(all + 9 * i, one, sizeof one);
        }
        free(all);
    }
}

/* Quarter rotates move pixels, whatever is transparent; a whole one changes nothing that is seen. */
static void alpha_rotates_with_its_colours(void **state)
{
    (void)state;
    enum { S = 11 };
    uint8_t x[S * S * 4], y[S * S * 4];
    for (size_t c = 2; c <= 4; c += 2)
        for (int kind = 0; kind < 2; kind++) {
            recon_rng rng = recon_rng_new(6, c);
            recon_pixels p = { S, S, c, x, 0, 1 };
            for (size_t i = 0; i < sizeof x; i++)
                x[i] = (uint8_t)(1 + recon_rng_u32(&rng) % 255);
            rotate_pixels(y, &p, PI / 2, kind);
            for (size_t r = 0; r < S; r++)
                for (size_t q = 0; q < S; q++)
                    assert_memory_equal(y + (r * S + q) * c, x + (q * S + S - 1 - r) * c, c);
            rotate_pixels(y, &p, 0.5, kind); /* the corners come from outside */
            assert_int_equal(y[c - 1], 0);
        }
}

/* What comes into the frame is the colour that was asked for, or goes on from the edge; and a frame that
 * holds all of the picture keeps every pixel of it, whatever the number of channels. */
static void what_comes_into_the_frame_is_filled(void **state)
{
    enum { S = 20, MOST = 5 };
    static uint8_t x[S * S * MOST], y[4 * S * S * MOST];
    (void)state;
    for (size_t c = 1; c <= MOST; c++)
        for (int kind = 0; kind < 2; kind++) {
            recon_pixels p = { S, S, c, x, 0, c == 2 || c == 4 };
            recon_pixels_rotation r = { .angle = PI / 4,
                                        .interpolation = (recon_interpolation)kind,
                                        .fill = { RECON_FILL_COLOUR, { 255, 255, 255 } } };
            memset(x, 100, sizeof x);
            recon_pixels_rotate(y, &p, &r, 0, S);
            for (size_t k = 0; k < c; k++) {
                assert_int_equal(y[k], 255);                           /* the corner */
                assert_int_equal(y[(S / 2 * S + S / 2) * c + k], 100); /* the middle */
            }
            r.fill.kind = RECON_FILL_EDGE;
            recon_pixels_rotate(y, &p, &r, 0, S);
            for (size_t i = 0; i < S * S * c; i++)
                assert_in_range(y[i], 99, 101);
            r.fill.kind = RECON_FILL_ZERO;
            memset(x, 255, sizeof x);
            recon_pixels_frame(&r.height, &r.width, &p, r.angle);
            assert_true(r.height == 29 && r.width == 29); /* 20 sqrt 2 is 28.3 */
            recon_pixels_rotate(y, &p, &r, 0, r.height);
            double sum = 0;
            for (size_t i = 0; i < 29 * 29; i++)
                sum += y[i * c + c - 1];
            CHECK_NEAR(sum / (255.0 * S * S), 1, 0.01);
        }
    recon_pixels wide = { 3, 7, 1, x, 0, 0 };
    size_t height, width;
    recon_pixels_frame(&height, &width, &wide, PI / 2);
    assert_true(height == 7 && width == 3);
}

/* A hidden colour does not bleed: red on hidden green stays red at every alpha. */
static void what_is_hidden_does_not_show(void **state)
{
    (void)state;
    static uint8_t x[SIDE * SIDE * 4], y[SIDE * SIDE * 4];
    recon_pixels p = { SIDE, SIDE, 4, x, 0, 1 };
    for (int i = 0; i < SIDE * SIDE; i++) {
        int in = i / SIDE > 10 && i / SIDE < 30 && i % SIDE > 15 && i % SIDE < 25;
        const uint8_t seen[] = { 200, 10, 10, 255 }, hidden[] = { 0, 255, 0, 0 };
        memcpy(x + 4 * i, in ? seen : hidden, 4);
    }
    for (int kind = 0; kind < 2; kind++) {
        int edges = 0;
        rotate_pixels(y, &p, 0.4, kind);
        for (int i = 0; i < SIDE * SIDE; i++) {
            const uint8_t *v = y + 4 * i;
            edges += v[3] > 0 && v[3] < 255;
            if (v[3])
                assert_true(v[0] == 200 && v[1] == 10 && v[2] == 10);
        }
        assert_true(edges > 20);
    }
}

/* Bytes and floats of one picture, with alpha. */
static void a_bitmap_of_floats_rotates_as_one_of_bytes_does(void **state)
{
    recon_ctx *ctx = *state;
    static uint8_t x[SIDE * SIDE * 4], got[SIDE * SIDE * 4];
    static float y[SIDE * SIDE * 4], floats[SIDE * SIDE * 4];
    recon_bitmap bytes = { SIDE, SIDE, 4, 1, RECON_U8, x },
                 same = { SIDE, SIDE, 4, 1, RECON_F32, y };
    noise(y, SIDE * SIDE * 4, 7);
    for (int i = 0; i < SIDE * SIDE * 4; i++) {
        x[i] = (uint8_t)(255 * y[i]);
        if (i % 4 == 3 && x[i] < 128)
            x[i] = 0;
        y[i] = (float)x[i] / 255;
    }
    for (int kind = 0; kind < 2; kind++) {
        CHECK_OK(ctx, recon_bitmap_rotate(ctx, got, &bytes, 0.4, (recon_interpolation)kind));
        CHECK_OK(ctx, recon_bitmap_rotate(ctx, floats, &same, 0.4, (recon_interpolation)kind));
        for (int i = 0; i < SIDE * SIDE * 4; i++)
            CHECK_NEAR(fmin(fmax(255 * (double)floats[i], 0), 255), got[i], 0.501);
        CHECK_OK(ctx, recon_bitmap_rotate(ctx, floats, &same, 0, (recon_interpolation)kind));
        assert_memory_equal(floats, y, sizeof y);
    }
}

static void what_is_no_bitmap_is_not_rotated(void **state)
{
    recon_ctx *ctx = *state;
    uint8_t x[64] = { 0 }, y[64];
    const recon_bitmap wrong[] = { { 1, 1, RECON_PIXELS_CHANNELS + 1, 0, RECON_U8, x },
                                   { 1, 1, 1, 1, RECON_U8, x },
                                   { 0, 1, 1, 0, RECON_U8, x },
                                   { 1, 1, 1, 0, RECON_F64, x } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(recon_bitmap_rotate(ctx, y, &wrong[i], 0.4, RECON_BILINEAR),
                         RECON_ERR_INPUT);
}

static void pictures_have_bounds(void **state)
{
    const recon_bitmap most = {
        .dtype = RECON_U8, .height = RECON_PIXELS_SIDE, .width = RECON_PIXELS_SIDE, .channels = 1
    };
    recon_bitmap high = most, wide = most, none = most;
    high.height++, wide.width++, none.width = 0;
    CHECK_OK(*state, recon_bitmap_check(*state, &most));
    CHECK_FAILS(*state, recon_bitmap_check(*state, &high), RECON_ERR_INPUT, "65537 x 65536 x 1");
    CHECK_FAILS(*state, recon_bitmap_check(*state, &wide), RECON_ERR_INPUT, "65536 x 65537 x 1");
    CHECK_FAILS(*state, recon_bitmap_check(*state, &none), RECON_ERR_INPUT, "65536 x 0 x 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_rotates_as_the_op_does),
        cmocka_unit_test(pictures_have_bounds),
        cmocka_unit_test(quarter_turns_are_exact),
        cmocka_unit_test(a_blob_goes_where_its_centre_goes_and_comes_back),
        cmocka_unit_test(a_warp_shows_what_its_source_shows),
        cmocka_unit_test(outside_there_is_nothing),
        cmocka_unit_test(whole_numbers_rotate_as_floats_do),
        cmocka_unit_test(blocks_rotate_as_single_images_do),
        cmocka_unit_test(alpha_rotates_with_its_colours),
        cmocka_unit_test(what_is_hidden_does_not_show),
        cmocka_unit_test(a_bitmap_of_floats_rotates_as_one_of_bytes_does),
        cmocka_unit_test(what_is_no_bitmap_is_not_rotated),
        cmocka_unit_test(what_comes_into_the_frame_is_filled),
        cmocka_unit_test(an_edge_goes_on),
        cmocka_unit_test(a_picture_fits_with_its_mean_and_its_slope),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
