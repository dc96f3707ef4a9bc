/* fuzz_answers.h - what models of each kind are given, and what they may answer. */
#ifndef TESTS_FUZZ_ANSWERS_H
#define TESTS_FUZZ_ANSWERS_H

#include "fuzz_models.h"

#include <recon/model/canonicalize.h>
#include <recon/model/score.h>

/* Of an input of the model's kind. */
static inline void fuzz_answer_score(const recon_model *model, const void *input)
{
    recon_pose_score s;
    if (fuzz_answered(recon_score(fuzz_ctx(), &s, model, input, 1)))
        FUZZ_CHECK(isfinite(s.score) && s.p_value > 0 && s.p_value <= 1 &&
                   (isnan(s.p_embedding) ? recon_model_describe(model).codes == 0
                                         : s.p_embedding > 0 && s.p_embedding <= 1));
}

/* --- images ----------------------------------------------------------------------------------- */

/* An image of so many numbers; free it. */
static inline float *fuzz_image(size_t n)
{
    float *image = malloc(n * sizeof *image);
    FUZZ_CHECK(image);
    for (size_t i = 0; i < n; i++)
        image[i] = (float)(i % 3) / 2;
    return image;
}

static inline void fuzz_answer_images(const recon_model *model)
{
    recon_ieae_shape shape = recon_model_describe(model).images;
    size_t pixels = shape.height * shape.width_px * shape.channels;
    float *image = fuzz_image(pixels), *out = calloc(pixels, sizeof *out);
    recon_pose pose;
    recon_distribution d;
    if (fuzz_answered(recon_canonicalize_images(fuzz_ctx(), out, &pose, model, image, 1, NULL)))
        FUZZ_CHECK(isfinite(pose.psi[0]) && isfinite(pose.rotation[0]) &&
                   isfinite(out[pixels / 2]));
    if (fuzz_answered(recon_distribution_images(fuzz_ctx(), &d, model, image, 1)))
        FUZZ_CHECK(isfinite(d.theta) && d.modes >= 1 && d.modes <= RECON_MODES_MAX);
    fuzz_answer_score(model, image);
    free(image);
    free(out);
}

/* --- molecules -------------------------------------------------------------------------------- */

static const uint8_t fuzz_z[] = { 8, 1, 1 };
static const float fuzz_xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
static const recon_conformer fuzz_water = { .atoms = 3, .z = fuzz_z, .xyz = fuzz_xyz };

static inline int fuzz_is_rotation(recon_so3 g)
{
    return fabs((double)(g.w * g.w + g.x * g.x + g.y * g.y + g.z * g.z) - 1) < 1e-3;
}

static inline void fuzz_answer_molecules(const recon_model *model)
{
    float out[9];
    recon_pose pose;
    recon_distribution3 d;
    if (fuzz_answered(recon_canonicalize_molecules(fuzz_ctx(), out, &pose, model, &fuzz_water, 1)))
        FUZZ_CHECK(fuzz_is_rotation(recon_so3_at(pose.psi, 0)) &&
                   fuzz_is_rotation(recon_so3_at(pose.rotation, 0)) && isfinite(out[8]));
    if (fuzz_answered(recon_distribution_molecules(fuzz_ctx(), &d, model, &fuzz_water, 1)))
        FUZZ_CHECK(isfinite(d.score) && d.free >= 0 && d.free <= 3);
    fuzz_answer_score(model, &fuzz_water);
}

/* --- either ----------------------------------------------------------------------------------- */

/* The file that the input describes, opened as what it says it is. */
static inline void fuzz_whole_model(small_writer *write, const uint8_t *bytes, size_t size)
{
    recon_model *model;
    const char *path = fuzz_lie(write, bytes, size);
    if (fuzz_opened(recon_model_open(fuzz_ctx(), &model, path, RECON_SINGLE), path)) {
        if (recon_model_describe(model).group == RECON_SO2)
            fuzz_answer_images(model);
        else
            fuzz_answer_molecules(model);
    }
    recon_model_close(fuzz_ctx(), model);
}

#endif
