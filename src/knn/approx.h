/* approx.h - approximate search by FAISS, its candidates put in order by exact scores. */
#ifndef KNN_APPROX_H
#define KNN_APPROX_H

#include "knn/points.h"
#include "knn/shortlist.h"

int recon_approx_built(void); /* was FAISS found when the library was built? */

/* out [queries][k]. With skip_self the queries are p itself, and a row is not its own neighbour.
 * Measures the recall against exact search on a sample of queries, logs it, and stores it where
 * recall is not NULL. Rows for which too few candidates came back are searched exactly. */
recon_status recon_approx_search(recon_ctx *ctx, recon_neighbor *out, const recon_points *queries,
                                 const recon_points *p, int skip_self, size_t k,
                                 recon_knn_method method, double *recall);

#endif
