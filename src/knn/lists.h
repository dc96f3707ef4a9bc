/* lists.h - the shortlists of every row of a set of points, tile by tile, and the tiles of scores
 * that feed them. A tile of scores serves its rows and its columns. */
#ifndef KNN_LISTS_H
#define KNN_LISTS_H

#include <pthread.h>
#include "knn/shortlist.h"
#include "knn/tiles.h"

typedef struct {
    const recon_points *p;
    size_t tiles;
    recon_shortlist all;   /* of every row of p */
    pthread_mutex_t *lock; /* [tiles] a tile of rows has one owner at a time */
} recon_lists;

/* Lists of the rows of p, for candidates among `points`. Free always. */
recon_status recon_lists_make(recon_ctx *ctx, recon_lists *out, const recon_points *p,
                              const recon_points *points, size_t k);
void recon_lists_free(recon_lists *lists);

/* Those of one tile of rows. */
recon_shortlist recon_lists_tile(const recon_lists *lists, size_t tile);

/* Each hit goes to its row's list and to its column's, if it passes there; either may be NULL. */
void recon_lists_push(recon_sweep *sweep, size_t count, const float *row_shift, size_t first_row,
                      recon_shortlist *rows, recon_shortlist *cols, recon_neighbor *scratch);

/* The scores just made, of a tile of rows' points, for the lists of both. Where both are lists of the
 * same points, row_tile comes before that of the columns. */
recon_status recon_lists_scan(recon_ctx *ctx, recon_sweep *sweep, recon_lists *rows,
                              size_t row_tile, recon_lists *cols, recon_neighbor *scratch);

#endif
