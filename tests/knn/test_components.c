/* Components against a plain breadth-first search over all pairs. */
#include "check.h"

#include <recon/knn/knn.h>
#include <stdlib.h>

static double distance(const float *a, const float *b, size_t d, recon_metric metric)
{
    double aa = 0, bb = 0, ab = 0, dd = 0;
    for (size_t c = 0; c < d; c++) {
        double x = a[c], y = b[c];
        aa += x * x, bb += y * y, ab += x * y, dd += (x - y) * (x - y);
    }
    return metric == RECON_COSINE ? sqrt(fmax(0, 2 - 2 * ab / sqrt(aa * bb))) : sqrt(dd);
}

static size_t brute(int64_t *label, const float *z, size_t n, size_t d, recon_metric metric,
                    double eps)
{
    size_t *queue = malloc(n * sizeof *queue), count = 0;
    for (size_t i = 0; i < n; i++)
        label[i] = -1;
    for (size_t i = 0; i < n; i++) {
        if (label[i] >= 0)
            continue;
        size_t head = 0, tail = 0;
        queue[tail++] = i;
        label[i] = (int64_t)count;
        while (head < tail) {
            size_t at = queue[head++];
            for (size_t j = 0; j < n; j++)
                if (label[j] < 0 && distance(z + at * d, z + j * d, d, metric) < eps) {
                    label[j] = (int64_t)count;
                    queue[tail++] = j;
                }
        }
        count++;
    }
    free(queue);
    return count;
}

static void agree_with_brute_force(void **state)
{
    enum { N = 1100, D = 3 };
    static float z[N * D];
    static int64_t got[N], want[N];
    recon_rng r = recon_rng_new(1, 0);
    for (size_t i = 0; i < N * D; i++)
        z[i] = (float)recon_rng_normal(&r);
    const double eps[] = { 1e-6, 0.1, 0.2, 0.3, 0.5, 10 };
    for (int metric = 0; metric < 2; metric++)
        for (size_t e = 0; e < sizeof eps / sizeof *eps; e++) {
            recon_metric m = metric ? RECON_EUCLIDEAN : RECON_COSINE;
            size_t count = 0;
            CHECK_OK(*state, recon_knn_components(*state, got, &count, z, N, D, m, eps[e]));
            assert_int_equal(count, brute(want, z, N, D, m, eps[e]));
            assert_memory_equal(got, want, sizeof want);
        }
}

static void the_distance_must_be_below_eps(void **state)
{
    const float line[] = { 0, 1, 2, 4 };
    int64_t label[4];
    size_t count;
    CHECK_OK(*state, recon_knn_components(*state, label, &count, line, 4, 1, RECON_EUCLIDEAN, 1));
    assert_int_equal(count, 4); /* strictly below */
    CHECK_OK(*state, recon_knn_components(*state, label, &count, line, 4, 1, RECON_EUCLIDEAN, 1.5));
    assert_int_equal(count, 2);
    assert_int_equal(label[2], 0);
    assert_int_equal(label[3], 1);
}

/* Copies are at distance 0, whatever the rounding of their cosine; near copies are farther. */
static void a_tiny_eps_joins_copies_alone(void **state)
{
    enum { COPIES = 300, D = 7, N = 3 * COPIES };
    static float z[N * D];
    static int64_t label[N];
    size_t count;
    for (size_t i = 0; i < N; i++) {
        recon_rng r = recon_rng_new(9, i / 3);
        for (size_t c = 0; c < D; c++)
            z[i * D + c] = (float)recon_rng_normal(&r) * (i % 3 == 1 ? 4 : 1);
        z[i * D] += i % 3 == 2 ? 1e-3f : 0; /* a near copy */
    }
    for (double eps = 1e-6; eps > 1e-13; eps /= 10) {
        CHECK_OK(*state, recon_knn_components(*state, label, &count, z, N, D, RECON_COSINE, eps));
        assert_int_equal(count, 2 * COPIES);
        for (size_t i = 0; i < N; i += 3)
            assert_true(label[i] == label[i + 1] && label[i] != label[i + 2]);
    }
}

static void bad_input_is_named(void **state)
{
    const float z[] = { 1, 2 };
    int64_t label[2];
    size_t count;
    CHECK_FAILS(*state, recon_knn_components(*state, label, &count, z, 2, 1, RECON_DOT, 1),
                RECON_ERR_INPUT, "need a distance");
    CHECK_FAILS(*state, recon_knn_components(*state, label, &count, z, 2, 1, RECON_COSINE, 0),
                RECON_ERR_INPUT, "eps = 0");
    CHECK_FAILS(*state, recon_knn_components(*state, label, &count, z, 2, 1, RECON_COSINE, NAN),
                RECON_ERR_INPUT, "eps = nan");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree_with_brute_force),
        cmocka_unit_test(the_distance_must_be_below_eps),
        cmocka_unit_test(a_tiny_eps_joins_copies_alone),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
