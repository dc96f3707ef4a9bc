/* idx.h - the IDX files of MNIST and its kin, plain or gzipped.
 *
 * Two zero bytes, a code of the type, the number of dimensions, the dimensions as big-endian words
 * of 32 bits, the numbers. Every field is checked against the file before it is believed. */
#ifndef RECON_DATA_IDX_H
#define RECON_DATA_IDX_H

#include <recon/core/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Free with recon_array_free; on failure *out is zeroed. */
RECON_API recon_status recon_idx_read(recon_ctx *ctx, recon_array *out, const char *path);

#ifdef __cplusplus
}
#endif
#endif
