/* npy.h (private) - helpers for readers of arrays, and the NPY format in memory. */
#ifndef CORE_NPY_H
#define CORE_NPY_H

#include <recon/core/array.h>

/* Files hold little-endian numbers, as memory does, so arrays are used without copying. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recon needs a little-endian machine");

/* Computes the bytes of an array of this shape; returns 0 if they overflow. The product of the
 * other dimensions must not overflow even if one is zero, because strides are computed from it. */
int recon_array_fits(size_t *bytes, recon_dtype dtype, const size_t *shape, int ndim);

size_t recon_array_bytes(const recon_array *array); /* as recon_array_count */

int recon_dtype_is_float(recon_dtype dtype);

/* Writes type and shape for messages, "float32 3 x 4". Returns text. */
typedef char recon_array_text[256];
const char *recon_array_show(recon_array_text text, const recon_array *array);

/* An element by its index in C order, as a double. */
double recon_array_value(const recon_array *array, size_t index);

/* --- the format */

/* Parses size bytes. The array refers to them if they can be used in place, and has its own memory
 * (out->block) if it had to be byte-swapped or aligned. path is for messages. */
recon_status recon_npy_parse(recon_ctx *ctx, recon_array *out, const void *bytes, size_t size,
                             const char *path);

/* Makes the header of version 1.0; *size receives its length, a multiple of 64. RECON_ERR_INPUT if
 * NPY cannot hold such an array. */
typedef char recon_npy_header[384];
recon_status recon_npy_make_header(recon_ctx *ctx, recon_npy_header out, size_t *size,
                                   const recon_array *array, const char *path);

/* Writes an array in pieces, for arrays larger than memory: in C order, rows along the first
 * dimension (one row if ndim is 0), all of them before the commit. Until then path is unchanged,
 * and closing without a commit leaves nothing behind. Always close it; NULL may be closed. */
typedef struct recon_npy_writer recon_npy_writer;

recon_status recon_npy_writer_open(recon_ctx *ctx, recon_npy_writer **out, const char *path,
                                   recon_dtype dtype, const size_t *shape, int ndim);
recon_status recon_npy_writer_append(recon_ctx *ctx, recon_npy_writer *writer, const void *rows,
                                     size_t n);
recon_status recon_npy_writer_commit(recon_ctx *ctx, recon_npy_writer *writer);
void recon_npy_writer_close(recon_npy_writer *writer);

/* Forces it to the disk before the commit: see recon_writer_sync. */
recon_status recon_npy_writer_sync(recon_ctx *ctx, recon_npy_writer *writer);

#endif
