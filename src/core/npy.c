/* npy.c - NumPy's .npy files: "NEP 1" and its two later versions.
 *
 * Six bytes of magic, two of version, the length of a header (two bytes, four since 2.0), the
 * header, the data. The header is a Python dictionary of three keys in any order; we read just that
 * much Python. */
#include "core/npy.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
enum { MAGIC_SIZE = 6, ALIGN = 64 };

static const struct {
    char text[3];
    recon_dtype dtype;
} codes[] = {
    { "f2", RECON_F16 }, { "f4", RECON_F32 }, { "f8", RECON_F64 }, { "i1", RECON_I8 },
    { "i2", RECON_I16 }, { "i4", RECON_I32 }, { "i8", RECON_I64 }, { "u1", RECON_U8 },
    { "u2", RECON_U16 }, { "u4", RECON_U32 }, { "u8", RECON_U64 }, { "b1", RECON_BOOL },
};
enum { CODES = sizeof codes / sizeof *codes };

/* Where the reading of a header is. */
typedef struct {
    recon_ctx *ctx;
    const char *path, *start, *at, *end;
} scanner;

typedef struct {
    recon_array array;
    int swapped; /* the file's byte order is not ours */
} header;

static recon_status wrong(const scanner *s, const char *fmt, ...) RECON_PRINTF(2, 3);
static recon_status wrong(const scanner *s, const char *fmt, ...)
{
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: NPY header, byte %td: %s", s->path,
                      s->at - s->start, what);
}

static char peek(scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
    return s->at < s->end ? *s->at : '\0';
}

static int accept(scanner *s, char c)
{
    if (peek(s) != c || s->at == s->end)
        return 0;
    s->at++;
    return 1;
}

static recon_status expect(scanner *s, char c)
{
    return accept(s, c) ? RECON_OK : wrong(s, "expected '%c'", c);
}

static int accept_word(scanner *s, const char *word)
{
    size_t n = strlen(word);
    peek(s);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return 0;
    s->at += n;
    return 1;
}

/* A quoted string without escapes; long ones are cut, as none that matters is long. */
static recon_status scan_string(scanner *s, char *out, size_t room)
{
    char quote = peek(s);
    if (quote != '\'' && quote != '"')
        return wrong(s, "expected a string");
    const char *from = s->at + 1;
    const char *to = memchr(from, quote, (size_t)(s->end - from));
    if (!to)
        return wrong(s, "a string does not end");
    size_t n = (size_t)(to - from) < room ? (size_t)(to - from) : room - 1;
    memcpy(out, from, n);
    out[n] = '\0';
    s->at = to + 1;
    return RECON_OK;
}

static recon_status scan_dimension(scanner *s, size_t *out)
{
    size_t value = 0;
    if (peek(s) == '-')
        return wrong(s, "a dimension is negative");
    const char *from = s->at;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
        if (__builtin_mul_overflow(value, (size_t)10, &value) ||
            __builtin_add_overflow(value, (size_t)(*s->at - '0'), &value))
            return wrong(s, "a dimension is too large");
    *out = value;
    return s->at > from ? RECON_OK : wrong(s, "expected a dimension");
}

static recon_status scan_shape(scanner *s, recon_array *out)
{
    int comma = 1;
    RECON_CHECK(expect(s, '('));
    while (!accept(s, ')')) {
        if (!comma)
            return wrong(s, "expected ',' or ')'");
        if (out->ndim == RECON_MAX_DIMS)
            return wrong(s, "more than %d dimensions", RECON_MAX_DIMS);
        RECON_CHECK(scan_dimension(s, &out->shape[out->ndim]));
        out->ndim++;
        comma = accept(s, ',');
    }
    if (out->ndim == 1 && !comma)
        return wrong(s, "shape is a number in brackets, not a tuple");
    return RECON_OK;
}

static recon_status scan_descr(scanner *s, header *out)
{
    char text[24];
    char first = peek(s);
    if (first == '[' || first == '(')
        return wrong(s, "records (structured dtypes) are not read");
    RECON_CHECK(scan_string(s, text, sizeof text));
    const char *code = text + (strchr("<>|=", text[0]) && text[0] != '\0');
    if (code[0] == 'O')
        return wrong(s, "object arrays (dtype '%s') are not read: they run code", text);
    for (int i = 0; i < CODES; i++)
        if (strcmp(code, codes[i].text) == 0) {
            out->array.dtype = codes[i].dtype;
            out->swapped = text[0] == '>' && recon_dtype_size(codes[i].dtype) > 1;
            return RECON_OK;
        }
    return wrong(s, "dtype '%s' is not read", text);
}

static recon_status scan_order(scanner *s, recon_array *out)
{
    out->fortran = accept_word(s, "True");
    return out->fortran || accept_word(s, "False") ? RECON_OK : wrong(s, "expected True or False");
}

