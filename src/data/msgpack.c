/* msgpack.c - heads of items, and the bytes behind them.
 *
 * Every item begins with one byte. Below 0xc0 and from 0xe0 on it holds a small number or length;
 * between, it says how many bytes of number or length follow (msgpack/spec.md). */
#include "data/msgpack.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER ((size_t)1 << 16)

recon_status recon_pack_open(recon_ctx *ctx, recon_pack *out, const char *path)
{
    size_t size; /* not believed: it may grow */
    *out = (recon_pack){ .name = path };
    RECON_CHECK(recon_alloc_raw(ctx, &out->buffer, BUFFER, 1));
    out->bytes = out->buffer;
    recon_status status = recon_file_begin(ctx, &out->fd, &size, path);
    out->is_open = status == RECON_OK;
    return status;
}

void recon_pack_of_bytes(recon_pack *out, const void *bytes, size_t size, const char *name)
{
    *out = (recon_pack){ .name = name, .bytes = bytes, .end = size };
}

void recon_pack_close(recon_pack *pack)
{
    if (pack->is_open)
        close(pack->fd);
    free(pack->buffer);
    *pack = (recon_pack){ 0 };
}

uint64_t recon_pack_offset(const recon_pack *pack)
{
    return pack->before + pack->at;
}

/* Then there is a byte at `at`. */
recon_status recon_pack_more(recon_ctx *ctx, recon_pack *p, int *more)
{
    recon_status status = RECON_OK;
    if (p->at == p->end && p->is_open) {
        p->before += p->end;
        p->at = 0;
        status = recon_file_next(ctx, &p->end, p->buffer, BUFFER, p->fd, p->name);
    }
    *more = p->at < p->end;
    return status;
}

/* n bytes to out, or with NULL to nowhere. */
static recon_status take(recon_ctx *ctx, recon_pack *p, unsigned char *out, uint64_t n)
{
    while (n > 0) {
        int more = 0;
        RECON_CHECK(recon_pack_more(ctx, p, &more));
        if (!more)
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s: cut short at byte %llu: the file is incomplete, copy it again",
                              p->name, (unsigned long long)recon_pack_offset(p));
        size_t here = p->end - p->at < n ? p->end - p->at : (size_t)n;
        if (out)
            memcpy(out, p->bytes + p->at, here), out += here;
        p->at += here;
        n -= here;
    }
    return RECON_OK;
}

/* A big-endian number of so many bytes. */
static recon_status take_number(recon_ctx *ctx, recon_pack *p, uint64_t *out, size_t bytes)
{
    unsigned char b[8];
    recon_status status = take(ctx, p, b, bytes);
    *out = 0;
    for (size_t i = 0; status == RECON_OK && i < bytes; i++)
        *out = *out << 8 | b[i];
    return status;
}

static double as_float(uint64_t bits, size_t bytes)
{
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    memcpy(&single, &low, sizeof single);
    memcpy(&value, &bits, sizeof value);
    return bytes == 4 ? single : value;
}

static double as_signed(uint64_t bits, size_t bytes)
{
    unsigned shift = (unsigned)(64 - 8 * bytes);
    return (double)((int64_t)(bits << shift) >> shift);
}

/* How a first byte of 0xc0 .. 0xdf goes on. */
typedef struct {
    recon_pack_kind kind;
    uint8_t bytes;          /* of the number or length that follows */
    uint8_t is_signed;      /* of INT                               */
    uint8_t times, besides; /* count = length * times + besides     */
} head;

