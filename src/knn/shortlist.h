/* shortlist.h - for each row of a block, the candidates that may still be among its k nearest.
 *
 * Candidates have a blocked score, whose error is at most the row's error e. Once there are k, a
 * candidate whose blocked score is more than 2e below the k-th best cannot be among the nearest,
 * and the floor rises to that score. If so many are within 2e that the list would overflow
 * (duplicates, tight clusters), they are compared exactly and the k nearest are kept, so memory is
 * bounded for all data. */
#ifndef KNN_SHORTLIST_H
#define KNN_SHORTLIST_H

#include "knn/points.h"
#include "core/arena.h"

typedef struct {
    float score; /* blocked */
    uint32_t index;
} recon_candidate;

typedef struct {
    double score; /* exact */
    uint32_t index;
} recon_neighbor;

typedef struct {
    const recon_points *rows, *points; /* whose lists these are, and who is in them */
    size_t begin, count;               /* the block of rows */
    size_t k, capacity;
    float *floor;                /* [count] what a blocked score must reach */
    uint32_t *used;              /* [count] */
    recon_candidate *candidates; /* [count][capacity], best first */
} recon_shortlist;

size_t recon_shortlist_capacity(size_t k);

/* Empties the lists; the arrays are the caller's. */
void recon_shortlist_clear(recon_shortlist *s);

/* Adds a candidate to list i. scratch [capacity] is the worker's own. */
void recon_shortlist_push(recon_shortlist *s, size_t i, float score, uint32_t index,
                          recon_neighbor *scratch);

/* Returns what a blocked score of row i must reach if the exact score of its k-th nearest so far is
 * kth, which is minus infinity if there are fewer than k. */
float recon_shortlist_floor(const recon_points *rows, size_t i, const recon_points *points,
                            double kth);

/* The k nearest of list i, nearest first, ties to the lower index. out has room for capacity. */
void recon_shortlist_take(recon_shortlist *s, size_t i, recon_neighbor *out);

/* Prefetches what taking list i needs, from anywhere in memory, if there is one. */
void recon_shortlist_fetch(const recon_shortlist *s, size_t i);

/* n places without a neighbour. */
void recon_neighbors_clear(recon_neighbor *list, size_t n);

/* Sorts nearest first, ties to the lower index. */
void recon_neighbors_sort(recon_neighbor *list, size_t n);

/* The k nearest of best [k] and more [count], both sorted, to best. scratch [k]. */
void recon_neighbors_merge(recon_neighbor *best, size_t k, const recon_neighbor *more, size_t count,
                           recon_neighbor *scratch);

#endif
