/* model.c - backbone and maps in one file. */
#include "model/model.h"
#include "model/model_file.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>

#define GROUP "so2"

/* --- files ------------------------------------------------------------------------------------ */

recon_status recon_model_open(recon_ctx *ctx, recon_model **out, const char *path,
                              recon_precision precision)
{
    recon_model *m;
    recon_status status = recon_alloc(ctx, &m, 1, sizeof *m);
    *out = NULL;
    if (status != RECON_OK)
        return status;
    RECON_TRY(recon_ieae_open(ctx, &m->backbone, path, precision));
    RECON_TRY(recon_model_file_check(ctx, path, GROUP));
    RECON_TRY(recon_maps_open(ctx, &m->maps, path));
    m->shape = recon_ieae_describe(m->backbone);
    size_t d = recon_maps_describe(m->maps).d;
    if (d != m->shape.code)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: codes of %zu, but maps for %zu", path,
                             m->shape.code, d));
    *out = m;
done:
    if (status != RECON_OK)
        recon_model_close(ctx, m);
    return status;
}

void recon_model_close(recon_ctx *ctx, recon_model *m)
{
    if (!m)
        return;
    recon_maps_free(ctx, m->maps);
    recon_ieae_close(ctx, m->backbone);
    free(m);
}

recon_model_info recon_model_describe(const recon_model *m)
{
    recon_maps_info maps = recon_maps_describe(m->maps);
    return (recon_model_info){ m->shape, recon_ieae_weights(m->backbone) + maps.weights, maps };
}

const recon_ieae *recon_model_backbone(const recon_model *model)
{
    return model->backbone;
}

const recon_maps *recon_model_maps(const recon_model *model)
{
    return model->maps;
}

recon_status recon_model_save(recon_ctx *ctx, const char *path, const char *from,
                              recon_ieae *backbone, const recon_maps *maps,
                              const recon_model_save_options *options)
{
    return recon_model_file_save(ctx, path, from, recon_ieae_params(backbone),
                                 maps ? recon_maps_params(maps) : NULL, GROUP, options);
}

/* --- images ----------------------------------------------------------------------------------- */

recon_pose2 recon_pose_make(double psi, double lambda)
{
    double absolute = recon_so2_wrap(psi - lambda);
    return (recon_pose2){ recon_so2_wrap(psi), recon_so2_wrap(lambda), absolute,
                          recon_so2_wrap(-absolute) };
}

recon_status recon_model_check(recon_ctx *ctx, const recon_model *m, const float *images, size_t n)
{
    size_t pixels = recon_model_pixels(m);
    for (size_t i = 0; i < n * pixels; i++)
        if (!isfinite(images[i]))
            return recon_fail(ctx, RECON_ERR_INPUT, "pixel %zu of image %zu is %g", i % pixels,
                              i / pixels, (double)images[i]);
    return RECON_OK;
}

/* Weights that are finite may still make numbers that are not; no image should be turned by one. */
static recon_status check_answer(recon_ctx *ctx, const recon_pose2 *pose, const recon_so2_map *map,
                                 size_t i)
{
    if (isfinite(pose->psi) && isfinite(pose->turn) && (!map || isfinite(map->theta)))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_NUMERIC,
                      "image %zu: the model's answer is not a finite number: a damaged model?", i);
}

recon_status recon_model_read(recon_ctx *ctx, recon_pose2 *poses, recon_so2_map *maps,
                              const recon_model *m, const float *images, size_t n)
{
    float *z = NULL;
    double *psi = NULL, *lambda = NULL, *lean = NULL;
    recon_status status;
    RECON_TRY(recon_model_check(ctx, m, images, n));
    RECON_TRY(recon_alloc_raw(ctx, &z, n, m->shape.code * sizeof *z));
    RECON_TRY(recon_alloc_raw(ctx, &psi, n, sizeof *psi));
    RECON_TRY(recon_alloc_raw(ctx, &lambda, n, sizeof *lambda));
    if (m->shape.lean)
        RECON_TRY(recon_alloc_raw(ctx, &lean, n, sizeof *lean));
    RECON_TRY(recon_ieae_embed(ctx, z, psi, lean, m->backbone, images, n));
    if (maps)
        RECON_TRY(recon_maps_apply(ctx, maps, m->maps, z, n));
    else if (!lean)
        RECON_TRY(recon_maps_lambda(ctx, lambda, m->maps, z, n));
    for (size_t i = 0; i < n; i++) {
        if (maps && lean)
            recon_so2_map_lean(&maps[i], psi[i], lean[i]);
        poses[i] = recon_pose_make(psi[i], maps   ? maps[i].lambda
                                           : lean ? psi[i] - lean[i]
                                                  : lambda[i]);
        RECON_TRY(check_answer(ctx, &poses[i], maps ? &maps[i] : NULL, i));
    }
done:
    free(lean);
    free(lambda);
    free(psi);
    free(z);
    return status;
}

recon_status recon_model_read_all(recon_ctx *ctx, recon_pose2 **poses, recon_so2_map **maps,
                                  const recon_model *model, const float *images, size_t n)
{
    recon_status status;
    *maps = NULL;
    RECON_TRY(recon_alloc_raw(ctx, poses, n, sizeof **poses));
    RECON_TRY(recon_alloc_raw(ctx, maps, n, sizeof **maps));
    RECON_TRY(recon_model_read(ctx, *poses, *maps, model, images, n));
done:
    return status;
}
