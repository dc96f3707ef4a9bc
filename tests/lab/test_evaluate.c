/* The measures of the tables, on arrays whose answers are known. */
#include "scratch.h"

#include "lab/evaluate.h"
#include <recon/core/array.h>
#include <recon/group/so2.h>
#include "data/rotations.h"

#define PI     3.14159265358979323846
#define DEGREE (PI / 180)

/* --- a frozen model --------------------------------------------------------------------------- */

enum { IMAGES = 600, SIDE = 15, WAYS = 4 };

/* A spot that lies a quarter turn further for each label; labels go round. */
static recon_dataset *open_spots(recon_ctx *ctx)
{
    static float pixels[IMAGES * SIDE * SIDE];
    static uint8_t labels[IMAGES];
    recon_dataset *d = NULL;
    char spec[600];
    for (size_t i = 0; i < IMAGES; i++) {
        double a = (double)(i % WAYS) * PI / 2, x0 = 4 * cos(a), y0 = 4 * sin(a);
        labels[i] = i % WAYS;
        for (size_t p = 0; p < SIDE * SIDE; p++) {
            double x = (double)(p % SIDE) - SIDE / 2 - x0, y = SIDE / 2 - (double)(p / SIDE) - y0;
            pixels[i * SIDE * SIDE + p] = (float)exp(-(x * x + y * y) / 3);
        }
    }
    recon_array images = {
        .dtype = RECON_F32, .ndim = 3, .shape = { IMAGES, SIDE, SIDE }, .data = pixels
    };
    recon_array y = { .dtype = RECON_U8, .ndim = 1, .shape = { IMAGES }, .data = labels };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &images));
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("labels.npy"), &y));
    snprintf(spec, sizeof spec, "npy:%s", scratch("images.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    return d;
}

/* The quarter in which the centre of mass lies; counts what it was shown. */
static recon_status by_mass(recon_ctx *ctx, void *user, int64_t *labels, const float *images,
                            size_t n)
{
    (void)ctx;
    *(size_t *)user += n;
    for (size_t i = 0; i < n; i++, images += SIDE * SIDE) {
        double x = 0, y = 0;
        for (size_t p = 0; p < SIDE * SIDE; p++) {
            x += (double)images[p] * ((double)(p % SIDE) - SIDE / 2);
            y += (double)images[p] * (SIDE / 2 - (double)(p / SIDE));
        }
        labels[i] = ((int64_t)floor(atan2(y, x) / (PI / 2) + 0.5) + WAYS) % WAYS;
    }
    return RECON_OK;
}

static void accuracy_counts_what_is_taken_for_what_it_is(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_spots(ctx);
    double share, rotations[IMAGES];
    size_t shown = 0;
    CHECK_OK(ctx, recon_evaluate_accuracy(ctx, &share, NULL, d, NULL, by_mass, &shown));
    CHECK_NEAR(share, 1, 0);
    assert_int_equal(shown, IMAGES);
    for (size_t i = 0; i < IMAGES; i++)
        rotations[i] = i < 150 ? PI / 2 : 0.3; /* a quarter turn makes another class of it */
    CHECK_OK(ctx, recon_evaluate_accuracy(ctx, &share, NULL, d, rotations, by_mass, &shown));
    CHECK_NEAR(share, 0.75, 1e-15);
    rotations[7] = NAN;
    CHECK_FAILS(ctx, recon_evaluate_accuracy(ctx, &share, NULL, d, rotations, by_mass, &shown),
                RECON_ERR_INPUT, "rotation 7 is nan");
    recon_dataset_close(d);
}

/* Rotating back by the true angle undoes it; a true half of the circle is right without. */
static void exact_undo_gives_everything_back(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_spots(ctx), *rotated = NULL;
    static recon_rotation_rule rule;
    double none, undo, rotations[IMAGES];
    size_t shown = 0, within = 0;
    CHECK_OK(ctx, recon_rotation_rule_load(ctx, &rule, "all"));
    CHECK_OK(ctx, recon_dataset_rotate(ctx, &rotated, d, &rule, 2));
    for (size_t i = 0; i < IMAGES; i++) {
        rotations[i] = -recon_dataset_angle(rotated, i);
        within += fabs(rotations[i]) < PI / 4;
    }
    uint8_t right[IMAGES];
    size_t count = 0;
    CHECK_OK(ctx, recon_evaluate_accuracy(ctx, &none, right, rotated, NULL, by_mass, &shown));
    for (size_t i = 0; i < IMAGES; i++)
        count += right[i];
    CHECK_NEAR((double)count / IMAGES, none, 1e-15);
    CHECK_OK(ctx, recon_evaluate_accuracy(ctx, &undo, NULL, rotated, rotations, by_mass, &shown));
    CHECK_NEAR(none, (double)within / IMAGES, 0.02);
    CHECK_NEAR(undo, 1, 0);
    recon_dataset_close(rotated);
    recon_dataset_close(d);
}

/* The classifier's own accuracy is that of its guesses; a guess's score is the logarithm of its
 * probability. */
static void a_classifier_guesses_and_judges(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_spots(ctx);
    recon_classifier *c = NULL;
    recon_train_result trained;
    float image[2][SIDE * SIDE];
    double share, own, logits[2][WAYS], score[2];
    int64_t label[2];
    CHECK_OK(ctx, recon_classifier_train(ctx, &trained, d, scratch("c"),
                                         &(recon_classifier_options){ .epochs = 1, .seed = 1 }));
    CHECK_OK(ctx, recon_classifier_open(ctx, &c, scratch("c")));
    CHECK_OK(ctx,
             recon_evaluate_accuracy(ctx, &share, NULL, d, NULL, recon_guess_by_classifier, c));
    CHECK_OK(ctx, recon_classifier_accuracy(ctx, &own, c, d));
    CHECK_NEAR(share, own, 1e-12);
    for (size_t i = 0; i < 2; i++)
        recon_dataset_get(image[i], d, 1 + i);
    CHECK_OK(ctx, recon_classifier_logits(ctx, logits[0], c, image[0], 2));
    CHECK_OK(ctx, recon_guess_by_classifier(ctx, c, label, image[0], 2));
    CHECK_OK(ctx, recon_judge_by_classifier(ctx, c, score, image[0], 2));
    for (size_t i = 0; i < 2; i++) {
        double sum = 0;
        for (size_t w = 0; w < WAYS; w++) {
            sum += exp(logits[i][w]);
            assert_true(logits[i][w] <= logits[i][label[i]]);
        }
        CHECK_NEAR(exp(score[i]), exp(logits[i][label[i]]) / sum, 1e-9);
    }
    recon_classifier_close(ctx, c);
    recon_dataset_close(d);
}

/* --- poses ------------------------------------------------------------------------------------ */

static void pose_errors_go_the_shorter_way(void **state)
{
    recon_ctx *ctx = *state;
    recon_pose_error e;
    double pose[100], truth[100];
    for (int i = 0; i < 100; i++) { /* 70 off by i / 10, 10 by 60, 20 flipped, across the cut too */
        double off = i < 70 ? i / 10.0 : i < 80 ? 60 : 180;
        truth[i] = recon_so2_wrap(i);
        pose[i] = recon_so2_wrap(truth[i] + (i % 2 ? off : -off) * DEGREE);
    }
    CHECK_OK(ctx, recon_evaluate_poses(ctx, &e, pose, truth, 100));
    CHECK_NEAR(e.median / DEGREE, 4.95, 1e-9);
    CHECK_NEAR(e.p95 / DEGREE, 180, 1e-9);
    CHECK_NEAR(e.mean / DEGREE, (69 * 70 / 20.0 + 600 + 3600) / 100, 1e-9);
    CHECK_NEAR(e.flips, 0.2, 1e-15);
    CHECK_NEAR(e.close, 0.7, 1e-15);
    pose[3] = INFINITY;
    CHECK_FAILS(ctx, recon_evaluate_poses(ctx, &e, pose, truth, 100), RECON_ERR_INPUT,
                "pose 3 is inf");
    CHECK_FAILS(ctx, recon_evaluate_poses(ctx, &e, pose, truth, 0), RECON_ERR_INPUT, "nothing");
}

/* --- unusual poses -------------------------------------------------------------------------------- */

static void unusual_means_beyond_the_rule(void **state)
{
    recon_ctx *ctx = *state;
    static recon_rotation_rule rule;
    const int64_t labels[] = { 4, 4, 5, 5, 9, 9 };
    const double angles[] = {
        59.9, -60.1, 89.9, 90.1, 270.1, 269.9
    }; /* the last two: -89.9, -90.1 */
    const uint8_t want[] = { 0, 1, 0, 1, 0, 1 };
    double radians[6];
    uint8_t unusual[6];
    for (int i = 0; i < 6; i++)
        radians[i] = angles[i] * DEGREE;
    CHECK_OK(ctx, recon_rotation_rule_load(ctx, &rule, "mnist"));
    recon_evaluate_unusual(unusual, &rule, recon_reaches[0], labels, radians, 6);
    assert_memory_equal(unusual, want, 6);
    CHECK_OK(ctx, recon_rotation_rule_load(ctx, &rule, "fashion"));
    const double reach[] = { 5, 5, 5, 64, 64, 64, 128, 128, 128, 128 };
    for (int32_t c = 0; c < 10; c++)
        CHECK_NEAR(recon_evaluate_reach(recon_rotation_rule_of(&rule, c), recon_reaches[0]) /
                       DEGREE,
                   reach[c], 1e-9);
    const recon_reach wide = { 3, 15 * DEGREE };
    CHECK_NEAR(recon_evaluate_reach(recon_rotation_rule_of(&rule, 0), wide) / DEGREE, 15, 1e-9);
    CHECK_NEAR(recon_evaluate_reach(recon_rotation_rule_of(&rule, 3), wide) / DEGREE, 96, 1e-9);
}

static void areas_of_a_perfect_a_blind_and_a_contrary_score(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 400 };
    double size[N], blind[N], contrary[N];
    uint8_t unusual[N];
    recon_ood_auc auc;
    for (int i = 0; i < N; i++) {
        size[i] = i;
        blind[i] = 1;
        contrary[i] = -i;
        unusual[i] = i >= 100;
    }
    CHECK_OK(ctx, recon_evaluate_ood(
                      ctx, &auc,
                      &(recon_ood_scores){
                          .ieae = blind, .g_abs = size, .density = contrary, .undo = size },
                      unusual, N));
    CHECK_NEAR(auc.ieae, 0.5, 1e-15);
    CHECK_NEAR(auc.g_abs, 1, 1e-15);
    CHECK_NEAR(auc.density, 0, 1e-15);
    CHECK_NEAR(auc.undo, 1, 1e-15);
    CHECK_NEAR(auc.share, 0.75, 1e-15);
    memset(unusual, 0, sizeof unusual);
    CHECK_OK(ctx, recon_evaluate_ood(ctx, &auc, &(recon_ood_scores){ blind, size, contrary, NULL },
                                     unusual, N));
    assert_true(auc.share == 0 && isnan(auc.g_abs) && isnan(auc.undo)); /* nothing to tell apart */
}

