/* pooled.h - clusters of points whose poses have one law, and what these say about their natural poses: hundreds
 * of poses tell more than k, and rows of one cluster get one answer. */
#ifndef NORMALIZE_POOLED_H
#define NORMALIZE_POOLED_H

#include "normalize/classes.h"
#include "normalize/findings.h"

/* The cluster of each point, 0 .. *count - 1 in the order of first members. The communities of the graph of
 * mutual neighbours are split where the parts' poses are clearly likelier by laws of their own, and those that
 * neighbours link are joined where one law fits both, in each of one or two frames of poses. */
typedef struct {
    const recon_group *group;
    size_t n, k;
    const int64_t *neighbors; /* [n][k] */
    const size_t *used;       /* [n] how many of these count, or NULL: all */
    const double *poses[2];   /* [n] each; the second may be NULL */
} recon_clustering;
recon_status recon_pooled_clusters(recon_ctx *ctx, int64_t *cluster, size_t *count,
                                   const recon_clustering *of);

/* Looks for a symmetry that the poses of n members, ascending, of one cluster repeat; some of them are given. None is
 * named where neighbours take the same one of the equivalent poses more often than chance: then the cluster is of several
 * kinds, or the embedding knows the pose. center is as group->center made it. */
recon_status recon_pooled_name(recon_ctx *ctx, recon_center *center, const recon_clustering *of,
                               int frame, const size_t *member, size_t n, const double *some,
                               size_t n_some);

typedef struct {
    size_t count;
    int64_t *cluster;             /* [n] of each point of the index; -1: one too small to speak */
    recon_class_verdict *finding; /* [count] of its poses                    */
    double *mean;                 /* [count][group->numbers]                 */
    double *modes;                /* [count][recon_class_verdict_modes], see there */
} recon_pooled;

/* Of the graph of the index's neighbours, which holds all rows. Free always. */
recon_status recon_pooled_find(recon_ctx *ctx, recon_pooled *out, const recon_embedded *index,
                               const recon_class_table *graph,
                               const recon_normalize_options *options);
void recon_pooled_free(recon_pooled *pooled);

/* The cluster of most of a row's n neighbours, of equals the nearest one's. */
int64_t recon_pooled_of(const recon_pooled *pooled, const int64_t *neighbors, size_t n);

#endif
