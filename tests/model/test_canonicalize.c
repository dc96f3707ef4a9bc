/* What canonicalizing promises of inputs of every kind; the rest is in test_canonicalize_images.c
 * and test_canonicalize_molecules.c. */
#include "borders.h"
#include "both.h"
#include "fuzz/models.h"
#include "model/model.h"

#include <recon/model/score.h>
#include <recon/model/spin.h>

enum { SOME = 6 };

/* Canonical forms: pixels, or places of atoms. */
static float general[TINY_N * TINY_PIXELS], typed[TINY_N * TINY_PIXELS];
static recon_pose general_pose[BOTH_MOST], typed_pose[BOTH_MOST];

static size_t length_of(const domain *d, size_t n)
{
    size_t atoms = 0;
    for (size_t i = 0; i < n; i++)
        atoms += both_list[i].atoms;
    return d->group == RECON_SO2 ? n * TINY_PIXELS : 3 * atoms;
}

static recon_status call_typed(recon_ctx *ctx, const domain *d, const recon_model *model, size_t n)
{
    return d->group == RECON_SO2
               ? recon_canonicalize_images(ctx, typed, typed_pose, model, d->inputs, n, NULL)
               : recon_canonicalize_molecules(ctx, typed, typed_pose, model, d->inputs, n);
}

static void the_general_form_is_the_typed_one(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        CHECK_OK(*state,
                 recon_canonicalize(*state, general, general_pose, model, d->inputs, SOME, NULL));
        CHECK_OK(*state, call_typed(*state, d, model, SOME));
        assert_memory_equal(general, typed, length_of(d, SOME) * sizeof *typed);
        for (size_t i = 0; i < SOME; i++) {
            CHECK_NEAR(psi_apart(d, &general_pose[i], &typed_pose[i]), 0, 0);
            CHECK_NEAR(rotate_apart(d, &general_pose[i], &typed_pose[i]), 0, 0);
        }
        recon_model_close(*state, model);
    }
}

static void forms_or_poses_alone_are_the_same(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        CHECK_OK(*state, call_typed(*state, d, model, SOME));
        CHECK_OK(*state, recon_canonicalize(*state, general, NULL, model, d->inputs, SOME, NULL));
        CHECK_OK(*state,
                 recon_canonicalize(*state, NULL, general_pose, model, d->inputs, SOME, NULL));
        assert_memory_equal(general, typed, length_of(d, SOME) * sizeof *typed);
        for (size_t i = 0; i < SOME; i++)
            CHECK_NEAR(rotate_apart(d, &general_pose[i], &typed_pose[i]), 0, 0);
        CHECK_OK(*state, recon_canonicalize(*state, NULL, NULL, model, NULL, 0, NULL));
        recon_model_close(*state, model);
    }
}

/* Pixels, or places of atoms, of the first n inputs, as a canonical form has them. */
static void flatten(float *out, const domain *d, size_t n)
{
    if (d->group == RECON_SO2)
        memcpy(out, d->inputs, n * TINY_PIXELS * sizeof *out);
    else
        for (size_t i = 0; i < n; out += 3 * both_list[i++].atoms)
            memcpy(out, both_list[i].xyz, 3 * both_list[i].atoms * sizeof *out);
}

static int is_rotated(const domain *d, const recon_pose *p)
{
    return d->group->length(d->group, p->rotation) != 0;
}

/* Who passes is rotated as without a gate; who does not stays bit for bit. */
static void a_gate_rotates_unusual_poses_alone(void **state)
{
    static float as_it_is[TINY_N * TINY_PIXELS];
    static recon_pose_score score[TINY_N];
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        size_t rotated = 0;
        flatten(as_it_is, d, d->n);
        CHECK_OK(*state, recon_score(*state, score, model, d->inputs, d->n));
        CHECK_OK(*state,
                 recon_canonicalize(*state, typed, typed_pose, model, d->inputs, d->n, NULL));
        CHECK_OK(*state, recon_canonicalize(*state, general, general_pose, model, d->inputs, d->n,
                                            &(recon_canonicalize_options){ .only_if = 0.5 }));
        for (size_t i = 0; i < d->n; i++) {
            size_t from = length_of(d, i), size = length_of(d, i + 1) - from;
            assert_int_equal(is_rotated(d, &general_pose[i]), score[i].p_value < 0.5);
            rotated += score[i].p_value < 0.5;
            assert_memory_equal(general + from, (score[i].p_value < 0.5 ? typed : as_it_is) + from,
                                size * sizeof *general);
        }
        assert_true(rotated > 0 && rotated < d->n);
        recon_model_close(*state, model);
    }
}

