/* Canonical images: the same for every quarter turn of an input, one resampling away from it, the
 * same bits in every thread; candidates and the judge's choice. */
#include "tiny.h"
#include "backbone/pose_density.h"

#include "model/model.h"
#include "group/mean.h"

#include <recon/model/canonicalize.h>
#include <recon/group/so2.h>
#include <pthread.h>

enum { SOME = 12, THREADS = 8 };
#define PI 3.14159265358979323846

typedef struct {
    float image[SOME][TINY_PIXELS];
    recon_pose pose[SOME];
} answer;

static answer canonical(recon_ctx *ctx, const recon_model *model, const float *images)
{
    answer a;
    CHECK_OK(ctx, recon_canonicalize_images(ctx, a.image[0], a.pose, model, images, SOME, NULL));
    return a;
}

/* Beside the model of tiny.h one whose backbone has no pose density. */
static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    recon_dataset *data = tiny_data(*state);
    tiny_train(*state, data, -1);
    tiny_discover(*state, data, RECON_LAMBDA_HEAD);
    rename(scratch("model.safetensors"), scratch("plain.safetensors"));
    tiny_train(*state, data, 0);
    tiny_discover(*state, data, RECON_LAMBDA_DENSITY);
    recon_dataset_close(data);
    return 0;
}

static recon_model *plain_model(recon_ctx *ctx)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch("plain.safetensors"), RECON_SINGLE));
    return model;
}

/* psi rotates with the input, Lambda does not change, so the canonical image stays. */
static void check_quarter_turns(recon_ctx *ctx, const recon_model *model)
{
    answer still = canonical(ctx, model, tiny_images[0]);
    for (int quarter = -1; quarter <= 2; quarter++) {
        float rotated[SOME][TINY_PIXELS];
        for (int i = 0; i < SOME; i++)
            recon_image_rotate(rotated[i], tiny_images[i], TINY_SIDE, TINY_SIDE, 1,
                               quarter * PI / 2, RECON_BILINEAR);
        answer a = canonical(ctx, model, rotated[0]);
        for (int i = 0; i < SOME; i++) {
            CHECK_LESS(
                recon_so2_distance(a.pose[i].psi[0], still.pose[i].psi[0] + quarter * PI / 2),
                1e-3);
            CHECK_LESS(recon_so2_distance(a.pose[i].lambda[0], still.pose[i].lambda[0]), 1e-3);
            for (int j = 0; j < TINY_PIXELS; j++)
                CHECK_NEAR((double)a.image[i][j], (double)still.image[i][j], 5e-3);
        }
    }
}

static void quarter_turns_have_one_canonical_image(void **state)
{
    recon_model *model = tiny_model(*state), *plain = plain_model(*state);
    check_quarter_turns(*state, model);
    check_quarter_turns(*state, plain);
    recon_model_close(*state, plain);
    recon_model_close(*state, model);
}

/* Lambda = psi c^-1 where the backbone has a pose density with centre c, and the head's answer where
 * it has none; whether the other heads run or not. */
static void check_lambda(recon_ctx *ctx, const recon_model *model, int has_density)
{
    enum { CODE = 8 };
    float z[SOME][CODE];
    double psi[SOME];
    float q[SOME][RECON_POSE_BINS];
    recon_so2_map head[SOME];
    recon_candidates list[SOME];
    answer a = canonical(ctx, model, tiny_images[0]);
    const recon_backbone *b = recon_model_backbone(model);
    const recon_seen seen = { .z = z[0], .psi = psi, .density = has_density ? q[0] : NULL };
    assert_int_equal(recon_model_describe(model).images.density, has_density);
    assert_int_equal(b->density, has_density);
    CHECK_OK(ctx, b->kind->embed(ctx, &seen, b, tiny_images[0], SOME));
    CHECK_OK(ctx, recon_maps_apply(
                      ctx, head, model->maps,
                      &(recon_maps_inputs){ .n = SOME, .z = z[0], .inputs = tiny_images[0] },
                      RECON_MAPS_LAMBDA));
    CHECK_OK(ctx, recon_candidates_list(ctx, list, model, tiny_images[0], SOME, NULL));
    for (int i = 0; i < SOME; i++) {
        double want = has_density ? psi[i] - recon_pose_centre(q[i]) : head[i].lambda;
        CHECK_LESS(recon_so2_distance(a.pose[i].lambda[0], want), 1e-6);
        CHECK_LESS(recon_so2_distance(list[i].pose[0].lambda[0], want), 1e-6);
    }
}

static void silence(recon_model *model)
{
    for (size_t c = 0; c < model->codes->laws.n; c++)
        model->codes->laws.law[c].frame = RECON_LAWS_SILENT;
}

