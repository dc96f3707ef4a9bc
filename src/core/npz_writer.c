/* npz_writer.c - writes ZIP archives of NPY members.
 *
 * Always in the 64-bit form (see npz.c), which every reader of today knows: one path for small and
 * large. Members go to the file as they come; only the directory waits for the commit. */
#include "core/npz.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/npy.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { NAME_ROOM = 1000, VERSION64 = 45 };

typedef struct {
    char name[NAME_ROOM];
    uint64_t size, packed, offset;
    uint32_t crc;
} written;

struct recon_npz_writer {
    recon_writer file;
    int deflate;
    uint64_t at; /* bytes so far */
    written *members;
    size_t count, room;
};

/* A record being put together: little-endian numbers, one after the other. */
typedef struct {
    unsigned char bytes[128];
    size_t size;
} record;

static void add(record *r, int bytes, uint64_t value)
{
    memcpy(r->bytes + r->size, &value, (size_t)bytes);
    r->size += (size_t)bytes;
}

static recon_status put(recon_ctx *ctx, recon_npz_writer *w, const void *bytes, size_t n)
{
    w->at += n;
    return recon_writer_write(ctx, &w->file, bytes, n);
}

recon_status recon_npz_writer_open(recon_ctx *ctx, recon_npz_writer **out, const char *path,
                                   const recon_npz_options *options)
{
    recon_status status;
    recon_npz_writer *w = NULL;
    RECON_TRY(recon_alloc(ctx, &w, 1, sizeof *w));
    w->file.fd = -1;
    w->deflate = options && options->deflate;
    RECON_TRY(recon_writer_open(ctx, &w->file, path));
done:
    if (status != RECON_OK) {
        recon_npz_writer_close(w);
        w = NULL;
    }
    *out = w;
    return status;
}

void recon_npz_writer_close(recon_npz_writer *w)
{
    if (!w)
        return;
    recon_writer_close(&w->file);
    free(w->members);
    free(w);
}

/* What local header and directory entry have in common, from the version to the check sum. */
static void add_common(record *r, const recon_npz_writer *w, const written *m)
{
    add(r, 2, VERSION64);
    add(r, 2, NAME_UTF8);
    add(r, 2, w->deflate ? DEFLATED : STORED);
    add(r, 2, 0);
    add(r, 2, 0x21); /* 1 January 1980 */
    add(r, 4, m->crc);
    add(r, 4, ELSEWHERE);
    add(r, 4, ELSEWHERE);
    add(r, 2, strlen(m->name));
}

static recon_status put_local(recon_ctx *ctx, recon_npz_writer *w, const written *m)
{
    recon_status status;
    record head = { .size = 0 }, tail = { .size = 0 };
    add(&head, 4, LOCAL_MAGIC);
    add_common(&head, w, m);
    add(&head, 2, 20);
    add(&tail, 2, EXTRA64);
    add(&tail, 2, 16);
    add(&tail, 8, m->size);
    add(&tail, 8, 0);
    RECON_TRY(put(ctx, w, head.bytes, head.size));
    RECON_TRY(put(ctx, w, m->name, strlen(m->name)));
    RECON_TRY(put(ctx, w, tail.bytes, tail.size));
done:
    return status;
}

/* The packed size is the one number that is not known until the data is through: the last one of
 * the local header. */
static recon_status patch_local(recon_ctx *ctx, recon_npz_writer *w, const written *m)
{
    uint64_t end = m->offset + LOCAL_SIZE + strlen(m->name) + 20;
    return recon_writer_patch(ctx, &w->file, end - 8, &m->packed, 8);
}

static recon_status put_entry(recon_ctx *ctx, recon_npz_writer *w, const written *m)
{
    recon_status status;
    record head = { .size = 0 }, tail = { .size = 0 };
    add(&head, 4, ENTRY_MAGIC);
    add(&head, 2, VERSION64);
    add_common(&head, w, m);
    add(&head, 2, 28);
    add(&head, 2, 0); /* comment, disk, attributes */
    add(&head, 2, 0);
    add(&head, 2, 0);
    add(&head, 4, 0);
    add(&head, 4, ELSEWHERE);
    add(&tail, 2, EXTRA64);
    add(&tail, 2, 24);
    add(&tail, 8, m->size);
    add(&tail, 8, m->packed);
    add(&tail, 8, m->offset);
    RECON_TRY(put(ctx, w, head.bytes, head.size));
    RECON_TRY(put(ctx, w, m->name, strlen(m->name)));
    RECON_TRY(put(ctx, w, tail.bytes, tail.size));
done:
    return status;
}

