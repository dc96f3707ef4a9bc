/* molmodel.c - backbone and maps in one file, and conformers as they see them. */
#include "model/molmodel.h"
#include "model/model_file.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"
#include "data/molecule_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP "so3"

/* --- files ------------------------------------------------------------------------------------ */

recon_status recon_molmodel_open(recon_ctx *ctx, recon_molmodel **out, const char *path,
                                 recon_precision precision)
{
    recon_molmodel *m;
    recon_status status = recon_alloc(ctx, &m, 1, sizeof *m);
    *out = NULL;
    if (status != RECON_OK)
        return status;
    RECON_TRY(recon_molnet_open(ctx, &m->backbone, path, precision));
    RECON_TRY(recon_model_file_check(ctx, path, GROUP));
    RECON_TRY(recon_so3_maps_open(ctx, &m->maps, path));
    m->shape = recon_molnet_describe(m->backbone);
    size_t d = recon_so3_maps_describe(m->maps).d;
    if (d != m->shape.code)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: codes of %zu, but maps for %zu", path,
                             m->shape.code, d));
    *out = m;
done:
    if (status != RECON_OK)
        recon_molmodel_close(ctx, m);
    return status;
}

void recon_molmodel_close(recon_ctx *ctx, recon_molmodel *m)
{
    if (!m)
        return;
    recon_so3_maps_free(ctx, m->maps);
    recon_molnet_close(ctx, m->backbone);
    free(m);
}

recon_molmodel_info recon_molmodel_describe(const recon_molmodel *m)
{
    recon_so3_maps_info maps = recon_so3_maps_describe(m->maps);
    return (recon_molmodel_info){ m->shape, recon_molnet_weights(m->backbone) + maps.weights,
                                  maps };
}

const recon_molnet *recon_molmodel_backbone(const recon_molmodel *model)
{
    return model->backbone;
}

const recon_so3_maps *recon_molmodel_maps(const recon_molmodel *model)
{
    return model->maps;
}

recon_status recon_molmodel_save(recon_ctx *ctx, const char *path, const char *from,
                                 recon_molnet *backbone, const recon_so3_maps *maps,
                                 const recon_model_save_options *options)
{
    return recon_model_file_save(ctx, path, from, recon_molnet_params(backbone),
                                 maps ? recon_so3_maps_params(maps) : NULL, GROUP, options);
}

/* --- conformers ------------------------------------------------------------------------------- */

static void find_center(double center[3], const recon_conformer *x)
{
    for (int k = 0; k < 3; k++)
        center[k] = 0;
    for (size_t i = 0; i < 3 * x->atoms; i++)
        center[i % 3] += (double)x->xyz[i] / (double)x->atoms;
}

static recon_pose3 make_pose(const recon_conformer *x, recon_so3 psi, recon_so3 lambda, int free)
{
    recon_pose3 p = { .psi = psi, .lambda = lambda, .free = free };
    p.absolute = recon_so3_compose(psi, recon_so3_inverse(lambda));
    p.turn = recon_so3_inverse(p.absolute);
    find_center(p.center, x);
    return p;
}

/* Weights that are finite may still make numbers that are not. */
static recon_status check_answer(recon_ctx *ctx, const recon_pose3 *pose, size_t i)
{
    if (isfinite(pose->psi.w) && isfinite(pose->turn.w))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_NUMERIC,
                      "conformer %zu: the model's answer is no rotation: a damaged model?", i);
}

/* What a file may not hold, a caller's own data may not either. */
static recon_status check(recon_ctx *ctx, const recon_molnet_shape *s, const recon_conformer *x,
                          size_t n)
{
    recon_element_words words;
    recon_formula_text known;
    for (size_t i = 0; i < n; i++) {
        recon_status status =
            recon_conformer_check(ctx, &x[i], &(recon_place){ NULL, "conformer", i, 0 });
        if (status != RECON_OK)
            return status;
        for (size_t a = 0; a < x[i].atoms; a++)
            if (!memchr(s->element, x[i].z[a], s->elements))
                return recon_fail(ctx, RECON_ERR_INPUT,
                                  "conformer %zu: an atom of %s: the model knows %s alone", i,
                                  recon_element_text(words, x[i].z[a]),
                                  recon_element_list(known, s->element, s->elements));
    }
    return RECON_OK;
}

recon_status recon_molmodel_read(recon_ctx *ctx, recon_pose3 *poses, recon_so3_map *maps,
                                 const recon_molmodel *m, const recon_conformer *x, size_t n)
{
    recon_molnet_answer seen = { 0 };
    recon_so3 *lambda = NULL;
    int *loose = NULL;
    recon_status status;
    RECON_TRY(check(ctx, &m->shape, x, n));
    RECON_TRY(recon_alloc_raw(ctx, &seen.z, n, m->shape.code * sizeof *seen.z));
    RECON_TRY(recon_alloc_raw(ctx, &seen.psi, n, sizeof *seen.psi));
    RECON_TRY(recon_alloc_raw(ctx, &lambda, n, sizeof *lambda));
    RECON_TRY(recon_alloc_raw(ctx, &loose, n, sizeof *loose));
    RECON_TRY(recon_molnet_embed(ctx, &seen, m->backbone, x, n));
    if (maps)
        RECON_TRY(recon_so3_maps_apply(ctx, maps, m->maps, seen.z, n));
    else
        RECON_TRY(recon_so3_maps_lambda(ctx, lambda, loose, m->maps, seen.z, n));
    for (size_t i = 0; i < n; i++) {
        poses[i] = maps ? make_pose(&x[i], seen.psi[i], maps[i].lambda, maps[i].free)
                        : make_pose(&x[i], seen.psi[i], lambda[i], loose[i]);
        RECON_TRY(check_answer(ctx, &poses[i], i));
    }
done:
    free(loose);
    free(lambda);
    free(seen.psi);
    free(seen.z);
    return status;
}

recon_status recon_molmodel_read_all(recon_ctx *ctx, recon_pose3 **poses, recon_so3_map **maps,
                                     const recon_molmodel *model, const recon_conformer *x,
                                     size_t n)
{
    recon_status status;
    *maps = NULL;
    RECON_TRY(recon_alloc_raw(ctx, poses, n, sizeof **poses));
    RECON_TRY(recon_alloc_raw(ctx, maps, n, sizeof **maps));
    RECON_TRY(recon_molmodel_read(ctx, *poses, *maps, model, x, n));
done:
    return status;
}
