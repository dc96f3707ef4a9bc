/* components.c - connected components of the graph d(z_i, z_j) < eps: the paper's formal classes.
 *
 * The same tiles as the search; a pair that may be close enough is compared exactly, unless its two
 * ends are already joined. */
#include <recon/knn/knn.h>
#include "knn/tiles.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct {
    const recon_points *p;
    recon_tally tally;
    double eps;
    float *floor;    /* [n] blocked scores below it are not */
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

static void join(components *c, uint32_t i, uint32_t j)
{
    const recon_points *p = c->p;
    uint32_t a = root(c->above, i), b = root(c->above, j);
    if (a == b || !(recon_row_distance(p->z + i * p->d, p->z + j * p->d, p->d, p->metric) < c->eps))
        return;
    if (a < b)
        c->above[b] = a;
    else
        c->above[a] = b;
}

static recon_status scan_tile(recon_ctx *ctx, components *c, recon_sweep *sweep, size_t tile,
                              size_t rows)
{
    size_t begin = tile * RECON_TILE, next = 0, count;
    recon_status status = RECON_OK;
    while (status == RECON_OK && next < rows) {
        status = recon_sweep_scan(ctx, sweep, c->p, tile, c->floor + begin, NULL, &next, &count);
        if (status != RECON_OK)
            break;
        pthread_mutex_lock(&c->lock);
        for (size_t h = 0; h < count; h++)
            join(c, (uint32_t)(begin + sweep->hits[h].row),
                 (uint32_t)(sweep->begin + sweep->hits[h].col));
        pthread_mutex_unlock(&c->lock);
    }
    return status;
}

static recon_status column_task(recon_ctx *ctx, void *arg, size_t col_tile, int worker)
{
    components *c = arg;
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    recon_sweep sweep;
    recon_status status;
    size_t rows;
    RECON_TRY(recon_sweep_begin(ctx, &sweep, arena, c->p, col_tile, &c->tally));
    for (size_t tile = 0; tile <= col_tile; tile++) {
        RECON_TRY(recon_sweep_scores(ctx, &sweep, c->p, tile, 1, &rows));
        RECON_TRY(scan_tile(ctx, c, &sweep, tile, rows));
        recon_progress_add(ctx, 1);
    }
done:
    recon_arena_release(arena, mark);
    return status;
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

recon_status recon_knn_components(recon_ctx *ctx, int64_t *label, size_t *count, const float *z,
                                  size_t n, size_t d, recon_metric metric, double eps)
{
    recon_points p = { 0 };
    components c = { .p = &p, .eps = eps, .lock = PTHREAD_MUTEX_INITIALIZER };
    recon_status status;
    RECON_TRY(check_components(ctx, n, d, metric, eps));
    RECON_TRY(recon_points_make(ctx, &p, z, n, d, metric, NULL, "embeddings"));
    RECON_TRY(recon_alloc_raw(ctx, &c.floor, n, sizeof *c.floor));
    RECON_TRY(recon_alloc_raw(ctx, &c.above, n, sizeof *c.above));
    double limit = metric == RECON_COSINE ? 1 - eps * eps / 2 : -eps * eps; /* as a score */
    for (size_t i = 0; i < n; i++) {
        double blocked = recon_points_blocked(&p, i, limit) - recon_points_error(&p, i, &p);
        c.floor[i] = nextafterf((float)blocked, -INFINITY);
        c.above[i] = (uint32_t)i;
    }
    size_t tiles = recon_tile_count(n);
    recon_progress_begin(ctx, "components", tiles * (tiles + 1) / 2);
    RECON_TRY(recon_parallel(ctx, column_task, &c, tiles));
    recon_progress_end(ctx);
    *count = number(label, c.above, n);
done:
    free(c.floor);
    free(c.above);
    recon_points_free(&p);
    return status;
}
