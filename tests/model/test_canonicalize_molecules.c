/* Canonical molecules: the same for every rotation of the input, rigid, there and back; the axis that
 * poses determine stands where it stood before anything was rotated. */
#include "chains_open.h"

#include <recon/model/canonicalize.h>
#include <recon/model/spin.h>
#include "model/model.h"
#include "data/molecules.h"

enum { SOME = 30 };

static float canonical[CHAINS_N * CHAIN_ATOMS][3];
static recon_pose poses[CHAINS_N];

/* Rotated and moved anew, a conformer comes to the same places about its centre. */
static void a_rotated_input_has_the_same_canonical_form(void **state)
{
    recon_rng rng = recon_rng_new(8, 0);
    for (size_t i = 0; i < SOME; i++) {
        float xyz[3 * CHAIN_ATOMS], a[3 * CHAIN_ATOMS], b[3 * CHAIN_ATOMS];
        recon_pose p, q;
        recon_conformer x = list[i];
        const double by[3] = { 4, -1, 2 };
        CHECK_OK(*state, recon_canonicalize_molecules(*state, a, &p, model, &x, 1));
        chain_rotation(xyz, x.xyz, x.atoms, recon_so3_haar(&rng), by);
        x.xyz = xyz;
        CHECK_OK(*state, recon_canonicalize_molecules(*state, b, &q, model, &x, 1));
        for (size_t k = 0; k < 3 * x.atoms; k++)
            CHECK_NEAR((double)b[k] - q.center[k % 3], (double)a[k] - p.center[k % 3], 2e-3);
    }
}

static void the_motion_is_rigid_and_has_a_way_back(void **state)
{
    size_t n = CHAINS_N, at = 0;
    CHECK_OK(*state, recon_canonicalize_molecules(*state, canonical[0], poses, model, list, n));
    for (size_t i = 0; i < n; at += list[i++].atoms)
        for (size_t j = 0; j < list[i].atoms; j++) {
            const float *from = list[i].xyz + 3 * j;
            double there[3] = { from[0], from[1], from[2] }, back[3];
            recon_pose_points3(there, &poses[i], RECON_TO_CANONICAL, there, 1);
            recon_pose_points3(back, &poses[i], RECON_TO_INPUT, there, 1);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(there[k], canonical[at + j][k], 1e-5);
                CHECK_NEAR(back[k], from[k], 1e-12);
            }
        }
}

/* x = R upright, so that C(x) = (rotation R) upright: that must leave the axis where it was. */
static void the_axis_stands_upright(void **state)
{
    static double off[CHAINS_N];
    size_t free = 0;
    CHECK_OK(*state, recon_canonicalize_molecules(*state, NULL, poses, model, list, CHAINS_N));
    for (size_t i = 0; i < CHAINS_N; i++) {
        double axis[3], moved[3];
        chains_axis(axis, data, (size_t)list[i].molecule);
        recon_so3_act(moved,
                      recon_so3_compose(recon_so3_at(poses[i].rotation, 0),
                                        recon_molecules_rotation(data, i)),
                      axis);
        off[i] = angle_between(axis, moved);
        free += poses[i].free == 1;
        recon_so3 psi =
            recon_so3_compose(recon_so3_at(poses[i].absolute, 0), recon_so3_at(poses[i].lambda, 0));
        CHECK_NEAR(recon_so3_distance(psi, recon_so3_at(poses[i].psi, 0)), 0, 1e-7);
    }
    CHECK_LESS(median(off, CHAINS_N), 6 * DEGREE);
    assert_true(free > CHAINS_N * 9 / 10);
}

/* Gamma of neighbours leaves the spin free, too, but all of a class have the same one. */
static void neighbours_give_a_class_one_spin(void **state)
{
    static double apart[CHAINS_N];
    size_t pairs = 0;
    recon_lambda before = model->maps->lambda;
    CHECK_OK(*state, recon_model_use_lambda(*state, model, RECON_LAMBDA_NEIGHBOURS));
    CHECK_OK(*state, recon_canonicalize_molecules(*state, NULL, poses, model, list, CHAINS_N));
    CHECK_OK(*state, recon_model_use_lambda(*state, model, before));
    for (size_t i = 1; i < CHAINS_N; i++) {
        size_t j = i - 1;
        while (j > 0 && list[j].molecule != list[i].molecule)
            j--;
        if (list[j].molecule == list[i].molecule)
            apart[pairs++] =
                recon_so3_distance(recon_so3_compose(recon_so3_at(poses[i].rotation, 0),
                                                     recon_molecules_rotation(data, i)),
                                   recon_so3_compose(recon_so3_at(poses[j].rotation, 0),
                                                     recon_molecules_rotation(data, j)));
    }
    CHECK_LESS(median(apart, pairs),
               15 * DEGREE); /* 3.9 by the CPU; 74 about the mean of the neighbours */
}

/* Likes its molecules upright, each as a class of its own. */
static recon_status by_truth(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                             const recon_so3 *rotations, size_t n)
{
    (void)ctx, (void)user;
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)conformer[i];
        double up =
            recon_so3_angle(recon_so3_compose(rotations[i], recon_molecules_rotation(data, j)));
        for (int y = 0; y < CHAINS; y++)
            log_p[CHAINS * i + (size_t)y] =
                y == list[j].molecule ? (float)(-0.1 - up * up) : (float)(-5 - up * up);
    }
    return RECON_OK;
}

