/* safetensors.c - the safetensors format: eight bytes with the length of a header, the header (a
 * JSON object from names to dtype, shape and offsets), the data without holes. */
#include "core/safetensors.h"
#include "core/npy.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/shipped.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

#define HEADER_MAX ((uint64_t)100000000) /* the format's own limit */
#define METADATA   "__metadata__"
enum { PREFIX = 8, ALIGN = 64, PATH = 1100 };

static const struct {
    const char *text;
    recon_dtype dtype;
} codes[] = {
    { "F16", RECON_F16 },   { "BF16", RECON_BF16 }, { "F32", RECON_F32 }, { "F64", RECON_F64 },
    { "I8", RECON_I8 },     { "I16", RECON_I16 },   { "I32", RECON_I32 }, { "I64", RECON_I64 },
    { "U8", RECON_U8 },     { "U16", RECON_U16 },   { "U32", RECON_U32 }, { "U64", RECON_U64 },
    { "BOOL", RECON_BOOL },
};
enum { CODES = sizeof codes / sizeof *codes };

typedef struct {
    const char *name; /* lives in the header */
    recon_array array;
    size_t begin, end; /* of its bytes, from the start of the data */
} tensor;

struct recon_safetensors {
    recon_file file;
    char *path;
    json_t *header;
    const unsigned char *data;
    size_t data_size, count, n_metadata;
    tensor *tensors;        /* by begin */
    const tensor **by_name; /* the same */
    recon_metadata_entry *metadata;
};

static recon_status wrong(recon_ctx *ctx, const recon_safetensors *f, const char *name,
                          const char *what)
{
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: tensor '%.100s': %s", f->path, name, what);
}

static recon_status find_header(recon_ctx *ctx, recon_safetensors *f)
{
    uint64_t length;
    if (f->file.size < PREFIX)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not a safetensors file: %zu bytes", f->path,
                          f->file.size);
    memcpy(&length, f->file.bytes, sizeof length);
    if (length > HEADER_MAX || length > f->file.size - PREFIX)
        return recon_fail(
            ctx, RECON_ERR_FORMAT,
            "%s: not a safetensors file, or cut short: header of %llu bytes in a file of %zu",
            f->path, (unsigned long long)length, f->file.size);
    f->data = f->file.bytes + PREFIX + length;
    f->data_size = f->file.size - PREFIX - (size_t)length;
    RECON_CHECK(recon_json_parse(ctx, &f->header, f->file.bytes + PREFIX, (size_t)length, f->path));
    if (!json_is_object(f->header))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: header is not an object", f->path);
    return RECON_OK;
}

static recon_status read_metadata(recon_ctx *ctx, recon_safetensors *f)
{
    json_t *map = json_object_get(f->header, METADATA), *value;
    const char *key;
    if (map && !json_is_object(map))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: " METADATA " is not an object", f->path);
    RECON_CHECK(recon_alloc(ctx, &f->metadata, json_object_size(map), sizeof *f->metadata));
    json_object_foreach(map, key, value)
    {
        if (!json_is_string(value))
            return recon_fail(ctx, RECON_ERR_FORMAT, "%s: " METADATA " '%.100s' is not a string",
                              f->path, key);
        f->metadata[f->n_metadata++] = (recon_metadata_entry){ key, json_string_value(value) };
    }
    return RECON_OK;
}

static int read_size(size_t *out, const json_t *value)
{
    *out = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static recon_status read_dtype(recon_ctx *ctx, tensor *t, const recon_safetensors *f,
                               const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text)
        return wrong(ctx, f, t->name, "dtype is missing or not a string");
    for (int i = 0; i < CODES; i++)
        if (strcmp(text, codes[i].text) == 0) {
            t->array.dtype = codes[i].dtype;
            return RECON_OK;
        }
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: tensor '%.100s': dtype '%.20s' is not read",
                      f->path, t->name, text);
}

