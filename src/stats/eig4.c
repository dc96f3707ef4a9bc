/* eig4.c - cyclic Jacobi with a fixed number of sweeps.
 *
 * Without a test for convergence every problem takes the same steps, so that eight of them run in
 * the lanes of one vector register. Convergence is quadratic: of millions of random 4x4 matrices
 * four sweeps leave one at 1e-9, five leave none above rounding. Each rotation zeroes one entry
 * exactly (Golub and Van Loan, Matrix Computations, section 8.5). */
#include "stats/eig4.h"

#include <math.h>
#include <string.h>
#include "core/simd.h"

#define SWEEPS 5
#define TINY   1e-140 /* its square keeps all digits */
#define INLINE static inline __attribute__((always_inline))

/* Zeroes entry (p, q) of m and rotates the eigenvectors p and q along. The other two rows are named r
 * and s so that every index is a constant after inlining. */
INLINE void rotate(double *m, double *v, int p, int q, int r, int s, int lanes)
{
    double *pp = m + RECON_SYM4(p, p) * lanes, *qq = m + RECON_SYM4(q, q) * lanes;
    double *pq = m + RECON_SYM4(p, q) * lanes;
    double *rp = m + RECON_SYM4(r, p) * lanes, *rq = m + RECON_SYM4(r, q) * lanes;
    double *sp = m + RECON_SYM4(s, p) * lanes, *sq = m + RECON_SYM4(s, q) * lanes;
    double *vp = v + 4 * p * lanes, *vq = v + 4 * q * lanes;
    for (int l = 0; l < lanes; l++) {
        double h = qq[l] - pp[l], g = 2 * pq[l], middle = (pp[l] + qq[l]) / 2;
        double root = sqrt(h * h + g * g), apart = h < 0 ? -root : root;
        double far = h + apart; /* (far, g) lies along (cosine, sine), up to its sign */
        double norm = sqrt(far * far + g * g);
        double scale = 1 / (norm > TINY ? norm : TINY);
        double sine = norm > TINY ? scale * g : 0, cosine = norm > TINY ? scale * far : 1;
        double a = rp[l], b = rq[l], c = sp[l], d = sq[l];
        pp[l] = middle - apart / 2;
        qq[l] = middle + apart / 2;
        pq[l] = 0;
        rp[l] = cosine * a - sine * b, rq[l] = sine * a + cosine * b;
        sp[l] = cosine * c - sine * d, sq[l] = sine * c + cosine * d;
        double v0 = vp[l], v1 = vp[lanes + l], v2 = vp[2 * lanes + l], v3 = vp[3 * lanes + l];
        double w0 = vq[l], w1 = vq[lanes + l], w2 = vq[2 * lanes + l], w3 = vq[3 * lanes + l];
        vp[l] = cosine * v0 - sine * w0, vq[l] = sine * v0 + cosine * w0;
        vp[lanes + l] = cosine * v1 - sine * w1, vq[lanes + l] = sine * v1 + cosine * w1;
        vp[2 * lanes + l] = cosine * v2 - sine * w2, vq[2 * lanes + l] = sine * v2 + cosine * w2;
        vp[3 * lanes + l] = cosine * v3 - sine * w3, vq[3 * lanes + l] = sine * v3 + cosine * w3;
    }
}

/* Puts the larger of two eigenvalues first. */
INLINE void order(double *m, double *v, int p, int q, int lanes)
{
    double *a = m + RECON_SYM4(p, p) * lanes, *b = m + RECON_SYM4(q, q) * lanes;
    for (int i = 0; i < 4; i++) {
        double *x = v + (4 * p + i) * lanes, *y = v + (4 * q + i) * lanes;
        for (int l = 0; l < lanes; l++) {
            double s = x[l], t = y[l];
            x[l] = a[l] < b[l] ? t : s;
            y[l] = a[l] < b[l] ? s : t;
        }
    }
    for (int l = 0; l < lanes; l++) {
        double s = a[l], t = b[l];
        a[l] = s < t ? t : s;
        b[l] = s < t ? s : t;
    }
}

INLINE void solve(double *value, double *v, double *m, int lanes)
{
    for (int i = 0; i < 16 * lanes; i++)
        v[i] = i / lanes % 5 == 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate(m, v, 0, 1, 2, 3, lanes);
        rotate(m, v, 2, 3, 0, 1, lanes);
        rotate(m, v, 0, 2, 1, 3, lanes);
        rotate(m, v, 1, 3, 0, 2, lanes);
        rotate(m, v, 0, 3, 1, 2, lanes);
        rotate(m, v, 1, 2, 0, 3, lanes);
    }
    order(m, v, 0, 1, lanes);
    order(m, v, 2, 3, lanes);
    order(m, v, 0, 2, lanes);
    order(m, v, 1, 3, lanes);
    order(m, v, 1, 2, lanes);
    for (int k = 0; k < 4; k++)
        for (int l = 0; l < lanes; l++)
            value[k * lanes + l] = m[RECON_SYM4(k, k) * lanes + l];
}

void recon_eig4_one(recon_eig4 *out, const double m[10])
{
    double work[10];
    memcpy(work, m, sizeof work);
    solve(out->value, out->vector[0], work, 1);
}

/* Through arrays of its own: the compiler then knows that nothing overlaps. */
RECON_CLONES
void recon_eig4_many(recon_eig4_lanes *out, double m[10][RECON_LANES])
{
    double value[4 * RECON_LANES], vector[16 * RECON_LANES], work[10 * RECON_LANES];
    memcpy(work, m, sizeof work);
    solve(value, vector, work, RECON_LANES);
    memcpy(out->value, value, sizeof value);
    memcpy(out->vector, vector, sizeof vector);
}
