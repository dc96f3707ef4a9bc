/* Classifiers of molecules: see fuzz_models.h. Their logits may be anything: they are compared. */
#include "fuzz_models.h"

static recon_molecules *water(void)
{
    static const uint8_t z[] = { 8, 1, 1 };
    static const float xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    recon_molecules *data;
    FUZZ_CHECK(recon_molecules_make(fuzz_ctx(), &data,
                                    &(recon_conformer){ .atoms = 3, .z = z, .xyz = xyz }, 1,
                                    NULL) == RECON_OK);
    return data;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_gcn *gcn;
    float logits[SMALL_CLASSES];
    const char *path = fuzz_lie(small_gcn, bytes, size);
    if (fuzz_opened(recon_gcn_open(fuzz_ctx(), &gcn, path), path) &&
        recon_gcn_describe(gcn).classes <= SMALL_CLASSES) {
        recon_molecules *data = water();
        fuzz_answered(recon_gcn_logits(fuzz_ctx(), logits, gcn, data, NULL));
        recon_molecules_close(data);
    }
    recon_gcn_close(fuzz_ctx(), gcn);
    return 0;
}
