/* discover.c - embed, Algorithm 1, maps, and the files they leave: of any kind of inputs. */
#include <recon/model/discover.h>
#include "backbone/kinds.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"
#include "core/memory.h"
#include "data/identity.h"
#include "model/discovered.h"
#include "model/lambda.h"
#include "model/inconsistency.h"
#include "model/folds.h"
#include "model/model.h"
#include "model/summary.h"
#include "model/trust.h"
#include "group/mean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { METADATA = 10, ROTATED = 9 /* the seed of rotations for recon_codes_make */ };

typedef struct {
    const char *model;
    recon_stage stage;
    recon_discover_options o;
    const recon_backbone *backbone;
    recon_backbone *own; /* NULL: the caller's is used */
    uint64_t identity;   /* of the inputs */
    recon_embedded embedded;
    recon_frames frames;
    recon_maps *maps;
    recon_stored_embeddings *codes;
    recon_lambda_choice choice;
    double *inconsistency; /* [points], or NULL: see recon_backbone_kind */
    char *said;            /* [points] by the maps: of their kind */
    json_t *summary;
} flow;

/* --- the flow --------------------------------------------------------------------------------- */

/* With half: what will be opened later, by way of a file as it will be. */
static recon_status round_backbone(recon_ctx *ctx, flow *f)
{
    char rounded[RECON_PATH];
    recon_backbone *whole = f->own;
    recon_status status;
    f->own = NULL;
    recon_folder_join(rounded, f->stage.path, ".rounded.safetensors");
    RECON_TRY(recon_model_save(ctx, rounded, f->model, f->backbone, NULL,
                               &(recon_model_save_options){ .half = 1 }));
    RECON_TRY(recon_backbone_open(ctx, &f->own, rounded, f->o.precision));
    f->backbone = f->own;
done:
    unlink(rounded);
    recon_backbone_close(ctx, whole);
    return status;
}

/* Before the long work. */
static recon_status check_backbone(recon_ctx *ctx, const flow *f)
{
    const recon_backbone *b = f->backbone;
    const recon_maps_kind *kind = recon_maps_kind_of(b->kind->group);
    if (!kind)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                          "there are no heads for poses in %s: recon_normalize takes them",
                          b->kind->group->words);
    if (f->o.lambda == RECON_LAMBDA_DENSITY && !recon_maps_know_density(kind, b->density))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "lambda density: the backbone has no pose density; train one without "
                          "{plain=true} and {density=false}");
    return f->o.maps.heads == RECON_HEADS_PAPER ? recon_input_nets_check(ctx, b) : RECON_OK;
}

static recon_status open_backbone(recon_ctx *ctx, flow *f)
{
    recon_status status = RECON_OK;
    if (!f->backbone) {
        RECON_TRY(recon_backbone_open(ctx, &f->own, f->model, f->o.precision));
        f->backbone = f->own;
    }
    RECON_TRY(check_backbone(ctx, f));
    if (f->o.half)
        RECON_TRY(round_backbone(ctx, f));
done:
    return status;
}

/* The ways are compared on inputs as they come. Where these are upright, that says nothing of rotated
 * ones: there psi of a photo preset is what it has learned, and its density is exact at quarter turns. */
static recon_lambda lambda_of(const flow *f)
{
    const recon_ieae *images = recon_backbone_ieae(f->backbone);
    return images && images->encoder.is_photo && f->o.lambda == RECON_LAMBDA_AUTO
               ? RECON_LAMBDA_DENSITY
               : f->o.lambda;
}

/* Lambda of all points by the way that was taken, and what the pose densities say of them. */
static recon_status put_lambdas(recon_ctx *ctx, flow *f)
{
    const recon_embedded *e = &f->embedded;
    recon_lambda way = f->maps->lambda = f->choice.taken;
    const recon_maps_kind *kind = f->maps->kind;
    double lambda[RECON_NUMBERS_MAX];
    for (size_t i = 0; i < e->n; i++) {
        recon_lambda_by(lambda, kind, way, e, &f->frames, f->said, i);
        memcpy(f->said + i * kind->map + kind->lambda_at, lambda,
               kind->group->numbers * sizeof *lambda);
    }
    return recon_maps_put_densities(ctx, f->said, f->maps, e->poses, e->density, e->n,
                                    RECON_MAPS_ALL);
}

