/* inconsistency.c - see inconsistency.h. */
#include "model/inconsistency.h"
#include "core/fail.h"
#include "core/memory.h"
#include "normalize/findings.h"

#include <math.h>
#include <stdlib.h>

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

recon_status recon_discover_inconsistency(recon_ctx *ctx, double **out, recon_frames *f,
                                          const recon_embedded *points,
                                          const recon_backbone *backbone, const recon_data *data)
{
    const recon_backbone_kind *kind = backbone->kind;
    double *own = NULL;
    recon_status status = RECON_OK;
    *out = NULL;
    if (!kind->inconsistency || !f->neighbors)
        return RECON_OK;
    RECON_TRY(recon_alloc_raw(ctx, &own, f->rows, sizeof *own));
    RECON_TRY(recon_alloc_raw(ctx, out, f->rows, sizeof **out));
    RECON_TRY(kind->inconsistency(ctx, own, data, points));
    for (size_t i = 0; i < f->rows; i++) {
        (*out)[i] = of_class(own, f, i);
        if ((*out)[i] > RECON_INCONSISTENT)
            recon_frames_make_unsure(f, i);
    }
done:
    free(own);
    return status;
}

double recon_inconsistent_share(const double *inconsistency, size_t n)
{
    size_t count = 0;
    if (!inconsistency)
        return NAN;
    for (size_t i = 0; i < n; i++)
        count += inconsistency[i] > RECON_INCONSISTENT;
    return (double)count / (double)n;
}
