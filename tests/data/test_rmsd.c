/* The least distance between conformers: closed forms, brute force over every renaming, and the
 * laws of a distance. */
#include "graphs.h"

#include <stdlib.h>
#include <time.h>
#include "data/rmsd.h"
#include "core/threads.h"

enum { N = 12 };

/* x rotated and moved; out may be x. */
static void move(float *out, const float *x, size_t n, recon_so3 rotation, const double shift[3])
{
    for (size_t i = 0; i < n; i++) {
        double v[3] = { x[3 * i], x[3 * i + 1], x[3 * i + 2] };
        recon_so3_act(v, rotation, v);
        for (int k = 0; k < 3; k++)
            out[3 * i + (size_t)k] = (float)(v[k] + shift[k]);
    }
}

/* The same with atoms renamed: atom order[i] of x becomes atom i. */
static void rename_atoms(float *out, const float *x, size_t n, const uint16_t *order)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + 3 * i, x + 3 * (size_t)order[i], 3 * sizeof *out);
}

static double kabsch(const float *a, const float *b, size_t n)
{
    double d = NAN;
    assert_int_equal(recon_rmsd_kabsch(&d, NULL, a, b, n, NULL), RECON_OK);
    return d;
}

static double best(const recon_symmetry *y, const float *a, const float *b)
{
    double d = NAN;
    assert_int_equal(recon_rmsd_best(&d, NULL, NULL, y, a, b), RECON_OK);
    return d;
}

/* Under a rotation that is given, atom i of a with map[i] of b (NULL: i). */
static double distance_under(recon_so3 rotation, const int32_t *map, const float *a, const float *b,
                             size_t n)
{
    double ca[3] = { 0 }, cb[3] = { 0 }, sum = 0;
    for (size_t i = 0; i < 3 * n; i++)
        ca[i % 3] += (double)a[i] / (double)n, cb[i % 3] += (double)b[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        size_t j = map ? (size_t)map[i] : i;
        double v[3];
        for (size_t k = 0; k < 3; k++)
            v[k] = b[3 * j + k] - cb[k];
        recon_so3_act(v, rotation, v);
        for (size_t k = 0; k < 3; k++)
            sum += pow(a[3 * i + k] - ca[k] - v[k], 2);
    }
    return sqrt(sum / (double)n);
}

/* --- Kabsch ----------------------------------------------------------------------------------- */

static void a_moved_copy_is_found(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    for (size_t n = 3; n <= N; n++) {
        float a[3 * N], b[3 * N];
        double d;
        recon_so3 rotation = recon_so3_haar(&rng), found;
        random_places(a, n, &rng);
        move(b, a, n, rotation, (double[]){ 3, -5, 8 });
        assert_int_equal(recon_rmsd_kabsch(&d, &found, b, a, n, NULL), RECON_OK);
        CHECK_NEAR(d, 0, 1e-5);
        CHECK_NEAR(recon_so3_distance(found, rotation), 0, 1e-5);
    }
}

static void no_rotation_does_better(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    for (int round = 0; round < 20; round++) {
        float a[3 * N], b[3 * N];
        double d, other;
        recon_so3 rotation;
        random_places(a, N, &rng);
        random_places(b, N, &rng);
        assert_int_equal(recon_rmsd_kabsch(&d, &rotation, a, b, N, NULL), RECON_OK);
        CHECK_NEAR(distance_under(rotation, NULL, a, b, N), d, 1e-9);
        CHECK_NEAR(kabsch(b, a, N), d, 1e-9);
        for (int i = 0; i < 200; i++) {
            other = distance_under(recon_so3_haar(&rng), NULL, a, b, N);
            CHECK_LESS(d, other + 1e-12);
        }
    }
}

/* Two points of distance p and q: (p - q) / 2. A triangle's mirror image is itself rotated over, a
 * tetrahedron's with four different corners is not. */
