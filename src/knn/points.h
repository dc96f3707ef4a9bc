/* points.h - embeddings prepared for blocked search, and their exact scores.
 *
 * * A larger score is nearer. Rows are prepared as w: of unit length for cosine; scaled by one
 * power of two, so that nothing overflows, for the inner product; moved to the mean and scaled for
 * Euclidean. The *blocked* score of j seen from i is w_i . w_j - shift_j in single precision, where
 * shift_j is |w_j|^2 / 2 for Euclidean and 0 otherwise. It is off by at most recon_points_error:
 * that is what makes a search in single precision exact.
 *
 * * If the processor multiplies bytes several times faster than floats, there is also a copy of w
 * in bytes, w ~ step * bytes, with an error of length `rest`, known for each row, as a coarse
 * filter.
 *
 * * w is as large as z. Where it is NULL, rows of it are made when a tile needs them: an index that
 * is searched for few queries reads its bytes, and z of what they leave. */
#ifndef KNN_POINTS_H
#define KNN_POINTS_H

#include <math.h>
#include <string.h>
#include <recon/knn/knn.h>

typedef struct {
    const float *z; /* [n][d] as given, lent */
    float *w;       /* [n][d] prepared; NULL: see recon_points_rows */
    float *shift;   /* [n] */
    double *norm;   /* [n] length of z for cosine, of w otherwise */
    double *mean;   /* [d] what was taken off, Euclidean only */
    double scale;   /* the power of two */
    double longest; /* row of w */
    int8_t *bytes;  /* [n][d] or NULL */
    float *step;    /* [n] */
    float *rest;    /* [n] |w - step * bytes| */
    double worst_rest;
    size_t n, d;
    size_t first; /* where row 0 is among all rows, for messages */
    recon_metric metric;
} recon_points;

/* Checks z and prepares it; a message names `what` and the row. For queries, pass the points that
 * they will be compared with as `like`, so that both are shifted and scaled alike. */
recon_status recon_points_make(recon_ctx *ctx, recon_points *out, const float *z, size_t n,
                               size_t d, recon_metric metric, const recon_points *like,
                               const char *what);
/* The same for rows from `first` on of a larger set: ranks hold parts of one. */
recon_status recon_points_make_part(recon_ctx *ctx, recon_points *out, const float *z, size_t n,
                                    size_t d, size_t first, recon_metric metric,
                                    const recon_points *like, const char *what);
void recon_points_free(recon_points *p);

/* Makes the copy in bytes, if there is none and d is at most RECON_BYTE_TERMS. */
recon_status recon_points_round(recon_ctx *ctx, recon_points *p);

/* n rows of w from `begin` on, made from z where there is no w; scratch [n][d]. */
const float *recon_points_rows(const recon_points *p, size_t begin, size_t n, float *scratch);

/* The bytes of n rows of p from `begin` on times those of a query [d], without their steps. */
void recon_points_coarse(int32_t *out, const recon_points *p, size_t begin, size_t n,
                         const int16_t *query);

/* Parts of `like` for data in many pieces: a check that all numbers are finite, the sum of the
 * rows, the length of the longest row minus the mean (may be NULL), and the power of two that
 * scales it to at most 1, which is exact and avoids overflow. */
recon_status recon_points_check(recon_ctx *ctx, const float *z, size_t n, size_t d, size_t first,
                                const char *what);
void recon_points_sum(double *sum /* [d], added to */, const float *z, size_t n, size_t d);
double recon_points_longest(const float *z, size_t n, size_t d, const double *mean);
double recon_points_scale(double longest);

/* The exact score of row j of b seen from row i of a, in double: cosine, inner product, or minus
 * the squared distance. The same bits with i and j exchanged, and for equal rows. */
double recon_points_exact(const recon_points *a, size_t i, const recon_points *b, size_t j);

/* The distance for recon_knn_components, computed from differences, because a similarity near 1 has
 * lost the digits of small distances. */
double recon_row_distance(const float *a, const float *b, size_t d, recon_metric metric);

/* w_i . w_j in single precision: what a tile of the blocked product holds, one at a time. b has w. */
float recon_points_product(const recon_points *a, size_t i, const recon_points *b, size_t j);

/* What the blocked score would be without rounding, given the exact one. */
double recon_points_blocked(const recon_points *a, size_t i, double exact);

/* The bound on |blocked score - recon_points_blocked| for row i of a and any row of b. */
double recon_points_error(const recon_points *a, size_t i, const recon_points *b);

/* The same for the product of bytes against the blocked score itself. */
double recon_points_coarse_error(const recon_points *a, size_t i, const recon_points *b);

/* nextafterf(x, -INFINITY), which is a call: scans lower two floors for each row of a tile. */
static inline float recon_float_below(float x)
{
    uint32_t bits;
    if (!(x > -INFINITY))
        return x; /* NaN too */
    memcpy(&bits, &x, sizeof bits);
    bits = x > 0 ? bits - 1 : x < 0 ? bits + 1 : 0x80000001u;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

#endif
