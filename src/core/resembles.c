/* resembles.c - see resembles.h. */
#include "core/resembles.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
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

int recon_parse_count(size_t *out, const char *text, size_t least)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < least || value > SIZE_MAX / 2)
        return 0;
    *out = (size_t)value;
    return 1;
}

int recon_parse_number(double *out, const char *text, int allow_zero)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value < 0 || (value == 0 && !allow_zero))
        return 0;
    *out = value;
    return 1;
}

int recon_parse_choice(int *out, const char *choices, const char *text)
{
    size_t length = strcspn(text, "|");
    int place = 0;
    if (text[length])
        return 0;
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL, place++)
        if (!strncmp(at, text, length) && (at[length] == '|' || at[length] == '\0')) {
            *out = place;
            return 1;
        }
    return 0;
}
