/* pooled.c - see pooled.h. */
#include "normalize/pooled.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "knn/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 500 }; /* members of a cluster, evenly spaced, that are looked at */

#define ALIKE (25 * M_PI / 180) /* poses are alike as far as they are within it: a mode's width */

/* How much more alike neighbours may be than any two members, while a cluster is one kind: a share
 * of how alike they are, and standard errors. */
#define SHARE  0.15
#define ERRORS 4

typedef struct {
    const recon_embedded *index;
    const recon_class_table *graph;
    size_t k;
    const recon_mean_options *mean;
    size_t *place; /* [n] of a point in the set at hand */
    recon_pooled *out;
} pooling;

static const double *pose_of(const pooling *p, size_t i)
{
    return p->index->poses + i * p->index->group->numbers;
}

static double alike(const pooling *p, size_t a, size_t b)
{
    double d = p->index->group->distance(p->index->group, pose_of(p, a), pose_of(p, b)) / ALIKE;
    return exp(-d * d / 2);
}

/* The j-th neighbour of a point as a place in the set at hand, member [n]; n: it is not there. */
static size_t linked(const pooling *p, const size_t *member, size_t n, size_t point, size_t j)
{
    int64_t other = p->graph->member[point * p->k + j];
    size_t at = j < p->graph->used[point] ? p->place[other] : n;
    return at < n && member[at] == (size_t)other ? at : n;
}

/* How much more alike a member is to its neighbours than to others, and through *near, to these. */
static double excess(const pooling *p, const size_t *member, size_t n, size_t at, double *near)
{
    double inside = 0, across = 0, links = 0;
    for (size_t j = 0; j < p->k; j++) {
        size_t other = linked(p, member, n, member[at], j);
        if (other == n || other == at)
            continue;
        inside += alike(p, member[at], member[other]);
        across += alike(p, member[at], member[(at + 1 + j * (n - 1) / p->k) % n]);
        links++;
    }
    *near = links > 0 ? inside / links : 0;
    return links > 0 ? (inside - across) / links : 0;
}

static int is_one_kind(const pooling *p, const size_t *member, size_t n)
{
    size_t looked = n < MOST ? n : MOST;
    double sum = 0, squares = 0, near = 0, alike_near, count = (double)looked;
    for (size_t i = 0; i < looked; i++) {
        double d = excess(p, member, n, i * n / looked, &alike_near);
        near += alike_near;
        sum += d;
        squares += d * d;
    }
    double error = sqrt(fmax(squares - sum * sum / count, 0));
    return sum <= SHARE * near || sum <= ERRORS * error;
}

/* member [n] by label, each label's from first[label] on. */
static recon_status sort_by_label(recon_ctx *ctx, size_t *member, size_t *first,
                                  const int64_t *label, size_t n, size_t count)
{
    size_t *sorted = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &sorted, n, sizeof *sorted));
    for (size_t i = 0; i < n; i++)
        first[label[i] + 1]++;
    for (size_t c = 0; c < count; c++)
        first[c + 1] += first[c];
    for (size_t i = 0; i < n; i++)
        sorted[first[label[i]]++] = member[i];
    memmove(first + 1, first, count * sizeof *first);
    first[0] = 0;
    memcpy(member, sorted, n * sizeof *member);
done:
    free(sorted);
    return status;
}

static recon_status settle(recon_ctx *ctx, pooling *p, size_t *member, size_t n);

/* Clusters within the set: what links few of all points may be many among these. */
static recon_status split(recon_ctx *ctx, pooling *p, size_t *member, size_t n)
{
    int64_t *links = NULL, *label = NULL;
    size_t count = 0, *first = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &links, n, p->k * sizeof *links));
    RECON_TRY(recon_alloc_raw(ctx, &label, n, sizeof *label));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p->k; j++) {
            size_t other = linked(p, member, n, member[i], j);
            links[i * p->k + j] = (int64_t)(other < n ? other : i); /* itself: no link */
        }
    RECON_TRY(recon_clusters(ctx, label, &count, links, n, p->k));
    free(links);
    links = NULL;
    RECON_TRY(recon_alloc(ctx, &first, count + 1, sizeof *first));
    RECON_TRY(sort_by_label(ctx, member, first, label, n, count));
    for (size_t c = 0; c < count && (count > 1 || n == p->index->n); c++)
        RECON_TRY(settle(ctx, p, member + first[c], first[c + 1] - first[c]));
done:
    recon_free_all(links, label, first);
    return status;
}

