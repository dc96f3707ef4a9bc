/* pooled.c - see pooled.h. */
#include "normalize/pooled.h"
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "knn/clusters.h"
#include "normalize/kde.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 500 }; /* members of a cluster, evenly spaced, that are looked at */

#define NATS   7    /* that one cluster more must know of the poses */
#define LINKED 0.25 /* of the links that chance would make: fewer are between strangers */

/* --- clusters --------------------------------------------------------------------------------- */

/* Two clusters that neighbours link, and what joining them gains. */
typedef struct {
    size_t a, b, links;
    double gain;
    int known;
} pair;

typedef struct {
    const recon_clustering *of;
    recon_kde kde;
    int64_t *links, *cluster; /* [n][k] mutual neighbours, or the point itself; [n] */
    size_t count, *place;     /* [n] of a point in the set at hand */
    double *some;             /* [RECON_KDE_MOST] poses */
    /* of clusters: members as a list, in nats what their laws know */
    size_t *next, *head, *tail, *size;
    double *nats[2];
} clustering;

static int are_mutual(const recon_clustering *of, size_t a, size_t b)
{
    size_t used = of->used ? of->used[b] : of->k;
    for (size_t j = 0; j < used; j++)
        if (of->neighbors[b * of->k + j] == (int64_t)a)
            return 1;
    return 0;
}

static void find_links(clustering *c)
{
    const recon_clustering *of = c->of;
    for (size_t i = 0; i < of->n * of->k; i++) {
        size_t a = i / of->k, b = (size_t)of->neighbors[i];
        int counts = !of->used || i % of->k < of->used[a];
        c->links[i] = (int64_t)(counts && are_mutual(of, a, b) ? b : a);
    }
}

static void take_pose(clustering *c, size_t at, int frame, size_t point)
{
    size_t numbers = c->of->group->numbers;
    memcpy(c->some + at * numbers, c->of->poses[frame] + point * numbers,
           numbers * sizeof *c->some);
}

/* What the law of n points knows of their poses. */
static double nats_of(clustering *c, int frame, const size_t *member, size_t n)
{
    double mean;
    size_t most = n < RECON_KDE_MOST ? n : RECON_KDE_MOST;
    for (size_t i = 0; i < most; i++)
        take_pose(c, i, frame, member[i * n / most]);
    recon_kde_width(&mean, &c->kde, c->some, most);
    return mean * (double)n;
}

/* Whether parts know clearly more than the whole, in any frame. */
static int knows_more(clustering *c, const size_t *member, size_t n, const size_t *first,
                      size_t parts)
{
    for (int f = 0; f < 2 && c->of->poses[f]; f++) {
        double gain = -nats_of(c, f, member, n) - NATS * (double)(parts - 1);
        for (size_t p = 0; p < parts; p++)
            gain += nats_of(c, f, member + first[p], first[p + 1] - first[p]);
        if (gain > 0)
            return 1;
    }
    return 0;
}

/* Communities within the set, and within these: what links few of all points may be many among fewer. */
static recon_status split(recon_ctx *ctx, clustering *c, size_t *member, size_t n)
{
    int64_t *links = NULL, *label = NULL;
    size_t k = c->of->k, parts = 1, *at = NULL, *first = NULL, *sorted = NULL;
    recon_status status = RECON_OK;
    if (n > k) {
        RECON_TRY(recon_alloc_raw(ctx, &links, n, k * sizeof *links));
        RECON_TRY(recon_alloc_raw(ctx, &label, n, sizeof *label));
        RECON_TRY(recon_alloc_raw(ctx, &sorted, n, sizeof *sorted));
        for (size_t i = 0; i < n; i++)
            c->place[member[i]] = i;
        for (size_t i = 0; i < n * k; i++) {
            size_t other = (size_t)c->links[member[i / k] * k + i % k], to = c->place[other];
            links[i] = (int64_t)(to < n && member[to] == other ? to : i / k);
        }
        RECON_TRY(recon_clusters(ctx, label, &parts, links, n, k));
        RECON_TRY(recon_by_label(ctx, &at, &first, label, n, parts));
        for (size_t i = 0; i < n; i++)
            sorted[i] = member[at[i]];
        if (parts > 1 && (n == c->of->n || knows_more(c, sorted, n, first, parts)))
            memcpy(member, sorted, n * sizeof *member);
        else
            parts = 1;
    }
    for (size_t p = 0; p < parts && parts > 1; p++)
        RECON_TRY(split(ctx, c, member + first[p], first[p + 1] - first[p]));
    for (size_t i = 0; i < n && parts == 1; i++)
        c->cluster[member[i]] = (int64_t)c->count;
    c->count += parts == 1;
done:
    recon_free_all(links, label, at, first, sorted);
    return status;
}

