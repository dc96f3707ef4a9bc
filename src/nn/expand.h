/* expand.h (private) - filters out of weights and a basis, on the tape. */
#ifndef NN_EXPAND_H
#define NN_EXPAND_H

#include "nn/tape.h"

/* The filter of this shape and type, see ops.h. weight is one-dimensional, basis a constant. */
recon_var recon_var_expand(recon_tape *t, recon_var weight, recon_var basis,
                           const recon_expand_plan *plan, recon_dtype type, const size_t *shape,
                           int ndim);

#endif
