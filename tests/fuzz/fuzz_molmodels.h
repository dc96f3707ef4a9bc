/* fuzz_molmodels.h - models of molecules: see fuzz_models.h. */
#ifndef TESTS_FUZZ_MOLMODELS_H
#define TESTS_FUZZ_MOLMODELS_H

#include "fuzz_models.h"
#include "apps/molmodel.h"

static inline void fuzz_molecule_model(small_writer *write, const uint8_t *bytes, size_t size)
{
    static const uint8_t z[] = { 8, 1, 1 };
    static const float xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const recon_conformer water = { .atoms = 3, .z = z, .xyz = xyz };
    recon_molmodel *model;
    recon_pose3 pose;
    recon_so3_map map;
    const char *path = fuzz_lie(write, bytes, size);
    if (fuzz_opened(recon_molmodel_open(fuzz_ctx(), &model, path, RECON_SINGLE), path) &&
        fuzz_answered(recon_molmodel_read(fuzz_ctx(), &pose, &map, model, &water, 1)))
        FUZZ_CHECK(isfinite(pose.psi.w) && isfinite(pose.turn.w) && isfinite(map.theta[0]));
    recon_molmodel_close(fuzz_ctx(), model);
}

#endif
