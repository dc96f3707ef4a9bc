/* npz.c - reads ZIP archives of NPY members (PKWARE's APPNOTE 6.3, as much of it as NumPy uses).
 *
 * A ZIP file is read from its end: the end record gives the place of a directory, and the directory
 * the place of each member. Sizes of 32 bits that are all ones stand for 64-bit ones elsewhere (the
 * "64" records). */
#include "core/npz.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/npy.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define DEFLATE_MOST 1032 /* bytes that one byte of deflate can become */

typedef struct {
    char *name; /* without ".npy" */
    const unsigned char *raw_name;
    uint64_t size, packed, offset; /* inflated, in the file, of the local header */
    uint32_t crc;
    unsigned name_size, flags, method;
} member;

struct recon_npz {
    recon_file file;
    char *path, *names;
    member *members;
    size_t count;
    uint64_t directory, directory_size;
};

static uint64_t get(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, (size_t)bytes); /* little-endian, as core/array.h asserts */
    return value;
}

static recon_status wrong(recon_ctx *ctx, const recon_npz *z, const char *what, uint64_t offset)
{
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %s (at byte %llu)", z->path, what,
                      (unsigned long long)offset);
}

/* Are there n bytes at offset, and do they begin with this magic? */
static int is_at(const recon_npz *z, uint64_t offset, size_t n, uint32_t magic)
{
    return n <= z->file.size && offset <= z->file.size - n &&
           get(z->file.bytes + offset, 4) == magic;
}

/* The end record is the last thing in the file but for a comment of at most 64 KiB. */
static recon_status find_end(recon_ctx *ctx, const recon_npz *z, uint64_t *out)
{
    size_t size = z->file.size;
    for (size_t back = END_SIZE; back <= size && back <= END_SIZE + 65535; back++)
        if (is_at(z, size - back, END_SIZE, END_MAGIC) &&
            get(z->file.bytes + size - back + 20, 2) == back - END_SIZE) {
            *out = size - back;
            return RECON_OK;
        }
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a ZIP archive, or cut short: no end record",
                      z->path);
}

static recon_status find_directory(recon_ctx *ctx, recon_npz *z)
{
    uint64_t end = 0;
    recon_status status = find_end(ctx, z, &end);
    if (status != RECON_OK)
        return status;
    const unsigned char *record = z->file.bytes + end;
    z->count = get(record + 10, 2);
    z->directory_size = get(record + 12, 4);
    z->directory = get(record + 16, 4);
    if (end >= LOCATOR_SIZE && is_at(z, end - LOCATOR_SIZE, LOCATOR_SIZE, LOCATOR_MAGIC)) {
        end = get(record - LOCATOR_SIZE + 8, 8);
        if (!is_at(z, end, END64_SIZE, END64_MAGIC))
            return wrong(ctx, z, "the 64-bit end record is not where it should be", end);
        record = z->file.bytes + end;
        z->count = get(record + 32, 8);
        z->directory_size = get(record + 40, 8);
        z->directory = get(record + 48, 8);
    }
    if (z->directory > end || z->directory_size != end - z->directory)
        return wrong(ctx, z, "the directory does not end where the end record begins", end);
    if (z->count > z->directory_size / ENTRY_SIZE)
        return wrong(ctx, z, "more members than the directory can hold", z->directory);
    return RECON_OK;
}

/* The values of the extra field with 64-bit sizes and how many bytes they are: none if there is no
 * such field, or a damaged one. */
static size_t find_extra64(const unsigned char **values, const unsigned char *extra, size_t size)
{
    *values = extra;
    for (size_t at = 0, length; size - at >= 4; at += 4 + length) {
        length = get(extra + at + 2, 2);
        if (length > size - at - 4)
            return 0;
        *values = extra + at + 4;
        if (get(extra + at, 2) == EXTRA64)
            return length;
    }
    return 0;
}

/* Replaces those of the sizes that say "elsewhere" by the values in the extra field, which holds
 * just these, in this order. */
static int read_extra64(member *m, const unsigned char *extra, size_t size)
{
    uint64_t *wide[] = { &m->size, &m->packed, &m->offset };
    const unsigned char *values;
    size_t left = find_extra64(&values, extra, size);
    for (int i = 0; i < 3; i++) {
        if (*wide[i] != ELSEWHERE)
            continue;
        if (left < 8)
            return 0;
        *wide[i] = get(values, 8);
        values += 8;
        left -= 8;
    }
    return 1;
}

static void read_fields(member *m, const unsigned char *entry)
{
    m->flags = (unsigned)get(entry + 8, 2);
    m->method = (unsigned)get(entry + 10, 2);
    m->crc = (uint32_t)get(entry + 16, 4);
    m->packed = get(entry + 20, 4);
    m->size = get(entry + 24, 4);
    m->name_size = (unsigned)get(entry + 28, 2);
    m->offset = get(entry + 42, 4);
    m->raw_name = entry + ENTRY_SIZE;
}

