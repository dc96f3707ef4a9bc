/* search.h - over prepared points: exact on the host, exact on a device, approximate. */
#ifndef KNN_SEARCH_H
#define KNN_SEARCH_H

#include "knn/points.h"
#include "knn/shortlist.h"
#include <recon/knn/knn.h>

/* out [n][k], nearest first: all pairs of p at half the products, since scores are symmetric. */
recon_status recon_exact_self(recon_ctx *ctx, recon_neighbor *out, const recon_points *p, size_t k,
                              int include_self);

/* out [queries][k]. */
recon_status recon_exact_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                const recon_points *p, size_t k);

/* The same if out already holds the nearest of other points, with a score of minus infinity in
 * unused places (recon_neighbors_clear). Points of p are numbered from `first` on. The caller
 * reports progress. The second one always runs on the host. */
recon_status recon_exact_search_more(recon_ctx *ctx, recon_neighbor *out,
                                     const recon_points *queries, const recon_points *p,
                                     size_t first, size_t k);
recon_status recon_exact_search_on(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                   const recon_points *p, size_t first, size_t k);

/* --- exact search by a backend that has a search of its own (ops.h, nearest): a GPU */

/* Whether the context's backend takes this search: it has one, and the search is large enough. */
int recon_device_takes(recon_ctx *ctx, const recon_points *rows, const recon_points *p, size_t k);

/* As recon_exact_self and recon_exact_search, with the same answer. RECON_ERR_MEMORY where it does
 * not fit there: the host can still do it. */
recon_status recon_device_self(recon_ctx *ctx, recon_neighbor *out, const recon_points *p, size_t k,
                               int include_self);
recon_status recon_device_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                 const recon_points *p, size_t k);

/* --- approximate search by FAISS, its candidates put in order by exact scores */

int recon_approx_is_there(void); /* is there a FAISS? */

/* out [queries][k]. With skip_self the queries are p itself, and a row is not its own neighbour.
 * Measures the recall against exact search on a sample of queries, logs it, and stores it where
 * recall is not NULL. Rows for which too few candidates came back are searched exactly. */
recon_status recon_approx_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                 const recon_points *p, int skip_self, size_t k,
                                 recon_knn_method method, double *recall);

/* --- what every search asks of its options, and how it answers */

/* recon_knn_self and recon_knn_search of points that are prepared already. With a search that is not
 * exact, p has w. */
recon_status recon_knn_points_self(recon_ctx *ctx, int64_t *index, float *score,
                                   const recon_points *p, const recon_knn_options *options);
recon_status recon_knn_points_search(recon_ctx *ctx, int64_t *index, float *score,
                                     const float *queries, size_t m, const recon_points *p,
                                     const recon_knn_options *options);

/* Rows and scores in the caller's form; score may be NULL. */
void recon_knn_answer(int64_t *index, float *score, const recon_neighbor *found, size_t n,
                      recon_metric metric);

/* RECON_ERR_INPUT if the reserved tail is not zero or the metric or method is unknown. */
recon_status recon_knn_options_check(recon_ctx *ctx, const recon_knn_options *options);

#endif
