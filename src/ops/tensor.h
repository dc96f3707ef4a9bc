/* tensor.h - dense arrays in a backend's memory, the arguments of kernels.
 *
 * A value: copy freely. Channels come last (images are n, h, w, c), rows before columns. Only the
 * backend that allocated data may read it. */
#ifndef OPS_TENSOR_H
#define OPS_TENSOR_H

#include <stddef.h>
#include <recon/core/array.h>

typedef struct {
    recon_dtype type; /* F32, BF16, I32; F64 on ref/ */
    int ndim;
    size_t shape[RECON_MAX_DIMS];
    void *data;
    const struct recon_slices *slices; /* how its rows are cut, see slices.h; NULL: they are not */
} recon_tensor;

static inline size_t recon_tensor_count(const recon_tensor *t)
{
    size_t n = 1;
    for (int i = 0; i < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

/* The last dimension, and how many times it is there. */
static inline size_t recon_tensor_cols(const recon_tensor *t)
{
    return t->ndim ? t->shape[t->ndim - 1] : 1;
}
static inline size_t recon_tensor_rows(const recon_tensor *t)
{
    size_t n = 1;
    for (int i = 0; i + 1 < t->ndim; i++)
        n *= t->shape[i];
    return n;
}

static inline size_t recon_tensor_bytes(const recon_tensor *t)
{
    return recon_tensor_count(t) * recon_dtype_size(t->type);
}

#endif
