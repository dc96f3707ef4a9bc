/* normalize.c - Algorithm 1 (recon.tex, "Canonical orientation normalization").
 *
 * Three sweeps over the classes and one over the rows: centres and right translation; the choice of
 * a family, which is made once for all classes; fits; then each row takes what its class found.
 * Classes of one size go to the batched statistics in blocks; others one at a time. */
#include <recon/normalize/normalize.h>
#include "group/mean.h"
#include "group/group.h"
#include "normalize/classes.h"
#include "normalize/findings.h"
#include "normalize/index.h"
#include "normalize/plan.h"
#include "normalize/share.h"
#include "comm/comm.h"
#include "knn/search.h"
#include "knn/ring.h"
#include "knn/tiles.h"
#include "ops/ops.h"
#include "core/blocks.h"
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/threads.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK       RECON_BLOCK_NORMALIZE
#define CHOICE_K    50   /* angles a set holds when a family is chosen over classes of many sizes */
#define CALIBRATION 8192 /* points of the index that queries are calibrated by */

typedef struct {
    const recon_group *group;
    const recon_embedded *index, *queries, *rows; /* rows: the queries, or else the index */
    const recon_normalize_options *options;
    int ranks;           /* over ranks rows are the own ones ... */
    size_t first, total; /* ... from `first` on of so many       */
    recon_embedded own;
    size_t first_block; /* of classes: where the tasks of this rank begin */
    recon_class_table table;
    const recon_index *known; /* of the index's points */
    recon_frames *out;
    recon_class_findings found;
    int lent; /* found and the sets of the table are those of the index */
} job;

/* Classes begin .. begin + count of one size: what one task works on. */
typedef struct {
    size_t begin, count, size, first; /* first: place of the first member */
} block;

static size_t block_count(const job *j)
{
    return j->table.k ? (j->table.sets + BLOCK - 1) / BLOCK : j->table.sets;
}

/* Whether ranks share out the classes: of neighbours each rank has its own anyway. */
static int shares_classes(const job *j)
{
    return j->ranks && !j->table.k;
}

static recon_status over_blocks(recon_ctx *ctx, recon_task *task, job *j)
{
    size_t n = block_count(j);
    recon_share s = shares_classes(j) ? recon_comm_own(ctx, n, 1) : (recon_share){ 0, n };
    j->first_block = s.begin;
    return recon_parallel(ctx, task, j, s.end - s.begin);
}

static block block_at(const job *j, size_t i)
{
    const recon_class_table *t = &j->table;
    if (!t->k)
        return (block){ i, 1, t->offset[i + 1] - t->offset[i], t->offset[i] };
    size_t begin = i * BLOCK, left = t->sets - begin;
    return (block){ begin, left < BLOCK ? left : BLOCK, t->k, begin * t->k };
}

/* Whether verdicts are made from more than the k neighbours: where neighbours' neighbours are
 * known. */
static int pools(const job *j)
{
    return j->table.k && !j->queries && j->options->pool > j->table.k;
}

/* Who is pooled with a set: *member [*n]. */
static recon_status find_pool(recon_ctx *ctx, const job *j, size_t set, int64_t **member, size_t *n,
                              recon_arena *arena)
{
    RECON_CHECK(recon_arena_take(ctx, arena, member, j->options->pool, sizeof **member));
    *n = recon_pool_members(*member, &j->table, set, j->options->pool);
    return RECON_OK;
}

/* Poses of n points of the index, one behind the other. */
static void gather_poses(double *out, const job *j, const int64_t *member, size_t n)
{
    size_t numbers = j->group->numbers;
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * numbers, j->index->poses + (size_t)member[i] * numbers,
               numbers * sizeof *out);
}

static void *fit_at(const job *j, size_t set)
{
    return j->found.fits + set * j->group->fit_size;
}

static void take_finding(job *j, size_t set, const recon_center *center)
{
    recon_class_verdict_take(&j->found.finding[set],
                             j->found.modes + set * recon_class_verdict_modes(j->group), j->group,
                             center);
}

/* The poses of neighbours' neighbours; the verdict is theirs. Of several poses so is the centre: k
 * poses that look like one would have theirs in between. */
static recon_status pool(recon_ctx *ctx, job *j, size_t set, recon_center *center,
                         recon_arena *arena)
{
    const recon_group *group = j->group;
    recon_mark mark = recon_arena_mark(arena);
    size_t n;
    recon_center pooled;
    int64_t *member;
    double *pose;
    void *fit;
    recon_status status;
    RECON_TRY(find_pool(ctx, j, set, &member, &n, arena));
    RECON_TRY(recon_arena_take(ctx, arena, &pose, n, group->numbers * sizeof *pose));
    RECON_TRY(recon_arena_take(ctx, arena, &fit, 1, group->fit_size));
    gather_poses(pose, j, member, n);
    RECON_TRY(group->center(ctx, group, &pooled, fit, pose, 1, n, &j->options->mean));
    take_finding(j, set, &pooled);
    if (pooled.modes > 1 && j->options->mean.kind <= RECON_MEAN_TUKEY)
        memcpy(center->mean, pooled.mean, sizeof center->mean);
done:
    recon_arena_release(arena, mark);
    return status;
}

/* The cluster of a row: its own, or of a query that of its neighbours. */
static int64_t cluster_of(const job *j, size_t set)
{
    const recon_pooled *pooled = j->known ? &j->known->pooled : NULL;
    if (!pooled || !pooled->cluster)
        return -1;
    return j->queries
               ? recon_pooled_of(pooled, j->table.member + set * j->table.k, j->table.used[set])
               : pooled->cluster[j->first + set];
}

