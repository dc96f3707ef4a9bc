/* models.h - a small model of each kind, untrained, as a file that the library would have written.
 * Fuzzers and tests of hostile files begin with these. */
#ifndef TESTS_FUZZ_MODELS_H
#define TESTS_FUZZ_MODELS_H

#include <recon/model/model.h>
#include <recon/backbone/classifier.h>
#include <math.h>
#include <recon/nn/checkpoint.h>
#include <recon/normalize/index.h>
#include <recon/nn/nets.h>
#include "backbone/gcn.h"
#include "backbone/ieae.h"
#include "backbone/metadata.h"
#include "backbone/molecule_net.h"
#include "core/fail.h"
#include "core/memory.h"
#include "maps/maps.h"
#include "model/codes.h"

/* Each writes a file to path. */
typedef recon_status small_writer(recon_ctx *ctx, const char *path);

static inline recon_status small_save_with(recon_ctx *ctx, const char *path, const recon_params *a,
                                           const recon_params *b, const recon_metadata_list *l,
                                           const recon_tensor_entry *more, size_t n_more)
{
    const recon_params *sets[] = { a, b };
    return recon_params_save_all(
        ctx, path, sets, b ? 2 : 1, l->entry, l->n,
        &(recon_params_save_options){ .bf16 = 1, .more = more, .n_more = n_more });
}

static inline recon_status small_save(recon_ctx *ctx, const char *path, const recon_params *a,
                                      const recon_params *b, const recon_metadata_list *l)
{
    return small_save_with(ctx, path, a, b, l, NULL, 0);
}

enum { SMALL_SIDE = 8, SMALL_CODE = 2, SMALL_HIDDEN = 3, SMALL_POINTS = 4 };

/* All of one cluster, whose poses say "one". */
static inline recon_status small_laws(recon_ctx *ctx, recon_stored_embeddings *codes)
{
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &codes->cluster, codes->n, sizeof *codes->cluster));
    RECON_TRY(recon_laws_make(ctx, &codes->laws, RECON_LAWS_OF_PSI, 1, codes->cluster, codes->group,
                              codes->poses, codes->n));
    codes->laws.law[0].natural = RECON_NATURAL_ONE;
done:
    return status;
}

/* A whole model: backbone, maps, and the codes of three points; the fourth calibrates. */
static inline recon_status small_save_whole(recon_ctx *ctx, const char *path,
                                            const recon_params *backbone, const recon_maps *maps,
                                            const recon_metadata_list *l)
{
    static const float z[SMALL_POINTS][SMALL_CODE] = { { 1, 2 }, { -3, 1 }, { 2, -1 }, { 1, 1 } };
    static const double so2[SMALL_POINTS] = { 0, 1, 2, -1 };
    static const recon_so3 so3[SMALL_POINTS] = {
        { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 }
    };
    int angles = maps->kind->group == RECON_SO2;
    const recon_embedded points = { .n = SMALL_POINTS,
                                    .d = SMALL_CODE,
                                    .z = z[0],
                                    .group = maps->kind->group,
                                    .poses = angles ? so2 : (const double *)so3 };
    recon_codes_tensors t = { .z = NULL };
    recon_stored_embeddings *codes = NULL;
    recon_status status;
    RECON_TRY(recon_codes_make(ctx, &codes, &points, (const unsigned char[]){ 0, 0, 0, 1 }, NULL));
    RECON_TRY(small_laws(ctx, codes));
    RECON_TRY(recon_codes_tensors_make(ctx, &t, codes));
    RECON_TRY(small_save_with(ctx, path, backbone, maps->params, l, t.entry, t.entries));
done:
    recon_codes_tensors_free(&t);
    recon_codes_free(codes);
    return status;
}

/* Untrained maps: usual scores are 0, and there was one. */
static inline recon_status small_maps(recon_ctx *ctx, recon_maps **out, const recon_maps_kind *kind,
                                      double number)
{
    recon_status status;
    RECON_TRY(recon_maps_new(ctx, out, kind, SMALL_CODE, SMALL_HIDDEN, 0, NULL, 1));
    (*out)->number = number;
    (*out)->calibration.n = 1;
    RECON_TRY(recon_maps_keep(ctx, *out));
done:
    return status;
}

