/* Objects found against their background, centred and scaled: cropping commutes with rotating. */
#include "scratch.h"
#include "data/crop.h"
#include "data/dataset.h"

#include <recon/core/array.h>

enum { SIDE = 80, OUT = 32, N = SIDE * SIDE };
#define PI 3.14159265358979323846

/* An L with a dot beside it, about (cx, cy), rotated by angle: off its own middle, of two parts. Its
 * places are those of pixels' corners; soft by a pixel, so that it can be resampled. */
static double ink(double x, double y)
{
    double stem = fmax(fabs(x + 6) - 3, fabs(y) - 12),
           foot = fmax(fabs(x - 2) - 7, fabs(y - 10) - 2), dot = hypot(x - 8, y + 9) - 3;
    return fmin(fmax(0.5 - fmin(fmin(stem, foot), dot), 0), 1);
}

typedef struct {
    double x, y, angle, scale, background, object;
} scene;

static void draw(float *out, const scene *s, size_t channels)
{
    double c = cos(s->angle), d = sin(s->angle);
    for (size_t i = 0; i < N; i++) {
        double x = ((double)(i % SIDE) + 0.5 - s->x) / s->scale,
               y = ((double)(i / SIDE) + 0.5 - s->y) / s->scale;
        double shade = ink(c * x - d * y, d * x + c * y); /* rows go down */
        for (size_t k = 0; k < channels; k++)
            out[i * channels + k] =
                (float)(s->background + (s->object - s->background) * (k == 1 ? 0.3 : 1) * shade);
    }
}

static const scene plain = { 31, 46, 0, 1, 0, 1 };

static double largest_difference(const float *a, const float *b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

/* The circle's centre rotates about the object's origin, its radius stays. */
static void the_circle_rotates_with_the_object(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N];
    recon_object at, first = { 0 };
    for (int i = 0; i < 24; i++) {
        scene s = plain;
        s.angle = i * PI / 12 + 0.03;
        draw(x, &s, 1);
        CHECK_OK(ctx, recon_object_find(ctx, &at, x, SIDE, SIDE, 1));
        if (i == 0)
            first = at;
        double t = s.angle - 0.03, dx = first.x - s.x, dy = first.y - s.y;
        CHECK_NEAR(at.radius, first.radius, 0.3);
        CHECK_NEAR(at.x, s.x + cos(t) * dx + sin(t) * dy, 0.4);
        CHECK_NEAR(at.y, s.y - sin(t) * dx + cos(t) * dy, 0.4);
    }
}

/* The mean difference of two crops. */
static double mean_difference(const float *a, const float *b)
{
    double sum = 0;
    for (size_t i = 0; i < OUT * OUT; i++)
        sum += fabs((double)a[i] - (double)b[i]) / (OUT * OUT);
    return sum;
}

/* That of a crop and itself a pixel further: what is resampled twice differs too, but less. */
static double difference_of_a_pixel(const float *x)
{
    float moved[OUT * OUT] = { 0 };
    memcpy(moved, x + 1, (OUT * OUT - 1) * sizeof *moved);
    return mean_difference(moved, x);
}

/* So that a model that sees crops sees the same object wherever and however rotated it was. */
static void cropping_commutes_with_rotating(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N], crop[OUT * OUT], rotated[OUT * OUT], want[OUT * OUT];
    draw(x, &(scene){ 39, 41, 0, 2, 0, 1 }, 1);
    CHECK_OK(ctx, recon_image_crop(ctx, want, OUT, OUT, x, SIDE, SIDE, 1));
    for (int i = 1; i < 8; i++) {
        draw(x, &(scene){ 42, 38, i * 0.7, 2, 0, 1 }, 1);
        CHECK_OK(ctx, recon_image_crop(ctx, crop, OUT, OUT, x, SIDE, SIDE, 1));
        recon_image_rotate(rotated, want, OUT, OUT, 1, i * 0.7, RECON_BICUBIC);
        CHECK_LESS(mean_difference(crop, rotated), 0.7 * difference_of_a_pixel(want));
    }
}

static void size_and_place_do_not_matter(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N], crop[OUT * OUT], want[OUT * OUT];
    const scene others[] = { { 50, 25, 0, 1, 0, 1 },
                             { 50.3, 24.6, 0, 1, 0, 1 },
                             { 40, 40, 0, 1.6, 0, 1 },
                             { 30, 50, 0, 0.8, 0, 1 } };
    draw(x, &plain, 1);
    CHECK_OK(ctx, recon_image_crop(ctx, want, OUT, OUT, x, SIDE, SIDE, 1));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        draw(x, &others[i], 1);
        CHECK_OK(ctx, recon_image_crop(ctx, crop, OUT, OUT, x, SIDE, SIDE, 1));
        CHECK_LESS(mean_difference(crop, want), 0.7 * difference_of_a_pixel(want));
    }
}

