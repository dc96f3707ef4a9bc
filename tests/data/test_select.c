/* Selection: the shipped set comes out of its own conformers rotated at random, and the rules hold
 * one by one. */
#include "scratch.h"

#include <recon/data/molecules.h>
#include "data/rmsd.h"
#include "data/select.h"

#define SAMPLE "tests/data/geom_sample.msgpack"

/* Acetic acid. */
enum { ATOMS = 8, N = 100 };
static const uint8_t z[ATOMS] = { 6, 6, 8, 8, 1, 1, 1, 1 };
static const float acid[3 * ATOMS] = { -0.92f, 0.00f,  0.00f, 0.57f,  0.05f,  0.00f,
                                       1.22f,  1.09f,  0.00f, 1.14f,  -1.17f, 0.00f,
                                       -1.29f, 0.51f,  0.89f, -1.29f, 0.51f,  -0.89f,
                                       -1.27f, -1.03f, 0.00f, 2.11f,  -1.03f, 0.00f };

typedef struct {
    float xyz[N][3 * ATOMS];
    double energy[N];
    recon_ensemble e;
} sample;

static void move(float *out, const float *x, size_t atoms, recon_so3 rotation,
                 const double shift[3])
{
    for (size_t i = 0; i < atoms; i++) {
        double v[3] = { x[3 * i], x[3 * i + 1], x[3 * i + 2] };
        recon_so3_act(v, rotation, v);
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = (float)(v[k] + shift[k]);
    }
}

/* Conformers that tremble, more the higher their energy, each somewhere else. */
static void make_sample(sample *s, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    for (size_t i = 0; i < N; i++) {
        float x[3 * ATOMS];
        s->energy[i] = (double)((i * 37 + 11) % N) / 10 - 100;
        for (size_t k = 0; k < 3 * ATOMS; k++)
            x[k] = acid[k] + (float)(0.005 * (s->energy[i] + 100) * recon_rng_normal(&rng));
        move(s->xyz[i], x, ATOMS, recon_so3_haar(&rng), (double[]){ 1, (double)i, -4 });
    }
    s->e = (recon_ensemble){ "CC(=O)O", ATOMS, N, z, s->xyz[0], s->energy };
}

static double mass(size_t i)
{
    return z[i] == 6 ? 12.011 : z[i] == 8 ? 15.999 : 1.008;
}

/* --- the frame -------------------------------------------------------------------------------- */

static void moments_rise_along_the_axes(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    for (int round = 0; round < 20; round++) {
        float x[3 * ATOMS], y[3 * ATOMS], again[3 * ATOMS];
        double c[3] = { 0 }, m[9] = { 0 }, distance;
        move(x, acid, ATOMS, recon_so3_haar(&rng), (double[]){ 3, 2, 1 });
        recon_inertia_frame(y, z, x, ATOMS);
        for (size_t i = 0; i < ATOMS; i++)
            for (size_t k = 0; k < 9; k++) {
                c[k % 3] += mass(i) * y[3 * i + k % 3] / 3;
                m[k] += mass(i) * y[3 * i + k / 3] * y[3 * i + k % 3];
            }
        for (size_t k = 0; k < 3; k++)
            CHECK_NEAR(c[k], 0, 1e-4);
        CHECK_NEAR(fabs(m[1]) + fabs(m[2]) + fabs(m[5]), 0, 1e-4);
        assert_true(m[0] > m[4] && m[4] > m[8]); /* the inertia about x is m[4] + m[8] */
        assert_int_equal(recon_rmsd_kabsch(&distance, NULL, acid, y, ATOMS, NULL), RECON_OK);
        CHECK_NEAR(distance, 0, 1e-5); /* rotated, not mirrored */
        recon_inertia_frame(again, z, y, ATOMS);
        for (size_t k = 0; k < 3 * ATOMS; k++)
            CHECK_NEAR(again[k], y[k], 1e-5); /* what is there stays */
    }
}

/* --- rules ------------------------------------------------------------------------------------ */

