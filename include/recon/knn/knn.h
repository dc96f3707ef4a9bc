/* knn.h - nearest neighbours of embeddings, exact by default.
 *
 * Exact means: the answer is that of comparing every pair in double precision, ties going to the
 * lower index, on every backend and any number of threads. The work is done by blocked matrix
 * products in single precision whose error is bounded; whatever the bound cannot decide is compared
 * again in double. Nothing of size n x n is ever stored. */
#ifndef RECON_KNN_KNN_H
#define RECON_KNN_KNN_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/ctx.h>

typedef enum {
    RECON_COSINE = 0, /* score: cosine similarity, larger is nearer; zero vectors are refused */
    RECON_DOT,        /* score: inner product, larger is nearer                               */
    RECON_EUCLIDEAN   /* score: distance, smaller is nearer                                   */
} recon_metric;

typedef enum {
    RECON_KNN_AUTO =
        0, /* exact up to RECON_KNN_EXACT_ROWS rows, then IVF where FAISS was built in */
    RECON_KNN_EXACT,
    RECON_KNN_IVF, /* FAISS, inverted lists */
    RECON_KNN_HNSW /* FAISS, navigable graph */
} recon_knn_method;

#define RECON_KNN_EXACT_ROWS 1000000

/* Zero means the default, except k: a search needs options. */
typedef struct {
    size_t k; /* neighbours wanted */
    recon_metric metric;
    recon_knn_method method;
    int include_self; /* recon_knn_self: count a point as its own neighbour */
    /* Out, may be NULL: the share of true neighbours found, 1 for an exact search. Measured on a
     * sample of rows, also logged, when the search was approximate. */
    double *recall;
    uint64_t reserved[RECON_RESERVED];
} recon_knn_options;

/* For each of the n rows of z its k nearest other rows, nearest first.
 * index [n][k], score [n][k] or NULL, z [n][d]. Needs k <= n - 1 (k <= n with include_self). */
RECON_API recon_status recon_knn_self(recon_ctx *ctx, int64_t *index, float *score, const float *z,
                                      size_t n, size_t d, const recon_knn_options *options);

/* For each of the m queries its k nearest rows of z. index [m][k], score [m][k] or NULL. */
RECON_API recon_status recon_knn_search(recon_ctx *ctx, int64_t *index, float *score,
                                        const float *queries, size_t m, const float *z, size_t n,
                                        size_t d, const recon_knn_options *options);

/* The paper's formal classes: connected components of the graph that joins two rows when their
 * distance is below eps. RECON_EUCLIDEAN takes the distance of the rows, RECON_COSINE that of the
 * rows scaled to length one, sqrt(2 - 2 cos); RECON_DOT is refused.
 * label [n] counts 0, 1, ... in the order of each component's first row; *count is their number. */
RECON_API recon_status recon_knn_components(recon_ctx *ctx, int64_t *label, size_t *count,
                                            const float *z, size_t n, size_t d, recon_metric metric,
                                            double eps);

#endif
