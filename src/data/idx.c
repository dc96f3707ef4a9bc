/* idx.c - IDX files, through zlib when they are compressed.
 *
 * Two zero bytes, a code of the type, the number of dimensions, the dimensions as big-endian words
 * of 32 bits, the numbers. Every field is checked against the file before it is believed. */
#include "data/formats.h"
#include "core/npy.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#define RATIO_MAX 1032    /* deflate cannot do better */
enum { PIECE = 1 << 24 }; /* bytes unpacked at once */
enum { GZIP = 16 };       /* zlib: expect gzip's frame */

typedef struct {
    recon_ctx *ctx;
    const char *path;
    const unsigned char *bytes;
    size_t size, at;
    int packed;
    z_stream z;
} source;

static recon_status damaged(const source *s, const char *what)
{
    return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: %s", s->path, what);
}

static recon_status no_memory(const source *s)
{
    return recon_fail(s->ctx, RECON_ERR_MEMORY, "%s: out of memory", s->path);
}

/* n bytes of the file as it was before gzip. */
static recon_status take(source *s, void *out, size_t n)
{
    if (!s->packed && s->size - s->at < n)
        return damaged(s, "is cut short");
    s->z.next_out = out;
    for (size_t left = n; left > 0;) {
        RECON_CHECK(recon_interrupted(s->ctx));
        uInt room = left < PIECE ? (uInt)left : PIECE;
        if (!s->packed) {
            memcpy((char *)out + (n - left), s->bytes + s->at, room);
            s->at += room;
            left -= room;
            continue;
        }
        size_t rest = s->size - s->at;
        s->z.next_in = (Bytef *)(uintptr_t)(s->bytes + s->at);
        s->z.avail_in = rest < UINT_MAX ? (uInt)rest : UINT_MAX;
        s->z.avail_out = room;
        uInt before = s->z.avail_in;
        int code = inflate(&s->z, Z_NO_FLUSH);
        s->at += before - s->z.avail_in;
        left -= room - s->z.avail_out;
        if (code == Z_MEM_ERROR)
            return no_memory(s);
        if ((code != Z_OK && code != Z_STREAM_END) || (code == Z_STREAM_END && left > 0))
            return damaged(s, "does not inflate to what its header says");
    }
    return RECON_OK;
}

static recon_status expect_end(source *s)
{
    unsigned char extra;
    if (!s->packed)
        return s->at == s->size ? RECON_OK : damaged(s, "has data after its last number");
    s->z.next_in = (Bytef *)(uintptr_t)(s->bytes + s->at);
    s->z.avail_in = s->size - s->at < UINT_MAX ? (uInt)(s->size - s->at) : UINT_MAX;
    s->z.next_out = &extra;
    s->z.avail_out = 1;
    int code = inflate(&s->z, Z_FINISH);
    if (code == Z_MEM_ERROR)
        return no_memory(s);
    if (code != Z_STREAM_END || s->z.avail_out != 1)
        return damaged(s, "has data after its last number, or a wrong checksum");
    return RECON_OK;
}

static int type_of(recon_dtype *out, unsigned code)
{
    static const struct {
        unsigned code;
        recon_dtype dtype;
    } types[] = { { 0x08, RECON_U8 },  { 0x09, RECON_I8 },  { 0x0b, RECON_I16 },
                  { 0x0c, RECON_I32 }, { 0x0d, RECON_F32 }, { 0x0e, RECON_F64 } };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == code) {
            *out = types[i].dtype;
            return 1;
        }
    return 0;
}

static recon_status read_header(source *s, recon_array *out)
{
    unsigned char magic[4], word[4];
    recon_status status = take(s, magic, sizeof magic);
    if (status != RECON_OK)
        return status;
    if (magic[0] || magic[1] || !type_of(&out->dtype, magic[2]))
        return recon_fail(s->ctx, RECON_ERR_FORMAT,
                          "%s: not an IDX file: begins with %02x%02x%02x%02x", s->path, magic[0],
                          magic[1], magic[2], magic[3]);
    if (magic[3] < 1 || magic[3] > RECON_MAX_DIMS)
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: has %u dimensions: 1 to %d", s->path,
                          magic[3], RECON_MAX_DIMS);
    out->ndim = magic[3];
    for (int i = 0; i < out->ndim; i++) {
        status = take(s, word, sizeof word);
        if (status != RECON_OK)
            return status;
        out->shape[i] =
            (size_t)word[0] << 24 | (size_t)word[1] << 16 | (size_t)word[2] << 8 | word[3];
    }
    return RECON_OK;
}

static void swap(unsigned char *bytes, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++, bytes += width)
        for (size_t j = 0; j < width / 2; j++) {
            unsigned char kept = bytes[j];
            bytes[j] = bytes[width - 1 - j];
            bytes[width - 1 - j] = kept;
        }
}

static recon_status read_all(source *s, recon_array *out)
{
    size_t bytes, possible = s->packed ? s->size : s->size - s->at;
    RECON_CHECK(read_header(s, out));
    if (!recon_array_fits(&bytes, out->dtype, out->shape, out->ndim) ||
        bytes / (s->packed ? RATIO_MAX : 1) > possible)
        RECON_CHECK(damaged(s, "its header asks for more numbers than the file can hold"));
    RECON_CHECK(recon_alloc_raw(s->ctx, &out->block, bytes, 1));
    out->data = out->block;
    RECON_CHECK(take(s, out->block, bytes));
    RECON_CHECK(expect_end(s));
    swap(out->block, recon_array_count(out), recon_dtype_size(out->dtype));
    return RECON_OK;
}

recon_status recon_idx_parse(recon_ctx *ctx, recon_array *out, const void *bytes, size_t size,
                             const char *path)
{
    source s = { .ctx = ctx, .path = path, .bytes = bytes, .size = size };
    *out = (recon_array){ 0 };
    s.packed = size >= 2 && s.bytes[0] == 0x1f && s.bytes[1] == 0x8b;
    if (s.packed && inflateInit2(&s.z, MAX_WBITS + GZIP) != Z_OK)
        return no_memory(&s);
    recon_status status = read_all(&s, out);
    if (s.packed)
        inflateEnd(&s.z);
    if (status != RECON_OK)
        recon_array_free(out);
    return status;
}

recon_status recon_idx_read(recon_ctx *ctx, recon_array *out, const char *path)
{
    recon_file file;
    recon_status status = recon_file_open(ctx, &file, path);
    *out = (recon_array){ 0 };
    if (status != RECON_OK)
        return status;
    status = recon_idx_parse(ctx, out, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}
