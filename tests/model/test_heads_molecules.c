/* A model whose Lambda and Theta are networks on molecules (--heads paper), from discover to its
 * answers. */
#include "chains.h"

#include <recon/core/array.h>
#include <recon/group/so3.h>
#include <recon/model/canonicalize.h>
#include <recon/model/score.h>

#include "model/model.h"

enum { SOME = 12 };
static recon_molecules *data;

static void discover(recon_ctx *ctx, size_t epochs)
{
    recon_discover_options o = chains_options;
    recon_discovery d;
    o.lambda = RECON_LAMBDA_HEAD;
    o.maps = (recon_maps_options){ .heads = RECON_HEADS_PAPER,
                                   .hidden = 32,
                                   .epochs = epochs,
                                   .batch = 32,
                                   .rate = 1e-2,
                                   .seed = 1 };
    CHECK_OK(ctx, recon_discover(ctx, &d, scratch("backbone.safetensors"), NULL,
                                 recon_molecules_data(data), scratch_folder, &o));
    assert_non_null(strstr(d.summary, "\"heads\": \"paper\""));
    assert_int_equal(d.trust.lambda.taken, RECON_LAMBDA_HEAD);
    recon_discovery_free(&d);
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    data = chains_data(*state);
    chains_train(*state, data);
    discover(*state, 2);
    return 0;
}

static int teardown(void **state)
{
    recon_molecules_close(data);
    return scratch_teardown(state);
}

/* How far the axis that a molecule holds is from its place once conformers are canonicalized: the
 * median over all, radians. */
static double axis_error(recon_ctx *ctx)
{
    recon_model *model = chains_model(ctx);
    recon_conformer *x = chains_list(data);
    static recon_pose pose[CHAINS_N];
    static double off[CHAINS_N];
    CHECK_OK(ctx, recon_canonicalize_molecules(ctx, NULL, pose, model, x, CHAINS_N));
    for (size_t i = 0; i < CHAINS_N; i++) {
        double axis[3], moved[3];
        chains_axis(axis, data, (size_t)x[i].molecule);
        recon_so3_act(moved, recon_so3_at(pose[i].absolute, 0), axis);
        off[i] = angle_between(axis, moved);
    }
    free(x);
    recon_model_close(ctx, model);
    return median(off, CHAINS_N);
}

static void networks_learn_the_axis_that_molecules_hold(void **state)
{
    plain_build_only();
    discover(*state, 1); /* in the place of the first one */
    double barely = axis_error(*state);
    discover(*state, 10);
    double learned = axis_error(*state);
    CHECK_LESS(learned, 25 * DEGREE);
    CHECK_LESS(learned, 0.8 * barely);
}

/* Invariant by construction: the same Lambda for a conformer in any orientation. */
static void rotated_copies_have_one_natural_pose(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = chains_model(ctx);
    recon_conformer *x = chains_list(data);
    static float xyz[SOME][3 * CHAIN_ATOMS];
    recon_pose pose[2][SOME];
    assert_int_equal(recon_model_describe(model).maps.heads, RECON_HEADS_PAPER);
    CHECK_OK(ctx, recon_canonicalize_molecules(ctx, NULL, pose[0], model, x, SOME));
    for (size_t i = 0; i < SOME; i++) {
        recon_rng rng = recon_rng_new(8, i);
        recon_so3 g = recon_so3_haar(&rng);
        for (size_t a = 0; a < x[i].atoms; a++) {
            double from[3], to[3];
            for (int k = 0; k < 3; k++)
                from[k] = x[i].xyz[3 * a + k];
            recon_so3_act(to, g, from);
            for (int k = 0; k < 3; k++)
                xyz[i][3 * a + k] = (float)to[k];
        }
        x[i].xyz = xyz[i];
    }
    CHECK_OK(ctx, recon_canonicalize_molecules(ctx, NULL, pose[1], model, x, SOME));
    for (int i = 0; i < SOME; i++)
        CHECK_LESS(recon_so3_distance(recon_so3_at(pose[0][i].lambda, 0),
                                      recon_so3_at(pose[1][i].lambda, 0)),
                   5e-3);
    free(x);
    recon_model_close(ctx, model);
}

/* What discover found of its own inputs, the model that was saved says again. */
static void the_model_says_what_was_found(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = chains_model(ctx);
    recon_conformer *x = chains_list(data);
    static recon_pose_score score[CHAINS_N];
    recon_array natural;
    CHECK_OK(ctx, recon_npy_read(ctx, &natural, scratch("natural.npy")));
    CHECK_OK(ctx, recon_score_molecules(ctx, score, model, x, CHAINS_N));
    for (int i = 0; i < CHAINS_N; i++) {
        double m[9];
        recon_so3_to_matrix(m, recon_so3_at(score[i].pose.lambda, 0));
        for (int k = 0; k < 9; k++)
            CHECK_NEAR(m[k], ((const double *)natural.data)[9 * i + k], 1e-5);
        assert_true(score[i].p_value > 0 && score[i].p_value <= 1 && isfinite(score[i].score));
    }
    recon_array_free(&natural);
    free(x);
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_learn_the_axis_that_molecules_hold),
        cmocka_unit_test(rotated_copies_have_one_natural_pose),
        cmocka_unit_test(the_model_says_what_was_found),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
