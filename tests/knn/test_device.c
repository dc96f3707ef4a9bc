/* A backend's own search: what the library does around it. The backend here is plain loops that leave
 * every seventh row open, with a list that must not be used. */
#include "check.h"
#include "core/ctx.h"
#include "ops/ops.h"

#include <recon/knn/knn.h>
#include <math.h>
#include <stdlib.h>

enum { N = 1300, D = 5, K = 4, OPEN = 7 }; /* more than two tiles of the host */

static int calls;

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (size_t c = 0; c < D; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

static double score(const recon_nearest_args *a, size_t i, size_t j)
{
    const float *x = a->rows.z + i * D, *y = a->cols.z + j * D;
    if (a->euclidean)
        return 2 * dot(x, y) - dot(x, x) - dot(y, y); /* whole numbers here: exact */
    return a->rows.norm ? dot(x, y) / (a->rows.norm[i] * a->cols.norm[j]) : dot(x, y);
}

static void search_row(const recon_nearest_args *a, size_t i)
{
    double *best = a->score + i * K;
    uint32_t *who = a->index + i * K;
    for (size_t c = 0; c < K; c++)
        best[c] = -INFINITY;
    for (size_t j = 0; j < a->cols.n; j++) {
        double s = score(a, i, j);
        size_t c = K;
        if (a->self && !a->include_self && j == i)
            continue;
        for (; c > 0 && s > best[c - 1]; c--)
            if (c < K) {
                best[c] = best[c - 1];
                who[c] = who[c - 1];
            }
        if (c < K) {
            best[c] = s;
            who[c] = (uint32_t)j;
        }
    }
}

static recon_status nearest(recon_ctx *ctx, const recon_nearest_args *a)
{
    calls++;
    for (size_t i = 0; i < a->rows.n; i++) {
        a->open[i] = i % OPEN == 0;
        for (size_t c = 0; c < K && a->open[i]; c++)
            a->index[i * K + c] = 0;
        if (!a->open[i])
            search_row(a, i);
    }
    return a->tile_done(ctx);
}

static recon_status no_room(recon_ctx *ctx, const recon_nearest_args *a)
{
    (void)a;
    calls++;
    return recon_fail(ctx, RECON_ERR_MEMORY, "no room here");
}

static size_t one_tile(const recon_nearest_args *a)
{
    (void)a;
    return 1;
}

static float z[N * D];
static int64_t want[N * K], got[N * K];

/* Few whole numbers: every list has ties. */
static void fill(void)
{
    for (size_t i = 0; i < N; i++) {
        recon_rng r = recon_rng_new(3, i);
        for (size_t c = 0; c < D; c++)
            z[i * D + c] = (float)recon_rng_below(&r, 9) - (c ? 4.0f : -1.0f);
    }
}

static void check(recon_status (*search)(recon_ctx *, const recon_nearest_args *))
{
    recon_ctx *host = recon_ctx_new(NULL), *other = recon_ctx_new(NULL);
    recon_ops table = recon_ops_cpu;
    table.nearest = search;
    table.nearest_tiles = one_tile;
    table.nearest_pairs = (double)N * N;
    other->ops = &table;
    fill();
    for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++)
        for (int self = 0; self < 3; self++) {
            recon_knn_options o = { .k = K,
                                    .metric = (recon_metric)metric,
                                    .include_self = self == 2 };
            calls = 0;
            if (self) {
                CHECK_OK(host, recon_knn_self(host, want, NULL, z, N, D, &o));
                CHECK_OK(other, recon_knn_self(other, got, NULL, z, N, D, &o));
            } else {
                CHECK_OK(host, recon_knn_search(host, want, NULL, z, N, z, N, D, &o));
                CHECK_OK(other, recon_knn_search(other, got, NULL, z, N, z, N, D, &o));
            }
            assert_int_equal(calls, 1);
            assert_memory_equal(got, want, sizeof want);
        }
    recon_ctx_free(other);
    recon_ctx_free(host);
}

static void open_rows_are_searched_on_the_host(void **state)
{
    (void)state;
    check(nearest);
}

static void what_does_not_fit_is_searched_on_the_host(void **state)
{
    (void)state;
    check(no_room);
}

/* A search that is not worth the copies, or longer than such a search goes. */
static void some_searches_stay_on_the_host(void **state)
{
    (void)state;
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_ops table = recon_ops_cpu;
    table.nearest = no_room;
    table.nearest_tiles = one_tile;
    table.nearest_pairs = (double)N * N;
    ctx->ops = &table;
    calls = 0;
    fill();
    recon_knn_options few = { .k = K }, many = { .k = RECON_NEAREST_MOST + 1 };
    int64_t *index = malloc(N * (RECON_NEAREST_MOST + 1) * sizeof *index);
    CHECK_OK(ctx, recon_knn_self(ctx, index, NULL, z, N - 1, D, &few));
    CHECK_OK(ctx, recon_knn_self(ctx, index, NULL, z, N, D, &many));
    assert_int_equal(calls, 0);
    free(index);
    recon_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_rows_are_searched_on_the_host),
        cmocka_unit_test(what_does_not_fit_is_searched_on_the_host),
        cmocka_unit_test(some_searches_stay_on_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
