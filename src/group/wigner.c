/* wigner.c - Wigner matrices, degree by degree.
 *
 * With C = C(l-1, 1, l) of unit norm, sqrt(2l+1) C is an isometry from degree l into the product of
 * degrees l - 1 and 1 and commutes with rotation, so
 *
 *     D^l[c][d] = (2l+1) sum of C[a][b][c] D^(l-1)[a][e] D^1[b][f] C[e][f][d].
 *
 * The sign of C falls out, isometries keep rounding errors from growing, and C is mostly zeros. */
#include <recon/group/wigner.h>
#include <recon/group/clebsch_gordan.h>
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* An entry of C that is not zero. */
typedef struct {
    int a, b, c;
    double value;
} term;

static int collect(term *out, const double *tensor, int l)
{
    int n = 0;
    for (int a = 0; a < 2 * l - 1; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 2 * l + 1; c++, tensor++)
                if (*tensor != 0)
                    out[n++] = (term){ a, b, c, *tensor };
    return n;
}

/* From before, of degree l - 1, to out, of degree l. */
static void raise(double *out, const double *before, const double first[9], const term *terms,
                  int n, int l)
{
    int rows = 2 * l + 1, old = 2 * l - 1;
    memset(out, 0, (size_t)rows * (size_t)rows * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const term *p = &terms[i], *q = &terms[j];
            out[p->c * rows + q->c] +=
                rows * p->value * q->value * before[p->a * old + q->a] * first[3 * p->b + q->b];
        }
}

/* d[0] and d[1] change places; the last one is copied out. */
static void climb(double *out, double *d[2], double *tensor, term *terms, int l,
                  const double first[9])
{
    size_t count = (size_t)(2 * l + 1) * (size_t)(2 * l + 1);
    d[0][0] = 1;
    for (int k = 1; k <= l; k++) {
        double *swap = d[0];
        recon_clebsch_gordan(tensor, k - 1, 1, k);
        raise(d[1], d[0], first, terms, collect(terms, tensor, k), k);
        d[0] = d[1], d[1] = swap;
    }
    memcpy(out, d[0], count * sizeof *out);
}

recon_status recon_wigner(recon_ctx *ctx, double *out, int l, recon_so3 rotation)
{
    double *d[2] = { NULL, NULL }, *tensor = NULL, first[9];
    term *terms = NULL;
    recon_status status;
    if (l < 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "a Wigner matrix of degree %d", l);
    size_t size = 2 * (size_t)l + 1;
    RECON_TRY(recon_alloc(ctx, &d[0], size * size, sizeof *d[0]));
    RECON_TRY(recon_alloc(ctx, &d[1], size * size, sizeof *d[1]));
    RECON_TRY(recon_alloc(ctx, &tensor, 3 * size * size, sizeof *tensor));
    RECON_TRY(recon_alloc(ctx, &terms, 3 * size * size, sizeof *terms));
    recon_so3_to_matrix(first, rotation);
    climb(out, d, tensor, terms, l, first);
done:
    free(d[0]);
    free(d[1]);
    free(tensor);
    free(terms);
    return status;
}

/* y = D x; n is at most that of the last degree. */
static void multiply(double *y, const double *D, const double *x, size_t n)
{
    double sum[2 * RECON_DEGREES - 1];
    for (size_t i = 0; i < n; i++) {
        sum[i] = 0;
        for (size_t j = 0; j < n; j++)
            sum[i] += D[i * n + j] * x[j];
    }
    memcpy(y, sum, n * sizeof *y);
}

recon_status recon_irreps_rotate(recon_ctx *ctx, double *out, const double *in, size_t rows,
                                 const recon_irreps *irreps, recon_so3 rotation)
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
                multiply(out + at, D, in + at, n);
            }
    }
    return RECON_OK;
}
