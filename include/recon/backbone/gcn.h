/* gcn.h - the frozen molecule classifier of the experiments: a graph convolution network.
 *
 * It recognizes molecules by their shape alone, not by their elements, and only in the poses it was
 * trained on. Atoms within a radius are joined; the features of an atom are the mean harmonics
 * (degrees 0 .. 3) of the directions to its neighbours. Three graph convolutions (Kipf and Welling,
 * ICLR 2017) with ReLU, a mean over the atoms and two linear layers compute the logits. */
#ifndef RECON_BACKBONE_GCN_H
#define RECON_BACKBONE_GCN_H

#include <recon/data/molecules.h>
#include <recon/nn/trained.h>
#include <recon/ops/backend.h>

typedef struct recon_gcn recon_gcn; /* immutable: many threads may use one, each its own context */

/* --- training --------------------------------------------------------------------------------- */

/* Zero in any field means its default. */
typedef struct {
    double radius; /* in Angstrom; 0: 2 */
    size_t width,
        hidden;     /* channels of the convolutions and of the head; 0: 128, 64; at most 4096 */
    double dropout; /* in the head; 0: 0.1; negative: none */
    size_t epochs, batch; /* 0: 50 epochs of batches of 128 */
    double rate;          /* learning rate of Adam; 0: 1e-3 */
    int constant;         /* 1: the rate is constant; 0: it follows a cosine to 0 */
    uint64_t seed;
    uint64_t every;    /* steps between checkpoints within an epoch; 0: none */
    uint64_t patience; /* stop after this many epochs without improvement; 0: run all */
    recon_precision precision;
    int bf16;              /* write the weights in bfloat16: half the file size */
    int resume, overwrite; /* see recon_ieae_options */
} recon_gcn_options;

/* Trains on conformers in the poses they have, one class per molecule, and writes the epoch with
 * the lowest error rate on held to path; result->best is that error rate. Both sets must be
 * parts of one whole, with the same numbering of molecules. options may be NULL. */
RECON_API recon_status recon_gcn_train(recon_ctx *ctx, recon_train_result *result,
                                       const recon_molecules *data, const recon_molecules *held,
                                       const char *path, const recon_gcn_options *options);

/* --- answers ---------------------------------------------------------------------------------- */

/* Opens the file that recon_gcn_train wrote. Closing NULL does nothing. */
RECON_API recon_status recon_gcn_open(recon_ctx *ctx, recon_gcn **out, const char *path);
RECON_API void recon_gcn_close(recon_ctx *ctx, recon_gcn *gcn);

/* The network's sizes. */
typedef struct {
    double radius;
    size_t width, hidden, classes, weights;
} recon_gcn_info;
RECON_API recon_gcn_info recon_gcn_describe(const recon_gcn *gcn);

/* The accuracy: the share of conformers whose most likely class is their molecule. */
RECON_API recon_status recon_gcn_accuracy(recon_ctx *ctx, double *out, const recon_gcn *gcn,
                                          const recon_molecules *data);

/* Computes the logits of all conformers, each first rotated by rotations[i] about its centre.
 * rotations may be NULL: the conformers are not rotated. */
RECON_API recon_status recon_gcn_logits(recon_ctx *ctx, float *out /* [n][classes] */,
                                        const recon_gcn *gcn, const recon_molecules *data,
                                        const recon_so3 *rotations);

#endif