/* --- widths ----------------------------------------------------------------------------------- */

static void widths_by_class_and_by_sample(void **state)
{
    recon_ctx *ctx = *state;
    const double theta[] = { 8, 12, 14, 30, 30, 36 }, truth[] = { 10, 7, 33 };
    const int64_t labels[] = { 0, 0, 0, 2, 2, 2 };
    recon_width of[3];
    recon_width_error e;
    CHECK_OK(ctx, recon_evaluate_widths(ctx, &e, of, theta, labels, 6, truth, 3));
    CHECK_NEAR(of[0].mean, 34.0 / 3, 1e-12);
    CHECK_NEAR(of[0].spread, sqrt((100 + 4 + 64) / 27.0), 1e-12);
    CHECK_NEAR(of[2].mean, 32, 1e-12);
    assert_true(of[1].n == 0 && isnan(of[1].mean) && isnan(of[1].spread));
    CHECK_NEAR(e.by_class, (4.0 / 3 + 1) / 2, 1e-12); /* class 1 does not occur */
    CHECK_NEAR(e.by_sample, (2 + 2 + 4 + 3 + 3 + 3) / 6.0, 1e-12);
    const int64_t wrong[] = { 0, 0, 0, 3, 2, 2 };
    CHECK_FAILS(ctx, recon_evaluate_widths(ctx, &e, of, theta, wrong, 6, truth, 3), RECON_ERR_INPUT,
                "label 3 is 3, of 3 classes");
}

