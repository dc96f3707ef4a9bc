/* Errors of equivariance of molecules: of codes made by hand, and of encoders where they are known.
 */
#include "conformers.h"
#include "backbone/molecule_net.h"
#include "backbone/molecule_equivariance.h"

enum { N = 101, D = 3 };

/* Conformer i: its pose is off by i hundredths of a radian about an axis of its own, its code
 * longer by i thousandths. */
static void make(float z[2][N * D], recon_so3 psi[2][N], recon_so3 rotations[N])
{
    recon_rng rng = recon_rng_new(1, 0);
    for (int i = 0; i < N; i++) {
        double axis[3] = { recon_rng_normal(&rng), recon_rng_normal(&rng), recon_rng_normal(&rng) };
        recon_so3 off = recon_so3_from_axis_angle(axis, 0.01 * i);
        psi[0][i] = recon_so3_haar(&rng);
        rotations[i] = recon_so3_haar(&rng);
        psi[1][i] = recon_so3_compose(off, recon_so3_compose(rotations[i], psi[0][i]));
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
    recon_so3 psi[2][N], rotations[N];
    recon_molecule_equivariance e;
    make(z, psi, rotations);
    recon_molecule_codes before = { z[0], psi[0] }, after = { z[1], psi[1] };
    CHECK_OK(ctx, recon_molecule_equivariance_compare(ctx, &e, &before, &after, rotations, N, D));
    assert_int_equal(e.n, N);
    CHECK_NEAR(e.pose_median, 0.5, 1e-9);
    CHECK_NEAR(e.pose_p99, 0.99, 1e-9);
    CHECK_NEAR(e.pose_max, 1.0, 1e-9);
    CHECK_NEAR(e.code_median, 0.05, 1e-6);
    CHECK_NEAR(e.code_p99, 0.099, 1e-6);
    CHECK_NEAR(e.code_max, 0.1, 1e-6);
    CHECK_OK(ctx, recon_molecule_equivariance_compare(ctx, &e, &before, &after, NULL, N, D));
    assert_true(isnan(e.pose_median) && isnan(e.pose_p99) && isnan(e.pose_max));
    CHECK_NEAR(e.code_median, 0.05, 1e-6);
}

static void what_is_not_finite_is_named(void **state)
{
    recon_ctx *ctx = *state;
    float z[2][N * D];
    recon_so3 psi[2][N], rotations[N];
    recon_molecule_equivariance e;
    make(z, psi, rotations);
    recon_molecule_codes before = { z[0], psi[0] }, after = { z[1], psi[1] };
    z[1][7 * D] = NAN;
    CHECK_FAILS(ctx, recon_molecule_equivariance_compare(ctx, &e, &before, &after, rotations, N, D),
                RECON_ERR_INPUT, "of conformer 7");
    psi[1][3].w = NAN;
    CHECK_FAILS(ctx, recon_molecule_equivariance_compare(ctx, &e, &before, &after, rotations, N, D),
                RECON_ERR_INPUT, "of conformer 3");
    CHECK_FAILS(ctx, recon_molecule_equivariance_compare(ctx, &e, &before, &after, rotations, 0, D),
                RECON_ERR_INPUT, "no conformers");
}

/* Any motion and any order of the atoms is seen through, by every encoder; mirror images are one
 * and the same to that of the paper, whose parities allow no other, and two to the others. */
static void encoders_rotate_truly_and_some_see_mirrors(void **state)
{
    static const recon_preset presets[] = { RECON_PRESET_SMALL, RECON_PRESET_PAPER };
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 24, 6, 0.05);
    for (int p = 0; p < 2; p++) {
        recon_molecule_net_shape shape = { .preset = presets[p],
                                           .width = 0.25,
                                           .layers = 2,
                                           .latent = 24,
                                           .slots = CHAIN_ATOMS,
                                           .elements = 4,
                                           .element = { 1, 6, 7, 8 } };
        recon_molecule_equivariance e[RECON_MOVES];
        recon_molecule_net *m;
        CHECK_OK(ctx, recon_molecule_net_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 1));
        CHECK_OK(ctx, recon_molecule_equivariance_measure(ctx, e, m, data, 3));
        for (int move = 0; move < RECON_MOVE_MIRROR; move++) {
            assert_int_equal(e[move].n, 24);
            CHECK_LESS(e[move].pose_max, 1e-3);
            CHECK_LESS(e[move].code_max, 1e-4);
        }
        CHECK_LESS(0, e[RECON_MOVE_ROTATE].pose_max); /* something was rotated */
        assert_int_equal(recon_molecule_equivariance_sees_mirror(e),
                         presets[p] != RECON_PRESET_PAPER);
        recon_molecule_net_close(ctx, m);
    }
    recon_molecules_close(data);
}

static void elements_that_are_not_known_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 4, 4, 0);
    recon_molecule_net_shape shape = { .preset = RECON_PRESET_SMALL,
                                       .width = 0.25,
                                       .layers = 1,
                                       .latent = 8,
                                       .slots = CHAIN_ATOMS,
                                       .elements = 1,
                                       .element = { 6 } };
    recon_molecule_equivariance e[RECON_MOVES];
    recon_molecule_net *m;
    CHECK_OK(ctx, recon_molecule_net_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 1));
    CHECK_FAILS(ctx, recon_molecule_equivariance_measure(ctx, e, m, data, 3), RECON_ERR_INPUT,
                "element");
    recon_molecule_net_close(ctx, m);
    recon_molecules_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_put_in),
        cmocka_unit_test(what_is_not_finite_is_named),
        SCRATCH_TEST(encoders_rotate_truly_and_some_see_mirrors),
        SCRATCH_TEST(elements_that_are_not_known_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
