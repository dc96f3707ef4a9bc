/* segnn.h - steerable messages between neighbours (Brandstetter et al., "Geometric and physical
 * quantities improve E(3) equivariant message passing", ICLR 2022).
 *
 * Features are rows as in irreps.h: scalars, vectors and higher degrees, which rotate with the
 * molecule. Every layer is a tensor product with directions (couple.h), gated by scalars. The
 * message from j to i couples x_i, x_j and the squared distance with the harmonics of the edge. A
 * node sums its messages, couples x and the sum with the mean of its edges' harmonics, and adds the
 * result to x; a norm over each molecule follows. The network only sees directions and distances,
 * so it is invariant to translations and equivariant to rotations. */
#ifndef RECON_NN_SEGNN_H
#define RECON_NN_SEGNN_H

#include <recon/nn/couple.h>
#include <recon/nn/layers.h>

/* --- rows of degrees on the tape -------------------------------------------------------------- */

/* Concatenates the rows of n <= 4 variables degree by degree. x[k] has 2 dimensions and the layout
 * irreps[k]. */
RECON_API recon_var recon_var_irreps_join(recon_tape *tape, const recon_var *x,
                                          const recon_irreps *irreps, size_t n);
/* The gated nonlinearity. Rows of x have the layout `out`, with a gate for each channel of degree 1
 * and up after the scalars. Scalars pass through SiLU; the other channels are multiplied by the
 * sigmoid of their gate. Both are scaled to keep the variance of normal numbers (by 1.6765 and
 * 1.8462). */
RECON_API recon_var recon_var_activate(recon_tape *tape, recon_var x, const recon_irreps *out);

/* --- a tensor product with its weights -------------------------------------------------------- */

typedef struct {
    recon_layer_name name;
    recon_param *weight, *bias; /* bias NULL: the output has no scalars */
    recon_couple_plan *plan;
    recon_irreps out;
    int gated;
} recon_coupling;

/* Zero in any field means its default. */
typedef struct {
    int gated;  /* apply the gated nonlinearity; if the output is scalars only, plain SiLU */
    int chiral; /* use all paths, which see mirror images; 0: those with l1 + l2 + l3 even */
} recon_coupling_options;

/* Adds a layer. Initial weights and biases are normal with the deviation of U(-1, 1) / sqrt(fan
 * in), as published. options may be NULL. Free it, also after a failure. */
RECON_API recon_status recon_coupling_add(recon_ctx *ctx, recon_coupling *out, recon_params *params,
                                          const char *name, const recon_irreps *from,
                                          const recon_irreps *to,
                                          const recon_coupling_options *options);
RECON_API recon_var recon_coupling_apply(recon_tape *tape, const recon_coupling *layer, recon_var x,
                                         recon_var attributes /* rows,16 */);
RECON_API void recon_coupling_free(recon_coupling *layer);

/* --- a norm over each molecule ---------------------------------------------------------------- */

/* Subtracts from scalars their mean over the molecule's nodes, then divides each channel by the
 * root of its mean square over nodes and components. Channels are scaled, and scalars are
 * shifted. */
typedef struct {
    recon_layer_name name;
    recon_irreps irreps;
    recon_param *scale[RECON_DEGREES], *shift; /* NULL where there are no channels */
} recon_irreps_norm;
RECON_API recon_status recon_irreps_norm_add(recon_ctx *ctx, recon_irreps_norm *out,
                                             recon_params *params, const char *name,
                                             const recon_irreps *irreps);
/* segment I32: the row where the nodes of each molecule begin; every row belongs to one. */
RECON_API recon_var recon_irreps_norm_apply(recon_tape *tape, const recon_irreps_norm *layer,
                                            recon_var x, recon_var segment);

/* --- the network ------------------------------------------------------------------------------ */

/* The graph of messages, with edges sorted by target. */
typedef struct {
    recon_var source, target;  /* I32 [edges] */
    recon_var offset;          /* I32 [nodes + 1] first edge of each target */
    recon_var ascending;       /* I32 [edges] 0, 1, 2 ..: the edges sorted by target */
    recon_var order, order_of; /* I32 [edges] edges sorted by source; [nodes + 1] first of each */
    recon_var harmonics;       /* [edges][16] of the directions */
    recon_var square;          /* [edges][1] squared distances */
    recon_var attribute;       /* [nodes][16] the mean harmonics that nodes are coupled with */
    recon_var segment;         /* I32 [molecules + 1] first node of each molecule */
} recon_segnn_graph;

enum { RECON_SEGNN_LAYERS = 32 }; /* the most layers */
typedef struct {
    recon_irreps inputs, hidden;
    size_t layers;
    int chiral; /* see recon_coupling_options */
} recon_segnn_shape;
typedef struct {
    recon_coupling message[2], update[2];
    recon_irreps_norm norm;
} recon_segnn_layer;
typedef struct {
    recon_segnn_shape shape;
    recon_coupling embedding;
    recon_segnn_layer layer[RECON_SEGNN_LAYERS];
} recon_segnn;

RECON_API recon_status recon_segnn_add(recon_ctx *ctx, recon_segnn *out, recon_params *params,
                                       const char *name, const recon_segnn_shape *shape);
/* Maps x [nodes][inputs] to [nodes][hidden]. */
RECON_API recon_var recon_segnn_apply(recon_tape *tape, const recon_segnn *net, recon_var x,
                                      const recon_segnn_graph *graph);
RECON_API void recon_segnn_free(recon_segnn *net);

#endif