/* The verdict is the cluster's; and so is the centre where either sees several poses, so that all rows
 * of a cluster take the same one. */
static void take_cluster(job *j, size_t set, size_t cluster, recon_center *center)
{
    const recon_pooled *p = &j->known->pooled;
    size_t numbers = j->group->numbers, width = recon_class_verdict_modes(j->group);
    double *modes = j->found.modes + set * width;
    const double *theirs = p->modes + cluster * width;
    int several = center->modes > 1 || theirs[numbers + 1 + numbers] > 0 ||
                  p->finding[cluster].natural == RECON_NATURAL_MODULO;
    if (several && j->options->mean.kind == RECON_MEAN_AUTO)
        memcpy(center->mean, p->mean + cluster * numbers, numbers * sizeof *center->mean);
    j->found.finding[set] = p->finding[cluster];
    memcpy(modes, theirs, width * sizeof *modes);
    if (!several) /* one pose, or none: the row's own place for it */
        memcpy(modes, center->mean, numbers * sizeof *modes);
}

/* What is found of a set: centre, verdict and modes, from all there is to go by. */
static recon_status settle(recon_ctx *ctx, job *j, size_t set, recon_center *center,
                           recon_arena *arena)
{
    int64_t cluster = cluster_of(j, set);
    take_finding(j, set, center);
    if (pools(j))
        return pool(ctx, j, set, center, arena);
    if (cluster >= 0)
        take_cluster(j, set, (size_t)cluster, center);
    return RECON_OK;
}

/* The sets of a block from `at` on that have as many members as the first: a table of neighbours has
 * room for k in each, and batches are of one size. */
static block run_of(const job *j, block b, size_t at)
{
    size_t size = recon_class_size(&j->table, at), next = at + 1, end = b.begin + b.count;
    while (size == b.size && next < end && recon_class_size(&j->table, next) == size)
        next++;
    return (block){ at, next - at, size, j->table.offset[at] };
}

static recon_status center_run(recon_ctx *ctx, const job *j, block run, recon_center *center)
{
    return j->group->center(ctx, j->group, center, fit_at(j, run.begin),
                            j->found.normalized + run.first * j->group->numbers, run.count,
                            run.size, &j->options->mean);
}

/* Centres of a block of classes, whose poses are then relative to them. */
static recon_status center_block(recon_ctx *ctx, job *j, block b, recon_arena *arena)
{
    const recon_group *group = j->group;
    size_t numbers = group->numbers, width = group->identifiability;
    double *pose = j->found.normalized + b.first * numbers, back[RECON_NUMBERS_MAX];
    recon_center *center;
    RECON_CHECK(recon_arena_take(ctx, arena, &center, b.count, sizeof *center));
    gather_poses(pose, j, j->table.member + b.first, b.count * b.size);
    for (block run = run_of(j, b, b.begin);; run = run_of(j, b, run.begin + run.count)) {
        RECON_CHECK(center_run(ctx, j, run, center + (run.begin - b.begin)));
        if (run.begin + run.count == b.begin + b.count)
            break;
    }
    for (size_t s = 0; s < b.count; s++) {
        size_t set = b.begin + s;
        RECON_CHECK(settle(ctx, j, set, &center[s], arena));
        memcpy(j->found.gamma + set * numbers, center[s].mean, numbers * sizeof *pose);
        memcpy(j->found.identifiability + set * width, center[s].identifiability,
               width * sizeof *pose);
        if (group->recenter)
            RECON_CHECK(group->recenter(ctx, group, fit_at(j, set), center[s].mean));
        group->inverse(group, back, center[s].mean);
        for (size_t m = 0; m < b.size; m++, pose += numbers)
            group->compose(group, pose, pose, back);
    }
    return RECON_OK;
}

static recon_status center_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    job *j = arg;
    block b = block_at(j, j->first_block + i);
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_status status = center_block(ctx, j, b, arena);
    recon_arena_release(arena, mark);
    recon_progress_add(ctx, b.count);
    return status == RECON_OK ? recon_comm_poll(ctx, worker) : status;
}

static recon_status fit_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    job *j = arg;
    block b = block_at(j, j->first_block + i);
    recon_status status = RECON_OK;
    (void)worker;
    recon_progress_add(ctx, b.count);
    for (size_t at = b.begin; status == RECON_OK && at < b.begin + b.count;) {
        block run = run_of(j, b, at);
        status = j->group->fit(ctx, j->group, fit_at(j, run.begin),
                               j->found.normalized + run.first * j->group->numbers, run.count,
                               run.size, j->out->family);
        at += run.count;
    }
    return status;
}

/* Of neighbours at several ranks the sets that one process would look at. */
static recon_status choose_over_ranks(recon_ctx *ctx, job *j)
{
    size_t n = j->total, size = (size_t)recon_comm_size(ctx), *begin = NULL;
    size_t used = n < RECON_CHOICE_SETS ? n : RECON_CHOICE_SETS;
    size_t k = j->table.k, each = k * j->group->numbers;
    double *sets = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &sets, used, each * sizeof *sets));
    RECON_TRY(recon_alloc(ctx, &begin, size + 1, sizeof *begin));
    for (size_t i = 0; i < used; i++) {
        size_t at = i * n / used;
        if (at >= j->first && at < j->first + j->rows->n)
            memcpy(sets + i * each, j->found.normalized + (at - j->first) * each,
                   each * sizeof *sets);
        for (size_t r = 0; r < size; r++)
            begin[r + 1] += at < recon_comm_share(ctx, (int)r, n, RECON_TILE).end;
    }
    RECON_TRY(recon_comm_gather_parts(ctx, sets, begin, each * sizeof *sets));
    RECON_TRY(j->group->choose(ctx, j->group, &j->out->family, sets, used, k));