static void lambda_comes_from_the_density_or_from_the_head(void **state)
{
    recon_model *model = tiny_model(*state), *plain = plain_model(*state);
    silence(model); /* else laws choose a mode */
    silence(plain);
    check_lambda(*state, model, 1);
    check_lambda(*state, plain, 0);
    recon_model_close(*state, plain);
    recon_model_close(*state, model);
}

static void the_pose_says_what_was_done(void **state)
{
    recon_model *model = tiny_model(*state);
    const recon_interpolation kinds[] = { RECON_BILINEAR, RECON_BICUBIC };
    for (int k = 0; k < 2; k++) {
        answer a;
        float want[TINY_PIXELS];
        CHECK_OK(*state, recon_canonicalize_images(
                             *state, a.image[0], a.pose, model, tiny_images[0], SOME,
                             &(recon_canonicalize_options){ .interpolation = kinds[k] }));
        for (int i = 0; i < SOME; i++) {
            const recon_pose *p = &a.pose[i];
            CHECK_LESS(recon_so2_distance(p->absolute[0], p->psi[0] - p->lambda[0]), 1e-12);
            CHECK_LESS(recon_so2_distance(p->rotation[0], p->lambda[0] - p->psi[0]), 1e-12);
            recon_pose_image(want, p, RECON_TO_CANONICAL, tiny_images[i], TINY_SIDE, TINY_SIDE, 1,
                             kinds[k]);
            assert_memory_equal(a.image[i], want, sizeof want);
        }
    }
    recon_model_close(*state, model);
}

typedef struct {
    const recon_model *model;
    answer got;
    recon_status status;
} job;

static void *in_thread(void *arg)
{
    job *j = arg;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    for (int round = 0; round < 3; round++)
        j->status = recon_canonicalize_images(ctx, j->got.image[0], j->got.pose, j->model,
                                              tiny_images[0], SOME, NULL);
    recon_ctx_free(ctx);
    return NULL;
}

static void one_model_serves_many_threads(void **state)
{
    static job jobs[THREADS];
    pthread_t thread[THREADS];
    recon_model *model = tiny_model(*state);
    answer want = canonical(*state, model, tiny_images[0]);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].model = model;
        assert_int_equal(pthread_create(&thread[i], NULL, in_thread, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(jobs[i].status, RECON_OK);
        assert_memory_equal(jobs[i].got.image, want.image, sizeof want.image);
        assert_memory_equal(jobs[i].got.pose, want.pose, sizeof want.pose);
    }
    recon_model_close(*state, model);
}

/* --- candidates ------------------------------------------------------------------------------- */

/* The letter T lies one way or the other, L does not. */
static void candidates_begin_with_lambda(void **state)
{
    static recon_candidates list[TINY_N];
    recon_model *model = plain_model(*state); /* Lambda is near a mode */
    answer plain = canonical(*state, model, tiny_images[0]);
    int opposite = 0;
    CHECK_OK(*state, recon_candidates_list(*state, list, model, tiny_images[0], TINY_N, NULL));
    for (int i = 0; i < TINY_N; i++) {
        double sum = 0;
        assert_true(list[i].count >= 1 && list[i].count <= RECON_MODES_MAX);
        for (size_t j = 0; j < list[i].count; j++) {
            sum += list[i].weight[j];
            assert_true(list[i].pose[j].psi[0] == list[i].pose[0].psi[0]);
            assert_true(j < 2 || list[i].weight[j] <= list[i].weight[j - 1]);
        }
        CHECK_NEAR(sum, 1, 1e-9);
        if (i < SOME)
            CHECK_LESS(recon_so2_distance(list[i].pose[0].rotation[0], plain.pose[i].rotation[0]),
                       1e-5);
        if (i % 2 && list[i].count == 2)
            opposite +=
                recon_so2_distance(list[i].pose[0].lambda[0], list[i].pose[1].lambda[0]) > 2.5;
    }
    assert_true(opposite > TINY_N / 4); /* of TINY_N / 2 letters T */
    recon_model_close(*state, model);
}

/* How much brighter the upper half is. */
static double top_heavy(const float *image)
{
    double sum = 0;
    for (int i = 0; i < TINY_PIXELS; i++)
        sum += (double)(i < TINY_PIXELS / 2 ? image[i] : -image[i]);
    return sum;
}

typedef struct {
    size_t seen, calls;
} witness;

