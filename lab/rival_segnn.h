/* rival_segnn.h - the equivariant encoders of the molecule backbone, narrower, in two uses. That of preset
 * `paper`, a SEGNN (Brandstetter et al., ICLR 2022), has a head of two layers on its invariants and tells
 * which molecule a conformer is of, however that is rotated. That of preset `fast` is the canonicalizer
 * of EquiAdapt (Kaba et al., ICML 2023): it makes a rotation of two of its vectors, which is undone in
 * front of the frozen classifier. */
#ifndef LAB_RIVAL_SEGNN_H
#define LAB_RIVAL_SEGNN_H

#include "backbone/gcn.h"

#include <recon/backbone/gcn.h>
#include <recon/data/molecules.h>
#include <recon/group/so3.h>
#include <recon/nn/trained.h>
#include <recon/ops/backend.h>

typedef struct segnn segnn;

/* Zero in any field means its default. */
typedef struct {
    size_t epochs, batch; /* 0: 10 of 64, of a canonicalizer 128 */
    uint64_t seed;
    recon_precision precision;
    const recon_gcn *frozen; /* what a canonicalizer is trained in front of; NULL: a classifier */
    int resume, overwrite;
} segnn_options;

/* Trains on conformers as they are and leaves the epoch that did best on held in path; result->best is
 * its share of mistakes there, or the frozen classifier's behind it. Both sets are parts of one
 * whole. */
recon_status segnn_train(recon_ctx *ctx, recon_train_result *result, const recon_molecules *data,
                         const recon_molecules *held, const char *path,
                         const segnn_options *options);

/* An untrained one of so many classes, 0: a canonicalizer; for tests. */
recon_status segnn_new(recon_ctx *ctx, segnn **out, size_t classes, recon_precision precision,
                       uint64_t seed);
/* NULL may be closed. */
recon_status segnn_open(recon_ctx *ctx, segnn **out, const char *path);
void segnn_close(recon_ctx *ctx, segnn *net);
size_t segnn_classes(const segnn *net); /* 0: it is a canonicalizer */
size_t segnn_weights(const segnn *net);

/* Logits of n conformers; or how each is rotated. */
recon_status segnn_logits(recon_ctx *ctx, double *out /* [n][classes] */, const segnn *net,
                          const recon_conformer *x, size_t n);
/* Adds to *right how many of them it takes for their molecules. */
recon_status segnn_right(recon_ctx *ctx, size_t *right, const segnn *net, const recon_conformer *x,
                         size_t n);
recon_status segnn_poses(recon_ctx *ctx, recon_so3 *out, const segnn *net, const recon_conformer *x,
                         size_t n);

/* Constants of recon_var_tensor_product: raise[l - 1] makes D^(l+1) of D^l and R, l = 1, 2; undo[l - 1]
 * multiplies by the transpose of D^l, l = 1 .. 3. */
typedef struct {
    recon_var raise[RECON_DEGREES - 2], undo[RECON_DEGREES - 1];
} undo_tables;
recon_status undo_tables_feed(recon_ctx *ctx, recon_tape *tape, undo_tables *out);

/* Which molecule a row belongs to, and back: as for recon_var_gather. */
typedef struct {
    recon_var owner, order, start;
} undo_rows;

/* Rows of harmonics [rows][RECON_HARMONICS], each as seen after the rotation r [n][9] (row-major) of
 * its molecule is undone. */
recon_var undo_rotation(recon_tape *tape, const undo_tables *tables, recon_var harmonics,
                        recon_var r, const undo_rows *rows);

#endif
