/* found_poses.c - what `recon normalize` found in embeddings and poses of any backbone. */
#include "report/found.h"
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what was found --------------------------------------------------------------------------- */

static recon_status say_classes(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    double classes;
    recon_found_words a, b;
    if (f->k) {
        recon_page_say(page,
                       "%s poses on %s, %s: each was compared with those of its %zu nearest "
                       "neighbours in the embedding, its class. They show which pose is natural "
                       "for its kind, and how far poses vary around it.",
                       recon_found_count(a, f->rows), f->group->words, f->group->meaning, f->k);
        return RECON_OK;
    }
    recon_status status = recon_found_number(ctx, &classes, f, "class_count");
    if (status == RECON_OK)
        recon_page_say(
            page,
            "%s poses on %s, %s in %s classes: points connected by small distances. The poses of a "
            "class show which pose is natural for its kind, and how far poses vary around it.",
            recon_found_count(a, f->rows), f->group->words, f->group->meaning,
            recon_found_count(b, (size_t)fmax(classes, 0)));
    return status;
}

static recon_status say_width(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    const recon_found_reading *r = f->drawing->read(f);
    double *theta = NULL;
    recon_status status = r->name ? recon_alloc_raw(ctx, &theta, f->rows, sizeof *theta) : RECON_OK;
    if (!r->name || status != RECON_OK)
        return status;
    memcpy(theta, f->theta, f->rows * sizeof *theta);
    recon_page_say(page, "They vary around their natural poses with a %s of %.0f degrees (median).",
                   r->name, RECON_TO_DEGREES * recon_found_median(theta, f->rows));
    free(theta);
    return RECON_OK;
}

static recon_status say_found(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    double hits = recon_found_overall(f, "hit_rate");
    recon_found_words a, b, c, d;
    recon_page_section(page, "What was found");
    RECON_CHECK(say_classes(ctx, page, f));
    RECON_CHECK(say_width(ctx, page, f));
    if (!isnan(recon_found_natural(f, RECON_NATURAL_NONE)))
        recon_page_say(page,
                       "Fraction with one natural pose: %s; with several: %s; with %s: %s; with "
                       "none, because the poses of their class cannot be distinguished from "
                       "uniform ones: %s.",
                       recon_found_share(a, recon_found_natural(f, RECON_NATURAL_ONE)),
                       recon_found_share(b, recon_found_natural(f, RECON_NATURAL_SEVERAL)),
                       f->drawing->kinds[RECON_FOUND_PARTLY].words,
                       recon_found_share(
                           c, recon_found_natural(f, f->drawing->kinds[RECON_FOUND_PARTLY].kind)),
                       recon_found_share(d, recon_found_natural(f, RECON_NATURAL_NONE)));
    if (!isnan(hits))
        recon_page_say(page,
                       "Of a point's class, %s have its label; labels were used only for this "
                       "figure.",
                       recon_found_share(a, hits));
    return RECON_OK;
}

/* --- widths ----------------------------------------------------------------------------------- */

enum { WIDTHS_MOST = 5000 }; /* some cost a decomposition each */

static recon_status show_widths(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    const recon_found_drawing *d = f->drawing;
    size_t width = d->parameters ? d->parameters : 1;
    size_t *row = NULL, n;
    double *values = NULL;
    recon_status status;
    recon_page_section(page, "How far they vary");
    recon_page_say(page, "%s", d->read(f)->words);
    RECON_TRY(recon_found_sample(ctx, &row, &n, f->rows, WIDTHS_MOST));
    RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
    for (size_t i = 0; i < n; i++)
        RECON_TRY(d->width(ctx, &values[i], f->theta + width * row[i]));
    RECON_TRY(recon_found_show_spread(ctx, page,
                                      &(recon_found_spread){ .x_label = d->read(f)->label,
                                                             .caption = "Histogram of widths.",
                                                             .values = values,
                                                             .n = n }));
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
    recon_page_table(page, "How well the natural pose is known", columns, 2);
    for (int i = 0; i < RECON_FOUND_VERDICTS; i++) {
        double share = recon_found_natural(f, f->drawing->kinds[i].kind);
        recon_page_cell(page, "%s", f->drawing->kinds[i].words);
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
    double *known = NULL;
    size_t width = f->group->identifiability;
    recon_status status = recon_alloc_raw(ctx, &known, f->rows, sizeof *known);
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; i < f->rows; i++)
        known[i] = fabs(f->identifiability[width * i + f->drawing->known]);
    recon_page_section(page, "How well natural poses are known");
    status =
        recon_found_show_spread(ctx, page,
                                &(recon_found_spread){ .x_label = "agreement of a class's poses",
                                                       .caption = f->drawing->known_is,
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
    static const char *const columns[] = { "row", "score",
                                           "rotated from its natural pose (degrees)", "shifted" };
    int shifted = f->drawing->unbounded;
    size_t row[WORST], n = recon_found_extreme(row, WORST, f->score, 1, 1, f->rows);
    recon_page_section(page, "Worst cases");
    recon_page_table(page, "The points with the highest scores", columns, 3 + (size_t)shifted);
    for (size_t i = 0; i < n; i++) {
        double rotation, shift;
        recon_pose_extent(f->group, &rotation, &shift, f->absolute + row[i] * f->group->numbers);
        recon_page_cell(page, "%zu", row[i]);
        recon_page_cell(page, "%.2f", f->score[row[i]]);
        recon_page_cell(page, "%.0f", RECON_TO_DEGREES * rotation);
        if (shifted)
            recon_page_cell(page, "%.3g", shift);
    }
}

/* --- warnings --------------------------------------------------------------------------------- */

static void show_warnings(recon_page *page, const recon_found_folder *f)
{
    double several = recon_found_natural(f, RECON_NATURAL_SEVERAL);
    double partly = recon_found_natural(f, f->drawing->kinds[RECON_FOUND_PARTLY].kind);
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
    if (partly > 0.05 && ++said)
        recon_page_warning(page, "For %s of the points %s", recon_found_share(words, partly),
                           f->drawing->chosen);
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

recon_status recon_found_normalized(recon_ctx *ctx, recon_page *page, const recon_found_folder *f)
{
    recon_found_groups groups = { 0 };
    recon_status status;
    RECON_TRY(recon_found_group(ctx, &groups, f));
    RECON_TRY(say_found(ctx, page, f));
    recon_page_section(page, "Poses, group by group");
    if (!strcmp(groups.what, "cluster"))
        recon_page_say(page, "Points were grouped by the neighbour graph: each belongs to the "
                             "group of most of its neighbours.");
    RECON_TRY(recon_found_show_poses(ctx, page, f, &groups));
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