/* The object reaches RECON_CROP_FILL of the way to the nearest side, and not beyond. */
static void the_object_fills_the_frame(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N], crop[OUT * OUT];
    recon_object at;
    for (double scale = 0.4; scale < 2; scale += 0.3) {
        draw(x, &(scene){ 40, 38, 0.5, scale, 0, 1 }, 1);
        CHECK_OK(ctx, recon_image_crop(ctx, crop, OUT, OUT, x, SIDE, SIDE, 1));
        CHECK_OK(ctx, recon_object_find(ctx, &at, crop, OUT, OUT, 1));
        CHECK_NEAR(2 * at.radius / OUT, RECON_CROP_FILL, 0.08);
        CHECK_NEAR(at.x, OUT / 2, 0.8);
        CHECK_NEAR(at.y, OUT / 2, 0.8);
    }
}

static void noise_and_specks_do_not_move_it(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N];
    recon_object clean, at;
    recon_rng rng = recon_rng_new(3, 0);
    draw(x, &plain, 1);
    CHECK_OK(ctx, recon_object_find(ctx, &clean, x, SIDE, SIDE, 1));
    for (size_t i = 0; i < N; i++)
        x[i] += (float)(0.05 * recon_rng_normal(&rng));
    x[5 * SIDE + 70] = 1; /* single pixels, in the corners too */
    x[75 * SIDE + 4] = 1;
    x[0] = 1;
    CHECK_OK(ctx, recon_object_find(ctx, &at, x, SIDE, SIDE, 1));
    CHECK_NEAR(at.radius, clean.radius, 1);
    CHECK_NEAR(at.x, clean.x, 1);
    CHECK_NEAR(at.y, clean.y, 1);
}

static double most_of(const float *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)x[i]);
    return most;
}

static void dark_on_light_and_colours_are_objects_too(void **state)
{
    recon_ctx *ctx = *state;
    static float x[3 * N], crop[3 * OUT * OUT];
    recon_object clean, at;
    draw(x, &plain, 1);
    CHECK_OK(ctx, recon_object_find(ctx, &clean, x, SIDE, SIDE, 1));
    scene dark = plain;
    dark.background = 0.9;
    dark.object = 0.2;
    draw(x, &dark, 3);
    CHECK_OK(ctx, recon_object_find(ctx, &at, x, SIDE, SIDE, 3));
    CHECK_NEAR(at.radius, clean.radius, 1e-9);
    CHECK_NEAR(at.background[2], 0.9, 1e-6);
    /* The background is black, as what comes in from outside, and objects are lighter than it. */
    draw(x, &(scene){ 72, 75, 0, 0.5, 0.4, 0.9 }, 3);
    CHECK_OK(ctx, recon_image_crop(ctx, crop, OUT, OUT, x, SIDE, SIDE, 3));
    CHECK_NEAR(crop[3 * OUT * OUT - 1], 0, 1e-3);
    CHECK_NEAR(most_of(crop, 3 * OUT * OUT), 1, 1e-6);
    draw(x, &(scene){ 72, 75, 0, 0.5, 0.9, 0.2 }, 3);
    CHECK_OK(ctx, recon_image_crop(ctx, crop, OUT, OUT, x, SIDE, SIDE, 3));
    CHECK_NEAR(crop[3 * OUT * OUT - 1], 0, 1e-3);
    CHECK_NEAR(most_of(crop, 3 * OUT * OUT), 1, 1e-6);
}

/* Black on white and white on black are one object; what has none is not inverted. */
static void a_light_background_becomes_a_dark_one(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N], on_black[OUT * OUT], on_white[OUT * OUT];
    draw(x, &plain, 1);
    CHECK_OK(ctx, recon_image_crop(ctx, on_black, OUT, OUT, x, SIDE, SIDE, 1));
    for (size_t i = 0; i < N; i++)
        x[i] = 1 - x[i];
    CHECK_OK(ctx, recon_image_crop(ctx, on_white, OUT, OUT, x, SIDE, SIDE, 1));
    CHECK_NEAR(largest_difference(on_white, on_black, OUT * OUT), 0, 1e-5);
    for (size_t i = 0; i < N; i++)
        x[i] = 0.8f;
    CHECK_OK(ctx, recon_image_crop(ctx, on_white, OUT, OUT, x, SIDE, SIDE, 1));
    CHECK_NEAR(on_white[0], 0.8, 1e-6);
}

