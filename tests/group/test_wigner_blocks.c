/* Rotating rows of harmonics: the quick way is the exact one. */
#include "check.h"
#include "group/wigner_blocks.h"

#include "harmonics.h"

static void matrices_are_wigner_matrices(void **state)
{
    recon_rng rng = recon_rng_new(1, 0);
    for (int i = 0; i < 50; i++) {
        recon_so3 r = i ? recon_so3_haar(&rng) : recon_so3_identity();
        recon_wigner_blocks t = recon_wigner_blocks_of(r);
        const float *d = t.d;
        for (int l = 1; l < RECON_DEGREES; l++) {
            double want[49];
            CHECK_OK(*state, recon_wigner(*state, want, l, r));
            for (int k = 0; k < (2 * l + 1) * (2 * l + 1); k++)
                CHECK_NEAR(*d++, want[k], 1e-6);
        }
    }
}

/* Y(R v) = D(R) Y(v), row by row. */
static void harmonics_of_a_rotated_direction_are_rotated_harmonics(void **state)
{
    enum { ROWS = 7 };
    recon_rng rng = recon_rng_new(2, 0);
    recon_so3 r = recon_so3_haar(&rng);
    float in[ROWS][RECON_HARMONICS], out[ROWS][RECON_HARMONICS];
    double want[ROWS][RECON_HARMONICS];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double v[3], y[RECON_HARMONICS];
        for (int k = 0; k < 3; k++)
            v[k] = recon_rng_normal(&rng);
        recon_harmonics_row(y, v);
        for (int k = 0; k < RECON_HARMONICS; k++)
            in[i][k] = (float)y[k];
        recon_so3_act(v, r, v);
        recon_harmonics_row(want[i], v);
    }
    recon_wigner_blocks t = recon_wigner_blocks_of(r);
    recon_wigner_blocks_apply(out[0], &t, in[0], ROWS);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < RECON_HARMONICS; k++)
            CHECK_NEAR(out[i][k], want[i][k], 3e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_wigner_matrices),
        cmocka_unit_test(harmonics_of_a_rotated_direction_are_rotated_harmonics),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
