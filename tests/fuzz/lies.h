/* lies.h - lies about a file (edits.h), made up by chance: with names that are in it and values
 * that may hurt. */
#ifndef TESTS_FUZZ_LIES_H
#define TESTS_FUZZ_LIES_H

#include "core/json.h"

#include <stdint.h>
#include <stdio.h>

/* Of a good file, and what chance comes from. */
typedef struct {
    json_t *header;
    size_t size; /* of the whole file */
    uint64_t state;
} liar;

static inline size_t lie_below(liar *l, size_t n)
{
    l->state = l->state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((l->state >> 33) % n);
}

#define LIE_ONE_OF(liar, list) list[lie_below(liar, sizeof list / sizeof *list)]

/* A key of a JSON object. */
static inline const char *lie_key(liar *l, json_t *object)
{
    void *at = json_object_iter(object);
    for (size_t skip = lie_below(l, json_object_size(object)); skip > 0; skip--)
        at = json_object_iter_next(object, at);
    return json_object_iter_key(at);
}

static inline int lie_metadata(char *out, size_t room, liar *l)
{
    static const char *const value[] = {
        "0",        "1",      "2",        "3",      "-1",
        "4",        "5",      "6",        "16",     "",
        "7",        "8",      "9",        "64",     "65",
        "4096",     "4097",   "65536",    "65537",  "1048576",
        "1048577",  "1e9",    "1e18",     "1e300",  "4294967297",
        "nan",      "inf",    "0.015625", "1.5",    "fast",
        "so3",      "paper",  "small",    "so2",    "ieae",
        "resnet18", "molnet", "1 8",      "1 6",    "1 6 7 8",
        "8 1",      "118",    "119",      "1e-300", "18446744073709551615",
    };
    const char *key = lie_key(l, json_object_get(l->header, "__metadata__"));
    if (lie_below(l, 16) == 0)
        return snprintf(out, room, "@%s\n", key);
    return snprintf(out, room, "@%s %s\n", key, LIE_ONE_OF(l, value));
}

static const char *const lie_numbers[] = { "0",    "1",    "-1",    "2",   "nan",  "inf",
                                           "-inf", "1e38", "-1e38", "1e9", "-1e9", "1e-40",
                                           "0.5",  "-0.1", "7",     "-40", "1e4",  "-1e4" };

static inline int lie_tensor(char *out, size_t room, liar *l)
{
    static const char *const shape[] = {
        "[]",        "[0]",
        "[1]",       "[2]",
        "[3]",       "[4]",
        "[6]",       "[1,1]",
        "[1,2]",     "[2,1]",
        "[2,2]",     "[3,2]",
        "[65537,1]", "[0,18446744073709551615]",
        "[-1]",      "[4294967296,4294967296]",
        "[1.5]",     "[9223372036854775807]",
        "{}",        "[1,1,1,1]",
    };
    static const char *const dtype[] = { "\"F16\"", "\"BF16\"", "\"F32\"", "\"F64\"", "\"U8\"",
                                         "\"I64\"", "\"BOOL\"", "\"?\"",   "1" };
    static const char *const offsets[] = {
        "[0,0]",
        "[0,2]",
        "[2,4]",
        "[0,18446744073709551615]",
        "[9223372036854775807,9223372036854775807]",
        "[4,2]",
    };
    const char *key = lie_key(l, l->header);
    switch (lie_below(l, 12)) {
    case 0: return snprintf(out, room, "%s\n", key);
    case 1: return snprintf(out, room, "%s/dtype %s\n", key, LIE_ONE_OF(l, dtype));
    case 2: return snprintf(out, room, "%s/shape %s\n", key, LIE_ONE_OF(l, shape));
    case 3: return snprintf(out, room, "%s/data_offsets %s\n", key, LIE_ONE_OF(l, offsets));
    case 4: return snprintf(out, room, "%s/resize %s\n", key, LIE_ONE_OF(l, shape));
    case 5:
    case 6: return snprintf(out, room, "%s/fill %s\n", key, LIE_ONE_OF(l, lie_numbers));
    default:
        return snprintf(out, room, "%s/set %zu %s\n", key, lie_below(l, 1000),
                        LIE_ONE_OF(l, lie_numbers));
    }
}

/* A number of the metadata, and with it every dimension of that size: such files may well open. */
static inline int lie_about_size(char *out, size_t room, liar *l)
{
    static const size_t small[] = { 1, 2, 3, 4, 5, 8, 9, 16, 17, 64 };
    json_t *metadata = json_object_get(l->header, "__metadata__");
    const char *key = lie_key(l, metadata);
    const char *old = json_string_value(json_object_get(metadata, key));
    size_t now = LIE_ONE_OF(l, small);
    return snprintf(out, room, "@%s %zu\n~%ld %zu\n", key, now, strtol(old, NULL, 10), now);
}

static inline int lie_about_bytes(char *out, size_t room, liar *l)
{
    const char *const length[] = { "0", "1", "7", "100000", "4294967296", "18446744073709551615" };
    switch (lie_below(l, 8)) {
    case 0: return snprintf(out, room, "!header %s\n", LIE_ONE_OF(l, length));
    case 1: return snprintf(out, room, "!header %zu\n", lie_below(l, l->size + 16));
    case 2:
    case 3: return snprintf(out, room, "!cut %zu\n", lie_below(l, l->size + 64));
    default:
        return snprintf(out, room, "!flip %zu %zu\n", lie_below(l, l->size), 1 + lie_below(l, 255));
    }
}

/* One lie, of a line or two. */
static inline int lie_any(char *out, size_t room, liar *l)
{
    static int (*const ways[])(char *, size_t, liar *) = { lie_metadata, lie_tensor, lie_about_size,
                                                           lie_about_bytes };
    return LIE_ONE_OF(l, ways)(out, room, l);
}

#endif
