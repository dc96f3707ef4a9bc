/* ring_tour.h - the rows of other ranks come by, piece by piece. */
#ifndef KNN_RING_TOUR_H
#define KNN_RING_TOUR_H

#include "knn/shortlist.h"

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