static void those_near_the_lowest_are_kept_and_aligned(void **state)
{
    recon_ctx *ctx = *state;
    static sample s;
    recon_selection all, near;
    make_sample(&s, 2);
    const recon_select_options o = { .least = 1, .radius = 0.04 };
    CHECK_OK(ctx, recon_select(ctx, &all, &s.e, &(recon_select_options){ .radius = INFINITY }));
    CHECK_OK(ctx, recon_select(ctx, &near, &s.e, &o));
    assert_int_equal(all.n + all.reacted, N);
    assert_int_equal(all.reacted, 0);
    assert_true(near.n > 10 && near.n < N && near.within == near.n);
    CHECK_NEAR(all.rmsd[0], 0, 1e-5);
    for (size_t i = 0, k = 0; i < N; i++) {
        const float *x = all.xyz + 3 * ATOMS * i;
        double under = 0, plain;
        CHECK_NEAR(all.energy[i], (double)i / 10, 1e-5); /* lowest first */
        CHECK_NEAR(s.energy[all.index[i]], (double)i / 10 - 100, 1e-9);
        assert_int_equal(recon_rmsd_kabsch(&plain, NULL, all.xyz, x, ATOMS, NULL), RECON_OK);
        for (size_t a = 0; a < 3 * ATOMS; a++)
            under += pow(x[a] - all.xyz[a], 2) / ATOMS;
        CHECK_LESS(all.rmsd[i], plain + 1e-6);
        if (all.rmsd[i] > plain - 1e-6) /* hydrogens were not swapped: it lies as near as it can */
            CHECK_NEAR(sqrt(under), plain, 1e-5);
        if (all.rmsd[i] < 0.04f) {
            assert_int_equal(near.index[k], all.index[i]);
            assert_memory_equal(near.xyz + 3 * ATOMS * k, x, 3 * ATOMS * sizeof *x);
            k++;
        }
    }
    recon_selection_free(&all);
    recon_selection_free(&near);
}

static void limits_are_kept(void **state)
{
    recon_ctx *ctx = *state;
    static sample s;
    recon_selection a;
    make_sample(&s, 3);
    CHECK_OK(ctx, recon_select(ctx, &a, &s.e, &(recon_select_options){ .most = 70 }));
    assert_true(a.n == 70 && a.within == N); /* the lowest */
    CHECK_NEAR(a.energy[69], 6.9, 1e-5);
    recon_selection_free(&a);
    CHECK_OK(ctx, recon_select(ctx, &a, &s.e, &(recon_select_options){ .least = N + 1 }));
    assert_int_equal(a.n, 0);
    recon_selection_free(&a);
    CHECK_OK(ctx, recon_select(ctx, &a, &s.e, &(recon_select_options){ .radius = 0.02 }));
    assert_true(a.n == 0 && a.within > 0 && a.within < 64); /* 64 must be left after the radius */
    recon_selection_free(&a);
    s.e.n = 63;
    CHECK_OK(ctx, recon_select(ctx, &a, &s.e, NULL));
    assert_int_equal(a.n, 0);
    recon_selection_free(&a);
    s.e.n = 64;
    CHECK_OK(ctx, recon_select(ctx, &a, &s.e, NULL));
    assert_int_equal(a.n, 64);
    recon_selection_free(&a);
}

/* A hydrogen that has left its oxygen for the other one. */
static void reacted_conformers_are_left_out(void **state)
{
    recon_ctx *ctx = *state;
    static sample s;
    recon_selection a;
    make_sample(&s, 4);
    for (size_t k = 0; k < 3; k++)
        s.xyz[50][21 + k] = s.xyz[50][6 + k] + 0.55f;
    CHECK_OK(ctx, recon_select(ctx, &a, &s.e, &(recon_select_options){ .radius = INFINITY }));
    assert_true(a.reacted == 1 && a.n == N - 1);
    for (size_t i = 0; i < a.n; i++)
        assert_int_not_equal(a.index[i], 50);
    recon_selection_free(&a);
}

static void split_of(void **state, size_t part[3], uint8_t out[N], size_t n, const char *name,
                     uint64_t seed)
{
    static sample s;
    recon_selection a;
    make_sample(&s, 5);
    s.e.n = n;
    s.e.name = name;
    CHECK_OK(*state,
             recon_select(*state, &a, &s.e, &(recon_select_options){ .least = 1, .seed = seed }));
    assert_int_equal(a.n, n);
    part[0] = part[1] = part[2] = 0;
    for (size_t i = 0; i < n; i++)
        part[a.split[i]]++;
    memcpy(out, a.split, n);
    recon_selection_free(&a);
}

static void shares_are_those_of_every_molecule(void **state)
{
    const size_t want[][4] = { { 100, 80, 10, 10 }, { 96, 77, 10, 9 }, { 75, 60, 8, 7 },
                               { 66, 53, 7, 6 },    { 64, 51, 6, 7 },  { 10, 8, 1, 1 },
                               { 5, 4, 1, 0 },      { 1, 1, 0, 0 } };
    size_t part[3];
    uint8_t first[N], second[N];
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        split_of(state, part, first, want[i][0], "CC(=O)O", 0);
        assert_memory_equal(part, want[i] + 1, sizeof part);
    }
    split_of(state, part, first, N, "CC(=O)O", 0);
    split_of(state, part, second, N, "CC(=O)O", 0);
    assert_memory_equal(first, second, N);
    split_of(state, part, second, N, "CC(=O)O", 1);
    assert_memory_not_equal(first, second, N);
    split_of(state, part, second, N, "OC(C)=O", 0);
    assert_memory_not_equal(first, second, N);
}