done:
    recon_free_all(begin, sets);
    return status;
}

/* Classes of many sizes are cut into sets of one size for the comparison. */
static recon_status choose_family(recon_ctx *ctx, job *j)
{
    const recon_class_table *t = &j->table;
    const recon_group *group = j->group;
    size_t k = CHOICE_K, numbers = group->numbers, largest = 0, sets = 0;
    double *cut = NULL;
    recon_status status;
    if (t->k && j->ranks)
        return choose_over_ranks(ctx, j);
    if (t->k)
        return group->choose(ctx, group, &j->out->family, j->found.normalized, t->sets, t->k);
    for (size_t s = 0; s < t->sets; s++)
        if (t->offset[s + 1] - t->offset[s] > largest)
            largest = t->offset[s + 1] - t->offset[s];
    if (largest < k)
        k = largest;
    RECON_TRY(recon_alloc_raw(ctx, &cut, t->offset[t->sets], numbers * sizeof *cut));
    for (size_t s = 0; s < t->sets; s++)
        for (size_t at = t->offset[s]; at + k <= t->offset[s + 1]; at += k)
            memcpy(cut + sets++ * k * numbers, j->found.normalized + at * numbers,
                   k * numbers * sizeof *cut);
    RECON_TRY(group->choose(ctx, group, &j->out->family, cut, sets, k));
done:
    free(cut);
    return status;
}

/* Root mean square distance of a class's poses from its centre. */
static double rms_of_class(const job *j, size_t s)
{
    size_t begin = j->table.offset[s], end = begin + recon_class_size(&j->table, s);
    double sum = 0;
    for (size_t m = begin; m < end; m++) {
        double d = j->group->length(j->group, j->found.normalized + m * j->group->numbers);
        sum += d * d;
    }
    return sqrt(sum / (double)(end - begin));
}

static double theta_of_class(const job *j, size_t s)
{
    double width = j->group->width ? j->group->width(j->group, fit_at(j, s)) : NAN;
    return isnan(width) ? rms_of_class(j, s) : width;
}

static void row_without_class(recon_frames *out, size_t i)
{
    size_t numbers = out->group->numbers;
    for (size_t c = i * numbers; c < (i + 1) * numbers; c++)
        out->gamma[c] = out->absolute[c] = NAN;
    for (size_t c = 0; c < out->identifiability_width; c++)
        out->identifiability[i * out->identifiability_width + c] = NAN;
    for (size_t c = 0; c < out->parameters_width; c++)
        out->parameters[i * out->parameters_width + c] = NAN;
    out->theta[i] = out->background[i] = out->score[i] = out->p[i] = NAN;
    recon_class_verdict_clear(out, i);
}

/* However well a class of n agrees, the chance that the next one does not belong is 1 / (n + 2), by
 * the rule of succession: no pose is impossible. A class of one says nothing about poses. */
static double scoring_background(const job *j, size_t s, double fitted)
{
    size_t n = recon_class_size(&j->table, s);
    return n == 1 ? 1 : fmax(fitted, 1 / ((double)n + 2));
}

static void fill_row(job *j, size_t i)
{
    recon_frames *out = j->out;
    const recon_group *group = j->group;
    if (j->table.set_of[i] < 0) {
        row_without_class(out, i);
        return;
    }
    size_t s = (size_t)j->table.set_of[i], w = group->identifiability, numbers = group->numbers;
    const void *fit = fit_at(j, s);
    double *gamma = out->gamma + i * numbers, *absolute = out->absolute + i * numbers;
    memcpy(out->identifiability + i * w, j->found.identifiability + s * w, w * sizeof(double));
    memcpy(gamma, j->found.gamma + s * numbers, numbers * sizeof *gamma);
    group->parameters(group, out->parameters + i * out->parameters_width, fit);
    out->theta[i] = theta_of_class(j, s);
    out->background[i] = scoring_background(j, s, group->background(group, fit));
    out->score[i] = out->p[i] = NAN;
    for (size_t c = 0; c < numbers; c++)
        absolute[c] = NAN;
    if (j->rows->poses) {
        group->inverse(group, absolute, gamma);
        group->compose(group, absolute, j->rows->poses + i * numbers, absolute);
        out->score[i] = group->score(group, fit, out->background[i], absolute);
        out->p[i] = group->tail(group, fit, out->background[i], absolute);
    }
    recon_class_verdict_put(out, i, &j->found.finding[s],
                            j->found.modes + s * recon_class_verdict_modes(group));
}

static recon_status row_task(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    job *j = arg;
    size_t begin = index * BLOCK, end = begin + BLOCK < j->out->rows ? begin + BLOCK : j->out->rows;
    (void)ctx, (void)worker;
    for (size_t i = begin; i < end; i++)
        fill_row(j, i);
    return RECON_OK;
}

static recon_status alloc_poses(recon_ctx *ctx, double **out, const recon_group *group, size_t n)
{
    return recon_alloc_raw(ctx, out, n, group->numbers * sizeof **out);
}

static recon_status alloc_classes(recon_ctx *ctx, job *j)
{
    size_t sets = j->table.sets;
    RECON_CHECK(alloc_poses(ctx, &j->found.gamma, j->group, sets));
    RECON_CHECK(alloc_poses(ctx, &j->found.normalized, j->group, j->table.offset[sets]));
    RECON_CHECK(recon_alloc_raw(ctx, &j->found.identifiability, sets,
                                j->group->identifiability * sizeof(double)));
    RECON_CHECK(recon_alloc(ctx, &j->found.finding, sets, sizeof *j->found.finding));
    RECON_CHECK(recon_alloc_raw(ctx, &j->found.modes, sets,
                                recon_class_verdict_modes(j->group) * sizeof *j->found.modes));
    return recon_alloc_raw(ctx, &j->found.fits, sets, j->group->fit_size);
}

