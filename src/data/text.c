/* text.c - parsing without a library that depends on the locale or on zero-terminated text. */
#include "data/text.h"

#include <math.h>
#include <string.h>

enum { DIGITS = 18, EXPONENT_MAX = 9999 };

/* --- lines and words -------------------------------------------------------------------------- */

recon_span recon_text_begin(const char *text, size_t size)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t skip = size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
    return (recon_span){ text + skip, text + size };
}

int recon_text_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

int recon_text_empty(recon_span line)
{
    return !recon_span_size(recon_text_word(&line));
}

int recon_text_line(recon_span *line, recon_span *rest)
{
    if (rest->at == rest->end)
        return 0;
    const char *end = memchr(rest->at, '\n', recon_span_size(*rest));
    *line = (recon_span){ rest->at, end ? end : rest->end };
    rest->at = end ? end + 1 : rest->end;
    return 1;
}

recon_span recon_text_word(recon_span *line)
{
    while (line->at < line->end && recon_text_blank(*line->at))
        line->at++;
    recon_span word = { line->at, line->at };
    while (word.end < line->end && !recon_text_blank(*word.end))
        word.end++;
    line->at = word.end;
    return word;
}

int recon_text_is(recon_span word, const char *text)
{
    size_t n = strlen(text);
    return recon_span_size(word) == n && !memcmp(word.at, text, n);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static int digit(const recon_span *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static int accept(recon_span *s, const char *any)
{
    for (; *any; any++)
        if (s->at < s->end && *s->at == *any) {
            s->at++;
            return *any;
        }
    return 0;
}

/* Digits into *value as far as they matter; *power counts those that did not. Returns how many. */
static int digits(recon_span *s, double *value, int *used, int *power)
{
    int n = 0;
    for (; digit(s); s->at++, n++)
        if (*used < DIGITS) {
            *value = 10 * *value + (*s->at - '0');
            *used += *value > 0;
        } else if (*power < EXPONENT_MAX) {
            ++*power;
        }
    return n;
}

/* Added to *power; 0 where there are no digits. */
static int exponent(recon_span *s, int *power)
{
    int sign = accept(s, "+-"), e = 0, found = digit(s);
    for (; digit(s); s->at++)
        e = e < EXPONENT_MAX ? 10 * e + (*s->at - '0') : e;
    *power += sign == '-' ? -e : e;
    return found;
}

int recon_text_number(double *out, recon_span s)
{
    int sign = accept(&s, "+-"), used = 0, power = 0;
    double value = 0;
    int found = digits(&s, &value, &used, &power);
    if (accept(&s, ".")) {
        int over = 0, places = digits(&s, &value, &used, &over);
        found += places;
        power -= places - over;
    }
    if (found && accept(&s, "eEdD")) /* D: as Fortran writes double precision */
        found = exponent(&s, &power);
    if (value > 0) /* 70 / 10 is 7 exactly */
        value = power < 0 ? value / pow(10, -power) : value * pow(10, power);
    *out = sign == '-' ? -value : value;
    return found && s.at == s.end && isfinite((float)*out);
}

int recon_text_count(size_t *out, recon_span s)
{
    int found = digit(&s);
    for (*out = 0; digit(&s); s.at++)
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, (size_t)(*s.at - '0'), out))
            return 0;
    return found && s.at == s.end;
}