static recon_natural verdict_of(recon_ctx *ctx, const domain *d, const recon_model *model, size_t i)
{
    recon_distribution two;
    recon_distribution3 three;
    if (d->group == RECON_SO2)
        CHECK_OK(ctx, recon_distribution_images(ctx, &two, model, tiny_images[i], 1));
    else
        CHECK_OK(ctx, recon_distribution_molecules(ctx, &three, model, &both_list[i], 1));
    return d->group == RECON_SO2 ? two.verdict : three.verdict;
}

static int allows(recon_only only, recon_natural verdict)
{
    int known = verdict != RECON_NATURAL_NONE && verdict != RECON_NATURAL_UNSURE;
    return only == RECON_ONLY_ONE ? verdict == RECON_NATURAL_ONE : known;
}

/* Alone and with a gate of p-values, which the pose after the rotation must not be below. */
static void only_clear_inputs_are_rotated(void **state)
{
    static float as_it_is[TINY_N * TINY_PIXELS];
    static recon_pose_score score[TINY_N];
    static double after[TINY_N];
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        flatten(as_it_is, d, d->n);
        CHECK_OK(*state, recon_score(*state, score, model, d->inputs, d->n));
        CHECK_OK(*state,
                 recon_canonicalize(*state, typed, typed_pose, model, d->inputs, d->n, NULL));
        recon_read read;
        CHECK_OK(*state, recon_model_read_all(*state, &read, model, d->inputs, d->n, 0));
        for (size_t i = 0; i < d->n; i++)
            after[i] = recon_model_p_value(model, &read, i, read.poses[i].lambda);
        recon_read_free(&read);
        for (int run = 0; run < 4; run++) {
            int gate = run % 2;
            const recon_canonicalize_options o = { .only =
                                                       run < 2 ? RECON_ONLY_ONE : RECON_ONLY_CLEAR,
                                                   .only_if = gate ? 0.9 : 0 };
            CHECK_OK(*state,
                     recon_canonicalize(*state, general, general_pose, model, d->inputs, d->n, &o));
            for (size_t i = 0; i < d->n; i++) {
                size_t from = length_of(d, i), size = length_of(d, i + 1) - from;
                int open = allows(o.only, verdict_of(*state, d, model, i)) &&
                           (!gate || (score[i].p_value < 0.9 && after[i] >= 0.5));
                assert_int_equal(is_rotated(d, &general_pose[i]), open);
                assert_memory_equal(general + from, (open ? typed : as_it_is) + from,
                                    size * sizeof *general);
            }
        }
        recon_model_close(*state, model);
    }
}

/* One answer: a row says what the score, the canonical form and the distribution say. */
static void a_row_is_what_the_other_calls_say(void **state)
{
    static recon_pose_score score[TINY_N];
    static recon_row row[TINY_N];
    EACH_DOMAIN(d)
    {
        const recon_canonicalize_options o = { .only = RECON_ONLY_ONE, .only_if = 0.5 };
        recon_model *model = open_model(*state, d);
        CHECK_OK(*state, recon_score(*state, score, model, d->inputs, d->n));
        CHECK_OK(*state,
                 recon_canonicalize(*state, NULL, general_pose, model, d->inputs, d->n, &o));
        CHECK_OK(*state, recon_rows_find(*state, row, model, d->inputs, d->n, &o));
        for (size_t i = 0; i < d->n; i++) {
            assert_true(row[i].score == score[i].score && row[i].p_value == score[i].p_value);
            assert_int_equal(row[i].verdict, verdict_of(*state, d, model, i));
            assert_true(row[i].verdict == RECON_NATURAL_ONE || row[i].why == RECON_WHY_VERDICT);
            assert_true(score[i].p_value < 0.5 || row[i].why != RECON_WHY_ROTATED);
            assert_int_equal(row[i].rotated, row[i].why == RECON_WHY_ROTATED);
            CHECK_NEAR(rotate_apart(d, &row[i].pose, &general_pose[i]), 0, 0);
            CHECK_NEAR(d->group->distance(d->group, row[i].candidates.pose[0].absolute,
                                          score[i].pose.absolute),
                       0, 1e-6);
        }
        recon_model_close(*state, model);
    }
}

