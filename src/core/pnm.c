/* pnm.c - PGM and PPM pictures, as text (P2, P3) or bytes (P5, P6).
 *
 * Values are scaled from 0 .. maxval to 0 .. 255, or to 16 bits if maxval is above 255. Only the
 * first picture of a file is read. */
#include "core/fail.h"
#include "core/memory.h"
#include "core/picture.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 65535 };

typedef struct {
    recon_ctx *ctx;
    const char *name;
    const uint8_t *at, *end;
} source;

static int is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static recon_status number(source *s, size_t *out, const char *what)
{
    while (s->at < s->end && (is_space(*s->at) || *s->at == '#'))
        if (*s->at++ == '#')
            while (s->at < s->end && *s->at != '\n')
                s->at++;
    const uint8_t *begin = s->at;
    *out = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9' && *out <= NUMBER_MAX)
        *out = 10 * *out + (size_t)(*s->at++ - '0');
    if (s->at == begin || *out > NUMBER_MAX)
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: the %s is %s", s->name, what,
                          s->at == begin ? "missing" : "above 65535");
    return RECON_OK;
}

/* How a file tells its samples, and what they become. */
typedef struct {
    size_t most; /* of a value */
    int text;
} coding;

/* One value as text, or as one or two bytes. */
static recon_status value_of(source *s, size_t *out, const coding *c)
{
    recon_status status = RECON_OK;
    if (c->text)
        status = number(s, out, "next value");
    else if (c->most < 256)
        *out = *s->at++;
    else {
        *out = (size_t)s->at[0] << 8 | s->at[1];
        s->at += 2;
    }
    if (status == RECON_OK && *out > c->most)
        status = recon_fail(s->ctx, RECON_ERR_FORMAT,
                            "%s: a value of %zu, above its maximum of %zu", s->name, *out, c->most);
    return status;
}

/* n samples, scaled to all that their bits can hold. */
static recon_status read_row(source *s, uint8_t *out, size_t n, const coding *c, int deep)
{
    for (size_t i = 0; i < n; i++) {
        size_t value = 0;
        RECON_CHECK(value_of(s, &value, c));
        if (deep) {
            uint16_t word = (uint16_t)((value * 65535 + c->most / 2) / c->most);
            memcpy(out + 2 * i, &word, sizeof word);
        } else {
            out[i] = (uint8_t)((value * 255 + c->most / 2) / c->most);
        }
    }
    return RECON_OK;
}

/* Into the sink's room, or row by row. */
static recon_status read_rows(source *s, recon_picture_sink *sink, const coding *c)
{
    const recon_pixels *head = &sink->head;
    size_t n = head->width * head->channels, stride = recon_pixels_size(head) / head->height;
    uint8_t *row = NULL;
    recon_status status = RECON_OK;
    if (!head->bytes)
        RECON_TRY(recon_alloc_raw(s->ctx, &row, stride, 1));
    for (size_t y = 0; y < head->height; y++) {
        uint8_t *to = row ? row : head->bytes + y * stride;
        RECON_TRY(read_row(s, to, n, c, head->deep));
        if (row)
            sink->row(sink, y, row);
    }
done:
    free(row);
    return status;
}

recon_status recon_pnm_scan(recon_ctx *ctx, recon_picture_sink *sink, const void *bytes,
                            size_t size, const char *name)
{
    const uint8_t *b = bytes;
    coding c = { 0 };
    if (size < 3 || b[0] != 'P' || !strchr("2356", b[1]) || b[1] == '\0')
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a PGM or PPM file", name);
    source s = { ctx, name, b + 2, b + size };
    recon_pixels *head = &sink->head;
    c.text = b[1] == '2' || b[1] == '3';
    *head = (recon_pixels){ .channels = b[1] == '2' || b[1] == '5' ? 1 : 3 };
    RECON_CHECK(number(&s, &head->width, "width"));
    RECON_CHECK(number(&s, &head->height, "height"));
    RECON_CHECK(number(&s, &c.most, "largest value"));
    if (head->width == 0 || head->height == 0 || c.most == 0)
        return recon_fail(s.ctx, RECON_ERR_FORMAT, "%s: %zu x %zu pixels up to %zu", s.name,
                          head->height, head->width, c.most);
    s.at += s.at < s.end; /* one blank ends the header */
    head->deep = c.most > 255;
    size_t least = head->height * head->width * head->channels * (c.text || c.most < 256 ? 1 : 2);
    if (least > (size_t)(s.end - s.at))
        return recon_fail(s.ctx, RECON_ERR_FORMAT, "%s: the file is cut short", s.name);
    RECON_CHECK(recon_picture_begin(ctx, sink, size, name));
    if (sink->begin)
        RECON_CHECK(read_rows(&s, sink, &c));
    return RECON_OK;
}
