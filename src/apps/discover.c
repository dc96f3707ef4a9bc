/* discover.c - embed, Algorithm 1, maps, and the files they leave. */
#include <recon/apps/discover.h>
#include <recon/apps/score.h>
#include <recon/ops/backend.h>
#include "apps/discovered.h"
#include "apps/model_file.h"
#include "apps/summary.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEFAULT_K = 10, METADATA = 6 };

typedef struct {
    const char *model;
    recon_stage stage;
    recon_discover_options o;
    recon_ieae *backbone;
    recon_embedded embedded;
    recon_frames frames;
    recon_maps *maps;
    recon_so2_map *said; /* [points] by the maps */
} flow;

/* --- the flow --------------------------------------------------------------------------------- */

/* With half: what will be opened later, by way of a file as it will be. */
static recon_status open_backbone(recon_ctx *ctx, flow *f)
{
    char rounded[RECON_PATH];
    recon_status status = recon_ieae_open(ctx, &f->backbone, f->model, f->o.precision);
    if (status != RECON_OK || !f->o.half)
        return status;
    recon_folder_join(rounded, f->stage.path, ".rounded.safetensors");
    RECON_TRY(recon_model_save(ctx, rounded, f->model, f->backbone, NULL,
                               &(recon_model_save_options){ .half = 1 }));
    recon_ieae_close(ctx, f->backbone);
    RECON_TRY(recon_ieae_open(ctx, &f->backbone, rounded, f->o.precision));
done:
    unlink(rounded);
    return status;
}

static recon_status normalize(recon_ctx *ctx, flow *f)
{
    const recon_normalize_options o = { .knn = { .k = f->o.k },
                                        .pool = RECON_VERDICT_POSES,
                                        .mean = f->o.mean,
                                        .family = f->o.family };
    return recon_normalize(ctx, &f->frames, &f->embedded, NULL, &o);
}

static recon_status learn(recon_ctx *ctx, flow *f)
{
    recon_status status;
    RECON_TRY(recon_maps_fit(ctx, &f->maps, &f->embedded, &f->frames, &f->o.maps));
    RECON_TRY(recon_alloc_raw(ctx, &f->said, f->embedded.n, sizeof *f->said));
    RECON_TRY(recon_maps_apply(ctx, f->said, f->maps, f->embedded.z, f->embedded.n));
    for (size_t i = 0; f->embedded.lean && i < f->embedded.n; i++)
        recon_so2_map_lean(&f->said[i], f->embedded.so2[i], f->embedded.lean[i]);
done:
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

static recon_status write_model(recon_ctx *ctx, const flow *f)
{
    char k[32], points[32], path[RECON_PATH];
    const recon_metadata_entry own[METADATA] = {
        { "group", "so2" },
        { "k", k },
        { "mean", recon_mean_name(f->o.mean.kind) },
        { "theta", recon_so2_family_name(recon_maps_describe(f->maps).family) },
        { "points", points },
        { "data", f->o.data ? f->o.data : "" },
    };
    recon_metadata_entry *all = NULL;
    recon_status status;
    snprintf(k, sizeof k, "%zu", f->frames.k);
    snprintf(points, sizeof points, "%zu", f->embedded.n);
    RECON_TRY(recon_metadata_join(ctx, &all, own, METADATA, f->o.metadata, f->o.n_metadata));
    RECON_TRY(recon_model_save(
        ctx, recon_folder_join(path, f->stage.path, "model.safetensors"), f->model, f->backbone,
        f->maps,
        &(recon_model_save_options){
            .half = f->o.half, .metadata = all, .n_metadata = METADATA + f->o.n_metadata }));
done:
    free(all);
    return status;
}

static recon_discovered files_of(const flow *f, const recon_discovery *out)
{
    return (recon_discovered){ .embedded = &f->embedded,
                               .frames = &f->frames,
                               .summary = out->summary,
                               .keep_embeddings = f->o.keep_embeddings,
                               .report = f->o.report,
                               .report_arg = f->o.report_arg };
}

static recon_status write_all(recon_ctx *ctx, const flow *f, const recon_discovery *out)
{
    const recon_discovered files = files_of(f, out);
    double *lambda = NULL;
    size_t n = f->embedded.n;
    recon_status status;
    RECON_TRY(write_model(ctx, f));
    RECON_TRY(recon_alloc_raw(ctx, &lambda, n, sizeof *lambda));
    for (size_t i = 0; i < n; i++)
        lambda[i] = f->said[i].lambda;
    RECON_TRY(recon_discovered_write(ctx, f->stage.path, &files, lambda));
done:
    free(lambda);
    return status;
}

static recon_status run(recon_ctx *ctx, recon_discovery *out, flow *f, const recon_dataset *data)
{
    double begun = recon_now(), then = begun;
    recon_status status;
    RECON_TRY(open_backbone(ctx, f));
    RECON_TRY(recon_ieae_embed_all(ctx, &f->embedded, f->backbone, data));
    recon_lap(&out->seconds.embed, &then);
    RECON_TRY(normalize(ctx, f));
    recon_lap(&out->seconds.normalize, &then);
    RECON_TRY(learn(ctx, f));
    recon_lap(&out->seconds.maps, &then);
    out->seconds.total = then - begun;
    RECON_TRY(recon_summarize(ctx, out,
                              &(recon_findings){ .options = &f->o,
                                                 .embedded = &f->embedded,
                                                 .frames = &f->frames,
                                                 .maps = f->said,
                                                 .backend = recon_ops_name(ctx) }));
    RECON_TRY(write_all(ctx, f, out));
    RECON_TRY(recon_stage_commit(ctx, &f->stage));
done:
    return status;
}

static recon_status check(recon_ctx *ctx, const recon_discover_options *o)
{
    if (o->family != RECON_SO2_AUTO && o->family != RECON_SO2_UNIFORM &&
        o->family != RECON_SO2_NORMAL)
        return recon_fail(ctx, RECON_ERR_INPUT, "Theta of the family %s: auto, uniform or normal",
                          recon_so2_family_name(o->family));
    return RECON_OK;
}

recon_status recon_discover(recon_ctx *ctx, recon_discovery *out, const char *model,
                            const recon_dataset *data, const char *dir,
                            const recon_discover_options *options)
{
    flow f = { .model = model, .stage = RECON_NO_STAGE };
    recon_status status;
    *out = (recon_discovery){ .hit_rate = NAN };
    if (options)
        f.o = *options;
    f.o.k = f.o.k ? f.o.k : DEFAULT_K;
    RECON_TRY(check(ctx, &f.o));
    RECON_TRY(recon_stage_open(ctx, &f.stage, dir, RECON_RESULT));
    RECON_TRY(run(ctx, out, &f, data));
done:
    free(f.said);
    recon_maps_free(ctx, f.maps);
    recon_frames_free(&f.frames);
    recon_embedded_free(&f.embedded);
    recon_ieae_close(ctx, f.backbone);
    recon_stage_close(ctx, &f.stage);
    if (status != RECON_OK)
        recon_discovery_free(out);
    return status;
}

void recon_discovery_free(recon_discovery *d)
{
    free(d->summary);
    d->summary = NULL;
}
