/* tape.h - reverse-mode automatic differentiation: variables, operations, gradients.
 *
 * An operation computes at once and is recorded; recon_tape_backward walks the record from its end.
 * A tape holds one step: recon_tape_begin discards the last one and reuses its memory, so variables
 * live until then.
 *
 * Failures stick: after the first one every operation returns NULL at no cost, so that a network
 * reads like mathematics and checks once, at the end, with recon_tape_status. Shapes that do not
 * fit are RECON_ERR_INPUT; the message names the layer and both shapes.
 *
 * Images are n, h, w, channels. A tape belongs to its context and to one thread at a time. */
#ifndef RECON_NN_TAPE_H
#define RECON_NN_TAPE_H

#include <recon/nn/params.h>

typedef struct recon_tape recon_tape;
typedef struct recon_node *recon_var;

typedef enum {
    RECON_INFER = 0,  /* nothing is recorded; norms use their running statistics */
    RECON_RECORD = 1, /* gradients, but norms and dropout as in RECON_INFER */
    RECON_TRAIN = 3   /* gradients, batch statistics, dropout */
} recon_tape_mode;

/* Makes an empty tape; the seed is used for dropout. Freeing NULL does nothing. */
RECON_API recon_status recon_tape_new(recon_ctx *ctx, recon_tape **out, recon_precision precision,
                                      uint64_t seed);
RECON_API void recon_tape_free(recon_tape *tape);

/* Begins a new step; its number determines the random draws of dropout. */
RECON_API recon_status recon_tape_begin(recon_tape *tape, recon_tape_mode mode, uint64_t step);
RECON_API recon_status recon_tape_status(const recon_tape *tape);

/* Computes the gradients of the scalar loss. Those of parameters are added to their block (see
 * recon_params_clear_gradients); recon_var_gradient returns those of watched inputs. */
RECON_API recon_status recon_tape_backward(recon_tape *tape, recon_var loss);

/* Sets the name that messages use for the following operations. The tape borrows the string until
 * the next call. */
RECON_API void recon_tape_layer(recon_tape *tape, const char *name);

/* Declares that the rest of the network needs only x: in RECON_INFER the memory of everything else
 * that was computed so far is reused (parameters stay). Returns x. */
RECON_API recon_var recon_tape_pass(recon_tape *tape, recon_var x);

/* The part of a batch of `of` items that a pass works on: n items from the first on. It is the
 * whole batch, unless several ranks share it or it is split because it does not fit into memory:
 * see recon_trainee. */
typedef struct {
    size_t first, n, of;
} recon_slice;
RECON_API recon_slice recon_tape_slice(const recon_tape *tape);
/* The slice relative to the items that norms, losses and recon_var_whole combine: the batch that
 * ranks share, or only a part of it. */
RECON_API recon_slice recon_tape_together(const recon_tape *tape);

RECON_API size_t recon_tape_peak(const recon_tape *tape); /* the most bytes ever in use */
RECON_API recon_dtype recon_tape_activations(const recon_tape *tape); /* BF16 with RECON_MIXED */

/* --- leaves and what is read from variables --------------------------------------------------- */

/* Copy an array from the host: F32 or I32 (F64 instead of F32 with RECON_DOUBLE). The rows of an
 * input belong to the items of recon_tape_slice, in order, with the same number of rows for each; a
 * constant is the same for all items. */
RECON_API recon_var recon_var_input(recon_tape *tape, const void *host, recon_dtype type,
                                    const size_t *shape, int ndim);
RECON_API recon_var recon_var_constant(recon_tape *tape, const void *host, recon_dtype type,
                                       const size_t *shape, int ndim);
/* Gathers the rows of the whole batch from those of the slice; returns x if one pass sees the whole
 * batch. Its gradient comes from all ranks. */
RECON_API recon_var recon_var_whole(recon_tape *tape, recon_var x);
RECON_API recon_var recon_var_param(recon_tape *tape, recon_param *param);
RECON_API recon_var recon_var_watch(recon_tape *tape, recon_var input); /* request its gradient */
RECON_API recon_var recon_var_gradient(recon_tape *tape, recon_var input);
RECON_API recon_status recon_var_read(recon_tape *tape, double *out, recon_var x);
RECON_API const size_t *recon_var_shape(recon_var x, int *ndim); /* ndim may be NULL */
RECON_API size_t recon_var_count(recon_var x);

/* --- linear maps ------------------------------------------------------------------------------ */

typedef struct {
    size_t stride, pad; /* stride 0 is 1 */
    int relu;           /* apply a ReLU to the result, in the same pass */
} recon_conv_options;