static recon_status alloc_rows(recon_ctx *ctx, recon_frames *out)
{
    RECON_CHECK(alloc_poses(ctx, &out->gamma, out->group, out->rows));
    RECON_CHECK(alloc_poses(ctx, &out->absolute, out->group, out->rows));
    RECON_CHECK(recon_alloc_raw(ctx, &out->identifiability, out->rows,
                                out->identifiability_width * sizeof(double)));
    RECON_CHECK(recon_alloc_raw(ctx, &out->theta, out->rows, sizeof(double)));
    RECON_CHECK(
        recon_alloc(ctx, &out->parameters, out->rows, out->parameters_width * sizeof(double)));
    RECON_CHECK(recon_alloc_raw(ctx, &out->p, out->rows, sizeof(double)));
    RECON_CHECK(recon_findings_alloc(ctx, out));
    RECON_CHECK(recon_alloc_raw(ctx, &out->background, out->rows, sizeof(double)));
    return recon_alloc_raw(ctx, &out->score, out->rows, sizeof(double));
}

/* --- what the points of an index tell --------------------------------------------------------- */

/* From the neighbours of all points, at every rank: where lists are cut, clusters, and how far points
 * are from their nearest. */
static recon_status know(recon_ctx *ctx, recon_index *x, recon_class_table *graph, int pools)
{
    recon_metric metric = x->options.knn.metric;
    size_t n = x->points.n;
    if (x->options.mean.kind == RECON_MEAN_AUTO) { /* else as in the paper: whatever the k are */
        RECON_CHECK(recon_classes_jump(ctx, &x->jump, graph, &x->points, metric, x->ranks));
        recon_classes_cut(graph, x->jump, metric);
    }
    if (pools && n <= RECON_MOST_POOLED)
        RECON_CHECK(recon_pooled_find(ctx, &x->pooled, &x->points, graph, &x->options));
    RECON_CHECK(recon_alloc_raw(ctx, &x->nearest, n, sizeof *x->nearest));
    for (size_t i = 0; i < n; i++)
        x->nearest[i] = -recon_class_distance(graph, i, (int64_t)i, metric);
    recon_sort_doubles(x->nearest, n);
    return RECON_OK;
}

/* The sets of all ranks. */
static recon_status gather_graph(recon_ctx *ctx, recon_index *x, const recon_class_table *own)
{
    size_t n = x->points.n;
    return recon_classes_gather(ctx, &x->graph, own, recon_comm_own(ctx, n, RECON_TILE).begin, n);
}

/* How far each row is from its nearest neighbour, beside how far the index's points are from theirs
 * (conformal: Vovk 2003). A point is one of these, a query one more. */
static recon_status find_unlike(recon_ctx *ctx, job *j)
{
    size_t n = j->index->n, more = j->queries != NULL;
    double *p;
    if (!j->known || !j->known->nearest)
        return RECON_OK;
    RECON_CHECK(recon_alloc_raw(ctx, &p, j->out->rows, sizeof *p));
    j->out->p_embedding = p;
    for (size_t i = 0; i < j->out->rows; i++) {
        int64_t self = more ? -1 : (int64_t)(j->first + i);
        double own = -recon_class_distance(&j->table, i, self, j->options->knn.metric);
        size_t as_far = recon_count_up_to(j->known->nearest, n, own);
        p[i] = (double)(as_far + more) / (double)(n + more);
        if (more && (as_far == 0 || p[i] <= RECON_FRAMES_UNLIKE))
            recon_class_verdict_doubt(j->out, i);
    }
    return RECON_OK;
}

/* What each rank has counted of its own rows. */
static recon_status count_all(recon_ctx *ctx, job *j)
{
    recon_frames *out = j->out;
    if (j->table.k)
        RECON_CHECK(recon_comm_count(ctx, &out->singles, 1));
    RECON_CHECK(recon_comm_count(ctx, &out->outside, 1));
    return recon_comm_count(ctx, out->natural, RECON_NATURAL_KINDS);
}

/* What the frames keep of the table and of the members' poses. */
static recon_status hand_over(recon_ctx *ctx, job *j)
{
    recon_frames *out = j->out;
    out->classes = j->table.k ? j->total : j->table.sets;
    out->k = j->table.k;
    if (j->table.k) {
        RECON_CHECK(recon_alloc_raw(ctx, &out->members, out->rows, sizeof *out->members));
        for (size_t i = 0; i < out->rows; i++)
            out->members[i] = (int64_t)j->table.used[i];
        out->neighbors = j->table.member;
        out->similarity = j->table.similarity;
        j->table.member = NULL;
        j->table.similarity = NULL;
        out->normalized = j->found.normalized;
        j->found.normalized = NULL;
    } else {
        out->class_of = j->table.set_of;
        j->table.set_of = NULL;
        recon_classes_name(&j->table, out->class_of, out->rows, j->options);
    }
    for (size_t s = 0; s < j->table.sets; s++)
        out->singles += recon_class_size(&j->table, s) == 1;
    for (size_t i = 0; out->class_of && i < out->rows; i++)
        out->outside += out->class_of[i] < 0;
    recon_findings_count(out);
    if (j->ranks)
        RECON_CHECK(count_all(ctx, j));
    return RECON_OK;
}

