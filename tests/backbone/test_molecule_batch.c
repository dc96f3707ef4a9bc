/* Packed batches: every atom once, centred and rotated, padding that nobody sees. */
#include "conformers.h"
#include "backbone/molecule_batch.h"

static const uint8_t elements[] = { 1, 6, 7, 8 };
enum { N = 7, SLOTS = 7 };

static const recon_molecule_pack_options plain = { .element = elements,
                                                   .elements = 4,
                                                   .slots = SLOTS };

static size_t set_of(recon_conformer *x, const recon_molecules *data, size_t n)
{
    size_t atoms = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = recon_molecules_get(data, i);
        atoms += x[i].atoms;
    }
    return atoms;
}

static void every_atom_has_its_row(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, 5, 0.1);
    recon_conformer x[N];
    size_t atoms = set_of(x, data, N), at = 0, real = 0;
    recon_molecule_pack p = { 0 };
    recon_molecule_pack_options o = plain;
    o.nodes = atoms + 11;
    CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &p, x, NULL, N, &o));
    assert_int_equal(p.atoms, atoms);
    assert_int_equal(p.nodes, atoms + 11);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(p.offset[i], at);
        for (size_t a = 0; a < x[i].atoms; a++, at++) {
            assert_int_equal(elements[p.kind[at]], x[i].z[a]);
            assert_int_equal(p.molecule[at], i);
            assert_int_equal(p.slot[at], i * SLOTS + (a < SLOTS ? a : SLOTS - 1));
            CHECK_NEAR(p.mask[at], 1, 0);
            CHECK_NEAR(p.made[at], a < SLOTS, 0);
            real += a < SLOTS;
        }
    }
    assert_int_equal(p.real, real);
    for (; at < p.nodes; at++) {
        CHECK_NEAR(p.mask[at] + p.made[at] + fabsf(p.xyz[3 * at]), 0, 0);
        assert_int_equal(p.molecule[at], N - 1);
    }
    assert_int_equal(p.span[N], p.nodes);
    assert_int_equal(p.offset[N], atoms);
    recon_molecule_pack_free(&p);
    recon_molecules_close(data);
}

/* Slices have as many rows each: molecules, and behind them padding that no molecule hears. */
static void slices_have_rows_of_their_own(void **state)
{
    enum { EACH = 3, ROWS = 40 };
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, 5, 0.1);
    recon_conformer x[N];
    size_t atoms = set_of(x, data, N), group = 0;
    recon_molecule_pack p = { 0 };
    recon_molecule_pack_options o = plain;
    o.nodes = ROWS;
    o.each = EACH;
    CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &p, x, NULL, N, &o));
    assert_int_equal(p.nodes, 3 * ROWS); /* seven molecules: 3, 3, 1 */
    assert_int_equal(p.atoms, atoms);
    assert_int_equal(p.span[N], p.nodes);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(p.count[i], x[i].atoms);
        assert_int_equal((size_t)p.offset[i] / ROWS, i / EACH);
        assert_true(i % EACH || p.offset[i] % ROWS == 0);
        assert_int_equal(p.span[i], p.offset[i]);
        for (size_t a = 0; a < x[i].atoms; a++)
            assert_int_equal(p.molecule[(size_t)p.offset[i] + a], i);
    }
    for (size_t at = 0; at < p.nodes; at++) {
        int first = p.mask[at] == 0 || (size_t)p.offset[p.molecule[at]] == at;
        assert_true(p.mask[at] > 0 || p.made[at] == 0);
        if (first) /* a molecule, or a row of padding alone */
            assert_int_equal(p.apart[group++], at);
    }
    for (; group <= p.groups; group++)
        assert_int_equal(p.apart[group], p.nodes);
    o.nodes = 10;
    CHECK_FAILS(ctx, recon_molecule_pack_fill(ctx, &p, x, NULL, N, &o), RECON_ERR_INPUT, "at most");
    recon_molecule_pack_free(&p);
    recon_molecules_close(data);
}