static void what_cannot_be_selected_from_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    static sample s;
    recon_selection a;
    const recon_select_options wrong = { .radius = -1 }, nan = { .radius = NAN };
    make_sample(&s, 6);
    CHECK_FAILS(ctx, recon_select(ctx, &a, &s.e, &wrong), RECON_ERR_INPUT, "radius of -1");
    CHECK_FAILS(ctx, recon_select(ctx, &a, &s.e, &nan), RECON_ERR_INPUT, "radius of");
    s.energy[3] = NAN;
    CHECK_FAILS(ctx, recon_select(ctx, &a, &s.e, NULL), RECON_ERR_INPUT,
                "conformer 3 has an energy");
    s.energy[3] = 0;
    s.xyz[7][5] = INFINITY;
    CHECK_FAILS(ctx, recon_select(ctx, &a, &s.e, NULL), RECON_ERR_INPUT, "conformer 7: atom 1");
    s.e.atoms = 1;
    CHECK_FAILS(ctx, recon_select(ctx, &a, &s.e, NULL), RECON_ERR_INPUT, "1 atoms");
    make_sample(&s, 6);
    CHECK_ALLOCATIONS(ctx, recon_select(ctx, &a, &s.e, NULL));
    recon_selection_free(&a);
    recon_selection_free(&a);
}

/* --- end to end ------------------------------------------------------------------------------- */

/* The sample holds the first 66 conformers of molecule 0 of the shipped set, rotated: out come the
 * same distances, and the same places up to half a turn of the frame. */
static void the_shipped_set_comes_back(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *shipped, *ours, *part;
    size_t total = 0;
    CHECK_OK(ctx, recon_molecules_open(ctx, &shipped, "conformers/all", NULL));
    CHECK_OK(ctx, recon_molecules_open(ctx, &ours, "geom:" SAMPLE, NULL));
    recon_molecules_info info = recon_molecules_describe(ours);
    assert_true(info.n == 66 && info.molecules == 1 && info.atoms == 18 && info.skipped == 0);
    assert_string_equal(recon_molecules_name(ours, 0), recon_molecules_name(shipped, 0));
    recon_conformer a = recon_molecules_get(ours, 0), b = recon_molecules_get(shipped, 0);
    float sign[3];
    for (size_t k = 0; k < 3; k++)
        sign[k] = a.xyz[k] * b.xyz[k] < 0 ? -1.0f : 1.0f;
    assert_true(sign[0] * sign[1] * sign[2] > 0);
    for (size_t i = 0; i < 66; i++) {
        a = recon_molecules_get(ours, i), b = recon_molecules_get(shipped, i);
        CHECK_NEAR(a.rmsd, b.rmsd, 2e-3); /* the shipped places and distances are rounded */
        CHECK_NEAR(a.energy, b.energy, 1e-3);
        for (size_t k = 0; k < 3 * 18; k++)
            CHECK_NEAR(sign[k % 3] * a.xyz[k], b.xyz[k], 5e-3);
    }
    static const char *const specs[] = { "geom:" SAMPLE "/train", "geom:" SAMPLE "/val",
                                         "geom:" SAMPLE "/test" };
    for (int i = 0; i < 3; i++) {
        CHECK_OK(ctx, recon_molecules_open(ctx, &part, specs[i], NULL));
        total += recon_molecules_describe(part).n;
        recon_molecules_close(part);
    }
    assert_int_equal(total, 66);
    recon_molecules_close(shipped);
    recon_molecules_close(ours);
}

static void options_reach_the_file(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d;
    recon_molecules_options o = { .select = { .least = 2, .most = 5 } };
    CHECK_OK(ctx, recon_molecules_open(ctx, &d, "geom:" SAMPLE, &o));
    assert_int_equal(recon_molecules_describe(d).n, 5 + 3);
    assert_int_equal(recon_molecules_describe(d).molecules, 2);
    recon_molecules_close(d);
    o.select.least = 100;
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, "geom:" SAMPLE, &o), RECON_ERR_INPUT,
                "none of 2 molecules has the conformers asked for: 100 within 1.5 A");
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, "geom:/no/such", NULL), RECON_ERR_IO,
                "/no/such");
    CHECK_ALLOCATIONS(ctx, recon_molecules_open(ctx, &d, "geom:" SAMPLE, NULL));
    recon_molecules_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_rise_along_the_axes),
        cmocka_unit_test(those_near_the_lowest_are_kept_and_aligned),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(reacted_conformers_are_left_out),
        cmocka_unit_test(shares_are_those_of_every_molecule),
        cmocka_unit_test(what_cannot_be_selected_from_is_refused),
        cmocka_unit_test(the_shipped_set_comes_back),
        cmocka_unit_test(options_reach_the_file),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