/* The points that codes are made of, each at a random rotation, through the backbone. */
static recon_status embed_rotated(recon_ctx *ctx, recon_embedded *out, const flow *f,
                                  const recon_data *data)
{
    recon_data *some = NULL, *rotated = NULL;
    size_t *which = NULL, n;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &which, f->embedded.n, sizeof *which));
    n = recon_codes_points(which, f->maps->held, f->embedded.n);
    RECON_TRY(data->kind->pick(ctx, &some, data, which, n));
    RECON_TRY(data->kind->rotate(ctx, &rotated, some, f->maps->kind->any_rotation, ROTATED));
    RECON_TRY(recon_backbone_embed(ctx, out, f->backbone, rotated));
done:
    recon_data_close(rotated);
    recon_data_close(some);
    free(which);
    return status;
}

static recon_status keep_codes(recon_ctx *ctx, flow *f, const recon_data *data)
{
    recon_embedded rotated = { .n = 0 };
    recon_status status = RECON_OK;
    if (data->kind->pick && data->kind->rotate)
        RECON_TRY(embed_rotated(ctx, &rotated, f, data));
    RECON_TRY(recon_codes_make(ctx, &f->codes, &f->embedded, f->maps->held, rotated.z));
done:
    recon_embedded_free(&rotated);
    return status;
}

static recon_status learn(recon_ctx *ctx, flow *f, const recon_data *data)
{
    const recon_embedded *e = &f->embedded;
    const recon_maps_inputs in = { .n = e->n, .z = e->z, .data = data };
    recon_status status;
    RECON_TRY(recon_maps_fit_inputs(ctx, &f->maps, e, &f->frames, &f->o.maps, f->backbone, data));
    RECON_TRY(keep_codes(ctx, f, data));
    RECON_TRY(recon_alloc_raw(ctx, &f->said, e->n, f->maps->kind->map));
    RECON_TRY(recon_maps_apply(ctx, f->said, f->maps, &in, RECON_MAPS_ALL));
    RECON_TRY(recon_lambda_choose(ctx, &f->choice, lambda_of(f), e, &f->frames, f->maps, f->said));
    RECON_TRY(put_lambdas(ctx, f));
done:
    return status;
}

static recon_status judge(recon_ctx *ctx, flow *f, recon_discovery *out, const recon_data *data)
{
    const recon_model model = { .backbone = (recon_backbone *)f->backbone,
                                .maps = f->maps,
                                .codes = f->codes,
                                .k = f->frames.k,
                                .mean = f->o.mean };
    out->trust.lambda = f->choice;
    return recon_trust_measure(ctx, &out->trust, &model, data, &f->embedded, &f->frames,
                               recon_inconsistent_share(f->inconsistency, f->embedded.n), f->said);
}

