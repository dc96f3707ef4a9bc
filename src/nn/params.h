/* params.h (private) - the blocks of memory of a set of parameters. */
#ifndef NN_PARAMS_H
#define NN_PARAMS_H

#include <recon/nn/params.h>
#include "ops/tensor.h"

struct recon_param {
    recon_params *owner;
    char *name;
    recon_tensor value;     /* data is filled in by recon_params_make */
    recon_tensor low, grad; /* of trained ones: the bfloat16 copy (RECON_MIXED), the gradient */
    size_t offset;          /* elements into its block */
    recon_init init;
    double *deviations; /* [count], of normal first values; else NULL */
    int trained;
    int fresh; /* nobody was given the gradient's block since the last clear: the next may overwrite
                */
    const void *last;  /* on the way back: the node with which its gradient is complete (tape.h) */
    recon_param *next; /* of kept ones */
};

struct recon_params {
    recon_precision precision;
    recon_dtype type; /* F32 or F64 */
    recon_param **entry;
    size_t count, capacity;
    size_t n_weights, n_buffers, n_trained; /* elements with padding; without */
    char *weights, *gradients, *buffers, *low;
    recon_param *kept;
    struct {
        const recon_safetensors *file; /* lent, until recon_params_make; or NULL */
        const char *path;
        int whole;
    } from;
};

/* Declares that the following entries are in a file, whose sizes cannot be trusted: an entry that
 * it does not hold in the same shape is refused when it is added, before memory is allocated, and
 * recon_params_make reads the numbers. whole: the file must not hold anything else. Both are lent
 * until then; file NULL: no file. */
void recon_params_expect(recon_params *params, const recon_safetensors *file, const char *path,
                         int whole);
/* Whether such an entry may be added, for who needs memory in front of that. */
recon_status recon_params_check(recon_ctx *ctx, const recon_params *params, const char *name,
                                const size_t *shape, int ndim);

/* RECON_ERR_FORMAT if one of n floats or doubles of a file is not finite: the file is damaged. */
recon_status recon_numbers_check(recon_ctx *ctx, const void *x, recon_dtype type, size_t n,
                                 const char *name, const char *path);

/* RECON_ERR_NUMERIC if one of the entries' floats or doubles is not finite: training has diverged,
 * and the existing file at path must be kept. */
recon_status recon_entries_check(recon_ctx *ctx, const char *path,
                                 const recon_tensor_entry *entries, size_t n);

/* Adds numbers that are derived from the parameters or the network's form. They are freed with the
 * parameters, but neither trained nor written to files, and may be added at any time. values
 * [count] may be NULL: the caller then fills out->value and calls recon_param_round. */
recon_status recon_params_keep(recon_ctx *ctx, recon_param **out, recon_params *params,
                               const double *values, const size_t *shape, int ndim);
/* Renews the bfloat16 copy of one entry, where it has one. */
recon_status recon_param_round(recon_ctx *ctx, const recon_param *param);

/* Host copies of the entries' tensors, from weights (a block like params->weights) and the buffers.
 * out [recon_params_entries]; free *block after use. */
recon_status recon_params_fetch(recon_ctx *ctx, recon_tensor_entry *out, void **block,
                                const recon_params *params, const void *weights);

/* Fills weights and buffers from a file that may hold more than them: names that begin with
 * "state." are passed over. */
recon_status recon_params_store(recon_ctx *ctx, recon_params *params, const recon_safetensors *file,
                                const char *path);

/* Values of other parameters under the same names, for those that begin with `prefix`. The other
 * ones must have them, in the same shapes. */
recon_status recon_params_copy(recon_ctx *ctx, recon_params *params, const recon_params *other,
                               const char *prefix);

/* Renews the bfloat16 copy, after the weights were written from outside. */
recon_status recon_params_round(recon_ctx *ctx, recon_params *params);

/* Replaces the block of weights; the caller then owns the old one. */
void recon_params_use(recon_params *params, char *weights);

/* Resolves RECON_AUTO. RECON_ERR_INPUT for double on any backend but ref. */
recon_status recon_precision_resolve(recon_ctx *ctx, recon_precision *precision);

/* The numbers of a tensor, from and to host memory. */
recon_status recon_tensor_read(recon_ctx *ctx, double *out, const recon_tensor *x);
recon_status recon_tensor_write(recon_ctx *ctx, const recon_tensor *x, const double *values);

/* "4 x 28 x 28 x 1", written into out. */
typedef char recon_shape_text[RECON_MAX_DIMS * 24];
const char *recon_shape_print(recon_shape_text out, const size_t *shape, int ndim);

#endif
