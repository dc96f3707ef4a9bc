/* anchor.c - anchors of clusters, natural poses that the user sets.
 *
 * What is said of one member of a cluster is how far its natural pose lies from the one that is
 * found, and the others follow by as much. Where none is found, it says where the natural pose lies
 * in the frame of the backbone, if that is one for all members. What another model says, which may err,
 * has to agree, and to be said of most members. */
#include "core/fail.h"
#include "core/memory.h"
#include "group/group.h"
#include "model/model.h"
#include "model/prior.h"

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

/* What is said of n inputs. */
typedef struct {
    recon_row *rows;
    const double *rotations;
    const recon_row *prior; /* that say so: only those with one natural pose; NULL: the user does */
    size_t n;
} sayings;

static int is_said(const sayings *s, size_t i)
{
    return s->rows[i].cluster >= 0 && (!s->prior || s->prior[i].verdict == RECON_NATURAL_ONE);
}

/* By the mean of those who say something of this cluster; *count how many. */
static recon_status set(recon_ctx *ctx, recon_model *m, int64_t cluster, const sayings *s,
                        const recon_law *before, size_t *followed)
{
    const recon_group *g = m->maps->kind->group;
    recon_law *law = &m->codes->laws.law[cluster];
    double *some = NULL, back[RECON_NUMBERS_MAX];
    size_t count = 0, members = 0;
    int agree;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &some, s->n, g->numbers * sizeof *some));
    for (size_t i = 0; i < s->n; i++) {
        members += s->rows[i].cluster == cluster;
        if (!is_said(s, i) || s->rows[i].cluster != cluster)
            continue;
        g->inverse(g, back, s->rows[i].pose.rotation);
        g->compose(g, some + count++ * g->numbers, s->rotations + i * g->numbers,
                   law->anchor == RECON_ANCHOR_POSE ? s->rows[i].pose.psi : back);
    }
    if (count == 0) /* an earlier anchor stays */
        goto done;
    RECON_TRY(recon_prior_center(ctx, &agree, law->anchored, g, some, count));
    if (s->prior && (!agree || 2 * count < members))
        *law = *before;
    else
        *followed += count;
done:
    free(some);
    return status;
}

static recon_status anchor(recon_ctx *ctx, recon_model *model, const void *inputs, sayings *s,
                           size_t *followed)
{
    recon_laws *laws = model->codes ? &model->codes->laws : NULL;
    recon_law *before = NULL;
    size_t n = laws ? laws->n : 0, count = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &s->rows, s->n, sizeof *s->rows));
    RECON_TRY(recon_alloc_raw(ctx, &before, n, sizeof *before));
    if (n)
        memcpy(before, laws->law, n * sizeof *before);
    RECON_TRY(recon_rows_find(ctx, s->rows, model, inputs, s->n, NULL));
    for (size_t i = 0; i < s->n; i++)
        if (is_said(s, i))
            begin(model, s->rows[i].cluster);
    RECON_TRY(recon_rows_find(ctx, s->rows, model, inputs, s->n, NULL));
    for (size_t c = 0; c < n; c++)
        if (laws->law[c].anchor)
            RECON_TRY(set(ctx, model, (int64_t)c, s, &before[c], &count));
    if (followed)
        *followed = count;
done:
    recon_free_all(before, s->rows);
    return status;
}

recon_status recon_model_anchor(recon_ctx *ctx, recon_model *model, const void *inputs,
                                const double *rotations, size_t n, size_t *followed)
{
    const recon_group *g = model->maps->kind->group;
    RECON_CHECK(g->check(ctx, g, rotations, n));
    return anchor(ctx, model, inputs, &(sayings){ .rotations = rotations, .n = n }, followed);
}

recon_status recon_model_prior(recon_ctx *ctx, recon_model *model, const void *inputs,
                               const recon_model *prior, const void *prior_inputs, size_t n,
                               size_t *followed)
{
    const recon_group *g = model->maps->kind->group;
    recon_row *rows = NULL;
    double *rotations = NULL;
    recon_status status;
    if (prior->maps->kind->group != g)
        return recon_fail(ctx, RECON_ERR_INPUT, "prior: its poses are in %s, but the model's in %s",
                          prior->maps->kind->group->words, g->words);
    RECON_TRY(recon_alloc_raw(ctx, &rows, n, sizeof *rows));
    RECON_TRY(recon_alloc_raw(ctx, &rotations, n, g->numbers * sizeof *rotations));
    RECON_TRY(recon_rows_find(ctx, rows, prior, prior_inputs, n, NULL));
    for (size_t i = 0; i < n; i++)
        memcpy(rotations + i * g->numbers, rows[i].pose.rotation, g->numbers * sizeof *rotations);
    RECON_TRY(anchor(ctx, model, inputs,
                     &(sayings){ .rotations = rotations, .prior = rows, .n = n }, followed));
done:
    recon_free_all(rows, rotations);
    return status;
}
