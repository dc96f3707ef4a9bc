/* whiten.c - see whiten.h. */
#include "model/whiten.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ADDED   0.1  /* of the mean variance, in every direction, */
#define ROUNDED 1e-8 /* and at least of the mean square: what varies less is rounding */

size_t recon_whiten_count(size_t d)
{
    return d <= RECON_WHITEN_MOST ? d * d : d;
}

/* --- found ------------------------------------------------------------------------------------ */

typedef struct {
    const double *x; /* [n][d] with mean 0 */
    size_t n, d;
    double *c; /* [d][d], the lower triangle is used */
} sums;

/* Row i of the covariance, its diagonal alone where there is no room for more. */
static recon_status sum_row(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const sums *s = arg;
    size_t whole = s->d <= RECON_WHITEN_MOST;
    size_t from = whole ? 0 : i;
    double *to = s->c + (whole ? i * s->d : 0);
    (void)ctx, (void)worker;
    for (size_t r = 0; r < s->n; r++) {
        const double *x = s->x + r * s->d;
        for (size_t j = from; j <= i; j++)
            to[j] += x[i] * x[j] / (double)s->n;
    }
    return RECON_OK;
}

static void centre(double *x, const float *z, size_t n, size_t d)
{
    for (size_t j = 0; j < d; j++) {
        double mean = 0;
        for (size_t r = 0; r < n; r++)
            mean += z[r * d + j];
        mean /= (double)n;
        for (size_t r = 0; r < n; r++)
            x[r * d + j] = z[r * d + j] - mean;
    }
}

static double mean_square(const float *z, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)z[i] * (double)z[i];
    return sum / (double)count;
}

/* What is added to a variance; above 0, so that the inverse of its root is a float even where all
 * points are one. */
static double addition(const double *c, size_t d, size_t step, double square)
{
    double mean = 0;
    for (size_t i = 0; i < d; i++)
        mean += c[i * step] / (double)d;
    return fmax(fmax(ADDED * mean, ROUNDED * square), (double)FLT_MIN);
}

/* L of c = L L^T, in the lower triangle in place. */
static void factor(double *c, size_t d)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = c[i * d + j];
            for (size_t k = 0; k < j; k++)
                sum -= c[i * d + k] * c[j * d + k];
            c[i * d + j] = i == j ? sqrt(sum) : sum / c[j * d + j];
        }
}

/* The transposed inverse of L: column by column of the inverse, each a row of out. */
static void invert(float *out, double *row, const double *l, size_t d)
{
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < d; i++) {
            double sum = i == j;
            for (size_t k = j; k < i; k++)
                sum -= l[i * d + k] * row[k];
            row[i] = i < j ? 0 : sum / l[i * d + i];
            out[j * d + i] = (float)row[i];
        }
    }
}

recon_status recon_whiten_find(recon_ctx *ctx, float *out, const float *z, size_t n, size_t d)
{
    size_t count = recon_whiten_count(d), step = d <= RECON_WHITEN_MOST ? d + 1 : 1;
    double *x = NULL, *c = NULL, *row = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &x, n * d, sizeof *x));
    RECON_TRY(recon_alloc(ctx, &c, count, sizeof *c));
    RECON_TRY(recon_alloc(ctx, &row, d, sizeof *row));
    centre(x, z, n, d);
    RECON_TRY(recon_parallel(ctx, sum_row, &(sums){ x, n, d, c }, d));
    double more = addition(c, d, step, mean_square(z, n * d));
    for (size_t i = 0; i < d; i++)
        c[i * step] += more;
    if (step > 1) {
        factor(c, d);
        invert(out, row, c, d);
    } else {
        for (size_t i = 0; i < d; i++)
            out[i] = (float)(1 / sqrt(c[i]));
    }
done:
    recon_free_all(row, c, x);
    return status;
}

/* --- applied ---------------------------------------------------------------------------------- */

enum { ROWS = RECON_BLOCK_WHITEN };

typedef struct {
    float *out;
    const float *z, *u;
    size_t n, d;
    float scale;
} product;

static void multiply(float *restrict out, const product *p, const float *z)
{
    const float *u = p->u;
    size_t d = p->d;
    memset(out, 0, d * sizeof *out);
    for (size_t j = 0; j < d; j++) {
        float x = p->scale * z[j];
        if (d > RECON_WHITEN_MOST)
            out[j] = x * u[j];
        else
            for (size_t i = j; i < d; i++)
                out[i] += x * u[j * d + i];
    }
}

static recon_status multiply_some(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const product *p = arg;
    (void)ctx, (void)worker;
    for (size_t i = task * ROWS; i < (task + 1) * ROWS && i < p->n; i++)
        multiply(p->out + i * p->d, p, p->z + i * p->d);
    return RECON_OK;
}

recon_status recon_whiten(recon_ctx *ctx, float *out, const float *z, size_t n, size_t d,
                          const float *u, float scale)
{
    product p = { out, z, u, n, d, scale };
    return recon_parallel(ctx, multiply_some, &p, (n + ROWS - 1) / ROWS);
}
