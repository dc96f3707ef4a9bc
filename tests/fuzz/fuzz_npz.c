/* NPZ: every member of an archive that opens is an array or a clear failure. */
#include "fuzz.h"
#include "core/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_npz *npz;
    recon_file file = { .bytes = bytes, .size = size };
    recon_status status = recon_npz_parse(fuzz_ctx(), &npz, file, "fuzz");
    if (status != RECON_OK) {
        fuzz_check_failure(status);
        return 0;
    }
    for (size_t i = 0; i < recon_npz_count(npz); i++) {
        recon_array array;
        status = recon_npz_read(fuzz_ctx(), &array, npz, recon_npz_name(npz, i));
        if (status == RECON_OK)
            fuzz_use(&array);
        else
            fuzz_check_failure(status);
        recon_array_free(&array);
    }
    recon_npz_close(npz);
    return 0;
}
