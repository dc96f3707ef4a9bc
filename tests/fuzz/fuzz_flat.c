/* Conformers in NPY files and meta.json: what is accepted can be used. */
#include "fuzz_folder.h"
#include "data/formats.h"

#include <math.h>

/* Water in two conformers, hydrogen in one. */
static void make(void)
{
    static const float xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0,
                                 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0 };
    static const uint8_t z[] = { 8, 1, 1, 1, 1 }, split[] = { 0, 1, 2 };
    static const int64_t atom[] = { 0, 3, 5 }, conformer[] = { 0, 2, 3 };
    static const float energy[] = { 0, 1, 2 };
    static const char meta[] = "{ \"scale\": 0.001, \"smiles\": [\"O\", \"[H][H]\"], "
                               "\"fisher_axis\": [0, 2], \"rotors\": [0, 1] }";
    fuzz_folder_make();
    fuzz_write("meta.json", meta, sizeof meta - 1);
    fuzz_member_keep("meta.json");
    fuzz_member_array("positions.npy", RECON_F32, xyz, 8, 3);
    fuzz_member_array("Z.npy", RECON_U8, z, 5, 0);
    fuzz_member_array("atom_offset.npy", RECON_I64, atom, 3, 0);
    fuzz_member_array("conf_offset.npy", RECON_I64, conformer, 3, 0);
    fuzz_member_array("energy.npy", RECON_F32, energy, 3, 0);
    fuzz_member_array("rmsd.npy", RECON_F32, energy, 3, 0);
    fuzz_member_array("split.npy", RECON_U8, split, 3, 0);
}

static void check(int skip_bad)
{
    recon_store *store;
    size_t skipped;
    FUZZ_CHECK(recon_store_new(fuzz_ctx(), &store) == RECON_OK);
    recon_status status = recon_flat_read(fuzz_ctx(), store, &skipped, fuzz_folder, skip_bad);
    if (status != RECON_OK)
        fuzz_check_refusal(status, fuzz_folder);
    for (size_t i = 0; status == RECON_OK && i < store->n; i++) {
        const recon_entry *e = &store->entry[i];
        FUZZ_CHECK((size_t)e->molecule < store->molecules && e->atoms > 1);
        for (size_t k = 0; k < 3 * e->atoms; k++)
            FUZZ_CHECK(isfinite(store->xyz[3 * e->first + k]));
        FUZZ_CHECK(!store->split || store->split[i] < 3);
    }
    recon_store_release(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t which;
    if (!fuzz_members)
        make();
    fuzz_replace(&which, bytes, size);
    check(0);
    check(1);
    fuzz_restore(which);
    return 0;
}