static recon_status like_all(recon_ctx *ctx, void *user, double *scores, const float *images,
                             size_t n)
{
    (void)ctx, (void)images;
    *(size_t *)user += n;
    memset(scores, 0, n * sizeof *scores);
    return RECON_OK;
}

/* The sum of an image and the square of that, and how many images were shown. */
static recon_status sums(recon_ctx *ctx, void *user, double *answers, const float *images, size_t n)
{
    size_t *shown = user;
    (void)ctx;
    *shown += n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < TINY_PIXELS; j++)
            sum += (double)images[i * TINY_PIXELS + j];
        answers[2 * i] = sum;
        answers[2 * i + 1] = sum * sum;
    }
    return RECON_OK;
}

static recon_status refuses(recon_ctx *ctx, void *user, double *answers, const float *images,
                            size_t n)
{
    (void)user, (void)answers, (void)images, (void)n;
    return recon_fail(ctx, RECON_ERR_NUMERIC, "no answer");
}

/* The last output for the last image is no number. */
static recon_status slips(recon_ctx *ctx, void *user, double *answers, const float *images,
                          size_t n)
{
    (void)ctx, (void)images;
    for (size_t i = 0; i < 2 * n; i++)
        answers[i] = i + 1 < 2 * n ? 1 : *(const double *)user;
    return RECON_OK;
}

/* Weighted frames: the mean of the answers to every candidate, by its weight. */
static void answers_are_averaged_by_weight(void **state)
{
    recon_model *model = open_model(*state, &both[0]);
    recon_candidates list[SOME];
    recon_pose first[SOME];
    double mean[SOME][2];
    size_t shown = 0, count = 0;
    CHECK_OK(*state, recon_candidates_list(*state, list, model, tiny_images[0], SOME, NULL));
    CHECK_OK(*state, recon_average_images(*state, mean[0], first, model, tiny_images[0], SOME, sums,
                                          &shown, 2, NULL));
    for (size_t i = 0; i < SOME; i++) {
        double want[2] = { 0 }, one[2];
        for (size_t j = 0; j < list[i].count; j++, count++) {
            recon_image_rotate(general, tiny_images[i], TINY_SIDE, TINY_SIDE, 1,
                               list[i].pose[j].rotation[0], RECON_BILINEAR);
            sums(*state, &(size_t){ 0 }, one, general, 1);
            want[0] += list[i].weight[j] * one[0];
            want[1] += list[i].weight[j] * one[1];
        }
        CHECK_NEAR(mean[i][0], want[0], 1e-3);
        CHECK_NEAR(mean[i][1], want[1], 1e-2 * (1 + want[1]));
        CHECK_NEAR(first[i].rotation[0], list[i].pose[0].rotation[0], 1e-6);
    }
    assert_int_equal(shown, count);
    CHECK_OK(*state,
             recon_average_images(*state, mean[0], NULL, model, tiny_images[0], SOME, sums, &shown,
                                  2, &(recon_canonicalize_options){ .only_if = 1e-12 }));
    for (size_t i = 0; i < SOME; i++) { /* the gate lets nothing through */
        double one[2];
        sums(*state, &shown, one, tiny_images[i], 1);
        CHECK_NEAR(mean[i][0], one[0], 1e-9);
    }
    CHECK_FAILS(*state,
                recon_average_images(*state, mean[0], NULL, model, tiny_images[0], SOME, refuses,
                                     NULL, 2, NULL),
                RECON_ERR_NUMERIC, "no answer");
    for (int i = 0; i < 2; i++) {
        double no_number = i ? -INFINITY : NAN;
        char text[64];
        snprintf(text, sizeof text, "output 1 for image %d is %s", SOME - 1, i ? "-inf" : "nan");
        CHECK_FAILS(*state,
                    recon_average_images(*state, mean[0], NULL, model, tiny_images[0], SOME, slips,
                                         &no_number, 2, NULL),
                    RECON_ERR_INPUT, text);
    }
    recon_model_close(*state, model);
}