static void small_shapes_have_closed_forms(void **state)
{
    (void)state;
    const float two[] = { 0, 0, 0, 0, 0, 3 }, far[] = { 1, 1, 1, 1, 6, 1 };
    CHECK_NEAR(kabsch(two, far, 2), 1, 1e-12);
    CHECK_NEAR(kabsch(two, far, 1), 0, 0);
    const float three[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0 },
                mirrored[] = { 0, 0, 0, -1, 0, 0, 0, 2, 0 };
    CHECK_NEAR(kabsch(three, mirrored, 3), 0, 1e-7);
    const float four[] = { 1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1 };
    float image[12];
    for (int i = 0; i < 12; i++)
        image[i] = -four[i];
    /* M = -4: the greatest tr(R^T M) is that of half a turn, 4 (1 + 1 - 1) */
    CHECK_NEAR(kabsch(four, image, 4), sqrt((24 - 2 * 4) / 4.0), 1e-12);
    const float point[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    CHECK_NEAR(kabsch(four, point, 4), sqrt(3), 1e-12); /* all atoms in one place */
}

static void a_weight_is_a_number_of_atoms(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(3, 0);
    const float weight[4] = { 1, 3, 0, 2 };
    float a[12], b[12], more_a[18], more_b[18];
    size_t n = 0;
    random_places(a, 4, &rng);
    random_places(b, 4, &rng);
    for (size_t i = 0; i < 4; i++)
        for (int k = 0; k < (int)weight[i]; k++, n++) {
            memcpy(more_a + 3 * n, a + 3 * i, 3 * sizeof *a);
            memcpy(more_b + 3 * n, b + 3 * i, 3 * sizeof *b);
        }
    double d;
    assert_int_equal(recon_rmsd_kabsch(&d, NULL, a, b, 4, weight), RECON_OK);
    CHECK_NEAR(d, kabsch(more_a, more_b, n), 1e-9);
}

static void what_is_not_finite_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    float a[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 9 }, b[9] = { 0 };
    double d;
    graph g;
    graph_leaves(&g, 8, 1, 2, 1, 0);
    recon_symmetry *y = symmetry_of(ctx, &g);
    assert_int_equal(recon_rmsd_kabsch(&d, NULL, a, b, 0, NULL), RECON_ERR_INPUT);
    const float weights[][3] = { { 1, -1, 1 }, { 0, 0, 0 }, { 1, NAN, 1 }, { 1, INFINITY, 1 } };
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(recon_rmsd_kabsch(&d, NULL, a, b, 3, weights[i]), RECON_ERR_INPUT);
    for (int i = 0; i < 2; i++) {
        b[4] = i ? NAN : INFINITY;
        assert_int_equal(recon_rmsd_kabsch(&d, NULL, a, b, 3, NULL), RECON_ERR_INPUT);
        assert_int_equal(recon_rmsd_best(&d, NULL, NULL, y, a, b), RECON_ERR_INPUT);
        assert_int_equal(recon_rmsd_best(&d, NULL, NULL, y, b, a), RECON_ERR_INPUT);
    }
    recon_symmetry_free(y);
}

/* --- over renamings --------------------------------------------------------------------------- */

typedef struct {
    const float *a, *b;
    size_t n, count;
    double least;
} brute;

static void try_renaming(void *arg, const uint16_t *order)
{
    brute *t = arg;
    float renamed[3 * GRAPH_ATOMS];
    rename_atoms(renamed, t->b, t->n, order);
    t->least = fmin(t->least, kabsch(t->a, renamed, t->n));
    t->count++;
}

static void brute_force_agrees(void **state)
{
    recon_ctx *ctx = *state;
    graph g[GRAPH_SAMPLES];
    float a[3 * GRAPH_ATOMS], b[3 * GRAPH_ATOMS];
    recon_rng rng = recon_rng_new(4, 0);
    graph_samples(g);
    for (size_t k = 0; k < GRAPH_SAMPLES; k++) {
        size_t n = g[k].bonds.atoms;
        recon_symmetry *y = symmetry_of(ctx, &g[k]);
        for (int round = 0; round < 10; round++) {
            random_places(a, n, &rng);
            random_places(b, n, &rng);
            brute t = { .a = a, .b = b, .n = n, .least = INFINITY };
            graph_renamings(&g[k], try_renaming, &t);
            CHECK_NEAR(best(y, a, b), t.least, 1e-9);
        }
        recon_symmetry_free(y);
    }
}

