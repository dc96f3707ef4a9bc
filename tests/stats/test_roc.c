/* ROC: brute-force pairs, symmetries of the area, the curve's area, scikit-learn's answers. */
#include "check.h"
#include "stats/roc.h"
#include "group/vectors.h"

enum { N = 200 };

/* Scores on a coarse grid when levels is small, so that ties abound; both classes are present. */
static void draw(double *score, uint8_t *label, recon_rng *rng, double levels)
{
    for (int i = 0; i < N; i++) {
        label[i] = i < 2 ? (uint8_t)i : (uint8_t)recon_rng_below(rng, 2);
        score[i] = round((recon_rng_normal(rng) + 0.7 * label[i]) * levels) / levels;
    }
}

static double pair_count(const double *score, const uint8_t *label)
{
    double won = 0, pairs = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (label[i] && !label[j]) {
                won += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
                pairs++;
            }
    return won / pairs;
}

static void the_area_counts_pairs(void **state)
{
    recon_rng rng = recon_rng_new(1, 0);
    for (int i = 0; i < 100; i++) {
        double score[N], negated[N], mapped[N], auc, other;
        uint8_t label[N], swapped[N];
        draw(score, label, &rng, i % 2 ? 2 : 1e6);
        for (int k = 0; k < N; k++) {
            negated[k] = -score[k];
            mapped[k] = exp(3 * score[k]) - 7; /* increasing */
            swapped[k] = !label[k];
        }
        CHECK_OK(*state, recon_roc_auc(*state, &auc, score, label, N));
        CHECK_NEAR(auc, pair_count(score, label), 1e-15);
        CHECK_OK(*state, recon_roc_auc(*state, &other, negated, label, N));
        CHECK_NEAR(other, 1 - auc, 1e-15);
        CHECK_OK(*state, recon_roc_auc(*state, &other, score, swapped, N));
        CHECK_NEAR(other, 1 - auc, 1e-15);
        CHECK_OK(*state, recon_roc_auc(*state, &other, mapped, label, N));
        assert_true(other == auc);
    }
}

static void the_curve_rises_and_its_area_is_the_auc(void **state)
{
    recon_rng rng = recon_rng_new(2, 0);
    for (int i = 0; i < 20; i++) {
        double score[N], auc, area = 0;
        uint8_t label[N];
        recon_roc_point curve[N + 1];
        size_t count;
        draw(score, label, &rng, i % 2 ? 1 : 1e9);
        CHECK_OK(*state, recon_roc_auc(*state, &auc, score, label, N));
        CHECK_OK(*state, recon_roc_curve(*state, curve, &count, score, label, N));
        assert_true(curve[0].false_positive == 0 && curve[0].true_positive == 0);
        assert_true(isinf(curve[0].threshold));
        for (size_t k = 1; k < count; k++) {
            recon_roc_point a = curve[k - 1], b = curve[k];
            assert_true(b.threshold < a.threshold); /* ties are one point */
            assert_true(b.false_positive >= a.false_positive && b.true_positive >= a.true_positive);
            area += (b.false_positive - a.false_positive) * (a.true_positive + b.true_positive) / 2;
        }
        assert_true(curve[count - 1].false_positive == 1 && curve[count - 1].true_positive == 1);
        CHECK_NEAR(area, auc, 1e-14);
    }
}

static void a_curve_worked_by_hand(void **state)
{
    const double score[] = { 0.4, INFINITY, 0.4, -INFINITY, 0.9 };
    const uint8_t label[] = { 1, 1, 0, 0, 0 };
    const recon_roc_point want[] = { { 0, 0, INFINITY },
                                     { 0, 0.5, INFINITY },
                                     { 1 / 3.0, 0.5, 0.9 },
                                     { 2 / 3.0, 1, 0.4 },
                                     { 1, 1, -INFINITY } };
    recon_roc_point curve[6];
    size_t count;
    CHECK_OK(*state, recon_roc_curve(*state, curve, &count, score, label, 5));
    assert_int_equal(count, 5);
    for (size_t k = 0; k < count; k++) {
        assert_true(curve[k].false_positive == want[k].false_positive);
        assert_true(curve[k].true_positive == want[k].true_positive);
        assert_true(curve[k].threshold == want[k].threshold);
    }
}

static void sklearn_agrees(void **state)
{
    for (int i = 0; i < ROC_SETS; i++) {
        double auc;
        CHECK_OK(*state, recon_roc_auc(*state, &auc, roc_score[i], roc_label[i], ROC_SIZE));
        CHECK_NEAR(auc, roc_auc[i], 1e-15);
    }
}

static void what_cannot_be_scored_is_said(void **state)
{
    const double score[] = { 1, 2, NAN };
    const uint8_t both[] = { 0, 1, 1 }, ones[] = { 1, 1, 1 }, zeros[] = { 0, 0, 0 },
                  odd[] = { 0, 7, 1 };
    recon_roc_point curve[4];
    size_t count;
    double auc;
    CHECK_FAILS(*state, recon_roc_auc(*state, &auc, score, both, 3), RECON_ERR_INPUT, "score 2");
    CHECK_FAILS(*state, recon_roc_curve(*state, curve, &count, score, both, 3), RECON_ERR_INPUT,
                "score 2");
    CHECK_FAILS(*state, recon_roc_auc(*state, &auc, score, odd, 2), RECON_ERR_INPUT,
                "label 1 is 7");
    CHECK_FAILS(*state, recon_roc_auc(*state, &auc, score, ones, 2), RECON_ERR_INPUT,
                "without a negative");
    CHECK_FAILS(*state, recon_roc_auc(*state, &auc, score, zeros, 2), RECON_ERR_INPUT,
                "without a positive");
    CHECK_FAILS(*state, recon_roc_auc(*state, &auc, score, ones, 0), RECON_ERR_INPUT, "0 scores");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_area_counts_pairs),
        cmocka_unit_test(the_curve_rises_and_its_area_is_the_auc),
        cmocka_unit_test(a_curve_worked_by_hand),
        cmocka_unit_test(sklearn_agrees),
        cmocka_unit_test(what_cannot_be_scored_is_said),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
