/* knn.h - nearest neighbours of embeddings, exact by default.
 *
 * Exact means that the result is the same as comparing every pair in double precision, with ties
 * going to the lower index, on every backend and any number of threads. Blocked matrix products in
 * single precision do the work; their error is bounded, and pairs that the bound cannot decide are
 * compared again in double. Nothing of size n x n is ever stored. */
#ifndef RECON_KNN_KNN_H
#define RECON_KNN_KNN_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/ctx.h>

typedef enum {
    RECON_COSINE = 0, /* score: cosine similarity, larger is nearer; zero vectors are refused */
    RECON_DOT,        /* score: inner product, larger is nearer */
    RECON_EUCLIDEAN   /* score: distance, smaller is nearer */
} recon_metric;

typedef enum {
    RECON_KNN_AUTO = 0, /* exact up to RECON_KNN_EXACT_ROWS rows, then IVF in builds with FAISS */
    RECON_KNN_EXACT,
    RECON_KNN_IVF, /* FAISS, inverted lists */
    RECON_KNN_HNSW /* FAISS, navigable graph */
} recon_knn_method;

#define RECON_KNN_EXACT_ROWS 1000000

/* Zero means the default, but k is required. */
typedef struct {
    size_t k; /* the number of neighbours */
    recon_metric metric;
    recon_knn_method method;
    int include_self; /* recon_knn_self: count a point as its own neighbour */
    /* Output, may be NULL: the share of true neighbours that were found, 1 for an exact search. For
     * an approximate search it is measured on a sample of rows, and logged. */
    double *recall;
    uint64_t reserved[RECON_RESERVED];
} recon_knn_options;

/* Finds, for each of the n rows of z, its k nearest other rows, nearest first. index is [n][k],
 * score [n][k] or NULL, z [n][d]. Needs k <= n - 1 (k <= n with include_self). */
RECON_API recon_status recon_knn_self(recon_ctx *ctx, int64_t *index, float *score, const float *z,
                                      size_t n, size_t d, const recon_knn_options *options);

/* Finds, for each of the m queries, its k nearest rows of z. index is [m][k], score [m][k] or
 * NULL. */
RECON_API recon_status recon_knn_search(recon_ctx *ctx, int64_t *index, float *score,
                                        const float *queries, size_t m, const float *z, size_t n,
                                        size_t d, const recon_knn_options *options);

/* Finds the paper's formal classes: the connected components of the graph that joins two rows if
 * their distance is below eps. RECON_EUCLIDEAN uses the distance of the rows, RECON_COSINE that of
 * the rows scaled to length one, sqrt(2 - 2 cos); RECON_DOT is refused. label [n] numbers the
 * components 0, 1, ... in the order of their first rows; *count receives their number. */
RECON_API recon_status recon_knn_components(recon_ctx *ctx, int64_t *label, size_t *count,
                                            const float *z, size_t n, size_t d, recon_metric metric,
                                            double eps);

#endif