recon_status recon_index_check_points(recon_ctx *ctx, const recon_embedded *e,
                                      const recon_embedded *index, const char *what, int posed)
{
    if (e->n == 0 || e->d == 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s are empty: %zu x %zu", what, e->n, e->d);
    if (!e->z || (posed && !e->poses))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: z and poses are needed", what);
    if (e->d != index->d)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s have %zu columns, the embeddings %zu", what,
                          e->d, index->d);
    recon_status status = recon_group_check(ctx, e->group);
    if (status == RECON_OK && strcmp(e->group->name, index->group->name) != 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s have poses in %s, the embeddings in %s", what,
                          e->group->words, index->group->words);
    if (status == RECON_OK && e->poses)
        status = e->group->check(ctx, e->group, e->poses, e->n);
    return status == RECON_OK ? RECON_OK : recon_note(ctx, status, "poses of the %s", what);
}

/* Before a long search. One that is approximate, or on a GPU, is not long. */
static void tell_plan(recon_ctx *ctx, const job *j)
{
    recon_knn_method method = j->options->knn.method;
    int approximate = method == RECON_KNN_IVF || method == RECON_KNN_HNSW ||
                      (method == RECON_KNN_AUTO && !j->ranks && j->index->n > RECON_KNN_EXACT_ROWS);
    if (approximate || recon_ops_on_host(ctx) != recon_ops_of(ctx))
        return;
    recon_plan_tell(ctx, &(recon_plan_sizes){ .rows = j->index->n,
                                              .queries = j->queries ? j->total : 0,
                                              .d = j->index->d,
                                              .k = j->options->knn.k,
                                              .ranks = j->ranks ? (size_t)recon_comm_size(ctx) : 1,
                                              .threads = (size_t)recon_ctx_threads(ctx),
                                              .bytes = recon_ops_on_host(ctx)->has_fast_bytes() });
}

/* Of the points themselves; x is what is known of them. */
static recon_status find_classes(recon_ctx *ctx, job *j, recon_index *x)
{
    recon_class_search search = { j->index, NULL, j->ranks };
    recon_class_table *graph = &j->table;
    RECON_CHECK(recon_classes_find(ctx, &j->table, &search, j->options, j->options->class_of,
                                   &j->out->recall));
    if (!j->table.k || (j->ranks && j->index->n > RECON_MOST_POOLED))
        return RECON_OK;
    if (j->ranks)
        RECON_CHECK(gather_graph(ctx, x, &j->table));
    graph = j->ranks ? &x->graph : &j->table;
    RECON_CHECK(know(ctx, x, graph, !pools(j)));
    if (j->ranks)
        recon_classes_cut(&j->table, x->jump, j->options->knn.metric);
    j->known = x;
    return RECON_OK;
}

static recon_status find_hits(recon_ctx *ctx, job *j)
{
    return recon_classes_hit_rate(ctx, &j->out->hit_rate, &j->table, j->index, j->rows, j->first,
                                  j->total, j->ranks);
}

/* Classes that ranks have shared out, everywhere: `each` is what one takes in `array`. */
static recon_status gather_classes(recon_ctx *ctx, const job *j, void *array, size_t each)
{
    return recon_comm_gather(ctx, array, j->table.sets, 1, each);
}

static recon_status gather_members(recon_ctx *ctx, job *j)
{
    size_t size = (size_t)recon_comm_size(ctx), *begin = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &begin, size + 1, sizeof *begin));
    for (size_t r = 0; r < size; r++)
        begin[r + 1] = j->table.offset[recon_comm_share(ctx, (int)r, j->table.sets, 1).end];
    RECON_TRY(recon_comm_gather_parts(ctx, j->found.normalized, begin,
                                      j->group->numbers * sizeof *j->found.normalized));
done:
    free(begin);
    return status;
}

static recon_status gather_centers(recon_ctx *ctx, job *j)
{
    if (!shares_classes(j))
        return RECON_OK;
    RECON_CHECK(gather_classes(ctx, j, j->found.gamma, j->group->numbers * sizeof *j->found.gamma));
    RECON_CHECK(gather_classes(ctx, j, j->found.identifiability,
                               j->out->identifiability_width * sizeof(double)));
    RECON_CHECK(gather_classes(ctx, j, j->found.finding, sizeof *j->found.finding));
    RECON_CHECK(gather_classes(ctx, j, j->found.modes,
                               recon_class_verdict_modes(j->group) * sizeof *j->found.modes));
    if (!j->group->fit)
        RECON_CHECK(gather_classes(ctx, j, j->found.fits, j->group->fit_size));
    return gather_members(ctx, j);
}

static recon_status center_classes(recon_ctx *ctx, job *j)
{
    double begin = recon_now();
    RECON_CHECK(alloc_classes(ctx, j));
    recon_progress_begin(ctx, "centres", j->table.sets);
    RECON_CHECK(over_blocks(ctx, center_task, j));
    RECON_CHECK(gather_centers(ctx, j));
    recon_progress_end(ctx);
    j->out->seconds.centers = recon_now() - begin;
    return RECON_OK;
}

static recon_status fit_classes(recon_ctx *ctx, job *j)
{
    double begin = recon_now();
    recon_frames *out = j->out;
    if (j->group->choose && out->family == 0)
        RECON_CHECK(choose_family(ctx, j));
    out->parameters_width = recon_family_parameters(&j->group->families[out->family]);
    if (j->group->fit) {
        recon_progress_begin(ctx, "fits", j->table.sets);
        RECON_CHECK(over_blocks(ctx, fit_task, j));
        if (shares_classes(j))
            RECON_CHECK(gather_classes(ctx, j, j->found.fits, j->group->fit_size));
        recon_progress_end(ctx);
    }
    out->seconds.fits = recon_now() - begin;
    return RECON_OK;
}

