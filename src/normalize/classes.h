/* classes.h - the members of each class: sets of rows of the index, and the set of each row. */
#ifndef NORMALIZE_CLASSES_H
#define NORMALIZE_CLASSES_H

#include <recon/normalize/normalize.h>
#include "knn/points.h"

typedef struct {
    size_t sets;
    size_t k;        /* the size of every set; 0: they differ */
    int64_t *member; /* rows of the index, set after set */
    size_t *offset;  /* [sets + 1] where each begins */
    int64_t *set_of; /* [rows] -1: none */
    /* If k is not 0. */
    double *similarity; /* [sets][k] by the metric, see recon_knn_options */
    size_t *used;       /* [sets] members that belong to the class: a list is cut at a jump */
} recon_class_table;

static inline size_t recon_class_size(const recon_class_table *t, size_t set)
{
    return t->used ? t->used[set] : t->offset[set + 1] - t->offset[set];
}

/* Embeddings with what is prepared of them for searching, or NULL: then it is prepared. */
typedef struct {
    const recon_embedded *index;
    const recon_points *points;
    int ranks; /* each rank has its own embeddings: recon_comm_own by RECON_TILE */
} recon_class_search;

/* Finds the classes of all points, by neighbours or in sets: class_of, or if it is NULL components.
 * Over ranks rows and the sets of neighbours are a rank's own; other sets are those of all. */
recon_status recon_classes_find(recon_ctx *ctx, recon_class_table *out, const recon_class_search *s,
                                const recon_normalize_options *o, const int64_t *class_of,
                                double *recall);

/* The neighbours of queries. */
recon_status recon_classes_ask(recon_ctx *ctx, recon_class_table *out, const recon_class_search *s,
                               const recon_embedded *queries, const recon_normalize_options *o,
                               double *recall);

/* The set of each query, that of its nearest point: set_of, by those of the points, label. */
recon_status recon_classes_join(recon_ctx *ctx, int64_t **set_of, const int64_t *label,
                                const recon_class_search *s, const recon_embedded *queries,
                                const recon_normalize_options *o);
void recon_classes_free(recon_class_table *t);

/* GIVEN: replaces the sets in class_of [n] by the caller's class numbers. */
void recon_classes_name(const recon_class_table *t, int64_t *class_of, size_t n,
                        const recon_normalize_options *o);

/* KNN: gathers the sets of all ranks from each rank's own rows, from `first` on of n. */
recon_status recon_classes_gather(recon_ctx *ctx, recon_class_table *out,
                                  const recon_class_table *own, size_t first, size_t n);

/* KNN: copies the sets of rows which[n]. */
recon_status recon_classes_take(recon_ctx *ctx, recon_class_table *out,
                                const recon_class_table *from, const size_t *which, size_t n);

/* KNN: cuts the end off lists whose class has fewer than k members, where their distances jump from
 * near to far. The jump is found from the table of the whole index; near 0: nothing is cut. */
typedef struct {
    double near, far;
} recon_class_jump;
recon_status recon_classes_jump(recon_ctx *ctx, recon_class_jump *out,
                                const recon_class_table *graph, const recon_embedded *index,
                                recon_metric metric, int ranks);
void recon_classes_cut(recon_class_table *t, recon_class_jump jump, recon_metric metric);

/* KNN: returns the distance of the nearest member other than the point `self` (-1: a query): 1 -
 * cosine, the distance, or minus the inner product. */
double recon_class_distance(const recon_class_table *t, size_t set, int64_t self,
                            recon_metric metric);

/* Computes the share of members with the row's label, averaged over rows; NaN without labels. With
 * `ranks`, rows are the rank's own, from `first` on of `total`. */
recon_status recon_classes_hit_rate(recon_ctx *ctx, double *out, const recon_class_table *t,
                                    const recon_embedded *index, const recon_embedded *rows,
                                    size_t first, size_t total, int ranks);

/* KNN: counts the rows whose whole class has the row's embedding, so that its members are
 * arbitrary. With `ranks`, over all ranks. */
recon_status recon_classes_collapsed(recon_ctx *ctx, size_t *out, const recon_class_table *t,
                                     const recon_embedded *index, const recon_embedded *rows,
                                     size_t total, int ranks);

/* For more evidence than k neighbours give: lists the members of the set, then those of its first
 * member's set, and so on: each once, without the row itself, at most `most`. The sets of the table
 * must be those of its points. Returns the number. */
size_t recon_pool_members(int64_t *out /* [most] */, const recon_class_table *table, size_t set,
                          size_t most);

#endif
