/* classes.h - who is in whose class: sets of rows of the index, and the set of each row. */
#ifndef NORMALIZE_CLASSES_H
#define NORMALIZE_CLASSES_H

#include <recon/normalize/normalize.h>

typedef struct {
    size_t sets;
    size_t k;        /* the size of every set, 0 when they differ     */
    int64_t *member; /* rows of the index, set after set              */
    size_t *offset;  /* [sets + 1] where each begins                  */
    int64_t *set_of; /* [rows] -1: none                               */
    /* with k */
    double *similarity; /* [sets][k] by the metric, see recon_knn_options                */
    size_t *used;       /* [sets] members that belong: a list is cut where it jumps      */
} recon_class_table;

static inline size_t recon_class_size(const recon_class_table *t, size_t set)
{
    return t->used ? t->used[set] : t->offset[set + 1] - t->offset[set];
}

/* Finds the classes of the queries, or of the index itself when queries is NULL.
 *
 * Over ranks (`ranks`) the embeddings of a rank are its own: recon_comm_own by RECON_TILE. Rows are
 * then its own too, and so are the sets of KNN; the sets of COMPONENTS are all of them. */
recon_status recon_classes_find(recon_ctx *ctx, recon_class_table *out, const recon_embedded *index,
                                const recon_embedded *queries, const recon_normalize_options *o,
                                int ranks, double *recall);
void recon_classes_free(recon_class_table *t);

/* GIVEN: sets in class_of [n] become the caller's numbers. */
void recon_classes_name(const recon_class_table *t, int64_t *class_of, size_t n,
                        const recon_normalize_options *o);

/* KNN: the sets of own rows, from `first` on of n, as those of all ranks. */
recon_status recon_classes_gather(recon_ctx *ctx, recon_class_table *out,
                                  const recon_class_table *own, size_t first, size_t n);

/* KNN: the sets of rows which[n] alone. */
recon_status recon_classes_take(recon_ctx *ctx, recon_class_table *out,
                                const recon_class_table *from, const size_t *which, size_t n);

/* KNN: the end of a list does not belong to a class that is smaller than k. graph is the
 * table of the whole index, which may be t. */
recon_status recon_classes_cut(recon_ctx *ctx, recon_class_table *t, const recon_class_table *graph,
                               const recon_embedded *index, recon_metric metric, int ranks);

/* KNN: how far the nearest member is that is not the point `self` (-1: a query): 1 - cosine, a
 * distance, or less an inner product. */
double recon_class_distance(const recon_class_table *t, size_t set, int64_t self,
                            recon_metric metric);

/* The share of same-label members in a row's class, averaged over rows; NaN without labels. Over ranks
 * rows are the own ones, from `first` on of `total`. */
recon_status recon_classes_hit_rate(recon_ctx *ctx, double *out, const recon_class_table *t,
                                    const recon_embedded *index, const recon_embedded *rows,
                                    size_t first, size_t total, int ranks);

/* KNN: rows whose whole class has their own embedding: which points are in it, the order of the rows
 * decides. Over ranks those of all. */
recon_status recon_classes_collapsed(recon_ctx *ctx, size_t *out, const recon_class_table *t,
                                     const recon_embedded *index, const recon_embedded *rows,
                                     size_t total, int ranks);

#endif