static recon_status settle(recon_ctx *ctx, pooling *p, size_t *member, size_t n)
{
    if (n <= p->k)
        return RECON_OK;
    for (size_t i = 0; i < n; i++)
        p->place[member[i]] = i;
    if (!is_one_kind(p, member, n))
        return n < p->index->n ? split(ctx, p, member, n) : RECON_OK;
    for (size_t i = 0; i < n; i++)
        p->out->cluster[member[i]] = (int64_t)p->out->count;
    p->out->count++;
    return RECON_OK;
}

typedef struct {
    pooling *p;
    const size_t *member, *first; /* cluster after cluster, and where each begins */
} asking;

static recon_status ask_cluster(recon_ctx *ctx, void *arg, size_t c, int worker)
{
    const asking *a = arg;
    const recon_group *group = a->p->index->group;
    recon_pooled *out = a->p->out;
    size_t all = a->first[c + 1] - a->first[c], n = all < MOST ? all : MOST;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_center center;
    double *pose;
    void *fit;
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &pose, n, group->numbers * sizeof *pose));
    RECON_TRY(recon_arena_take(ctx, arena, &fit, 1, group->fit_size));
    for (size_t i = 0; i < n; i++)
        memcpy(pose + i * group->numbers, pose_of(a->p, a->member[a->first[c] + i * all / n]),
               group->numbers * sizeof *pose);
    RECON_TRY(group->center(ctx, group, &center, fit, pose, 1, n, a->p->mean));
    if (group->symmetry)
        RECON_TRY(group->symmetry(ctx, group, &center, pose, n));
    recon_class_verdict_take(&out->finding[c], out->modes + c * recon_class_verdict_modes(group),
                             group, &center);
    memcpy(out->mean + c * group->numbers, center.mean, group->numbers * sizeof *out->mean);
done:
    recon_arena_release(arena, mark);
    return status;
}

/* What each cluster says. */
static recon_status ask(recon_ctx *ctx, pooling *p, size_t *member)
{
    const recon_group *group = p->index->group;
    recon_pooled *out = p->out;
    size_t n = p->index->n, count = out->count, *first = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &out->finding, count, sizeof *out->finding));
    RECON_TRY(recon_alloc_raw(ctx, &out->mean, count, group->numbers * sizeof *out->mean));
    RECON_TRY(recon_alloc_raw(ctx, &out->modes, count,
                              recon_class_verdict_modes(group) * sizeof *out->modes));
    RECON_TRY(recon_alloc(ctx, &first, count + 2, sizeof *first));
    for (size_t i = 0; i < n; i++) {
        member[i] = i;
        p->place[i] = out->cluster[i] < 0 ? count : (size_t)out->cluster[i];
    }
    RECON_TRY(sort_by_label(ctx, member, first, (const int64_t *)p->place, n, count + 1));
    RECON_TRY(recon_parallel(ctx, ask_cluster, &(asking){ p, member, first }, count));
done:
    free(first);
    return status;
}

recon_status recon_pooled_find(recon_ctx *ctx, recon_pooled *out, const recon_embedded *index,
                               const recon_class_table *graph, const recon_mean_options *mean)
{
    size_t n = index->n, *member = NULL;
    pooling p = { .index = index, .graph = graph, .k = graph->k, .mean = mean, .out = out };
    recon_status status;
    *out = (recon_pooled){ 0 };
    RECON_TRY(recon_alloc_raw(ctx, &out->cluster, n, sizeof *out->cluster));
    RECON_TRY(recon_alloc_raw(ctx, &p.place, n, sizeof *p.place));
    RECON_TRY(recon_alloc_raw(ctx, &member, n, sizeof *member));
    for (size_t i = 0; i < n; i++) {
        member[i] = p.place[i] = i;
        out->cluster[i] = -1;
    }
    RECON_TRY(split(ctx, &p, member, n));
    RECON_TRY(ask(ctx, &p, member));
done:
    recon_free_all(member, p.place);
    return status;
}

void recon_pooled_free(recon_pooled *p)
{
    recon_free_all(p->cluster, p->finding, p->mean, p->modes);
    *p = (recon_pooled){ 0 };
}

int64_t recon_pooled_of(const recon_pooled *p, const int64_t *neighbors, size_t n)
{
    size_t most = 0;
    int64_t best = -1;
    for (size_t i = 0; i < n; i++) {
        int64_t own = p->cluster[neighbors[i]];
        size_t votes = 0;
        for (size_t j = i; j < n; j++)
            votes += p->cluster[neighbors[j]] == own;
        best = votes > most ? own : best;
        most = votes > most ? votes : most;
    }
    return best;
}
