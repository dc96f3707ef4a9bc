/* found_poses.c - what `recon normalize` found in embeddings and poses of any backbone. */
#include "report/found.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/group/matrix_fisher.h>
#include <stdlib.h>
#include <string.h>

/* --- results --------------------------------------------------------------------------------- */

/* Kinds of natural poses that the group may have, and what they are called. */
typedef struct {
    recon_natural kind;
    const char *tile, *words;
} kind_words;

static const kind_words *kinds_of(const recon_found_folder *f)
{
    static const kind_words so2[] = {
        { RECON_NATURAL_ONE, "have one natural pose", "one natural pose" },
        { RECON_NATURAL_SEVERAL, "have several natural poses", "several" },
        { RECON_NATURAL_MODULO, "have one modulo a symmetry",
          "one modulo a half, third or quarter turn" },
        { RECON_NATURAL_NONE, "have no natural pose", "none: all directions alike" },
    };
    static const kind_words so3[] = {
        { RECON_NATURAL_ONE, "have one natural pose", "one natural pose" },
        { RECON_NATURAL_SEVERAL, "have several natural poses", "several" },
        { RECON_NATURAL_AXIS, "have an axis, with a free spin", "an axis; the spin about it free" },
        { RECON_NATURAL_NONE, "have no natural pose", "none: all poses alike" },
    };
    return f->group == RECON_SO3 ? so3 : so2;
}
enum { KINDS = 4 };

static recon_status show_results(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    const kind_words *kinds = kinds_of(f);
    double rows, hits = recon_found_overall(f, "hit_rate");
    recon_found_words words;
    recon_status status;
    RECON_TRY(
        recon_found_number(ctx, &rows, f, isnan(recon_found_maybe(f, "rows")) ? "points" : "rows"));
    recon_page_result(page, "poses", "%s", recon_found_count(words, (size_t)fmax(rows, 0)));
    for (int i = 0; i < KINDS; i++) {
        double share = recon_found_natural(f, kinds[i].kind);
        if (!isnan(share))
            recon_page_result(page, kinds[i].tile, "%s", recon_found_share(words, share));
    }
    recon_found_unsure_result(page, f);
    if (!isnan(hits))
        recon_page_result(page, "of neighbours share the label", "%s",
                          recon_found_share(words, hits));
done:
    return status;
}

/* --- what was found --------------------------------------------------------------------------- */

static const char *group_words(const recon_found_folder *f)
{
    return f->group == RECON_SO3 ? "SO(3), the rotations of space"
                                 : "SO(2), the rotations of a picture";
}

static recon_status say_classes(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    double classes;
    recon_found_words a, b;
    if (f->k) {
        recon_page_say(page,
                       "%s poses on %s: each was compared with those of its %zu nearest "
                       "neighbours in the embedding, its class. They show which pose is natural "
                       "for its kind, and how far poses vary around it.",
                       recon_found_count(a, f->rows), group_words(f), f->k);
        return RECON_OK;
    }
    recon_status status = recon_found_number(ctx, &classes, f, "class_count");
    if (status == RECON_OK)
        recon_page_say(
            page,
            "%s poses on %s in %s classes: points connected by small distances. The poses of a "
            "class show which pose is natural for its kind, and how far poses vary around it.",
            recon_found_count(a, f->rows), group_words(f),
            recon_found_count(b, (size_t)fmax(classes, 0)));
    return status;
}

static recon_status say_width(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    const char *family = recon_found_text(f, "family");
    int uniform = !strcmp(family, "uniform");
    double *theta;
    if (f->group == RECON_SO3 || (!uniform && strcmp(family, "normal")))
        return RECON_OK;
    recon_status status = recon_alloc_raw(ctx, &theta, f->rows, sizeof *theta);
    if (status != RECON_OK)
        return status;
    memcpy(theta, f->theta, f->rows * sizeof *theta);
    recon_page_say(page, "They vary around their natural poses with a %s of %.0f degrees (median).",
                   uniform ? "half-width" : "standard deviation",
                   RECON_TO_DEGREES * recon_found_median(theta, f->rows));
    free(theta);
    return RECON_OK;
}

