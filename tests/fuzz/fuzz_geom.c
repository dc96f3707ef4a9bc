/* GEOM's files: what reaches the visitor can be used as it is. */
#include "fuzz.h"

#include <math.h>
#include <recon/data/geom.h>

static recon_status use(recon_ctx *ctx, void *arg, const recon_ensemble *e)
{
    (void)ctx, (void)arg;
    FUZZ_CHECK(e->n > 0 && e->atoms > 1 && !strchr(e->name, '.'));
    for (size_t i = 0; i < e->atoms; i++)
        FUZZ_CHECK(e->z[i] >= 1 && e->z[i] <= 118);
    for (size_t i = 0; i < 3 * e->n * e->atoms; i++)
        FUZZ_CHECK(isfinite(e->xyz[i]));
    for (size_t i = 0; i < e->n; i++)
        FUZZ_CHECK(isfinite(e->energy[i]));
    return RECON_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    for (int skip_bad = 0; skip_bad < 2; skip_bad++) {
        const recon_geom_options options = { .skip_bad = skip_bad };
        recon_status status =
            recon_geom_parse(fuzz_ctx(), NULL, bytes, size, "fuzz", &options, use, NULL);
        if (status != RECON_OK)
            fuzz_check_failure(status);
    }
    return 0;
}
