/* Rotation rules from a file, for images and for molecules: what is accepted can rotate. */
#include "fuzz.h"

#include <math.h>
#include <recon/data/molecules.h>
#include <recon/data/dataset.h>
#include "data/rotations.h"

static void images(const char *path)
{
    recon_rotation_rule rule;
    recon_status status = recon_rotation_rule_load(fuzz_ctx(), &rule, path);
    if (status != RECON_OK) {
        fuzz_check_refusal(status, path);
        return;
    }
    for (int32_t label = -1; label <= RECON_ROTATION_CLASSES; label++) {
        recon_rotation_law t = recon_rotation_rule_of(&rule, label);
        FUZZ_CHECK(t.family == RECON_SO2_UNIFORM || t.family == RECON_SO2_NORMAL);
        FUZZ_CHECK(isfinite(t.width) && t.width >= 0);
    }
}

/* Two molecules, one of which rules may name. */
static recon_molecules *two(void)
{
    static const uint8_t z[] = { 8, 1, 1 };
    static const float xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const recon_conformer list[] = { { .atoms = 3, .z = z, .xyz = xyz, .molecule = 0 },
                                     { .atoms = 2, .z = z, .xyz = xyz, .molecule = 1 } };
    recon_molecules *data;
    FUZZ_CHECK(recon_molecules_make(fuzz_ctx(), &data, list, 2,
                                    (const char *const[]){ "water", "OH" }) == RECON_OK);
    return data;
}

static void molecules(const char *path)
{
    recon_molecules *data = two(), *rotated;
    recon_status status = recon_molecules_rotate(fuzz_ctx(), &rotated, data, path, 1);
    if (status != RECON_OK)
        fuzz_check_refusal(status, path);
    for (size_t i = 0; status == RECON_OK && i < 2; i++) {
        recon_conformer c = recon_molecules_get(rotated, i);
        for (size_t k = 0; k < 3 * c.atoms; k++)
            FUZZ_CHECK(isfinite(c.xyz[k]));
    }
    recon_molecules_close(rotated);
    recon_molecules_close(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = fuzz_file(bytes, size);
    images(path);
    molecules(path);
    return 0;
}
