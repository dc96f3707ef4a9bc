/* index_file.c - an index as a file: docs/formats.md, "An index of poses".
 *
 * What a query reads lies there as it is used, so that opening reads little and copies nothing. All that
 * leads to an address is checked when the file is opened, or where it is used. */
#include "normalize/index.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/npy.h"
#include "ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KIND    "index"
#define VERSION "1"

/* The numbers of an index, in the order of the file. */
typedef struct {
    double classes, k, metric, mean, tukey_c, eps, only_tails, no_symmetry, family, family_used,
        precision, near, far, scale, longest, worst_rest;
} settings;
enum { SETTINGS = sizeof(settings) / sizeof(double) };

/* A cluster's numbers: verdict, fold, symmetry, axis, mean, modes. */
enum { NATURAL, FOLD, SYMMETRY, AXIS, MEAN = AXIS + 6 };

static size_t law_width(const recon_group *group)
{
    return MEAN + group->numbers + recon_class_verdict_modes(group);
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct {
    recon_tensor_entry entry[RECON_INDEX_TENSORS];
    size_t n;
} tensors;

/* cols 0: one number a row. */
static void put(tensors *t, const char *name, recon_dtype dtype, const void *data, size_t rows,
                size_t cols)
{
    t->entry[t->n++] = (recon_tensor_entry){
        name, { .dtype = dtype, .ndim = cols ? 2 : 1, .shape = { rows, cols }, .data = data }
    };
}

static settings settings_of(const recon_index *x)
{
    const recon_normalize_options *o = &x->options;
    return (settings){ .classes = o->classes,
                       .k = (double)o->knn.k,
                       .metric = o->knn.metric,
                       .mean = o->mean.kind,
                       .tukey_c = o->mean.tukey_c,
                       .eps = o->eps,
                       .only_tails = o->only_tails != 0,
                       .no_symmetry = o->no_symmetry != 0,
                       .family = o->family,
                       .family_used = x->family,
                       .precision = x->points.precision == RECON_F64,
                       .near = x->jump.near,
                       .far = x->jump.far,
                       .scale = x->search.scale,
                       .longest = x->search.longest,
                       .worst_rest = x->search.worst_rest };
}

static void pack_laws(double *out, const recon_pooled *p, const recon_group *group)
{
    size_t numbers = group->numbers, modes = recon_class_verdict_modes(group);
    for (size_t c = 0; c < p->count; c++, out += law_width(group)) {
        const recon_class_verdict *f = &p->finding[c];
        out[NATURAL] = f->natural;
        out[FOLD] = f->fold;
        out[SYMMETRY] = f->symmetry;
        memcpy(out + AXIS, f->axis, sizeof f->axis);
        memcpy(out + MEAN, p->mean + c * numbers, numbers * sizeof *out);
        memcpy(out + MEAN + numbers, p->modes + c * modes, modes * sizeof *out);
    }
}

static void put_graph(tensors *t, const recon_index *x, const double *laws, const int64_t *counts,
                      size_t width)
{
    size_t n = x->points.n, tails = 0;
    for (int g = 0; g < RECON_NATURAL_KINDS; g++)
        tails += x->tails.n[g];
    put(t, "nearest", RECON_F64, x->nearest, n, 0);
    put(t, "cluster", RECON_I64, x->pooled.cluster, n, 0);
    put(t, "laws", RECON_F64, laws, x->pooled.count, width);
    put(t, "tails", RECON_F64, x->tails.tail, 2, tails);
    put(t, "tail_counts", RECON_I64, counts, RECON_NATURAL_KINDS, 0);
}

recon_status recon_index_save(recon_ctx *ctx, const recon_index *index, const char *path)
{
    recon_index view;
    double *laws = NULL;
    int64_t counts[RECON_NATURAL_KINDS];
    settings s = settings_of(index);
    tensors t = { .n = 0 };
    const recon_points *p = &index->search;
    size_t n = index->points.n, d = index->points.d, width;
    recon_status status;
    RECON_TRY(recon_index_view(ctx, &view, index));
    width = law_width(view.points.group);
    put(&t, "settings", RECON_F64, &s, SETTINGS, 0);
    put(&t, "z", RECON_F32, index->points.z, n, d);
    put(&t, "poses", RECON_F64, index->points.poses, n, view.points.group->numbers);
    put(&t, "norm", RECON_F64, p->norm, n, 0);
    if (p->mean)
        put(&t, "mean", RECON_F64, p->mean, d, 0);
    if (p->bytes) {
        put(&t, "bytes", RECON_I8, p->bytes, n, d);
        put(&t, "step", RECON_F32, p->step, n, 0);
        put(&t, "rest", RECON_F32, p->rest, n, 0);
    }
    if (index->label)
        put(&t, "class", RECON_I64,
            index->options.class_of ? index->options.class_of : index->label, n, 0);
    RECON_TRY(recon_alloc(ctx, &laws, index->pooled.count, width * sizeof *laws));
    pack_laws(laws, &index->pooled, view.points.group);
    for (int g = 0; g < RECON_NATURAL_KINDS; g++)
        counts[g] = (int64_t)index->tails.n[g];
    if (index->has_graph)
        put_graph(&t, index, laws, counts, width);
    RECON_TRY(recon_safetensors_write(
        ctx, path, t.entry, t.n,
        (recon_metadata_entry[]){ { KIND, VERSION }, { "group", index->group } }, 2));
done:
    free(laws);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static recon_status damaged(recon_ctx *ctx, const char *what)
{
    return recon_fail(ctx, RECON_ERR_FORMAT, "the index is damaged: %s", what);
}

static recon_status take(recon_ctx *ctx, recon_index *x, void *out, const char *name,
                         recon_dtype dtype, size_t rows, size_t cols)
{
    size_t at = 0;
    recon_array_text text;
    while (x->tensor[at].data)
        at++;
    recon_array *a = &x->tensor[at];
    RECON_CHECK(recon_safetensors_get(ctx, a, x->file, name));
    if (a->dtype != dtype || a->ndim != (cols ? 2 : 1) || a->shape[0] != rows ||
        (cols && a->shape[1] != cols))
        return recon_fail(ctx, RECON_ERR_FORMAT, "the index is damaged: '%s' is %s", name,
                          recon_array_show(text, a));
    memcpy(out, &a->data, sizeof a->data);
    return RECON_OK;
}

/* A whole number of 0 .. most, as one of the settings. */
static int is_whole(double x, double most)
{
    return x >= 0 && x <= most && x == floor(x);
}

static int is_length(double x)
{
    return isfinite(x) && x >= 0;
}

static recon_status read_settings(recon_ctx *ctx, recon_index *x)
{
    const recon_group *group = x->points.group;
    const settings *s = NULL;
    RECON_CHECK(take(ctx, x, &s, "settings", RECON_F64, SETTINGS, 0));
    int families = group->family_count - 1;
    if (!is_whole(s->classes, RECON_CLASSES_GIVEN) || !is_whole(s->k, (double)x->points.n) ||
        (s->classes == RECON_CLASSES_KNN && s->k == 0) || !is_whole(s->metric, RECON_EUCLIDEAN) ||
        !is_whole(s->mean, RECON_MEAN_CHORDAL) || !is_whole(s->family, families) ||
        !is_whole(s->family_used, families) || !is_whole(s->only_tails, 1) ||
        !is_whole(s->no_symmetry, 1) || !is_whole(s->precision, 1) || !is_length(s->tukey_c) ||
        !is_length(s->eps) || !is_length(s->near) || !is_length(s->far) || !is_length(s->longest) ||
        !is_length(s->worst_rest) || !is_length(s->scale) || s->scale == 0)
        return damaged(ctx, "its settings are none");
    x->options = (recon_normalize_options){
        .classes = (recon_classes)s->classes,
        .knn = { .k = (size_t)s->k, .metric = (recon_metric)s->metric, .method = RECON_KNN_EXACT },
        .mean = { .kind = (recon_mean_kind)s->mean, .tukey_c = s->tukey_c },
        .eps = s->eps,
        .only_tails = (int)s->only_tails,
        .no_symmetry = (int)s->no_symmetry,
        .family = (int)s->family,
    };
    x->family = (int)s->family_used;
    x->points.precision = s->precision == 0 ? RECON_F32 : RECON_F64;
    x->jump = (recon_class_jump){ s->near, s->far };
    x->search = (recon_points){ .scale = s->scale,
                                .longest = s->metric == RECON_COSINE ? 1 : s->longest,
                                .worst_rest = s->worst_rest,
                                .metric = (recon_metric)s->metric };
    return RECON_OK;
}

static recon_status read_points(recon_ctx *ctx, recon_index *x)
{
    recon_points *p = &x->search;
    size_t n = x->points.n, d = x->points.d;
    RECON_CHECK(take(ctx, x, &x->points.z, "z", RECON_F32, n, d));
    RECON_CHECK(take(ctx, x, &x->points.poses, "poses", RECON_F64, n, x->points.group->numbers));
    RECON_CHECK(x->points.group->check(ctx, x->points.group, x->points.poses, n));
    p->z = x->points.z;
    p->n = n;
    p->d = d;
    RECON_CHECK(take(ctx, x, &p->norm, "norm", RECON_F64, n, 0));
    if (p->metric == RECON_EUCLIDEAN)
        RECON_CHECK(take(ctx, x, &p->mean, "mean", RECON_F64, d, 0));
    if (d <= RECON_BYTE_TERMS) {
        RECON_CHECK(take(ctx, x, &p->bytes, "bytes", RECON_I8, n, d));
        RECON_CHECK(take(ctx, x, &p->step, "step", RECON_F32, n, 0));
        RECON_CHECK(take(ctx, x, &p->rest, "rest", RECON_F32, n, 0));
    }
    RECON_CHECK(recon_alloc(ctx, &p->shift, n, sizeof *p->shift));
    for (size_t i = 0; p->metric == RECON_EUCLIDEAN && i < n; i++)
        p->shift[i] = (float)(0.5 * p->norm[i] * p->norm[i]);
    return RECON_OK;
}

static recon_status read_law(recon_ctx *ctx, recon_pooled *out, size_t c, const double *law,
                             const recon_group *group)
{
    size_t numbers = group->numbers, width = law_width(group);
    recon_class_verdict *f = &out->finding[c];
    for (size_t i = 0; i < width; i++)
        if (!isfinite(law[i]))
            return damaged(ctx, "a law is no number");
    if (!is_whole(law[NATURAL], RECON_NATURAL_KINDS - 1) || !is_whole(law[FOLD], INT8_MAX) ||
        !is_whole(law[SYMMETRY], RECON_SYMMETRY_CODES - 1))
        return damaged(ctx, "a verdict is none");
    *f = (recon_class_verdict){ .natural = (recon_natural)law[NATURAL],
                                .fold = (int)law[FOLD],
                                .symmetry = (int)law[SYMMETRY] };
    memcpy(f->axis, law + AXIS, sizeof f->axis);
    memcpy(out->mean + c * numbers, law + MEAN, numbers * sizeof *law);
    RECON_CHECK(group->check(ctx, group, law + MEAN, 1));
    law += MEAN + numbers;
    memcpy(out->modes + c * recon_class_verdict_modes(group), law,
           recon_class_verdict_modes(group) * sizeof *law);
    for (int i = 0; i < RECON_FRAME_MODES && law[numbers] > 0; i++, law += numbers + 1)
        RECON_CHECK(group->check(ctx, group, law, 1));
    return RECON_OK;
}

static recon_status read_laws(recon_ctx *ctx, recon_index *x)
{
    const recon_group *group = x->points.group;
    recon_pooled *p = &x->pooled;
    recon_array a;
    const double *laws = NULL;
    RECON_CHECK(recon_safetensors_get(ctx, &a, x->file, "laws"));
    p->count = a.ndim == 2 ? a.shape[0] : 0;
    recon_array_free(&a);
    RECON_CHECK(take(ctx, x, &laws, "laws", RECON_F64, p->count, law_width(group)));
    RECON_CHECK(take(ctx, x, &p->cluster, "cluster", RECON_I64, x->points.n, 0));
    for (size_t i = 0; i < x->points.n; i++)
        if (p->cluster[i] < -1 || p->cluster[i] >= (int64_t)p->count)
            return damaged(ctx, "a point is in no cluster that there is");
    RECON_CHECK(recon_alloc(ctx, &p->finding, p->count, sizeof *p->finding));
    RECON_CHECK(recon_alloc(ctx, &p->mean, p->count, group->numbers * sizeof *p->mean));
    RECON_CHECK(
        recon_alloc(ctx, &p->modes, p->count, recon_class_verdict_modes(group) * sizeof *p->modes));
    for (size_t c = 0; c < p->count; c++)
        RECON_CHECK(read_law(ctx, p, c, laws + c * law_width(group), group));
    return RECON_OK;
}

static recon_status read_tails(recon_ctx *ctx, recon_index *x)
{
    const int64_t *counts = NULL;
    size_t total = 0;
    RECON_CHECK(take(ctx, x, &counts, "tail_counts", RECON_I64, RECON_NATURAL_KINDS, 0));
    for (int g = 0; g < RECON_NATURAL_KINDS; g++) {
        if (counts[g] < 0 || counts[g] > (int64_t)x->points.n)
            return damaged(ctx, "its tails are none");
        total += x->tails.n[g] = (size_t)counts[g];
    }
    if (total == 0)
        return damaged(ctx, "it has no tails");
    return take(ctx, x, &x->tails.tail, "tails", RECON_F64, 2, total);
}

static recon_status read_graph(recon_ctx *ctx, recon_index *x)
{
    x->has_graph = recon_safetensors_has(x->file, "nearest");
    if (!x->has_graph)
        return RECON_OK;
    RECON_CHECK(take(ctx, x, &x->nearest, "nearest", RECON_F64, x->points.n, 0));
    RECON_CHECK(read_laws(ctx, x));
    return read_tails(ctx, x);
}

/* Sets are made again: they follow from the poses. */
static recon_status read_sets(recon_ctx *ctx, recon_index *x)
{
    size_t n = x->points.n;
    const int64_t *class_of = NULL;
    RECON_CHECK(take(ctx, x, &class_of, "class", RECON_I64, n, 0));
    RECON_CHECK(recon_alloc_raw(ctx, &x->label, n, sizeof *x->label));
    memcpy(x->label, class_of, n * sizeof *class_of);
    if (x->options.classes == RECON_CLASSES_GIVEN)
        x->options.class_of = class_of;
    RECON_CHECK(recon_index_take_pool(ctx, x));
    return recon_index_learn_sets(ctx, x);
}

static recon_status read_index(recon_ctx *ctx, recon_index *x, const char *path)
{
    const char *version = recon_safetensors_metadata(x->file, KIND);
    const char *group = recon_safetensors_metadata(x->file, "group");
    recon_array z;
    if (!version || !group || strlen(group) >= sizeof x->group)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: not an index of poses", path);
    if (strcmp(version, VERSION) != 0)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: an index of version %.20s, this is " VERSION,
                          path, version);
    memcpy(x->group, group, strlen(group) + 1);
    RECON_CHECK(recon_group_find(ctx, &x->points.group, group));
    RECON_CHECK(recon_safetensors_get(ctx, &z, x->file, "z"));
    x->points.n = z.ndim == 2 ? z.shape[0] : 0;
    x->points.d = z.ndim == 2 ? z.shape[1] : 0;
    recon_array_free(&z);
    if (x->points.n == 0 || x->points.d == 0 || x->points.n >= UINT32_MAX)
        return damaged(ctx, "it has no points");
    RECON_CHECK(read_settings(ctx, x));
    RECON_CHECK(read_points(ctx, x));
    return x->options.classes == RECON_CLASSES_KNN ? read_graph(ctx, x) : read_sets(ctx, x);
}

recon_status recon_index_open(recon_ctx *ctx, recon_index **out, const char *path)
{
    recon_status status;
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    status = recon_safetensors_open(ctx, &(*out)->file, path);
    if (status == RECON_OK) {
        status = read_index(ctx, *out, path);
        if (status != RECON_OK && !strstr(recon_ctx_message(ctx), path))
            recon_note(ctx, status, "in %s", path);
    }
    free((*out)->run);
    (*out)->run = NULL;
    (*out)->points.group = NULL;
    if (status != RECON_OK) {
        recon_index_free(*out);
        *out = NULL;
    }
    return status;
}