static recon_status fill_rows(recon_ctx *ctx, job *j)
{
    RECON_CHECK(alloc_rows(ctx, j->out));
    return recon_parallel(ctx, row_task, j, (j->out->rows + BLOCK - 1) / BLOCK);
}

/* --- p-values --------------------------------------------------------------------------------- */

/* Points of the index, evenly spaced, as if they were queries; over ranks the own ones of `total`. */
typedef struct {
    size_t total, first, n, *which;
    double *poses;
    recon_embedded points; /* the same, lent */
} sample;

static recon_status take_sample(recon_ctx *ctx, sample *out, const recon_embedded *index, int ranks)
{
    size_t all = index->n < CALIBRATION ? index->n : CALIBRATION;
    recon_share own = ranks ? recon_comm_own(ctx, all, RECON_TILE) : (recon_share){ 0, all };
    size_t n = own.end - own.begin;
    out->total = all;
    out->first = own.begin;
    out->n = n;
    RECON_CHECK(recon_alloc_raw(ctx, &out->which, n, sizeof *out->which));
    RECON_CHECK(alloc_poses(ctx, &out->poses, index->group, n));
    for (size_t i = 0; i < n; i++) {
        size_t at = out->which[i] = (own.begin + i) * index->n / all, w = index->group->numbers;
        memcpy(out->poses + i * w, index->poses + at * w, w * sizeof *out->poses);
    }
    out->points = (recon_embedded){ .n = n, .group = index->group, .poses = out->poses };
    return RECON_OK;
}

/* Tails and verdicts of all ranks' rows: what p-values are calibrated by. Free out->p and verdict. */
static recon_status gather_tails(recon_ctx *ctx, recon_frames *out, const job *j)
{
    const recon_frames *own = j->out;
    *out = (recon_frames){ .rows = j->total };
    RECON_CHECK(recon_alloc_raw(ctx, &out->p, j->total, sizeof *out->p));
    RECON_CHECK(recon_alloc_raw(ctx, &out->verdict, j->total, sizeof *out->verdict));
    memcpy(out->p + j->first, own->p, own->rows * sizeof *out->p);
    memcpy(out->verdict + j->first, own->verdict, own->rows * sizeof *out->verdict);
    RECON_CHECK(recon_comm_gather(ctx, out->p, j->total, RECON_TILE, sizeof *out->p));
    return recon_comm_gather(ctx, out->verdict, j->total, RECON_TILE, sizeof *out->verdict);
}

/* Of the rows of a job, those of all ranks. */
static recon_status make_tails(recon_ctx *ctx, recon_p_tails *out, const job *j)
{
    recon_frames all = { 0 };
    recon_status status = RECON_OK;
    if (j->ranks)
        RECON_TRY(gather_tails(ctx, &all, j));
    RECON_TRY(recon_p_tails_make(ctx, out, j->ranks ? &all : j->out));
done:
    recon_free_all(all.p, all.verdict);
    return status;
}

static void findings_free(recon_class_findings *f)
{
    recon_free_all(f->gamma, f->identifiability, f->finding, f->modes, f->fits, f->normalized);
}

static void free_job(job *j)
{
    if (j->lent)
        j->table = (recon_class_table){ .set_of = j->table.set_of };
    else
        findings_free(&j->found);
    recon_classes_free(&j->table);
}

static job job_of(const recon_index *x, recon_frames *out)
{
    *out = (recon_frames){ .group = x->group_of,
                           .identifiability_width = x->points.group->identifiability,
                           .family = x->family };
    return (job){ .group = x->points.group,
                  .index = &x->points,
                  .rows = &x->points,
                  .total = x->points.n,
                  .options = &x->options,
                  .ranks = x->ranks,
                  .out = out };
}

/* Queries answer to points of the index whose classes were found in the same way, and the family is
 * that of the points: an answer does not depend on what else is asked. */
static recon_status calibrate(recon_ctx *ctx, recon_index *x)
{
    sample s = { 0 };
    recon_frames frames;
    job c = job_of(x, &frames);
    recon_status status;
    RECON_TRY(take_sample(ctx, &s, &x->points, x->ranks));
    c.known = x;
    c.queries = c.rows = &s.points;
    c.first = s.first;
    c.total = s.total;
    frames.rows = s.n;
    RECON_TRY(recon_classes_take(ctx, &c.table, &x->graph, s.which, s.n));
    RECON_TRY(center_classes(ctx, &c));
    RECON_TRY(fit_classes(ctx, &c));
    RECON_TRY(fill_rows(ctx, &c));
    RECON_TRY(make_tails(ctx, &x->tails, &c));
    x->family = frames.family;
done:
    free_job(&c);
    recon_frames_free(&frames);
    recon_free_all(s.which, s.poses);
    return status;
}

static recon_status learn_graph(recon_ctx *ctx, recon_index *x, const recon_class_search *search)
{
    recon_normalize_options o = x->options;
    recon_class_table mine = { 0 };
    double recall;
    recon_status status = RECON_OK;
    if (o.only_tails || o.knn.k >= x->points.n || x->points.n > RECON_MOST_POOLED)
        return RECON_OK; /* not wanted; too few; too long, or too large */
    o.knn.include_self = 0;
    if (!x->graph.member)
        RECON_TRY(recon_classes_find(ctx, x->ranks ? &mine : &x->graph, search, &o, NULL, &recall));
    if (x->ranks)
        RECON_TRY(gather_graph(ctx, x, &mine));
    RECON_TRY(know(ctx, x, &x->graph, 1));
    RECON_TRY(calibrate(ctx, x));
    x->has_graph = 1;
done:
    recon_classes_free(&mine);
    return status;
}

