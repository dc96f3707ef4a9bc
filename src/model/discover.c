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
#include "model/held.h"
#include "model/table.h"
#include "model/inconsistency.h"
#include "model/folds.h"
#include "model/model.h"
#include "model/prior.h"
#include "model/summary.h"
#include "model/trust.h"
#include "group/mean.h"
#include "core/blocks.h"
#include "normalize/findings.h"
#include "normalize/pooled.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { METADATA = 10, BLOCK = RECON_BLOCK_EMBED_LARGE };

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
    recon_model answers; /* the parts of what will be written */
    int64_t *cluster;    /* [points] */
    recon_lambda_choice choice;
    double *fold_scores;   /* [points] by maps that have not seen it; NULL: no folds */
    double *inconsistency; /* [points], or NULL: see recon_backbone_kind */
    char *said;            /* [points] what the maps say of each: of their kind */
    /* Of a complete model of other inputs, and the natural poses about its own, of inputs that both know. */
    recon_model *prior;
    double *about_prior; /* [points] */
    int64_t *known;      /* [points] their clusters; -1: not known */
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
                          "there are no heads for poses in %s: only recon_normalize supports them",
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

/* The head of a photo preset is seldom worse on inputs as they come, but its density is exact at quarter turns. */
static recon_lambda lambda_of(const flow *f)
{
    const recon_ieae *images = recon_backbone_ieae(f->backbone);
    return images && images->encoder.is_photo && f->o.lambda == RECON_LAMBDA_AUTO
               ? RECON_LAMBDA_DENSITY
               : f->o.lambda;
}

/* Poses compare in the frame of the backbone, or in that of the natural poses that its density says. */
static recon_status find_clusters(recon_ctx *ctx, flow *f, size_t *count)
{
    const recon_embedded *e = &f->embedded;
    recon_clustering of = { .group = e->group,
                            .n = e->n,
                            .k = f->frames.k,
                            .neighbors = f->frames.neighbors,
                            .poses = { e->poses } };
    double *upright = NULL;
    size_t *used = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &f->cluster, e->n, sizeof *f->cluster));
    RECON_TRY(recon_alloc_raw(ctx, &used, e->n, sizeof *used));
    for (size_t i = 0; i < e->n; i++)
        used[i] = (size_t)f->frames.members[i];
    of.used = used;
    RECON_TRY(recon_held_upright(ctx, &upright, e, f->maps->kind));
    of.poses[1] = upright;
    RECON_TRY(recon_pooled_clusters(ctx, f->cluster, count, &of));
done:
    recon_free_all(upright, used);
    return status;
}

