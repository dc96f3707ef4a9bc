/* array.h - arrays as files hold them (element type, shape, order, data), and NumPy's .npy files.
 *
 * NPY and safetensors files are read into these. Code that computes converts them with
 * recon_array_to_f32, _f64 or _i64 to plain numbers in C order, whatever the file holds. */
#ifndef RECON_CORE_ARRAY_H
#define RECON_CORE_ARRAY_H

#include <recon/core/ctx.h>

#define RECON_MAX_DIMS 8

typedef enum {
    RECON_F16,
    RECON_BF16, /* safetensors only: NPY has no name for it */
    RECON_F32,
    RECON_F64,
    RECON_I8,
    RECON_I16,
    RECON_I32,
    RECON_I64,
    RECON_U8,
    RECON_U16,
    RECON_U32,
    RECON_U64,
    RECON_BOOL /* one byte; anything but 0 is true */
} recon_dtype;

typedef struct {
    recon_dtype dtype;
    int fortran; /* 0: the last index varies fastest; 1: the first one does */
    int ndim;    /* 0 .. RECON_MAX_DIMS; 0 is a single value */
    size_t shape[RECON_MAX_DIMS];
    const void *data; /* in the machine's byte order, aligned for dtype */
    void *block;      /* the memory that recon_array_free frees; NULL: the caller owns the data */
    size_t mapped;    /* if block is a mapped file, its bytes; 0 for allocated memory */
} recon_array;

RECON_API size_t recon_dtype_size(recon_dtype dtype);      /* bytes of one element */
RECON_API const char *recon_dtype_name(recon_dtype dtype); /* "float32", "int64" ... */

/* The number of elements. The shape of an array that was read never overflows. */
RECON_API size_t recon_array_count(const recon_array *array);

/* Frees an array that was read. Does nothing to zeroed arrays and to those made by hand. */
RECON_API void recon_array_free(recon_array *array);

/* Converts all elements, in C order, to out[recon_array_count(in)]. Conversion to float rounds to
 * nearest, and to infinity beyond the range; NaN stays NaN. Converting a value that is not a 64-bit
 * integer (a fraction, NaN, too large) to one is RECON_ERR_INPUT with its index. */
RECON_API recon_status recon_array_to_f32(recon_ctx *ctx, float *out, const recon_array *in);
RECON_API recon_status recon_array_to_f64(recon_ctx *ctx, double *out, const recon_array *in);
RECON_API recon_status recon_array_to_i64(recon_ctx *ctx, int64_t *out, const recon_array *in);

/* --- .npy files, versions 1.0, 2.0 and 3.0 ---------------------------------------------------- */

/* Reads float16/32/64, signed and unsigned integers and bool, in either byte order, C and Fortran
 * order. Objects, records, strings and complex numbers are refused by name. Every field of the
 * header is checked against the file; the message of RECON_ERR_FORMAT tells what is wrong and
 * where. A large file is mapped, not read: it must not be truncated while the array is in use (this
 * library replaces files and never truncates them). On failure *out is zeroed. */
RECON_API recon_status recon_npy_read(recon_ctx *ctx, recon_array *out, const char *path);

/* Writes version 1.0. The file appears complete or not at all, even if the disk is full. */
RECON_API recon_status recon_npy_write(recon_ctx *ctx, const char *path, const recon_array *array);

#endif
