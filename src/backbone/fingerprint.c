/* fingerprint.c - FNV-1a over one image or conformer, or over all weights. */
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

recon_status recon_fingerprint(recon_ctx *ctx, uint32_t *out, const recon_dataset *data)
{
    recon_dataset_info i = recon_dataset_describe(data);
    size_t count = i.height * i.width * i.channels;
    float *image;
    recon_status status = recon_alloc(ctx, &image, count, sizeof *image);
    if (status != RECON_OK)
        return status;
    uint64_t label = (uint64_t)recon_dataset_get(image, data, 0);
    *out = folded(mix(BASIS ^ label, image, count * sizeof *image));
    free(image);
    return RECON_OK;
}

uint32_t recon_fingerprint_molecules(const recon_molecules *data)
{
    recon_conformer x = recon_molecules_get(data, 0);
    return folded(mix(mix(BASIS, x.z, x.atoms), x.xyz, 3 * x.atoms * sizeof *x.xyz));
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
