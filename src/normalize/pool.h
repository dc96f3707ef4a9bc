/* pool.h - more evidence than k neighbours give: the neighbours' neighbours. */
#ifndef NORMALIZE_POOL_H
#define NORMALIZE_POOL_H

#include "normalize/classes.h"

/* Members of the set, then those of its first member's set, and so on: each once, the row itself
 * not among them, at most `most`. The table's sets are those of its own points.
 * Returns how many. */
size_t recon_pool_members(int64_t *out /* [most] */, const recon_class_table *table, size_t set,
                          size_t most);

#endif
