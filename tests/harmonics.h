/* harmonics.h - harmonics of any degree by recursion, and the Wigner matrices that rotate them: what
 * the closed forms of the library are held to.
 *
 * The recursion carries K_l^m = sqrt((2l+1) (2 - [m = 0]) (l-m)!/(l+m)!) P_l^m(y) / sin^m, which is
 * a polynomial in y, and (z + i x)^m = sin^m exp(i m a): no factorials, no angles, and nothing
 * singular at the poles.
 *
 * With C = C(l-1, 1, l) of unit norm, sqrt(2l+1) C is an isometry from degree l into the product of
 * degrees l - 1 and 1 and commutes with rotation, so
 *
 *     D^l[c][d] = (2l+1) sum of C[a][b][c] D^(l-1)[a][e] D^1[b][f] C[e][f][d].
 *
 * The sign of C falls out, isometries keep rounding errors from growing, and C is mostly zeros. */
#ifndef TESTS_HARMONICS_H
#define TESTS_HARMONICS_H

#include <recon/group/clebsch_gordan.h>
#include <recon/group/harmonics.h>
#include <recon/group/so3.h>
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scaled by the largest entry first: squares of 1e-200 would vanish. Returns 0 for
 * the zero vector. */
static inline int harmonics_direction(double u[3], const double v[3])
{
    if (v[0] == 0 && v[1] == 0 && v[2] == 0)
        return 0;
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))); /* 0 beside a NaN */
    double x = v[0] / largest, y = v[1] / largest, z = v[2] / largest;
    double n = sqrt(x * x + y * y + z * z);
    u[0] = x / n, u[1] = y / n, u[2] = z / n;
    return 1;
}

static inline void harmonics_of_nothing(double *out, int count)
{
    out[0] = 1;
    for (int k = 1; k < count; k++)
        out[k] = 0;
}

/* Order m of degrees m .. lmax: c and s are real and imaginary part of (z + i x)^m, k is K_m^m. */
static inline void harmonics_order(double *out, int lmax, int m, double y, double k, double c,
                                   double s)
{
    double before = 0, now = k;
    for (int l = m; l <= lmax; l++) {
        double *middle = out + l * l + l;
        if (m > 0)
            middle[-m] = now * s;
        middle[m] = now * c;
        double n = l + 1, mm = (double)m * m, ll = (double)l * l;
        double up = sqrt((4 * n * n - 1) / (n * n - mm));
        double back = l > m ? sqrt((ll - mm) / (4 * ll - 1)) : 0;
        double next = up * (y * now - back * before);
        before = now, now = next;
    }
}

/* Degrees 0 .. lmax of the direction of v, out [(lmax+1)^2]; degree l begins at l^2. */
static inline void recon_harmonics(double *out, int lmax, const double v[3])
{
    double u[3], k = 1, c = 1, s = 0;
    if (!harmonics_direction(u, v)) {
        harmonics_of_nothing(out, (lmax + 1) * (lmax + 1));
        return;
    }
    for (int m = 0; m <= lmax; m++) {
        harmonics_order(out, lmax, m, u[1], k, c, s);
        double rotated = c * u[2] - s * u[0];
        s = c * u[0] + s * u[2];
        c = rotated;
        k *= sqrt((2 * m + 3.0) / (2 * m + 2.0)) * (m == 0 ? sqrt(2) : 1);
    }
}

/* An entry of C that is not zero. */
typedef struct {
    int a, b, c;
    double value;
} wigner_term;

static inline int wigner_terms(wigner_term *out, const double *tensor, int l)
{
    int n = 0;
    for (int a = 0; a < 2 * l - 1; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 2 * l + 1; c++, tensor++)
                if (*tensor != 0)
                    out[n++] = (wigner_term){ a, b, c, *tensor };
    return n;
}

/* From before, of degree l - 1, to out, of degree l. */
static inline void wigner_raise(double *out, const double *before, const double first[9],
                                const wigner_term *terms, int n, int l)
{
    int rows = 2 * l + 1, old = 2 * l - 1;
    memset(out, 0, (size_t)rows * (size_t)rows * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const wigner_term *p = &terms[i], *q = &terms[j];
            out[p->c * rows + q->c] +=
                rows * p->value * q->value * before[p->a * old + q->a] * first[3 * p->b + q->b];
        }
}

/* d[0] and d[1] change places; the last one is copied out. */
static inline void wigner_climb(double *out, double *d[2], double *tensor, wigner_term *terms,
                                int l, const double first[9])
{
    size_t count = (size_t)(2 * l + 1) * (size_t)(2 * l + 1);
    d[0][0] = 1;
    for (int k = 1; k <= l; k++) {
        double *swap = d[0];
        recon_clebsch_gordan(tensor, k - 1, 1, k);
        wigner_raise(d[1], d[0], first, terms, wigner_terms(terms, tensor, k), k);
        d[0] = d[1], d[1] = swap;
    }
    memcpy(out, d[0], count * sizeof *out);
}

/* The real orthogonal matrix with Y_l(R v) = D^l(R) Y_l(v), out [2l+1][2l+1], row-major. */
static inline recon_status recon_wigner(recon_ctx *ctx, double *out, int l, recon_so3 rotation)
{
    double *d[2] = { NULL, NULL }, *tensor = NULL, first[9];
    wigner_term *terms = NULL;
    recon_status status;
    if (l < 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "a Wigner matrix of degree %d", l);
    size_t size = 2 * (size_t)l + 1;
    RECON_TRY(recon_alloc(ctx, &d[0], size * size, sizeof *d[0]));
    RECON_TRY(recon_alloc(ctx, &d[1], size * size, sizeof *d[1]));
    RECON_TRY(recon_alloc(ctx, &tensor, 3 * size * size, sizeof *tensor));
    RECON_TRY(recon_alloc(ctx, &terms, 3 * size * size, sizeof *terms));
    recon_so3_to_matrix(first, rotation);
    wigner_climb(out, d, tensor, terms, l, first);
done:
    free(d[0]);
    free(d[1]);
    free(tensor);
    free(terms);
    return status;
}

/* y = D x; n is at most that of the last degree. */
static inline void wigner_multiply(double *y, const double *D, const double *x, size_t n)
{
    double sum[2 * RECON_DEGREES - 1];
    for (size_t i = 0; i < n; i++) {
        sum[i] = 0;
        for (size_t j = 0; j < n; j++)
            sum[i] += D[i * n + j] * x[j];
    }
    memcpy(y, sum, n * sizeof *y);
}

/* Rotates rows of features, in [rows][dim] to out; out may be in. */
static inline recon_status recon_irreps_rotate(recon_ctx *ctx, double *out, const double *in,
                                               size_t rows, const recon_irreps *irreps,
                                               recon_so3 rotation)
{
    size_t dim = recon_irreps_dim(irreps);
    double D[(2 * RECON_DEGREES - 1) * (2 * RECON_DEGREES - 1)];
    for (size_t l = 0; l < RECON_DEGREES; l++) {
        size_t begin = recon_irreps_begin(irreps, l), n = recon_degree_size(l);
        recon_status status = recon_wigner(ctx, D, (int)l, rotation);
        if (status != RECON_OK)
            return status;
        for (size_t r = 0; r < rows; r++)
            for (size_t u = 0; u < irreps->mul[l]; u++) {
                size_t at = r * dim + begin + u * n;
                wigner_multiply(out + at, D, in + at, n);
            }
    }
    return RECON_OK;
}

#endif
