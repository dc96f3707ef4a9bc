/* exact.h - exact search over prepared points. */
#ifndef KNN_EXACT_H
#define KNN_EXACT_H

#include "knn/points.h"
#include "knn/shortlist.h"

/* out [n][k], nearest first: all pairs of p at half the products, since scores are symmetric. */
recon_status recon_exact_self(recon_ctx *ctx, recon_neighbor *out, const recon_points *p, size_t k,
                              int include_self);

/* out [queries][k]. */
recon_status recon_exact_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                const recon_points *p, size_t k);

/* The same where out holds the nearest of other points already, unused places having a score of minus
 * infinity (recon_neighbors_clear). Those of p are counted from `first` on. Progress is the caller's
 * to count. The second one is always the host's. */
recon_status recon_exact_search_more(recon_ctx *ctx, recon_neighbor *out,
                                     const recon_points *queries, const recon_points *p,
                                     size_t first, size_t k);
recon_status recon_exact_search_on(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                   const recon_points *p, size_t first, size_t k);

#endif
