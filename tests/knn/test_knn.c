/* Exact search is the answer of comparing every pair in double: on data with ties, clusters and
 * extreme scales, for every metric, backend and number of threads. */
#include "borders.h"
#include "knn/tiles.h"
#include "check.h"
#include "core/memory.h"

#include <recon/knn/knn.h>
#include <recon/ops/backend.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    double score;
    int64_t index;
} pair;

static double true_score(const float *a, const float *b, size_t d, recon_metric metric)
{
    double ab = 0, aa = 0, bb = 0, dd = 0;
    for (size_t c = 0; c < d; c++) {
        double x = a[c], y = b[c];
        ab += x * y, aa += x * x, bb += y * y, dd += (x - y) * (x - y);
    }
    return metric == RECON_COSINE ? ab / (sqrt(aa) * sqrt(bb)) : metric == RECON_DOT ? ab : -dd;
}

static int by_score(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* skip: a row of z that does not count, or n. The found neighbours must be the k best in order;
 * where two scores differ by rounding only, either order will do. */
static void check_row(const int64_t *found, const float *query, const float *z, size_t n, size_t d,
                      size_t k, recon_metric metric, size_t skip)
{
    pair *all = malloc(n * sizeof *all);
    size_t m = 0;
    for (size_t j = 0; j < n; j++)
        if (j != skip)
            all[m++] = (pair){ true_score(query, z + j * d, d, metric), (int64_t)j };
    qsort(all, m, sizeof *all, by_score);
    for (size_t c = 0; c < k; c++) {
        if (found[c] == all[c].index)
            continue;
        assert_in_range(found[c], 0, n - 1);
        double got = true_score(query, z + (size_t)found[c] * d, d, metric);
        CHECK_NEAR(got, all[c].score, 1e-13 * fabs(all[c].score));
        assert_true(got != all[c].score); /* a true tie goes to the lower index */
    }
    free(all);
}

enum { RANDOM, CLUSTERED, DUPLICATED, GRID, OFFSET, HUGE_VALUES, TINY_VALUES, KINDS };

static void fill(float *z, size_t n, size_t d, int kind, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        recon_rng r = recon_rng_new(seed, i);
        recon_rng centre = recon_rng_new(seed + 1000, i % 5);
        recon_rng copy = recon_rng_new(seed, i % 7);
        for (size_t c = 0; c < d; c++) {
            double g = recon_rng_normal(&r);
            switch (kind) {
            case CLUSTERED: g = recon_rng_normal(&centre) + 1e-5 * g; break;
            case DUPLICATED: g = recon_rng_normal(&copy); break;
            case GRID: g = round(g) + (c == 0 ? 3 : 0); break; /* many exact ties */
            case OFFSET: g = 1000 + g; break;
            case HUGE_VALUES: g *= 1e37 / sqrt((double)d); break;
            case TINY_VALUES: g *= 1e-37; break;
            }
            z[i * d + c] = (float)g;
        }
    }
}

static void self_search_is_exact(void **state)
{
    static const struct {
        size_t n, d, k;
    } shape[] = { { 2, 1, 1 }, { 40, 3, 39 }, { 700, 17, 10 }, { 1100, 8, 3 } };
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++) {
                size_t n = shape[s].n, d = shape[s].d, k = shape[s].k;
                float *z = malloc(n * d * sizeof *z);
                int64_t *index = malloc(n * k * sizeof *index);
                fill(z, n, d, kind, 11 + s);
                recon_knn_options o = { .k = k, .metric = (recon_metric)metric };
                CHECK_OK(*state, recon_knn_self(*state, index, NULL, z, n, d, &o));
                for (size_t i = 0; i < n; i += 1 + n / 60)
                    check_row(index + i * k, z + i * d, z, n, d, k, (recon_metric)metric, i);
                free(index);
                free(z);
            }
}

static void queries_are_exact(void **state)
{
    enum { N = 1300, M = 530, D = 24, K = 7 };
    static float z[N * D], q[M * D];
    static int64_t index[M * K];
    for (int kind = 0; kind < KINDS; kind++)
        for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++) {
            fill(z, N, D, kind, 5);
            fill(q, M, D, kind, 6);
            recon_knn_options o = { .k = K, .metric = (recon_metric)metric };
            CHECK_OK(*state, recon_knn_search(*state, index, NULL, q, M, z, N, D, &o));
            for (size_t i = 0; i < M; i += 9)
                check_row(index + i * K, q + i * D, z, N, D, K, (recon_metric)metric, N);
        }
}