/* What the law of two clusters together, or of one, knows. */
static double nats_of_lists(clustering *c, int frame, size_t a, size_t b)
{
    const size_t list[] = { a, b };
    size_t all = c->size[a] + (a == b ? 0 : c->size[b]), n = 0, seen = 0;
    size_t most = all < RECON_KDE_MOST ? all : RECON_KDE_MOST;
    double mean;
    for (int l = 0; l < (a == b ? 1 : 2); l++)
        for (size_t i = c->head[list[l]]; i != SIZE_MAX; i = c->next[i])
            if (seen++ * most / all == n && n < most)
                take_pose(c, n++, frame, i);
    recon_kde_width(&mean, &c->kde, c->some, n);
    return mean * (double)all;
}

static void append(clustering *c, size_t to, size_t from)
{
    if (c->size[to])
        c->next[c->tail[to]] = c->head[from];
    else
        c->head[to] = c->head[from];
    c->tail[to] = c->tail[from];
    c->size[to] += c->size[from];
}

static void list_members(clustering *c)
{
    for (size_t i = c->of->n; i-- > 0;) {
        size_t own = (size_t)c->cluster[i];
        c->next[i] = c->size[own] ? c->head[own] : SIZE_MAX;
        c->tail[own] = c->size[own]++ ? c->tail[own] : i;
        c->head[own] = i;
    }
    for (size_t a = 0; a < c->count; a++)
        for (int f = 0; f < 2 && c->of->poses[f]; f++)
            c->nats[f][a] = nats_of_lists(c, f, a, a);
}

static int by_clusters(const void *x, const void *y)
{
    const pair *p = x, *q = y;
    size_t a = p->a == q->a ? p->b : p->a, b = p->a == q->a ? q->b : q->a;
    return (a > b) - (a < b);
}

/* Pairs of the same two clusters as one; how many remain. */
static size_t unite_pairs(pair *pairs, size_t n)
{
    size_t count = 0;
    if (n)
        qsort(pairs, n, sizeof *pairs, by_clusters);
    for (size_t i = 0; i < n; i++)
        if (count && pairs[count - 1].a == pairs[i].a && pairs[count - 1].b == pairs[i].b)
            pairs[count - 1].links += pairs[i].links;
        else
            pairs[count++] = pairs[i];
    return count;
}

static recon_status find_pairs(recon_ctx *ctx, const clustering *c, pair **out, size_t *count)
{
    const recon_clustering *of = c->of;
    size_t n = 0, room = 0;
    recon_status status = RECON_OK;
    for (size_t i = 0; i < of->n * of->k; i++) {
        size_t a = (size_t)c->cluster[i / of->k], b = (size_t)c->cluster[of->neighbors[i]];
        if (a == b || (of->used && i % of->k >= of->used[i / of->k]))
            continue;
        if (n == room) {
            n = unite_pairs(*out, n);
            RECON_TRY(recon_grow(ctx, out, &room, n, 2 * n + of->k, sizeof **out));
        }
        (*out)[n++] = (pair){ .a = a < b ? a : b, .b = a < b ? b : a, .links = 1 };
    }
    *count = n ? unite_pairs(*out, n) : 0;
done:
    return status;
}

/* What joining gains, in the frame where it gains least. */
static double gain_of(clustering *c, const pair *p)
{
    const recon_clustering *of = c->of;
    double chance =
        2 * (double)of->k * (double)c->size[p->a] * (double)c->size[p->b] / (double)of->n;
    double least = INFINITY;
    if ((double)p->links < LINKED * chance)
        return -INFINITY;
    for (int f = 0; f < 2 && of->poses[f]; f++)
        least = fmin(least, nats_of_lists(c, f, p->a, p->b) - c->nats[f][p->a] - c->nats[f][p->b]);
    return least + NATS;
}

/* Cluster b becomes part of a. */
static size_t join(clustering *c, pair *pairs, size_t count, size_t a, size_t b)
{
    size_t kept = 0;
    append(c, a, b);
    for (int f = 0; f < 2 && c->of->poses[f]; f++)
        c->nats[f][a] = nats_of_lists(c, f, a, a);
    for (size_t i = 0; i < count; i++) {
        pair p = pairs[i];
        p.known &= p.a != a && p.b != a && p.a != b && p.b != b;
        size_t x = p.a == b ? a : p.a, y = p.b == b ? a : p.b;
        p.a = x < y ? x : y;
        p.b = x < y ? y : x;
        if (x != y)
            pairs[kept++] = p;
    }
    return unite_pairs(pairs, kept);
}