/* --- neighbours ------------------------------------------------------------------------------- */

/* Row i has label i % 3 and k = 4 neighbours, of which (i / 3) % 5 are of its class. */
enum { ROWS = 60, K = 4, CLASSES = 3 };
static recon_neighborhood hood(void)
{
    static int64_t neighbors[ROWS * K], labels[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        labels[i] = i % CLASSES;
        for (int64_t j = 0; j < K; j++) {
            int64_t label = j < i / 3 % 5 ? i % CLASSES : (i + 1) % CLASSES;
            neighbors[i * K + j] = (label + 3 * (j + 1) + 3 * i) % ROWS;
        }
    }
    return (recon_neighborhood){ neighbors, ROWS, K, labels, CLASSES };
}

static void hits_and_the_worst_rows(void **state)
{
    recon_ctx *ctx = *state;
    recon_neighborhood h = hood();
    double hits[ROWS];
    int64_t worst[30];
    CHECK_OK(ctx, recon_evaluate_hits(ctx, hits, &h));
    for (int i = 0; i < ROWS; i++)
        CHECK_NEAR(hits[i], i / 3 % 5 / 4.0, 1e-15);
    CHECK_OK(ctx, recon_evaluate_worst(ctx, worst, 30, hits, ROWS));
    const int64_t first[] = { 0, 1, 2, 15, 16, 17, 30, 31, 32, 45, 46, 47, 3, 4, 5 };
    assert_memory_equal(worst, first, sizeof first);
    CHECK_FAILS(ctx, recon_evaluate_worst(ctx, worst, 61, hits, ROWS), RECON_ERR_INPUT,
                "the worst 61 of 60 rows");
}