/* x n,h,w,c; weight o,kh,kw,c; bias o or NULL. options may be NULL. */
RECON_API recon_var recon_var_conv(recon_tape *tape, recon_var x, recon_var weight, recon_var bias,
                                   const recon_conv_options *options);
/* x ..,c; weight o,c; bias o or NULL. */
RECON_API recon_var recon_var_linear(recon_tape *tape, recon_var x, recon_var weight,
                                     recon_var bias);
/* y[r][u][k] = sum of c[i][j][k] a[r][u][i] b[r][j]: a rows,u,i; b rows,j; c a constant i,j,k. */
RECON_API recon_var recon_var_tensor_product(recon_tape *tape, recon_var a, recon_var b,
                                             recon_var c);

/* --- element by element ----------------------------------------------------------------------- */

/* Elementwise functions: max(0, x), x / (1 + exp(-x)), 1 / (1 + exp(-x)), log(1 + exp(x)). */
RECON_API recon_var recon_var_relu(recon_tape *tape, recon_var x);
RECON_API recon_var recon_var_silu(recon_tape *tape, recon_var x);
RECON_API recon_var recon_var_sigmoid(recon_tape *tape, recon_var x);
RECON_API recon_var recon_var_softplus(recon_tape *tape, recon_var x);
/* a + b, of equal shapes. */
RECON_API recon_var recon_var_add(recon_tape *tape, recon_var a, recon_var b);
RECON_API recon_var recon_var_blend(recon_tape *tape, double alpha, recon_var a, double beta,
                                    recon_var b); /* alpha a + beta b */
/* alpha x; x converted to another type; a b, of equal shapes. */
RECON_API recon_var recon_var_scale(recon_tape *tape, double alpha, recon_var x);
RECON_API recon_var recon_var_cast(recon_tape *tape, recon_var x, recon_dtype type);
RECON_API recon_var recon_var_mul(recon_tape *tape, recon_var a, recon_var b);
/* x ..,f*m times gate ..,f: one factor for the m components of a field. */
RECON_API recon_var recon_var_gate(recon_tape *tape, recon_var x, recon_var gate, size_t field);
/* x rows,m,f times gate rows,f: the same where components are the slow index. */
RECON_API recon_var recon_var_gate_planes(recon_tape *tape, recon_var x, recon_var gate, size_t m);
/* a x b, both rows,3,f. */
RECON_API recon_var recon_var_cross_planes(recon_tape *tape, recon_var a, recon_var b);
RECON_API recon_var recon_var_dropout(recon_tape *tape, recon_var x, double rate);
/* The same for whole channels of images n,h,w,channels. */
RECON_API recon_var recon_var_dropout_channels(recon_tape *tape, recon_var x, double rate);

/* --- norms ------------------------------------------------------------------------------------ */

typedef struct {
    size_t field;         /* components of a vector field; 0 or 1: plain batch norm */
    double eps, momentum; /* 0: 1e-5, 0.1 */
    recon_var offset;     /* I32 segments + 1: normalise the rows of each segment; or NULL */
    recon_var skip;       /* of x's shape, added to the result of the norm; or NULL */
    int relu;             /* apply a ReLU at the end */
} recon_norm_options;

/* Normalises x ..,channels*field over its rows. shift is NULL if field > 1. The running statistics
 * are buffers, NULL with segments. Skip and ReLU are part of the norm's own pass over memory. */
RECON_API recon_var recon_var_norm(recon_tape *tape, recon_var x, recon_var scale, recon_var shift,
                                   recon_param *running_mean, recon_param *running_var,
                                   const recon_norm_options *options);

typedef struct {
    size_t scalars, pairs;
    double eps, momentum; /* 0: 1e-5, 0.1 */
} recon_field_norm_options;

/* Norm and nonlinearity in one pass, on x ..,scalars + 2 pairs: norm and ReLU of the scalars;
 * norm and u relu(|u| + bias) / |u| of the pairs u. scale and the statistics have one number per
 * scalar, then one per pair; shift has one per scalar and bias one per pair, and is NULL if
 * there are none. */
RECON_API recon_var recon_var_field_norm(recon_tape *tape, recon_var x, recon_var scale,
                                         recon_var shift, recon_var bias, recon_param *running_mean,
                                         recon_param *running_var,
                                         const recon_field_norm_options *options);

/* --- directions ------------------------------------------------------------------------------- */

/* Scales rows to length one, x / max(|x|, 1e-12), in the type of x; a row of zeros is unchanged and
 * gets no gradient. recon_var_linear of two sets of such rows is their matrix of cosines. */
