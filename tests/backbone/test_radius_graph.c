/* The graph of neighbours: its edges are the near pairs, its lists are what gather needs, its
 * harmonics rotate with the molecule, padding changes nothing. */
#include "check.h"
#include <recon/core/rng.h>
#include "harmonics.h"
#include "backbone/radius_graph.h"
#include "core/memory.h"

enum { ATOMS = 60, MOLECULES = 4 };
static const int32_t OFFSET[MOLECULES + 1] = { 0, 23, 24, 24, ATOMS }; /* one alone, one empty */
static const double RADIUS = 2.0;

static void scatter(float *xyz, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    for (size_t i = 0; i < 3 * ATOMS; i++)
        xyz[i] = (float)(4 * recon_rng_uniform(&rng));
}

static double square(const float *a, const float *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
    return sum;
}

static int together(size_t a, size_t b)
{
    for (size_t i = 0; i < MOLECULES; i++)
        if ((size_t)OFFSET[i] <= a && a < (size_t)OFFSET[i + 1])
            return (size_t)OFFSET[i] <= b && b < (size_t)OFFSET[i + 1];
    return 0;
}

static void edges_are_the_near_pairs_in_order(void **state)
{
    recon_ctx *ctx = *state;
    recon_radius_graph g = { 0 };
    float xyz[3 * ATOMS];
    size_t e = 0;
    scatter(xyz, 1);
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, xyz, OFFSET, MOLECULES,
                                          &(recon_radius_graph_options){ .radius = RADIUS }));
    assert_true(g.nodes == ATOMS && g.found == g.edges && g.edges > 100);
    for (size_t t = 0; t < ATOMS; t++) {
        assert_true((size_t)g.offset[t] == e);
        for (size_t s = 0; s < ATOMS; s++) {
            double d = square(xyz + 3 * s, xyz + 3 * t);
            if (s == t || !together(s, t) || d > RADIUS * RADIUS)
                continue;
            assert_true((size_t)g.source[e] == s && (size_t)g.target[e] == t);
            CHECK_NEAR(g.square[e], d, 1e-6);
            e++;
        }
    }
    assert_true(e == g.edges && (size_t)g.offset[ATOMS] == e);
    e = 0;
    for (size_t i = 0; i < MOLECULES; i++)
        e += recon_radius_graph_count(xyz + 3 * OFFSET[i], (size_t)(OFFSET[i + 1] - OFFSET[i]),
                                      RADIUS);
    assert_true(e == g.edges);
    recon_radius_graph_free(&g);
}

/* order lists each edge once, under its source, ascending. */
static void check_lists(const recon_radius_graph *g)
{
    for (size_t s = 0; s < g->nodes; s++)
        for (int32_t i = g->offset[s]; i < g->offset[s + 1]; i++) {
            assert_true((size_t)g->source[g->order[i]] == s);
            assert_true(i == g->offset[s] || g->order[i - 1] < g->order[i]);
            assert_true((size_t)g->target[i] == s && g->ascending[i] == i);
        }
    assert_true((size_t)g->offset[g->nodes] == g->edges);
}

static void padding_is_behind_and_changes_nothing(void **state)
{
    recon_ctx *ctx = *state;
    recon_radius_graph g = { 0 }, p = { 0 };
    recon_radius_graph_options o = { .radius = RADIUS };
    float xyz[3 * ATOMS];
    scatter(xyz, 2);
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, xyz, OFFSET, MOLECULES, &o));
    check_lists(&g);
    o.nodes = ATOMS + 7, o.edges = g.edges + 40;
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &p, xyz, OFFSET, MOLECULES, &o));
    check_lists(&p);
    assert_true(p.found == g.edges && p.edges == g.edges + 40 && p.nodes == ATOMS + 7);
    assert_memory_equal(p.source, g.source, g.edges * sizeof *g.source);
    assert_memory_equal(p.harmonics, g.harmonics, 16 * g.edges * sizeof *g.harmonics);
    assert_memory_equal(p.attribute, g.attribute, 16 * ATOMS * sizeof *g.attribute);
    for (size_t e = g.edges; e < p.edges; e++)
        assert_true((size_t)p.source[e] == ATOMS + 6 && p.harmonics[16 * e] == 0);
    o.edges = 0; /* the same memory again, smaller */
    o.nodes = 0;
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &p, xyz, OFFSET, MOLECULES, &o));
    check_lists(&p);
    assert_memory_equal(p.order, g.order, g.edges * sizeof *g.order);
    recon_radius_graph_free(&g);
    recon_radius_graph_free(&p);
}

static void attributes_are_means_of_directions_to_the_neighbours(void **state)
{
    recon_ctx *ctx = *state;
    const float xyz[] = { 0, 0, 0, 1, 0, 0, 0, 0, 1, 9, 9, 9 };
    recon_radius_graph g = { 0 };
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, xyz, (int32_t[]){ 0, 4 }, 1,
                                          &(recon_radius_graph_options){ .radius = 1.2 }));
    assert_true(g.edges == 4); /* the corner and its two arms, both ways */
    const double s3 = sqrt(3) / 2;
    CHECK_NEAR(g.attribute[1], s3, 1e-6); /* target 0 sees +x and +z: p_source - p_target */
    CHECK_NEAR(g.attribute[2], 0, 0);
    CHECK_NEAR(g.attribute[3], s3, 1e-6);
    CHECK_NEAR(g.attribute[16 + 1], -2 * s3, 1e-6);
    for (size_t k = 0; k < 16; k++) /* alone */
        assert_true(g.attribute[48 + k] == (k == 0));
    recon_radius_graph_free(&g);
}