static void a_search_keeps_to_the_gate(void **state)
{
    const recon_canonicalize_options closed = { .only_if = 1e-12 };
    recon_model *model = open_model(*state, &both[0]);
    size_t judged = 0;
    CHECK_OK(*state, recon_canonicalize_search(*state, general, general_pose, model, tiny_images[0],
                                               SOME, like_all, &judged, &closed));
    assert_int_equal(judged, 0);
    assert_memory_equal(general, tiny_images, SOME * sizeof *tiny_images);
    recon_model_close(*state, model);
}

static void a_gate_is_a_p_value(void **state)
{
    recon_model *model = open_model(*state, &both[0]);
    const double bad[] = { 2, -0.1, NAN, INFINITY };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(*state,
                    recon_canonicalize(*state, general, NULL, model, tiny_images[0], 1,
                                       &(recon_canonicalize_options){ .only_if = bad[i] }),
                    RECON_ERR_INPUT, "only_if");
    recon_model_close(*state, model);
}

/* A model of the other kind is refused before anything is read. */
static void a_model_of_another_kind_is_refused(void **state)
{
    recon_model *images = open_model(*state, &both[0]), *molecules = open_model(*state, &both[1]);
    CHECK_FAILS(*state, call_typed(*state, &both[0], molecules, 1), RECON_ERR_INPUT,
                "the model takes molecules, not images");
    CHECK_FAILS(*state, call_typed(*state, &both[1], images, 1), RECON_ERR_INPUT,
                "the model takes images, not molecules");
    CHECK_FAILS(*state,
                recon_canonicalize_search(*state, NULL, NULL, molecules, tiny_images[0], 1, NULL,
                                          NULL, NULL),
                RECON_ERR_INPUT, "search is for models of");
    recon_model_close(*state, molecules), recon_model_close(*state, images);
}

static void without_memory_it_says_so(void **state)
{
    EACH_DOMAIN(d)
    {
        recon_model *model = open_model(*state, d);
        CHECK_ALLOCATIONS(*state,
                          recon_canonicalize(*state, general, NULL, model, d->inputs, 2, NULL));
        recon_model_close(*state, model);
    }
}

/* --- any number ------------------------------------------------------------------------------- */

static recon_status by_sum(recon_ctx *ctx, void *user, double *scores, const float *images,
                           size_t n)
{
    (void)ctx, (void)user;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < TINY_PIXELS / 2; j++)
            scores[i] = (j ? scores[i] : 0) + (double)images[i * TINY_PIXELS + j];
    return RECON_OK;
}

typedef struct {
    recon_pose searched, first;
    recon_pose_score score;
    double mean[2];
} of_image;

static void ask_all(recon_ctx *ctx, of_image *out, const recon_model *model, const float *x,
                    size_t n)
{
    recon_pose *pose = malloc(2 * n * sizeof *pose);
    recon_pose_score *score = malloc(n * sizeof *score);
    double *mean = malloc(2 * n * sizeof *mean);
    size_t shown = 0;
    CHECK_OK(ctx, recon_canonicalize_search(ctx, NULL, pose, model, x, n, by_sum, NULL, NULL));
    CHECK_OK(ctx, recon_average_images(ctx, mean, pose + n, model, x, n, sums, &shown, 2, NULL));
    CHECK_OK(ctx, recon_score_images(ctx, score, model, x, n));
    for (size_t i = 0; i < n; i++)
        out[i] = (of_image){ pose[i], pose[n + i], score[i], { mean[2 * i], mean[2 * i + 1] } };
    free(pose);
    free(score);
    free(mean);
}

