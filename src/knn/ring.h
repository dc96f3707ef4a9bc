/* ring.h - exact search over ranks (comm/comm.h): every rank holds a part of the rows.
 *
 * Rank r holds the rows recon_comm_share(ctx, r, n, RECON_TILE). z points to where row 0 of all
 * would be; a rank only accesses its own rows, so that it reads only its part of a mapped file.
 * Results are for the rank's own rows, and have the bits of a single process on any number of
 * ranks.
 *
 * Rows are sent in pieces while the rank works on the previous piece. For all pairs of one set,
 * each pair of ranks meets once: a tile serves its rows and its columns, and the results for a
 * visitor's rows are sent back. */
#ifndef KNN_RING_H
#define KNN_RING_H

#include "knn/shortlist.h"

/* Prepares a rank's part of z, and in `like` the mean and scale of all parts. Always free both. */
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

/* Like recon_knn_components, with the whole result on every rank. */
recon_status recon_ring_components(recon_ctx *ctx, int64_t *label, size_t *count, const float *z,
                                   size_t n, size_t d, recon_metric metric, double eps);

/* Fetches rows which[m] of z, which other ranks may hold, to out [m][d]. */
recon_status recon_ring_rows(recon_ctx *ctx, float *out, const int64_t *which, size_t m,
                             const float *z, size_t n, size_t d);

/* --- Passes the rows of other ranks by, piece by piece */

/* A piece of another rank's rows. */
typedef struct {
    const float *z;     /* [rows][d] */
    size_t first, rows; /* among all */
    int mutual;         /* that rank is visited by our rows at the same step */
    const recon_points *like;
    const double *kth;     /* [rows] exact score of the k-th nearest so far; NULL without lists */
    recon_neighbor *found; /* [rows][k] what goes home; NULL without lists */
} recon_visit;

/* Where two ranks visit each other at the same step, each takes half of the pairs of tiles. */
static inline int recon_visit_is_ours(const recon_visit *v, size_t mine, size_t theirs)
{
    return !v->mutual || ((mine + theirs) % 2 == 0) == (mine < theirs);
}

typedef struct {
    const float *z; /* where row 0 of all would be */
    size_t n, d, k;
    const recon_points *like;   /* how rows are moved and scaled */
    const recon_neighbor *best; /* [own rows][k], or NULL: nothing is carried home */
    int half;                   /* each pair of ranks meets once; else each rank meets all others */
    size_t piece;               /* rows that come by at a time; 0: 8 tiles */
    void *arg;
    recon_status (*meet)(recon_ctx *ctx, void *arg, const recon_visit *visit);
    /* What was found elsewhere for own rows from `first` on; scratch [k]. NULL without best. */
    void (*come_home)(void *arg, size_t first, size_t rows, const recon_neighbor *found,
                      recon_neighbor *scratch);
} recon_tour_plan;

/* Every rank calls it. */
recon_status recon_tour(recon_ctx *ctx, const recon_tour_plan *plan);

#endif
