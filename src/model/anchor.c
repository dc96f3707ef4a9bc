/* anchor.c - anchors of clusters, natural poses that the user sets.
 *
 * What is said of one member of a cluster is how far its natural pose lies from the one that is
 * found, and the others follow by as much. Where none is found, it says where the natural pose lies
 * in the frame of the backbone, if that is one for all members. */
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* The cluster has a natural pose from now on: the one that is found, until it is known where. */
static void begin(recon_model *m, int64_t cluster)
{
    const recon_group *g = m->maps->kind->group;
    recon_laws *laws = &m->codes->laws;
    recon_law *law = &laws->law[cluster];
    g->identity(g, law->anchored);
    if (law->anchor) /* by an input before it, or by an earlier call */
        return;
    int found = recon_model_law(m, cluster) && law->natural != RECON_NATURAL_NONE;
    law->anchor = !found && law->frame == RECON_LAWS_OF_PSI ? RECON_ANCHOR_POSE : RECON_ANCHOR_STEP;
    law->natural = RECON_NATURAL_ONE;
    law->fold = 1;
    if (found)
        return;
    law->modes = 1;
    law->mode[0].weight = 1;
    g->identity(g, law->mode[0].at);
}

/* By the mean of those who say something of this cluster. */
static recon_status set(recon_ctx *ctx, recon_model *m, int64_t cluster, const recon_row *rows,
                        const double *rotations, size_t n)
{
    const recon_group *g = m->maps->kind->group;
    recon_law *law = &m->codes->laws.law[cluster];
    double *some = NULL, back[RECON_NUMBERS_MAX];
    recon_center center;
    char *fit = NULL;
    size_t count = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &some, n, g->numbers * sizeof *some));
    RECON_TRY(recon_alloc_raw(ctx, &fit, 1, g->fit_size));
    for (size_t i = 0; i < n; i++) {
        if (rows[i].cluster != cluster)
            continue;
        g->inverse(g, back, rows[i].pose.rotation);
        g->compose(g, some + count++ * g->numbers, rotations + i * g->numbers,
                   law->anchor == RECON_ANCHOR_POSE ? rows[i].pose.psi : back);
    }
    if (count == 0) /* an earlier anchor stays */
        goto done;
    RECON_TRY(g->center(ctx, g, &center, fit, some, 1, count,
                        &(recon_mean_options){ .kind = RECON_MEAN_CHORDAL }));
    memcpy(law->anchored, center.mean, g->numbers * sizeof *some);
done:
    recon_free_all(fit, some);
    return status;
}

recon_status recon_model_anchor(recon_ctx *ctx, recon_model *model, const void *inputs,
                                const double *rotations, size_t n, size_t *followed)
{
    size_t count = 0;
    recon_row *rows = NULL;
    recon_status status;
    RECON_TRY(model->maps->kind->group->check(ctx, model->maps->kind->group, rotations, n));
    RECON_TRY(recon_alloc_raw(ctx, &rows, n, sizeof *rows));
    RECON_TRY(recon_rows_find(ctx, rows, model, inputs, n, NULL));
    for (size_t i = 0; i < n; i++)
        if (rows[i].cluster >= 0 && ++count)
            begin(model, rows[i].cluster);
    RECON_TRY(recon_rows_find(ctx, rows, model, inputs, n, NULL));
    for (size_t c = 0; count > 0 && c < model->codes->laws.n; c++)
        if (model->codes->laws.law[c].anchor)
            RECON_TRY(set(ctx, model, (int64_t)c, rows, rotations, n));
    if (followed)
        *followed = count;
done:
    free(rows);
    return status;
}
