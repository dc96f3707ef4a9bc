/* safetensors.h (private) - the format in memory. */
#ifndef CORE_SAFETENSORS_H
#define CORE_SAFETENSORS_H

#include <recon/core/safetensors.h>
#include "core/file.h"

/* Like recon_safetensors_open, for a file in memory, taken over on success. path is for
 * messages. */
recon_status recon_safetensors_parse(recon_ctx *ctx, recon_safetensors **out, recon_file file,
                                     const char *path);

int recon_safetensors_has(const recon_safetensors *file, const char *name);

#endif