/* A member whose name ends in .npy is known without it, as in NumPy. */
static void keep_name(member *m, char *to)
{
    size_t n = m->name_size;
    if (n > 4 && memcmp(m->raw_name + n - 4, ".npy", 4) == 0)
        n -= 4;
    m->name = memcpy(to, m->raw_name, n);
    to[n] = '\0';
}

static recon_status read_entry(recon_ctx *ctx, recon_npz *z, member *m, uint64_t *at, char **names)
{
    uint64_t end = z->directory + z->directory_size, left = end - *at;
    const unsigned char *entry = z->file.bytes + *at;
    if (left < ENTRY_SIZE || !is_at(z, *at, ENTRY_SIZE, ENTRY_MAGIC))
        return wrong(ctx, z, "the directory is damaged", *at);
    read_fields(m, entry);
    size_t extra = get(entry + 30, 2),
           whole = ENTRY_SIZE + m->name_size + extra + get(entry + 32, 2);
    if (whole > left)
        return wrong(ctx, z, "a directory entry is cut short", *at);
    if (m->name_size == 0 || memchr(m->raw_name, '\0', m->name_size))
        return wrong(ctx, z, "a member's name is empty or has a zero byte", *at);
    if (!read_extra64(m, m->raw_name + m->name_size, extra))
        return wrong(ctx, z, "a member's 64-bit sizes are missing", *at);
    keep_name(m, *names);
    *names += m->name_size + 1;
    *at += whole;
    return RECON_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const member *const *)a)->name, (*(const member *const *)b)->name);
}

static recon_status check_names(recon_ctx *ctx, const recon_npz *z)
{
    const member **sorted;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &sorted, z->count, sizeof *sorted));
    for (size_t i = 0; i < z->count; i++)
        sorted[i] = &z->members[i];
    qsort(sorted, z->count, sizeof *sorted, by_name);
    for (size_t i = 1; i < z->count; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: member '%.100s' comes twice", z->path,
                                 sorted[i]->name));
done:
    free(sorted);
    return status;
}

static recon_status read_directory(recon_ctx *ctx, recon_npz *z)
{
    recon_status status;
    RECON_TRY(find_directory(ctx, z));
    RECON_TRY(recon_alloc(ctx, &z->members, z->count, sizeof(member)));
    RECON_TRY(recon_alloc(ctx, &z->names, z->directory_size, 1)); /* names and more lie in it */
    uint64_t at = z->directory;
    char *names = z->names;
    for (size_t i = 0; i < z->count; i++)
        RECON_TRY(read_entry(ctx, z, &z->members[i], &at, &names));
    if (at != z->directory + z->directory_size)
        RECON_TRY(wrong(ctx, z, "the directory has more than its members", at));
    RECON_TRY(check_names(ctx, z));
done:
    return status;
}

recon_status recon_npz_parse(recon_ctx *ctx, recon_npz **out, recon_file file, const char *path)
{
    recon_status status;
    recon_npz *z = NULL;
    size_t length = strlen(path) + 1;
    RECON_TRY(recon_alloc(ctx, &z, 1, sizeof *z));
    RECON_TRY(recon_alloc(ctx, &z->path, length, 1));
    memcpy(z->path, path, length);
    z->file = file;
    RECON_TRY(read_directory(ctx, z));
done:
    if (status != RECON_OK && z) {
        z->file = (recon_file){ 0 }; /* stays the caller's */
        recon_npz_close(z);
        z = NULL;
    }
    *out = z;
    return status;
}

recon_status recon_npz_open(recon_ctx *ctx, recon_npz **out, const char *path)
{
    recon_file file;
    *out = NULL;
    recon_status status = recon_file_open(ctx, &file, path);
    if (status != RECON_OK)
        return status;
    status = recon_npz_parse(ctx, out, file, path);
    if (status != RECON_OK)
        recon_file_close(&file);
    return status;
}

void recon_npz_close(recon_npz *z)
{
    if (!z)
        return;
    recon_file_close(&z->file);
    free(z->members);
    free(z->names);
    free(z->path);
    free(z);
}

size_t recon_npz_count(const recon_npz *z)
{
    return z->count;
}

const char *recon_npz_name(const recon_npz *z, size_t i)
{
    return z->members[i].name;
}

