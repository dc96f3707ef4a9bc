/* Filling a frame row by row gives what fitting the square in the middle of an image gives. */
#include "check.h"
#include "data/fit.h"

#include <recon/data/dataset.h>
#include "data/image.h"
#include <stdlib.h>

enum { MOST = 40, CHANNELS = 3 };

typedef struct {
    float image[MOST * MOST * CHANNELS];
    size_t size, channels, rows;
} result;

static void keep(void *user, size_t p, const float *row)
{
    result *r = user;
    memcpy(r->image + p * r->size * r->channels, row, r->size * r->channels * sizeof *row);
    r->rows++;
}

static void fill(recon_ctx *ctx, result *got, const float *in, size_t height, size_t width)
{
    recon_fit *fit;
    got->rows = 0;
    CHECK_OK(ctx, recon_fit_new(ctx, &fit, (recon_frame){ got->size, got->size },
                                (recon_frame){ height, width }, got->channels, keep, got));
    for (size_t y = 0; y < height; y++)
        recon_fit_row(fit, y, in + y * width * got->channels);
    recon_fit_free(fit);
    assert_int_equal(got->rows, got->size);
}

/* The square in the middle; sides are both even or both odd. */
static size_t cut(float *out, const float *in, size_t height, size_t width, size_t channels)
{
    size_t side = height < width ? height : width, y = (height - side) / 2, x = (width - side) / 2;
    for (size_t row = 0; row < side; row++)
        memcpy(out + row * side * channels, in + ((y + row) * width + x) * channels,
               side * channels * sizeof *out);
    return side;
}

static void row_by_row_it_is_the_square_in_the_middle(void **state)
{
    recon_ctx *ctx = *state;
    static float in[MOST * MOST * CHANNELS], want[MOST * MOST * CHANNELS],
        square[MOST * MOST * CHANNELS];
    recon_rng rng = recon_rng_new(1, 0);
    for (size_t i = 0; i < MOST * MOST * CHANNELS; i++)
        in[i] = (float)(recon_rng_u32(&rng) % 256);
    for (size_t height = 1; height <= MOST; height += 13)
        for (size_t width = height % 26; width <= MOST; width += 26)
            for (size_t size = 1; size <= MOST; size += 3)
                for (size_t channels = 1; channels <= CHANNELS; channels++) {
                    static result got;
                    got = (result){ .size = size, .channels = channels };
                    fill(ctx, &got, in, height, width);
                    size_t side = cut(square, in, height, width, channels);
                    recon_image_fit(want, size, square, side, side, channels);
                    for (size_t i = 0; i < size * size * channels; i++)
                        CHECK_NEAR(got.image[i], want[i], 1e-4);
                }
}

/* What lies beyond the shorter side does not count, however the picture is cut or padded there, nor
 * whether it lies across: also where its middle is between two pixels. */
static void the_frame_does_not_count(void **state)
{
    recon_ctx *ctx = *state;
    enum { SHORT = 14, LONG = 21, MORE = 29, SIZE = 9 };
    static float wide[SHORT * MORE], narrow[SHORT * LONG], across[MORE * SHORT];
    static result one, other, turned;
    recon_rng rng = recon_rng_new(2, 0);
    one.size = other.size = turned.size = SIZE;
    one.channels = other.channels = turned.channels = 1;
    for (size_t i = 0; i < SHORT * MORE; i++)
        wide[i] = (float)(recon_rng_u32(&rng) % 256);
    for (size_t y = 0; y < SHORT; y++)
        for (size_t x = 0; x < MORE; x++) {
            across[x * SHORT + y] = wide[y * MORE + x];
            if (x >= 4 && x < 4 + LONG)
                narrow[y * LONG + x - 4] = wide[y * MORE + x];
        }
    fill(ctx, &one, wide, SHORT, MORE);
    fill(ctx, &other, narrow, SHORT, LONG);
    fill(ctx, &turned, across, MORE, SHORT);
    for (size_t y = 0; y < SIZE; y++)
        for (size_t x = 0; x < SIZE; x++) {
            CHECK_NEAR(one.image[y * SIZE + x], other.image[y * SIZE + x], 1e-4);
            CHECK_NEAR(one.image[y * SIZE + x], turned.image[x * SIZE + y], 1e-4);
        }
}

static void a_frame_of_its_own_size_changes_nothing(void **state)
{
    recon_ctx *ctx = *state;
    static result got;
    float in[7 * 5];
    recon_fit *fit;
    got = (result){ .size = 5, .channels = 1 };
    for (int i = 0; i < 35; i++)
        in[i] = (float)(i * 7);
    CHECK_OK(ctx,
             recon_fit_new(ctx, &fit, (recon_frame){ 7, 5 }, (recon_frame){ 7, 5 }, 1, keep, &got));
    for (size_t y = 0; y < 7; y++)
        recon_fit_row(fit, y, in + 5 * y);
    recon_fit_free(fit);
    assert_memory_equal(got.image, in, sizeof in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_by_row_it_is_the_square_in_the_middle),
        cmocka_unit_test(the_frame_does_not_count),
        cmocka_unit_test(a_frame_of_its_own_size_changes_nothing),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
