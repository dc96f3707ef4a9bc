/* NPY: whatever is accepted can be used, and described by a header of our own. */
#include "fuzz.h"
#include "core/npy.h"

static void check_header(const recon_array *array)
{
    recon_npy_header header;
    recon_array again;
    size_t size, bytes = recon_array_bytes(array);
    FUZZ_CHECK(recon_npy_make_header(fuzz_ctx(), header, &size, array, "made") == RECON_OK);
    char *file = aligned_alloc(64, (size + bytes + 63) / 64 * 64);
    FUZZ_CHECK(file);
    memcpy(file, header, size);
    memcpy(file + size, array->data, bytes);
    FUZZ_CHECK(recon_npy_parse(fuzz_ctx(), &again, file, size + bytes, "made") == RECON_OK);
    FUZZ_CHECK(again.dtype == array->dtype && again.fortran == array->fortran &&
               again.ndim == array->ndim &&
               memcmp(again.shape, array->shape, sizeof again.shape) == 0);
    recon_array_free(&again);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_array array;
    recon_status status = recon_npy_parse(fuzz_ctx(), &array, bytes, size, "fuzz");
    if (status != RECON_OK) {
        fuzz_check_failure(status);
        return 0;
    }
    fuzz_use(&array);
    check_header(&array);
    recon_array_free(&array);
    return 0;
}