/* The packed bytes of a member, once its own header agrees with the directory. */
static recon_status find_packed(recon_ctx *ctx, const recon_npz *z, const member *m,
                                const unsigned char **out)
{
    if (!is_at(z, m->offset, LOCAL_SIZE, LOCAL_MAGIC) || m->offset >= z->directory)
        return wrong(ctx, z, "a member is not where the directory says", m->offset);
    const unsigned char *local = z->file.bytes + m->offset;
    size_t name = get(local + 26, 2), extra = get(local + 28, 2);
    uint64_t left = z->directory - m->offset, before = LOCAL_SIZE + name + extra;
    if (before > left || m->packed > left - before)
        return wrong(ctx, z, "a member reaches into the directory", m->offset);
    member own = { .size = get(local + 22, 4), .packed = get(local + 18, 4) };
    int agree = name == m->name_size && memcmp(local + LOCAL_SIZE, m->raw_name, name) == 0 &&
                get(local + 8, 2) == m->method &&
                read_extra64(&own, local + LOCAL_SIZE + name, extra);
    if (!(m->flags & SIZES_FOLLOW))
        agree = agree && own.size == m->size && own.packed == m->packed;
    *out = local + before;
    return agree ? RECON_OK
                 : wrong(ctx, z, "a member's header and the directory disagree", m->offset);
}

static recon_status damaged(recon_ctx *ctx, const recon_npz *z, const member *m, const char *what)
{
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: member '%.100s': %s", z->path, m->name, what);
}

/* zlib counts in 32 bits: both sides are handed over in pieces. Z_OK if all of in became all of
 * out, no less and no more; else Z_MEM_ERROR or Z_DATA_ERROR. */
static int inflate_all(unsigned char *out, uint64_t size, const unsigned char *in, uint64_t packed)
{
    z_stream s = { 0 };
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return Z_MEM_ERROR;
    s.next_in = (unsigned char *)(uintptr_t)in; /* zlib promises not to write there */
    s.next_out = out;
    int code = Z_OK;
    while (code == Z_OK) {
        uint64_t in_left = packed - (uint64_t)(s.next_in - in);
        uint64_t out_left = size - (uint64_t)(s.next_out - out);
        s.avail_in = (uInt)(in_left < UINT_MAX ? in_left : UINT_MAX);
        s.avail_out = (uInt)(out_left < UINT_MAX ? out_left : UINT_MAX);
        code = inflate(&s, Z_NO_FLUSH); /* without progress: Z_BUF_ERROR, which ends this */
    }
    int whole = code == Z_STREAM_END && s.next_out == out + size && s.next_in == in + packed;
    inflateEnd(&s);
    return whole ? Z_OK : code == Z_MEM_ERROR ? Z_MEM_ERROR : Z_DATA_ERROR;
}

static recon_status check_member(recon_ctx *ctx, const recon_npz *z, const member *m)
{
    if (m->flags & ENCRYPTED)
        return damaged(ctx, z, m, "is encrypted");
    if (m->method == STORED ? m->size != m->packed : m->size / DEFLATE_MOST > m->packed)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: member '%.100s': %llu bytes cannot become %llu", z->path, m->name,
                          (unsigned long long)m->packed, (unsigned long long)m->size);
    if (m->method != STORED && m->method != DEFLATED)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: member '%.100s': compression %u is not read",
                          z->path, m->name, m->method);
    return RECON_OK;
}

uint32_t recon_crc32(uint32_t crc, const void *bytes, size_t n)
{
    return n ? (uint32_t)crc32_z(crc, bytes, n) : crc; /* zlib starts anew where bytes is NULL */
}

/* A member's bytes as they were before packing, in a new block. */
static recon_status unpack(recon_ctx *ctx, void **out, const recon_npz *z, const member *m)
{
    recon_status status;
    const unsigned char *packed = NULL;
    *out = NULL;
    RECON_TRY(check_member(ctx, z, m));
    RECON_TRY(find_packed(ctx, z, m, &packed));
    RECON_TRY(recon_alloc_raw(ctx, out, m->size, 1));
    int code = Z_OK;
    if (m->method == STORED)
        memcpy(*out, packed, m->size);
    else
        code = inflate_all(*out, m->size, packed, m->packed);
    if (code == Z_MEM_ERROR)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", z->path));
    if (code != Z_OK)
        RECON_TRY(damaged(ctx, z, m, "does not inflate to the size it declares"));
    if (recon_crc32(0, *out, m->size) != m->crc)
        RECON_TRY(damaged(ctx, z, m, "the check sum is wrong"));
done:
    if (status != RECON_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

static const member *find(const recon_npz *z, const char *name)
{
    for (size_t i = 0; i < z->count; i++)
        if (strcmp(z->members[i].name, name) == 0)
            return &z->members[i];
    return NULL;
}

recon_status recon_npz_read(recon_ctx *ctx, recon_array *out, const recon_npz *z, const char *name)
{
    recon_status status;
    void *bytes = NULL;
    char place[1024];
    const member *m = find(z, name);
    *out = (recon_array){ 0 };
    if (!m)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: there is no member '%.100s'", z->path, name);
    snprintf(place, sizeof place, "%s: member '%.100s'", z->path, m->name);
    RECON_TRY(unpack(ctx, &bytes, z, m));
    RECON_TRY(recon_npy_parse(ctx, out, bytes, m->size, place));
    if (!out->block) { /* the array lies in the bytes and takes them over */
        out->block = bytes;
        bytes = NULL;
    }
done:
    free(bytes);
    return status;
}
