/* Scores and distributions of molecules: every score tells unusual poses, axes are found, and words say
 * what is free. */
#include "chains_open.h"

#include <recon/model/canonicalize.h>
#include <recon/model/score.h>
#include "stats/roc.h"
#include "data/molecules.h"

static recon_pose_score natural[CHAINS_N], unusual[CHAINS_N];

/* The same conformers, each rotated by a rotation that is anything. */
static void score_unusual_ones(recon_ctx *ctx)
{
    static float xyz[CHAINS_N][3 * CHAIN_ATOMS];
    static recon_conformer rotated[CHAINS_N];
    recon_rng rng = recon_rng_new(10, 0);
    for (size_t i = 0; i < CHAINS_N; i++) {
        rotated[i] = list[i];
        chain_rotation(xyz[i], list[i].xyz, list[i].atoms, recon_so3_haar(&rng), (double[3]){ 0 });
        rotated[i].xyz = xyz[i];
    }
    CHECK_OK(ctx, recon_score_molecules(ctx, unusual, model, rotated, CHAINS_N));
}

static double area(recon_ctx *ctx, size_t offset)
{
    static double score[2 * CHAINS_N];
    static uint8_t label[2 * CHAINS_N];
    double auc;
    for (size_t i = 0; i < CHAINS_N; i++) {
        score[i] = *(const double *)((const char *)&natural[i] + offset);
        score[CHAINS_N + i] = *(const double *)((const char *)&unusual[i] + offset);
        label[i] = 0, label[CHAINS_N + i] = 1;
    }
    CHECK_OK(ctx, recon_roc_auc(ctx, &auc, score, label, 2 * CHAINS_N));
    return auc;
}

static void unusual_poses_score_high(void **state)
{
    CHECK_OK(*state, recon_score_molecules(*state, natural, model, list, CHAINS_N));
    score_unusual_ones(*state);
    CHECK_LESS(0.96, area(*state, offsetof(recon_pose_score, score)));
    CHECK_LESS(0.9, area(*state, offsetof(recon_pose_score, surrogate)));
    CHECK_LESS(0.85, area(*state, offsetof(recon_pose_score, label)));
    CHECK_LESS(0.85, area(*state, offsetof(recon_pose_score, uncentered)));
}

static recon_distribution3 told[CHAINS_N];

/* The axis is found, in the world and in the input; the tilt is the input's own. */
static void distributions_know_the_axis(void **state)
{
    static double off[CHAINS_N], tilt[CHAINS_N];
    CHECK_OK(*state, recon_distribution_molecules(*state, told, model, list, CHAINS_N));
    for (size_t i = 0; i < CHAINS_N; i++) {
        double axis[3], now[3], sign;
        chains_axis(axis, data, (size_t)list[i].molecule);
        recon_so3_act(now, recon_molecules_rotation(data, i), axis);
        sign = axis[0] * told[i].axis[0] + axis[1] * told[i].axis[1] + axis[2] * told[i].axis[2];
        for (int k = 0; k < 3; k++)
            axis[k] *= sign < 0 ? -1 : 1;
        off[i] = angle_between(axis, told[i].axis);
        for (int k = 0; k < 3; k++)
            now[k] *= sign < 0 ? -1 : 1;
        tilt[i] = angle_between(now, told[i].axis_now);
        CHECK_NEAR(told[i].tilt, angle_between(told[i].axis, told[i].axis_now), 1e-6);
        CHECK_NEAR(told[i].score,
                   -recon_fisher_mixture_log_density(&told[i].poses, told[i].background,
                                                     recon_so3_at(told[i].pose.absolute, 0)),
                   1e-9);
    }
    CHECK_LESS(median(off, CHAINS_N), 4 * DEGREE);
    CHECK_LESS(median(tilt, CHAINS_N), 5 * DEGREE);
}

