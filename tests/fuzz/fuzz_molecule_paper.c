/* Models of molecules with the paper's network: see fuzz_answers.h. */
#include "fuzz_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_whole_model(small_molecule_paper, bytes, size);
    return 0;
}
