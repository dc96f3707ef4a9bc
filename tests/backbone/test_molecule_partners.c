/* Partners: only conformers of one bond graph, and the rotation that lays one over the other. */
#include "borders.h"
#include "conformers.h"
#include "backbone/molecule_partners.h"

enum { CHAINS = 4, N = BORDER_MOST(RECON_BLOCK_PARTNERS) };

static void gather(recon_conformer *x, const recon_molecules *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = recon_molecules_get(data, i);
}

/* An embedding in which all are near each other. */
static void noise(float *z)
{
    recon_rng rng = recon_rng_new(2, 0);
    for (size_t i = 0; i < 3 * N; i++)
        z[i] = 1 + (float)(0.1 * recon_rng_normal(&rng));
}

static void check_partners(recon_ctx *ctx, size_t n)
{
    recon_molecules *data = chain_set(ctx, n, CHAINS, 0);
    recon_conformer x[N];
    recon_molecule_partners p;
    float z[3 * N];
    gather(x, data, n);
    noise(z);
    CHECK_OK(ctx,
             recon_molecule_partners_find(
                 ctx, &p, x, z, n, 3, &(recon_molecule_partners_options){ .k = 99, .most = 3 }));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(p.count[i], 3);
        for (size_t k = 0; k < 3; k++) {
            const recon_molecule_partner *b = &p.list[3 * i + k];
            const float *u = x[i].xyz, *v = x[b->who].xyz;
            assert_int_equal(x[b->who].molecule, x[i].molecule);
            assert_int_not_equal(b->who, i);
            CHECK_LESS(b->rmsd, 1e-4);
            double first[3] = { (double)v[3] - (double)v[0], (double)v[4] - (double)v[1],
                                (double)v[5] - (double)v[2] };
            recon_so3_act(first, b->rotation, first); /* the first bond lies on the first bond */
            for (int c = 0; c < 3; c++)
                CHECK_NEAR(first[c], (double)u[3 + c] - (double)u[c], 1e-4);
        }
    }
    recon_molecule_partners_free(&p);
    recon_molecules_close(data);
}

static void partners_are_found_among_alike_and_laid_over(void **state)
{
    for (int k = 0; k < BORDERS; k++)
        check_partners(*state, border(RECON_BLOCK_PARTNERS, k));
}

/* Two molecules of the same elements in the same order, with different bonds. */
static void bonds_may_be_left_out_of_account(void **state)
{
    enum { ATOMS = 4, ALL = 6 };
    static const uint8_t z[ATOMS] = { 6, 6, 6, 8 };
    static const float
        chain[ATOMS][3] = { { 0, 0, 0 }, { 1.5f, 0, 0 }, { 2.2f, 1.3f, 0 }, { 3.6f, 1.3f, 0.3f } },
        star[ATOMS][3] = { { 0, 0, 0 }, { 1.5f, 0, 0 }, { -0.7f, 1.3f, 0 }, { -0.5f, -0.8f, 1 } };
    recon_ctx *ctx = *state;
    recon_conformer x[ALL];
    float code[3 * N];
    noise(code);
    for (size_t i = 0; i < ALL; i++)
        x[i] = (recon_conformer){ .atoms = ATOMS, .z = z, .xyz = i % 2 ? chain[0] : star[0] };
    for (int pairs = RECON_PAIRS_BONDS; pairs <= RECON_PAIRS_ELEMENTS; pairs++) {
        recon_molecule_partners p;
        CHECK_OK(ctx, recon_molecule_partners_find(
                          ctx, &p, x, code, ALL, 3,
                          &(recon_molecule_partners_options){ 9, 9, (recon_pairs)pairs, 0 }));
        for (size_t i = 0; i < ALL; i++)
            assert_int_equal(p.count[i], pairs == RECON_PAIRS_BONDS ? ALL / 2 - 1 : ALL - 1);
        recon_molecule_partners_free(&p);
    }
}

static void far_ones_and_loners_have_none(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, CHAINS, 0.05);
    recon_conformer x[N];
    recon_molecule_partners p;
    float z[3 * N];
    gather(x, data, N);
    for (size_t i = 0; i < N; i++) /* nearest to those of the next chain, and of one's own last */
        for (size_t k = 0; k < 3; k++)
            z[3 * i + k] = k == 0 ? 1 : k == 1 ? (float)i : (float)(i * i);
    CHECK_OK(ctx,
             recon_molecule_partners_find(ctx, &p, x, z, N, 3,
                                          &(recon_molecule_partners_options){ .k = 1, .most = 2 }));
    for (size_t i = 0; i < N; i++)
        assert_int_equal(p.count[i], 0);
    recon_molecule_partners_free(&p);
    CHECK_OK(ctx,
             recon_molecule_partners_find(ctx, &p, x, z, 1, 3,
                                          &(recon_molecule_partners_options){ .k = 5, .most = 2 }));
    assert_int_equal(p.count[0], 0);
    recon_molecule_partners_free(&p);
    recon_molecules_close(data);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, CHAINS, 0);
    recon_conformer x[N];
    recon_molecule_partners p;
    float z[3 * N];
    gather(x, data, N);
    noise(z);
    CHECK_ALLOCATIONS(
        ctx, recon_molecule_partners_find(ctx, &p, x, z, N, 3,
                                          &(recon_molecule_partners_options){ .k = 9, .most = 3 }));
    recon_molecule_partners_free(&p);
    recon_molecules_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_are_found_among_alike_and_laid_over),
        cmocka_unit_test(bonds_may_be_left_out_of_account),
        cmocka_unit_test(far_ones_and_loners_have_none),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
