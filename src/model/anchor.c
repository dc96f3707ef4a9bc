/* anchor.c - natural poses that somebody has said.
 *
 * Where the members of a cluster share the backbone's frame, one of them says where all of them are
 * upright, whatever the law of their poses is. Elsewhere it says how far the natural pose is from
 * the one that is found. */
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* What a member that is upright after `turn` makes of its cluster's first mode. */
static void anchor_of(double *out, const recon_model *m, const recon_row *row, const double *turn)
{
    const recon_group *g = m->maps->kind->group;
    const recon_law *law = recon_model_law(m, row->cluster);
    double back[RECON_NUMBERS_MAX];
    g->compose(g, out, turn, row->pose.psi);
    if (m->codes->laws.frame == RECON_LAWS_OF_PSI)
        return;
    g->inverse(g, back, row->pose.lambda);
    g->compose(g, out, out, back);
    if (law) /* what is found lies this far from the natural pose of the heads already */
        g->compose(g, out, out, law->mode[0].at);
}

/* The mean of those that are of this cluster. */
static recon_status set_anchor(recon_ctx *ctx, recon_model *m, int64_t cluster,
                               const recon_row *rows, const double *anchors, size_t n)
{
    const recon_group *g = m->maps->kind->group;
    recon_law *law = &m->codes->laws.law[cluster];
    recon_center center;
    double *some = NULL;
    char *fit = NULL;
    size_t count = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &some, n, g->numbers * sizeof *some));
    RECON_TRY(recon_alloc_raw(ctx, &fit, 1, g->fit_size));
    for (size_t i = 0; i < n; i++)
        if (rows[i].cluster == cluster)
            memcpy(some + count++ * g->numbers, anchors + i * g->numbers,
                   g->numbers * sizeof *some);
    RECON_TRY(g->center(ctx, g, &center, fit, some, 1, count,
                        &(recon_mean_options){ .kind = RECON_MEAN_CHORDAL }));
    law->natural = RECON_NATURAL_ONE;
    law->fold = law->modes = 1;
    memcpy(law->mode[0].at, center.mean, g->numbers * sizeof *some);
    law->mode[0].weight = 1;
    law->anchor = m->codes->laws.frame == RECON_LAWS_OF_PSI ? RECON_ANCHOR_POSE : RECON_ANCHOR_STEP;
done:
    free(fit);
    free(some);
    return status;
}

recon_status recon_model_anchor(recon_ctx *ctx, recon_model *model, const void *inputs,
                                const double *turns, size_t n, size_t *followed)
{
    size_t numbers = model->maps->kind->group->numbers, count = 0;
    recon_row *rows = NULL;
    double *anchors = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &rows, n, sizeof *rows));
    RECON_TRY(recon_alloc_raw(ctx, &anchors, n, numbers * sizeof *anchors));
    RECON_TRY(recon_rows_find(ctx, rows, model, inputs, n, NULL));
    for (size_t i = 0; i < n; i++)
        if (rows[i].cluster >= 0)
            anchor_of(anchors + i * numbers, model, &rows[i], turns + i * numbers);
    for (size_t i = 0; i < n; i++) {
        count += rows[i].cluster >= 0;
        if (rows[i].cluster >= 0 && !model->codes->laws.law[rows[i].cluster].anchor)
            RECON_TRY(set_anchor(ctx, model, rows[i].cluster, rows, anchors, n));
    }
    if (followed)
        *followed = count;
done:
    free(anchors);
    free(rows);
    return status;
}
