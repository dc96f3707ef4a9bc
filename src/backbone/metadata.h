/* metadata.h (private) - numbers among what a model file says of itself. */
#ifndef BACKBONE_METADATA_H
#define BACKBONE_METADATA_H

#include <recon/core/safetensors.h>

/* RECON_ERR_FORMAT where the key is missing or its value is no number from least to most; a size is
 * a whole one. path is for the message. */
recon_status recon_metadata_number(recon_ctx *ctx, double *out, const recon_safetensors *file,
                                   const char *key, double least, double most, const char *path);
recon_status recon_metadata_size(recon_ctx *ctx, size_t *out, const recon_safetensors *file,
                                 const char *key, size_t least, size_t most, const char *path);

#endif
