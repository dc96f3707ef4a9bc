/* npy.h - NumPy's .npy files, versions 1.0, 2.0 and 3.0.
 *
 * Read: float16/32/64, signed and unsigned integers, bool, either byte order, C and Fortran order.
 * Objects, records, strings and complex numbers are refused by name. Every field of a header is
 * checked against the file before it is believed; RECON_ERR_FORMAT says what is wrong and where. */
#ifndef RECON_CORE_NPY_H
#define RECON_CORE_NPY_H

#include <recon/core/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A large file is mapped, not read: it must not be shortened while the array is in use (files that
 * this library replaces are not). Free with recon_array_free; on failure *out is zeroed. */
RECON_API recon_status recon_npy_read(recon_ctx *ctx, recon_array *out, const char *path);

/* Version 1.0. The file appears complete or not at all, also when the disk is full. */
RECON_API recon_status recon_npy_write(recon_ctx *ctx, const char *path, const recon_array *array);

/* The same in pieces, for arrays larger than memory: C order, rows along the first dimension (one
 * row if ndim is 0), all of them before the commit. Until then path is as it was, and closing
 * without a commit leaves nothing behind. Close always; NULL may be closed. */
typedef struct recon_npy_writer recon_npy_writer;

RECON_API recon_status recon_npy_writer_open(recon_ctx *ctx, recon_npy_writer **out,
                                             const char *path, recon_dtype dtype,
                                             const size_t *shape, int ndim);
RECON_API recon_status recon_npy_writer_append(recon_ctx *ctx, recon_npy_writer *writer,
                                               const void *rows, size_t n);
RECON_API recon_status recon_npy_writer_commit(recon_ctx *ctx, recon_npy_writer *writer);
RECON_API void recon_npy_writer_close(recon_npy_writer *writer);

#ifdef __cplusplus
}
#endif
#endif
