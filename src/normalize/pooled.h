/* pooled.h - verdicts of whole clusters: hundreds of poses tell more than k, and all rows of a
 * cluster get the same answer. */
#ifndef NORMALIZE_POOLED_H
#define NORMALIZE_POOLED_H

#include "normalize/classes.h"
#include "normalize/findings.h"

typedef struct {
    size_t count;
    int64_t
        *cluster; /* [n] of each point of the index; -1: its cluster is too small or too mixed */
    recon_class_verdict *finding; /* [count] */
    double *mean;                 /* [count][group->numbers] */
    double *modes;                /* [count][recon_class_verdict_modes] */
} recon_pooled;

/* Finds the clusters in the graph of the index's neighbours, which must have all rows. If poses of
 * neighbours are more similar than those of the whole cluster, it holds more than one kind of input
 * and is split. Always free the result. */
recon_status recon_pooled_find(recon_ctx *ctx, recon_pooled *out, const recon_embedded *index,
                               const recon_class_table *graph, const recon_mean_options *mean);
void recon_pooled_free(recon_pooled *pooled);

/* Returns the cluster of most of a row's n neighbours; ties go to that of the nearest. */
int64_t recon_pooled_of(const recon_pooled *pooled, const int64_t *neighbors, size_t n);

#endif