/* Neighbours by likeness of pose alone are closer and their law narrower than those of a random
 * choice; neighbours without regard to pose are not. Half of every row's neighbours are of the other
 * label, and do not count. */
static void like_poses_are_noticed(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 2000, NEAREST = 16 };
    static int64_t neighbors[N * NEAREST], labels[N];
    static double angle[N];
    const double truth[2] = { 60 * DEGREE, 60 * DEGREE };
    recon_neighborhood h = { neighbors, N, NEAREST, labels, 2 };
    recon_like_poses like;
    recon_rng rng = recon_rng_new(7, 0);
    for (int i = 0; i < N; i++) { /* evenly spread over +-60 degrees, in order */
        labels[i] = i % 2;
        angle[i] = (-60 + 120.0 * i / (N - 1)) * DEGREE;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < NEAREST; j++)
            neighbors[i * NEAREST + j] = (i + 1 + j) % N;
    CHECK_OK(ctx, recon_evaluate_like_poses(ctx, &like, &h, angle, RECON_SO2_UNIFORM, truth, 1));
    assert_int_equal(like.rows, N);
    CHECK_LESS(like.distance[0], 2 * DEGREE);
    CHECK_NEAR(like.distance[1] / DEGREE, 40, 2); /* of two even draws a third of the range */
    CHECK_LESS(like.theta[0], 10 * DEGREE);
    CHECK_NEAR(like.theta[1] / DEGREE, 60, 5);
    CHECK_LESS(40 * DEGREE, like.error[0].by_class);
    CHECK_LESS(like.error[1].by_class, 5 * DEGREE);
    for (int i = 0; i < N * NEAREST; i++)
        neighbors[i] = (int64_t)(recon_rng_uniform(&rng) * N);
    CHECK_OK(ctx, recon_evaluate_like_poses(ctx, &like, &h, angle, RECON_SO2_UNIFORM, truth, 1));
    CHECK_NEAR(like.distance[0] / like.distance[1], 1, 0.05);
    CHECK_NEAR(like.spread[0] / like.spread[1], 1, 0.05);
    CHECK_NEAR(like.theta[0] / like.theta[1], 1, 0.05);
}