/* Nothing to be seen, or nothing but object: the whole image is fitted, nothing is lost. */
static void what_has_no_object_stays_whole(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N], crop[N];
    recon_object at;
    recon_rng rng = recon_rng_new(1, 0);
    for (size_t i = 0; i < N; i++)
        x[i] = 0.3f;
    CHECK_OK(ctx, recon_object_find(ctx, &at, x, SIDE, SIDE, 1));
    assert_true(at.radius == 0);
    CHECK_OK(ctx, recon_image_crop(ctx, crop, SIDE, SIDE, x, SIDE, SIDE, 1));
    CHECK_NEAR(largest_difference(crop, x, N), 0, 1e-6);
    for (size_t i = 0; i < N; i++)
        x[i] = (float)recon_rng_uniform(&rng);
    CHECK_OK(ctx, recon_image_crop(ctx, crop, SIDE, SIDE, x, SIDE, SIDE, 1));
    CHECK_NEAR(largest_difference(crop, x, N), 0, 1e-6);
    CHECK_FAILS(ctx, recon_image_crop(ctx, crop, 4, 4, x, 4, 4, 5), RECON_ERR_INPUT, "5 channels");
}

/* Arrays keep their size, the whole images stay at hand, and the share of the frame is found. */
static void sets_are_cropped_as_they_are_opened(void **state)
{
    recon_ctx *ctx = *state;
    enum { IMAGES = 6 };
    static float all[IMAGES * N], one[N], want[N];
    char spec[600];
    recon_dataset *data;
    double span;
    for (size_t i = 0; i < IMAGES; i++)
        draw(all + i * N, &(scene){ 40, 40, (double)i, 0.7, 0, 1 }, 1);
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("x.npy"),
                                  &(recon_array){ .dtype = RECON_F32,
                                                  .ndim = 3,
                                                  .shape = { IMAGES, SIDE, SIDE },
                                                  .data = all }));
    snprintf(spec, sizeof spec, "npy:%s", scratch("x.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
    CHECK_OK(ctx, recon_dataset_span(ctx, &span, data));
    CHECK_NEAR(span, 2 * 0.7 * 14.8 / SIDE, 0.03);
    CHECK_LESS(span, RECON_CROP_SMALL);
    recon_dataset_close(data);
    CHECK_OK(ctx, recon_dataset_open_with(ctx, &data, spec, &(recon_dataset_options){ .crop = 1 }));
    CHECK_OK(ctx, recon_dataset_span(ctx, &span, data));
    CHECK_NEAR(span, RECON_CROP_FILL, 0.05);
    for (size_t i = 0; i < IMAGES; i++) {
        recon_dataset_get(one, data, i);
        CHECK_OK(ctx, recon_image_crop(ctx, want, SIDE, SIDE, all + i * N, SIDE, SIDE, 1));
        assert_memory_equal(one, want, sizeof one);
        recon_dataset_whole(one, data, i);
        assert_memory_equal(one, all + i * N, sizeof one);
    }
    recon_dataset_close(data);
}

/* The first rows of an image as a picture file. */
static void put_picture(const char *name, const float *x, size_t rows)
{
    FILE *file = fopen(scratch(name), "wb");
    fprintf(file, "P5\n%d %zu\n255\n", SIDE, rows);
    for (size_t i = 0; i < SIDE * rows; i++)
        fputc((int)lrintf(255 * x[i]), file);
    fclose(file);
}

/* A picture larger than its place is cropped before its pixels are lost. */
static void pictures_are_cropped_from_their_own_pixels(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N], fitted[OUT * OUT], got[OUT * OUT], want[OUT * OUT];
    char spec[600];
    recon_dataset *data;
    draw(x, &(scene){ 20, 60, 0.4, 0.5, 0, 1 }, 1);
    put_picture("a.pgm", x, SIDE);
    CHECK_OK(ctx, recon_image_crop(ctx, want, OUT, OUT, x, SIDE, SIDE, 1));
    snprintf(spec, sizeof spec, "images:%s", scratch_folder);
    CHECK_OK(ctx,
             recon_dataset_open_with(ctx, &data, spec, &(recon_dataset_options){ .size = OUT }));
    recon_dataset_get(fitted, data, 0);
    recon_dataset_close(data);
    CHECK_OK(ctx, recon_dataset_open_with(ctx, &data, spec,
                                          &(recon_dataset_options){ .size = OUT, .crop = 1 }));
    recon_dataset_get(got, data, 0);
    CHECK_NEAR(largest_difference(got, want, OUT * OUT), 0, 0.02);
    recon_dataset_whole(got, data, 0);
    CHECK_NEAR(largest_difference(got, fitted, OUT * OUT), 0, 0.005);
    recon_dataset_close(data);
}