/* What recon_gather_args asks for: the nodes of row r are slot_of[r] .. slot_of[r+1]. */
static void rows_list_their_nodes(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, 5, 0.1);
    recon_conformer x[N];
    recon_molecule_pack p = { 0 };
    recon_molecule_pack_options o = plain;
    o.nodes = set_of(x, data, N) + 3;
    CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &p, x, NULL, N, &o));
    assert_int_equal(p.slot_of[0], 0);
    assert_int_equal(p.slot_of[N * SLOTS], p.nodes);
    for (int32_t r = 0; r < N * SLOTS; r++)
        for (int32_t at = p.slot_of[r]; at < p.slot_of[r + 1]; at++)
            assert_int_equal(p.slot[p.order[at]], r);
    recon_molecule_pack_free(&p);
    recon_molecules_close(data);
}

static void places_are_centred_and_rotated(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, 5, 0.1);
    recon_rng rng = recon_rng_new(3, 0);
    recon_conformer x[N];
    recon_so3 rotation[N];
    recon_molecule_pack p = { 0 }, q = { 0 };
    set_of(x, data, N);
    for (size_t i = 0; i < N; i++)
        rotation[i] = recon_so3_haar(&rng);
    CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &p, x, NULL, N, &plain));
    CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &q, x, rotation, N, &plain));
    for (size_t i = 0; i < N; i++) {
        double sum[3] = { 0 };
        for (size_t a = (size_t)p.offset[i]; a < (size_t)p.offset[i + 1]; a++) {
            double v[3] = { p.xyz[3 * a], p.xyz[3 * a + 1], p.xyz[3 * a + 2] };
            recon_so3_act(v, rotation[i], v);
            for (size_t k = 0; k < 3; k++) {
                CHECK_NEAR(q.xyz[3 * a + k], v[k], 1e-5);
                sum[k] += (double)p.xyz[3 * a + k];
            }
        }
        CHECK_NEAR(fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]), 0, 1e-5);
    }
    recon_molecule_pack_free(&q);
    recon_molecule_pack_free(&p);
    recon_molecules_close(data);
}

/* The same pack again, smaller and larger: what is left from before does not show. */
static void memory_is_used_again(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, 5, 0.1);
    recon_conformer x[N];
    recon_molecule_pack used = { 0 }, fresh = { 0 };
    set_of(x, data, N);
    static const size_t counts[] = { 5, 2, 7 };
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &used, x, NULL, counts[i], &plain));
        CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &fresh, x, NULL, counts[i], &plain));
        assert_memory_equal(used.xyz, fresh.xyz, 3 * used.nodes * sizeof *used.xyz);
        assert_memory_equal(used.slot_of, fresh.slot_of,
                            (counts[i] * SLOTS + 1) * sizeof *used.slot_of);
        recon_molecule_pack_free(&fresh);
    }
    recon_molecule_pack_free(&used);
    CHECK_ALLOCATIONS(ctx, (recon_molecule_pack_free(&used),
                            recon_molecule_pack_fill(ctx, &used, x, NULL, N, &plain)));
    recon_molecule_pack_free(&used);
    recon_molecules_close(data);
}

static void what_does_not_fit_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, 5, 0.1);
    recon_conformer x[N];
    recon_molecule_pack p = { 0 };
    recon_molecule_pack_options o = plain;
    o.nodes = set_of(x, data, N) - 1;
    CHECK_FAILS(ctx, recon_molecule_pack_fill(ctx, &p, x, NULL, N, &o), RECON_ERR_INPUT, "at most");
    o.nodes = 0;
    o.elements = 3;
    CHECK_FAILS(ctx, recon_molecule_pack_fill(ctx, &p, x, NULL, N, &o), RECON_ERR_INPUT,
                "element O (8)");
    recon_molecule_pack_free(&p);
    recon_molecules_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_atom_has_its_row),
        cmocka_unit_test(rows_list_their_nodes),
        cmocka_unit_test(slices_have_rows_of_their_own),
        cmocka_unit_test(places_are_centred_and_rotated),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(what_does_not_fit_is_said),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
