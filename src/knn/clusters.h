/* clusters.h - clusters of rows in the graph of their neighbours. */
#ifndef KNN_CLUSTERS_H
#define KNN_CLUSTERS_H

#include <recon/core/ctx.h>

/* Finds the cluster of each of n rows: rows that are linked more than by chance. A link of a row to
 * itself does not count. Clusters are numbered 0, 1 ... in the order of their first rows; count may
 * be NULL. */
recon_status recon_clusters(recon_ctx *ctx, int64_t *cluster /* [n] */, size_t *count,
                            const int64_t *neighbors /* [n][k] */, size_t n, size_t k);

/* Sorts rows by label, 0 .. count - 1, or -1 for none: the rows with label c are (*row)[(*first)[c]] up to, without
 * it, (*row)[(*first)[c + 1]], in their order. Free both. */
recon_status recon_by_label(recon_ctx *ctx, size_t **row, size_t **first /* [count + 1] */,
                            const int64_t *label, size_t n, size_t count);

#endif
