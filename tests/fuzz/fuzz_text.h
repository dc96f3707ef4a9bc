/* fuzz_text.h - text files of molecules: whatever is accepted has molecules that can be used, and
 * leaving out what is bad never fails. */
#ifndef TESTS_FUZZ_TEXT_H
#define TESTS_FUZZ_TEXT_H

#include "fuzz.h"
#include "data/molecule_store.h"

typedef recon_status fuzz_reader(recon_ctx *ctx, recon_assembly *to, const void *bytes, size_t size,
                                 const char *path);

static inline void fuzz_molecules(fuzz_reader *parse, const uint8_t *bytes, size_t size,
                                  int skip_bad)
{
    recon_store *store;
    FUZZ_CHECK(recon_store_new(fuzz_ctx(), &store) == RECON_OK);
    recon_assembly all = { .store = store, .skip_bad = skip_bad };
    recon_status status = parse(fuzz_ctx(), &all, bytes, size, "fuzz");
    if (status != RECON_OK)
        fuzz_check_failure(status);
    FUZZ_CHECK(!skip_bad || status == RECON_OK);
    for (size_t i = 0; i < store->n; i++) {
        const recon_entry *e = &store->entry[i];
        const recon_conformer c = { e->atoms, store->z + e->first, store->xyz + 3 * e->first, 0, 0,
                                    0 };
        FUZZ_CHECK((size_t)e->molecule < store->molecules);
        FUZZ_CHECK(store->text[store->name[e->molecule]] != '\0');
        FUZZ_CHECK(recon_conformer_check(fuzz_ctx(), &c, &(recon_place){ "fuzz", "", i, 0 }) ==
                   RECON_OK);
    }
    recon_assembly_free(&all);
    recon_store_release(store);
}

#endif
