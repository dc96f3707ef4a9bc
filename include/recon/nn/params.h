/* params.h - the named parameters and buffers of a model.
 *
 * Layers add entries by name; recon_params_make then allocates one block of weights, one of
 * gradients and one of buffers (running statistics), so that an optimiser is one loop and a
 * checkpoint a few writes. The initial values depend only on names, shapes and the seed. */
#ifndef RECON_NN_PARAMS_H
#define RECON_NN_PARAMS_H

#include <recon/core/safetensors.h>
#include <recon/ops/backend.h>

typedef struct recon_params recon_params;
typedef struct recon_param recon_param; /* a named entry, owned by its recon_params */

typedef enum {
    RECON_INIT_HE,      /* normal, variance 2 / fan in: for weights before a ReLU */
    RECON_INIT_XAVIER,  /* uniform, variance 2 / (fan in + fan out) */
    RECON_INIT_CONSTANT /* recon_init.value, which the other two ignore */
} recon_init_kind;
typedef struct {
    recon_init_kind kind;
    double value;
} recon_init;

/* Makes an empty set. Freeing NULL does nothing. */
RECON_API recon_status recon_params_new(recon_ctx *ctx, recon_params **out,
                                        recon_precision precision);
RECON_API void recon_params_free(recon_ctx *ctx, recon_params *params);

/* Adds an entry; only before recon_params_make. A name that is taken is RECON_ERR_INPUT. The first
 * dimension is the number of outputs, the product of the others the fan-in. *out is lent. */
RECON_API recon_status recon_params_add(recon_ctx *ctx, recon_param **out, recon_params *params,
                                        const char *name, const size_t *shape, int ndim,
                                        recon_init init);
/* The same with normal initial values of mean 0; their deviations [count] are copied. */
RECON_API recon_status recon_params_add_normal(recon_ctx *ctx, recon_param **out,
                                               recon_params *params, const char *name,
                                               const size_t *shape, int ndim,
                                               const double *deviations);
/* The same for a buffer, filled with value, which is saved with the weights but not trained. */
RECON_API recon_status recon_params_add_buffer(recon_ctx *ctx, recon_param **out,
                                               recon_params *params, const char *name,
                                               const size_t *shape, int ndim, double value);
/* Allocates the blocks and fills in the initial values. */
RECON_API recon_status recon_params_make(recon_ctx *ctx, recon_params *params, uint64_t seed);

/* The number of trained weights. */
RECON_API size_t recon_params_count(const recon_params *params);
RECON_API size_t recon_params_entries(const recon_params *params); /* including buffers */

/* Sets the gradients to zero. Without it, backward passes add up. */
RECON_API recon_status recon_params_clear_gradients(recon_ctx *ctx, recon_params *params);

/* Saves a set as safetensors, in float (in double with RECON_DOUBLE). */
RECON_API recon_status recon_params_save(recon_ctx *ctx, const char *path,
                                         const recon_params *params,
                                         const recon_metadata_entry *metadata, size_t n_metadata);

/* Zero in any field means its default. */
typedef struct {
    int bf16; /* write weights in bfloat16, rounded to nearest even; buffers are not rounded */
    const recon_tensor_entry *more; /* [n_more] further tensors for the file */
    size_t n_more;
} recon_params_save_options;

/* Saves several sets, the parts of a model, to one file. A name in two of them is RECON_ERR_INPUT.
 * options may be NULL. */
RECON_API recon_status recon_params_save_all(recon_ctx *ctx, const char *path,
                                             const recon_params *const *sets, size_t n_sets,
                                             const recon_metadata_entry *metadata,
                                             size_t n_metadata,
                                             const recon_params_save_options *options);

/* Loads a set from such a file, of any float type. If names or shapes differ, nothing is loaded,
 * and the message names the entry and both shapes. */
RECON_API recon_status recon_params_load(recon_ctx *ctx, recon_params *params, const char *path);

/* Read and write the values or gradients of an entry as double [count]; for tests and tools. */
RECON_API recon_status recon_param_read(recon_ctx *ctx, double *out, const recon_param *param);
RECON_API recon_status recon_param_read_gradient(recon_ctx *ctx, double *out,
                                                 const recon_param *param);
RECON_API recon_status recon_param_write(recon_ctx *ctx, recon_param *param, const double *values);
RECON_API size_t recon_param_count(const recon_param *param);

#endif
