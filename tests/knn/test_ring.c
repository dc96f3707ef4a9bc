/* Search over ranks is the search of one process: the same neighbours with the same scores, on data
 * with ties, for every metric, where ranks hold several pieces, one, or nothing. */
#include "ranks.h"
#include "knn/ring.h"
#include "knn/tiles.h"
#include "core/ctx.h"
#include "core/memory.h"
#include "ops/ops.h"

#include <recon/knn/knn.h>
#include <recon/ops/backend.h>

static recon_ctx *alone; /* the same rows in one process */

/* Small integers now and then, so that many scores tie. */
static void fill(float *z, size_t n, size_t d, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(seed, i);
        int coarse = i % 3 == 0;
        for (size_t c = 0; c < d; c++) {
            double x = 2 * recon_rng_uniform(&r) - 1;
            z[i * d + c] = (float)(coarse ? rint(2 * x) + (c == 0 ? 0.5 : 0) : x);
        }
    }
}

static float *rows_of(size_t n, size_t d, uint64_t seed)
{
    float *z = malloc(n * d * sizeof *z);
    fill(z, n, d, seed);
    return z;
}

static const size_t sizes[] = { 5, 700, 2600 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_self(recon_ctx *ctx, size_t n, recon_knn_options o)
{
    size_t d = 7, k = o.k;
    recon_share own = recon_comm_own(ctx, n, RECON_TILE);
    float *z = rows_of(n, d, n);
    int64_t *want = malloc(n * k * sizeof *want);
    recon_neighbor *got = malloc((n * k + 1) * sizeof *got);
    CHECK_OK(alone, recon_knn_self(alone, want, NULL, z, n, d, &o));
    CHECK_OK(ctx, recon_ring_self(ctx, got, z, n, d, &o));
    for (size_t i = own.begin; i < own.end; i++)
        for (size_t c = 0; c < k; c++)
            assert_int_equal(got[(i - own.begin) * k + c].index, want[i * k + c]);
    free(z);
    free(want);
    free(got);
}

static void all_pairs_are_those_of_one_process(void **state)
{
    for (size_t s = 0; s < SIZES - 1; s++)
        for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++)
            check_self(*state, sizes[s],
                       (recon_knn_options){ .k = s == 1 ? 30 : 4,
                                            .metric = (recon_metric)metric,
                                            .include_self = s % 2 == 1 });
    check_self(*state, 8900, (recon_knn_options){ .k = 4 }); /* several pieces of each rank */
}

static void answers_are_those_of_one_process(void **state)
{
    recon_ctx *ctx = *state;
    size_t d = 7, m = 1300;
    for (size_t s = 0; s < SIZES; s += 2)
        for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++) {
            size_t n = sizes[s], k = 5;
            recon_knn_options o = { .k = k, .metric = (recon_metric)metric };
            recon_share own = recon_comm_own(ctx, m, RECON_TILE);
            float *z = rows_of(n, d, n), *q = rows_of(m, d, 77);
            int64_t *want = malloc(m * k * sizeof *want);
            recon_neighbor *got = malloc((m * k + 1) * sizeof *got);
            CHECK_OK(alone, recon_knn_search(alone, want, NULL, q, m, z, n, d, &o));
            CHECK_OK(ctx, recon_ring_search(ctx, got, q + own.begin * d, m, z, n, d, &o));
            assert_true(atomic_load(&ctx->progress.done) <= ctx->progress.total);
            for (size_t i = own.begin; i < own.end; i++)
                for (size_t c = 0; c < k; c++)
                    assert_int_equal(got[(i - own.begin) * k + c].index, want[i * k + c]);
            free(z);
            free(q);
            free(want);
            free(got);
        }
}

static void components_are_those_of_one_process(void **state)
{
    recon_ctx *ctx = *state;
    size_t d = 7, found, count;
    for (size_t s = 1; s < SIZES; s++)
        for (int euclidean = 0; euclidean < 2; euclidean++) {
            size_t n = sizes[s];
            recon_metric metric = euclidean ? RECON_EUCLIDEAN : RECON_COSINE;
            double eps = 0.25;
            float *z = rows_of(n, d, n);
            int64_t *want = malloc(n * sizeof *want), *got = malloc(n * sizeof *got);
            CHECK_OK(alone, recon_knn_components(alone, want, &count, z, n, d, metric, eps));
            CHECK_OK(ctx, recon_ring_components(ctx, got, &found, z, n, d, metric, eps));
            assert_int_equal(found, count);
            assert_memory_equal(got, want, n * sizeof *got);
            assert_true(n < 1000 || (count > 1 && count < n));
            free(z);
            free(want);
            free(got);
        }
}

