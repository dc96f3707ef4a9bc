/* components.c - connected components of the graph d(z_i, z_j) < eps: the paper's formal classes.
 *
 * The same tiles as the search; a pair that may be close enough is compared exactly, unless its two
 * ends are already joined. */
#include <recon/knn/knn.h>
#include "knn/ring.h"
#include "knn/tiles.h"
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct {
    const recon_points *rows, *cols; /* the same, or the parts of two ranks */
    const recon_visit *visit;        /* NULL: the same */
    recon_tally tally;
    double eps;
    float *floor;    /* [rows] blocked scores below it are not */
    uint32_t *above; /* [n] union-find: a smaller row of the same component, or itself */
    pthread_mutex_t lock;
} components;

static uint32_t root(uint32_t *above, uint32_t i)
{
    while (above[i] != i) {
        above[i] = above[above[i]];
        i = above[i];
    }
    return i;
}

static void unite(uint32_t *above, uint32_t a, uint32_t b)
{
    a = root(above, a);
    b = root(above, b);
    if (a < b)
        above[b] = a;
    else
        above[a] = b;
}

/* Row i of the rows and row j of the columns. */
static void join(components *c, size_t i, size_t j)
{
    const recon_points *p = c->rows, *q = c->cols;
    uint32_t a = (uint32_t)(p->first + i), b = (uint32_t)(q->first + j);
    if (root(c->above, a) != root(c->above, b) &&
        recon_row_distance(p->z + i * p->d, q->z + j * q->d, p->d, p->metric) < c->eps)
        unite(c->above, a, b);
}

static recon_status scan_tile(recon_ctx *ctx, components *c, recon_sweep *sweep, size_t tile,
                              size_t rows)
{
    size_t begin = tile * RECON_TILE, next = 0, count;
    recon_status status = RECON_OK;
    while (status == RECON_OK && next < rows) {
        status = recon_sweep_scan(ctx, sweep, c->rows, tile, c->floor + begin, NULL, &next, &count);
        if (status != RECON_OK)
            break;
        pthread_mutex_lock(&c->lock);
        for (size_t h = 0; h < count; h++)
            join(c, begin + sweep->hits[h].row, sweep->begin + sweep->hits[h].col);
        pthread_mutex_unlock(&c->lock);
    }
    return status;
}

/* Of points among themselves the tiles up to the column's own; else those that are ours. */
static int is_wanted(const components *c, size_t tile, size_t col_tile)
{
    return c->visit ? recon_visit_is_ours(c->visit, c->rows->first / RECON_TILE + tile,
                                          c->cols->first / RECON_TILE + col_tile)
                    : tile <= col_tile;
}

static recon_status column_task(recon_ctx *ctx, void *arg, size_t col_tile, int worker)
{
    components *c = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_sweep sweep;
    size_t rows;
    RECON_CHECK(recon_sweep_begin(ctx, &sweep, arena, c->cols, col_tile, &c->tally));
    for (size_t tile = 0; tile < recon_tile_count(c->rows->n); tile++) {
        if (!is_wanted(c, tile, col_tile))
            continue;
        RECON_CHECK(recon_sweep_scores(ctx, &sweep, c->rows, tile, 1, &rows));
        RECON_CHECK(scan_tile(ctx, c, &sweep, tile, rows));
        RECON_CHECK(recon_comm_poll(ctx, worker));
        if (!c->visit)
            recon_progress_add(ctx, 1);
    }
    return RECON_OK;
}

/* A root is its component's first row, so numbering roots in order numbers components in order. */
static size_t number(int64_t *label, uint32_t *above, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t r = root(above, (uint32_t)i);
        label[i] = r == i ? (int64_t)count++ : label[r];
    }
    return count;
}

static recon_status check_components(recon_ctx *ctx, size_t n, size_t d, recon_metric metric,
                                     double eps)
{
    if (n == 0 || d == 0 || n >= UINT32_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "embeddings have %zu rows of %zu", n, d);
    if (metric == RECON_DOT)
        return recon_fail(ctx, RECON_ERR_INPUT, "components need a distance: cosine or Euclidean");
    if (!(eps > 0))
        return recon_fail(ctx, RECON_ERR_INPUT, "eps = %g, but a distance must be positive", eps);
    return RECON_OK;
}

static void find_floors(components *c)
{
    const recon_points *p = c->rows;
    double limit = p->metric == RECON_COSINE ? 1 - c->eps * c->eps / 2 : -c->eps * c->eps;
    for (size_t i = 0; i < p->n; i++) {
        double blocked = recon_points_blocked(p, i, limit) - recon_points_error(p, i, c->cols);
        c->floor[i] = recon_float_below((float)blocked);
    }
}

