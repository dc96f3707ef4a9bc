/* normalize_files.c - Algorithm 1 from files to a folder. */
#include "normalize/findings.h"
#include "normalize/normalize_files.h"
#include "core/ctx.h"
#include "core/file.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/npy.h"
#include "core/folder.h"
#include "core/json.h"
#include "normalize/frames_write.h"
#include "normalize/share.h"
#include <recon/normalize/index.h>
#include "backbone/embedded.h"
#include "comm/comm.h"
#include "data/identity.h"
#include "knn/tiles.h"
#include "core/text.h"
#include "group/natural.h"
#include "group/mean.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <recon/core/version.h>
#include <recon/ops/backend.h>
#include <stdio.h>
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
    static const char *const classes[] = { "knn", "components", "given" };
    static const char *const metric[] = { "cosine", "dot", "euclidean" };
    json_t *out = json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:I, s:s, s:s, s:s, s:f, s:s}",
                            "version", recon_version(), "kind", "poses", "group", f->group->name,
                            "points", (json_int_t)r->points, "dimensions",
                            (json_int_t)r->dimensions, "rows", (json_int_t)r->rows, "classes",
                            classes[o->classes], "class_count", (json_int_t)f->classes, "metric",
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
    } else if (o->classes == RECON_CLASSES_COMPONENTS) {
        json_object_set_new(out, "eps", json_real(o->eps));
    }
    json_object_set_new(out, "single_classes", json_integer((json_int_t)f->singles));
    json_object_set_new(out, "rows_outside", json_integer((json_int_t)f->outside));
    if (o->mean.tukey_c > 0)
        json_object_set_new(out, "tukey_c_deg", json_real(o->mean.tukey_c * RECON_TO_DEGREES));
    if (!isnan(f->hit_rate))
        json_object_set_new(out, "hit_rate", json_real(f->hit_rate));
    json_object_set_new(out, "natural_pose", recon_natural_json(f->natural));
    json_object_set_new(out, "symmetry", recon_findings_symmetries(r->symmetry));
    if (f->group->directions)
        json_object_set_new(out, "free", recon_findings_free_directions(r->free, f->group));
    json_object_set_new(out, "collapsed_rows", json_integer((json_int_t)f->collapsed));
    json_object_set_new(out, "seconds",
                        json_pack("{s:f, s:f, s:f, s:f}", "classes", f->seconds.classes, "centers",
                                  f->seconds.centers, "fits", f->seconds.fits, "total",
                                  r->seconds));
    recon_frames_list(&out, f, NULL);
    return recon_json_text(out);
}

/* What each rank has counted of its own rows. */
static recon_status count_rows(recon_ctx *ctx, recon_normalize_result *r, int queries)
{
    const recon_frames *f = &r->frames;
    for (size_t i = 0; queries && f->p_embedding && i < f->rows; i++)
        r->unlike += f->p_embedding[i] <= RECON_FRAMES_UNLIKE;
    recon_findings_count_symmetries(r->symmetry, f);
    recon_findings_count_free(r->free, f);
    RECON_CHECK(recon_comm_count(ctx, &r->unlike, 1));
    RECON_CHECK(recon_comm_count(ctx, r->free, RECON_DIRECTIONS));
    return recon_comm_count(ctx, r->symmetry, RECON_SYMMETRY_CODES);
}

/* The library knows rows, not files. */
static recon_status name_files(recon_ctx *ctx, recon_status status,
                               const recon_normalize_request *s)
{
    if (status != RECON_ERR_INPUT)
        return status;
    const char *points = s->z ? s->z : s->index;
    return s->query[0] ? recon_note(ctx, status, "embeddings %s, queries %s", points, s->query[0])
                       : recon_note(ctx, status, "embeddings %s", points);
}

/* Embeddings that `recon discover` kept are of its result, and would go with it. Whether an input has
 * the name of a file of the new result, say score.npy, is known once those are written. */
