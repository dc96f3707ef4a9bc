/* molecule_frame.h - rotations on a tape: made from two vectors, applied, compared. */
#ifndef BACKBONE_MOLECULE_FRAME_H
#define BACKBONE_MOLECULE_FRAME_H

#include <recon/group/so3.h>
#include <recon/nn/tape.h>

/* Constants for recon_var_tensor_product: cross [3][3][3] computes a x b; act [3][9][3] computes M
 * a for a row-major matrix M. They are fed, since a recorded step must not copy. */
typedef struct {
    recon_var cross, act;
} recon_molecule_tables;
recon_status recon_molecule_tables_feed(recon_tape *tape, recon_molecule_tables *out);

/* y [n][3][3], vectors as columns: *r [n][9], the rotation whose columns are those of Gram-Schmidt
 * on the first two and their cross product; *shift [n][3], the third. Vectors that are zero or
 * parallel leave columns of zero, and get no gradient. */
void recon_molecule_frame(recon_tape *tape, const recon_molecule_tables *tables, recon_var y,
                          recon_var *r, recon_var *shift);

/* The same on the host, in double; vectors without a frame give an arbitrary rotation. */
recon_so3 recon_molecule_frame_of(const double y[9]);

/* Applies r to x [n][u][3], row by row. With rotations for x it computes r r'^T, in the same
 * shape. */
recon_var recon_molecule_act(recon_tape *tape, const recon_molecule_tables *tables, recon_var r,
                             recon_var x);

/* |sin(angle / 2)| of the rotation between r [n][9] and the constant s [n][9], weighted and summed
 * to one number; weight [1][n]. It is |r - s| / (2 sqrt 2). */
recon_var recon_molecule_apart(recon_tape *tape, recon_var r, recon_var s, recon_var weight);

#endif
