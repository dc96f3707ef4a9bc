/* Fitting row by row gives what fitting a whole image gives. */
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

static void row_by_row_it_is_the_same(void **state)
{
    recon_ctx *ctx = *state;
    static float in[MOST * MOST * CHANNELS], want[MOST * MOST * CHANNELS];
    recon_rng rng = recon_rng_new(1, 0);
    for (size_t i = 0; i < MOST * MOST * CHANNELS; i++)
        in[i] = (float)(recon_rng_u32(&rng) % 256);
    for (size_t height = 1; height <= MOST; height += 13)
        for (size_t width = 1; width <= MOST; width += 13)
            for (size_t size = 1; size <= MOST; size += 3)
                for (size_t channels = 1; channels <= CHANNELS; channels++) {
                    static result got;
                    recon_fit *fit;
                    got = (result){ .size = size, .channels = channels };
                    CHECK_OK(ctx,
                             recon_fit_new(ctx, &fit, (recon_frame){ size, size },
                                           (recon_frame){ height, width }, channels, keep, &got));
                    for (size_t y = 0; y < height; y++)
                        recon_fit_row(fit, y, in + y * width * channels);
                    recon_fit_free(fit);
                    recon_image_fit(want, size, in, height, width, channels);
                    for (size_t i = 0; i < size * size * channels; i++)
                        CHECK_NEAR(got.image[i], want[i], 1e-4);
                    assert_true(height < width || got.rows == size);
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
        cmocka_unit_test(row_by_row_it_is_the_same),
        cmocka_unit_test(a_frame_of_its_own_size_changes_nothing),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
