/* The GPU's exact search has the host's lists and scores, bit by bit: on spread data, tight clusters,
 * heavy tails, crowds of copies that half precision cannot tell apart, and data sorted by cluster,
 * whose first rows say nothing of the others. Without a GPU it is skipped. */
#include "check.h"

#include <recon/knn/knn.h>
#include <recon/ops/backend.h>
#include <stdlib.h>

/* More than one of the search's tiles, and no multiple of anything. */
enum { N = 20011, QUERIES = 9001, D = 40, K = 15 };
enum { SPREAD, CLUSTERS, TAILS, COPIES, SORTED, KINDS };

static float z[N * D];
static int64_t index_of[2][N * K];
static float score_of[2][N * K];

static void fill(int kind)
{
    for (size_t i = 0; i < N; i++) {
        size_t group = kind == COPIES ? i % 50 : kind == SORTED ? i / 1000 : i % 300;
        recon_rng r = recon_rng_new(7, i), centre = recon_rng_new(8, group);
        for (size_t c = 0; c < D; c++) {
            double g = recon_rng_normal(&r), m = recon_rng_normal(&centre);
            double x = kind == SPREAD     ? g
                       : kind == CLUSTERS ? m + 0.01 * g
                       : kind == TAILS    ? g * g * g
                       : kind == SORTED   ? m + 0.2 * g
                                          : m;
            z[i * D + c] = (float)(kind == COPIES && c == 0 ? x + 1e-4 * round(g) : x);
        }
    }
}

static void check(recon_ctx *const ctx[2], int metric, int kind, int self, int include_self)
{
    recon_knn_options o = { .k = K, .metric = (recon_metric)metric, .include_self = include_self };
    size_t places = (self ? N : QUERIES) * K;
    for (int i = 0; i < 2; i++)
        CHECK_OK(ctx[i], self ? recon_knn_self(ctx[i], index_of[i], score_of[i], z, N, D, &o)
                              : recon_knn_search(ctx[i], index_of[i], score_of[i], z, QUERIES, z, N,
                                                 D, &o));
    for (size_t p = 0; p < places; p++)
        if (index_of[0][p] != index_of[1][p] || score_of[0][p] != score_of[1][p])
            fail_msg("data %d, metric %d, self %d: row %zu, place %zu: host %lld (%.9g), GPU %lld "
                     "(%.9g)",
                     kind, metric, self, p / K, p % K, (long long)index_of[0][p],
                     (double)score_of[0][p], (long long)index_of[1][p], (double)score_of[1][p]);
}

static void the_gpu_agrees_with_the_host(void **state)
{
    (void)state;
    recon_ctx *ctx[2] = { recon_ctx_new(NULL), recon_ctx_new(NULL) };
    int there = recon_ops_attach(ctx[1], "cuda") == RECON_OK;
    for (int kind = 0; there && kind < KINDS; kind++) {
        fill(kind);
        for (int metric = RECON_COSINE; metric <= RECON_EUCLIDEAN; metric++)
            for (int self = 0; self < 2; self++)
                check(ctx, metric, kind, self, self && kind == TAILS);
    }
    recon_ctx_free(ctx[0]);
    recon_ctx_free(ctx[1]);
    if (!there)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_gpu_agrees_with_the_host) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
