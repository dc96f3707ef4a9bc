/* Indexes of poses: see fuzz_models.h. One of neighbours on SO(3), in two clusters. */
#include "fuzz_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_whole_index(small_index, RECON_SO3, bytes, size);
    return 0;
}