/* Tiles of points, and rows that are prepared together: every row at a border has its neighbours, which
 * lie anywhere. */
static void tiles_end_where_they_should(void **state)
{
    enum { D = 2, K = 2, MOST = BORDER_MOST(RECON_BLOCK_POINTS), FEW = 300 };
    static float z[MOST * D];
    static int64_t index[MOST * K];
    const recon_knn_options o = { .k = K, .metric = RECON_EUCLIDEAN };
    fill(z, MOST, D, RANDOM, 3);
    for (int i = 0; i < 2 * BORDERS; i++) {
        size_t n = border(i < BORDERS ? RECON_TILE : RECON_BLOCK_POINTS, i % BORDERS);
        CHECK_OK(*state, recon_knn_self(*state, index, NULL, z, n, D, &o));
        for (size_t row = n % 10; row < n; row += row + 10 < n ? 10 : 1)
            check_row(index + row * K, z + row * D, z, n, D, K, RECON_EUCLIDEAN, row);
        CHECK_OK(*state, recon_knn_search(*state, index, NULL, z, n, z, FEW, D, &o));
        for (size_t row = n % 10; row < n; row += row + 10 < n ? 10 : 1)
            check_row(index + row * K, z + row * D, z, FEW, D, K, RECON_EUCLIDEAN, FEW);
        CHECK_OK(*state, recon_knn_search(*state, index, NULL, z, FEW, z, n, D, &o));
        for (size_t row = 0; row < FEW; row += 10)
            check_row(index + row * K, z + row * D, z, n, D, K, RECON_EUCLIDEAN, n);
        float *last = &z[(n > RECON_BLOCK_POINTS ? RECON_BLOCK_POINTS : n) * D - 1], was = *last;
        *last = NAN; /* the last of the first block */
        assert_int_equal(recon_knn_self(*state, index, NULL, z, n, D, &o), RECON_ERR_INPUT);
        *last = was;
    }
}

/* Scaled so that the long rows are 1, the short ones vanish in single precision: every blocked
 * score of theirs is 0, and only the bound keeps the true neighbours, here the last ones, in. */
static void rows_of_vastly_different_lengths(void **state)
{
    enum { N = 200, D = 1024, K = 3 };
    static float z[N * D];
    int64_t index[N * K];
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < D; c++)
            z[i * D + c] = i % 50 ? 5e36f * (1 + 1e-3f * (float)i) : 8e-8f;
    for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++) {
        recon_knn_options o = { .k = K, .metric = (recon_metric)metric };
        CHECK_OK(*state, recon_knn_self(*state, index, NULL, z, N, D, &o));
        for (size_t i = 0; i < N; i += 25)
            check_row(index + i * K, z + i * D, z, N, D, K, (recon_metric)metric, i);
        CHECK_OK(*state, recon_knn_search(*state, index, NULL, z, N, z, N, D, &o));
        for (size_t i = 0; i < N; i += 25)
            check_row(index + i * K, z + i * D, z, N, D, K, (recon_metric)metric, N);
    }
}

static void threads_and_backends_agree_to_the_bit(void **state)
{
    (void)state;
    enum { N = 1500, D = 33, K = 12 };
    static float z[N * D], score[4][N * K];
    static int64_t index[4][N * K];
    fill(z, N, D, CLUSTERED, 3);
    for (int t = 0; t < 4; t++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = t == 3 ? 2 : t + 1 });
        CHECK_OK(ctx, recon_ops_attach(ctx, t == 3 ? "ref" : "cpu"));
        recon_knn_options o = { .k = K };
        CHECK_OK(ctx, recon_knn_self(ctx, index[t], score[t], z, N, D, &o));
        assert_memory_equal(index[t], index[0], sizeof index[0]);
        assert_memory_equal(score[t], score[0], sizeof score[0]);
        recon_ctx_free(ctx);
    }
}

static void a_point_may_count_itself(void **state)
{
    enum { N = 600, D = 9, K = 4 };
    static float z[N * D], score[N * K];
    static int64_t index[N * K];
    fill(z, N, D, RANDOM, 8);
    recon_knn_options o = { .k = K, .include_self = 1 };
    CHECK_OK(*state, recon_knn_self(*state, index, score, z, N, D, &o));
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(index[i * K], i);
        CHECK_NEAR(score[i * K], 1, 1e-6);
    }
    o.k = N;
    int64_t *all = malloc(sizeof(int64_t) * N * N);
    CHECK_OK(*state, recon_knn_self(*state, all, NULL, z, N, D, &o));
    free(all);
}

