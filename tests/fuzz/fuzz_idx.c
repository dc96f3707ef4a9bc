/* IDX: whatever is accepted can be used. */
#include "fuzz.h"
#include "data/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_array array;
    recon_status status = recon_idx_parse(fuzz_ctx(), &array, bytes, size, "fuzz");
    if (status != RECON_OK) {
        fuzz_check_failure(status);
        return 0;
    }
    fuzz_use(&array);
    recon_array_free(&array);
    return 0;
}
