/* check.h - is the gradient right, is the layer equivariant? For our layers and yours. */
#ifndef RECON_NN_CHECK_H
#define RECON_NN_CHECK_H

#include <recon/nn/tape.h>

/* A function of variables, built on the tape. */
typedef recon_var recon_check_function(recon_tape *tape, void *user, const recon_var *x);

typedef struct {
    recon_dtype type; /* F64, or I32 for labels and indices */
    int ndim;
    size_t shape[RECON_MAX_DIMS];
    const void *data;
    int constant; /* 1: its gradient is not looked at; I32 never is */
} recon_check_input;

/* Compares gradients with central differences, in double: of every input and, if params is given,
 * of every parameter (RECON_DOUBLE), all through one random projection of the function's value.
 * The context must compute with "ref". mode is RECON_RECORD or RECON_TRAIN. *error is the largest
 * difference, relative to the largest gradient; about 1e-8 is as good as it gets, and at a kink
 * (ReLU at 0) nothing is. Running statistics are changed. */
RECON_API recon_status recon_check_gradient(recon_ctx *ctx, double *error, recon_check_function *f,
                                            void *user, const recon_check_input *x, size_t n,
                                            recon_params *params, recon_tape_mode mode);

/* A group element's action on an array: in to out, same count. */
typedef void recon_check_action(void *user, double *out, const double *in, const size_t *shape,
                                int ndim);

/* *error = |f(a x) - b f(x)| / |f(x)|, where a acts on the input and b on the output (the same user
 * pointer names the group element). In the precision given, on any backend. */
RECON_API recon_status recon_check_equivariance(recon_ctx *ctx, double *error,
                                                recon_check_function *f, void *user,
                                                const recon_check_input *x, recon_check_action *a,
                                                recon_check_action *b, void *element,
                                                recon_precision precision);

#endif
