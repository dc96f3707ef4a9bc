/* eig4.c - cyclic Jacobi with a fixed number of sweeps.
 *
 * Convergence is quadratic: of millions of random 4x4 matrices four sweeps leave one at 1e-9, five leave
 * none above rounding. Each rotation zeroes one entry exactly (Golub and Van Loan, Matrix Computations,
 * section 8.5). */
#include "stats/eig4.h"

#include <math.h>
#include <string.h>

#define SWEEPS 5
#define TINY   1e-140 /* its square keeps all digits */
#define INLINE static inline __attribute__((always_inline))

/* Zeroes entry (p, q) of m and rotates the eigenvectors p and q along. The other two rows are named r
 * and s so that every index is a constant after inlining. */
INLINE void rotate(double *m, double v[4][4], int p, int q, int r, int s)
{
    double *pp = m + RECON_SYM4(p, p), *qq = m + RECON_SYM4(q, q), *pq = m + RECON_SYM4(p, q);
    double *rp = m + RECON_SYM4(r, p), *rq = m + RECON_SYM4(r, q);
    double *sp = m + RECON_SYM4(s, p), *sq = m + RECON_SYM4(s, q);
    double h = *qq - *pp, g = 2 * *pq, middle = (*pp + *qq) / 2;
    double root = sqrt(h * h + g * g), apart = h < 0 ? -root : root;
    double far = h + apart; /* (far, g) lies along (cosine, sine), up to its sign */
    double norm = sqrt(far * far + g * g);
    double scale = 1 / (norm > TINY ? norm : TINY);
    double sine = norm > TINY ? scale * g : 0, cosine = norm > TINY ? scale * far : 1;
    double a = *rp, b = *rq, c = *sp, d = *sq;
    *pp = middle - apart / 2;
    *qq = middle + apart / 2;
    *pq = 0;
    *rp = cosine * a - sine * b, *rq = sine * a + cosine * b;
    *sp = cosine * c - sine * d, *sq = sine * c + cosine * d;
    for (int i = 0; i < 4; i++) {
        double x = v[p][i], y = v[q][i];
        v[p][i] = cosine * x - sine * y, v[q][i] = sine * x + cosine * y;
    }
}

/* Puts the larger of two eigenvalues first. */
INLINE void order(double *value, double v[4][4], int p, int q)
{
    double a = value[p], b = value[q];
    if (!(a < b))
        return;
    value[p] = b, value[q] = a;
    for (int i = 0; i < 4; i++) {
        double x = v[p][i];
        v[p][i] = v[q][i], v[q][i] = x;
    }
}

void recon_eig4_of(recon_eig4 *out, const double symmetric[10])
{
    double m[10], (*v)[4] = out->vector;
    memcpy(m, symmetric, sizeof m);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 4; i++)
            v[k][i] = i == k;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate(m, v, 0, 1, 2, 3);
        rotate(m, v, 2, 3, 0, 1);
        rotate(m, v, 0, 2, 1, 3);
        rotate(m, v, 1, 3, 0, 2);
        rotate(m, v, 0, 3, 1, 2);
        rotate(m, v, 1, 2, 0, 3);
    }
    for (int k = 0; k < 4; k++)
        out->value[k] = m[RECON_SYM4(k, k)];
    order(out->value, v, 0, 1);
    order(out->value, v, 2, 3);
    order(out->value, v, 0, 2);
    order(out->value, v, 1, 3);
    order(out->value, v, 1, 2);
}