/* Frames that are no squares, of their own size or fitted: the object is the same. */
static void frames_need_not_be_square(void **state)
{
    recon_ctx *ctx = *state;
    enum { ROWS = 50 };
    static float x[N], got[SIDE * ROWS], want[SIDE * ROWS];
    char spec[600];
    recon_dataset *data;
    draw(x, &(scene){ 20, 25, 0.4, 0.7, 0.3, 1 }, 1);
    put_picture("a.pgm", x, ROWS);
    snprintf(spec, sizeof spec, "images:%s", scratch_folder);
    CHECK_OK(ctx, recon_dataset_open_with(ctx, &data, spec, &(recon_dataset_options){ .crop = 1 }));
    recon_dataset_get(got, data, 0);
    CHECK_OK(ctx, recon_image_crop(ctx, want, ROWS, SIDE, x, ROWS, SIDE, 1));
    CHECK_NEAR(largest_difference(got, want, SIDE * ROWS), 0, 0.02);
    recon_dataset_whole(got, data, 0);
    CHECK_NEAR(largest_difference(got, x, SIDE * ROWS), 0, 0.005);
    recon_dataset_close(data);
    CHECK_OK(ctx, recon_dataset_open_with(ctx, &data, spec,
                                          &(recon_dataset_options){ .size = OUT, .crop = 1 }));
    recon_dataset_get(got, data, 0);
    CHECK_OK(ctx, recon_image_crop(ctx, want, OUT, OUT, x, ROWS, SIDE, 1));
    CHECK_NEAR(largest_difference(got, want, OUT * OUT), 0, 0.02);
    recon_dataset_close(data);
}

/* A sky that grows darker towards a ground: no object, so nothing to be scaled up. */
static void a_scene_spans_its_frame(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N];
    double span;
    recon_dataset *data;
    const recon_array images = {
        .dtype = RECON_F32, .ndim = 3, .shape = { 1, SIDE, SIDE }, .data = x
    };
    for (size_t i = 0; i < N; i++)
        x[i] = i / SIDE > SIDE * 6 / 10 ? 0.2f : 0.9f - 0.3f * (float)(i / SIDE) / SIDE;
    for (size_t i = SIDE / 2; i < SIDE / 2 + 6; i++) /* and a house on it */
        x[(SIDE / 2) * SIDE + i] = x[(SIDE / 2 + 1) * SIDE + i] = 1;
    CHECK_OK(ctx, recon_dataset_make(ctx, &data, &images, NULL, NULL));
    CHECK_OK(ctx, recon_dataset_span(ctx, &span, data));
    CHECK_NEAR(span, 1, 0);
    recon_dataset_close(data);
}

static recon_status open_and_close(recon_ctx *ctx, const char *spec)
{
    recon_dataset *data = NULL;
    double span;
    recon_status status =
        recon_dataset_open_with(ctx, &data, spec, &(recon_dataset_options){ .crop = 1 });
    if (status == RECON_OK)
        status = recon_dataset_span(ctx, &span, data);
    recon_dataset_close(data);
    return status;
}

static void memory_may_run_out(void **state)
{
    recon_ctx *ctx = *state;
    static float x[N];
    char spec[600];
    draw(x, &plain, 1);
    put_picture("a.pgm", x, SIDE);
    snprintf(spec, sizeof spec, "images:%s", scratch_folder);
    CHECK_ALLOCATIONS(ctx, open_and_close(ctx, spec));
    CHECK_OK(ctx, recon_npy_write(
                      ctx, scratch("x.npy"),
                      &(recon_array){
                          .dtype = RECON_F32, .ndim = 3, .shape = { 1, SIDE, SIDE }, .data = x }));
    snprintf(spec, sizeof spec, "npy:%s", scratch("x.npy"));
    CHECK_ALLOCATIONS(ctx, open_and_close(ctx, spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(the_circle_rotates_with_the_object),
        SCRATCH_TEST(cropping_commutes_with_rotating),
        SCRATCH_TEST(size_and_place_do_not_matter),
        SCRATCH_TEST(the_object_fills_the_frame),
        SCRATCH_TEST(noise_and_specks_do_not_move_it),
        SCRATCH_TEST(dark_on_light_and_colours_are_objects_too),
        SCRATCH_TEST(a_light_background_becomes_a_dark_one),
        SCRATCH_TEST(what_has_no_object_stays_whole),
        SCRATCH_TEST(sets_are_cropped_as_they_are_opened),
        cmocka_unit_test(a_scene_spans_its_frame),
        SCRATCH_TEST(pictures_are_cropped_from_their_own_pixels),
        SCRATCH_TEST(frames_need_not_be_square),
        SCRATCH_TEST(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
