/* safetensors: every tensor of a file that opens can be found by its name and used. */
#include "fuzz.h"
#include "core/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_safetensors *tensors;
    recon_file file = { .bytes = bytes, .size = size };
    recon_status status = recon_safetensors_parse(fuzz_ctx(), &tensors, file, "fuzz");
    if (status != RECON_OK) {
        fuzz_check_failure(status);
        return 0;
    }
    for (size_t i = 0; i < recon_safetensors_count(tensors); i++) {
        recon_array array;
        const char *name = recon_safetensors_name(tensors, i);
        FUZZ_CHECK(recon_safetensors_get(fuzz_ctx(), &array, tensors, name) == RECON_OK);
        fuzz_use(&array);
        recon_array_free(&array);
    }
    recon_safetensors_metadata(tensors, "format");
    recon_safetensors_close(tensors);
    return 0;
}