/* Four methyls: 31104 renamings, which brute force takes one by one. */
static void neopentane_does_not_blow_up(void **state)
{
    recon_ctx *ctx = *state;
    graph g;
    float a[3 * GRAPH_ATOMS], b[3 * GRAPH_ATOMS];
    graph_star(&g, 6, 4, 0);
    size_t n = g.bonds.atoms;
    recon_symmetry *y = symmetry_of(ctx, &g);
    recon_rng rng = recon_rng_new(5, 0);
    random_places(a, n, &rng);
    random_places(b, n, &rng);
    brute t = { .a = a, .b = b, .n = n, .least = INFINITY };
    clock_t start = clock();
    graph_renamings(&g, try_renaming, &t);
    clock_t middle = clock();
    CHECK_NEAR(best(y, a, b), t.least, 1e-9);
    assert_int_equal(t.count, 31104);
    assert_true(10 * (clock() - middle) < middle - start);
    recon_symmetry_free(y);
}

/* Twenty carbons: more than the search is allowed to see, and still a distance. */
static void a_long_chain_ends_in_time(void **state)
{
    recon_ctx *ctx = *state;
    graph g;
    float a[3 * GRAPH_ATOMS], b[3 * GRAPH_ATOMS];
    graph_chain(&g, 20, 2, 0);
    size_t n = g.bonds.atoms;
    recon_symmetry *y = symmetry_of(ctx, &g);
    recon_rng rng = recon_rng_new(6, 0);
    for (int round = 0; round < 10; round++) {
        random_places(a, n, &rng);
        random_places(b, n, &rng);
        double d = best(y, a, b);
        CHECK_LESS(d, kabsch(a, b, n));
        CHECK_NEAR(best(y, b, a), d, 0);
    }
    recon_symmetry_free(y);
}

typedef struct {
    const recon_symmetry *symmetry;
    const float *a, *b;
    size_t n;
    double want;
} relabelled;

static void renamed_pair_is_as_far(void *arg, const uint16_t *order)
{
    const relabelled *t = arg;
    float b[3 * GRAPH_ATOMS];
    rename_atoms(b, t->b, t->n, order);
    CHECK_NEAR(best(t->symmetry, t->a, b), t->want, 1e-9);
    rename_atoms(b, t->a, t->n, order);
    CHECK_NEAR(best(t->symmetry, t->a, b), 0, 1e-6);
}

static void renamings_and_motions_change_nothing(void **state)
{
    recon_ctx *ctx = *state;
    graph g[GRAPH_SAMPLES];
    float a[3 * GRAPH_ATOMS], b[3 * GRAPH_ATOMS];
    recon_rng rng = recon_rng_new(7, 0);
    graph_samples(g);
    for (size_t k = 0; k < GRAPH_SAMPLES; k++) {
        recon_symmetry *y = symmetry_of(ctx, &g[k]);
        size_t n = g[k].bonds.atoms;
        random_places(a, n, &rng);
        random_places(b, n, &rng);
        relabelled t = { y, a, b, n, best(y, a, b) };
        graph_renamings(&g[k], renamed_pair_is_as_far, &t);
        move(b, b, n, recon_so3_haar(&rng), (double[]){ 20, 0, -7 });
        CHECK_NEAR(best(y, a, b), t.want, 1e-5);
        recon_symmetry_free(y);
    }
}

/* map is a renaming, and with rotate it gives the distance; a and b exchanged: the inverse of both.
 */