static recon_status scan_value(scanner *s, header *out, const char *key, unsigned *seen)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    unsigned k = 0;
    while (k < 3 && strcmp(key, keys[k]) != 0)
        k++;
    if (k == 3)
        return wrong(s, "unknown key '%s'", key);
    if (*seen & 1u << k)
        return wrong(s, "key '%s' comes twice", key);
    *seen |= 1u << k;
    return k == 0   ? scan_descr(s, out)
           : k == 1 ? scan_order(s, &out->array)
                    : scan_shape(s, &out->array);
}

static recon_status scan_header(scanner *s, header *out)
{
    unsigned seen = 0;
    int comma = 1;
    RECON_CHECK(expect(s, '{'));
    while (!accept(s, '}')) {
        char key[24];
        if (!comma)
            return wrong(s, "expected ',' or '}'");
        RECON_CHECK(scan_string(s, key, sizeof key));
        RECON_CHECK(expect(s, ':'));
        RECON_CHECK(scan_value(s, out, key, &seen));
        comma = accept(s, ',');
    }
    peek(s);
    if (s->at != s->end)
        return wrong(s, "something follows the dictionary");
    if (seen != 7)
        return wrong(s, "key '%s' is missing",
                     !(seen & 1)   ? "descr"
                     : !(seen & 2) ? "fortran_order"
                                   : "shape");
    return RECON_OK;
}

/* Where the header lies: the scanner is set to it. */
static recon_status find_header(scanner *s, const unsigned char *bytes, size_t size)
{
    if (size < MAGIC_SIZE + 4 || memcmp(bytes, MAGIC, MAGIC_SIZE) != 0)
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: not an NPY file: %s", s->path,
                          size >= 2 && !memcmp(bytes, "PK", 2) ? "an archive, NPZ perhaps"
                          : size < MAGIC_SIZE + 4              ? "too short"
                                                               : "wrong magic");
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return recon_fail(s->ctx, RECON_ERR_FORMAT, "%s: NPY version %u.%u is not known", s->path,
                          major, minor);
    size_t prefix = major == 1 ? 10 : 12, length = bytes[8] | (size_t)bytes[9] << 8;
    if (size >= prefix && major > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (size < prefix || length > size - prefix)
        return recon_fail(s->ctx, RECON_ERR_FORMAT,
                          "%s: NPY header is cut short: %zu bytes are there, %zu needed", s->path,
                          size, prefix + length);
    s->start = (const char *)bytes;
    s->at = s->start + prefix;
    s->end = s->at + length;
    return RECON_OK;
}

static recon_status copy(recon_ctx *ctx, unsigned char *out, const unsigned char *in, size_t bytes,
                         size_t width, int swapped)
{
    for (size_t i = 0; i < bytes; i += width) {
        for (size_t j = 0; j < width; j++)
            out[i + j] = in[i + (swapped ? width - 1 - j : j)];
        RECON_CHECK(recon_interrupted_at(ctx, i / width));
    }
    return RECON_OK;
}

/* Takes the data where it lies, or a copy if the processor could not read it there. */
static recon_status take_data(recon_ctx *ctx, header *h, const void *data, size_t bytes)
{
    size_t width = recon_dtype_size(h->array.dtype);
    h->array.data = data;
    if (!h->swapped && (uintptr_t)data % width == 0)
        return RECON_OK;
    RECON_CHECK(recon_alloc_raw(ctx, &h->array.block, bytes, 1));
    h->array.data = h->array.block;
    return copy(ctx, h->array.block, data, bytes, width, h->swapped);
}

recon_status recon_npy_parse(recon_ctx *ctx, recon_array *out, const void *bytes, size_t size,
                             const char *path)
{
    recon_status status;
    recon_array_text text;
    scanner s = { .ctx = ctx, .path = path };
    header h = { 0 };
    size_t need;
    RECON_TRY(find_header(&s, bytes, size));
    RECON_TRY(scan_header(&s, &h));
    size_t there = size - (size_t)(s.end - s.start);
    if (!recon_array_fits(&need, h.array.dtype, h.array.shape, h.array.ndim))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: an array of %s cannot exist", path,
                             recon_array_show(text, &h.array)));
    if (there != need)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT,
                             "%s: data is %s: %zu bytes are there, %zu needed for %s", path,
                             there < need ? "cut short" : "too long", there, need,
                             recon_array_show(text, &h.array)));
    RECON_TRY(take_data(ctx, &h, s.end, need));
done:
    *out = status == RECON_OK ? h.array : (recon_array){ 0 };
    return status;
}

recon_status recon_npy_read(recon_ctx *ctx, recon_array *out, const char *path)
{
    recon_status status;
    recon_file file;
    *out = (recon_array){ 0 };
    RECON_TRY(recon_file_open(ctx, &file, path));
    RECON_TRY(recon_npy_parse(ctx, out, file.bytes, file.size, path));
    if (!out->block) { /* it lies in the file, which is the array's from here on */
        out->block = file.block;
        out->mapped = file.mapped;
        file = (recon_file){ 0 };
    }
done:
    recon_file_close(&file);
    return status;
}

