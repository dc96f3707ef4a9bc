/* couple_edges.h - what an edge makes of channels that its nodes have mixed, sixteen at a time. */
#ifndef OPS_CPU_COUPLE_EDGES_H
#define OPS_CPU_COUPLE_EDGES_H

#include "ops/cpu/couple.h"

#define RECON_EDGE_LANES 16
static inline size_t recon_edge_padded(size_t n)
{
    return (n + RECON_EDGE_LANES - 1) / RECON_EDGE_LANES * RECON_EDGE_LANES;
}

/* A path mixed at the nodes: where its outputs are in their channels of degree l1, its matrix, and
 * of l1 = 0 the weights [extras][width] of the edge's extra scalars. */
typedef struct {
    size_t l1, at, matrix, extra;
} recon_edge_path;
/* What comes out of one degree; width is padded. */
typedef struct {
    size_t width, paths;
    recon_edge_path path[RECON_COUPLE_PATHS];
} recon_edge_degree;
typedef struct {
    recon_edge_degree degree[RECON_COUPLE_DEGREES];
    size_t plane[RECON_COUPLE_DEGREES]; /* of a node's mixed channels [2 l1 + 1][plane] */
    size_t extras;
    size_t planes; /* numbers of an edge's planes: degree by degree, [2 l3 + 1][width] */
} recon_edge_form;

/* One edge: its nodes' mixed channels by degree (target, source), its matrices (a number every
 * RECON_COUPLE_LANES) and extra scalars, and the weights of those. */
typedef struct {
    float *mixed[2][RECON_COUPLE_DEGREES];
    const float *matrices, *extra;
} recon_edge;

/* planes = the sum over paths of M (target + source + extra). */
void recon_edge_couple(float *planes, const recon_edge_form *form, const recon_edge *edge,
                       const float *extra_weights);
/* Adds M^T planes to both nodes, and times extra to the weights'. */
void recon_edge_uncouple(const float *planes, const recon_edge_form *form, const recon_edge *edge,
                         float *extra_weights);

#endif
