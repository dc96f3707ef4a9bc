/* pool.h - neighbours of neighbours, for more evidence than k neighbours give. */
#ifndef NORMALIZE_POOL_H
#define NORMALIZE_POOL_H

#include "normalize/classes.h"

/* Lists the members of the set, then those of its first member's set, and so on: each once, without
 * the row itself, at most `most`. The sets of the table must be those of its points. Returns the
 * number. */
size_t recon_pool_members(int64_t *out /* [most] */, const recon_class_table *table, size_t set,
                          size_t most);

#endif
