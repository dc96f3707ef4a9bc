/* eig4.h - eigenvectors of symmetric 4x4 matrices.
 *
 * Averages, fits and singular values on SO(3) are all this one problem: sums of q q^T over unit
 * quaternions. A matrix is its upper triangle by rows, RECON_SYM4(i, j) being the place of (i, j).
 * Eigenvalues come in falling order, eigenvectors of unit length and orthogonal to rounding, also
 * where eigenvalues are equal. */
#ifndef STATS_EIG4_H
#define STATS_EIG4_H

#define RECON_SYM4(i, j) ((i) <= (j) ? (i) * (7 - (i)) / 2 + (j) : (j) * (7 - (j)) / 2 + (i))

typedef struct {
    double value[4];
    double vector[4][4]; /* vector[k] belongs to value[k] */
} recon_eig4;

void recon_eig4_of(recon_eig4 *out, const double m[10]);

#endif
