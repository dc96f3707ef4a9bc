/* ring.h - exact search over ranks (comm/comm.h): every rank holds a part of the rows.
 *
 * Rank r holds the rows recon_comm_share(ctx, r, n, RECON_TILE). z is where row 0 of all would be:
 * a rank touches its own rows alone, so that a mapped file is read by its part. Answers are for the
 * rank's own rows, and have the bits of one process: they are exact on any number of ranks.
 *
 * Rows travel in pieces while the rank works on the piece before. For all pairs of one set each pair
 * of ranks meets once: whoever computes a tile serves its rows and its columns, and what was found
 * for a visitor's rows goes home. */
#ifndef KNN_RING_H
#define KNN_RING_H

#include "knn/shortlist.h"

/* A rank's own part of z, and the mean and scale that all parts share, as `like`. Free both always. */
recon_status recon_ring_prepare(recon_ctx *ctx, recon_points *own, recon_points *like,
                                const float *z, size_t n, size_t d, recon_metric metric,
                                const char *what);

/* out [own rows][k]; options as for recon_knn_self, which is exact here. */
recon_status recon_ring_self(recon_ctx *ctx, recon_neighbor *out, const float *z, size_t n,
                             size_t d, const recon_knn_options *options);

/* out [own queries][k]. The m queries are shared out like rows, and `queries` are the own ones. */
recon_status recon_ring_search(recon_ctx *ctx, recon_neighbor *out, const float *queries, size_t m,
                               const float *z, size_t n, size_t d,
                               const recon_knn_options *options);

/* As recon_knn_components, the whole answer at every rank. */
recon_status recon_ring_components(recon_ctx *ctx, int64_t *label, size_t *count, const float *z,
                                   size_t n, size_t d, recon_metric metric, double eps);

/* Rows of z that other ranks may hold: out [m][d] are rows which[m]. */
recon_status recon_ring_rows(recon_ctx *ctx, float *out, const int64_t *which, size_t m,
                             const float *z, size_t n, size_t d);

#endif
