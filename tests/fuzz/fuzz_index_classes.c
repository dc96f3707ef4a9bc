/* Indexes of poses on SO(2) with classes of one's own, by Euclidean distance. */
#include "fuzz_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_whole_index(small_index_classes, RECON_SO2, bytes, size);
    return 0;
}