/* A rank sees its own rows alone: those of others are poison. */
static void a_rank_touches_its_own_rows(void **state)
{
    recon_ctx *ctx = *state;
    size_t n = 5000, d = 7, k = 4;
    recon_knn_options o = { .k = k };
    recon_share own = recon_comm_own(ctx, n, RECON_TILE);
    float *z = rows_of(n, d, n), *part = rows_of(n, d, n), *some = malloc(n * d * sizeof *some);
    for (size_t i = 0; i < n * d; i++)
        if (i < own.begin * d || i >= own.end * d)
            part[i] = NAN;
    int64_t *want = malloc(n * k * sizeof *want), *which = malloc(n * sizeof *which);
    recon_neighbor *got = malloc((n * k + 1) * sizeof *got);
    CHECK_OK(alone, recon_knn_self(alone, want, NULL, z, n, d, &o));
    CHECK_OK(ctx, recon_ring_self(ctx, got, part, n, d, &o));
    for (size_t i = own.begin; i < own.end; i++)
        for (size_t c = 0; c < k; c++)
            assert_int_equal(got[(i - own.begin) * k + c].index, want[i * k + c]);
    size_t m = 0;
    for (size_t i = (size_t)recon_comm_rank(ctx); i < n; i += 3)
        which[m++] = (int64_t)(n - 1 - i);
    CHECK_OK(ctx, recon_ring_rows(ctx, some, which, m, part, n, d));
    for (size_t i = 0; i < m; i++)
        assert_memory_equal(some + i * d, z + (size_t)which[i] * d, d * sizeof *z);
    free(z);
    free(part);
    free(some);
    free(want);
    free(which);
    free(got);
}

static void a_bad_row_is_named_everywhere(void **state)
{
    recon_ctx *ctx = *state;
    size_t n = 3000, d = 7;
    recon_neighbor *got = malloc(n * sizeof *got);
    float *z = rows_of(n, d, 1);
    z[2900 * d + 3] = INFINITY;
    CHECK_FAILS(ctx, recon_ring_self(ctx, got, z, n, d, &(recon_knn_options){ .k = 1 }),
                RECON_ERR_INPUT, "row 2900, column 3 is inf");
    free(z);
    free(got);
}

/* --- ranks with devices of their own ------------------------------------------------------------ */

/* Plain loops in the place of a device, over rows of whole numbers: exact. */
enum { D = 7, K = 4 };
static int calls;

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (size_t c = 0; c < D; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

static void insert(double *best, uint32_t *who, double score, uint32_t index)
{
    size_t c = K - 1;
    if (score <= best[c])
        return;
    for (; c > 0 && score > best[c - 1]; c--) {
        best[c] = best[c - 1];
        who[c] = who[c - 1];
    }
    best[c] = score;
    who[c] = index;
}

static recon_status nearest(recon_ctx *ctx, const recon_nearest_args *a)
{
    calls++;
    for (size_t i = 0; i < a->rows.n; i++) {
        const float *x = a->rows.z + i * D;
        double *best = a->score + i * K;
        a->open[i] = i % 97 == 0; /* the host's */
        for (size_t c = 0; c < K; c++)
            best[c] = -INFINITY;
        for (size_t j = 0; j < a->cols.n && !a->open[i]; j++)
            if (!a->self || a->include_self || i != j)
                insert(best, a->index + i * K, dot(x, a->cols.z + j * D), (uint32_t)j);
    }
    return a->tile_done(ctx);
}

static size_t one_tile(const recon_nearest_args *a)
{
    (void)a;
    return 1;
}

/* One rank, and each of two, has more than two tiles, enough for the device, which then searches once for
 * each of them; more ranks have a device that does not pay. */
static void a_device_at_each_rank_answers_like_one_process(void **state)
{
    recon_ctx *ctx = *state;
    const recon_ops *before = ctx->ops;
    size_t n = 2600; /* six tiles */
    recon_knn_options o = { .k = K, .metric = RECON_DOT };
    recon_share own = recon_comm_own(ctx, n, RECON_TILE);
    recon_ops table = recon_ops_cpu;
    float *z = rows_of(n, D, 5);
    int64_t *want = malloc(n * K * sizeof *want);
    recon_neighbor *got = malloc((n * K + 1) * sizeof *got);
    for (size_t i = 0; i < n * D; i++)
        z[i] = rintf(20 * z[i]);
    table.nearest = nearest;
    table.nearest_tiles = one_tile;
    table.nearest_pairs = 4 * (double)RECON_TILE * RECON_TILE + 1;
    ctx->ops = &table;
    calls = 0;
    CHECK_OK(alone, recon_knn_self(alone, want, NULL, z, n, D, &o));
    CHECK_OK(ctx, recon_ring_self(ctx, got, z, n, D, &o));
    assert_int_equal(calls, recon_comm_size(ctx) <= 2 ? recon_comm_size(ctx) : 0);
    for (size_t i = own.begin; i < own.end; i++)
        for (size_t c = 0; c < K; c++)
            assert_int_equal(got[(i - own.begin) * K + c].index, want[i * K + c]);
    ctx->ops = before;
    free(z);
    free(want);
    free(got);
}

static int run_rank(void)
{
    const struct CMUnitTest laws[] = {
        cmocka_unit_test(all_pairs_are_those_of_one_process),
        cmocka_unit_test(answers_are_those_of_one_process),
        cmocka_unit_test(components_are_those_of_one_process),
        cmocka_unit_test(a_rank_touches_its_own_rows),
        cmocka_unit_test(a_bad_row_is_named_everywhere),
        cmocka_unit_test(a_device_at_each_rank_answers_like_one_process),
    };
    alone = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    int failed = cmocka_run_group_tests(laws, rank_setup, check_teardown);
    recon_ctx_free(alone);
    recon_comm_finish(ranks);
    return failed;
}

int main(int argc, char **argv)
{
    (void)argc;
    if (is_rank())
        return run_rank();
    snprintf(program, sizeof program, "%s", argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_openmpi),
        cmocka_unit_test(under_mpich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