/* Two classes whose frames are opposed, and that have some of each other among their neighbours. */
static void opposed_frames_are_found(void **state)
{
    recon_ctx *ctx = *state;
    recon_neighborhood h = hood();
    double psi[ROWS], angle[ROWS];
    recon_frame_pair pair;
    for (int i = 0; i < ROWS; i++) {
        angle[i] = i * DEGREE;
        psi[i] = angle[i] + (i % CLASSES == 1 ? 170 : -10) * DEGREE;
    }
    CHECK_OK(ctx, recon_evaluate_frames(ctx, &pair, psi, angle, &h, 0, 1));
    CHECK_NEAR(pair.frame[0] / DEGREE, -10, 1e-9);
    CHECK_NEAR(pair.apart / DEGREE, 180, 1e-9);
    CHECK_NEAR(pair.agreement[0], 1, 1e-12);
    CHECK_NEAR(pair.other[0], 0.5, 1e-12); /* who is not of the row's class is of the next */
    CHECK_NEAR(pair.other[1], 0, 1e-12);
    CHECK_FAILS(ctx,
                recon_evaluate_frames(ctx, &pair, psi, angle, &(recon_neighborhood){ 0 }, 0, 1),
                RECON_ERR_INPUT, "nothing to measure");
}

static void confusion_rows_are_all_neighbours(void **state)
{
    recon_ctx *ctx = *state;
    recon_neighborhood h = hood();
    double hits[ROWS];
    int64_t worst[24];
    uint64_t counts[CLASSES * CLASSES];
    CHECK_OK(ctx, recon_evaluate_hits(ctx, hits, &h));
    CHECK_OK(ctx, recon_evaluate_worst(ctx, worst, 24, hits, ROWS)); /* hits of 0 and 1/4 */
    CHECK_OK(ctx, recon_evaluate_confusion(ctx, counts, worst, 24, &h));
    for (size_t c = 0; c < CLASSES; c++) { /* 8 rows of each class: 4 without a hit, 4 with one */
        assert_int_equal(counts[c * CLASSES + c], 4);
        assert_int_equal(counts[c * CLASSES + (c + 1) % CLASSES], 8 * K - 4);
        assert_int_equal(counts[c * CLASSES + (c + 2) % CLASSES], 0);
    }
    const int64_t beyond[] = { 60 };
    CHECK_FAILS(ctx, recon_evaluate_confusion(ctx, counts, beyond, 1, &h), RECON_ERR_INPUT,
                "row 60 of 60");
}

/* Two clusters of 120 in z, rotated within +-0.5 and +-1.2. Labels follow the clusters; then a fifth
 * of the first gets the other's, and neighbours agree when both were changed or neither. */
static void hit_rate_and_width_against_k(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 240 };
    static float z[N * 3];
    static double pose[N];
    static int64_t labels[N];
    const double truth[] = { 0.5, 1.2 };
    const size_t k[] = { 5, 40 };
    recon_rng rng = recon_rng_new(3, 0);
    recon_k_point out[2];
    for (size_t i = 0; i < N; i++) {
        size_t c = i % 2;
        for (size_t j = 0; j < 3; j++)
            z[3 * i + j] = (float)((j == c) + 0.01 * recon_rng_normal(&rng));
        pose[i] = recon_so2_wrap((c ? 3 : 1) + truth[c] * (2 * recon_rng_uniform(&rng) - 1));
        labels[i] = (int64_t)c;
    }
    recon_embedded e = {
        .n = N, .d = 3, .z = z, .group = RECON_SO2, .poses = pose, .labels = labels
    };
    CHECK_OK(ctx, recon_evaluate_k(ctx, out, k, 2, &e, RECON_SO2_UNIFORM, truth, 2));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(out[i].k, k[i]);
        CHECK_NEAR(out[i].hit_rate, 1, 0);
    }
    CHECK_LESS(out[1].error.by_class, 0.08);
    CHECK_LESS(out[1].error.by_class, out[0].error.by_class + 0.08);
    for (size_t i = 0; i < N; i += 10) /* of class 0, all of them */
        labels[i] = 1;
    CHECK_OK(ctx, recon_evaluate_k(ctx, out, k, 2, &e, RECON_SO2_UNIFORM, truth, 2));
    CHECK_NEAR(out[1].hit_rate, 0.5 + 0.5 * (0.8 * 0.8 + 0.2 * 0.2), 0.02);
    e.labels = NULL;
    CHECK_FAILS(ctx, recon_evaluate_k(ctx, out, k, 2, &e, RECON_SO2_UNIFORM, truth, 2),
                RECON_ERR_INPUT, "without labels");
}

/* --- classes ---------------------------------------------------------------------------------- */