static void scores_are_what_they_say(void **state)
{
    const float z[] = { 3, 4, 6, 8, 0, 1 };
    int64_t index[6];
    float score[6];
    recon_knn_options o = { .k = 2, .metric = RECON_EUCLIDEAN };
    CHECK_OK(*state, recon_knn_self(*state, index, score, z, 3, 2, &o));
    assert_int_equal(index[0], 2);
    CHECK_NEAR(score[0], sqrt(18), 1e-6);
    CHECK_NEAR(score[1], 5, 1e-6);
    o.metric = RECON_COSINE;
    CHECK_OK(*state, recon_knn_self(*state, index, score, z, 3, 2, &o));
    CHECK_NEAR(score[0], 1, 1e-7);
    CHECK_NEAR(score[1], 0.8, 1e-7);
    o.metric = RECON_DOT;
    CHECK_OK(*state, recon_knn_self(*state, index, score, z, 3, 2, &o));
    CHECK_NEAR(score[0], 50, 1e-5);
}

static void bad_input_is_named(void **state)
{
    float z[] = { 1, 2, 0, 0, 3, 4 };
    int64_t index[6];
    recon_knn_options o = { .k = 2 };
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 3, 2, &o), RECON_ERR_INPUT,
                "embeddings: row 1 is the zero vector");
    z[3] = NAN;
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 3, 2, &o), RECON_ERR_INPUT,
                "row 1, column 1 is");
    z[3] = INFINITY;
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 3, 2, &o), RECON_ERR_INPUT,
                "row 1, column 1 is inf");
    z[3] = 1;
    o.k = 3;
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 3, 2, &o), RECON_ERR_INPUT,
                "k = 3, but a point has only 2 possible neighbours");
    o.k = 1;
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 0, 2, &o), RECON_ERR_INPUT, "empty");
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 1, 2, &o), RECON_ERR_INPUT,
                "only 0 possible");
    o.k = 0;
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 3, 2, &o), RECON_ERR_INPUT,
                "at least one");
    o.k = 1;
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 3, 2, NULL), RECON_ERR_INPUT,
                "options are needed");
    float q[] = { 1, NAN };
    CHECK_FAILS(*state, recon_knn_search(*state, index, NULL, q, 1, z, 3, 2, &o), RECON_ERR_INPUT,
                "queries: row 0, column 1");
    CHECK_OK(*state, recon_knn_search(*state, index, NULL, q, 0, z, 3, 2, &o));
    o.metric = (recon_metric)3;
    CHECK_FAILS(*state, recon_knn_self(*state, index, NULL, z, 3, 2, &o), RECON_ERR_INPUT,
                "no metric has the number 3");
}

static void every_failed_allocation_is_survived(void **state)
{
    enum { N = 600, D = 4, K = 3 };
    static float z[N * D];
    static int64_t index[N * K];
    recon_knn_options o = { .k = K, .metric = RECON_EUCLIDEAN };
    fill(z, N, D, RANDOM, 1);
    (void)state;
    for (long n = 1;; n++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
        recon_alloc_fail_at(ctx, n);
        recon_status s = recon_knn_self(ctx, index, NULL, z, N, D, &o);
        if (s == RECON_OK)
            s = recon_knn_search(ctx, index, NULL, z, 5, z, N, D, &o);
        recon_ctx_free(ctx);
        if (s == RECON_OK) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(s, RECON_ERR_MEMORY);
    }
}

static void approximate_search_measures_its_recall(void **state)
{
    enum { N = 3000, D = 16, K = 10 };
    static float z[N * D];
    static int64_t exact[N * K], found[N * K];
    fill(z, N, D, RANDOM, 4);
    recon_knn_options o = { .k = K };
    CHECK_OK(*state, recon_knn_self(*state, exact, NULL, z, N, D, &o));
    for (int method = RECON_KNN_IVF; method <= RECON_KNN_HNSW; method++)
        for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++) {
            double recall = -1, hits = 0;
            o = (recon_knn_options){ .k = K,
                                     .metric = (recon_metric)metric,
                                     .method = (recon_knn_method)method,
                                     .recall = &recall };
            recon_status status = recon_knn_self(*state, found, NULL, z, N, D, &o);
            if (status == RECON_ERR_UNSUPPORTED)
                skip();
            CHECK_OK(*state, status);
            assert_true(recall > 0.5 && recall <= 1);
            if (metric != RECON_COSINE)
                continue;
            for (size_t i = 0; i < N * K; i++) {
                assert_int_not_equal(found[i], i / K);
                for (size_t c = 0; c < K; c++)
                    hits += found[i] == exact[i / K * K + c];
            }
            CHECK_NEAR(recall, hits / (N * K), 0.03);
            CHECK_OK(*state, recon_knn_search(*state, found, NULL, z, 0, z, N, D, &o));
            CHECK_NEAR(recall, 1, 0); /* nobody asked, nothing missed */
        }
}