static recon_status say_found(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    double hits = recon_found_overall(f, "hit_rate");
    recon_found_words a, b, c, d;
    recon_status status;
    recon_page_section(page, "What was found");
    RECON_TRY(say_classes(ctx, page, f));
    RECON_TRY(say_width(ctx, page, f));
    if (!isnan(recon_found_natural(f, RECON_NATURAL_NONE)))
        recon_page_say(page,
                       "Fraction with one natural pose: %s; with several: %s; with %s: %s; with "
                       "none, because the poses of their class cannot be distinguished from "
                       "uniform ones: %s.",
                       recon_found_share(a, recon_found_natural(f, RECON_NATURAL_ONE)),
                       recon_found_share(b, recon_found_natural(f, RECON_NATURAL_SEVERAL)),
                       kinds_of(f)[2].words,
                       recon_found_share(c, recon_found_natural(f, kinds_of(f)[2].kind)),
                       recon_found_share(d, recon_found_natural(f, RECON_NATURAL_NONE)));
    if (!isnan(hits))
        recon_page_say(page,
                       "Of a point's class, %s have its label; labels were used only for this "
                       "figure.",
                       recon_found_share(a, hits));
done:
    return status;
}

/* --- widths ----------------------------------------------------------------------------------- */

/* How to read the first number of a row of theta. */
typedef struct {
    const char *label, *words;
    double scale;
} reading;

static reading reading_of(const recon_found_folder *f)
{
    const char *family = recon_found_text(f, "family");
    if (f->group == RECON_SO3)
        return (reading){ "concentration",
                          "The largest singular value of the matrix Fisher distribution that was "
                          "fitted to each class: 0 is any pose, 100 an axis that varies by about "
                          "8 degrees.",
                          1 };
    if (!strcmp(family, "uniform"))
        return (reading){ "half-width (degrees)",
                          "How far the poses of each class extend to either side of the natural "
                          "pose.",
                          RECON_TO_DEGREES };
    if (!strcmp(family, "normal"))
        return (reading){ "standard deviation (degrees)",
                          "How far the poses of each class vary around the natural pose.",
                          RECON_TO_DEGREES };
    return (reading){ "root mean square distance (degrees)",
                      "How far the poses of each class are from the natural pose: the root mean "
                      "square of the angles.",
                      RECON_TO_DEGREES };
}

/* The largest singular value of F. */
static recon_status concentration(recon_ctx *ctx, double *out, const double f[9])
{
    recon_fisher fisher;
    recon_status status = recon_fisher_of(ctx, &fisher, f);
    *out = status == RECON_OK ? fisher.singular[0] : NAN;
    return status;
}

enum { WIDTHS_MOST = 5000 }; /* of SO(3), which cost a decomposition each */

static recon_status show_widths(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    const reading r = reading_of(f);
    size_t *row = NULL, n;
    double *values = NULL;
    recon_status status;
    recon_page_section(page, "How far they vary");
    recon_page_say(page, "%s", r.words);
    RECON_TRY(recon_found_sample(ctx, &row, &n, f->rows, WIDTHS_MOST));
    RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
    for (size_t i = 0; i < n; i++)
        if (f->group == RECON_SO3)
            RECON_TRY(concentration(ctx, &values[i], f->theta + 9 * row[i]));
        else
            values[i] = f->theta[row[i]] * r.scale;
    RECON_TRY(recon_found_show_spread(
        ctx, page,
        &(recon_found_spread){
            .x_label = r.label, .caption = "Histogram of widths.", .values = values, .n = n }));
done:
    free(row);
    free(values);
    return status;
}

/* --- scores ----------------------------------------------------------------------------------- */

static recon_status show_scores(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    recon_page_section(page, "Unusual poses");
    recon_page_say(
        page, "The score of a point is -log p: p is the density of its own pose among the poses "
              "of its class. High means unusual. The ground truth is not known here, so the "
              "quality of the score is not measured.");
    return recon_found_show_spread(ctx, page,
                                   &(recon_found_spread){ .x_label = "score",
                                                          .caption = "Scores of all points.",
                                                          .values = f->score,
                                                          .n = f->rows });
}

/* --- how well poses are known ----------------------------------------------------------------- */

static void table_known(recon_page *page, const recon_found_folder *f)
{
    static const char *const columns[] = { "natural pose", "share of points (%)" };
    const kind_words *kinds = kinds_of(f);
    recon_page_table(page, "How well the natural pose is known", columns, 2);
    for (int i = 0; i < KINDS; i++) {
        double share = recon_found_natural(f, kinds[i].kind);
        recon_page_cell(page, "%s", kinds[i].words);
        recon_page_cell(page, isnan(share) ? "-" : "%.1f", 100 * share);
    }
    double unsure = recon_found_natural(f, RECON_NATURAL_UNSURE);
    if (unsure > 0) {
        recon_page_cell(page, "undecided");
        recon_page_cell(page, "%.1f", 100 * unsure);
    }
}

