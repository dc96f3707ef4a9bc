/* so2_check.c - one pass ahead of the work: always the same angle is named, on any thread count. */
#include "stats/so2_check.h"

#include "core/fail.h"

#include <math.h>

recon_status recon_so2_check(recon_ctx *ctx, const double *angles, size_t sets, size_t k)
{
    if (k == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "a set of no angles");
    for (size_t i = 0; i < sets * k; i++)
        if (!isfinite(angles[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "angle %zu of set %zu is %g", i % k, i / k,
                              angles[i]);
    return RECON_OK;
}
