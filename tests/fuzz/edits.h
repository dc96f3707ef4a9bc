/* edits.h - a safetensors file with lies in it. A text says which, a line each:
 *
 *   @KEY VALUE                    what the metadata say of KEY; without VALUE it is not there
 *   NAME/shape [2, 3]             of a tensor: shape, dtype or data_offsets, as JSON
 *   NAME/fill -1e38               all its numbers
 *   NAME {"dtype": ...}           all that the header says of it, or of one more; without: gone
 *
 * Lines of another form change nothing. Files as lists of lies are short, and say what they are
 * about; and a fuzzer that mutates the list need not get past JSON, names and offsets first. */
#ifndef TESTS_FUZZ_EDITS_H
#define TESTS_FUZZ_EDITS_H

#include "core/json.h"

#include <recon/core/array.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    json_t *header;
    unsigned char *body;
    size_t size; /* of body */
} edit_file;

enum { EDIT_LINE = 1024, EDIT_PREFIX = 8 };

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

/* The tensor as the header has it; its numbers are floats of 16 or 32 bits. */
static inline void edit_fill(edit_file *f, const json_t *tensor, const char *value)
{
    const json_t *offsets = json_object_get(tensor, "data_offsets");
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    size_t at = (size_t)json_integer_value(json_array_get(offsets, 0));
    size_t end = (size_t)json_integer_value(json_array_get(offsets, 1));
    size_t width = dtype && !strcmp(dtype, "F32") ? 4 : 2;
    float number = strtof(value, NULL);
    unsigned char bits[4];
    memcpy(bits, &number, sizeof bits);
    for (; end <= f->size && at < end && width <= end - at; at += width)
        memcpy(f->body + at, bits + 4 - width, width);
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
    if (line[0] != '@')
        edit_tensor(f, line, value);
    else if (space)
        edit_set(metadata, line + 1, json_string(value));
    else
        json_object_del(metadata, line + 1);
}

/* A file's bytes with all that a text says; free them. The good file stays as it is. */
static inline unsigned char *edit_apply(size_t *size, const edit_file *good, const char *text,
                                        size_t n)
{
    edit_file f = { json_deep_copy(good->header), malloc(good->size + 1), good->size };
    char line[EDIT_LINE];
    memcpy(f.body, good->body, good->size);
    for (size_t at = 0; at < n;) {
        const char *stop = memchr(text + at, '\n', n - at);
        size_t length = stop ? (size_t)(stop - text) - at : n - at;
        if (length > 0 && length < EDIT_LINE) {
            memcpy(line, text + at, length);
            line[length] = '\0';
            edit_line(&f, line);
        }
        at += length + 1;
    }
    char *header = json_dumps(f.header, JSON_COMPACT);
    uint64_t bytes = strlen(header);
    unsigned char *out = malloc(EDIT_PREFIX + bytes + f.size);
    memcpy(out, &bytes, EDIT_PREFIX);
    memcpy(out + EDIT_PREFIX, header, bytes);
    memcpy(out + EDIT_PREFIX + bytes, f.body, f.size);
    *size = EDIT_PREFIX + bytes + f.size;
    free(header);
    edit_end(&f);
    return out;
}

#endif
