/* array.h - an array as files hold it: element type, shape, order, data; and NumPy's .npy files.
 *
 * What NPY and safetensors files give and take. Code that computes wants plain C-order floats
 * or integers and gets them from recon_array_to_f32, _f64 or _i64, whatever the file holds. */
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
    int fortran; /* 0: the last index runs fastest; 1: the first does */
    int ndim;    /* 0 .. RECON_MAX_DIMS; 0 is a single value          */
    size_t shape[RECON_MAX_DIMS];
    const void *data; /* in the machine's byte order, aligned for dtype */
    void *block;      /* what recon_array_free gives back; NULL: data is somebody else's */
    size_t mapped;    /* of block: bytes of a mapped file, 0 for plain memory            */
} recon_array;

RECON_API size_t recon_dtype_size(recon_dtype dtype);      /* bytes of one element */
RECON_API const char *recon_dtype_name(recon_dtype dtype); /* "float32", "int64" ... */

/* Elements of an array; a shape that came from a reader never overflows here. */
RECON_API size_t recon_array_count(const recon_array *array);

/* Gives back what a reader made. Harmless on a zeroed array, on one made by hand and twice. */
RECON_API void recon_array_free(recon_array *array);

/* All elements, in C order, to out[recon_array_count(in)]. To float: rounded to nearest, and to
 * infinity beyond the range; NaN stays NaN. To integer: a value that is not an integer of 64 bits
 * (a fraction, NaN, too large) is RECON_ERR_INPUT, and the message names its index. */
RECON_API recon_status recon_array_to_f32(recon_ctx *ctx, float *out, const recon_array *in);
RECON_API recon_status recon_array_to_f64(recon_ctx *ctx, double *out, const recon_array *in);
RECON_API recon_status recon_array_to_i64(recon_ctx *ctx, int64_t *out, const recon_array *in);

/* --- .npy files, versions 1.0, 2.0 and 3.0 ---------------------------------------------------- */

/* Reads float16/32/64, signed and unsigned integers, bool, either byte order, C and Fortran order.
 * Objects, records, strings and complex numbers are refused by name. Every field of a header is
 * checked against the file before it is believed; RECON_ERR_FORMAT says what is wrong and where. A
 * large file is mapped, not read: it must not be shortened while the array is in use (files that
 * this library replaces are not). Free with recon_array_free; on failure *out is zeroed. */
RECON_API recon_status recon_npy_read(recon_ctx *ctx, recon_array *out, const char *path);

/* Version 1.0. The file appears complete or not at all, also when the disk is full. */
RECON_API recon_status recon_npy_write(recon_ctx *ctx, const char *path, const recon_array *array);

#endif