static recon_status learn(recon_ctx *ctx, flow *f, const recon_data *data)
{
    const recon_embedded *e = &f->embedded;
    recon_held_job job = { .data = data,
                           .points = e,
                           .k = f->frames.k,
                           .neighbors = f->frames.neighbors,
                           .asked = lambda_of(f) };
    recon_status status;
    RECON_TRY(recon_maps_fit_inputs(ctx, &f->maps, e, &f->frames, &f->o.maps, f->backbone, data));
    RECON_TRY(find_clusters(ctx, f, &job.clusters));
    job.cluster = f->cluster;
    f->answers = (recon_model){ .backbone = (recon_backbone *)f->backbone,
                                .maps = f->maps,
                                .k = f->frames.k,
                                .mean = f->o.mean,
                                .by_gauge = f->frames.group->gauge && !f->o.as_mean };
    RECON_TRY(recon_held_decide(ctx, &f->choice, &f->answers, &job));
    RECON_TRY(recon_held_calibrate(ctx, &f->answers, &job));
done:
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Room for a block of inputs and what is answered. */
typedef struct {
    char *in;
    recon_read read, read_prior;
    recon_row *rows, *rows_prior;
    recon_table table;
    recon_cluster_count *counts;
} block;

/* Of a cluster whose symmetry is named all rows have the same one of the equivalent centres. */
static void take_named(recon_frames *f, size_t row, const recon_law *law)
{
    recon_class_verdict own = { .natural = law->natural,
                                .fold = law->fold,
                                .symmetry = law->symmetry };
    size_t numbers = f->group->numbers;
    double modes[RECON_FRAME_MODES * (RECON_NUMBERS_MAX + 1)] = { 0 };
    memcpy(own.axis, law->axis, sizeof own.axis);
    for (int j = 0; j < law->modes && j < RECON_FRAME_MODES; j++) {
        double *to = modes + (size_t)j * (numbers + 1);
        memcpy(to, law->mode[j].at, numbers * sizeof *to);
        to[numbers] = law->mode[j].weight;
    }
    recon_class_verdict_put(f, row, &own, modes);
    memcpy(f->gamma + row * numbers, law->mode[0].at, numbers * sizeof *f->gamma);
}

/* A backbone alone holds nothing. */
static recon_status open_prior(recon_ctx *ctx, flow *f)
{
    recon_safetensors *file = NULL;
    recon_status status;
    RECON_TRY(recon_safetensors_open(ctx, &file, f->model));
    if (recon_safetensors_metadata(file, RECON_MAPS_METADATA))
        RECON_TRY(recon_model_open(ctx, &f->prior, f->model, f->o.precision));
    RECON_TRY(recon_alloc_raw(ctx, &f->about_prior, f->prior ? f->embedded.n : 0,
                              f->embedded.group->numbers * sizeof *f->about_prior));
    RECON_TRY(recon_alloc_raw(ctx, &f->known, f->prior ? f->embedded.n : 0, sizeof *f->known));
done:
    recon_safetensors_close(file);
    return status;
}

static recon_status ask_prior(recon_ctx *ctx, flow *f, block *b, const recon_seen *seen, size_t at,
                              size_t n)
{
    const recon_group *g = f->embedded.group;
    double back[RECON_NUMBERS_MAX];
    if (!f->prior)
        return RECON_OK;
    RECON_CHECK(recon_model_answer(ctx, &b->read_prior, f->prior, seen, b->in, n));
    RECON_CHECK(recon_rows_fill(ctx, b->rows_prior, f->prior, &b->read_prior, n, NULL));
    for (size_t i = 0; i < n; i++) {
        int both =
            b->rows[i].why == RECON_WHY_ROTATED && b->rows_prior[i].verdict == RECON_NATURAL_ONE;
        f->known[at + i] = both ? b->rows[i].cluster : -1;
        g->inverse(g, back, b->rows_prior[i].pose.lambda);
        g->compose(g, f->about_prior + (at + i) * g->numbers, b->rows[i].pose.lambda, back);
    }
    return RECON_OK;
}

/* Inputs from at on, as canonicalize would be asked about them; the backbone has seen them. */
static recon_status answer_block(recon_ctx *ctx, flow *f, block *b, const recon_data *data,
                                 size_t at, size_t n)
{
    const recon_embedded *e = &f->embedded;
    const recon_seen seen = { .z = (float *)e->z + at * e->d,
                              .psi = (double *)e->poses + at * e->group->numbers,
                              .density =
                                  e->density ? (float *)e->density + at * RECON_POSE_BINS : NULL };
    size_t map = f->maps->kind->map;
    recon_status status;
    data->kind->read(b->in, data, at, n);
    RECON_TRY(recon_model_answer(ctx, &b->read, &f->answers, &seen, b->in, n));
    RECON_TRY(recon_rows_fill(ctx, b->rows, &f->answers, &b->read, n,
                              &(recon_canonicalize_options){ .only = RECON_ONLY_CLEAR }));
    memcpy(f->said + at * map, b->read.maps, n * map);
    for (size_t i = 0; i < n; i++) {
        recon_row *row = &b->rows[i];
        if (row->verdict == RECON_NATURAL_MODULO && !row->fold) /* the heads do not learn it */
            row->fold = f->frames.fold[at + i];
        if (row->verdict != RECON_NATURAL_MODULO || row->fold != f->frames.fold[at + i])
            f->frames.symmetry[at + i] = (int8_t)recon_symmetry_of(row->verdict, row->fold);
        f->frames.verdict[at + i] = (int8_t)row->verdict;
        f->frames.fold[at + i] = (int8_t)row->fold;
        const recon_law *named = recon_laws_named(&f->answers.codes->laws, row->cluster);
        if (named && row->verdict == RECON_NATURAL_MODULO && named->frame != RECON_LAWS_OF_DENSITY)
            take_named(&f->frames, at + i, named);
        const recon_law *law = recon_model_law(&f->answers, b->rows[i].cluster);
        if (law && law->modes > 1)
            f->frames.theta[at + i] = recon_law_theta(law, f->frames.family);
        if (b->rows[i].cluster >= 0)
            recon_cluster_add(&b->counts[b->rows[i].cluster], f->frames.group, &b->rows[i]);
    }
    RECON_TRY(recon_table_add(ctx, &b->table, b->rows, at, n));
    RECON_TRY(ask_prior(ctx, f, b, &seen, at, n));
done:
    return status;
}

/* The rows of all inputs: what everything else that a discovery says is made of. */
static recon_status answer(recon_ctx *ctx, flow *f, recon_discovery *out, const recon_data *data)
{
    const recon_laws *laws = &f->answers.codes->laws;
    size_t n = f->embedded.n, most = n < BLOCK ? n : BLOCK;
    const recon_inputs own = { .whole = (recon_data *)data, .use = data, .n = n };
    block b = { .table = RECON_NO_TABLE };
    char path[RECON_PATH];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &f->said, n, f->maps->kind->map));
    RECON_TRY(recon_alloc_raw(ctx, &b.in, most, recon_data_describe(data).bytes));
    RECON_TRY(recon_alloc_raw(ctx, &b.rows, most, sizeof *b.rows));
    RECON_TRY(recon_read_new(ctx, &b.read, &f->answers, most, 1));
    RECON_TRY(open_prior(ctx, f));
    if (f->prior) {
        RECON_TRY(recon_alloc_raw(ctx, &b.rows_prior, most, sizeof *b.rows_prior));
        RECON_TRY(recon_read_new(ctx, &b.read_prior, f->prior, most, 1));
    }
    RECON_TRY(recon_alloc(ctx, &b.counts, laws->n, sizeof *b.counts));
    RECON_TRY(recon_table_open(ctx, &b.table, recon_folder_join(path, f->stage.path, "poses.csv"),
                               f->o.inputs ? f->o.inputs : &own, f->frames.group, 1));
    for (size_t at = 0; at < n; at += most)
        RECON_TRY(answer_block(ctx, f, &b, data, at, n - at < most ? n - at : most));
    RECON_TRY(recon_table_commit(ctx, &b.table));
    if (f->prior)
        RECON_TRY(recon_prior_compare(ctx, &out->prior, &out->n_prior, f->frames.group,
                                      f->about_prior, f->known, n, laws->n));
    for (size_t i = 0; i < out->n_prior; i++)
        out->prior[i].inputs = b.counts[out->prior[i].cluster].inputs;
    RECON_TRY(recon_clusters_write(ctx, recon_folder_join(path, f->stage.path, "clusters.csv"),
                                   f->frames.group, laws, b.counts, out->prior, out->n_prior));
    recon_findings_count(&f->frames);
