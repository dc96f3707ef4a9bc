/* clusters.h - rows that belong together, by the graph of their neighbours. */
#ifndef KNN_CLUSTERS_H
#define KNN_CLUSTERS_H

#include <recon/core/ctx.h>

/* The cluster of each of n rows: those that neighbours link more than chance would. Clusters count
 * 0, 1 ... in the order of their first rows; count may be NULL. The same graph gives the same clusters. */
recon_status recon_clusters(recon_ctx *ctx, int64_t *cluster /* [n] */, size_t *count,
                            const int64_t *neighbors /* [n][k] */, size_t n, size_t k);

#endif
