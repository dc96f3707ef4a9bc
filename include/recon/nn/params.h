/* params.h - a model's numbers: named parameters and buffers, in one block each.
 *
 * Layers add what they need by name; recon_params_make then allocates one block of weights, one of
 * gradients and one of buffers (running statistics), so that an optimiser is one loop and a
 * checkpoint a few writes. Names, shapes and the seed decide the first values,
 * nothing else does. */
#ifndef RECON_NN_PARAMS_H
#define RECON_NN_PARAMS_H

#include <recon/core/safetensors.h>
#include <recon/ops/backend.h>

typedef struct recon_params recon_params;
typedef struct recon_param recon_param; /* one named entry, owned by its recon_params */

typedef enum {
    RECON_INIT_HE,      /* normal, variance 2 / fan in; in front of a ReLU          */
    RECON_INIT_XAVIER,  /* uniform, variance 2 / (fan in + fan out)                 */
    RECON_INIT_CONSTANT /* value; the other two ignore it                           */
} recon_init_kind;
typedef struct {
    recon_init_kind kind;
    double value;
} recon_init;

/* An empty set; NULL may be freed. */
RECON_API recon_status recon_params_new(recon_ctx *ctx, recon_params **out,
                                        recon_precision precision);
RECON_API void recon_params_free(recon_ctx *ctx, recon_params *params);

/* Adds an entry; before recon_params_make only. A name that is there already is RECON_ERR_INPUT.
 * The first dimension counts outputs, the others make the fan in. *out is lent. */
RECON_API recon_status recon_params_add(recon_ctx *ctx, recon_param **out, recon_params *params,
                                        const char *name, const size_t *shape, int ndim,
                                        recon_init init);
/* The same with normal first values: deviations [count] of mean 0, copied. */
RECON_API recon_status recon_params_add_normal(recon_ctx *ctx, recon_param **out,
                                               recon_params *params, const char *name,
                                               const size_t *shape, int ndim,
                                               const double *deviations);
/* The same for numbers that are kept with the weights but not trained, all value at first. */
RECON_API recon_status recon_params_add_buffer(recon_ctx *ctx, recon_param **out,
                                               recon_params *params, const char *name,
                                               const size_t *shape, int ndim, double value);
RECON_API recon_status recon_params_make(recon_ctx *ctx, recon_params *params, uint64_t seed);

/* How many numbers are trained. */
RECON_API size_t recon_params_count(const recon_params *params);
RECON_API size_t recon_params_entries(const recon_params *params); /* named ones, buffers too */

/* Forgets the gradients: the next backward pass begins at zero. Without it passes add up. */
RECON_API recon_status recon_params_clear_gradients(recon_ctx *ctx, recon_params *params);

/* As safetensors, float (double with RECON_DOUBLE). */
RECON_API recon_status recon_params_save(recon_ctx *ctx, const char *path,
                                         const recon_params *params,
                                         const recon_metadata_entry *metadata, size_t n_metadata);

/* Zero in any field means its default. */
typedef struct {
    int bf16; /* what is trained in bfloat16, rounded to nearest even; buffers stay as they are */
    const recon_tensor_entry *more; /* [n_more] tensors beside the sets, as they are */
    size_t n_more;
} recon_params_save_options;

/* Several sets in one file: the parts of a model. A name that two of them have is RECON_ERR_INPUT.
 * options may be NULL. */
RECON_API recon_status recon_params_save_all(recon_ctx *ctx, const char *path,
                                             const recon_params *const *sets, size_t n_sets,
                                             const recon_metadata_entry *metadata,
                                             size_t n_metadata,
                                             const recon_params_save_options *options);

/* From such a file, of any float type. Other names or shapes are refused whole, and the message
 * names the entry and both shapes. */
RECON_API recon_status recon_params_load(recon_ctx *ctx, recon_params *params, const char *path);

/* Values or gradients of an entry to out [count], as double; for tests and tools. */
RECON_API recon_status recon_param_read(recon_ctx *ctx, double *out, const recon_param *param);
RECON_API recon_status recon_param_read_gradient(recon_ctx *ctx, double *out,
                                                 const recon_param *param);
RECON_API recon_status recon_param_write(recon_ctx *ctx, recon_param *param, const double *values);
RECON_API size_t recon_param_count(const recon_param *param);

#endif
