/* Models of molecules: see fuzz_answers.h. */
#include "fuzz_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_whole_model(small_molecule_model, bytes, size);
    return 0;
}
