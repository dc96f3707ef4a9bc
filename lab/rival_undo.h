/* rival_undo.h - a rotation undone in front of the frozen classifier of molecules, with a gradient.
 *
 * All that the classifier sees of a pose are mean harmonics of degrees 0 .. 3, and those of R^-1 x are
 * D(R)^T times those of x. D^1 is R, and D^(l+1) is bilinear in D^l and R (Clebsch-Gordan), so its loss
 * reaches R through recon_var_tensor_product: no geometry is computed anew. */
#ifndef LAB_RIVAL_UNDO_H
#define LAB_RIVAL_UNDO_H

#include "backbone/gcn.h"

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
