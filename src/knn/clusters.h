/* clusters.h - clusters of rows in the graph of their neighbours. */
#ifndef KNN_CLUSTERS_H
#define KNN_CLUSTERS_H

#include <recon/core/ctx.h>

/* Finds the cluster of each of n rows: rows that are linked more than by chance. Clusters are
 * numbered 0, 1 ... in the order of their first rows; count may be NULL. */
recon_status recon_clusters(recon_ctx *ctx, int64_t *cluster /* [n] */, size_t *count,
                            const int64_t *neighbors /* [n][k] */, size_t n, size_t k);

#endif