static recon_status join_all(recon_ctx *ctx, clustering *c)
{
    pair *pairs = NULL;
    size_t count = 0;
    recon_status status;
    list_members(c);
    RECON_TRY(find_pairs(ctx, c, &pairs, &count));
    for (;;) {
        size_t best = count;
        for (size_t i = 0; i < count; i++) {
            if (!pairs[i].known)
                pairs[i].gain = gain_of(c, &pairs[i]);
            pairs[i].known = 1;
            if (pairs[i].gain > 0 && (best == count || pairs[i].gain > pairs[best].gain))
                best = i;
        }
        if (best == count)
            break;
        for (size_t i = c->head[pairs[best].b]; i != SIZE_MAX; i = c->next[i])
            c->cluster[i] = (int64_t)pairs[best].a;
        count = join(c, pairs, count, pairs[best].a, pairs[best].b);
        RECON_TRY(recon_interrupted(ctx));
    }
done:
    free(pairs);
    return status;
}

/* In the order of first members. place is scratch. */
static void number(clustering *c)
{
    size_t count = 0;
    memset(c->place, 0, c->of->n * sizeof *c->place);
    for (size_t i = 0; i < c->of->n; i++) {
        size_t *at = &c->place[c->cluster[i]];
        *at = *at ? *at : ++count;
        c->cluster[i] = (int64_t)*at - 1;
    }
    c->count = count;
}

recon_status recon_pooled_clusters(recon_ctx *ctx, int64_t *cluster, size_t *count,
                                   const recon_clustering *of)
{
    clustering c = { .of = of, .cluster = cluster };
    size_t *member = NULL;
    recon_status status;
    recon_kde_new(&c.kde, of->group);
    RECON_TRY(recon_alloc_raw(ctx, &c.links, of->n, of->k * sizeof *c.links));
    RECON_TRY(recon_alloc(ctx, &c.place, of->n, sizeof *c.place));
    RECON_TRY(recon_alloc_raw(ctx, &member, of->n, sizeof *member));
    RECON_TRY(recon_alloc_raw(ctx, &c.some, RECON_KDE_MOST, of->group->numbers * sizeof *c.some));
    for (size_t i = 0; i < of->n; i++)
        member[i] = i;
    find_links(&c);
    RECON_TRY(split(ctx, &c, member, of->n));
    RECON_TRY(recon_alloc_raw(ctx, &c.next, of->n, sizeof *c.next));
    RECON_TRY(recon_alloc_raw(ctx, &c.head, c.count, sizeof *c.head));
    RECON_TRY(recon_alloc_raw(ctx, &c.tail, c.count, sizeof *c.tail));
    RECON_TRY(recon_alloc(ctx, &c.size, c.count, sizeof *c.size));
    for (int f = 0; f < 2; f++)
        RECON_TRY(recon_alloc_raw(ctx, &c.nats[f], c.count, sizeof *c.nats[f]));
    RECON_TRY(join_all(ctx, &c));
    number(&c);
    *count = c.count;
done:
    recon_free_all(c.links, c.place, member, c.some, c.next, c.head, c.tail, c.size, c.nats[0],
                   c.nats[1]);
    return status;
}

/* --- their symmetries ------------------------------------------------------------------------- */

enum { LINKS = 4096, NEAREST = 4 /* neighbours of each */, PAIRS = 1024, PERMUTED = 199 };

