/* The pose density's head: rotated fields move it along, whatever its weights. */
#include "scratch.h"
#include "backbone/pose_density.h"

#include <recon/ops/backend.h>

enum { BINS = RECON_POSE_BINS };
static const recon_fields fields = { { 3, 2, 1, 2 } };
enum { CHANNELS = 3 + 2 * (2 + 1 + 2) };

/* v as the encoder gives it of an image rotated by angle. */
static void rotated(float out[CHANNELS], const float v[CHANNELS], double angle)
{
    for (size_t m = 0, at = 0; m < 4; m++)
        for (size_t i = 0; i < fields.of[m]; i++, at += recon_field_size(m)) {
            double c = cos((double)m * angle), s = sin((double)m * angle);
            out[at] = v[at];
            if (m > 0) {
                out[at] = (float)(c * (double)v[at] - s * (double)v[at + 1]);
                out[at + 1] = (float)(s * (double)v[at] + c * (double)v[at + 1]);
            }
        }
}

static void it_moves_with_the_fields(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *params;
    recon_pose_density head;
    recon_tape *tape;
    recon_rng rng = recon_rng_new(8, 0);
    float v[BINS][CHANNELS];
    double logits[BINS][BINS];
    for (int i = 0; i < CHANNELS; i++)
        v[0][i] = (float)recon_rng_normal(&rng);
    for (int b = 1; b < BINS; b++)
        rotated(v[b], v[0], 2 * M_PI * b / BINS);
    CHECK_OK(ctx, recon_params_new(ctx, &params, RECON_SINGLE));
    CHECK_OK(ctx, recon_pose_density_add(ctx, &head, params, "density", &fields));
    CHECK_OK(ctx, recon_params_make(ctx, params, 1));
    CHECK_OK(ctx, recon_tape_new(ctx, &tape, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_begin(tape, RECON_INFER, 0));
    recon_var x = recon_var_input(tape, v, RECON_F32, (size_t[]){ BINS, CHANNELS }, 2);
    CHECK_OK(ctx, recon_var_read(tape, logits[0], recon_pose_density_apply(tape, &head, x)));
    double spread = 0;
    for (int b = 0; b < BINS; b++)
        for (int g = 0; g < BINS; g++) {
            CHECK_NEAR(logits[b][(g + b) % BINS], logits[0][g], 1e-4);
            spread = fmax(spread, fabs(logits[0][g] - logits[0][0]));
        }
    CHECK_LESS(0.01, spread); /* it is not flat */
    recon_tape_free(tape);
    recon_params_free(ctx, params);
}

static void bins_are_the_nearest(void **state)
{
    (void)state;
    assert_int_equal(recon_pose_bin(0), 0);
    assert_int_equal(recon_pose_bin(2.4 * M_PI / 180), 0);
    assert_int_equal(recon_pose_bin(2.6 * M_PI / 180), 1);
    assert_int_equal(recon_pose_bin(-2.6 * M_PI / 180), BINS - 1);
    assert_int_equal(recon_pose_bin(M_PI), BINS / 2);
    assert_int_equal(recon_pose_bin(-M_PI), BINS / 2);
    assert_int_equal(recon_pose_bin(359.9 * M_PI / 180), 0);
}

static void densities_integrate_to_one_and_have_their_centre(void **state)
{
    double logits[BINS], sum = 0;
    float q[BINS];
    (void)state;
    for (int b = 0; b < BINS; b++)
        logits[b] = 20 * cos(2 * M_PI * b / BINS - 1) + 1000;
    recon_pose_densities(q, logits, 1);
    for (int b = 0; b < BINS; b++)
        sum += exp((double)q[b]) * 2 * M_PI / BINS;
    CHECK_NEAR(sum, 1, 1e-5);
    CHECK_NEAR(recon_pose_centre(q), 1, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(it_moves_with_the_fields),
        cmocka_unit_test(bins_are_the_nearest),
        cmocka_unit_test(densities_integrate_to_one_and_have_their_centre),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
