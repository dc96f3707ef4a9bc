/* molecule_frame.h - rotations on a tape: made of two vectors, applied, compared. */
#ifndef BACKBONE_MOLECULE_FRAME_H
#define BACKBONE_MOLECULE_FRAME_H

#include <recon/group/so3.h>
#include <recon/nn/tape.h>

/* Constants of recon_var_tensor_product: cross [3][3][3] makes a x b, act [3][9][3] M a of a matrix
 * M that is given row by row. Fed, since a recorded step may not copy. */
typedef struct {
    recon_var cross, act;
} recon_molecule_tables;
recon_status recon_molecule_tables_feed(recon_tape *tape, recon_molecule_tables *out);

/* y [n][3][3], vectors as columns: *r [n][9], the rotation whose columns are those of Gram-Schmidt
 * on the first two and their cross product; *shift [n][3], the third. Vectors that are zero or
 * parallel leave columns of zero, and get no gradient. */
void recon_molecule_frame(recon_tape *tape, const recon_molecule_tables *tables, recon_var y,
                          recon_var *r, recon_var *shift);

/* The same on the host, in double; what has no frame gets some rotation. */
recon_so3 recon_molecule_frame_of(const double y[9]);

/* x [n][u][3] to r x, row by row. With r for x: r r'^T of two sets, in the same shape. */
recon_var recon_molecule_act(recon_tape *tape, const recon_molecule_tables *tables, recon_var r,
                             recon_var x);

/* |sin(angle / 2)| of the rotation between r [n][9] and the constant s [n][9], weighted and summed to
 * one number; weight [1][n]. It is |r - s| / (2 sqrt 2). */
recon_var recon_molecule_apart(recon_tape *tape, recon_var r, recon_var s, recon_var weight);

#endif
