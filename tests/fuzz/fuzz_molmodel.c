/* See fuzz_molmodels.h. */
#include "fuzz_molmodels.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_molecule_model(small_molmodel, bytes, size);
    return 0;
}