/* Searches, averages and scores go through images in blocks. */
static void any_number_of_images_is_answered_alike(void **state)
{
    static const size_t block[] = { RECON_BLOCK_SCORES, RECON_BLOCK_SEARCH, RECON_BLOCK_AVERAGE };
    enum { MOST = BORDER_MOST(RECON_BLOCK_SEARCH), FEW = 20 };
    static float x[MOST][TINY_PIXELS];
    static of_image few[MOST], all[MOST];
    recon_model *model = open_model(*state, &both[0]);
    for (size_t i = 0; i < MOST; i++)
        memcpy(x[i], tiny_images[i % TINY_N], sizeof x[i]);
    for (size_t at = 0; at < MOST; at += FEW)
        ask_all(*state, few + at, model, x[at], MOST - at < FEW ? MOST - at : FEW);
    for (size_t b = 0; b < 2; b++) /* the third is like the second */
        for (int k = 0; k < BORDERS; k++) {
            size_t n = border(block[b], k);
            ask_all(*state, all, model, x[0], n);
            for (size_t i = 0; i < n; i++) {
                CHECK_NEAR(all[i].searched.rotation[0], few[i].searched.rotation[0], 1e-4);
                CHECK_NEAR(all[i].first.rotation[0], few[i].first.rotation[0], 1e-4);
                CHECK_NEAR(all[i].score.score, few[i].score.score, 1e-3);
                CHECK_NEAR(all[i].mean[0], few[i].mean[0], 1e-2);
            }
        }
    assert_int_equal(block[1], block[2]);
    recon_model_close(*state, model);
}

static recon_status by_height(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                              const recon_so3 *rotations, size_t n)
{
    (void)ctx, (void)user;
    for (size_t i = 0; i < n; i++) {
        double v[3] = { 1, 0.5, 0.2 * (double)(conformer[i] % 3) };
        recon_so3_act(v, rotations[i], v);
        log_p[2 * i] = (float)v[2];
        log_p[2 * i + 1] = (float)v[0];
    }
    return RECON_OK;
}

/* Molecules are seen in blocks, and a judge of their spins is asked in blocks. */
static void any_number_of_molecules_is_answered_alike(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_SPIN), FEW = 100, AMONG = 12 };
    static const float xyz[3][3] = { { 0, 0, 0.1173f },
                                     { 0, 0.7572f, -0.4692f },
                                     { 0, -0.7572f, -0.4692f } };
    static const uint8_t z[3] = { 8, 1, 1 };
    static float place[MOST][9];
    static recon_conformer x[MOST];
    static recon_pose few[MOST], all[MOST + 1];
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(2, 0);
    recon_model *model;
    CHECK_OK(ctx, small_molecule_model(ctx, scratch("small")));
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch("small"), RECON_SINGLE));
    for (size_t i = 0; i < MOST; i++) {
        for (int k = 0; k < 9; k++)
            place[i][k] = xyz[k / 3][k % 3] + 0.1f * (float)recon_rng_normal(&rng);
        x[i] = (recon_conformer){ .atoms = 3, .z = z, .xyz = place[i], .energy = NAN, .rmsd = NAN };
    }
    for (size_t at = 0; at < MOST; at += FEW)
        CHECK_OK(ctx, recon_canonicalize_spin(ctx, NULL, few + at, model, x + at,
                                              MOST - at < FEW ? MOST - at : FEW, x, AMONG,
                                              by_height, NULL, 2, NULL));
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_SPIN, k);
        memset(all, 0, sizeof all);
        CHECK_OK(ctx, recon_canonicalize_spin(ctx, NULL, all, model, x, n, x, AMONG, by_height,
                                              NULL, 2, NULL));
        for (size_t i = 0; i < n; i++)
            CHECK_NEAR(recon_so3_distance(recon_so3_at(all[i].rotation, 0),
                                          recon_so3_at(few[i].rotation, 0)),
                       0, 1e-3);
        CHECK_NEAR(all[n].rotation[0], 0, 0);
    }
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_general_form_is_the_typed_one),
        cmocka_unit_test(forms_or_poses_alone_are_the_same),
        cmocka_unit_test(a_gate_rotates_unusual_poses_alone),
        cmocka_unit_test(only_clear_inputs_are_rotated),
        cmocka_unit_test(a_row_is_what_the_other_calls_say),
        cmocka_unit_test(answers_are_averaged_by_weight),
        cmocka_unit_test(any_number_of_images_is_answered_alike),
        cmocka_unit_test(any_number_of_molecules_is_answered_alike),
        cmocka_unit_test(a_search_keeps_to_the_gate),
        cmocka_unit_test(a_gate_is_a_p_value),
        cmocka_unit_test(a_model_of_another_kind_is_refused),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, both_setup, both_teardown);
}
