/* Exact search at a size where every path is taken: coarse tiles, low floors, crowds. A sample of
 * rows is compared with all pairs in double; other thread counts and backends must give the same
 * bits. */
#include "check.h"

#include <recon/knn/knn.h>
#include <recon/ops/backend.h>
#include <stdlib.h>

enum { N = 20000, D = 40, K = 15, SAMPLE = 150, KINDS = 4 };

static float z[N * D];
static int64_t found[N * K], again[N * K];

/* Spread out; tight clusters that bytes cannot tell apart; a heavy-tailed cloud; near copies. */
static void fill(int kind)
{
    for (size_t i = 0; i < N; i++) {
        recon_rng r = recon_rng_new(7, i), centre = recon_rng_new(8, i % (kind == 3 ? 50 : 300));
        for (size_t c = 0; c < D; c++) {
            double g = recon_rng_normal(&r), m = recon_rng_normal(&centre);
            double x = kind == 0 ? g : kind == 1 ? m + 0.01 * g : kind == 2 ? g * g * g : m;
            z[i * D + c] = (float)(kind == 3 && c == 0 ? x + 1e-4 * round(g) : x);
        }
    }
}

static double score(size_t i, size_t j, recon_metric metric)
{
    double ab = 0, aa = 0, bb = 0, dd = 0;
    for (size_t c = 0; c < D; c++) {
        double a = z[i * D + c], b = z[j * D + c];
        ab += a * b, aa += a * a, bb += b * b, dd += (a - b) * (a - b);
    }
    return metric == RECON_COSINE ? ab / (sqrt(aa) * sqrt(bb)) : metric == RECON_DOT ? ab : -dd;
}

/* Nobody outside the list may be nearer than its last, nor as near with a lower index. */
static void check_row(size_t i, recon_metric metric)
{
    const int64_t *list = found + i * K;
    double last = score(i, (size_t)list[K - 1], metric), slack = 1e-12 * (1 + fabs(last));
    size_t nearer = 0;
    for (size_t j = 0; j < N; j++) {
        int listed = 0;
        for (size_t c = 0; c < K; c++)
            listed |= list[c] == (int64_t)j;
        if (j == i) {
            assert_false(listed);
            continue;
        }
        double s = score(i, j, metric);
        nearer += listed;
        if (!listed && s > last + slack)
            fail_msg("row %zu: %zu with %.17g is missing, the last has %.17g", i, j, s, last);
        if (!listed && !memcmp(z + j * D, z + (size_t)list[K - 1] * D, D * sizeof *z))
            assert_true((int64_t)j > list[K - 1]);
    }
    assert_int_equal(nearer, K);
}

static void large_sets_are_exact(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++) {
            recon_knn_options o = { .k = K, .metric = (recon_metric)metric };
            fill(kind);
            recon_ctx *two = recon_ctx_new(&(recon_ctx_options){ .threads = 2 });
            recon_ctx *three = recon_ctx_new(&(recon_ctx_options){ .threads = 3 });
            CHECK_OK(two, recon_knn_self(two, found, NULL, z, N, D, &o));
            CHECK_OK(three, recon_knn_self(three, again, NULL, z, N, D, &o));
            assert_memory_equal(found, again, sizeof found);
            for (size_t i = 0; i < N; i += N / SAMPLE)
                check_row(i, (recon_metric)metric);
            recon_ctx_free(two);
            recon_ctx_free(three);
        }
}

static void the_reference_backend_agrees(void **state)
{
    (void)state;
    recon_knn_options o = { .k = K };
    enum { SOME = 4000 };
    fill(1);
    recon_ctx *cpu = recon_ctx_new(NULL), *ref = recon_ctx_new(NULL);
    CHECK_OK(ref, recon_ops_attach(ref, "ref"));
    CHECK_OK(cpu, recon_knn_self(cpu, found, NULL, z, SOME, D, &o));
    CHECK_OK(ref, recon_knn_self(ref, again, NULL, z, SOME, D, &o));
    assert_memory_equal(found, again, sizeof *found * SOME * K);
    recon_ctx_free(cpu);
    recon_ctx_free(ref);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_sets_are_exact),
        cmocka_unit_test(the_reference_backend_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
