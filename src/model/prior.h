/* prior.h (private) - what another model holds for upright, cluster by cluster.
 *
 * A model that has learned from other inputs knows how such things usually lie, which may be true of these or
 * not. It is asked about single inputs; of a cluster what most of its members are told is believed. */
#ifndef MODEL_PRIOR_H
#define MODEL_PRIOR_H

#include <recon/model/discover.h>

/* The centre of n poses of one cluster; returns whether most of them lie near it. */
recon_status recon_prior_center(recon_ctx *ctx, int *agree, double *center,
                                const recon_group *group, const double *poses, size_t n);

/* Where the natural poses of these points, of clusters of[n] (-1: of none), lie if poses [n] say so of each.
 * Those clusters are left out of which they do not agree. Free *out. */
recon_status recon_prior_compare(recon_ctx *ctx, recon_prior_cluster **out, size_t *count,
                                 const recon_group *group, const double *poses, const int64_t *of,
                                 size_t n, size_t clusters);

#endif
