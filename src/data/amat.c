/* amat.c - the text files of the rotated MNIST and its kin. */
#include "data/amat.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { DIGITS = 18, EXPONENT_MAX = 9999 };

typedef struct {
    const char *at, *end;
} span;

/* --- numbers ---------------------------------------------------------------------------------- */

static int blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

static int digit(const span *s)
{
    return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static int accept(span *s, const char *any)
{
    for (; *any; any++)
        if (s->at < s->end && *s->at == *any) {
            s->at++;
            return *any;
        }
    return 0;
}

/* Digits into *value as far as they matter; *power counts those that did not. Returns how many. */
static int digits(span *s, double *value, int *used, int *power)
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

static int exponent(span *s)
{
    int sign = accept(s, "+-"), e = 0;
    for (; digit(s); s->at++)
        e = e < EXPONENT_MAX ? 10 * e + (*s->at - '0') : e;
    return sign == '-' ? -e : e;
}

/* A decimal number, whatever the locale; 0 where there is none. Good to a float's last digit. */
static int number(span *s, double *out)
{
    int sign = accept(s, "+-"), used = 0, power = 0;
    double value = 0;
    int found = digits(s, &value, &used, &power);
    if (accept(s, ".")) {
        int over = 0, places = digits(s, &value, &used, &over);
        found += places;
        power -= places - over;
    }
    if (found && accept(s, "eE"))
        power += exponent(s);
    value = power < 0 ? value / pow(10, -power) : value * pow(10, power); /* 70 / 10 is 7 exactly */
    *out = sign == '-' ? -value : value;
    return found && (s->at == s->end || blank(*s->at));
}

static int next_number(span *s, double *out)
{
    while (s->at < s->end && blank(*s->at))
        s->at++;
    return s->at < s->end && number(s, out) && isfinite((float)*out);
}

/* --- lines ------------------------------------------------------------------------------------ */

static int next_line(span *line, span *rest)
{
    while (rest->at < rest->end && (*rest->at == '\n' || blank(*rest->at)))
        rest->at++;
    line->at = rest->at;
    while (rest->at < rest->end && *rest->at != '\n')
        rest->at++;
    line->end = rest->at;
    return line->at < line->end;
}

static size_t count_words(span line)
{
    size_t n = 0;
    for (int inside = 0; line.at < line.end; line.at++) {
        n += !inside && !blank(*line.at);
        inside = !blank(*line.at);
    }
    return n;
}

static size_t count_lines(span rest)
{
    size_t n = 0;
    for (span line; next_line(&line, &rest);)
        n++;
    return n;
}

static recon_status read_line(recon_ctx *ctx, float *pixels, int32_t *label, span line,
                              size_t count, size_t row, const char *path)
{
    double x;
    for (size_t i = 0; i <= count; i++) {
        if (!next_number(&line, &x))
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s: row %zu: number %zu of %zu is missing or not a number", path,
                              row, i + 1, count + 1);
        if (i < count)
            pixels[i] = (float)x;
    }
    if (next_number(&line, &(double){ 0 }) || line.at < line.end)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: row %zu: more than %zu numbers", path, row,
                          count + 1);
    if (!(x >= 0 && x <= RECON_LABEL_MAX && x == floor(x)))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: row %zu: the label is %g: 0 to %d", path, row,
                          x, RECON_LABEL_MAX);
    *label = (int32_t)x;
    return RECON_OK;
}

static recon_status read_lines(recon_ctx *ctx, recon_dataset *d, span rest, int skip_bad,
                               const char *path)
{
    size_t count = recon_dataset_pixels(&d->info), n = 0, at = 0;
    for (span line; next_line(&line, &rest);) {
        int32_t label = 0;
        recon_status status =
            read_line(ctx, d->own_floats + n * count, &label, line, count, ++at, path);
        if (status != RECON_OK && !skip_bad)
            return status;
        if (status != RECON_OK)
            continue;
        d->own_labels[n++] = label;
        if ((size_t)label >= d->info.classes)
            d->info.classes = (size_t)label + 1;
    }
    d->info.skipped = d->info.n - n;
    d->info.n = n;
    return n ? RECON_OK : recon_fail(ctx, RECON_ERR_FORMAT, "%s: no row can be read", path);
}

recon_status recon_amat_parse(recon_ctx *ctx, recon_dataset *d, const void *bytes, size_t size,
                              const recon_dataset_options *options, const char *path)
{
    const span all = { bytes, (const char *)bytes + size };
    span rest = all, line = { 0 };
    next_line(&line, &rest);
    size_t n = count_lines(all), words = count_words(line), side = (size_t)sqrt((double)words);
    recon_status status;
    if (words < 2 || side * side + 1 != words)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: %zu numbers in the first row: not a square of pixels and a label",
                          path, words);
    /* A number is two characters at least: so many good rows can be there, and a bad one behind. */
    size_t room = (size + 1) / (2 * words) + 1;
    d->info = (recon_dataset_info){ .n = n, .height = side, .width = side, .channels = 1 };
    RECON_TRY(recon_alloc_raw(ctx, &d->own_floats, room, side * side * sizeof(float)));
    RECON_TRY(recon_alloc_raw(ctx, &d->own_labels, room, sizeof *d->own_labels));
    RECON_TRY(read_lines(ctx, d, all, options->skip_bad, path));
    d->floats = d->own_floats;
    d->labels = d->own_labels;
done:
    return status;
}

recon_status recon_amat_read(recon_ctx *ctx, recon_dataset *data, const char *path,
                             const recon_dataset_options *options)
{
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    if (status != RECON_OK)
        return status;
    status = recon_amat_parse(ctx, data, file.bytes, file.size, options, path);
    recon_file_close(&file);
    return status;
}