static recon_status judge_top(recon_ctx *ctx, void *user, double *scores, const float *images,
                              size_t n)
{
    witness *w = user;
    (void)ctx;
    w->seen += n;
    w->calls++;
    for (size_t i = 0; i < n; i++)
        scores[i] = top_heavy(images + i * TINY_PIXELS);
    return RECON_OK;
}

static void the_judge_gets_what_it_likes_best(void **state)
{
    static recon_candidates list[TINY_N];
    static float out[TINY_N][TINY_PIXELS];
    static recon_pose pose[TINY_N];
    recon_model *model = tiny_model(*state);
    witness w = { 0 };
    size_t judged = 0;
    CHECK_OK(*state, recon_candidates_list(*state, list, model, tiny_images[0], TINY_N, NULL));
    CHECK_OK(*state, recon_canonicalize_search(*state, out[0], pose, model, tiny_images[0], TINY_N,
                                               judge_top, &w, NULL));
    for (int i = 0; i < TINY_N; i++) {
        double got = top_heavy(out[i]), best = -1e9;
        judged += list[i].count > 1 ? list[i].count : 0;
        for (size_t j = 0; j < list[i].count; j++) {
            float image[TINY_PIXELS];
            recon_pose_image(image, &list[i].pose[j], RECON_TO_CANONICAL, tiny_images[i], TINY_SIDE,
                             TINY_SIDE, 1, RECON_BILINEAR);
            best = fmax(best, top_heavy(image));
        }
        CHECK_NEAR(got, best, 1e-3);
    }
    assert_int_equal(w.seen, judged);
    assert_true(judged > 0 && w.calls < 4); /* many images at once */
    recon_model_close(*state, model);
}

static recon_status judge_fails(recon_ctx *ctx, void *user, double *scores, const float *images,
                                size_t n)
{
    (void)ctx;
    (void)user;
    (void)scores;
    (void)images;
    (void)n;
    return RECON_ERR_NUMERIC;
}

/* Nothing is better than nothing: Lambda stays. */
static recon_status judge_nan(recon_ctx *ctx, void *user, double *scores, const float *images,
                              size_t n)
{
    (void)ctx;
    (void)user;
    (void)images;
    for (size_t i = 0; i < n; i++)
        scores[i] = NAN;
    return RECON_OK;
}

static void a_judge_may_fail_or_have_no_opinion(void **state)
{
    static recon_candidates list[TINY_N];
    static recon_pose pose[TINY_N];
    recon_model *model = tiny_model(*state);
    assert_int_equal(recon_canonicalize_search(*state, NULL, pose, model, tiny_images[0], TINY_N,
                                               judge_fails, NULL, NULL),
                     RECON_ERR_NUMERIC);
    CHECK_OK(*state, recon_candidates_list(*state, list, model, tiny_images[0], TINY_N, NULL));
    CHECK_OK(*state, recon_canonicalize_search(*state, NULL, pose, model, tiny_images[0], TINY_N,
                                               judge_nan, NULL, NULL));
    for (int i = 0; i < TINY_N;
         i++) /* not to the bit: the two take images in blocks of other sizes */
        CHECK_NEAR(remainder(pose[i].rotation[0] - list[i].pose[0].rotation[0], 2 * PI), 0, 1e-4);
    recon_model_close(*state, model);
}

static void pixels_must_be_numbers(void **state)
{
    static float images[3][TINY_PIXELS], out[3][TINY_PIXELS];
    recon_model *model = tiny_model(*state);
    memcpy(images, tiny_images, sizeof images);
    images[2][7] = NAN;
    CHECK_FAILS(*state, recon_canonicalize_images(*state, out[0], NULL, model, images[0], 3, NULL),
                RECON_ERR_INPUT, "pixel 7 of image 2 is nan");
    images[2][7] = INFINITY;
    CHECK_FAILS(*state,
                recon_candidates_list(*state, &(recon_candidates){ 0 }, model, images[2], 1, NULL),
                RECON_ERR_INPUT, "pixel 7 of image 0 is inf");
    images[2][7] = -1e30f; /* activations would overflow: the image is at fault, not the model */
    CHECK_FAILS(*state, recon_canonicalize_images(*state, out[0], NULL, model, images[0], 3, NULL),
                RECON_ERR_INPUT,
                "pixel 7 of image 2 is -1e+30: pixels are finite numbers, at most 1e12");
    for (size_t i = 0; i < TINY_PIXELS; i++) /* what is taken does not overflow */
        images[2][i] = i % 3 ? (float)RECON_PIXEL_MOST : (float)-RECON_PIXEL_MOST;
    CHECK_OK(*state, recon_canonicalize_images(*state, out[0], NULL, model, images[0], 3, NULL));
    recon_model_close(*state, model);
}

