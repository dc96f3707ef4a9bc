/* kinds.c - what is asked of a model's answers by its group. */
#include "core/fail.h"
#include "core/memory.h"
#include "group/so3/fisher.h"
#include "model/model.h"
#include "model/modes.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

/* --- SO(2) ------------------------------------------------------------------------------------ */

static recon_status judge_angles(recon_ctx *ctx, recon_row *out, const recon_model *m,
                                 const recon_read *of, size_t n)
{
    recon_so2_center *verdict = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &verdict, n, sizeof *verdict));
    RECON_TRY(recon_so2_verdicts(ctx, verdict, m, of, n));
    for (size_t i = 0; i < n; i++) {
        out[i].verdict = verdict[i].natural;
        out[i].fold = verdict[i].fold;
    }
done:
    free(verdict);
    return status;
}

/* Lambda stands for the mode next to it: what is learned of a natural pose is sharper than the
 * place of a mode. */
static void list_angles(recon_candidates *out, const recon_pose *pose, const void *map)
{
    const recon_so2_map *m = map;
    recon_so2_mode mode[RECON_MODES_MAX];
    int nearest = 0, count = recon_density_modes(mode, &m->density, m->lambda);
    for (int j = 1; j < count; j++)
        if (fabs(mode[j].at) < fabs(mode[nearest].at))
            nearest = j;
    *out = (recon_candidates){ 1, { *pose }, { mode[nearest].weight } };
    for (int j = 0; j < count; j++) {
        if (j == nearest)
            continue;
        out->pose[out->count] = *pose;
        out->pose[out->count].lambda[0] = recon_so2_wrap(pose->lambda[0] + mode[j].at);
        out->weight[out->count++] = mode[j].weight;
    }
}

/* --- SO(3) ------------------------------------------------------------------------------------ */

/* What the neighbours of such an input say is learned. */
static recon_status judge_rotations(recon_ctx *ctx, recon_row *out, const recon_model *m,
                                    const recon_read *of, size_t n)
{
    const recon_so3_map *maps = of->maps;
    (void)ctx;
    for (size_t i = 0; i < n; i++) {
        int unlike = of->unlike[i];
        const recon_law *named =
            m->codes && !unlike ? recon_laws_named(&m->codes->laws, of->cluster[i]) : NULL;
        out[i].verdict = unlike ? RECON_NATURAL_UNSURE : named ? named->natural : maps[i].verdict;
        out[i].fold = named ? named->fold : out[i].verdict == RECON_NATURAL_ONE;
    }
    return RECON_OK;
}

/* Here, too; the others are by weight already. What the background has is no candidate's. */
static void list_rotations(recon_candidates *out, const recon_pose *pose, const void *map)
{
    const recon_so3_map *m = map;
    const recon_so3 lambda = recon_so3_at(pose->lambda, 0);
    int nearest = 0;
    double least = INFINITY;
    *out = (recon_candidates){ 1, { *pose }, { 1 } };
    for (int k = 0; k < m->modes.parts; k++) {
        double far = recon_so3_distance(recon_so3_map_mode(m, k), lambda);
        nearest = far < least ? k : nearest;
        least = fmin(far, least);
    }
    for (int k = 0; k < m->modes.parts; k++) {
        size_t at = k == nearest ? 0 : out->count++;
        const recon_so3 mode = recon_so3_map_mode(m, k);
        out->weight[at] = (1 - m->background) * m->modes.weight[k];
        if (at == 0)
            continue;
        out->pose[at] = *pose;
        out->pose[at].free = recon_fisher_free(&m->modes.part[k]);
        memcpy(out->pose[at].lambda, &mode, sizeof mode);
    }
}

static const recon_model_kind kinds[] = {
    { .group = RECON_SO2, .near = 1, .judge = judge_angles, .list = list_angles },
    { .group = RECON_SO3, .judge = judge_rotations, .list = list_rotations },
};

const recon_model_kind *recon_model_kind_of(const recon_group *group)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].group == group)
            return &kinds[i];
    return NULL;
}