static inline recon_status small_model(recon_ctx *ctx, const char *path)
{
    const recon_ieae_shape shape = { .preset = RECON_PRESET_SMALL,
                                     .width = 1.0 / 64,
                                     .frequencies = 2,
                                     .code = SMALL_CODE,
                                     .mask = 1,
                                     .density = 1,
                                     .height = SMALL_SIDE,
                                     .width_px = SMALL_SIDE,
                                     .channels = 1 };
    recon_metadata_list l = { .n = 0 };
    recon_ieae *backbone = NULL;
    recon_maps *maps = NULL;
    recon_status status;
    RECON_TRY(recon_ieae_make(ctx, &backbone, &shape, RECON_SINGLE, NULL, NULL, 1));
    RECON_TRY(small_maps(ctx, &maps, &recon_so2_maps, RECON_SO2_NORMAL));
    recon_metadata_add(&l, "model", "ieae");
    recon_metadata_add(&l, "preset", "small");
    recon_metadata_add(&l, "maps", "so2");
    recon_metadata_add_number(&l, "width_factor", shape.width);
    recon_metadata_add_number(&l, "frequencies", 2);
    recon_metadata_add_number(&l, "code", SMALL_CODE);
    recon_metadata_add_number(&l, "mask", 1);
    recon_metadata_add_number(&l, "density", 1);
    recon_metadata_add_number(&l, "height", SMALL_SIDE);
    recon_metadata_add_number(&l, "width", SMALL_SIDE);
    recon_metadata_add_number(&l, "channels", 1);
    RECON_TRY(small_save_whole(ctx, path, backbone->base.params, maps, &l));
done:
    recon_maps_free(ctx, maps);
    recon_ieae_close(ctx, backbone);
    return status;
}

static inline recon_status small_molecules(recon_ctx *ctx, const char *path, recon_preset preset)
{
    const recon_molecule_net_shape shape = { .preset = preset,
                                             .width = 1.0 / 64,
                                             .layers = 1,
                                             .radius = 2,
                                             .latent = 3,
                                             .code = SMALL_CODE,
                                             .mapped = 1,
                                             .slots = 3,
                                             .elements = 2,
                                             .element = { 1, 8 } };
    recon_metadata_list l = { .n = 0 };
    recon_molecule_net *backbone = NULL;
    recon_maps *maps = NULL;
    recon_status status;
    RECON_TRY(recon_molecule_net_make(ctx, &backbone, &shape, RECON_SINGLE, NULL, NULL, 1));
    RECON_TRY(small_maps(ctx, &maps, &recon_so3_maps, 10));
    recon_metadata_add(&l, "model", "molnet");
    recon_metadata_add(&l, "preset", recon_preset_name(preset));
    recon_metadata_add(&l, "maps", "so3");
    recon_metadata_add(&l, "elements", "1 8");
    recon_metadata_add_number(&l, "width_factor", shape.width);
    recon_metadata_add_number(&l, "layers", 1);
    recon_metadata_add_number(&l, "radius", 2);
    recon_metadata_add_number(&l, "latent", 3);
    recon_metadata_add_number(&l, "code", SMALL_CODE);
    recon_metadata_add_number(&l, "mapped", 1);
    recon_metadata_add_number(&l, "slots", 3);
    RECON_TRY(small_save_whole(ctx, path, backbone->base.params, maps, &l));
done:
    recon_maps_free(ctx, maps);
    recon_molecule_net_close(ctx, backbone);
    return status;
}

static inline recon_status small_molecule_model(recon_ctx *ctx, const char *path)
{
    return small_molecules(ctx, path, RECON_PRESET_SMALL);
}

static inline recon_status small_molecule_paper(recon_ctx *ctx, const char *path)
{
    return small_molecules(ctx, path, RECON_PRESET_PAPER);
}

enum { SMALL_CLASSES = 2 };

static inline recon_status small_classifier(recon_ctx *ctx, const char *path)
{
    recon_resnet18 net;
    recon_metadata_list l = { .n = 0 };
    recon_params *params = NULL;
    recon_status status;
    RECON_TRY(recon_params_new(ctx, &params, RECON_SINGLE));
    RECON_TRY(recon_resnet18_add(ctx, &net, params, 1, SMALL_CLASSES, 1));
    RECON_TRY(recon_params_make(ctx, params, 1));
    recon_metadata_add(&l, "model", "classifier");
    recon_metadata_add(&l, "net", "resnet18");
    recon_metadata_add_number(&l, "stem", 1);
    recon_metadata_add_number(&l, "height", SMALL_SIDE);
    recon_metadata_add_number(&l, "width", SMALL_SIDE);
    recon_metadata_add_number(&l, "channels", 1);
    recon_metadata_add_number(&l, "classes", SMALL_CLASSES);
    RECON_TRY(small_save(ctx, path, params, NULL, &l));
done:
    recon_params_free(ctx, params);
    return status;
}

