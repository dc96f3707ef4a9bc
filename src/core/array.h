/* array.h (private) - what the readers of arrays share. */
#ifndef CORE_ARRAY_H
#define CORE_ARRAY_H

#include <recon/core/array.h>

/* Files hold little-endian numbers, and so do we: arrays are used where they lie. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recon needs a little-endian machine");

/* Bytes of an array of this shape; 0 (false) if they cannot be counted. A zero among the dimensions
 * does not excuse the others: strides are computed from them too. */
int recon_array_fits(size_t *bytes, recon_dtype dtype, const size_t *shape, int ndim);

int recon_dtype_is_float(recon_dtype dtype);

/* "float32 3 x 4": type and shape as messages show them. Returns text. */
typedef char recon_array_text[256];
const char *recon_array_show(recon_array_text text, const recon_array *array);

/* An element by its index in C order, as a double. */
double recon_array_value(const recon_array *array, size_t index);

#endif
