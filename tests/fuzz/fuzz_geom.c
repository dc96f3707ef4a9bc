/* GEOM's files: what reaches the visitor can be used as it is, and be selected from. */
#include "fuzz.h"
#include "data/select.h"

#include <math.h>
#include "data/geom.h"

/* Molecules too large for that are refused. */
static void choose(const recon_ensemble *e)
{
    recon_selection s;
    recon_status status = recon_select(fuzz_ctx(), &s, e, &(recon_select_options){ .least = 1 });
    FUZZ_CHECK(status == RECON_OK || status == RECON_ERR_INPUT);
    for (size_t i = 0; status == RECON_OK && i < 3 * s.n * s.atoms; i++)
        FUZZ_CHECK(isfinite(s.xyz[i]));
    recon_selection_free(&s);
}

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
    choose(e);
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
