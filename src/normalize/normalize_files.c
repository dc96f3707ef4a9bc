/* normalize_files.c - Algorithm 1 from files to a folder. */
#include "normalize/normalize_files.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/folder.h"
#include "core/json.h"
#include "normalize/frames_write.h"
#include "normalize/share.h"
#include "backbone/embedded.h"
#include "comm/comm.h"
#include "data/identity.h"
#include "knn/tiles.h"
#include "core/text.h"
#include "group/natural.h"
#include "group/mean.h"

#include <math.h>
#include <recon/core/version.h>
#include <recon/ops/backend.h>
#include <stdlib.h>
#include <string.h>

const char *recon_frames_family_name(const recon_frames *f)
{
    return f->group->families[f->family].name;
}

static char *make_summary(const recon_normalize_request *s, const recon_normalize_result *r,
                          const char *backend, uint64_t identity)
{
    const recon_frames *f = &r->frames;
    const recon_normalize_options *o = &s->options;
    static const char *const metric[] = { "cosine", "dot", "euclidean" };
    json_t *out = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:I, s:s, s:s, s:s, s:f, s:s}", "version",
        recon_version(), "kind", "poses", "group", f->group->name, "points", (json_int_t)r->points,
        "dimensions", (json_int_t)r->dimensions, "rows", (json_int_t)r->rows, "classes",
        f->k ? "knn" : "components", "class_count", (json_int_t)f->classes, "metric",
        metric[o->knn.metric], "mean", recon_mean_name(o->mean.kind), "family",
        recon_frames_family_name(f), "recall", f->recall, "backend", backend);
    if (s->quaternions)
        json_object_set_new(
            out, "quaternions",
            json_string(s->quaternions == RECON_QUATERNIONS_WXYZ ? "wxyz" : "xyzw"));
    json_object_set_new(out, "identity", json_sprintf(RECON_IDENTITY, identity));
    if (f->k) {
        json_object_set_new(out, "k", json_integer((json_int_t)f->k));
        json_object_set_new(out, "include_self", json_boolean(o->knn.include_self));
    } else {
        json_object_set_new(out, "eps", json_real(o->eps));
    }
    json_object_set_new(out, "single_classes", json_integer((json_int_t)f->singles));
    json_object_set_new(out, "rows_outside", json_integer((json_int_t)f->outside));
    if (o->mean.tukey_c > 0)
        json_object_set_new(out, "tukey_c_deg", json_real(o->mean.tukey_c * RECON_TO_DEGREES));
    if (!isnan(f->hit_rate))
        json_object_set_new(out, "hit_rate", json_real(f->hit_rate));
    json_object_set_new(out, "natural_pose", recon_natural_json(f->natural));
    json_object_set_new(out, "collapsed_rows", json_integer((json_int_t)f->collapsed));
    json_object_set_new(out, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f}", "classes", f->seconds.classes, "centers",
                                  f->seconds.centers, "fits", f->seconds.fits, "total",
                                  r->seconds));
    recon_frames_list(&out, f, NULL);
    return recon_json_text(out);
}

/* The library knows rows, not files. */
static recon_status name_files(recon_ctx *ctx, recon_status status,
                               const recon_normalize_request *s)
{
    if (status != RECON_ERR_INPUT)
        return status;
    return s->query[0] ? recon_note(ctx, status, "embeddings %s, queries %s", s->z, s->query[0])
                       : recon_note(ctx, status, "embeddings %s", s->z);
}

/* Embeddings that `recon discover` kept are of its result, and would go with it. Whether an input has
 * the name of a file of the new result, say score.npy, is known once those are written. */
static recon_status keep_inputs(recon_ctx *ctx, const recon_stage *stage,
                                const recon_normalize_request *s)
{
    const char *const files[] = { s->z,        s->poses,    s->labels,
                                  s->query[0], s->query[1], s->query_labels };
    recon_status status = RECON_OK;
    for (size_t i = 0; status == RECON_OK && i < sizeof files / sizeof *files; i++)
        if (files[i])
            status = recon_stage_keeps(ctx, stage, files[i]);
    return status;
}

/* The folder is rank 0's to make; the others are told where its stage is. */
static recon_status open_stage(recon_ctx *ctx, recon_stage *stage, char path[RECON_PATH],
                               const recon_normalize_request *s)
{
    recon_status status = RECON_OK;
    if (recon_comm_rank(ctx) == 0) {
        status = recon_stage_open(ctx, stage, s->out, RECON_RESULT);
        if (status == RECON_OK)
            status = keep_inputs(ctx, stage, s);
        memcpy(path, stage->path, RECON_PATH);
    }
    status = recon_comm_agree(ctx, status);
    return status == RECON_OK ? recon_comm_broadcast(ctx, path, RECON_PATH, 0) : status;
}

static recon_status commit_stage(recon_ctx *ctx, recon_stage *stage,
                                 const recon_normalize_request *s)
{
    recon_status status = RECON_OK;
    if (recon_comm_rank(ctx) == 0) {
        status = keep_inputs(ctx, stage, s);
        if (status == RECON_OK)
            status = recon_stage_commit(ctx, stage);
    }
    return recon_comm_agree(ctx, status);
}

recon_status recon_normalize_files(recon_ctx *ctx, recon_normalize_result *out,
                                   const recon_normalize_request *s)
{
    recon_embedded index = { 0 }, queries = { 0 }, *asked = s->query[0] ? &queries : NULL;
    double begin = recon_now();
    char path[RECON_PATH];
    uint64_t identity[2]; /* of the index, and of queries */
    recon_status status;
    recon_stage stage = RECON_NO_STAGE;
    *out = (recon_normalize_result){ 0 };
    RECON_TRY(open_stage(ctx, &stage, path, s)); /* before the long work */
    RECON_TRY(recon_embedded_read_share(ctx, &index, &identity[0], s->group, s->quaternions, s->z,
                                        s->poses, s->labels, RECON_TILE));
    out->points = index.n;
    out->dimensions = index.d;
    if (asked)
        RECON_TRY(recon_embedded_read_share(ctx, asked, &identity[1], s->group, s->quaternions,
                                            s->query[0], s->query[1], s->query_labels, RECON_TILE));
    out->rows = asked ? asked->n : index.n;
    RECON_TRY(
        name_files(ctx, recon_normalize_share(ctx, &out->frames, &index, asked, &s->options), s));
    out->seconds = recon_now() - begin;
    out->summary = make_summary(s, out, recon_ops_name(ctx),
                                asked ? recon_identity_join(identity, 2) : identity[0]);
    if (!out->summary)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
    RECON_TRY(recon_frames_put_share(ctx, path, &out->frames, index.precision,
                                     recon_comm_own(ctx, out->rows, RECON_TILE).begin, out->rows,
                                     out->summary));
    RECON_TRY(commit_stage(ctx, &stage, s));
done:
    recon_stage_close(ctx, &stage);
    recon_embedded_free(&queries);
    recon_embedded_free(&index);
    return status;
}

void recon_normalize_result_free(recon_normalize_result *result)
{
    free(result->summary);
    recon_frames_free(&result->frames);
}