recon_status recon_index_learn_sets(recon_ctx *ctx, recon_index *x)
{
    recon_frames frames;
    job c = job_of(x, &frames);
    recon_class_search search = { &x->points, NULL, x->ranks };
    const int64_t *class_of = x->label ? x->label : x->options.class_of;
    recon_status status;
    RECON_TRY(recon_classes_find(ctx, &c.table, &search, &x->options, class_of, &frames.recall));
    RECON_TRY(center_classes(ctx, &c));
    RECON_TRY(fit_classes(ctx, &c));
    if (!x->label)
        RECON_TRY(recon_alloc_raw(ctx, &x->label, x->points.n, sizeof *x->label));
    for (size_t i = 0; i < x->points.n; i++)
        x->label[i] = -1;
    for (size_t s = 0; s < c.table.sets; s++)
        for (size_t m = c.table.offset[s]; m < c.table.offset[s + 1]; m++)
            x->label[c.table.member[m]] = (int64_t)s;
    x->family = frames.family;
    x->sets = c.table;
    x->of_sets = c.found;
    c = (job){ .out = &frames };
done:
    free_job(&c);
    return status;
}

recon_status recon_index_learn(recon_ctx *ctx, recon_index *x)
{
    const recon_embedded *p = &x->points;
    recon_class_search search = { p, x->ranks ? NULL : &x->search, x->ranks };
    double begin = recon_now();
    x->family = p->group->family_count > 1 ? x->options.family : 0;
    if (!x->ranks && !x->search.z)
        RECON_CHECK(recon_points_make(ctx, &x->search, p->z, p->n, p->d, x->options.knn.metric,
                                      NULL, "embeddings"));
    RECON_CHECK(x->options.classes == RECON_CLASSES_KNN ? learn_graph(ctx, x, &search)
                                                        : recon_index_learn_sets(ctx, x));
    x->seconds = recon_now() - begin;
    return RECON_OK;
}

void recon_index_clear(recon_index *x)
{
    recon_classes_free(&x->graph);
    recon_classes_free(&x->sets);
    findings_free(&x->of_sets);
    if (x->file) { /* the rest lies there */
        recon_free_all(x->search.shift, x->pooled.finding, x->pooled.mean, x->pooled.modes);
    } else {
        recon_points_free(&x->search);
        recon_pooled_free(&x->pooled);
        recon_free_all(x->nearest, x->tails.tail);
    }
    recon_free_all(x->label, x->run);
    *x = (recon_index){ 0 };
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Over ranks: the rows of this one. */
static void take_share(const recon_ctx *ctx, job *j)
{
    recon_share s = recon_comm_own(ctx, j->total, RECON_TILE);
    j->own = *j->rows;
    j->own.n = s.end - s.begin;
    j->own.z += s.begin * j->own.d;
    if (j->own.poses)
        j->own.poses += s.begin * j->group->numbers;
    if (j->own.labels)
        j->own.labels += s.begin;
    j->rows = &j->own;
    j->first = s.begin;
}

recon_status recon_index_check(recon_ctx *ctx, const recon_embedded *points,
                               const recon_normalize_options *options)
{
    RECON_CHECK(recon_reserved_check(ctx, options->reserved, "recon_normalize_options"));
    RECON_CHECK(recon_enum_check(ctx, options->classes, RECON_CLASSES_GIVEN, "kind of classes"));
    RECON_CHECK(recon_knn_options_check(ctx, &options->knn));
    RECON_CHECK(recon_mean_options_check(ctx, &options->mean));
    RECON_CHECK(recon_index_check_points(ctx, points, points, "embeddings", 1));
    if (options->classes == RECON_CLASSES_GIVEN && !options->class_of)
        return recon_fail(ctx, RECON_ERR_INPUT, "classes that are given need class_of");
    if (points->group->family_count > 1)
        RECON_CHECK(recon_enum_check(ctx, (unsigned)options->family,
                                     (unsigned)points->group->family_count - 1, "family"));
    if (options->classes == RECON_CLASSES_KNN && options->knn.k > points->n)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "k = %zu, but there %s only %s: choose a smaller {k}", options->knn.k,
                          points->n == 1 ? "is" : "are", RECON_COUNT(points->n, "point"));
    return RECON_OK;
}

/* Over ranks: neighbours' neighbours may be another rank's. */
static recon_status check_pool(recon_ctx *ctx, const recon_normalize_options *options)
{
    if (options->classes != RECON_CLASSES_KNN || options->pool <= options->knn.k)
        return RECON_OK;
    return recon_fail(
        ctx, RECON_ERR_UNSUPPORTED,
        "over ranks a verdict is made from the k = %zu neighbours: pool = %zu is more",
        options->knn.k, options->pool);
}

/* A group without a uniform law has one for this index, from all poses. */
recon_status recon_index_take_pool(recon_ctx *ctx, recon_index *x)
{
    x->group_of = x->points.group;
    if (!recon_group_is_unbounded(x->group_of))
        return RECON_OK;
    RECON_CHECK(recon_alloc_raw(ctx, &x->run, 1, sizeof *x->run));
    recon_group_run_begin(x->run, x->group_of, x->points.poses, x->points.n);
    x->points.group = &x->run->group;
    return RECON_OK;
}

