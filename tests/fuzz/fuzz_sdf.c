/* See fuzz_text.h. */
#include "fuzz_text.h"
#include "data/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_molecules(recon_sdf_parse, bytes, size, 0);
    fuzz_molecules(recon_sdf_parse, bytes, size, 1);
    return 0;
}
