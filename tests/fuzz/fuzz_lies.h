/* fuzz_lies.h - libFuzzer makes up lists of lies: now and then a whole line of its own choice, with
 * a name that is in the file and a value that may hurt; otherwise bytes, as always. */
#ifndef TESTS_FUZZ_LIES_H
#define TESTS_FUZZ_LIES_H

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static inline unsigned fuzz_below(unsigned *seed, size_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % (unsigned)n;
}

#define FUZZ_ONE_OF(seed, list) list[fuzz_below(seed, sizeof list / sizeof *list)]

/* A key of a JSON object, by chance. */
static inline const char *fuzz_key(unsigned *seed, json_t *object)
{
    void *at = json_object_iter(object);
    for (unsigned skip = fuzz_below(seed, json_object_size(object)); skip > 0; skip--)
        at = json_object_iter_next(object, at);
    return json_object_iter_key(at);
}

static inline int fuzz_metadata_lie(char *out, size_t room, unsigned *seed)
{
    static const char *const value[] = {
        "0",        "1",      "2",        "3",      "-1",
        "7",        "8",      "9",        "64",     "65",
        "4096",     "4097",   "65536",    "65537",  "1048576",
        "1048577",  "1e9",    "1e18",     "1e300",  "4294967297",
        "nan",      "inf",    "0.015625", "1.5",    "fast",
        "so3",      "paper",  "small",    "so2",    "ieae",
        "resnet18", "molnet", "1 8",      "1 6",    "1 6 7 8",
        "8 1",      "118",    "119",      "1e-300", "18446744073709551615",
    };
    const char *key = fuzz_key(seed, json_object_get(fuzz_good.header, "__metadata__"));
    if (fuzz_below(seed, 16) == 0)
        return snprintf(out, room, "@%s\n", key);
    return snprintf(out, room, "@%s %s\n", key, FUZZ_ONE_OF(seed, value));
}

static inline int fuzz_tensor_lie(char *out, size_t room, unsigned *seed)
{
    static const char *const shape[] = { "[]",
                                         "[0]",
                                         "[1]",
                                         "[2]",
                                         "[3]",
                                         "[4]",
                                         "[6]",
                                         "[1,1]",
                                         "[1,2]",
                                         "[2,1]",
                                         "[2,2]",
                                         "[3,2]",
                                         "[65537,1]",
                                         "[0,18446744073709551615]",
                                         "[4294967296,4294967296]",
                                         "[9223372036854775807]",
                                         "[-1]",
                                         "[1,1,1,1]",
                                         "[1.5]",
                                         "{}" };
    static const char *const dtype[] = { "\"F16\"", "\"BF16\"", "\"F32\"", "\"F64\"", "\"U8\"",
                                         "\"I64\"", "\"BOOL\"", "\"?\"",   "1" };
    static const char *const offsets[] = { "[0,0]",
                                           "[0,2]",
                                           "[2,4]",
                                           "[0,18446744073709551615]",
                                           "[9223372036854775807,9223372036854775807]",
                                           "[4,2]" };
    static const char *const fill[] = { "0",    "1",    "-1",    "2",   "nan",  "inf",
                                        "-inf", "1e38", "-1e38", "1e9", "-1e9", "1e-40" };
    const char *key = fuzz_key(seed, fuzz_good.header);
    switch (fuzz_below(seed, 8)) {
    case 0: return snprintf(out, room, "%s\n", key);
    case 1: return snprintf(out, room, "%s/dtype %s\n", key, FUZZ_ONE_OF(seed, dtype));
    case 2: return snprintf(out, room, "%s/shape %s\n", key, FUZZ_ONE_OF(seed, shape));
    case 3: return snprintf(out, room, "%s/data_offsets %s\n", key, FUZZ_ONE_OF(seed, offsets));
    default: return snprintf(out, room, "%s/fill %s\n", key, FUZZ_ONE_OF(seed, fill));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    char line[256];
    if (!fuzz_good.header || fuzz_below(&seed, 4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    int n = (fuzz_below(&seed, 2) ? fuzz_metadata_lie : fuzz_tensor_lie)(line, sizeof line, &seed);
    size_t at = fuzz_below(&seed, 3) == 0 || size > 256 ? 0 : size; /* anew, or one more */
    if (at > 0 && data[at - 1] != '\n' && at < most)
        data[at++] = '\n';
    if ((size_t)n > most - at)
        return size;
    memcpy(data + at, line, (size_t)n);
    return at + (size_t)n;
}

#endif
