/* index.h - Algorithm 1 for queries: what the points of an index tell is found once, and asked for
 * as often as there are queries.
 *
 * An answer has the bits that recon_normalize with queries gives; it does not depend on the queries
 * beside it. An index is immutable: any number of threads may ask it, each with a context of its
 * own. In a file it is searched where it lies: opening it costs the same for ten points and for
 * millions, if classes are neighbours. */
#ifndef RECON_NORMALIZE_INDEX_H
#define RECON_NORMALIZE_INDEX_H

#include <recon/normalize/normalize.h>

typedef struct recon_index recon_index;

/* Makes an index of points, which are copied; labels are not. The search is exact: knn.method is
 * AUTO or EXACT. */
RECON_API recon_status recon_index_fit(recon_ctx *ctx, recon_index **out,
                                       const recon_embedded *points,
                                       const recon_normalize_options *options);

/* Answers queries, as recon_normalize does. Where queries->poses is NULL, absolute, score and p are
 * NaN: the natural pose of a query depends on its embedding alone. */
RECON_API recon_status recon_index_query(recon_ctx *ctx, recon_frames *out,
                                         const recon_index *index, const recon_embedded *queries);

/* Makes the index that recon_index_fit makes of its points followed by others, at the same cost.
 * class_of [points->n] with GIVEN, else NULL. */
RECON_API recon_status recon_index_add(recon_ctx *ctx, recon_index **out, const recon_index *index,
                                       const recon_embedded *points, const int64_t *class_of);

/* Writes one file, which appears complete or not at all; its format is in docs/formats.md. */
RECON_API recon_status recon_index_save(recon_ctx *ctx, const recon_index *index, const char *path);

/* Opens such a file. It is mapped, and must not be truncated while it is open. */
RECON_API recon_status recon_index_open(recon_ctx *ctx, recon_index **out, const char *path);
RECON_API void recon_index_free(recon_index *index); /* NULL is allowed */

/* The points of an index, whose group is NULL, the name of their group, and its options; lent. */
RECON_API const recon_embedded *recon_index_points(const recon_index *index);
RECON_API const char *recon_index_group(const recon_index *index);
RECON_API const recon_normalize_options *recon_index_options(const recon_index *index);

#endif