static void folds_are_shares_of_a_class(void **state)
{
    recon_ctx *ctx = *state;
    const int fold[] = { 1, 2, 2, 1, 0 };
    const int64_t labels[] = { 0, 1, 1, 1, 1 };
    const double moments[] = { 0.9, 0.7, 0.5, 0.3, 0.1, 0.8, 0, 0, 0.2, 0.6,
                               0,   0,   0.9, 0.8, 0,   0,   0, 0, 0,   0 };
    recon_fold_share of[3];
    CHECK_OK(ctx, recon_evaluate_folds(ctx, of, fold, moments, labels, 5, 3));
    CHECK_NEAR(of[0].share, 0, 0);
    CHECK_NEAR(of[0].moment[3], 0.3, 1e-15);
    CHECK_NEAR(of[1].share, 0.5, 1e-15);
    CHECK_NEAR(of[1].moment[0], 0.3, 1e-15);
    CHECK_NEAR(of[1].moment[1], 0.55, 1e-15);
    assert_true(of[2].n == 0 && isnan(of[2].share));
}

/* Two classes with natural poses half a turn apart and the same distribution about them. */
static void a_pair_differs_in_its_natural_pose_alone(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 3000 };
    static double psi[N], lambda[N];
    static int64_t labels[N];
    recon_rng rng = recon_rng_new(6, 0);
    recon_class_pair pair;
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int64_t)(i % 3) * 3 + 3; /* 3, 6, 9 */
        double natural = labels[i] == 9 ? -3.0 : PI - 3.0;
        lambda[i] = recon_so2_wrap(natural + 0.05 * recon_rng_normal(&rng));
        psi[i] = recon_so2_wrap(lambda[i] + PI / 2 * (2 * recon_rng_uniform(&rng) - 1));
    }
    recon_posed posed = { psi, lambda, labels, N };
    CHECK_OK(ctx, recon_evaluate_pair(ctx, &pair, &posed, 6, 9));
    assert_true(pair.n[0] == N / 3 && pair.n[1] == N / 3);
    CHECK_LESS(recon_so2_distance(pair.natural[0], PI - 3.0), 0.01);
    CHECK_LESS(recon_so2_distance(pair.natural[1], -3.0), 0.01);
    CHECK_NEAR(pair.between, PI, 0.02);
    CHECK_LESS(pair.after, 0.1);
    CHECK_NEAR(pair.before, PI / 2, 0.1); /* half the circle each: mass moves a quarter turn */
    CHECK_FAILS(ctx, recon_evaluate_pair(ctx, &pair, &posed, 6, 8), RECON_ERR_INPUT,
                "nothing has label 8");
}

static void failing_allocations_leave_nothing(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_spots(ctx);
    recon_neighborhood h = hood();
    double share, hits[ROWS], pose[3] = { 0, 1, 2 };
    int64_t worst[4];
    size_t shown = 0;
    recon_pose_error e;
    CHECK_OK(ctx, recon_evaluate_hits(ctx, hits, &h));
    CHECK_ALLOCATIONS(ctx, recon_evaluate_accuracy(ctx, &share, NULL, d, NULL, by_mass, &shown));
    CHECK_ALLOCATIONS(ctx, recon_evaluate_poses(ctx, &e, pose, pose, 3));
    CHECK_ALLOCATIONS(ctx, recon_evaluate_worst(ctx, worst, 4, hits, ROWS));
    recon_dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(accuracy_counts_what_is_taken_for_what_it_is),
        SCRATCH_TEST(exact_undo_gives_everything_back),
        SCRATCH_TEST(a_classifier_guesses_and_judges),
        cmocka_unit_test(pose_errors_go_the_shorter_way),
        cmocka_unit_test(unusual_means_beyond_the_rule),
        cmocka_unit_test(areas_of_a_perfect_a_blind_and_a_contrary_score),
        cmocka_unit_test(widths_by_class_and_by_sample),
        cmocka_unit_test(hits_and_the_worst_rows),
        cmocka_unit_test(confusion_rows_are_all_neighbours),
        cmocka_unit_test(like_poses_are_noticed),
        cmocka_unit_test(opposed_frames_are_found),
        cmocka_unit_test(hit_rate_and_width_against_k),
        cmocka_unit_test(folds_are_shares_of_a_class),
        cmocka_unit_test(a_pair_differs_in_its_natural_pose_alone),
        SCRATCH_TEST(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
