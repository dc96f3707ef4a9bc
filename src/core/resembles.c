/* resembles.c - what may have been meant by a name that nobody has. */
#include "core/resembles.h"

#include <string.h>

enum { LONGEST = 32 };

/* Letters put in, left out, changed or swapped with the next between a and b: one row after another
 * of the usual table, and the two before it. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[3][LONGEST];
    if (n >= LONGEST)
        return n;
    for (size_t j = 0; j <= n; j++)
        row[0][j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        const size_t *before = row[(i + 2) % 3], *first = row[(i + 1) % 3];
        size_t *now = row[i % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = now[j - 1] < best ? now[j - 1] + 1 : best;
            best = before[j] < best ? before[j] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                first[j - 2] < best)
                best = first[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[strlen(a) % 3][n];
}

int recon_resembles(const char *asked, const char *word)
{
    size_t most = strlen(asked) / 4;
    return distance(asked, word) <= (most < 2 ? most : 2);
}
