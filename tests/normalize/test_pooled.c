/* Kernel density estimates of poses, and clusters that have one law of poses each. */
#include "check.h"

#include "normalize/kde.h"
#include "normalize/pooled.h"
#include <recon/group/so2.h>
#include <recon/group/so3.h>
#include <stdlib.h>

/* Nats above uniform: none of what is uniform, those of a normal of a normal. */
static void a_density_knows_what_a_law_holds(void **state)
{
    static double even[RECON_KDE_MOST], near[RECON_KDE_MOST], rotations[RECON_KDE_MOST][4];
    const double sigma = M_PI / 18;
    recon_rng rng = recon_rng_new(3, 0);
    recon_kde kde;
    double nats;
    (void)state;
    for (size_t i = 0; i < RECON_KDE_MOST; i++) {
        even[i] = recon_so2_haar(&rng);
        near[i] = recon_so2_wrap(3 + sigma * recon_rng_normal(&rng));
        RECON_SO3->haar(RECON_SO3, rotations[i], &rng);
    }
    recon_kde_new(&kde, RECON_SO2);
    recon_kde_width(&nats, &kde, even, RECON_KDE_MOST);
    CHECK_NEAR(nats, 0, 0.1);
    int width = recon_kde_width(&nats, &kde, near, RECON_KDE_MOST);
    CHECK_NEAR(nats, log(2 * M_PI) - log(2 * M_PI * M_E * sigma * sigma) / 2, 0.2);
    CHECK_NEAR(recon_kde_log(&kde, width, &near[0], near, RECON_KDE_MOST), nats, 2);
    CHECK_LESS(recon_kde_log(&kde, width, &(double){ 0 }, near, RECON_KDE_MOST), -2);
    recon_kde_new(&kde, RECON_SO3);
    recon_kde_width(&nats, &kde, rotations[0], RECON_KDE_MOST);
    CHECK_NEAR(nats, 0, 0.1);
    for (size_t i = 0; i < RECON_KDE_MOST; i++) {
        const recon_so3 by = recon_so3_exp((double[3]){ sigma * recon_rng_normal(&rng),
                                                        sigma * recon_rng_normal(&rng),
                                                        sigma * recon_rng_normal(&rng) });
        memcpy(rotations[i], &by, sizeof by);
    }
    recon_kde_width(&nats, &kde, rotations[0], RECON_KDE_MOST);
    CHECK_NEAR(nats, log(8 * M_PI * M_PI) - 1.5 * log(2 * M_PI * M_E * sigma * sigma), 0.6);
}

/* Clouds in a row that touch: k nearest by plain search. */
enum { CLOUDS = 4, CLOUD = 80, NEAR = 10, POINTS = CLOUDS * CLOUD };
static double at[POINTS][2];

static void find_near(int64_t *out, size_t i)
{
    double apart[POINTS];
    for (size_t j = 0; j < POINTS; j++)
        apart[j] = i == j ? INFINITY : hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]);
    for (size_t a = 0; a < NEAR; a++) {
        size_t best = 0;
        for (size_t j = 1; j < POINTS; j++)
            best = apart[j] < apart[best] ? j : best;
        out[a] = (int64_t)best;
        apart[best] = INFINITY;
    }
}

/* The share of pairs of points of clouds a and b that are in one cluster. */
static double together(const int64_t *cluster, size_t a, size_t b)
{
    double same = 0, all = 0;
    for (size_t i = a; i < POINTS; i += CLOUDS)
        for (size_t j = b; j < POINTS; j += CLOUDS) {
            same += i != j && cluster[i] == cluster[j];
            all += i != j;
        }
    return same / all;
}

/* The first two clouds lie in one place and have one law, which is not cut where the graph falls apart; the others
 * have laws of their own. */
static void a_cluster_has_one_law(void **state)
{
    static int64_t near[POINTS * NEAR], cluster[POINTS], again[POINTS];
    static double poses[POINTS];
    static const double mode[CLOUDS] = { 0, 0, 2, -2 }, place[CLOUDS] = { 0, 0, 3.3, 6.6 };
    recon_rng rng = recon_rng_new(5, 0);
    recon_clustering of = {
        .group = RECON_SO2, .n = POINTS, .k = NEAR, .neighbors = near, .poses = { poses }
    };
    size_t count, seen = 0;
    for (size_t i = 0; i < POINTS; i++) {
        at[i][0] = place[i % CLOUDS] + recon_rng_normal(&rng);
        at[i][1] = recon_rng_normal(&rng);
        poses[i] = recon_so2_wrap(mode[i % CLOUDS] + 0.15 * recon_rng_normal(&rng));
    }
    for (size_t i = 0; i < POINTS; i++)
        find_near(near + i * NEAR, i);
    CHECK_OK(*state, recon_pooled_clusters(*state, cluster, &count, &of));
    for (size_t i = 0; i < POINTS; i++)
        seen += cluster[i] == (int64_t)seen; /* numbered as they occur */
    assert_int_equal(seen, count);
    CHECK_LESS(0.4, together(cluster, 0, 1)); /* 0.06 before joining */
    for (size_t c = 1; c < CLOUDS; c++) {
        CHECK_LESS(0.5, together(cluster, c, c));
        CHECK_LESS(together(cluster, c, (c + 1) % CLOUDS), 0.2);
    }
    CHECK_OK(*state, recon_pooled_clusters(*state, again, &count, &of));
    assert_memory_equal(cluster, again, sizeof again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_density_knows_what_a_law_holds),
        cmocka_unit_test(a_cluster_has_one_law),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