static recon_status read_shape(recon_ctx *ctx, tensor *t, const recon_safetensors *f,
                               const json_t *value)
{
    size_t ndim = json_array_size(value);
    if (!json_is_array(value) || ndim > RECON_MAX_DIMS)
        return wrong(ctx, f, t->name, "shape is missing, not a list or of too many dimensions");
    t->array.ndim = (int)ndim;
    for (size_t i = 0; i < ndim; i++)
        if (!read_size(&t->array.shape[i], json_array_get(value, i)))
            return wrong(ctx, f, t->name, "a dimension is not a number from 0 on");
    return RECON_OK;
}

static recon_status read_offsets(recon_ctx *ctx, tensor *t, const recon_safetensors *f,
                                 const json_t *value)
{
    size_t bytes;
    recon_array_text text;
    if (json_array_size(value) != 2 || !read_size(&t->begin, json_array_get(value, 0)) ||
        !read_size(&t->end, json_array_get(value, 1)))
        return wrong(ctx, f, t->name, "data_offsets are missing or not two numbers from 0 on");
    if (t->begin > t->end || t->end > f->data_size)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: tensor '%.100s': bytes %zu to %zu, but the data has %zu", f->path,
                          t->name, t->begin, t->end, f->data_size);
    if (!recon_array_fits(&bytes, t->array.dtype, t->array.shape, t->array.ndim) ||
        bytes != t->end - t->begin)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: tensor '%.100s': %zu bytes cannot hold %s",
                          f->path, t->name, t->end - t->begin, recon_array_show(text, &t->array));
    t->array.data = f->data + t->begin;
    return RECON_OK;
}

static recon_status read_tensor(recon_ctx *ctx, tensor *t, const recon_safetensors *f,
                                const json_t *entry)
{
    if (json_object_size(entry) != 3)
        return wrong(ctx, f, t->name, "not an object of dtype, shape and data_offsets");
    RECON_CHECK(read_dtype(ctx, t, f, json_object_get(entry, "dtype")));
    RECON_CHECK(read_shape(ctx, t, f, json_object_get(entry, "shape")));
    return read_offsets(ctx, t, f, json_object_get(entry, "data_offsets"));
}

static int by_place(const void *a, const void *b)
{
    const tensor *s = a, *t = b;
    if (s->begin != t->begin)
        return s->begin < t->begin ? -1 : 1;
    return (s->end > t->end) - (s->end < t->end); /* empty ones come before what they touch */
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const tensor *const *)a)->name, (*(const tensor *const *)b)->name);
}

static recon_status read_tensors(recon_ctx *ctx, recon_safetensors *f)
{
    const char *name;
    json_t *entry;
    RECON_CHECK(recon_alloc(ctx, &f->tensors, json_object_size(f->header), sizeof(tensor)));
    json_object_foreach(f->header, name, entry)
    {
        if (strcmp(name, METADATA) == 0)
            continue;
        f->tensors[f->count].name = name;
        RECON_CHECK(read_tensor(ctx, &f->tensors[f->count], f, entry));
        f->count++;
    }
    qsort(f->tensors, f->count, sizeof(tensor), by_place);
    size_t at = 0;
    for (size_t i = 0; i < f->count; at = f->tensors[i++].end)
        if (f->tensors[i].begin != at)
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s: tensor '%.100s' begins at byte %zu of the data, not at %zu: %s",
                              f->path, f->tensors[i].name, f->tensors[i].begin, at,
                              f->tensors[i].begin < at ? "it overlaps another" : "there is a hole");
    if (at != f->data_size)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %zu bytes of data, but tensors end at %zu",
                          f->path, f->data_size, at);
    RECON_CHECK(recon_alloc(ctx, &f->by_name, f->count, sizeof *f->by_name));
    for (size_t i = 0; i < f->count; i++)
        f->by_name[i] = &f->tensors[i];
    qsort(f->by_name, f->count, sizeof *f->by_name, by_name);
    return RECON_OK;
}