static double median_off(void)
{
    static double off[CHAINS_N];
    for (size_t i = 0; i < CHAINS_N; i++)
        off[i] = recon_so3_angle(recon_so3_compose(recon_so3_at(poses[i].rotation, 0),
                                                   recon_molecules_rotation(data, i)));
    return median(off, CHAINS_N);
}

/* The axis alone leaves any spin; a judge of upright molecules finds the right one, by the inputs
 * themselves or by a list of others. */
static void a_judge_chooses_the_free_spin(void **state)
{
    static recon_pose again[CHAINS_N];
    static float moved[CHAINS_N * CHAIN_ATOMS][3];
    size_t n = CHAINS_N;
    CHECK_OK(*state, recon_canonicalize_molecules(*state, NULL, poses, model, list, n));
    double before = median_off();
    CHECK_OK(*state, recon_canonicalize_spin(*state, moved[0], poses, model, list, n, NULL, 0,
                                             by_truth, NULL, CHAINS, NULL));
    CHECK_LESS(median_off(), 12 * DEGREE);
    CHECK_LESS(20 * DEGREE, before);
    CHECK_OK(*state, recon_canonicalize_spin(*state, NULL, again, model, list, n, list, n, by_truth,
                                             NULL, CHAINS, NULL));
    for (size_t i = 0; i < n; i++)
        CHECK_NEAR(recon_so3_distance(recon_so3_at(poses[i].rotation, 0),
                                      recon_so3_at(again[i].rotation, 0)),
                   0, 1e-9);
    for (size_t i = 0, at = 0; i < n; at += list[i++].atoms) {
        double there[3] = { list[i].xyz[0], list[i].xyz[1], list[i].xyz[2] };
        recon_pose_points3(there, &poses[i], RECON_TO_CANONICAL, there, 1);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(there[k], moved[at][k], 1e-5);
    }
    CHECK_OK(*state, recon_canonicalize_spin(*state, NULL, poses, model, list, 0, NULL, 0, by_truth,
                                             NULL, CHAINS, NULL));
}

static void running_out_of_memory_is_said(void **state)
{
    CHECK_ALLOCATIONS(*state, recon_canonicalize_spin(*state, NULL, poses, model, list, 2, NULL, 0,
                                                      by_truth, NULL, CHAINS, NULL));
}

/* Where Lambda is the head's, it is what all heads together would say. */
static void the_heads_lambda_is_asked_for(void **state)
{
    static recon_so3_map maps[SOME];
    static recon_pose again[SOME];
    recon_lambda before = recon_model_describe(model).lambda;
    CHECK_OK(*state, recon_model_use_lambda(*state, model, RECON_LAMBDA_HEAD));
    CHECK_OK(*state, recon_canonicalize_molecules(*state, NULL, poses, model, list, SOME));
    CHECK_OK(*state, recon_model_read(*state, &(recon_read){ .poses = again, .maps = maps }, model,
                                      list, SOME));
    for (size_t i = 0; i < SOME; i++)
        CHECK_NEAR(recon_so3_distance(recon_so3_at(poses[i].lambda, 0), maps[i].lambda_label), 0,
                   1e-6);
    CHECK_OK(*state, recon_model_use_lambda(*state, model, before));
}

static void unknown_elements_are_refused(void **state)
{
    const uint8_t gold[2] = { 79, 79 };
    const float xyz[6] = { 0, 0, 0, 2.5f, 0, 0 };
    recon_conformer x = { .atoms = 2, .z = gold, .xyz = xyz };
    CHECK_FAILS(*state, recon_canonicalize_molecules(*state, NULL, NULL, model, &x, 1),
                RECON_ERR_INPUT, "conformer 0: an atom of element Au (79): the model knows ");
}

/* A caller's own data may hold what no file may. */
static void what_is_no_place_is_refused(void **state)
{
    float xyz[3 * CHAIN_ATOMS];
    recon_conformer x[2] = { list[0], list[1] };
    memcpy(xyz, x[1].xyz, 3 * x[1].atoms * sizeof *xyz);
    x[1].xyz = xyz;
    xyz[7] = NAN;
    CHECK_FAILS(*state, recon_canonicalize_molecules(*state, NULL, poses, model, x, 2),
                RECON_ERR_INPUT, "conformer 1: y of atom 3 is nan");
    xyz[7] = INFINITY;
    CHECK_FAILS(*state, recon_canonicalize_molecules(*state, NULL, poses, model, x, 2),
                RECON_ERR_INPUT, "conformer 1: y of atom 3 is inf");
    memcpy(xyz, xyz + 3, 3 * sizeof *xyz);
    xyz[7] = 0;
    CHECK_FAILS(*state, recon_canonicalize_molecules(*state, NULL, poses, model, x, 2),
                RECON_ERR_INPUT, "conformer 1: atoms 1 and 2 are in one place");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rotated_input_has_the_same_canonical_form),
        cmocka_unit_test(the_motion_is_rigid_and_has_a_way_back),
        cmocka_unit_test(the_axis_stands_upright),
        cmocka_unit_test(neighbours_give_a_class_one_spin),
        cmocka_unit_test(a_judge_chooses_the_free_spin),
        cmocka_unit_test(running_out_of_memory_is_said),
        cmocka_unit_test(the_heads_lambda_is_asked_for),
        cmocka_unit_test(unknown_elements_are_refused),
        cmocka_unit_test(what_is_no_place_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
