/* fingerprint.c - FNV-1a over all weights. */
#include "backbone/fingerprint.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/params.h"

#include <stdlib.h>

#define BASIS 0xcbf29ce484222325u

static uint64_t mix(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t b = 0; b < n; b++)
        hash = (hash ^ ((const unsigned char *)bytes)[b]) * 0x100000001b3u;
    return hash;
}

static uint32_t folded(uint64_t hash)
{
    return (uint32_t)(hash ^ hash >> 32);
}

recon_status recon_fingerprint_weights(recon_ctx *ctx, uint32_t *out, const recon_params *p)
{
    uint64_t hash = BASIS;
    double *values = NULL;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < p->count; i++) {
        size_t n = recon_param_count(p->entry[i]);
        free(values);
        RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
        RECON_TRY(recon_param_read(ctx, values, p->entry[i]));
        for (size_t j = 0; j < n; j++)
            hash = mix(hash, &(float){ (float)values[j] }, sizeof(float));
    }
    *out = folded(hash);
done:
    free(values);
    return status;
}
