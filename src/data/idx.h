/* idx.h (private) - the format in memory. */
#ifndef DATA_IDX_H
#define DATA_IDX_H

#include <recon/data/idx.h>

/* The array that size bytes hold, gzipped or not, in memory of its own. path is for messages. */
recon_status recon_idx_parse(recon_ctx *ctx, recon_array *out, const void *bytes, size_t size,
                             const char *path);

#endif
