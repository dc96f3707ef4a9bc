/* gcn_graphs.h (private) - the graphs of molecules for the classifier: prepared once, and packed
 * into batches for each pass. */
#ifndef BACKBONE_GCN_GRAPHS_H
#define BACKBONE_GCN_GRAPHS_H

#include <recon/backbone/gcn.h>
#include <recon/group/irreps.h>
#include <recon/nn/tape.h>

/* A rotation multiplies the mean harmonics by a matrix and does not change the graph, so molecules
 * are prepared once for any number of poses. */
typedef struct recon_gcn_graphs recon_gcn_graphs; /* immutable, keeps nothing of the set */

/* radius in Angstrom, that of the classifier. About 80 bytes an atom. */
recon_status recon_gcn_graphs_make(recon_ctx *ctx, recon_gcn_graphs **out,
                                   const recon_molecules *data, double radius);
void recon_gcn_graphs_free(recon_gcn_graphs *graphs);

/* The adjacency has entries 1 / sqrt(d_i d_j) for neighbours and for an atom with itself, where d
 * counts both. It is symmetric and invariant to rotations. */
struct recon_gcn_graphs {
    size_t n, classes;
    double radius;
    int32_t *label; /* [n] */
    size_t *node;   /* [n + 1] first atom of each */
    size_t *entry;  /* [atoms + 1] first entry of each atom's row of the adjacency */
    int32_t *index; /* [entries] atom, counted within its molecule */
    float *weight;  /* [entries] */
    float *feature; /* [atoms][RECON_HARMONICS] adjacency times mean harmonics: the first layer is
                       linear in them, so it needs no graph */
};

/* n molecules in one batch, as inputs of a tape. Rows after the last atom belong to no molecule. */
typedef struct {
    size_t n, nodes, entries; /* room */
    float *feature;           /* [nodes][RECON_HARMONICS] */
    int32_t *index, *offset;  /* the adjacency: [entries], [nodes + 1] */
    float *weight;            /* [entries] */
    int32_t *start;           /* [n + 1] first row of each molecule */
    int32_t *row, *owner;     /* [nodes] 0, 1, 2 ..; the molecule of a row */
    int32_t *single;          /* [nodes + 1] 0, 1, 2 .. up to the atoms there are */
    float *share;             /* [nodes] 1 / atoms of its molecule */
    int32_t *label;           /* [n] */
    void *block;
} recon_gcn_batch;

/* A list of molecules, and the rotations applied to them (NULL: none). */
typedef struct {
    const int64_t *which; /* NULL: from first on */
    const recon_so3 *rotations;
    size_t first, n;
} recon_gcn_list;

typedef struct {
    size_t nodes, entries;
} recon_gcn_size;
recon_gcn_size recon_gcn_size_of(const recon_gcn_graphs *graphs, const recon_gcn_list *list);

/* Allocates a batch for lists of up to n molecules with up to this size in total; free() block. */
recon_status recon_gcn_batch_make(recon_ctx *ctx, recon_gcn_batch *out, size_t n,
                                  recon_gcn_size size);
/* Packs a list of exactly out->n molecules. */
recon_status recon_gcn_batch_fill(recon_ctx *ctx, recon_gcn_batch *out,
                                  const recon_gcn_graphs *graphs, const recon_gcn_list *list);

/* The batch on a tape: features, the two matrices of the network, labels. */
typedef struct {
    recon_var feature, label;
    recon_sparse adjacency, pool, spread; /* pool: means over molecules; spread: its transpose */
} recon_gcn_inputs;
recon_gcn_inputs recon_gcn_batch_input(recon_tape *tape, const recon_gcn_batch *batch);

#endif