/* Of few inputs, on all of them. */
static recon_status calibrate(recon_ctx *ctx, flow *f, recon_discovery *out, const recon_data *data)
{
    const recon_folds_job job = { .model = f->model,
                                  .backbone = f->backbone,
                                  .data = data,
                                  .options = &f->o,
                                  .dir = f->stage.path,
                                  .maps_seconds = out->seconds.maps };
    out->folds = recon_folds_count(ctx, &job);
    return out->folds ? recon_folds_calibrate(ctx, f->maps, out->folds, &job) : RECON_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

/* What Gamma is: a mean, or where there is one the gauge. */
static const char *center_name(const flow *f)
{
    return f->frames.group->gauge && !f->o.as_mean ? RECON_MEAN_GAUGE
                                                   : recon_mean_name(f->o.mean.kind);
}

/* The family that Theta is the width of. */
static const char *theta_name(const flow *f)
{
    return f->maps->kind->parameter_is_family ? f->frames.group->families[(int)f->maps->number].name
                                              : NULL;
}

static recon_status write_model(recon_ctx *ctx, const flow *f, const recon_trust *trust)
{
    const char *theta = theta_name(f);
    char k[32], points[32], identity[17], path[RECON_PATH],
        *measures = recon_json_text(recon_trust_json(trust));
    const recon_metadata_entry own[METADATA] = {
        { "group", f->maps->kind->group->name },
        { "k", k },
        { "mean", center_name(f) },
        { "points", points },
        { "data", f->o.data ? f->o.data : "" },
        { "identity", identity },
        { "lambda", recon_lambda_name(f->maps->lambda) },
        { RECON_TRUST_VERDICT, recon_trust_name(trust->level) },
        { RECON_TRUST_MEASURES, measures ? measures : "" },
        { theta ? "theta" : RECON_DISCOVER_LABELS, theta ? theta : RECON_DISCOVER_MOMENTS },
    };
    size_t n = METADATA, all_n = n + f->o.n_metadata;
    recon_metadata_entry *all = NULL;
    recon_status status;
    if (!measures)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", f->stage.path));
    snprintf(k, sizeof k, "%zu", f->frames.k);
    snprintf(points, sizeof points, "%zu", f->embedded.n);
    snprintf(identity, sizeof identity, RECON_IDENTITY, f->identity);
    RECON_TRY(recon_alloc(ctx, &all, all_n, sizeof *all));
    for (size_t i = 0; i < all_n; i++)
        all[i] = i < n ? own[i] : f->o.metadata[i - n];
    RECON_TRY(recon_model_save(
        ctx, recon_folder_join(path, f->stage.path, "model.safetensors"), f->model, f->backbone,
        f->maps,
        &(recon_model_save_options){
            .half = f->o.half, .metadata = all, .n_metadata = all_n, .codes = f->codes }));
done:
    free(all);
    free(measures);
    return status;
}

static recon_status write_all(recon_ctx *ctx, const flow *f, const recon_discovery *out)
{
    const recon_maps_kind *kind = f->maps->kind;
    recon_discovered found = { .embedded = &f->embedded,
                               .frames = &f->frames,
                               .summary = f->summary,
                               .text = out->summary,
                               .keep_embeddings = f->o.keep_embeddings };
    double *lambda = NULL;
    size_t n = f->embedded.n, numbers = kind->group->numbers;
    recon_status status;
    RECON_TRY(write_model(ctx, f, &out->trust));
    RECON_TRY(recon_alloc_raw(ctx, &lambda, n, numbers * sizeof *lambda));
    for (size_t i = 0; i < n; i++)
        memcpy(lambda + i * numbers, f->said + i * kind->map + kind->lambda_at,
               numbers * sizeof *lambda);
    found.natural = lambda;
    RECON_TRY(recon_discovered_write(ctx, f->stage.path, &found));
    if (f->o.report)
        RECON_TRY(f->o.report(ctx, f->o.report_arg, &found, f->stage.path));
done:
    free(lambda);
    return status;
}

/* Ranks share this out, except where the backbone is rounded: that one is rank 0's. */
static recon_status embed(recon_ctx *ctx, flow *f, const recon_data *data)
{
    if (f->o.half && recon_comm_rank(ctx) > 0)
        return RECON_OK;
    recon_status status = open_backbone(ctx, f);
    if (f->o.half)
        return status == RECON_OK ? recon_backbone_embed(ctx, &f->embedded, f->backbone, data)
                                  : status;
    status = recon_comm_agree(ctx, status);
    return status == RECON_OK ? recon_backbone_embed_share(ctx, &f->embedded, f->backbone, data)
                              : status;
}

static recon_status run(recon_ctx *ctx, recon_discovery *out, flow *f, const recon_data *data)
{
    double begun = recon_now(), then = begun;
    recon_status status;
    RECON_TRY(embed(ctx, f, data));
    if (recon_comm_rank(ctx) > 0)
        return RECON_OK; /* the rest is rank 0's */
    recon_lap(&out->seconds.embed, &then);
    RECON_TRY(recon_discover_frames(ctx, &f->frames, &f->embedded, f->backbone->kind, &f->o));
    RECON_TRY(recon_discover_inconsistency(ctx, &f->inconsistency, &f->frames, &f->embedded,
                                           f->backbone, data));
    recon_lap(&out->seconds.normalize, &then);
    RECON_TRY(learn(ctx, f, data));
    recon_lap(&out->seconds.maps, &then);
    RECON_TRY(calibrate(ctx, f, out, data));
    recon_lap(&out->seconds.folds, &then);
    RECON_TRY(judge(ctx, f, out, data));
    out->seconds.total = then - begun;
    RECON_TRY(recon_identity(ctx, &f->identity, data, 0));
    RECON_TRY(recon_summarize(ctx, &f->summary, out,
                              &(recon_summary_input){ .options = &f->o,
                                                      .data = data,
                                                      .identity = f->identity,
                                                      .embedded = &f->embedded,
                                                      .frames = &f->frames,
                                                      .maps = f->said,
                                                      .lambda = f->maps->lambda,
                                                      .inconsistency = f->inconsistency,
                                                      .mean = center_name(f),
                                                      .theta = theta_name(f),
                                                      .backend = recon_ops_name(ctx) }));
    RECON_TRY(write_all(ctx, f, out));
    RECON_TRY(recon_stage_commit(ctx, &f->stage));
done:
    return status;
}

static recon_status check_family(recon_ctx *ctx, recon_so2_family family)
{
    recon_status status = recon_enum_check(ctx, family, RECON_SO2_BINS, "family");
    if (status != RECON_OK)
        return status;
    if (family != RECON_SO2_AUTO && family != RECON_SO2_UNIFORM && family != RECON_SO2_NORMAL)
        return recon_fail(ctx, RECON_ERR_INPUT, "family %s: Theta supports auto, uniform or normal",
                          recon_so2_family_name(family));
    return RECON_OK;
}

/* What `recon train` wrote may be called as the result's model is. */
static recon_status keep_model(recon_ctx *ctx, const char *model, const char *dir)
{
    char path[RECON_PATH];
    struct stat in, old;
    recon_folder_join(path, dir, "model.safetensors");
    if (stat(model, &in) != 0 || stat(path, &old) != 0 || in.st_dev != old.st_dev ||
        in.st_ino != old.st_ino)
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_INPUT,
                      "%s: this is the input, and would be replaced by the new model; name another "
                      "folder than %s",
                      model, dir);
}

