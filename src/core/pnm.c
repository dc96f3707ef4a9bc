/* pnm.c - PGM and PPM pictures. */
#include <recon/core/pnm.h>
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

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

static void skip_blanks(source *s)
{
    while (s->at < s->end && (is_space(*s->at) || *s->at == '#'))
        if (*s->at++ == '#')
            while (s->at < s->end && *s->at != '\n')
                s->at++;
}

static recon_status number(source *s, size_t *out, const char *what)
{
    skip_blanks(s);
    const uint8_t *begin = s->at;
    *out = 0;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9' && *out <= NUMBER_MAX)
        *out = 10 * *out + (size_t)(*s->at++ - '0');
    if (s->at == begin || *out > NUMBER_MAX)
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: the %s is %s", s->name, what,
                          s->at == begin ? "missing" : "above 65535");
    return RECON_OK;
}

/* One value as text, or as one or two bytes, scaled to 0 .. 255. */
static recon_status sample(source *s, uint8_t *out, size_t most, int text)
{
    size_t value = 0;
    recon_status status = RECON_OK;
    if (text)
        status = number(s, &value, "next value");
    else if (most < 256)
        value = *s->at++;
    else {
        value = (size_t)s->at[0] << 8 | s->at[1];
        s->at += 2;
    }
    if (status == RECON_OK && value > most)
        status = recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: a value of %zu, at most %zu was said",
                            s->name, value, most);
    *out = (uint8_t)((value * 255 + most / 2) / most);
    return status;
}

static recon_status read_samples(source *s, recon_pixels *out, size_t most, int text)
{
    size_t count = out->height * out->width * out->channels;
    size_t least = count * (text || most < 256 ? 1 : 2); /* bytes that must be there */
    recon_status status;
    if (least > (size_t)(s->end - s->at))
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: the file is cut short", s->name);
    RECON_TRY(recon_alloc_raw(s->ctx, &out->bytes, count, 1));
    for (size_t i = 0; i < count; i++)
        RECON_TRY(sample(s, &out->bytes[i], most, text));
done:
    return status;
}

static recon_status decode(source *s, recon_pixels *out, uint8_t kind)
{
    int text = kind == '2' || kind == '3';
    size_t most;
    recon_status status;
    out->channels = kind == '2' || kind == '5' ? 1 : 3;
    RECON_TRY(number(s, &out->width, "width"));
    RECON_TRY(number(s, &out->height, "height"));
    RECON_TRY(number(s, &most, "largest value"));
    if (out->width == 0 || out->height == 0 || most == 0)
        RECON_TRY(recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: %zu x %zu pixels up to %zu", s->name,
                             out->height, out->width, most));
    s->at += s->at < s->end; /* one blank ends the header */
    RECON_TRY(read_samples(s, out, most, text));
done:
    return status;
}

recon_status recon_pnm_decode(recon_ctx *ctx, recon_pixels *out, const void *bytes, size_t size,
                              const char *name)
{
    const uint8_t *b = bytes;
    *out = (recon_pixels){ 0 };
    if (size < 3 || b[0] != 'P' || !strchr("2356", b[1]) || b[1] == '\0')
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a PGM or PPM file", name);
    source s = { ctx, name, b + 2, b + size };
    recon_status status = decode(&s, out, b[1]);
    if (status != RECON_OK) {
        free(out->bytes);
        *out = (recon_pixels){ 0 };
    }
    return status;
}

recon_status recon_pnm_read(recon_ctx *ctx, recon_pixels *out, const char *path)
{
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    *out = (recon_pixels){ 0 };
    if (status != RECON_OK)
        return status;
    status = recon_pnm_decode(ctx, out, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}
