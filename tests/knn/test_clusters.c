/* Clusters of neighbours. */
#include "check.h"

#include "knn/clusters.h"
#include <stdlib.h>

/* Clouds that touch: k nearest by plain search. */
enum { CLOUDS = 4, CLOUD = 150, NEAR = 10, POINTS = CLOUDS * CLOUD, D = 4 };

static void find_near(int64_t *out, const double (*x)[D], size_t i)
{
    double apart[POINTS];
    for (size_t j = 0; j < POINTS; j++) {
        apart[j] = i == j ? INFINITY : 0;
        for (size_t c = 0; c < D; c++)
            apart[j] += (x[i][c] - x[j][c]) * (x[i][c] - x[j][c]);
    }
    for (size_t a = 0; a < NEAR; a++) {
        size_t best = 0;
        for (size_t j = 1; j < POINTS; j++)
            best = apart[j] < apart[best] ? j : best;
        out[a] = (int64_t)best;
        apart[best] = INFINITY;
    }
}

/* Clusters are parts of one cloud, but for few points, and large: the ten largest have nearly all
 * points. Another call gives the same. */
static void clusters_are_few_and_of_one_kind(void **state)
{
    static double x[POINTS][D];
    static int64_t near[POINTS * NEAR], label[POINTS], again[POINTS];
    size_t count[POINTS][CLOUDS] = { { 0 } }, pure = 0, large = 0, found, seen = 0;
    recon_rng rng = recon_rng_new(11, 0);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t c = 0; c < D; c++)
            x[i][c] = 5 * (c == i % CLOUDS) + recon_rng_normal(&rng);
    for (size_t i = 0; i < POINTS; i++)
        find_near(near + i * NEAR, (const double(*)[D])x, i);
    CHECK_OK(*state, recon_clusters(*state, label, &found, near, POINTS, NEAR));
    CHECK_OK(*state, recon_clusters(*state, again, NULL, near, POINTS, NEAR));
    assert_memory_equal(label, again, sizeof label);
    for (size_t i = 0; i < POINTS; i++)
        seen += label[i] == (int64_t)seen; /* numbered as they occur */
    assert_int_equal(found, seen);
    for (size_t i = 0; i < POINTS; i++)
        count[label[i]][i % CLOUDS]++;
    for (size_t l = 0; l < POINTS; l++) {
        size_t all = 0, most = 0;
        for (size_t c = 0; c < CLOUDS; c++) {
            all += count[l][c];
            most = count[l][c] > most ? count[l][c] : most;
        }
        pure += most;
        large += all >= CLOUD / 5 ? all : 0;
    }
    assert_true(pure > 0.95 * POINTS);
    assert_true(large > 0.95 * POINTS);
}

/* A row alone, and one whose neighbour is itself. */
static void one_row_is_a_cluster(void **state)
{
    int64_t label = -1, own = 0;
    size_t count = 0;
    CHECK_OK(*state, recon_clusters(*state, &label, &count, NULL, 1, 0));
    assert_true(label == 0 && count == 1);
    CHECK_OK(*state, recon_clusters(*state, &label, &count, &own, 1, 1));
    assert_true(label == 0 && count == 1);
}

/* Many cliques without a link between them. */
static void cliques_are_clusters(void **state)
{
    enum { SIZE = 7, K = SIZE - 1, N = 20000 * SIZE };
    int64_t *near = malloc(N * K * sizeof *near), *label = malloc(N * sizeof *label);
    size_t count;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < K; j++) {
            size_t first = i - i % SIZE;
            near[i * K + j] = (int64_t)(first + (i % SIZE + 1 + j) % SIZE);
        }
    CHECK_OK(*state, recon_clusters(*state, label, &count, near, N, K));
    assert_int_equal(count, N / SIZE);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(label[i], i / SIZE);
    free(near);
    free(label);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_few_and_of_one_kind),
        cmocka_unit_test(one_row_is_a_cluster),
        cmocka_unit_test(cliques_are_clusters),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
