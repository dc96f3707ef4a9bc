/* Images and labels of one's own: what is accepted can be looked at. */
#include "fuzz_folder.h"

#include <math.h>
#include <recon/data/dataset.h>

static void make(void)
{
    static const uint8_t images[24] = { 0, 1, 128, 255 };
    static const int64_t labels[] = { 0, 2 };
    recon_array a = { .dtype = RECON_U8, .ndim = 3, .shape = { 2, 3, 4 }, .data = images };
    fuzz_folder_make();
    FUZZ_CHECK(recon_npy_write(fuzz_ctx(), fuzz_path_of("images.npy"), &a) == RECON_OK);
    fuzz_member_keep("images.npy");
    fuzz_member_array("labels.npy", RECON_I64, labels, 2, 0);
}

static void look(const recon_dataset *data)
{
    recon_dataset_info info = recon_dataset_describe(data);
    size_t pixels = info.height * info.width * info.channels;
    float *image = malloc(pixels * sizeof *image);
    FUZZ_CHECK(image);
    for (size_t i = 0; i < info.n; i++) {
        int32_t label = recon_dataset_get(image, data, i);
        FUZZ_CHECK(label < 0 || (size_t)label < info.classes);
        for (size_t k = 0; k < pixels; k++)
            FUZZ_CHECK(isfinite(image[k]));
    }
    free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char spec[160];
    recon_dataset *data;
    size_t which;
    if (!fuzz_members)
        make();
    fuzz_replace(&which, bytes, size);
    snprintf(spec, sizeof spec, "npy:%s", fuzz_path_of("images.npy"));
    recon_status status = recon_dataset_open(fuzz_ctx(), &data, spec);
    if (status == RECON_OK)
        look(data);
    else
        fuzz_check_refusal(status, fuzz_folder);
    recon_dataset_close(data);
    fuzz_restore(which);
    return 0;
}