/* One piece of a member through the compressor; the last one with flush = Z_FINISH. */
static recon_status put_deflated(recon_ctx *ctx, recon_npz_writer *w, z_stream *s,
                                 const unsigned char *bytes, size_t n, int flush)
{
    unsigned char packed[16384];
    s->next_in = (unsigned char *)(uintptr_t)bytes; /* zlib promises not to write there */
    do {
        s->avail_in = (uInt)(n < UINT_MAX ? n : UINT_MAX); /* it counts in 32 bits */
        n -= s->avail_in;
        do {
            s->next_out = packed;
            s->avail_out = sizeof packed;
            deflate(s, n == 0 ? flush : Z_NO_FLUSH);
            recon_status status = put(ctx, w, packed, sizeof packed - s->avail_out);
            if (status != RECON_OK)
                return status;
        } while (s->avail_out == 0);
    } while (n > 0);
    return RECON_OK;
}

static recon_status put_packed(recon_ctx *ctx, recon_npz_writer *w, const void *head,
                               size_t head_size, const recon_array *array)
{
    recon_status status;
    z_stream s = { 0 };
    if (deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", w->file.path);
    RECON_TRY(put_deflated(ctx, w, &s, head, head_size, Z_NO_FLUSH));
    RECON_TRY(put_deflated(ctx, w, &s, array->data, recon_array_bytes(array), Z_FINISH));
done:
    deflateEnd(&s);
    return status;
}

static recon_status put_data(recon_ctx *ctx, recon_npz_writer *w, const void *head,
                             size_t head_size, const recon_array *array)
{
    if (w->deflate)
        return put_packed(ctx, w, head, head_size, array);
    recon_status status = put(ctx, w, head, head_size);
    return status != RECON_OK ? status : put(ctx, w, array->data, recon_array_bytes(array));
}

static recon_status make_room(recon_ctx *ctx, recon_npz_writer *w)
{
    written *wider;
    if (w->count < w->room)
        return RECON_OK;
    recon_status status = recon_alloc(ctx, &wider, 2 * w->room + 8, sizeof *wider);
    if (status != RECON_OK)
        return status;
    if (w->count > 0)
        memcpy(wider, w->members, w->count * sizeof *wider);
    free(w->members);
    w->members = wider;
    w->room = 2 * w->room + 8;
    return RECON_OK;
}

static recon_status name_member(recon_ctx *ctx, const recon_npz_writer *w, written *m,
                                const char *name)
{
    if (name[0] == '\0' || strlen(name) > NAME_ROOM - sizeof ".npy")
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: a member's name is empty or too long",
                          w->file.path);
    snprintf(m->name, sizeof m->name, "%s.npy", name);
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->members[i].name, m->name) == 0)
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: member '%.100s' comes twice", w->file.path,
                              name);
    return RECON_OK;
}

recon_status recon_npz_writer_add(recon_ctx *ctx, recon_npz_writer *w, const char *name,
                                  const recon_array *array)
{
    recon_status status;
    recon_npy_header head;
    size_t head_size = 0;
    RECON_TRY(recon_npy_make_header(ctx, head, &head_size, array, w->file.path));
    RECON_TRY(make_room(ctx, w));
    written *m = &w->members[w->count];
    *m = (written){ .offset = w->at, .size = head_size + recon_array_bytes(array) };
    RECON_TRY(name_member(ctx, w, m, name));
    m->crc = recon_crc32(recon_crc32(0, head, head_size), array->data, recon_array_bytes(array));
    RECON_TRY(put_local(ctx, w, m));
    uint64_t begin = w->at;
    RECON_TRY(put_data(ctx, w, head, head_size, array));
    m->packed = w->at - begin;
    RECON_TRY(patch_local(ctx, w, m));
    w->count++;
done:
    return status;
}

static recon_status put_end(recon_ctx *ctx, recon_npz_writer *w, uint64_t directory)
{
    record r = { .size = 0 };
    uint64_t end = w->at;
    add(&r, 4, END64_MAGIC);
    add(&r, 8, END64_SIZE - 12);
    add(&r, 2, VERSION64);
    add(&r, 2, VERSION64);
    add(&r, 8, 0); /* two disk numbers */
    add(&r, 8, w->count);
    add(&r, 8, w->count);
    add(&r, 8, end - directory);
    add(&r, 8, directory);
    add(&r, 4, LOCATOR_MAGIC);
    add(&r, 4, 0);
    add(&r, 8, end);
    add(&r, 4, 1); /* disks */
    add(&r, 4, END_MAGIC);
    add(&r, 4, 0);
    add(&r, 4, ELSEWHERE); /* two counts of 16 bits */
    add(&r, 4, ELSEWHERE);
    add(&r, 4, ELSEWHERE);
    add(&r, 2, 0);
    return put(ctx, w, r.bytes, r.size);
}

recon_status recon_npz_writer_commit(recon_ctx *ctx, recon_npz_writer *w)
{
    recon_status status;
    uint64_t directory = w->at;
    for (size_t i = 0; i < w->count; i++)
        RECON_TRY(put_entry(ctx, w, &w->members[i]));
    RECON_TRY(put_end(ctx, w, directory));
    RECON_TRY(recon_writer_commit(ctx, &w->file));
done:
    return status;
}