static void harmonics_rotate_with_the_molecule(void **state)
{
    recon_ctx *ctx = *state;
    const recon_irreps one = { { 1, 1, 1, 1 } };
    recon_radius_graph g = { 0 }, rotated = { 0 };
    recon_radius_graph_options o = { .radius = 1e3 }; /* all pairs: none at the edge */
    recon_rng rng = recon_rng_new(3, 0);
    recon_so3 r = recon_so3_haar(&rng);
    float xyz[3 * ATOMS], moved[3 * ATOMS];
    scatter(xyz, 3);
    for (size_t a = 0; a < ATOMS; a++) {
        double v[3] = { xyz[3 * a], xyz[3 * a + 1], xyz[3 * a + 2] };
        recon_so3_act(v, r, v);
        for (size_t k = 0; k < 3; k++)
            moved[3 * a + k] = (float)(v[k] + 1);
    }
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, xyz, OFFSET, MOLECULES, &o));
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &rotated, moved, OFFSET, MOLECULES, &o));
    assert_true(g.edges == rotated.edges && g.edges == 23 * 22 + 36 * 35);
    for (size_t i = 0; i < g.edges + ATOMS; i++) {
        size_t row = i < g.edges ? i : i - g.edges;
        const float *from = (i < g.edges ? g.harmonics : g.attribute) + 16 * row;
        const float *to = (i < g.edges ? rotated.harmonics : rotated.attribute) + 16 * row;
        double want[16];
        for (size_t k = 0; k < 16; k++)
            want[k] = from[k];
        CHECK_OK(ctx, recon_irreps_rotate(ctx, want, want, 1, &one, r));
        for (size_t k = 0; k < 16; k++)
            CHECK_NEAR(to[k], want[k], 2e-5);
    }
    recon_radius_graph_free(&g);
    recon_radius_graph_free(&rotated);
}

static void odd_places_are_defined(void **state)
{
    recon_ctx *ctx = *state;
    const float same[] = { 1, 2, 3, 1, 2, 3, NAN, 0, 0, INFINITY, 0, 0 };
    recon_radius_graph g = { 0 };
    recon_radius_graph_options o = { .radius = 1 };
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, same, (int32_t[]){ 0, 4 }, 1, &o));
    assert_true(g.edges == 2 && g.harmonics[0] == 1 && g.harmonics[1] == 0 && g.square[0] == 0);
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, same, (int32_t[]){ 0 }, 0, &o));
    assert_true(g.nodes == 0 && g.edges == 0);
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, same, (int32_t[]){ 0, 1 }, 1, &o));
    assert_true(g.nodes == 1 && g.edges == 0 && g.offset[1] == 0);
    o.edges = 5;
    CHECK_FAILS(ctx, recon_radius_graph_fill(ctx, &g, same, (int32_t[]){ 0, 2 }, 1, &o),
                RECON_ERR_INPUT, "2 edges among 2 atoms in a graph of 2 nodes, 5 edges");
    o.edges = 1, o.nodes = 9;
    CHECK_FAILS(ctx, recon_radius_graph_fill(ctx, &g, same, (int32_t[]){ 0, 2 }, 1, &o),
                RECON_ERR_INPUT, "2 edges among 2 atoms");
    o.nodes = 1;
    CHECK_FAILS(ctx, recon_radius_graph_fill(ctx, &g, same, (int32_t[]){ 0, 2 }, 1, &o),
                RECON_ERR_INPUT, "2 atoms in a graph of 1 nodes");
    o.radius = NAN;
    CHECK_FAILS(ctx, recon_radius_graph_fill(ctx, &g, same, (int32_t[]){ 0, 2 }, 1, &o),
                RECON_ERR_INPUT, "above 0");
    recon_radius_graph_free(&g);
}

static void lack_of_memory_is_said(void **state)
{
    recon_ctx *ctx = *state;
    const recon_radius_graph_options o = { .radius = RADIUS };
    recon_radius_graph g = { 0 };
    float xyz[3 * ATOMS];
    scatter(xyz, 4);
    for (long n = 1; n <= 9; n++) {
        recon_alloc_fail_at(ctx, n);
        CHECK_FAILS(ctx, recon_radius_graph_fill(ctx, &g, xyz, OFFSET, MOLECULES, &o),
                    RECON_ERR_MEMORY, "");
        recon_radius_graph_free(&g);
    }
    recon_alloc_fail_at(ctx, 0);
    CHECK_OK(ctx, recon_radius_graph_fill(ctx, &g, xyz, OFFSET, MOLECULES, &o));
    check_lists(&g);
    recon_radius_graph_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_the_near_pairs_in_order),
        cmocka_unit_test(padding_is_behind_and_changes_nothing),
        cmocka_unit_test(attributes_are_means_of_directions_to_the_neighbours),
        cmocka_unit_test(harmonics_rotate_with_the_molecule),
        cmocka_unit_test(odd_places_are_defined),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
