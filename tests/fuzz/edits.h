/* edits.h - a safetensors file with lies in it. A text says which, a line each:
 *
 *   @KEY VALUE                    what the metadata say of KEY; without VALUE it is not there
 *   NAME/shape [2, 3]             of a tensor: shape, dtype or data_offsets, as JSON
 *   NAME/fill -1e38               all its numbers
 *   NAME/set 7 -1e38              one of them
 *   NAME/resize [2, 3]            its shape, and its data with it: the file stays consistent
 *   ~2 3                          the same for every dimension of 2 in the file
 *   NAME {"dtype": ...}           all that the header says of it, or of one more; without: gone
 *   !flip 100 255                 bits of a byte of the file, when all else is done
 *   !cut 100                      the file ends there, or goes on to there with zeros
 *   !header 100                   the length of the header, as the file says it
 *
 * Lines of another form change nothing. Files as lists of lies are short, and say what they are
 * about; and a fuzzer that mutates the list need not get past JSON, names and offsets first. */
#ifndef TESTS_FUZZ_EDITS_H
#define TESTS_FUZZ_EDITS_H

#include "core/json.h"

#include <recon/core/array.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    json_t *header;
    unsigned char *body;
    size_t size; /* of body */
} edit_file;

enum { EDIT_LINE = 1024, EDIT_PREFIX = 8, EDIT_LARGEST = 1 << 18 /* bytes of a body */ };

/* Of a file's bytes, which are good. */
static inline edit_file edit_begin(const unsigned char *bytes, size_t size)
{
    edit_file f;
    uint64_t header;
    memcpy(&header, bytes, EDIT_PREFIX);
    f.header = json_loadb((const char *)bytes + EDIT_PREFIX, header, 0, NULL);
    f.size = size - EDIT_PREFIX - header;
    f.body = malloc(f.size);
    memcpy(f.body, bytes + EDIT_PREFIX + header, f.size);
    return f;
}

static inline void edit_end(edit_file *f)
{
    json_decref(f->header);
    free(f->body);
}

/* value is taken. */
static inline void edit_set(json_t *object, const char *key, json_t *value)
{
    if (value)
        json_object_set_new(object, key, value);
}

/* A tensor as the header has it: its numbers are floats of 16 or 32 bits, or others that are taken
 * for such; its data are empty where the header has them outside the file. */
typedef struct {
    size_t from, to, width;
} edit_span;

static inline edit_span edit_span_of(const edit_file *f, const json_t *tensor)
{
    const json_t *offsets = json_object_get(tensor, "data_offsets");
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    edit_span s = { (size_t)json_integer_value(json_array_get(offsets, 0)),
                    (size_t)json_integer_value(json_array_get(offsets, 1)),
                    dtype && !strcmp(dtype, "F32") ? 4 : 2 };
    if (s.from > s.to || s.to > f->size)
        s.from = s.to = 0;
    return s;
}

static inline void edit_number(unsigned char *at, size_t width, const char *value)
{
    float number = strtof(value, NULL);
    unsigned char bits[4];
    memcpy(bits, &number, sizeof bits);
    memcpy(at, bits + 4 - width, width);
}

static inline void edit_fill(edit_file *f, const json_t *tensor, const char *value)
{
    edit_span s = edit_span_of(f, tensor);
    for (; s.width <= s.to - s.from; s.from += s.width)
        edit_number(f->body + s.from, s.width, value);
}

static inline void edit_one(edit_file *f, const json_t *tensor, const char *value)
{
    edit_span s = edit_span_of(f, tensor);
    char *rest;
    size_t n = (s.to - s.from) / s.width, which = strtoul(value, &rest, 10);
    if (n > 0)
        edit_number(f->body + s.from + which % n * s.width, s.width, rest);
}

/* Offsets of at least `from` go up by so much. */
static inline void edit_shift(json_t *header, size_t from, json_int_t by)
{
    const char *name;
    json_t *tensor;
    json_object_foreach(header, name, tensor)
    {
        json_t *offsets = json_object_get(tensor, "data_offsets");
        for (size_t i = 0; i < 2; i++) {
            json_int_t at = json_integer_value(json_array_get(offsets, i));
            if (at >= (json_int_t)from && at <= EDIT_LARGEST)
                json_array_set_new(offsets, i, json_integer(at + by));
        }
    }
}

/* shape is taken. New numbers are zero. */
static inline void edit_resize(edit_file *f, json_t *tensor, json_t *shape)
{
    edit_span s = edit_span_of(f, tensor);
    size_t bytes = s.width, old = s.to - s.from;
    for (size_t i = 0; i < json_array_size(shape) && bytes <= EDIT_LARGEST; i++)
        bytes *= (size_t)json_integer_value(json_array_get(shape, i)) % EDIT_LARGEST;
    if (old == 0 || bytes == 0 || f->size - old + bytes > EDIT_LARGEST) {
        json_decref(shape);
        return;
    }
    unsigned char *body = calloc(f->size - old + bytes, 1);
    memcpy(body, f->body, s.from + (bytes < old ? bytes : old));
    memcpy(body + s.from + bytes, f->body + s.to, f->size - s.to);
    free(f->body);
    f->body = body;
    f->size += bytes - old;
    edit_shift(f->header, s.to, (json_int_t)bytes - (json_int_t)old);
    edit_set(tensor, "shape", shape);
}

