/* pooled.h - what the clusters of the index say about their natural poses: hundreds of poses tell more
 * than k, and rows of one cluster get one answer. */
#ifndef NORMALIZE_POOLED_H
#define NORMALIZE_POOLED_H

#include "normalize/classes.h"
#include "normalize/findings.h"

typedef struct {
    size_t count;
    int64_t *cluster; /* [n] of each point of the index; -1: one too small or too mixed to speak */
    recon_class_verdict *finding; /* [count] of its poses                    */
    double *mean;                 /* [count][group->numbers]                 */
    double *modes;                /* [count][recon_class_verdict_modes], see there */
} recon_pooled;

/* Clusters of the graph of the index's neighbours, which holds all rows. Where the poses of
 * neighbours are more alike than those of a whole cluster it holds more than one kind, and is split.
 * Free always. */
recon_status recon_pooled_find(recon_ctx *ctx, recon_pooled *out, const recon_embedded *index,
                               const recon_class_table *graph, const recon_mean_options *mean);
void recon_pooled_free(recon_pooled *pooled);

/* The cluster of most of a row's n neighbours, of equals the nearest one's. */
int64_t recon_pooled_of(const recon_pooled *pooled, const int64_t *neighbors, size_t n);

#endif
