/* gcn.h - the frozen molecule classifier of the experiments: a graph convolution network.
 *
 * It tells molecules apart by their shape alone, and only upright ones: atoms are joined within a
 * radius, an atom is described by the mean harmonics (degrees 0 .. 3) of the directions to its
 * neighbours, and three graph convolutions (Kipf and Welling, ICLR 2017) with ReLU, a mean over the
 * atoms and two linear layers give the logits. Elements are not looked at. */
#ifndef RECON_BACKBONE_GCN_H
#define RECON_BACKBONE_GCN_H

#include <recon/data/molecules.h>
#include <recon/nn/trained.h>
#include <recon/ops/backend.h>

typedef struct recon_gcn recon_gcn; /* immutable: many threads may use one, each its own context */

/* --- training --------------------------------------------------------------------------------- */

/* Zero in any field means its default. */
typedef struct {
    double radius;        /* 0: 2.0 Angstrom                                                  */
    size_t width, hidden; /* of the convolutions and of the head; 0: 128, 64; 4096 at most    */
    double dropout;       /* in the head; 0: 0.1; below 0: none                               */
    size_t epochs, batch; /* 0: 50 of 128                                                     */
    double rate;          /* of Adam; 0: 1e-3                                                 */
    int constant;         /* the rate stays; 0: it falls to 0 as a cosine                     */
    uint64_t seed;
    uint64_t every;    /* steps between checkpoints within an epoch; 0: none */
    uint64_t patience; /* epochs without a better one; 0: all are run        */
    recon_precision precision;
    int bf16;              /* weights are written in bfloat16: half the file */
    int resume, overwrite; /* see recon_ieae_options */
} recon_gcn_options;

/* Trains on conformers as they are, a class for each molecule, and leaves the epoch that did best
 * on held in path; result->best is its share of mistakes there. Both sets are parts of one whole:
 * their molecules have the same numbers. options may be NULL. */
RECON_API recon_status recon_gcn_train(recon_ctx *ctx, recon_train_result *result,
                                       const recon_molecules *data, const recon_molecules *held,
                                       const char *path, const recon_gcn_options *options);

/* --- answers ---------------------------------------------------------------------------------- */

/* What train left in path. NULL may be closed. */
RECON_API recon_status recon_gcn_open(recon_ctx *ctx, recon_gcn **out, const char *path);
RECON_API void recon_gcn_close(recon_ctx *ctx, recon_gcn *gcn);

/* The network's sizes. */
typedef struct {
    double radius;
    size_t width, hidden, classes, weights;
} recon_gcn_info;
RECON_API recon_gcn_info recon_gcn_describe(const recon_gcn *gcn);

/* Share of a set whose most likely class is its molecule. */
RECON_API recon_status recon_gcn_accuracy(recon_ctx *ctx, double *out, const recon_gcn *gcn,
                                          const recon_molecules *data);

/* Logits of all conformers of a set, rotated by rotations[i] about their middles; NULL: as they are. */
RECON_API recon_status recon_gcn_logits(recon_ctx *ctx, float *out /* [n][classes] */,
                                        const recon_gcn *gcn, const recon_molecules *data,
                                        const recon_so3 *rotations);

#endif
