/* fingerprint.c - FNV-1a over one image. */
#include "backbone/fingerprint.h"
#include "core/memory.h"

#include <stdlib.h>

recon_status recon_fingerprint(recon_ctx *ctx, uint32_t *out, const recon_dataset *data)
{
    recon_dataset_info i = recon_dataset_describe(data);
    size_t count = i.height * i.width * i.channels;
    float *image;
    recon_status status = recon_alloc(ctx, &image, count, sizeof *image);
    if (status != RECON_OK)
        return status;
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)recon_dataset_get(image, data, 0);
    for (size_t b = 0; b < count * sizeof *image; b++)
        hash = (hash ^ ((const unsigned char *)image)[b]) * 0x100000001b3u;
    free(image);
    *out = (uint32_t)(hash ^ hash >> 32);
    return RECON_OK;
}