static recon_status keep_inputs(recon_ctx *ctx, const recon_stage *stage,
                                const recon_normalize_request *s)
{
    const char *const files[] = { s->z,        s->poses,        s->labels,  s->query[0],
                                  s->query[1], s->query_labels, s->classes, s->index };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i])
            RECON_CHECK(recon_stage_keeps(ctx, stage, files[i]));
    return RECON_OK;
}

/* A line of text as a number: 1; not one: 0; blank: -1. */
static int read_line(int64_t *out, const char *line, size_t length)
{
    char text[24], *end;
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    if (length == 0)
        return -1;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text), line);
    errno = 0;
    *out = strtoll(text, &end, 10);
    return *end == 0 && errno == 0;
}

/* Lines of one whole number each; a heading may come first. */
static recon_status parse_classes(recon_ctx *ctx, int64_t *out, size_t n, const recon_file *file,
                                  const char *path)
{
    const char *text = (const char *)file->bytes;
    size_t rows = 0, lines = 0;
    for (size_t at = 0, next; at < file->size; at = next, lines++) {
        const char *newline = memchr(text + at, '\n', file->size - at);
        size_t end = newline ? (size_t)(newline - text) : file->size;
        int64_t number = 0;
        int is = read_line(&number, text + at, end - at);
        next = end + 1;
        if (is == 0 && lines > 0)
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: line %zu is no whole number", path,
                              lines + 1);
        if (is > 0 && rows++ < n)
            out[rows - 1] = number;
    }
    if (rows != n)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: %zu classes, but %s", path, rows,
                          recon_count((recon_count_text){ 0 }, n, "row", "rows"));
    return RECON_OK;
}

/* The class of each of n rows, from an NPY file or from text. */
static recon_status read_classes(recon_ctx *ctx, int64_t **out, size_t n, const char *path)
{
    recon_array a = { 0 };
    recon_array_text shape;
    recon_file file = { 0 };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, out, n, sizeof **out));
    RECON_TRY(recon_file_open(ctx, &file, path));
    if (file.size < 6 || memcmp(file.bytes, "\x93NUMPY", 6) != 0) {
        RECON_TRY(parse_classes(ctx, *out, n, &file, path));
        goto done;
    }
    RECON_TRY(recon_npy_read(ctx, &a, path));
    if (a.ndim != 1 || a.shape[0] != n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: %s, but %s needed", path,
                             recon_array_show(shape, &a),
                             recon_count((recon_count_text){ 0 }, n, "class is", "classes are")));
    status = recon_array_to_i64(ctx, *out, &a);
    if (status != RECON_OK)
        recon_note(ctx, status, "in %s", path);
done:
    recon_file_close(&file);
    recon_array_free(&a);
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

/* --- from an index, or to one ------------------------------------------------------------------ */

static recon_status alone(recon_ctx *ctx, const recon_normalize_request *s)
{
    if (recon_comm_size(ctx) == 1 || (!s->index && !s->save_index))
        return RECON_OK;
    return recon_fail(ctx, RECON_ERR_UNSUPPORTED,
                      "over ranks there is no {index}: run one process");
}

static recon_status open_index(recon_ctx *ctx, recon_index **out, recon_normalize_request *s)
{
    if (!s->index)
        return RECON_OK;
    RECON_CHECK(recon_index_open(ctx, out, s->index));
    const recon_normalize_options *o = recon_index_options(*out);
    if ((o->classes == RECON_CLASSES_GIVEN && s->z) != (s->classes != NULL))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          s->classes ? "%s: an index without classes of your own, or no new points"
                                     : "%s: an index with classes of your own: {classes} FILE for "
                                       "the new points",
                          s->index);
    s->options = *o;
    return recon_group_find(ctx, &s->group, recon_index_group(*out));
}