recon_status recon_safetensors_parse(recon_ctx *ctx, recon_safetensors **out, recon_file file,
                                     const char *path)
{
    recon_status status;
    recon_safetensors *f = NULL;
    size_t length = strlen(path) + 1;
    RECON_TRY(recon_alloc(ctx, &f, 1, sizeof *f));
    RECON_TRY(recon_alloc(ctx, &f->path, length, 1));
    memcpy(f->path, path, length);
    f->file = file;
    RECON_TRY(find_header(ctx, f));
    RECON_TRY(read_metadata(ctx, f));
    RECON_TRY(read_tensors(ctx, f));
done:
    if (status != RECON_OK && f) {
        f->file = (recon_file){ 0 }; /* stays the caller's */
        recon_safetensors_close(f);
        f = NULL;
    }
    *out = f;
    return status;
}

recon_status recon_safetensors_open(recon_ctx *ctx, recon_safetensors **out, const char *path)
{
    recon_file file;
    char shipped[PATH];
    *out = NULL;
    path = recon_shipped_model(shipped, sizeof shipped, path);
    recon_status status = recon_file_open(ctx, &file, path);
    if (status != RECON_OK)
        return recon_shipped_note(ctx, status, path);
    status = recon_safetensors_parse(ctx, out, file, path);
    if (status != RECON_OK)
        recon_file_close(&file);
    return status;
}

void recon_safetensors_close(recon_safetensors *f)
{
    if (!f)
        return;
    recon_file_close(&f->file);
    json_decref(f->header);
    recon_free_all(f->metadata, f->by_name, f->tensors, f->path, f);
}

size_t recon_safetensors_count(const recon_safetensors *f)
{
    return f->count;
}

const char *recon_safetensors_name(const recon_safetensors *f, size_t i)
{
    return f->tensors[i].name;
}

int recon_safetensors_has(const recon_safetensors *f, const char *name)
{
    size_t i = 0;
    while (i < f->count && strcmp(f->tensors[i].name, name) != 0)
        i++;
    return i < f->count;
}

const char *recon_safetensors_metadata(const recon_safetensors *f, const char *key)
{
    return json_string_value(json_object_get(json_object_get(f->header, METADATA), key));
}

recon_metadata_entry recon_safetensors_metadata_at(const recon_safetensors *f, size_t i)
{
    return i < f->n_metadata ? f->metadata[i] : (recon_metadata_entry){ NULL, NULL };
}

recon_status recon_safetensors_get(recon_ctx *ctx, recon_array *out, const recon_safetensors *f,
                                   const char *name)
{
    const tensor key = { .name = name }, *wanted = &key;
    const tensor **found = bsearch(&wanted, f->by_name, f->count, sizeof *f->by_name, by_name);
    const tensor *t = found ? *found : NULL;
    *out = (recon_array){ 0 };
    if (!t)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: there is no tensor '%.100s'", f->path, name);
    recon_array array = t->array;
    if ((uintptr_t)array.data % recon_dtype_size(array.dtype) != 0) {
        RECON_CHECK(recon_alloc_raw(ctx, &array.block, t->end - t->begin, 1));
        array.data = memcpy(array.block, array.data, t->end - t->begin);
    }
    *out = array;
    return RECON_OK;
}

/* Wide elements first: every tensor then begins at a multiple of its element's size. */
static int by_width_and_name(const void *a, const void *b)
{
    const tensor *s = a, *t = b;
    size_t u = recon_dtype_size(s->array.dtype), v = recon_dtype_size(t->array.dtype);
    return u != v ? (u < v) - (u > v) : strcmp(s->name, t->name);
}

static recon_status check_entry(recon_ctx *ctx, const recon_tensor_entry *entry, const char *path)
{
    size_t bytes;
    const recon_array *a = &entry->array;
    const char *what = a->fortran                                ? "is in Fortran order"
                       : a->ndim < 0 || a->ndim > RECON_MAX_DIMS ? "has too many dimensions"
                       : !recon_array_fits(&bytes, a->dtype, a->shape, a->ndim) ? "is too large"
                       : strcmp(entry->name, METADATA) == 0 ? "has a name that is taken"
                                                            : NULL;
    if (!what)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: tensor '%.100s' %s", path, entry->name, what);
}

