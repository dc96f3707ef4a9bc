/* found_trial.c - the model tried on a sample of its data, as they came and rotated at random: does
 * the score notice, and does the network follow? And what to do with it then. */
#include "report/found.h"
#include "core/fail.h"
#include "core/memory.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 10.0 /* degrees by which poses of the same data may differ in the median */

recon_status recon_found_trial_new(recon_ctx *ctx, recon_found_trial *t, size_t n)
{
    RECON_CHECK(recon_alloc_raw(ctx, &t->natural, 3 * n, sizeof *t->natural));
    t->rotated = t->natural + n;
    t->miss = t->rotated + n;
    t->n = n;
    return RECON_OK;
}

void recon_found_trial_free(recon_found_trial *t)
{
    free(t->natural);
}

recon_status recon_found_check_same(recon_ctx *ctx, const recon_found_folder *f, double *apart,
                                    size_t n)
{
    double median = RECON_TO_DEGREES * recon_found_median(apart, n);
    if (median < SAME)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_MISMATCH,
                      "the data are not those that %s was made from: their poses differ by %.0f "
                      "degrees in the median",
                      f->dir, median);
}

/* --- unusual poses -------------------------------------------------------------------------------- */

static recon_status show_caught(recon_ctx *ctx, recon_page *page, const double *natural,
                                const double *rotated, size_t n)
{
    static const char *const columns[] = { "false alarms", "score above",
                                           "rotated inputs detected" };
    static const double alarms[] = { 0.01, 0.05, 0.1, 0.2 };
    recon_found_words words;
    double *sorted;
    RECON_CHECK(recon_alloc_raw(ctx, &sorted, n, sizeof *sorted));
    memcpy(sorted, natural, n * sizeof *sorted);
    recon_sort_doubles(sorted, n);
    recon_page_table(page, "What a threshold on the score catches", columns, 3);
    for (size_t a = 0; a < sizeof alarms / sizeof *alarms; a++) {
        double threshold = recon_quantile(sorted, n, 1 - alarms[a]), caught = 0;
        for (size_t i = 0; i < n; i++)
            caught += rotated[i] > threshold;
        recon_page_cell(page, "%.0f %%", 100 * alarms[a]);
        recon_page_cell(page, "%.2f", threshold);
        recon_page_cell(page, "%s", recon_found_share(words, caught / (double)n));
    }
    free(sorted);
    return RECON_OK;
}

static recon_status show_roc(recon_ctx *ctx, recon_page *page, recon_found_trial *t)
{
    const double *natural = t->natural, *rotated = t->rotated;
    size_t n = t->n;
    double *score = NULL;
    uint8_t *unusual = NULL;
    recon_roc_point *points = NULL;
    recon_roc_line line = { .name = "score" };
    char *svg = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &score, 2 * n, sizeof *score));
    RECON_TRY(recon_alloc(ctx, &unusual, 2 * n, sizeof *unusual));
    RECON_TRY(recon_alloc_raw(ctx, &points, 2 * n + 1, sizeof *points));
    memcpy(score, natural, n * sizeof *score);
    memcpy(score + n, rotated, n * sizeof *score);
    memset(unusual + n, 1, n);
    RECON_TRY(recon_roc_auc(ctx, &t->auc, score, unusual, 2 * n));
    RECON_TRY(recon_roc_curve(ctx, points, &line.count, score, unusual, 2 * n));
    line.points = points;
    RECON_TRY(recon_figure_roc(ctx, &svg,
                               &(recon_roc_plot){ .lines = &line,
                                                  .count = 1,
                                                  .x_label = "false alarms, fraction of the "
                                                             "original inputs",
                                                  .y_label = "detected, fraction of the randomly "
                                                             "rotated inputs" }));
    recon_page_say(
        page,
        "The area under the curve is %.3f: the probability that a randomly rotated input (%s) "
        "scores higher than an original one; 0.5 is chance. It cannot reach 1, because a random "
        "rotation sometimes gives a natural pose.",
        t->auc, t->one);
    recon_page_figure(
        page, svg,
        "Vertical: the fraction of randomly rotated inputs that a threshold on the score detects. "
        "Horizontal: the fraction of original inputs that it flags by mistake. The diagonal is "
        "chance.");
    RECON_TRY(show_caught(ctx, page, natural, rotated, n));
done:
    free(score);
    free(unusual);
    free(points);
    return status;
}

static recon_status show_scores(recon_ctx *ctx, recon_page *page, const recon_found_trial *t)
{
    const recon_mark mark = { "1 % of natural ones score higher", t->threshold };
    int told = isfinite(t->threshold); /* else too few natural ones are known */
    return recon_found_show_spread(
        ctx, page,
        &(recon_found_spread){ .x_label = "score of the original inputs",
                               .caption =
                                   told ? "Scores of the original inputs. Beyond the line, "
                                          "`{recon.score(false_alarms=0.01)}` flags a pose "
                                          "as unusual."
                                        : "Scores of the original inputs. The model was "
                                          "calibrated on too few inputs for "
                                          "`{recon.score(false_alarms=0.01)}` to flag any pose.",
                               .values = t->natural,
                               .n = t->n,
                               .marks = &mark,
                               .mark_count = (size_t)told });
}

recon_status recon_found_show_unusual(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                      recon_found_trial *t)
{
    recon_page_section(page, "Unusual poses");
    recon_page_say(
        page,
        "The score of %s is -log p: p is the density that the model gives to its own pose among "
        "the poses of its kind. High means unusual.",
        t->one);
    if (!t->n) {
        recon_page_say(page,
                       "The detection of unusual poses is not measured: the %s are not available.",
                       t->many);
        return recon_found_show_spread(
            ctx, page,
            &(recon_found_spread){ .x_label = "score",
                                   .caption = "Scores of all, each against its own neighbours.",
                                   .values = f->score,
                                   .n = f->rows });
    }
    recon_page_say(
        page,
        "Are unusual poses detected? There are no labels for this. So %zu of the %s are scored as "
        "given, and again after rotating each by %s, to see whether the score separates the two.",
        t->n, t->many, t->rotation);
    RECON_CHECK(show_roc(ctx, page, t));
    return show_scores(ctx, page, t);
}

/* --- warnings --------------------------------------------------------------------------------- */

int recon_found_warn_of_model(recon_page *page, const recon_found_trial *t)
{
    double miss = t->n ? recon_found_median(t->miss, t->n) : 0;
    int said = 0;
    if (miss > 15 && ++said)
        recon_page_warning(
            page,
            "When %s is rotated, the network's pose misses the rotation by %.0f degrees in the "
            "median. It is hardly trained: train longer before you rely on the rest.",
            t->one, miss);
    if (t->n && t->auc < 0.6 && ++said)
        recon_page_warning(
            page,
            "The score hardly separates unusual poses from natural ones (area %.2f): either these "
            "%s occur in all orientations, or the model is too weak.",
            t->auc, t->many);
    return said;
}