RECON_API recon_var recon_var_unit(recon_tape *tape, recon_var x);
/* atan2(x1, x0) of pairs n,2, as float; a pair of zeros is 0 and gets no gradient. */
RECON_API recon_var recon_var_angle(recon_tape *tape, recon_var x);

/* --- images ----------------------------------------------------------------------------------- */

/* The mean or the maximum over squares of size x size. */
RECON_API recon_var recon_var_average_pool(recon_tape *tape, recon_var x, size_t size,
                                           size_t stride);
RECON_API recon_var recon_var_max_pool(recon_tape *tape, recon_var x, size_t size, size_t stride);
RECON_API recon_var recon_var_resize(recon_tape *tape, recon_var x, size_t height, size_t width,
                                     int align_corners);
RECON_API recon_var recon_var_rotate(recon_tape *tape, recon_var x, recon_var angle /* n */);

/* --- rows, columns, sums ---------------------------------------------------------------------- */

/* y[e] = x[index[e]]. order lists the edges sorted by row, and offset the first edge of each row
 * (see ops.h); the backward pass sums in that order. All I32. */
RECON_API recon_var recon_var_gather(recon_tape *tape, recon_var x, recon_var index,
                                     recon_var order, recon_var offset);
RECON_API recon_var recon_var_segment_sum(recon_tape *tape, recon_var x, recon_var offset);
/* A constant sparse matrix in rows (CSR): row r has weight[e] in column index[e], e = offset[r] ..
 * offset[r+1]-1. index and offset are I32, weight is F32 (F64 with RECON_DOUBLE). */
typedef struct {
    recon_var index, weight, offset;
} recon_sparse;
/* y = s x on rows of x. The backward pass multiplies by the transpose, which for a symmetric matrix
 * is s itself. Both may have unused entries after their last offset. */
RECON_API recon_var recon_var_sparse(recon_tape *tape, recon_sparse s, recon_var x,
                                     recon_sparse transpose);
RECON_API recon_var recon_var_sum(recon_tape *tape, recon_var x, int axis);
RECON_API recon_var recon_var_spatial_mean(recon_tape *tape, recon_var x); /* n,h,w,c -> n,c */
RECON_API recon_var recon_var_reshape(recon_tape *tape, recon_var x, const size_t *shape, int ndim);
RECON_API recon_var recon_var_concat(recon_tape *tape, const recon_var *x,
                                     size_t n); /* last axis */
RECON_API recon_var recon_var_columns(recon_tape *tape, recon_var x, size_t from, size_t count);

/* --- molecules -------------------------------------------------------------------------------- */

/* Sums messages between all atoms of each molecule, see pairs in ops.h. s is rows,S + V; u rows,3,4
 * V; the filters w 32,S + 5 V; the constants are xyz rows,3 and offset I32 molecules + 1. w and xyz
 * are never bf16. Returns rows,S + V + 3 V: scalars, then the three planes of V vectors. */
RECON_API recon_var recon_var_pairs(recon_tape *tape, recon_var s, recon_var u, recon_var w,
                                    recon_var xyz, recon_var offset);

/* --- losses: means, as one float -------------------------------------------------------------- */

/* -log of the softmax at the label; (x - target)^2; |x - target|. */
RECON_API recon_var recon_var_cross_entropy(recon_tape *tape, recon_var logits,
                                            recon_var labels /* I32 n */);
RECON_API recon_var recon_var_mse(recon_tape *tape, recon_var x, recon_var target);
RECON_API recon_var recon_var_l1(recon_tape *tape, recon_var x, recon_var target);
/* 1 - x . target over rows of unit vectors. Only here may the target have a gradient. */
RECON_API recon_var recon_var_cosine_loss(recon_tape *tape, recon_var x, recon_var target);
RECON_API recon_var recon_var_vonmises_loss(recon_tape *tape, recon_var x, recon_var angles);
/* -log of a mixture of up to four matrix Fisher densities (recon/group/matrix_fisher.h) and the
 * uniform one, at rotations (row-major matrices). f holds the F of each part. The weights are the
 * softmax of share[0] for the uniform density, 0 for the first part, and share[1], share[2] .. for
 * the other parts; with one part the background is 1 / (1 + exp(-share)). share NULL: no background
 * and equal weights; with one part the loss is then convex in f. The host computes it on every
 * backend, so steps with it must be `plain`: see recon_train_options. An F that is not finite or
 * exceeds 1e12 makes the loss NaN. */
RECON_API recon_var recon_var_fisher_loss(recon_tape *tape, recon_var f /* n x 9 parts */,
                                          recon_var share /* n x parts */,
                                          recon_var rotations /* n x 9, a constant */);

#endif