/* Where the lists that are visited, 8 of 30, hold fewer than k points, the search is exact. */
static void too_short_lists_are_filled_exactly(void **state)
{
    enum { N = 1200, D = 8, K = 700 };
    static float z[N * D];
    static int64_t exact[N * K], found[N * K];
    fill(z, N, D, RANDOM, 6);
    recon_knn_options o = { .k = K };
    CHECK_OK(*state, recon_knn_self(*state, exact, NULL, z, N, D, &o));
    o.method = RECON_KNN_IVF;
    recon_status status = recon_knn_self(*state, found, NULL, z, N, D, &o);
    if (status == RECON_ERR_UNSUPPORTED)
        skip();
    CHECK_OK(*state, status);
    assert_memory_equal(found, exact, sizeof exact);
}

/* Every query has an answer of its own, in whatever block FAISS was asked for it: all cells of a few points
 * are searched, and nearly all neighbours are found. */
static void approximate_queries_come_in_blocks(void **state)
{
    enum { N = 60, D = 4, K = 2, MOST = BORDER_MOST(RECON_BLOCK_FAISS) };
    static float z[MOST * D];
    static int64_t exact[MOST * K], found[(MOST + 1) * K];
    recon_knn_options o = { .k = K };
    fill(z, MOST, D, RANDOM, 4);
    CHECK_OK(*state, recon_knn_search(*state, exact, NULL, z, MOST, z, N, D, &o));
    o.method = RECON_KNN_HNSW;
    for (int i = 0; i < BORDERS; i++) {
        size_t n = border(RECON_BLOCK_FAISS, i), wrong = 0;
        memset(found, 0xff, sizeof found);
        recon_status status = recon_knn_search(*state, found, NULL, z, n, z, N, D, &o);
        if (status == RECON_ERR_UNSUPPORTED)
            skip();
        CHECK_OK(*state, status);
        for (size_t k = 0; k < n * K; k++)
            wrong += found[k] != exact[k];
        assert_true(wrong < 20);
        assert_int_equal(found[n * K], -1); /* and nothing behind them */
    }
}

static void *interrupt_soon(void *ctx)
{
    usleep(200000);
    recon_ctx_interrupt(ctx);
    return NULL;
}

/* By itself the index takes ten seconds. */
static void approximate_search_can_be_interrupted(void **state)
{
    enum { N = 150000, D = 32, K = 10 };
    float *z = malloc(sizeof *z * N * D);
    int64_t *found = malloc(sizeof *found * N * K);
    const recon_knn_options o = { .k = K, .method = RECON_KNN_IVF };
    pthread_t other;
    assert_true(z && found);
    fill(z, N, D, RANDOM, 5);
    assert_int_equal(pthread_create(&other, NULL, interrupt_soon, *state), 0);
    clock_t begun = clock();
    recon_status status = recon_knn_self(*state, found, NULL, z, N, D, &o);
    double taken = (double)(clock() - begun) / CLOCKS_PER_SEC;
    pthread_join(other, NULL);
    recon_ctx_resume(*state);
    free(z);
    free(found);
    if (status == RECON_ERR_UNSUPPORTED)
        skip();
    CHECK_FAILS(*state, status, RECON_ERR_INTERRUPTED, "interrupted");
    CHECK_LESS(taken, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_search_is_exact),
        cmocka_unit_test(queries_are_exact),
        cmocka_unit_test(tiles_end_where_they_should),
        cmocka_unit_test(rows_of_vastly_different_lengths),
        cmocka_unit_test(threads_and_backends_agree_to_the_bit),
        cmocka_unit_test(a_point_may_count_itself),
        cmocka_unit_test(scores_are_what_they_say),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(approximate_search_measures_its_recall),
        cmocka_unit_test(too_short_lists_are_filled_exactly),
        cmocka_unit_test(approximate_queries_come_in_blocks),
        cmocka_unit_test(approximate_search_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