static void without_memory_it_says_so(void **state)
{
    static float out[2][TINY_PIXELS];
    static recon_pose pose[2];
    recon_model *model = tiny_model(*state);
    CHECK_ALLOCATIONS(*state, recon_canonicalize_search(*state, out[0], pose, model, tiny_images[0],
                                                        2, judge_nan, NULL, NULL));
    recon_model_close(*state, model);
}

/* All of a cluster have the verdict of its law, and Lambda in the same of its modes. */
static void a_cluster_has_one_verdict_and_one_mode(void **state)
{
    static recon_row row[TINY_N];
    recon_model *model = tiny_model(*state);
    size_t moved = 0, known = 0;
    CHECK_OK(*state, recon_rows_find(*state, row, model, tiny_images[0], TINY_N, NULL));
    for (int i = 0; i < TINY_N; i++) {
        const recon_law *law = &model->codes->laws.law[row[i].cluster];
        if (law->natural == RECON_NATURAL_UNSURE)
            continue; /* too small a cluster */
        known++;
        assert_int_equal(law->natural, i % 2 ? RECON_NATURAL_SEVERAL : RECON_NATURAL_ONE);
        assert_int_equal(row[i].verdict, law->natural);
        assert_true(i % 2 == 0 || row[i].candidates.count == 2);
        for (int j = 1; law->frame == RECON_LAWS_OF_PSI && j < law->modes; j++)
            CHECK_LESS(recon_so2_distance(row[i].pose.lambda[0], law->mode[0].at[0]),
                       recon_so2_distance(row[i].pose.lambda[0], law->mode[j].at[0]));
        moved += i % 2 && recon_so2_distance(row[i].pose.absolute[0], 0) > PI / 2;
    }
    CHECK_LESS(0.75 * TINY_N, known);
    CHECK_NEAR(moved, TINY_N / 6, TINY_N / 12); /* every third T is upside down */
    recon_model_close(*state, model);
}

/* Where Lambda is that of neighbours, a verdict is made of their poses, not of a density that may have
 * learned from other data. */
static void verdicts_are_of_where_lambda_comes_from(void **state)
{
    static recon_distribution told[TINY_N];
    recon_model *model = tiny_model(*state);
    size_t k = recon_model_near(model);
    recon_so2_center said[TINY_N];
    recon_read of;
    size_t told_one = 0;
    assert_int_equal(k, 5);
    silence(model);
    CHECK_OK(*state, recon_model_use_lambda(*state, model, RECON_LAMBDA_NEIGHBOURS));
    CHECK_OK(*state, recon_distribution_images(*state, told, model, tiny_images[0], TINY_N));
    CHECK_OK(*state, recon_model_read_all(*state, &of, model, tiny_images[0], TINY_N, 1));
    CHECK_OK(*state, recon_so2_mean_batch(*state, said, of.near, TINY_N, k, NULL));
    for (int i = 0; i < TINY_N; i++) {
        assert_int_equal(told[i].density.family, RECON_SO2_BINS);
        double support = 0;
        for (size_t j = 0; j < k; j++)
            support += cos(of.near[(size_t)i * k + j]) / (double)k;
        int firm = of.p_embedding[i] >= 0.01 &&
                   (said[i].natural != RECON_NATURAL_ONE || support >= RECON_LEAST_SUPPORT);
        if (told[i].verdict != RECON_NATURAL_NONE) /* which a cluster may prove */
            assert_int_equal(told[i].verdict, firm ? said[i].natural : RECON_NATURAL_UNSURE);
        told_one += told[i].verdict == RECON_NATURAL_ONE;
        assert_int_equal(told[i].modes, said[i].modes);
        CHECK_NEAR(told[i].mode[0].at, said[i].mode[0].at, 0);
    }
    assert_true(told_one > TINY_N / 10); /* 5 poses tell little */
    recon_read_free(&of);
    recon_model_close(*state, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarter_turns_have_one_canonical_image),
        cmocka_unit_test(lambda_comes_from_the_density_or_from_the_head),
        cmocka_unit_test(the_pose_says_what_was_done),
        cmocka_unit_test(one_model_serves_many_threads),
        cmocka_unit_test(candidates_begin_with_lambda),
        cmocka_unit_test(the_judge_gets_what_it_likes_best),
        cmocka_unit_test(a_judge_may_fail_or_have_no_opinion),
        cmocka_unit_test(pixels_must_be_numbers),
        cmocka_unit_test(without_memory_it_says_so),
        cmocka_unit_test(verdicts_are_of_where_lambda_comes_from),
        cmocka_unit_test(a_cluster_has_one_verdict_and_one_mode),
    };
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