static recon_status check_writable(recon_ctx *ctx, const recon_array *array, const char *path)
{
    size_t bytes;
    if (array->ndim < 0 || array->ndim > RECON_MAX_DIMS)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %d dimensions, not 0 to %d", path, array->ndim,
                          RECON_MAX_DIMS);
    if (!recon_array_fits(&bytes, array->dtype, array->shape, array->ndim))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: the shape is too large", path);
    return RECON_OK;
}

recon_status recon_npy_make_header(recon_ctx *ctx, recon_npy_header out, size_t *size,
                                   const recon_array *array, const char *path)
{
    recon_status status = check_writable(ctx, array, path);
    int c = 0;
    while (c < CODES && codes[c].dtype != array->dtype)
        c++;
    if (status != RECON_OK)
        return status;
    if (c == CODES)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: NPY has no %s", path,
                          recon_dtype_name(array->dtype));
    size_t room = sizeof(recon_npy_header);
    size_t n = 10 + (size_t)snprintf(out + 10, room - 10,
                                     "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                                     recon_dtype_size(array->dtype) > 1 ? '<' : '|', codes[c].text,
                                     array->fortran ? "True" : "False");
    for (int i = 0; i < array->ndim; i++)
        n += (size_t)snprintf(out + n, room - n, "%zu%s", array->shape[i],
                              array->ndim == 1      ? ","
                              : i + 1 < array->ndim ? ", "
                                                    : "");
    n += (size_t)snprintf(out + n, room - n, "), }");
    *size = (n + ALIGN) / ALIGN * ALIGN; /* at least one byte more, for the line's end */
    memset(out + n, ' ', *size - n - 1);
    out[*size - 1] = '\n';
    memcpy(out, MAGIC "\x01\x00", 8);
    out[8] = (char)((*size - 10) & 0xff);
    out[9] = (char)((*size - 10) >> 8);
    return RECON_OK;
}

recon_status recon_npy_write(recon_ctx *ctx, const char *path, const recon_array *array)
{
    recon_status status;
    recon_writer writer = { .fd = -1 };
    recon_npy_header head;
    size_t size;
    RECON_TRY(recon_npy_make_header(ctx, head, &size, array, path));
    RECON_TRY(recon_writer_open(ctx, &writer, path));
    RECON_TRY(recon_writer_write(ctx, &writer, head, size));
    RECON_TRY(recon_writer_write(ctx, &writer, array->data, recon_array_bytes(array)));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    return status;
}

struct recon_npy_writer {
    recon_writer file;
    size_t row_bytes, rows, written;
};

recon_status recon_npy_writer_open(recon_ctx *ctx, recon_npy_writer **out, const char *path,
                                   recon_dtype dtype, const size_t *shape, int ndim)
{
    recon_status status;
    recon_array array = { .dtype = dtype, .ndim = ndim };
    recon_npy_writer *writer = NULL;
    recon_npy_header head;
    size_t size;
    for (int i = 0; i < ndim && i < RECON_MAX_DIMS; i++)
        array.shape[i] = shape[i];
    RECON_TRY(recon_npy_make_header(ctx, head, &size, &array, path));
    RECON_TRY(recon_alloc(ctx, &writer, 1, sizeof *writer));
    writer->file.fd = -1;
    writer->rows = ndim > 0 ? array.shape[0] : 1;
    array.shape[0] = 1;
    writer->row_bytes = recon_array_bytes(&array);
    RECON_TRY(recon_writer_open(ctx, &writer->file, path));
    RECON_TRY(recon_writer_write(ctx, &writer->file, head, size));
done:
    if (status != RECON_OK) {
        recon_npy_writer_close(writer);
        writer = NULL;
    }
    *out = writer;
    return status;
}

recon_status recon_npy_writer_append(recon_ctx *ctx, recon_npy_writer *writer, const void *rows,
                                     size_t n)
{
    if (n > writer->rows - writer->written)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: row %zu of %zu", writer->file.path,
                          writer->written + n, writer->rows);
    writer->written += n;
    return recon_writer_write(ctx, &writer->file, rows, n * writer->row_bytes);
}

static recon_status check_rows(recon_ctx *ctx, const recon_npy_writer *writer)
{
    if (writer->written != writer->rows)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu of %zu rows were written",
                          writer->file.path, writer->written, writer->rows);
    return RECON_OK;
}

recon_status recon_npy_writer_sync(recon_ctx *ctx, recon_npy_writer *writer)
{
    RECON_CHECK(check_rows(ctx, writer));
    return recon_writer_sync(ctx, &writer->file);
}

recon_status recon_npy_writer_commit(recon_ctx *ctx, recon_npy_writer *writer)
{
    RECON_CHECK(check_rows(ctx, writer));
    return recon_writer_commit(ctx, &writer->file);
}

void recon_npy_writer_close(recon_npy_writer *writer)
{
    if (!writer)
        return;
    recon_writer_close(&writer->file);
    free(writer);
}
