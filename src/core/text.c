/* text.c - decoding of UTF-8, and characters that are not shown. */
#include "core/text.h"
#include "core/fail.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t recon_utf8_next(uint32_t *code, const char *text, size_t n)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *s = (const unsigned char *)text;
    if (n == 0 || (s[0] >= 0x80 && s[0] < 0xc0) || s[0] >= 0xf8)
        return 0;
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (length > n)
        return 0;
    *code = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3f);
    }
    int surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code >= smallest[length] && *code <= 0x10ffff && !surrogate ? length : 0;
}

int recon_utf8_is(const char *text)
{
    size_t left = strlen(text), n = 1;
    uint32_t code;
    for (; left > 0 && n > 0; left -= n, text += n)
        n = recon_utf8_next(&code, text, left);
    return n > 0;
}

int recon_utf8_steers(uint32_t code)
{
    static const struct {
        uint32_t from, to;
    } range[] = { { 0, 0x1f },        { 0x7f, 0x9f },     { 0x61c, 0x61c },
                  { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 } };
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (code >= range[i].from && code <= range[i].to)
            return 1;
    return 0;
}

void recon_keep_to_one_line(char *text)
{
    char *to = text;
    uint32_t code;
    for (size_t left = strlen(text), n; left > 0; left -= n, text += n) {
        n = recon_utf8_next(&code, text, left);
        if (n == 0 || recon_utf8_steers(code)) {
            *to++ = '?';
            n = n ? n : 1;
        } else {
            memmove(to, text, n);
            to += n;
        }
    }
    *to = '\0';
}

const char *recon_count(recon_count_text out, size_t n, const char *one, const char *many)
{
    snprintf(out, sizeof(recon_count_text), "%zu %s", n, n == 1 ? one : many);
    return out;
}

/* --- what may have been meant ----------------------------------------------------------------- */

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

/* --- numbers and words ------------------------------------------------------------------------ */

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
