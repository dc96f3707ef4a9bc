/* eig4.h - eigenvectors of symmetric 4x4 matrices.
 *
 * Averages, fits and singular values on SO(3) all reduce to this problem, for sums of q q^T over
 * unit quaternions. A matrix is stored as its upper triangle by rows, with (i, j) at RECON_SYM4(i,
 * j). Eigenvalues are in falling order; eigenvectors have unit length and are orthogonal to
 * rounding, even if eigenvalues are equal. */
#ifndef STATS_EIG4_H
#define STATS_EIG4_H

#define RECON_SYM4(i, j) ((i) <= (j) ? (i) * (7 - (i)) / 2 + (j) : (j) * (7 - (j)) / 2 + (i))

typedef struct {
    double value[4];
    double vector[4][4]; /* vector[k] belongs to value[k] */
} recon_eig4;

void recon_eig4_of(recon_eig4 *out, const double m[10]);

#endif
