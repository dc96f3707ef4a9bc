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
} recon_class_table;

/* Finds the classes of the queries, or of the index itself when queries is NULL.
 *
 * Over ranks (`ranks`) the embeddings of a rank are its own: recon_comm_own by RECON_TILE. Rows are
 * then its own too, and so are the sets of KNN; the sets of COMPONENTS are all of them. */
recon_status recon_classes_find(recon_ctx *ctx, recon_class_table *out, const recon_embedded *index,
                                const recon_embedded *queries, const recon_normalize_options *o,
                                int ranks, double *recall);
void recon_classes_free(recon_class_table *t);

/* The classes that rows which[n] of the index have without themselves; z [n] are their embeddings.
 * KNN alone, and the index must have more than k points. Over ranks these are the own ones of `total`. */
recon_status recon_classes_leave_out(recon_ctx *ctx, recon_class_table *out,
                                     const recon_embedded *index, const float *z,
                                     const size_t *which, size_t n, size_t total,
                                     const recon_knn_options *knn, int ranks);

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