static inline void edit_dimension(edit_file *f, json_int_t from, json_int_t to)
{
    const char *name;
    json_t *tensor, *size;
    size_t i;
    json_object_foreach(f->header, name, tensor)
    {
        json_t *shape = json_deep_copy(json_object_get(tensor, "shape"));
        json_array_foreach(shape, i, size)
        {
            if (json_integer_value(size) == from)
                json_array_set_new(shape, i, json_integer(to));
        }
        if (shape)
            edit_resize(f, tensor, shape);
    }
}

static inline void edit_tensor(edit_file *f, char *name, const char *value)
{
    char *slash = strrchr(name, '/');
    if (!slash) {
        json_object_del(f->header, name);
        edit_set(f->header, name, json_loads(value, JSON_DECODE_ANY, NULL));
        return;
    }
    *slash = '\0';
    json_t *tensor = json_object_get(f->header, name);
    if (!strcmp(slash + 1, "fill"))
        edit_fill(f, tensor, value);
    else if (!strcmp(slash + 1, "set"))
        edit_one(f, tensor, value);
    else if (!strcmp(slash + 1, "resize") && tensor)
        edit_resize(f, tensor, json_loads(value, 0, NULL));
    else
        edit_set(tensor, slash + 1, json_loads(value, JSON_DECODE_ANY, NULL));
}

static inline void edit_line(edit_file *f, char *line)
{
    char *space = strchr(line, ' ');
    const char *value = space ? space + 1 : "";
    json_t *metadata = json_object_get(f->header, "__metadata__");
    if (space)
        *space = '\0';
    if (line[0] == '!')
        return; /* of the bytes: edit_bytes */
    if (line[0] == '~')
        edit_dimension(f, strtol(line + 1, NULL, 10), strtol(value, NULL, 10));
    else if (line[0] != '@')
        edit_tensor(f, line, value);
    else if (space)
        edit_set(metadata, line + 1, json_string(value));
    else
        json_object_del(metadata, line + 1);
}

/* The next line of a text, from *at on; 0 when there is none. One that is too long is empty. */
static inline int edit_next_line(char line[EDIT_LINE], const char *text, size_t n, size_t *at)
{
    if (*at >= n)
        return 0;
    const char *stop = memchr(text + *at, '\n', n - *at);
    size_t length = stop ? (size_t)(stop - text) - *at : n - *at;
    size_t kept = length < EDIT_LINE ? length : 0;
    memcpy(line, text + *at, kept);
    line[kept] = '\0';
    *at += length + 1;
    return 1;
}

/* A file as bytes; free them. */
static inline unsigned char *edit_whole(size_t *size, const edit_file *f)
{
    char *header = json_dumps(f->header, JSON_COMPACT);
    uint64_t bytes = strlen(header);
    *size = EDIT_PREFIX + bytes + f->size;
    unsigned char *out = malloc(*size);
    memcpy(out, &bytes, EDIT_PREFIX);
    memcpy(out + EDIT_PREFIX, header, bytes);
    memcpy(out + EDIT_PREFIX + bytes, f->body, f->size);
    free(header);
    return out;
}

static inline void edit_bytes(unsigned char **file, size_t *size, const char *line)
{
    char word[8] = "";
    unsigned long long where = 0, what = 0;
    if (sscanf(line, "!%7s %llu %llu", word, &where, &what) < 2)
        return;
    if (!strcmp(word, "header") && *size >= EDIT_PREFIX) {
        memcpy(*file, &where, EDIT_PREFIX);
    } else if (!strcmp(word, "flip") && *size > 0) {
        (*file)[where % *size] ^= (unsigned char)what;
    } else if (!strcmp(word, "cut") && where <= EDIT_LARGEST) {
        *file = realloc(*file, where + 1);
        if (where > *size)
            memset(*file + *size, 0, where - *size);
        *size = where;
    }
}

/* A file's bytes with all that a text says; free them. The good file stays as it is. */
static inline unsigned char *edit_apply(size_t *size, const edit_file *good, const char *text,
                                        size_t n)
{
    edit_file f = { json_deep_copy(good->header), malloc(good->size + 1), good->size };
    char line[EDIT_LINE];
    memcpy(f.body, good->body, good->size);
    for (size_t at = 0; edit_next_line(line, text, n, &at);)
        if (line[0])
            edit_line(&f, line);
    unsigned char *out = edit_whole(size, &f);
    edit_end(&f);
    for (size_t at = 0; edit_next_line(line, text, n, &at);)
        if (line[0] == '!')
            edit_bytes(&out, size, line);
    return out;
}

#endif
