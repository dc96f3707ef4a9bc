/* index.c - an index of one's own: made, added to, freed. What it does is in normalize.c. */
#include "normalize/index.h"
#include "core/fail.h"
#include "core/memory.h"
#include "knn/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

recon_status recon_index_view(recon_ctx *ctx, recon_index *out, const recon_index *index)
{
    *out = *index;
    out->run = NULL;
    return recon_group_find(ctx, &out->points.group, index->group);
}

/* Room for n points like those given, and an index of them. */
static recon_status start(recon_ctx *ctx, recon_index **out, const recon_embedded *like,
                          const recon_normalize_options *o, size_t n)
{
    float *z = NULL;
    double *poses = NULL;
    int64_t *class_of = NULL;
    recon_index *x;
    RECON_CHECK(recon_alloc(ctx, out, 1, sizeof **out));
    x = *out;
    x->options = *o;
    x->options.class_of = NULL;
    x->options.knn.include_self = 0;
    x->options.knn.recall = NULL;
    x->options.family = like->group->family_count > 1 ? o->family : 0;
    x->points = (recon_embedded){ .n = n, .d = like->d, .precision = like->precision };
    RECON_CHECK(recon_group_find(ctx, &x->points.group, like->group->name));
    snprintf(x->group, sizeof x->group, "%s", like->group->name);
    RECON_CHECK(recon_alloc_raw(ctx, &z, n, like->d * sizeof *z));
    x->points.z = z;
    RECON_CHECK(recon_alloc_raw(ctx, &poses, n, like->group->numbers * sizeof *poses));
    x->points.poses = poses;
    if (o->classes == RECON_CLASSES_GIVEN) {
        RECON_CHECK(recon_alloc_raw(ctx, &class_of, n, sizeof *class_of));
        x->options.class_of = class_of;
    }
    return RECON_OK;
}

static void put(recon_index *x, size_t at, const recon_embedded *p, const int64_t *class_of)
{
    size_t numbers = x->points.group->numbers;
    memcpy((float *)x->points.z + at * p->d, p->z, p->n * p->d * sizeof *p->z);
    memcpy((double *)x->points.poses + at * numbers, p->poses, p->n * numbers * sizeof *p->poses);
    if (x->options.class_of)
        memcpy((int64_t *)x->options.class_of + at, class_of, p->n * sizeof *class_of);
}

/* What is found once all points are in place. Queries read bytes, and z of few points: not w. */
static recon_status finish(recon_ctx *ctx, recon_index *x)
{
    RECON_CHECK(recon_index_take_pool(ctx, x));
    RECON_CHECK(recon_index_learn(ctx, x));
    RECON_CHECK(recon_points_round(ctx, &x->search));
    recon_classes_free(&x->graph); /* what it told is known */
    free(x->search.w);
    x->search.w = NULL;
    free(x->run);
    x->run = NULL;
    x->points.group = NULL;
    x->seconds = 0;
    return RECON_OK;
}

static recon_status end(recon_index **out, recon_status status)
{
    if (status != RECON_OK) {
        recon_index_free(*out);
        *out = NULL;
    }
    return status;
}

recon_status recon_index_fit(recon_ctx *ctx, recon_index **out, const recon_embedded *points,
                             const recon_normalize_options *o)
{
    recon_status status;
    *out = NULL;
    if (!o)
        return recon_fail(ctx, RECON_ERR_INPUT, "options are needed: knn.k, or eps for components");
    RECON_TRY(recon_index_check(ctx, points, o));
    if (o->knn.method > RECON_KNN_EXACT)
        RECON_TRY(recon_fail(ctx, RECON_ERR_UNSUPPORTED, "an index is exact: leave out {approx}"));
    if (o->classes == RECON_CLASSES_KNN && o->knn.k == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "k is 0: ask for at least one neighbour"));
    RECON_TRY(start(ctx, out, points, o, points->n));
    (*out)->options.knn.method = RECON_KNN_EXACT;
    put(*out, 0, points, o->class_of);
    RECON_TRY(finish(ctx, *out));
done:
    return end(out, status);
}

recon_status recon_index_add(recon_ctx *ctx, recon_index **out, const recon_index *index,
                             const recon_embedded *points, const int64_t *class_of)
{
    recon_normalize_options o = index->options;
    recon_index old;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_index_view(ctx, &old, index));
    RECON_TRY(recon_index_check_points(ctx, points, &old.points, "new points", 1));
    if ((o.classes == RECON_CLASSES_GIVEN) != (class_of != NULL))
        RECON_TRY(recon_fail(
            ctx, RECON_ERR_INPUT,
            class_of ? "classes of new points, but the index has none that were given"
                     : "the index has classes that were given: the new points need theirs"));
    RECON_TRY(recon_points_check(ctx, points->z, points->n, points->d, 0, "new points"));
    RECON_TRY(start(ctx, out, &old.points, &o, old.points.n + points->n));
    put(*out, 0, &old.points, o.class_of);
    put(*out, old.points.n, points, class_of);
    RECON_TRY(finish(ctx, *out));
done:
    return end(out, status);
}

void recon_index_free(recon_index *x)
{
    if (!x)
        return;
    if (!x->file)
        recon_free_all((void *)x->points.z, (void *)x->points.poses, (void *)x->options.class_of);
    for (size_t i = 0; i < RECON_INDEX_TENSORS; i++)
        recon_array_free(&x->tensor[i]);
    recon_safetensors *file = x->file;
    recon_index_clear(x);
    recon_safetensors_close(file);
    free(x);
}

const recon_embedded *recon_index_points(const recon_index *index)
{
    return &index->points;
}

const char *recon_index_group(const recon_index *index)
{
    return index->group;
}

const recon_normalize_options *recon_index_options(const recon_index *index)
{
    return &index->options;
}
