/* borders.h - sizes where a loop over blocks that is wrong shows it. */
#ifndef TESTS_BORDERS_H
#define TESTS_BORDERS_H

#include "core/blocks.h"

#include <stddef.h>

/* One less than a block, as many, one more, and one more than two blocks. */
enum { BORDERS = 4 };
#define BORDER_MOST(block) (2 * (block) + 1)
static inline size_t border(size_t block, int i)
{
    return (size_t[BORDERS]){ block - 1, block, block + 1, BORDER_MOST(block) }[i];
}

#endif