static json_t *describe(const tensor *t)
{
    json_t *shape = json_array();
    for (int i = 0; i < t->array.ndim; i++)
        recon_json_append(&shape, json_integer((json_int_t)t->array.shape[i]));
    int c = 0;
    while (codes[c].dtype != t->array.dtype)
        c++;
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", codes[c].text, "shape", shape, "data_offsets",
                     (json_int_t)t->begin, (json_int_t)t->end);
}

/* Adds a value that was just made, of a text or with NULL of something else; a name twice, or what
 * is not UTF-8, is refused. */
static recon_status add(recon_ctx *ctx, json_t *object, const char *name, json_t *value,
                        const char *text, const char *path)
{
    if (json_object_get(object, name)) {
        json_decref(value);
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: '%.100s' comes twice", path, name);
    }
    if (json_object_set_new(object, name, value) == 0)
        return RECON_OK;
    if (!recon_utf8_is(name) || (text && !recon_utf8_is(text)))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: '%.100s' or its value is not UTF-8", path,
                          name);
    return recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", path);
}

static recon_status write_header(recon_ctx *ctx, recon_writer *writer, const json_t *header)
{
    static const char spaces[ALIGN + 1] =
        "                                                                ";
    recon_status status;
    char *text = json_dumps(header, JSON_COMPACT | JSON_SORT_KEYS);
    if (!text)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", writer->path);
    size_t size = strlen(text);
    uint64_t padded = (PREFIX + size + ALIGN - 1) / ALIGN * ALIGN - PREFIX;
    if (padded > HEADER_MAX)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: the header is too long", writer->path));
    RECON_TRY(recon_writer_write(ctx, writer, &padded, PREFIX));
    RECON_TRY(recon_writer_write(ctx, writer, text, size));
    RECON_TRY(recon_writer_write(ctx, writer, spaces, padded - size));
done:
    free(text);
    return status;
}

recon_status recon_safetensors_write(recon_ctx *ctx, const char *path,
                                     const recon_tensor_entry *tensors, size_t n_tensors,
                                     const recon_metadata_entry *metadata, size_t n_metadata)
{
    recon_status status;
    recon_writer writer = { .fd = -1 };
    json_t *header = json_object();
    tensor *t = NULL;
    RECON_TRY(recon_alloc(ctx, &t, n_tensors, sizeof *t));
    /* The tensors in the order of the file, with their places. */
    for (size_t i = 0; i < n_tensors; i++) {
        RECON_TRY(check_entry(ctx, &tensors[i], path));
        t[i] = (tensor){ .name = tensors[i].name, .array = tensors[i].array };
    }
    qsort(t, n_tensors, sizeof *t, by_width_and_name);
    for (size_t i = 0; i < n_tensors; i++) {
        t[i].begin = i ? t[i - 1].end : 0;
        t[i].end = t[i].begin + recon_array_bytes(&t[i].array);
    }
    if (n_metadata > 0) {
        json_t *map = json_object();
        RECON_TRY(add(ctx, header, METADATA, map, NULL, path));
        for (size_t i = 0; i < n_metadata; i++)
            RECON_TRY(add(ctx, map, metadata[i].key, json_string(metadata[i].value),
                          metadata[i].value, path));
    }
    for (size_t i = 0; i < n_tensors; i++)
        RECON_TRY(add(ctx, header, t[i].name, describe(&t[i]), NULL, path));
    RECON_TRY(recon_writer_open(ctx, &writer, path));
    RECON_TRY(write_header(ctx, &writer, header));
    for (size_t i = 0; i < n_tensors; i++)
        RECON_TRY(recon_writer_write(ctx, &writer, t[i].array.data, t[i].end - t[i].begin));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    json_decref(header);
    free(t);
    return status;
}