/* The rows of a job whose classes are found. */
static recon_status finish(recon_ctx *ctx, job *j)
{
    recon_frames *out = j->out;
    recon_p_tails tails = { 0 };
    recon_status status;
    RECON_TRY(fill_rows(ctx, j));
    if (!j->queries) {
        RECON_TRY(make_tails(ctx, &tails, j));
        recon_p_tails_apply(out, &tails, 1);
    } else if (j->known->has_graph) { /* else the tail is the p-value */
        recon_p_tails_apply(out, &j->known->tails, 0);
    }
    RECON_TRY(find_unlike(ctx, j));
    RECON_TRY(recon_classes_collapsed(ctx, &out->collapsed, &j->table, j->index, j->rows, j->total,
                                      j->ranks));
    RECON_TRY(hand_over(ctx, j));
done:
    free(tails.tail);
    return status;
}

/* The points themselves. */
static recon_status answer_points(recon_ctx *ctx, recon_frames *out, recon_index *x)
{
    double begin = recon_now();
    job j = job_of(x, out);
    recon_status status;
    if (j.ranks) {
        RECON_TRY(check_pool(ctx, &x->options));
        take_share(ctx, &j);
    }
    out->rows = j.rows->n;
    tell_plan(ctx, &j);
    RECON_TRY(find_classes(ctx, &j, x));
    RECON_TRY(find_hits(ctx, &j));
    out->seconds.classes = recon_now() - begin;
    RECON_TRY(center_classes(ctx, &j));
    RECON_TRY(fit_classes(ctx, &j));
    RECON_TRY(finish(ctx, &j));
done:
    free_job(&j);
    return status;
}

static recon_status find_classes_of_queries(recon_ctx *ctx, job *j)
{
    const recon_index *x = j->known;
    recon_class_search search = { &x->points, &x->search, x->ranks };
    if (x->options.classes != RECON_CLASSES_KNN) {
        j->table = x->sets;
        j->table.set_of = NULL;
        j->found = x->of_sets;
        j->lent = 1;
        j->out->recall = 1;
        return recon_classes_join(ctx, &j->table.set_of, x->label, &search, j->queries, j->options);
    }
    RECON_CHECK(
        recon_classes_ask(ctx, &j->table, &search, j->queries, j->options, &j->out->recall));
    recon_classes_cut(&j->table, x->jump, x->options.knn.metric);
    return RECON_OK;
}

static recon_status answer_queries(recon_ctx *ctx, recon_frames *out, const recon_index *x,
                                   const recon_embedded *queries)
{
    double begin = recon_now();
    job j = job_of(x, out);
    recon_status status;
    j.known = x;
    j.queries = j.rows = queries;
    j.total = queries->n;
    RECON_TRY(find_classes_of_queries(ctx, &j));
    if (x->ranks)
        take_share(ctx, &j);
    out->rows = j.rows->n;
    RECON_TRY(find_hits(ctx, &j));
    out->seconds.classes = x->seconds + recon_now() - begin;
    if (!j.lent) {
        RECON_TRY(center_classes(ctx, &j));
        RECON_TRY(fit_classes(ctx, &j));
    }
    out->parameters_width = recon_family_parameters(&j.group->families[out->family]);
    RECON_TRY(finish(ctx, &j));
done:
    free_job(&j);
    if (status != RECON_OK)
        recon_frames_free(out);
    return status;
}

recon_status recon_index_query(recon_ctx *ctx, recon_frames *out, const recon_index *index,
                               const recon_embedded *queries)
{
    recon_index x;
    recon_status status;
    *out = (recon_frames){ 0 };
    RECON_TRY(recon_index_view(ctx, &x, index));
    RECON_TRY(recon_index_check_points(ctx, queries, &x.points, "queries", 0));
    RECON_TRY(recon_index_take_pool(ctx, &x));
    RECON_TRY(answer_queries(ctx, out, &x, queries));
done:
    free(x.run);
    return status;
}

static recon_status normalize(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                              const recon_embedded *queries, const recon_normalize_options *options,
                              int ranks)
{
    recon_index x = { .ranks = ranks };
    recon_status status;
    *out = (recon_frames){ 0 };
    if (!options)
        return recon_fail(ctx, RECON_ERR_INPUT, "options are needed: knn.k, or eps for components");
    RECON_TRY(recon_index_check(ctx, index, options));
    if (queries)
        RECON_TRY(recon_index_check_points(ctx, queries, index, "queries", 0));
    x.points = *index;
    x.options = *options;
    if (options->classes != RECON_CLASSES_GIVEN)
        x.options.class_of = NULL;
    RECON_TRY(recon_index_take_pool(ctx, &x));
    if (queries) {
        tell_plan(ctx, &(job){ .index = index,
                               .queries = queries,
                               .options = options,
                               .total = queries->n,
                               .ranks = ranks });
        RECON_TRY(recon_index_learn(ctx, &x));
        RECON_TRY(answer_queries(ctx, out, &x, queries));
    } else {
        x.family = index->group->family_count > 1 ? options->family : 0;
        RECON_TRY(answer_points(ctx, out, &x));
    }
done:
    recon_index_clear(&x);
    if (status != RECON_OK)
        recon_frames_free(out);
    return status;
}

recon_status recon_normalize(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                             const recon_embedded *queries, const recon_normalize_options *options)
{
    return normalize(ctx, out, index, queries, options, 0);
}

recon_status recon_normalize_share(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                                   const recon_embedded *queries,
                                   const recon_normalize_options *options)
{
    return normalize(ctx, out, index, queries, options, recon_comm_size(ctx) > 1);
}

void recon_frames_free(recon_frames *f)
{
    recon_free_all(f->neighbors, f->similarity, f->members, f->p_embedding, f->class_of, f->gamma,
                   f->normalized, f->absolute, f->identifiability, f->theta, f->parameters,
                   f->background, f->score, f->p);
    recon_findings_free(f);
    *f = (recon_frames){ 0 };
}
