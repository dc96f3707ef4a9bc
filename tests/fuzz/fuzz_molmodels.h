/* fuzz_molmodels.h - models of molecules: see fuzz_models.h. */
#ifndef TESTS_FUZZ_MOLMODELS_H
#define TESTS_FUZZ_MOLMODELS_H

#include "fuzz_models.h"

#include <recon/model/molcanonicalize.h>
#include <recon/model/molscore.h>

static const uint8_t fuzz_z[] = { 8, 1, 1 };
static const float fuzz_xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
static const recon_conformer fuzz_water = { .atoms = 3, .z = fuzz_z, .xyz = fuzz_xyz };

static inline int fuzz_is_rotation(recon_so3 g)
{
    return fabs((double)(g.w * g.w + g.x * g.x + g.y * g.y + g.z * g.z) - 1) < 1e-3;
}

static inline void fuzz_molecule_answer(const recon_molmodel *model)
{
    float out[9];
    recon_pose3 pose;
    recon_oddness3 odd;
    recon_distribution3 d;
    if (fuzz_answered(recon_molcanonicalize(fuzz_ctx(), out, &pose, model, &fuzz_water, 1)))
        FUZZ_CHECK(fuzz_is_rotation(pose.psi) && fuzz_is_rotation(pose.turn) && isfinite(out[8]));
    if (fuzz_answered(recon_molscore(fuzz_ctx(), &odd, model, &fuzz_water, 1)))
        FUZZ_CHECK(isfinite(odd.score) && odd.p_value > 0 && odd.p_value <= 1);
    if (fuzz_answered(recon_moldistribution_of(fuzz_ctx(), &d, model, &fuzz_water, 1)))
        FUZZ_CHECK(isfinite(d.score) && d.free >= 0 && d.free <= 3);
}

static inline void fuzz_molecule_model(small_writer *write, const uint8_t *bytes, size_t size)
{
    recon_molmodel *model;
    const char *path = fuzz_lie(write, bytes, size);
    if (fuzz_opened(recon_molmodel_open(fuzz_ctx(), &model, path, RECON_SINGLE), path))
        fuzz_molecule_answer(model);
    recon_molmodel_close(fuzz_ctx(), model);
}

#endif