static void rotation_and_map_give_the_distance(void **state)
{
    recon_ctx *ctx = *state;
    graph g[GRAPH_SAMPLES];
    recon_rng rng = recon_rng_new(8, 0);
    graph_samples(g);
    for (size_t k = 0; k < 20 * GRAPH_SAMPLES; k++) {
        const graph *m = &g[k % GRAPH_SAMPLES];
        size_t n = m->bonds.atoms;
        float a[3 * GRAPH_ATOMS], b[3 * GRAPH_ATOMS];
        int32_t map[GRAPH_ATOMS], back[GRAPH_ATOMS];
        double d, e;
        recon_so3 rotation, other;
        recon_symmetry *y = symmetry_of(ctx, m);
        random_places(a, n, &rng);
        random_places(b, n, &rng);
        assert_int_equal(recon_rmsd_best(&d, &rotation, map, y, a, b), RECON_OK);
        assert_int_equal(recon_rmsd_best(&e, &other, back, y, b, a), RECON_OK);
        CHECK_NEAR(e, d, 0);
        CHECK_LESS(recon_so3_angle(recon_so3_compose(rotation, other)), 1e-7);
        CHECK_NEAR(distance_under(rotation, map, a, b, n), d, 1e-7);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(back[map[i]], i);
            assert_int_equal(m->z[map[i]], m->z[i]);
            for (size_t j = 0; j < i; j++)
                assert_int_equal(graph_bonded(m, (uint16_t)i, (uint16_t)j),
                                 graph_bonded(m, (uint16_t)map[i], (uint16_t)map[j]));
        }
        recon_symmetry_free(y);
    }
}

/* Not above the plain distance, and no way round is shorter. */
static void it_is_a_distance(void **state)
{
    recon_ctx *ctx = *state;
    graph g;
    graph_chain(&g, 5, 2, 0);
    size_t n = g.bonds.atoms;
    recon_symmetry *y = symmetry_of(ctx, &g);
    recon_rng rng = recon_rng_new(9, 0);
    for (int round = 0; round < 100; round++) {
        float x[3][3 * GRAPH_ATOMS];
        for (int i = 0; i < 3; i++)
            random_places(x[i], n, &rng);
        double d = best(y, x[0], x[1]);
        CHECK_LESS(d, kabsch(x[0], x[1], n) + 1e-15);
        CHECK_LESS(d, best(y, x[0], x[2]) + best(y, x[2], x[1]));
        CHECK_NEAR(best(y, x[0], x[0]), 0, 1e-6);
    }
    recon_symmetry_free(y);
}

/* CHFClBr: four different leaves, so that no renaming hides the reflection. */
static void mirror_images_differ(void **state)
{
    recon_ctx *ctx = *state;
    graph g;
    graph_leaves(&g, 6, 1, 1, 9, 1);
    graph_hang(&g, 0, 17, 1);
    graph_hang(&g, 0, 35, 1);
    recon_symmetry *y = symmetry_of(ctx, &g);
    const float a[15] = { 0, 0, 0, 1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1 };
    float b[15];
    for (int i = 0; i < 15; i++)
        b[i] = i % 3 ? a[i] : -a[i];
    CHECK_NEAR(best(y, a, b), sqrt((24 - 2 * 4) / 5.0), 1e-9);
    recon_symmetry_free(y);
}

/* --- threads ---------------------------------------------------------------------------------- */

typedef struct {
    const recon_symmetry *symmetry;
    const float *places;
    size_t n;
    double *distance;
} crowd;

static recon_status one_of_many(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    (void)ctx, (void)worker;
    const crowd *c = arg;
    return recon_rmsd_best(c->distance + i, NULL, NULL, c->symmetry, c->places,
                           c->places + 3 * c->n * (i + 1));
}