/* The index of the points of both. */
static recon_status make_index(recon_ctx *ctx, recon_index **index, const recon_embedded *points,
                               const recon_normalize_request *s)
{
    recon_index *made = NULL;
    recon_status status = RECON_OK;
    if (*index && s->z)
        RECON_TRY(recon_index_add(ctx, &made, *index, points, s->options.class_of));
    else if (!*index && s->save_index)
        RECON_TRY(recon_index_fit(ctx, &made, points, &s->options));
    if (made) {
        recon_index_free(*index);
        *index = made;
    }
    if (s->save_index)
        RECON_TRY(recon_index_save(ctx, *index, s->save_index));
done:
    return status;
}

/* --- all of it --------------------------------------------------------------------------------- */

static recon_status answer(recon_ctx *ctx, recon_frames *out, const recon_index *index,
                           const recon_embedded *points, const recon_embedded *queries,
                           const recon_normalize_options *options)
{
    return index && queries ? recon_index_query(ctx, out, index, queries)
                            : recon_normalize_share(ctx, out, points, queries, options);
}

static recon_status write_result(recon_ctx *ctx, recon_stage *stage, const char *path,
                                 const recon_normalize_result *r, recon_dtype precision,
                                 const recon_normalize_request *s)
{
    RECON_CHECK(recon_frames_put_share(ctx, path, &r->frames, precision,
                                       recon_comm_own(ctx, r->rows, RECON_TILE).begin, r->rows,
                                       r->summary));
    return commit_stage(ctx, stage, s);
}

recon_status recon_normalize_files(recon_ctx *ctx, recon_normalize_result *out,
                                   recon_normalize_request *s)
{
    recon_embedded points = { 0 }, queries = { 0 }, *asked = s->query[0] ? &queries : NULL;
    const recon_embedded *all = &points;
    double begin = recon_now();
    char path[RECON_PATH];
    uint64_t identity[2] = { 0 }; /* of the points, and of queries */
    int64_t *class_of = NULL;
    recon_index *index = NULL;
    recon_status status;
    recon_stage stage = RECON_NO_STAGE;
    *out = (recon_normalize_result){ 0 };
    RECON_TRY(alone(ctx, s));
    if (s->out)
        RECON_TRY(open_stage(ctx, &stage, path, s)); /* before the long work */
    RECON_TRY(open_index(ctx, &index, s));
    if (s->z)
        RECON_TRY(recon_embedded_read_share(ctx, &points, &identity[0], s->group, s->quaternions,
                                            s->z, s->poses, s->labels, RECON_TILE));
    if (s->classes)
        RECON_TRY(recon_comm_agree(ctx, read_classes(ctx, &class_of, points.n, s->classes)));
    s->options.class_of = class_of;
    if (asked)
        RECON_TRY(recon_embedded_read_share(ctx, asked, &identity[1], s->group, s->quaternions,
                                            s->query[0], s->query[1], s->query_labels, RECON_TILE));
    RECON_TRY(name_files(ctx, make_index(ctx, &index, &points, s), s));
    all = index ? recon_index_points(index) : &points;
    out->points = all->n;
    out->dimensions = all->d;
    out->rows = asked ? asked->n : all->n;
    if (s->out) {
        RECON_TRY(
            name_files(ctx, answer(ctx, &out->frames, index, &points, asked, &s->options), s));
        RECON_TRY(count_rows(ctx, out, asked != NULL));
        out->seconds = recon_now() - begin;
        out->summary = make_summary(s, out, recon_ops_name(ctx),
                                    asked ? recon_identity_join(identity, 2) : identity[0]);
        if (!out->summary)
            RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
        RECON_TRY(write_result(ctx, &stage, path, out, all->precision, s));
    }
    out->seconds = recon_now() - begin;
done:
    recon_stage_close(ctx, &stage);
    free(class_of);
    recon_index_free(index);
    recon_embedded_free(&queries);
    recon_embedded_free(&points);
    return status;
}

void recon_normalize_result_free(recon_normalize_result *result)
{
    free(result->summary);
    recon_frames_free(&result->frames);
}