static void words_say_what_is_free(void **state)
{
    recon_distribution3_text text;
    recon_distribution3 d = { .free = 1, .axis = { 0, 0, 1 }, .spread = { 0.1 }, .tilt = 0.2 };
    const double ring[9] = { 100 }, firm[9] = { 100, 0, 0, 0, 100, 0, 0, 0, 100 };
    CHECK_OK(*state, recon_fisher_of(*state, &d.poses, ring));
    assert_string_equal(recon_distribution3_words(text, &d),
                        "One axis stands along (0.000, 0.000, 1.000), tilted by 5.7 degrees (root "
                        "mean square); the spin about the axis is free. This one is tilted by 11.5 "
                        "degrees.");
    d = (recon_distribution3){ .free = 0, .spread = { 0.1, 0.2, 0.3 } };
    recon_so3 absolute = recon_so3_from_axis_angle((double[]){ 1, 0, 0 }, 0.5);
    memcpy(d.pose.absolute, &absolute, sizeof absolute);
    CHECK_OK(*state, recon_fisher_of(*state, &d.poses, firm));
    assert_non_null(strstr(recon_distribution3_words(text, &d), "5.7, 11.5 and 17.2 degrees"));
    assert_non_null(strstr(text, "This one is 28.6 degrees"));
    d.free = 3;
    assert_non_null(strstr(recon_distribution3_words(text, &d), "No natural pose"));
    d.free = 2;
    assert_non_null(strstr(recon_distribution3_words(text, &d), "nearly all poses"));
}

/* Of several modes the words give the weights; of an undecided one they say so. */
static void words_say_how_many_modes(void **state)
{
    recon_distribution3_text text;
    recon_distribution3 d = { .free = 0, .spread = { 0.1, 0.1, 0.1 }, .modes = 2 };
    const double firm[9] = { 100, 0, 0, 0, 100, 0, 0, 0, 100 };
    CHECK_OK(*state, recon_fisher_of(*state, &d.poses, firm));
    d.verdict = RECON_NATURAL_SEVERAL;
    d.mode[0].weight = 0.6, d.mode[1].weight = 0.4;
    recon_distribution3_words(text, &d);
    assert_non_null(strstr(text, "2 natural poses"));
    assert_non_null(strstr(text, "in 60 % and 40 % of its class"));
    d.modes = 1, d.verdict = RECON_NATURAL_UNSURE;
    assert_non_null(strstr(recon_distribution3_words(text, &d), "undecided"));
    d.verdict = RECON_NATURAL_NONE;
    assert_non_null(strstr(recon_distribution3_words(text, &d), "No natural pose"));
}

/* Candidate 0 is what canonicalize takes; weights sum to 1; each is a mode of the distribution. */
static void candidates_are_the_modes(void **state)
{
    static recon_candidates candidates[CHAINS_N];
    static recon_pose poses[CHAINS_N];
    CHECK_OK(*state, recon_distribution_molecules(*state, told, model, list, CHAINS_N));
    CHECK_OK(*state, recon_candidates_list(*state, candidates, model, list, CHAINS_N, NULL));
    CHECK_OK(*state, recon_canonicalize_molecules(*state, NULL, poses, model, list, CHAINS_N));
    for (size_t i = 0; i < CHAINS_N; i++) {
        const recon_candidates *c = &candidates[i];
        double sum = 0;
        assert_int_equal(c->count, told[i].modes);
        assert_memory_equal(&c->pose[0], &poses[i], sizeof poses[i]);
        for (size_t k = 0; k < c->count; k++) {
            sum += c->weight[k];
            assert_int_equal(k == 0, recon_so3_distance(recon_so3_at(c->pose[k].lambda, 0),
                                                        recon_so3_at(poses[i].lambda, 0)) == 0);
        }
        CHECK_NEAR(sum, 1, 1e-12);
    }
}

static void what_is_no_place_is_refused(void **state)
{
    float xyz[3 * CHAIN_ATOMS] = { 0, 0, NAN };
    recon_conformer x = list[0];
    recon_pose_score o;
    recon_distribution3 d;
    x.xyz = xyz;
    CHECK_FAILS(*state, recon_score_molecules(*state, &o, model, &x, 1), RECON_ERR_INPUT,
                "conformer 0: z of atom 1 is nan");
    CHECK_FAILS(*state, recon_distribution_molecules(*state, &d, model, &x, 1), RECON_ERR_INPUT,
                "conformer 0: z of atom 1 is nan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusual_poses_score_high), cmocka_unit_test(distributions_know_the_axis),
        cmocka_unit_test(words_say_what_is_free),   cmocka_unit_test(words_say_how_many_modes),
        cmocka_unit_test(candidates_are_the_modes), cmocka_unit_test(what_is_no_place_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