static void threads_share_one_symmetry(void **state)
{
    recon_ctx *ctx = *state;
    enum { PAIRS = 200 };
    static float places[(PAIRS + 1) * 3 * GRAPH_ATOMS];
    double distance[PAIRS];
    graph g;
    graph_star(&g, 6, 3, 1);
    size_t n = g.bonds.atoms;
    recon_symmetry *y = symmetry_of(ctx, &g);
    recon_rng rng = recon_rng_new(10, 0);
    random_places(places, (PAIRS + 1) * n, &rng);
    CHECK_OK(ctx, recon_parallel(ctx, one_of_many, &(crowd){ y, places, n, distance }, PAIRS));
    for (size_t i = 0; i < PAIRS; i++)
        CHECK_NEAR(distance[i], best(y, places, places + 3 * n * (i + 1)), 0);
    recon_symmetry_free(y);
}

/* --- one conformer and itself ----------------------------------------------------------------- */

static size_t rotations_of(recon_ctx *ctx, const uint8_t *z, const float *xyz, size_t n)
{
    recon_bonds bonds;
    recon_symmetry *y;
    CHECK_OK(ctx, recon_bonds_perceive(ctx, &bonds, z, xyz, n));
    CHECK_OK(ctx, recon_symmetry_make(ctx, &y, z, &bonds));
    size_t rotations = recon_rmsd_symmetry_number(y, xyz);
    recon_symmetry_free(y);
    recon_bonds_free(&bonds);
    return rotations;
}

/* The orders of their groups of proper rotations. */
static void symmetric_molecules_have_their_symmetry_number(void **state)
{
    const uint8_t water[] = { 8, 1, 1 }, methane[] = { 6, 1, 1, 1, 1 };
    const float bent[] = { 0, 0, 0.12f, 0, 0.76f, -0.47f, 0, -0.76f, -0.47f };
    const float t = 0.629f, tetrahedron[] = { 0, 0, 0, t, t, t, t, -t, -t, -t, t, -t, -t, -t, t };
    const uint8_t halves[] = { 6, 9, 1, 1, 1 }; /* CH3F: a mirror, and three rotations */
    const float fluoro[] = { 0,      0,       0,      0,      0,       1.38f,   1.03f, 0,
                             -0.36f, -0.515f, 0.892f, -0.36f, -0.515f, -0.892f, -0.36f };
    const uint8_t chiral[] = { 6, 1, 9, 17, 35 };
    uint8_t benzene[12];
    float ring[36], flawed[9];
    for (int i = 0; i < 12; i++) {
        double r = i < 6 ? 1.39 : 2.48;
        benzene[i] = i < 6 ? 6 : 1;
        ring[3 * i] = (float)(r * cos(i * M_PI / 3));
        ring[3 * i + 1] = (float)(r * sin(i * M_PI / 3));
        ring[3 * i + 2] = 0;
    }
    assert_int_equal(rotations_of(*state, water, bent, 3), 2);
    assert_int_equal(rotations_of(*state, methane, tetrahedron, 5), 12);
    assert_int_equal(rotations_of(*state, halves, fluoro, 5), 3);
    assert_int_equal(rotations_of(*state, chiral, tetrahedron, 5), 1);
    assert_int_equal(rotations_of(*state, benzene, ring, 12), 12);
    memcpy(flawed, bent, sizeof bent);
    flawed[4] = 1.3f; /* one bond far longer than the other */
    assert_int_equal(rotations_of(*state, water, flawed, 3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_moved_copy_is_found),
        cmocka_unit_test(no_rotation_does_better),
        cmocka_unit_test(small_shapes_have_closed_forms),
        cmocka_unit_test(a_weight_is_a_number_of_atoms),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(brute_force_agrees),
        cmocka_unit_test(neopentane_does_not_blow_up),
        cmocka_unit_test(a_long_chain_ends_in_time),
        cmocka_unit_test(renamings_and_motions_change_nothing),
        cmocka_unit_test(rotation_and_map_give_the_distance),
        cmocka_unit_test(it_is_a_distance),
        cmocka_unit_test(mirror_images_differ),
        cmocka_unit_test(threads_share_one_symmetry),
        cmocka_unit_test(symmetric_molecules_have_their_symmetry_number),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
