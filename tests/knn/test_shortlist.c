/* Lists of neighbours: sorted, and merged; and the float below another. */
#include "check.h"
#include "knn/shortlist.h"

#include <float.h>
#include <recon/core/rng.h>

enum { MOST = 100 };

/* Few scores, so that many tie. */
static void fill(recon_neighbor *list, size_t n, recon_rng *r, uint32_t from)
{
    for (size_t i = 0; i < n; i++)
        list[i] = (recon_neighbor){ (double)recon_rng_below(r, 7), from + (uint32_t)(n - i) };
}

static int in_order(const recon_neighbor *a, const recon_neighbor *b)
{
    return a->score > b->score || (a->score == b->score && a->index < b->index);
}

static void lists_are_sorted_by_score_and_index(void **state)
{
    recon_rng r = recon_rng_new(1, 1);
    (void)state;
    for (size_t n = 0; n < MOST; n++) {
        recon_neighbor list[MOST];
        uint64_t sum = 0;
        fill(list, n, &r, 0);
        recon_neighbors_sort(list, n);
        for (size_t i = 0; i < n; i++)
            sum += list[i].index;
        for (size_t i = 1; i < n; i++)
            assert_true(in_order(&list[i - 1], &list[i]));
        assert_int_equal(sum, n * (n + 1) / 2); /* nobody is lost */
    }
}

/* The k first of both, sorted together; places without a neighbour count as the last. */
static void merging_is_sorting_both(void **state)
{
    recon_rng r = recon_rng_new(2, 2);
    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t k = 1 + recon_rng_below(&r, 12), known = recon_rng_below(&r, (uint32_t)k + 1);
        size_t count = recon_rng_below(&r, 12);
        recon_neighbor best[2 * MOST], more[MOST], all[2 * MOST], scratch[MOST];
        fill(best, known, &r, 0);
        recon_neighbors_clear(best + known, k - known);
        fill(more, count, &r, MOST);
        memcpy(all, best, k * sizeof *all);
        memcpy(all + k, more, count * sizeof *all);
        recon_neighbors_sort(best, k);
        recon_neighbors_sort(more, count);
        recon_neighbors_sort(all, k + count);
        recon_neighbors_merge(best, k, more, count, scratch);
        for (size_t i = 0; i < k; i++) {
            assert_true(best[i].score == all[i].score);
            assert_int_equal(best[i].index, all[i].index);
        }
    }
}

static void the_float_below_is_nextafter(void **state)
{
    static const float edges[] = { 0, -0.0f, FLT_TRUE_MIN, FLT_MIN, 1, FLT_MAX, INFINITY };
    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int sign = -1; sign < 2; sign += 2) {
            float x = (float)sign * edges[i], y = recon_float_below(x);
            float want = nextafterf(x, -INFINITY);
            assert_memory_equal(&y, &want, sizeof y);
        }
    recon_rng r = recon_rng_new(3, 3);
    for (int i = 0; i < 10000; i++) {
        uint32_t bits = recon_rng_below(&r, UINT32_MAX);
        float x;
        memcpy(&x, &bits, sizeof x);
        float y = recon_float_below(x), want = nextafterf(x, -INFINITY);
        assert_true(isnan(x) ? isnan(y) : memcmp(&y, &want, sizeof y) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_sorted_by_score_and_index),
        cmocka_unit_test(merging_is_sorting_both),
        cmocka_unit_test(the_float_below_is_nextafter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
