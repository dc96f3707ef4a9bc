/* Automorphisms: as many as brute force finds, each of them one, and together a group. */
#include "graphs.h"
#include "scratch.h"

#include <stdlib.h>
#include "data/symmetry.h"

static void count_one(void *arg, const uint16_t *order)
{
    (void)order;
    ++*(size_t *)arg;
}

/* Automorphisms times the permutations inside the leaf groups. */
static size_t renamings(const recon_symmetry *y)
{
    static const size_t factorial[] = { 1, 1, 2, 6, 24 };
    size_t count = y->info.automorphisms;
    for (size_t g = 0; g < y->info.groups; g++)
        count *= factorial[y->group[g].size];
    return count;
}

static void none_is_missing(void **state)
{
    graph g[GRAPH_SAMPLES];
    graph_samples(g);
    for (size_t k = 0; k < GRAPH_SAMPLES; k++) {
        size_t want = 0;
        recon_symmetry *y = symmetry_of(*state, &g[k]);
        graph_renamings(&g[k], count_one, &want);
        assert_int_equal(renamings(y), want);
        assert_true(y->info.complete && y->info.atoms == g[k].bonds.atoms);
        recon_symmetry_free(y);
    }
}

static void check_counts(void **state, const graph *g, size_t automorphisms, size_t groups)
{
    recon_symmetry *y = symmetry_of(*state, g);
    recon_symmetry_info i = y->info;
    assert_int_equal(i.automorphisms, automorphisms);
    assert_int_equal(i.groups, groups);
    assert_int_equal(i.complete, 1);
    recon_symmetry_free(y);
}

static void hydrogens_do_not_multiply(void **state)
{
    graph g;
    graph_star(&g, 6, 4, 0);
    check_counts(state, &g, 24, 4); /* neopentane: of 31104 */
    graph_chain(&g, 20, 2, 0);
    check_counts(state, &g, 2, 20); /* C20H42: of 2 * 6^2 * 2^18 */
    graph_chain(&g, 6, 2, 1);
    check_counts(state, &g, 12, 6); /* cyclohexane */
    graph_leaves(&g, 16, 9, 6, 1, 0);
    check_counts(state, &g, 720, 0); /* SF6 */
}

static size_t find(const recon_symmetry *y, const uint16_t *order)
{
    size_t bytes = y->info.atoms * sizeof *order, i = 0;
    while (i < y->info.automorphisms && memcmp(y->order + i * y->info.atoms, order, bytes) != 0)
        i++;
    return i;
}

/* Cubane: 48, closed under composition, the identity first, no two the same, all keep bonds. */
static void they_form_a_group(void **state)
{
    graph g = { .name = "cubane" };
    for (int i = 0; i < 8; i++)
        graph_atom(&g, 6);
    for (uint16_t i = 0; i < 8; i++)
        for (int bit = 1; bit < 8; bit *= 2)
            if (!(i & bit))
                graph_bond(&g, i, (uint16_t)(i | bit));
    recon_symmetry *y = symmetry_of(*state, &g);
    assert_int_equal(y->info.automorphisms, 48);
    for (size_t k = 0; k < 8; k++)
        assert_int_equal(y->order[k], k);
    for (size_t i = 0; i < 48; i++) {
        const uint16_t *p = y->order + 8 * i;
        assert_int_equal(find(y, p), i);
        for (uint16_t a = 0; a < 8; a++)
            for (uint16_t b = 0; b < 8; b++)
                assert_int_equal(graph_bonded(&g, a, b), graph_bonded(&g, p[a], p[b]));
        for (size_t j = 0; j < 48; j++) {
            uint16_t product[8];
            for (int k = 0; k < 8; k++)
                product[k] = p[y->order[8 * j + (size_t)k]];
            assert_true(find(y, product) < 48);
        }
    }
    recon_symmetry_free(y);
}

/* Ten atoms without a bond have 10! renamings: the first 4096 are kept, and that is said. */
static void too_many_are_cut_and_said(void **state)
{
    graph g = { .name = "argon" };
    for (int i = 0; i < 10; i++)
        graph_atom(&g, 18);
    recon_symmetry *y = symmetry_of(*state, &g);
    assert_int_equal(y->info.automorphisms, RECON_AUTOMORPHISMS);
    assert_int_equal(y->info.complete, 0);
    for (size_t k = 0; k < 10; k++)
        assert_int_equal(y->order[k], k);
    recon_symmetry_free(y);
}

/* No molecule, but a file may say so: a lump in which all are bonded to all has n! renamings, each
 * of them a look at n^2 / 2 bonds. */
static void a_lump_of_atoms_comes_to_an_end(void **state)
{
    enum { ATOMS = 1024, BONDS = ATOMS * (ATOMS - 1) / 2 };
    recon_ctx *ctx = *state;
    recon_symmetry *y;
    uint8_t z[ATOMS];
    recon_bonds bonds = { .atoms = ATOMS, .list = malloc(BONDS * sizeof(recon_bond)) };
    memset(z, 6, sizeof z);
    assert_non_null(bonds.list);
    for (uint16_t a = 0; a < ATOMS; a++)
        for (uint16_t b = (uint16_t)(a + 1); b < ATOMS; b++)
            bonds.list[bonds.n++] = (recon_bond){ a, b };
    CHECK_OK(ctx, recon_symmetry_make(ctx, &y, z, &bonds));
    assert_true(y->info.automorphisms >= 1 && !y->info.complete);
    for (size_t k = 0; k < ATOMS; k++)
        assert_int_equal(y->order[k], k);
    recon_symmetry_free(y);
    recon_bonds_free(&bonds);
}

static void bonds_that_cannot_be_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_symmetry *y;
    const uint8_t z[3] = { 8, 1, 1 };
    recon_bond list[2] = { { 0, 1 }, { 0, 3 } };
    recon_bonds bonds = { .atoms = 3, .n = 2, .list = list };
    CHECK_FAILS(ctx, recon_symmetry_make(ctx, &y, z, &bonds), RECON_ERR_INPUT,
                "bond 1 is of atoms 0 and 3 of 3");
    assert_null(y);
    list[1] = (recon_bond){ 2, 2 };
    CHECK_FAILS(ctx, recon_symmetry_make(ctx, &y, z, &bonds), RECON_ERR_INPUT, "bond 1 is of");
    list[1] = (recon_bond){ 0, 1 };
    CHECK_FAILS(ctx, recon_symmetry_make(ctx, &y, z, &bonds), RECON_ERR_INPUT, "out of order");
    bonds.atoms = bonds.n = 0;
    CHECK_FAILS(ctx, recon_symmetry_make(ctx, &y, z, &bonds), RECON_ERR_INPUT, "0 atoms");
    bonds.atoms = RECON_SYMMETRY_ATOMS + 1;
    CHECK_FAILS(ctx, recon_symmetry_make(ctx, &y, z, &bonds), RECON_ERR_INPUT, "4097 atoms");
    recon_symmetry_free(NULL);
}

static void memory_that_runs_out_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_symmetry *y;
    graph g;
    graph_star(&g, 6, 4, 0);
    CHECK_ALLOCATIONS(ctx, recon_symmetry_make(ctx, &y, g.z, &g.bonds));
    recon_symmetry_free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_missing),
        cmocka_unit_test(hydrogens_do_not_multiply),
        cmocka_unit_test(they_form_a_group),
        cmocka_unit_test(too_many_are_cut_and_said),
        cmocka_unit_test(a_lump_of_atoms_comes_to_an_end),
        cmocka_unit_test(bonds_that_cannot_be_are_refused),
        cmocka_unit_test(memory_that_runs_out_is_said),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