recon_status recon_discover(recon_ctx *ctx, recon_discovery *out, const char *model,
                            const recon_backbone *backbone, const recon_data *data, const char *dir,
                            const recon_discover_options *options)
{
    flow f = { .model = model, .stage = RECON_NO_STAGE, .backbone = backbone };
    recon_status status;
    *out = (recon_discovery){ .hit_rate = NAN,
                              .several = NAN,
                              .folded = NAN,
                              .theta_median = NAN,
                              .disagree = NAN,
                              .concentration = NAN,
                              .background = NAN,
                              .inconsistent = NAN };
    if (options)
        f.o = *options;
    RECON_TRY(recon_reserved_check(ctx, f.o.reserved, "recon_discover_options"));
    RECON_TRY(recon_reserved_check(ctx, f.o.maps.reserved, "recon_maps_options"));
    RECON_TRY(recon_enum_check(ctx, f.o.maps.heads, RECON_HEADS_PAPER, "kind of heads"));
    RECON_TRY(recon_enum_check(ctx, f.o.lambda, RECON_LAMBDA_DENSITY, "lambda"));
    RECON_TRY(recon_mean_options_check(ctx, &f.o.mean));
    RECON_TRY(check_family(ctx, f.o.family));
    RECON_TRY(recon_comm_agree(ctx, keep_model(ctx, model, dir)));
    if (recon_comm_rank(ctx) == 0)
        status = recon_stage_open(ctx, &f.stage, dir, RECON_RESULT);
    RECON_TRY(recon_comm_agree(ctx, status));
    RECON_TRY(recon_comm_agree(ctx, run(ctx, out, &f, data)));
done:
    json_decref(f.summary);
    free(f.said);
    recon_codes_free(f.codes);
    free(f.inconsistency);
    recon_maps_free(ctx, f.maps);
    recon_frames_free(&f.frames);
    recon_embedded_free(&f.embedded);
    recon_backbone_close(ctx, f.own);
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