static inline recon_status small_gcn(recon_ctx *ctx, const char *path)
{
    const recon_gcn_info info = { .radius = 2, .width = 3, .hidden = 3, .classes = SMALL_CLASSES };
    recon_metadata_list l = { .n = 0 };
    recon_gcn *gcn = NULL;
    recon_status status;
    RECON_TRY(recon_gcn_make(ctx, &gcn, info, 0, RECON_SINGLE, NULL, NULL, 1));
    recon_metadata_add(&l, "model", RECON_GCN_KIND);
    recon_metadata_add_number(&l, "radius", info.radius);
    recon_metadata_add_number(&l, "width", (double)info.width);
    recon_metadata_add_number(&l, "hidden", (double)info.hidden);
    recon_metadata_add_number(&l, "classes", SMALL_CLASSES);
    RECON_TRY(small_save(ctx, path, gcn->params, NULL, &l));
done:
    recon_gcn_close(ctx, gcn);
    return status;
}

/* What a checkpoint is loaded into. */
typedef struct {
    recon_params *params;
    recon_adam *adam;
    recon_linear layer;
} small_run;

static inline recon_status small_run_new(recon_ctx *ctx, small_run *r)
{
    recon_status status;
    *r = (small_run){ .params = NULL };
    RECON_TRY(recon_params_new(ctx, &r->params, RECON_SINGLE));
    RECON_TRY(recon_linear_add(ctx, &r->layer, r->params, "layer", 2, 3));
    RECON_TRY(recon_params_make(ctx, r->params, 1));
    RECON_TRY(recon_adam_new(ctx, &r->adam, r->params, &(recon_adam_options){ .average = 0.9 }));
done:
    return status;
}

static inline void small_run_free(recon_ctx *ctx, small_run *r)
{
    recon_adam_free(ctx, r->adam);
    recon_params_free(ctx, r->params);
}

#define SMALL_SETTINGS "a small run"

static inline recon_status small_checkpoint(recon_ctx *ctx, const char *path)
{
    const recon_checkpoint state = {
        .step = 7, .stale = 1, .best = 0.5, .settings = SMALL_SETTINGS
    };
    small_run r;
    recon_status status;
    RECON_TRY(small_run_new(ctx, &r));
    RECON_TRY(recon_checkpoint_save(ctx, path, r.adam, &state));
done:
    small_run_free(ctx, &r);
    return status;
}

/* --- indexes of poses ------------------------------------------------------------------------- */

enum { SMALL_INDEXED = 16 };

/* Two bunches of eight, whose poses lie close together. */
static inline recon_status small_index_of(recon_ctx *ctx, const char *path,
                                          const recon_group *group,
                                          const recon_normalize_options *o)
{
    float z[SMALL_INDEXED][3];
    double poses[SMALL_INDEXED * 4] = { 0 };
    recon_index *index = NULL;
    recon_status status;
    for (size_t i = 0; i < SMALL_INDEXED; i++) {
        double angle = (double)(i % 2) + 0.02 * (double)i;
        for (size_t c = 0; c < 3; c++)
            z[i][c] = (c == i % 2) + 0.01f * (float)((i + c) % 5);
        poses[i * group->numbers] = group == RECON_SO2 ? angle : cos(angle);
        if (group != RECON_SO2)
            poses[i * group->numbers + 3] = sin(angle);
    }
    const recon_embedded e = {
        .n = SMALL_INDEXED, .d = 3, .z = z[0], .group = group, .poses = poses
    };
    RECON_TRY(recon_index_fit(ctx, &index, &e, o));
    RECON_TRY(recon_index_save(ctx, index, path));
done:
    recon_index_free(index);
    return status;
}

static inline recon_status small_index(recon_ctx *ctx, const char *path)
{
    return small_index_of(ctx, path, RECON_SO3, &(recon_normalize_options){ .knn.k = 4 });
}

static inline recon_status small_index_classes(recon_ctx *ctx, const char *path)
{
    int64_t class_of[SMALL_INDEXED];
    for (size_t i = 0; i < SMALL_INDEXED; i++)
        class_of[i] = (int64_t)(i % 2 ? 7 : i > 10 ? -1 : 0);
    return small_index_of(ctx, path, RECON_SO2,
                          &(recon_normalize_options){ .classes = RECON_CLASSES_GIVEN,
                                                      .class_of = class_of,
                                                      .family = RECON_SO2_NORMAL,
                                                      .knn.metric = RECON_EUCLIDEAN });
}

#endif