static int by_index(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The nearest neighbours within the set, by their places in it. */
static recon_status links_within(recon_ctx *ctx, size_t (**out)[2], size_t *count,
                                 const recon_clustering *of, const size_t *member, size_t n)
{
    size_t most = LINKS / NEAREST, some = n < most ? n : most;
    *count = 0;
    RECON_CHECK(recon_alloc_raw(ctx, out, some, NEAREST * sizeof **out));
    for (size_t i = 0; i < some; i++) {
        size_t at = i * n / some, row = member[at], taken = 0;
        size_t used = of->used ? of->used[row] : of->k;
        for (size_t j = 0; j < used && taken < NEAREST; j++) {
            size_t other = (size_t)of->neighbors[row * of->k + j];
            const size_t *found = bsearch(&other, member, n, sizeof other, by_index);
            if (!found || other == row)
                continue;
            (*out)[*count][0] = at;
            (*out)[(*count)++][1] = (size_t)(found - member);
            taken++;
        }
    }
    return RECON_OK;
}

static double distance_of(const recon_clustering *of, int frame, size_t a, size_t b)
{
    const double *pose = of->poses[frame];
    return of->group->distance(of->group, pose + a * of->group->numbers,
                               pose + b * of->group->numbers);
}

/* Do neighbours take the same one of `order` equivalent poses more often than any two members? By permutations, at 0.005. */
static recon_status is_mixed(recon_ctx *ctx, int *out, const recon_clustering *of, int frame,
                             const size_t *member, size_t n, int order)
{
    size_t(*link)[2] = NULL, *shuffled = NULL, links, own = 0;
    double apart[PAIRS];
    recon_rng rng = recon_rng_new(1, n);
    recon_status status;
    *out = 0;
    RECON_TRY(recon_alloc_raw(ctx, &shuffled, n, sizeof *shuffled));
    RECON_TRY(links_within(ctx, &link, &links, of, member, n));
    memcpy(shuffled, member, n * sizeof *member);
    for (size_t i = 0; i < PAIRS; i++)
        apart[i] = distance_of(of, frame, member[recon_rng_below(&rng, n)],
                               member[recon_rng_below(&rng, n)]);
    recon_sort_doubles(apart, PAIRS);
    double same = recon_quantile(apart, PAIRS, 1.0 / order);
    *out = links > 0;
    for (int round = 0; round <= PERMUTED && *out; round++) { /* first as they are */
        size_t alike = 0;
        for (size_t i = 0; i < links; i++)
            alike += distance_of(of, frame, shuffled[link[i][0]], shuffled[link[i][1]]) <= same;
        own = round ? own : alike;
        *out = round == 0 || alike < own;
        for (size_t i = n; i > 1; i--) {
            size_t j = recon_rng_below(&rng, i), held = shuffled[i - 1];
            shuffled[i - 1] = shuffled[j];
            shuffled[j] = held;
        }
    }
done:
    recon_free_all(link, shuffled);
    return status;
}

recon_status recon_pooled_name(recon_ctx *ctx, recon_center *center, const recon_clustering *of,
                               int frame, const size_t *member, size_t n, const double *some,
                               size_t n_some)
{
    recon_center named = *center;
    int mixed = 0;
    if (!of->group->symmetry)
        return RECON_OK;
    RECON_CHECK(of->group->symmetry(ctx, of->group, &named, some, n_some));
    if (named.natural == RECON_NATURAL_MODULO)
        RECON_CHECK(is_mixed(ctx, &mixed, of, frame, member, n, named.fold));
    if (!mixed) {
        *center = named;
    } else if (center->natural == RECON_NATURAL_MODULO) {
        center->natural = RECON_NATURAL_SEVERAL;
        center->fold = 1;
    }
    return RECON_OK;
}

/* --- what they say ---------------------------------------------------------------------------- */

typedef struct {
    const recon_embedded *index;
    const recon_clustering *of;
    const recon_normalize_options *options;
    const size_t *member, *first; /* cluster after cluster, and where each begins */
    recon_pooled *out;
} asking;

static recon_status ask_cluster(recon_ctx *ctx, void *arg, size_t c, int worker)
{
    const asking *a = arg;
    const recon_group *group = a->index->group;
    recon_pooled *out = a->out;
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
        memcpy(pose + i * group->numbers,
               a->index->poses + a->member[a->first[c] + i * all / n] * group->numbers,
               group->numbers * sizeof *pose);
    RECON_TRY(group->center(ctx, group, &center, fit, pose, 1, n, &a->options->mean));
    if (!a->options->no_symmetry)
        RECON_TRY(recon_pooled_name(ctx, &center, a->of, 0, a->member + a->first[c], all, pose, n));
    recon_class_verdict_take(&out->finding[c], out->modes + c * recon_class_verdict_modes(group),
                             group, &center);
    memcpy(out->mean + c * group->numbers, center.mean, group->numbers * sizeof *out->mean);
done:
    recon_arena_release(arena, mark);
    return status;
}

recon_status recon_pooled_find(recon_ctx *ctx, recon_pooled *out, const recon_embedded *index,
                               const recon_class_table *graph,
                               const recon_normalize_options *options)
{
    const recon_group *group = index->group;
    size_t n = index->n, *member = NULL, *first = NULL;
    const recon_clustering of = { .group = group,
                                  .n = n,
                                  .k = graph->k,
                                  .neighbors = graph->member,
                                  .used = graph->used,
                                  .poses = { index->poses } };
    recon_status status;
    *out = (recon_pooled){ 0 };
    RECON_TRY(recon_alloc_raw(ctx, &out->cluster, n, sizeof *out->cluster));
    RECON_TRY(recon_pooled_clusters(ctx, out->cluster, &out->count, &of));
    RECON_TRY(recon_by_label(ctx, &member, &first, out->cluster, n, out->count));
    for (size_t c = 0; c < out->count; c++)
        for (size_t i = first[c]; i < first[c + 1] && first[c + 1] - first[c] <= graph->k; i++)
            out->cluster[member[i]] = -1;
    RECON_TRY(recon_alloc(ctx, &out->finding, out->count, sizeof *out->finding));
    RECON_TRY(recon_alloc_raw(ctx, &out->mean, out->count, group->numbers * sizeof *out->mean));
    RECON_TRY(recon_alloc_raw(ctx, &out->modes, out->count,
                              recon_class_verdict_modes(group) * sizeof *out->modes));
    RECON_TRY(recon_parallel(ctx, ask_cluster, &(asking){ index, &of, options, member, first, out },
                             out->count));
done:
    recon_free_all(member, first);
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
