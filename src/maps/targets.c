/* targets.c - pseudo-labels from the frames of Algorithm 1, of either group. */
#include "maps/kind.h"

#include <stdlib.h>

recon_status recon_targets_make(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                                const recon_frames *frames)
{
    *out = (recon_targets){ .number = 0 };
    if (frames->group != data->group)
        return recon_fail(ctx, RECON_ERR_INPUT, "frames of another group than the poses'");
    if (frames->rows != data->n)
        return recon_fail(ctx, RECON_ERR_INPUT, "frames of %zu points for %zu inputs", frames->rows,
                          data->n);
    if (data->n < 2)
        return recon_fail(ctx, RECON_ERR_INPUT, "maps need at least two points, got %zu", data->n);
    const recon_maps_kind *kind = recon_maps_kind_of(frames->group);
    return kind ? kind->targets(ctx, out, data, frames)
                : recon_fail(
                      ctx, RECON_ERR_UNSUPPORTED,
                      "there are no heads for poses in %s: only recon_normalize supports them",
                      frames->group->words);
}

void recon_targets_free(recon_targets *t)
{
    for (int h = 0; h < RECON_HEADS_MOST; h++)
        free(t->of[h]);
    *t = (recon_targets){ .number = 0 };
}
