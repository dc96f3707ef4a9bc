/* idx.h - the IDX files of MNIST and its kin, plain or gzipped.
 *
 * Two zero bytes, a code of the type, the number of dimensions, the dimensions as big-endian words
 * of 32 bits, the numbers. Every field is checked against the file before it is believed. */
#ifndef DATA_IDX_H
#define DATA_IDX_H

#include <recon/core/array.h>

/* Free with recon_array_free; on failure *out is zeroed. */
recon_status recon_idx_read(recon_ctx *ctx, recon_array *out, const char *path);

/* The array that size bytes hold, gzipped or not, in memory of its own. path is for messages. */
recon_status recon_idx_parse(recon_ctx *ctx, recon_array *out, const void *bytes, size_t size,
                             const char *path);

#endif
