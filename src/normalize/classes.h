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

/* Finds the classes of the queries, or of the index itself when queries is NULL. */
recon_status recon_classes_find(recon_ctx *ctx, recon_class_table *out, const recon_embedded *index,
                                const recon_embedded *queries, const recon_normalize_options *o,
                                double *recall);
void recon_classes_free(recon_class_table *t);

/* The share of same-label members in a row's class, averaged over rows; NaN without labels. */
double recon_classes_hit_rate(const recon_class_table *t, const recon_embedded *index,
                              const recon_embedded *rows);

#endif
