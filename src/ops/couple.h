/* couple.h - the layout of rows and weights of a tensor product, and the order of its computation.
 *
 * A path may mix channels first, at the 2 l1 + 1 components of x, and then couple; or couple first
 * and mix at the 2 l3 + 1 components of y. Each path takes the cheaper order, which in the paper's
 * layers saves a third of the arithmetic of either. Paths of one order whose mixing is at one
 * degree share a product a w^T:
 *
 *     mixing first, at degree l1:    a = x_l1, u = a w^T,  y_l3 += M u   for each path
 *     coupling first, at degree l3:  a = [M x_l1 of each path],  y_l3 += a w^T
 *
 * where M[m1][m3] = sum over m2 of c[m1][m2][m3] attr[m2] is a row's small matrix of the path. All
 * operands have the channels innermost, [rows][2 l + 1][channels]: planes. */
#ifndef OPS_COUPLE_H
#define OPS_COUPLE_H

#include "ops/ops.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline size_t recon_couple_size(size_t degree)
{
    return 2 * degree + 1;
}

/* The first number of a degree in a row of these channels; of degree 4, the length of the row. */
static inline size_t recon_couple_at(const uint32_t channels[RECON_COUPLE_DEGREES], size_t degree)
{
    size_t at = 0;
    for (size_t l = 0; l < degree; l++)
        at += channels[l] * recon_couple_size(l);
    return at;
}
static inline size_t recon_couple_dim(const uint32_t channels[RECON_COUPLE_DEGREES])
{
    return recon_couple_at(channels, RECON_COUPLE_DEGREES);
}

/* Channels of degree 1 and up: the gates of activate. */
static inline size_t recon_couple_gates(const uint32_t channels[RECON_COUPLE_DEGREES])
{
    size_t gates = 0;
    for (size_t l = 1; l < RECON_COUPLE_DEGREES; l++)
        gates += channels[l];
    return gates;
}

/* A degree's first number in a row of attributes. */
static inline size_t recon_couple_attr(size_t degree)
{
    return degree * degree;
}

/* The first weight of w_l; of degree 4, how many there are. */
static inline size_t recon_couple_weight(const recon_couple_plan *plan, size_t degree)
{
    size_t at = 0;
    for (size_t l = 0; l < degree; l++)
        at += (size_t)plan->out[l] * plan->columns[l];
    return at;
}

typedef struct {
    int mixes;             /* channels first, and couples then */
    uint32_t degree;       /* l1 of its paths where it mixes first, else l3 */
    size_t depth, outputs; /* w is [outputs][depth] */
    size_t weights;        /* in front of its own, in the order of products */
} recon_couple_product;
typedef struct {
    uint32_t product;
    size_t at;     /* its first output where the product mixes first, else its first column */
    size_t matrix; /* where its M [2 l1 + 1][2 l3 + 1] begins in a row's matrices */
} recon_couple_place;
typedef struct {
    size_t products, numbers; /* numbers of a row's matrices */
    recon_couple_product product[2 * RECON_COUPLE_DEGREES];
    recon_couple_place place[RECON_COUPLE_PATHS]; /* of the plan's paths */
} recon_couple_split;

recon_couple_split recon_couple_split_of(const recon_couple_plan *plan);

/* A path's weights are `rows` runs of `length`, plan_step apart in w and step apart in the
 * products' order. */
typedef struct {
    size_t rows, length;
    size_t in_plan, plan_step, in_product, step;
} recon_couple_block;
recon_couple_block recon_couple_block_of(const recon_couple_plan *plan,
                                         const recon_couple_split *split, size_t path);

#ifdef __cplusplus
}
#endif
#endif
