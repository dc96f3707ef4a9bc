/* fuzz_lies.h - libFuzzer makes up lists of lies: now and then a whole line of its own choice, with
 * a name that is in the file and a value that may hurt; otherwise bytes, as always. */
#ifndef TESTS_FUZZ_FUZZ_LIES_H
#define TESTS_FUZZ_FUZZ_LIES_H

#include "lies.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    char line[256];
    liar l = { fuzz_good.header, fuzz_good.size, seed };
    if (!fuzz_good.header || lie_below(&l, 4) == 0)
        return LLVMFuzzerMutate(data, size, most);
    int n = lie_any(line, sizeof line, &l);
    size_t at = lie_below(&l, 3) == 0 || size > 256 ? 0 : size; /* anew, or one more */
    if (at > 0 && data[at - 1] != '\n' && at < most)
        data[at++] = '\n';
    if ((size_t)n > most - at)
        return size;
    memcpy(data + at, line, (size_t)n);
    return at + (size_t)n;
}

#endif