static const head heads[32] = {
    [0x00] = { RECON_PACK_NIL, 0, 0, 0, 0 },   [0x02] = { RECON_PACK_BOOL, 0, 0, 0, 0 },
    [0x03] = { RECON_PACK_BOOL, 0, 0, 0, 0 },  [0x04] = { RECON_PACK_TEXT, 1, 0, 1, 0 },
    [0x05] = { RECON_PACK_TEXT, 2, 0, 1, 0 },  [0x06] = { RECON_PACK_TEXT, 4, 0, 1, 0 },
    [0x07] = { RECON_PACK_OTHER, 1, 0, 1, 1 }, [0x08] = { RECON_PACK_OTHER, 2, 0, 1, 1 },
    [0x09] = { RECON_PACK_OTHER, 4, 0, 1, 1 }, [0x0a] = { RECON_PACK_FLOAT, 4, 0, 0, 0 },
    [0x0b] = { RECON_PACK_FLOAT, 8, 0, 0, 0 }, [0x0c] = { RECON_PACK_INT, 1, 0, 0, 0 },
    [0x0d] = { RECON_PACK_INT, 2, 0, 0, 0 },   [0x0e] = { RECON_PACK_INT, 4, 0, 0, 0 },
    [0x0f] = { RECON_PACK_INT, 8, 0, 0, 0 },   [0x10] = { RECON_PACK_INT, 1, 1, 0, 0 },
    [0x11] = { RECON_PACK_INT, 2, 1, 0, 0 },   [0x12] = { RECON_PACK_INT, 4, 1, 0, 0 },
    [0x13] = { RECON_PACK_INT, 8, 1, 0, 0 },   [0x14] = { RECON_PACK_OTHER, 0, 0, 0, 2 },
    [0x15] = { RECON_PACK_OTHER, 0, 0, 0, 3 }, [0x16] = { RECON_PACK_OTHER, 0, 0, 0, 5 },
    [0x17] = { RECON_PACK_OTHER, 0, 0, 0, 9 }, [0x18] = { RECON_PACK_OTHER, 0, 0, 0, 17 },
    [0x19] = { RECON_PACK_TEXT, 1, 0, 1, 0 },  [0x1a] = { RECON_PACK_TEXT, 2, 0, 1, 0 },
    [0x1b] = { RECON_PACK_TEXT, 4, 0, 1, 0 },  [0x1c] = { RECON_PACK_ARRAY, 2, 0, 1, 0 },
    [0x1d] = { RECON_PACK_ARRAY, 4, 0, 1, 0 }, [0x1e] = { RECON_PACK_MAP, 2, 0, 2, 0 },
    [0x1f] = { RECON_PACK_MAP, 4, 0, 2, 0 },
};

/* First bytes that are all of the head. */
static int short_head(recon_pack_item *out, unsigned char c)
{
    if (c < 0x80)
        *out = (recon_pack_item){ RECON_PACK_INT, c, 0 };
    else if (c < 0x90)
        *out = (recon_pack_item){ RECON_PACK_MAP, 0, 2 * (c & 0x0fu) };
    else if (c < 0xa0)
        *out = (recon_pack_item){ RECON_PACK_ARRAY, 0, c & 0x0fu };
    else if (c < 0xc0)
        *out = (recon_pack_item){ RECON_PACK_TEXT, 0, c & 0x1fu };
    else if (c >= 0xe0)
        *out = (recon_pack_item){ RECON_PACK_INT, c - 256.0, 0 };
    else
        return 0;
    return 1;
}

static recon_status long_head(recon_ctx *ctx, recon_pack *p, recon_pack_item *out, unsigned char c)
{
    const head *h = &heads[c & 0x1f];
    uint64_t bits;
    if (c == 0xc1)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: byte %llu is c1, which MessagePack never is",
                          p->name, (unsigned long long)recon_pack_offset(p) - 1);
    recon_status status = take_number(ctx, p, &bits, h->bytes);
    *out = (recon_pack_item){ h->kind, 0, bits * h->times + h->besides };
    if (h->kind == RECON_PACK_FLOAT)
        out->number = as_float(bits, h->bytes);
    else if (h->kind == RECON_PACK_INT)
        out->number = h->is_signed ? as_signed(bits, h->bytes) : (double)bits;
    else if (h->kind == RECON_PACK_BOOL)
        out->number = c & 1;
    return status;
}

recon_status recon_pack_next(recon_ctx *ctx, recon_pack *pack, recon_pack_item *out)
{
    unsigned char c;
    recon_status status = take(ctx, pack, &c, 1);
    if (status != RECON_OK || short_head(out, c))
        return status;
    return long_head(ctx, pack, out, c);
}

/* Counts what is still to come instead of going down: a nest of any depth is a loop. */
recon_status recon_pack_skip(recon_ctx *ctx, recon_pack *pack, const recon_pack_item *item)
{
    recon_status status = RECON_OK;
    recon_pack_item now = *item;
    for (uint64_t left = 1; left > 0 && status == RECON_OK;) {
        left--;
        if (now.kind == RECON_PACK_ARRAY || now.kind == RECON_PACK_MAP)
            left += now.count;
        else
            status = take(ctx, pack, NULL, now.count);
        if (left > 0 && status == RECON_OK)
            status = recon_pack_next(ctx, pack, &now);
    }
    return status;
}

recon_status recon_pack_text(recon_ctx *ctx, recon_pack *pack, const recon_pack_item *item,
                             char *out, size_t size)
{
    out[0] = '\0';
    if (item->kind != RECON_PACK_TEXT)
        return recon_pack_skip(ctx, pack, item);
    size_t kept = item->count < size ? (size_t)item->count : size - 1;
    recon_status status = take(ctx, pack, (unsigned char *)out, kept);
    out[kept] = '\0';
    return status == RECON_OK ? take(ctx, pack, NULL, item->count - kept) : status;
}
