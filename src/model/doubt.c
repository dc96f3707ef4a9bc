/* doubt.c - see doubt.h. */
#include "model/doubt.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST                                                                                       \
    (M_PI / 9) /* 20 degrees. Molecules that were canonicalized to within 21 degrees had at
                           most 14, those beyond 30 degrees at least 27 */

/* Of an input and its neighbours; NaN where nothing is known of any. */
static double of_class(const double *own, const recon_frames *f, size_t i)
{
    double sum = 0, n = 0;
    for (size_t j = 0; j <= f->k; j++) {
        double x = own[j < f->k ? (size_t)f->neighbors[i * f->k + j] : i];
        if (isnan(x))
            continue;
        sum += x;
        n++;
    }
    return sum / n;
}

/* Where the verdict is an axis, only that counts. */
static void find_axes(double *axis, const recon_frames *f)
{
    for (size_t i = 0; i < f->rows; i++)
        if (f->axis && f->verdict[i] == RECON_NATURAL_AXIS)
            memcpy(axis + 3 * i, f->axis + 6 * i, 3 * sizeof *axis);
}

recon_status recon_discover_doubt(recon_ctx *ctx, double **out, recon_frames *f,
                                  const recon_embedded *points, const recon_backbone *backbone,
                                  const recon_data *data)
{
    const recon_backbone_kind *kind = backbone->kind;
    double *own = NULL, *axis = NULL;
    recon_status status = RECON_OK;
    *out = NULL;
    if (!kind->inconsistency || !f->neighbors)
        return RECON_OK;
    RECON_TRY(recon_alloc(ctx, &axis, 3 * f->rows, sizeof *axis));
    RECON_TRY(recon_alloc_raw(ctx, &own, f->rows, sizeof *own));
    RECON_TRY(recon_alloc_raw(ctx, out, f->rows, sizeof **out));
    find_axes(axis, f);
    RECON_TRY(kind->inconsistency(ctx, own, data, points, axis));
    for (size_t i = 0; i < f->rows; i++) {
        (*out)[i] = of_class(own, f, i);
        if ((*out)[i] > MOST)
            recon_frames_doubt(f, i);
    }
done:
    free(axis);
    free(own);
    return status;
}
