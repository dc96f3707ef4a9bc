/* device.h - exact search by a backend that has a search of its own (ops.h, nearest): a GPU. */
#ifndef KNN_DEVICE_H
#define KNN_DEVICE_H

#include "knn/points.h"
#include "knn/shortlist.h"

/* Whether the context's backend takes this search: it has one, and the search is large enough. */
int recon_device_takes(recon_ctx *ctx, const recon_points *rows, const recon_points *p, size_t k);

/* As recon_exact_self and recon_exact_search, with the same answer. RECON_ERR_MEMORY where it does not
 * fit there: the host can still do it. */
recon_status recon_device_self(recon_ctx *ctx, recon_neighbor *out, const recon_points *p, size_t k,
                               int include_self);
recon_status recon_device_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                 const recon_points *p, size_t k);

#endif