static recon_status alloc_forest(recon_ctx *ctx, components *c, size_t n)
{
    RECON_CHECK(recon_alloc_raw(ctx, &c->floor, c->rows->n, sizeof *c->floor));
    RECON_CHECK(recon_alloc_raw(ctx, &c->above, n, sizeof *c->above));
    for (size_t i = 0; i < n; i++)
        c->above[i] = (uint32_t)i;
    return RECON_OK;
}

/* Points among themselves. */
static recon_status join_own(recon_ctx *ctx, components *c)
{
    size_t tiles = recon_tile_count(c->rows->n);
    find_floors(c);
    recon_progress_begin(ctx, "components", tiles * (tiles + 1) / 2);
    RECON_CHECK(recon_parallel(ctx, column_task, c, tiles));
    recon_progress_end(ctx);
    return RECON_OK;
}

recon_status recon_knn_components(recon_ctx *ctx, int64_t *label, size_t *count, const float *z,
                                  size_t n, size_t d, recon_metric metric, double eps)
{
    recon_points p = { 0 };
    components c = { .rows = &p, .cols = &p, .eps = eps, .lock = PTHREAD_MUTEX_INITIALIZER };
    recon_status status;
    RECON_TRY(check_components(ctx, n, d, metric, eps));
    RECON_TRY(recon_points_make(ctx, &p, z, n, d, metric, NULL, "embeddings"));
    RECON_TRY(alloc_forest(ctx, &c, n));
    RECON_TRY(join_own(ctx, &c));
    *count = number(label, c.above, n);
done:
    recon_free_all(c.floor, c.above);
    recon_points_free(&p);
    return status;
}

/* --- over ranks ------------------------------------------------------------------------------- */

static recon_status join_visitor(recon_ctx *ctx, void *arg, const recon_visit *v)
{
    components *c = arg;
    recon_points visitor = { 0 };
    recon_status status = RECON_OK;
    if (v->rows == 0 || c->rows->n == 0)
        return RECON_OK;
    RECON_TRY(recon_points_make_part(ctx, &visitor, v->z, v->rows, c->rows->d, v->first,
                                     c->rows->metric, v->like, "embeddings"));
    c->cols = &visitor;
    c->visit = v;
    find_floors(c);
    RECON_TRY(recon_parallel(ctx, column_task, c, recon_tile_count(v->rows)));
done:
    recon_points_free(&visitor);
    return status;
}

/* Each rank knows some of the pairs. Two by two they put together what they know, then rank 0 has
 * all and gives it to everybody. */
static recon_status join_ranks(recon_ctx *ctx, uint32_t *above, size_t n)
{
    int rank = recon_comm_rank(ctx), size = recon_comm_size(ctx);
    recon_exchange x = { 0 };
    uint32_t *other = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &other, n, sizeof *other));
    for (int apart = 1; apart < size; apart *= 2) {
        if (rank % (2 * apart) == apart) {
            RECON_TRY(recon_exchange_send(ctx, &x, above, n * sizeof *above, rank - apart));
            RECON_TRY(recon_exchange_wait(ctx, &x));
            break;
        }
        if (rank + apart >= size)
            continue;
        RECON_TRY(recon_exchange_recv(ctx, &x, other, n * sizeof *other, rank + apart));
        RECON_TRY(recon_exchange_wait(ctx, &x));
        for (size_t i = 0; i < n; i++)
            if (other[i] != i)
                unite(above, (uint32_t)i, other[i]);
    }
    RECON_TRY(recon_comm_broadcast(ctx, above, n * sizeof *above, 0));
done:
    if (x.count)
        recon_exchange_close(ctx, &x);
    free(other);
    return status;
}

recon_status recon_ring_components(recon_ctx *ctx, int64_t *label, size_t *count, const float *z,
                                   size_t n, size_t d, recon_metric metric, double eps)
{
    recon_points mine = { 0 }, like = { 0 };
    components c = { .rows = &mine, .cols = &mine, .eps = eps, .lock = PTHREAD_MUTEX_INITIALIZER };
    recon_status status;
    RECON_TRY(check_components(ctx, n, d, metric, eps));
    RECON_TRY(recon_ring_prepare(ctx, &mine, &like, z, n, d, metric, "embeddings"));
    RECON_TRY(alloc_forest(ctx, &c, n));
    RECON_TRY(join_own(ctx, &c));
    RECON_TRY(recon_tour(
        ctx,
        &(recon_tour_plan){
            .z = z, .n = n, .d = d, .like = &like, .half = 1, .arg = &c, .meet = join_visitor }));
    RECON_TRY(join_ranks(ctx, c.above, n));
    *count = number(label, c.above, n);
done:
    recon_free_all(c.floor, c.above);
    recon_points_free(&mine);
    recon_points_free(&like);
    return status;
}