static recon_status show_known(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    int so3 = f->group == RECON_SO3;
    double *known = NULL;
    size_t width = f->group->identifiability;
    recon_status status = recon_alloc_raw(ctx, &known, f->rows, sizeof *known);
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; i < f->rows; i++)
        known[i] = fabs(f->identifiability[width * i + (so3 ? 2 : 0)]);
    recon_page_section(page, "How well natural poses are known");
    status = recon_found_show_spread(
        ctx, page,
        &(recon_found_spread){ .x_label = "agreement of a class's poses",
                               .caption =
                                   so3 ? "For the least determined direction. 1: all poses of a "
                                         "class are equal. 0: a rotation is free."
                                       : "1: all poses of a class are equal. 0: they cancel out, "
                                         "because they have all orientations or opposite ones.",
                               .values = known,
                               .n = f->rows,
                               .from = 0,
                               .to = 1 });
    free(known);
    table_known(page, f);
    return status;
}

/* --- the worst -------------------------------------------------------------------------------- */

enum { WORST = 12 };

static void show_worst(recon_page *page, const recon_found_folder *f)
{
    static const char *const columns[] = { "row", "score", "from its natural pose (degrees)" };
    size_t row[WORST], n = recon_found_extreme(row, WORST, f->score, 1, 1, f->rows);
    recon_page_section(page, "Worst cases");
    recon_page_table(page, "The points with the highest scores", columns, 3);
    for (size_t i = 0; i < n; i++) {
        recon_page_cell(page, "%zu", row[i]);
        recon_page_cell(page, "%.2f", f->score[row[i]]);
        recon_page_cell(page, "%.0f", recon_found_degrees(f, row[i]));
    }
}

/* --- warnings --------------------------------------------------------------------------------- */

static void show_warnings(recon_page *page, const recon_found_folder *f)
{
    int so3 = f->group == RECON_SO3;
    double several = recon_found_natural(f, RECON_NATURAL_SEVERAL);
    double folded = recon_found_natural(f, so3 ? RECON_NATURAL_AXIS : RECON_NATURAL_MODULO);
    double hits = recon_found_overall(f, "hit_rate");
    recon_found_words words;
    int said;
    recon_page_section(page, "Warnings");
    said = recon_found_warn(page, f) + recon_found_warn_of_none(page, f, "points");
    if (several > 0.05 && ++said)
        recon_page_warning(
            page,
            "%s of the points have several natural poses; gamma.npy has the one with the largest "
            "weight, and among equal ones the one nearest to the identity.",
            recon_found_share(words, several));
    if (folded > 0.05 && ++said)
        recon_page_warning(
            page,
            so3 ? "For %s of the points the spin about an axis is free: gamma.npy aligns the "
                  "axis; the spin is a choice."
                : "For %s of the points the pose is known only modulo a symmetry: which of these "
                  "poses gamma.npy has was chosen, not found.",
            recon_found_share(words, folded));
    if (hits < 0.5 && ++said)
        recon_page_warning(page,
                           "Only %s of a point's class share its label: poses of different kinds "
                           "are mixed. A smaller {%s} or a better embedding may help.",
                           recon_found_share(words, hits), recon_found_class_option(f));
    if (!said)
        recon_found_say_checked(
            page,
            "several natural poses, poses known in part, labels that neighbours do not share");
}

static recon_status show_sections(recon_ctx *ctx, recon_page *page, const recon_found_folder *f,
                                  const recon_data *data)
{
    recon_found_groups groups = { 0 };
    recon_status status;
    (void)data;
    RECON_TRY(recon_found_group(ctx, &groups, f, NULL));
    RECON_TRY(say_found(ctx, page, f));
    recon_page_section(page, "Poses, group by group");
    if (!strcmp(groups.what, "cluster"))
        recon_page_say(page, "Points were grouped by the neighbour graph: each belongs to the "
                             "group of most of its neighbours.");
    RECON_TRY(recon_found_show_poses(ctx, page, f, &groups, NULL, 0));
    RECON_TRY(show_widths(ctx, page, f));
    RECON_TRY(show_scores(ctx, page, f));
    RECON_TRY(show_known(ctx, page, f));
    show_worst(page, f);
    show_warnings(page, f);
    recon_found_show_settings(page, f);
done:
    recon_found_groups_free(&groups);
    return status;
}

const recon_found_kind recon_found_poses = { .name = "poses",
                                             .title = "The poses behind these embeddings",
                                             .results = show_results,
                                             .sections = show_sections };
