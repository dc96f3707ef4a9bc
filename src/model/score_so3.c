/* score_so3.c - poses of molecules that are unusual, and the distribution behind them. */
#include <recon/model/score.h>
#include "group/so3/fisher.h"
#include <recon/group/mean.h>
#include "model/model.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "group/group.h"
#include "group/natural.h"

/* --- distributions ---------------------------------------------------------------------------- */

/* On a ring 1 - cos(tilt) has mean 1 / s; about one rotation the rotation about axis k has precision
 * s_i + s_j. */
static void find_spread(double spread[3], const double s[3], int free)
{
    for (int k = 0; k < 3; k++)
        spread[k] = free == 0 ? 1 / sqrt(s[(k + 1) % 3] + s[(k + 2) % 3]) : NAN;
    if (free == 1)
        spread[0] = sqrt(2 / s[0]);
}

static double angle_between(const double a[3], const double b[3])
{
    double cross[3] = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                        a[0] * b[1] - a[1] * b[0] };
    return atan2(sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]),
                 a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/* Modes as seen from Lambda. */
static void list_modes(recon_distribution3 *out, const recon_so3_map *map)
{
    recon_so3 back = recon_so3_inverse(map->lambda);
    out->verdict = map->verdict;
    out->modes = map->modes.parts;
    for (int k = 0; k < out->modes; k++)
        out->mode[k] = (recon_so3_mode){ recon_so3_compose(recon_so3_map_mode(map, k), back),
                                         map->modes.weight[k] };
}

static recon_status tell(recon_ctx *ctx, recon_distribution3 *out, const recon_maps *maps,
                         const recon_pose *pose, const recon_so3_map *map)
{
    *out = (recon_distribution3){ .pose = *pose,
                                  .background = map->background,
                                  .score = recon_so3_map_score(map, recon_so3_at(pose->psi, 0)),
                                  .p_value = recon_maps_p_value(maps, map, pose->psi),
                                  .free = map->free };
    recon_status status = recon_fisher_of(ctx, &out->poses, map->theta);
    recon_fisher_axes(out->axis_body, out->axis, &map->density);
    recon_so3_act(out->axis_now, recon_so3_at(pose->psi, 0), out->axis_body);
    out->tilt = angle_between(out->axis, out->axis_now);
    find_spread(out->spread, map->density.singular, map->free);
    list_modes(out, map);
    return status;
}

recon_status recon_distribution_molecules(recon_ctx *ctx, recon_distribution3 *out,
                                          const recon_model *model, const recon_conformer *x,
                                          size_t n)
{
    recon_read r = { .poses = NULL };
    recon_status status;
    RECON_TRY(recon_model_takes(ctx, model, "molecules"));
    RECON_TRY(recon_model_read_all(ctx, &r, model, x, n, 0));
    for (size_t i = 0; i < n; i++) {
        RECON_TRY(tell(ctx, &out[i], model->maps, &r.poses[i], recon_read_map(&r, model, i)));
        out[i].p_embedding = r.p_embedding[i];
        int unlike = r.unlike[i];
        const recon_law *named =
            model->codes && !unlike ? recon_laws_named(&model->codes->laws, r.cluster[i]) : NULL;
        if (named) {
            out[i].verdict = named->natural;
            out[i].symmetry = named->symmetry;
            memcpy(out[i].symmetry_axis, named->axis[1], sizeof out[i].symmetry_axis);
        }
        if (unlike)
            out[i].verdict = RECON_NATURAL_UNSURE;
        RECON_TRY(
            recon_model_check_answer(ctx, isfinite(out[i].score) && isfinite(out[i].p_value), i));
    }
done:
    recon_read_free(&r);
    return status;
}

static int tell_poses(char *text, size_t room, const recon_distribution3 *d)
{
    const double *a = d->axis;
    if (d->free == 0)
        return snprintf(
            text, room,
            "One natural pose: it varies about its axes by %.1f, %.1f and %.1f degrees (root mean "
            "square). This one is %.1f degrees from it.",
            d->spread[0] * RECON_TO_DEGREES, d->spread[1] * RECON_TO_DEGREES,
            d->spread[2] * RECON_TO_DEGREES,
            recon_so3_angle(recon_so3_at(d->pose.absolute, 0)) * RECON_TO_DEGREES);
    if (d->free == 1)
        return snprintf(text, room,
                        "One axis stands along (%.3f, %.3f, %.3f), tilted by %.1f degrees (root "
                        "mean square); the spin about the axis is free. This one is tilted by %.1f "
                        "degrees.",
                        a[0], a[1], a[2], d->spread[0] * RECON_TO_DEGREES,
                        d->tilt * RECON_TO_DEGREES);
    return snprintf(text, room, "%s",
                    d->free == 3 ? "No natural pose: all poses are equally likely."
                                 : "Hardly a natural pose: nearly all poses are equally likely.");
}

static int says_none(const recon_distribution3 *d)
{
    return d->free <= 1 && (d->verdict == RECON_NATURAL_NONE ||
                            recon_so3_natural(&d->poses, d->background) == RECON_NATURAL_NONE);
}

static int tell_modes(recon_distribution3_text text, const recon_distribution3 *d)
{
    int used = snprintf(text, sizeof(recon_distribution3_text),
                        "%d natural poses, or one that the network reads in %d ways, in", d->modes,
                        d->modes);
    for (int k = 0; k < d->modes; k++)
        used += snprintf(text + used, sizeof(recon_distribution3_text) - (size_t)used, "%s %.0f %%",
                         k == 0             ? ""
                         : k < d->modes - 1 ? ","
                                            : " and",
                         100 * d->mode[k].weight);
    return used + snprintf(text + used, sizeof(recon_distribution3_text) - (size_t)used,
                           " of its class. Of the chosen one: ");
}

/* What to beware of, behind the rest. */
static void warn(char *text, size_t room, const recon_distribution3 *d)
{
    if (d->free <= 1 && d->background > RECON_BACKGROUND_MUCH)
        snprintf(text, room, " But %.0f %% of the poses in its class fit no distribution.",
                 100 * d->background);
    else if (d->free <= 1 && d->verdict == RECON_NATURAL_UNSURE)
        snprintf(text, room,
                 " But whether this is natural is undecided: the poses of its "
                 "neighbours fit other hypotheses as well.");
}

const char *recon_distribution3_words(recon_distribution3_text text, const recon_distribution3 *d)
{
    const size_t room = sizeof(recon_distribution3_text);
    if (says_none(d)) {
        snprintf(text, room,
                 "No natural pose: no axis is determined well enough by the poses in its class, "
                 "and %.0f %% of them fit no distribution.",
                 100 * d->background);
        return text;
    }
    int used = d->modes > 1 ? tell_modes(text, d) : 0;
    used += tell_poses(text + used, room - (size_t)used, d);
    recon_symmetry_words_text symmetry;
    if (d->symmetry)
        used += snprintf(text + used, room - (size_t)used,
                         " The poses of its cluster are alike up to a symmetry: %s.",
                         recon_symmetry_words(symmetry, d->symmetry, d->symmetry_axis));
    warn(text + used, room - (size_t)used, d);
    return text;
}