done:
    recon_table_close(&b.table);
    recon_read_free(&b.read);
    recon_read_free(&b.read_prior);
    recon_free_all(b.counts, b.rows, b.rows_prior, b.in);
    return status;
}

static recon_status judge(recon_ctx *ctx, flow *f, recon_discovery *out, const recon_data *data)
{
    out->trust.lambda = f->choice;
    const recon_trust_job job = { .model = &f->answers,
                                  .data = data,
                                  .embedded = &f->embedded,
                                  .frames = &f->frames,
                                  .cluster = f->cluster,
                                  .said = f->said,
                                  .fold_scores = f->fold_scores,
                                  .inconsistent =
                                      recon_inconsistent_share(f->inconsistency, f->embedded.n) };
    return recon_trust_measure(ctx, &out->trust, &job);
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
    recon_status status = RECON_OK;
    out->folds = recon_folds_count(ctx, &job);
    if (!out->folds)
        return status;
    RECON_TRY(recon_alloc_raw(ctx, &f->fold_scores, f->embedded.n, sizeof *f->fold_scores));
    RECON_TRY(recon_folds_calibrate(ctx, f->fold_scores, f->maps, out->folds, &job));
done:
    return status;
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
            .half = f->o.half, .metadata = all, .n_metadata = all_n, .codes = f->answers.codes }));
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
    RECON_TRY(answer(ctx, f, out, data));
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
    free(f.cluster);
    recon_codes_free(f.answers.codes);
    free(f.inconsistency);
    free(f.fold_scores);
    free(f.about_prior);
    free(f.known);
    recon_model_close(ctx, f.prior);
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
    free(d->prior);
    d->summary = NULL;
    d->prior = NULL;
}
