/* Sets of conformers: copies, parts, the flat form, the shipped set, and rotating on purpose. */
#include "molecule_check.h"
#include "data/elements.h"
#include "data/formats.h"
#include "group/so3/fisher.h"
#include "data/molecules.h"

#include <recon/core/array.h>
#include <recon/data/dataset.h>
#include <recon/group/matrix_fisher.h>

/* 40 conformers of 9 molecules of 2 to 6 atoms; molecule 8 has one conformer only. */
enum { MANY = 40, KINDS = 9, LARGEST = 6 };

typedef struct {
    uint8_t z[KINDS][LARGEST];
    float xyz[MANY][3 * LARGEST];
    recon_conformer list[MANY];
} sample;

static sample *new_sample(void)
{
    sample *s = calloc(1, sizeof *s);
    recon_rng rng = recon_rng_new(3, 0);
    for (size_t m = 0; m < KINDS; m++)
        for (size_t i = 0; i < LARGEST; i++)
            s->z[m][i] = (uint8_t)(1 + recon_rng_below(&rng, 9));
    for (size_t i = 0; i < MANY; i++) {
        size_t m = i < MANY - 1 ? i % (KINDS - 1) : KINDS - 1;
        for (size_t k = 0; k < 3 * LARGEST; k++)
            s->xyz[i][k] = (float)(recon_rng_normal(&rng) + 2.0 * (double)(k / 3));
        s->list[i] = (recon_conformer){ 2 + m % 5,  s->z[m],  s->xyz[i],
                                        (int32_t)m, (float)i, 0.5f * (float)i };
    }
    return s;
}

static recon_molecules *open_sample(recon_ctx *ctx)
{
    sample *s = new_sample();
    recon_molecules *d = NULL;
    CHECK_OK(ctx, recon_molecules_make(ctx, &d, s->list, MANY, NULL));
    free(s); /* it was copied */
    return d;
}

static void one_s_own_data_are_copied(void **state)
{
    recon_ctx *ctx = *state;
    sample *s = new_sample();
    recon_molecules *d = open_sample(ctx);
    recon_formula_text formula;
    recon_molecules_info info = recon_molecules_describe(d);
    size_t total = 0;
    for (size_t i = 0; i < MANY; i++) {
        recon_conformer c = recon_molecules_get(d, i);
        check_same_conformer(c, s->list[i], 0);
        assert_true(c.molecule == s->list[i].molecule && c.energy == s->list[i].energy &&
                    c.rmsd == s->list[i].rmsd);
        total += c.atoms;
    }
    assert_true(info.n == MANY && info.molecules == KINDS && info.atoms == LARGEST &&
                info.total == total && info.skipped == 0);
    for (size_t m = 0; m < KINDS; m++) {
        assert_string_equal(recon_molecules_name(d, m), recon_formula(formula, s->z[m], 2 + m % 5));
        assert_int_equal(recon_molecules_rotors(d, m), -1);
    }
    recon_molecules_close(d);
    recon_molecules_close(NULL);
    free(s);
}

static void what_cannot_be_used_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    const uint8_t z[] = { 8, 1, 0 };
    const float xyz[] = { 0, 0, 0, 1, 0, 0, 1, 0, 0.009f }, inf[] = { 0, 0, 0, 0, INFINITY, 0 };
    const struct {
        recon_conformer c;
        const char *message;
    } wrong[] = {
        { { 0, z, xyz, 0, 0, 0 }, "conformer 1: 0 atoms" },
        { { 1, z, xyz, 0, 0, 0 }, "conformer 1: 1 atom: a pose needs two" },
        { { 5000, z, xyz, 0, 0, 0 }, "conformer 1: 5000 atoms: 4096 at most" },
        { { 3, z, xyz, 0, 0, 0 }, "conformer 1: atom 3 is of element 0: 1 to 118" },
        { { 2, z, inf, 0, 0, 0 }, "conformer 1: y of atom 2 is inf" },
        { { 2, z, xyz + 3, 0, 0, 0 }, "conformer 1: atoms 1 and 2 are in one place" },
        { { 2, z, xyz, -1, 0, 0 }, "conformer 1 is of molecule -1" },
        { { 2, z, xyz, 2, 0, 0 }, "conformer 1 is of molecule 2: numbers from 0 without gaps" },
        { { 2, z, xyz, 1, 0, 0 }, "molecule 0 of 2 has no conformer" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        recon_conformer list[] = { { 2, z, xyz, i == 8, INFINITY, 0 }, wrong[i].c };
        CHECK_FAILS(ctx, recon_molecules_make(ctx, &d, list, 2, NULL), RECON_ERR_INPUT,
                    wrong[i].message);
        assert_null(d);
    }
    CHECK_FAILS(ctx, recon_molecules_make(ctx, &d, NULL, 0, NULL), RECON_ERR_INPUT,
                "a set of no conformers");
    const recon_conformer fine = { 2, z, xyz, 0, INFINITY, NAN }; /* such an energy is not known */
    CHECK_OK(ctx, recon_molecules_make(ctx, &d, &fine, 1, (const char *const[]){ "a\nb" }));
    assert_true(isnan(recon_molecules_get(d, 0).energy));
    assert_string_equal(recon_molecules_name(d, 0), "a?b");
    recon_molecules_close(d);
    CHECK_OK(ctx, recon_molecules_make(ctx, &d, &fine, 1, (const char *const[]){ NULL }));
    assert_string_equal(recon_molecules_name(d, 0), "HO");
    recon_molecules_close(d);
}

/* --- parts ------------------------------------------------------------------------------------ */

/* energy names the conformers of the sample. */
static size_t id_of(const recon_molecules *d, size_t i)
{
    return (size_t)recon_molecules_get(d, i).energy;
}

static void parts_are_disjoint_and_complete(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = open_sample(ctx), *rest = NULL, *held = NULL;
    for (size_t of = 2; of < 50; of = of * 3 - 1)
        for (uint64_t seed = 0; seed < 3; seed++) {
            CHECK_OK(ctx, recon_molecules_split(ctx, &rest, &held, d, of, seed));
            recon_molecules *const side[] = { rest, held };
            int seen[MANY] = { 0 }, of_molecule[2][KINDS] = { { 0 } };
            for (int s = 0; s < 2; s++)
                for (size_t i = 0; i < recon_molecules_describe(side[s]).n; i++) {
                    seen[id_of(side[s], i)]++;
                    of_molecule[s][recon_molecules_get(side[s], i).molecule]++;
                    assert_true(i == 0 || id_of(side[s], i) > id_of(side[s], i - 1));
                }
            for (size_t i = 0; i < MANY; i++)
                assert_int_equal(seen[i], 1);
            for (size_t m = 0; m < KINDS - 1; m++) {
                int c = of_molecule[0][m] + of_molecule[1][m];
                assert_true(of_molecule[0][m] >= 1 && of_molecule[1][m] >= 1);
                CHECK_NEAR(of_molecule[1][m], fmax(1, (double)c / (double)of), 0.5);
            }
            assert_true(of_molecule[0][KINDS - 1] == 1 && of_molecule[1][KINDS - 1] == 0);
            recon_molecules_close(rest);
            recon_molecules_close(held);
        }
    recon_molecules_close(d);
}

static void a_seed_names_a_part(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = open_sample(ctx), *a = NULL, *b = NULL, *c = NULL;
    CHECK_OK(ctx, recon_molecules_take(ctx, &a, d, 17, 5));
    CHECK_OK(ctx, recon_molecules_take(ctx, &b, d, 17, 5));
    CHECK_OK(ctx, recon_molecules_take(ctx, &c, d, 17, 6));
    recon_molecules_close(d); /* parts live on */
    size_t differ = 0, total = 0;
    for (size_t i = 0; i < 17; i++) {
        assert_int_equal(id_of(a, i), id_of(b, i));
        differ += id_of(a, i) != id_of(c, i);
        total += recon_molecules_get(a, i).atoms;
    }
    assert_true(differ > 0);
    recon_molecules_info info = recon_molecules_describe(a);
    assert_true(info.n == 17 && info.molecules == KINDS && info.total == total);
    recon_molecules_close(b);
    CHECK_OK(ctx, recon_molecules_take(ctx, &b, a, 4, 1)); /* a part of a part */
    recon_molecules_close(a);
    assert_int_equal(recon_molecules_describe(b).n, 4);
    CHECK_FAILS(ctx, recon_molecules_take(ctx, &a, b, 5, 1), RECON_ERR_INPUT,
                "5 of 4 conformers cannot be taken");
    CHECK_FAILS(ctx, recon_molecules_take(ctx, &a, b, 0, 1), RECON_ERR_INPUT, "0 of 4");
    CHECK_FAILS(ctx, recon_molecules_split(ctx, &a, &d, b, 1, 1), RECON_ERR_INPUT,
                "one conformer of 1 cannot be held out");
    recon_molecules_close(c);
    CHECK_OK(ctx, recon_molecules_take(ctx, &c, b, 1, 1));
    CHECK_FAILS(ctx, recon_molecules_split(ctx, &a, &d, c, 2, 1), RECON_ERR_INPUT,
                "no molecule has two conformers");
    recon_molecules_close(b);
    recon_molecules_close(c);
}

/* --- the flat form ---------------------------------------------------------------------------- */

static void put(recon_ctx *ctx, const char *name, recon_dtype dtype, const void *data, size_t rows,
                size_t columns)
{
    const recon_array a = {
        .dtype = dtype, .ndim = columns > 1 ? 2 : 1, .shape = { rows, columns }, .data = data
    };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch(name), &a));
}

/* Water twice, then hydrogen three times: 12 rows. */
static const int64_t atom_offset[] = { 0, 3, 5 }, conf_offset[] = { 0, 2, 5 };
static const uint8_t elements[] = { 8, 1, 1, 1, 1 }, splits[] = { 0, 1, 0, 2, 0 };
static const float energies[] = { 1, 2, 3, 4, 5 };
static const char meta[] = "{ \"smiles\": [\"O\", \"[H][H]\"], \"fisher_axis\": [2, 1],"
                           "  \"rotors\": [0, 7], \"scale\": 0.001 }";

static void place(float xyz[36])
{
    for (int i = 0; i < 36; i++)
        xyz[i] = (float)(i % 7) - 0.125f * (float)i;
}

static void put_flat(recon_ctx *ctx)
{
    float xyz[36];
    place(xyz);
    scratch_clear();
    put(ctx, "positions.npy", RECON_F32, xyz, 12, 3);
    put(ctx, "Z.npy", RECON_U8, elements, 5, 1);
    put(ctx, "atom_offset.npy", RECON_I64, atom_offset, 3, 1);
    put(ctx, "conf_offset.npy", RECON_I64, conf_offset, 3, 1);
    put(ctx, "split.npy", RECON_U8, splits, 5, 1);
    put(ctx, "energy.npy", RECON_F32, energies, 5, 1);
    scratch_write("meta.json", meta, strlen(meta));
}

static recon_status open_flat(recon_ctx *ctx, recon_molecules **out, const char *part, int skip_bad)
{
    char spec[600];
    snprintf(spec, sizeof spec, "flat:%s%s", scratch_folder, part);
    return recon_molecules_open(ctx, out, spec, &(recon_molecules_options){ .skip_bad = skip_bad });
}

static recon_status reopen_flat(recon_ctx *ctx)
{
    recon_molecules *d = NULL;
    recon_status status = open_flat(ctx, &d, "/train", 0);
    recon_molecules_close(d);
    return status;
}

static void a_flat_set_may_be_floats_or_pieces_of_integers(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *a = NULL, *b = NULL, *part = NULL;
    float xyz[36];
    int16_t units[36];
    place(xyz);
    put_flat(ctx);
    CHECK_OK(ctx, open_flat(ctx, &a, "", 0));
    for (size_t i = 0; i < 5; i++) {
        recon_conformer c = recon_molecules_get(a, i);
        assert_memory_equal(c.xyz, xyz + 3 * (i < 2 ? 3 * i : 2 * i + 2),
                            3 * c.atoms * sizeof *c.xyz);
        assert_true(c.energy == energies[i] && isnan(c.rmsd) && c.molecule == (i >= 2));
    }
    assert_int_equal(recon_molecules_rotors(a, 1), 7);
    const size_t sizes[] = { 3, 1, 1, 5 };
    const char *const parts[] = { "/train", "/val", "/test", "/all" };
    for (int k = 0; k < 4; k++) {
        CHECK_OK(ctx, open_flat(ctx, &part, parts[k], 0));
        assert_int_equal(recon_molecules_describe(part).n, sizes[k]);
        recon_molecules_close(part);
    }
    CHECK_ALLOCATIONS(ctx, reopen_flat(ctx));
    for (int i = 0; i < 36; i++)
        units[i] = (int16_t)lrintf(1000 * xyz[i]);
    unlink(scratch("positions.npy"));
    put(ctx, "positions-0.npy", RECON_I16, units, 5, 3);
    put(ctx, "positions-1.npy", RECON_I16, units + 15, 7, 3);
    CHECK_OK(ctx, open_flat(ctx, &b, "", 0));
    check_same_set(a, b, 5.01e-4);
    recon_molecules_close(b);
    unlink(scratch("meta.json"));
    CHECK_FAILS(ctx, open_flat(ctx, &b, "", 0), RECON_ERR_FORMAT, "int16, but meta.json has no");
    recon_molecules_close(a);
}

static void a_flat_set_that_lies_is_found_out(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    static const int64_t falls[] = { 0, 3, 2 }, late[] = { 1, 3, 5 },
                         huge[] = { 0, 2, INT64_MAX / 2 }, few[] = { 0, 5 }, none[] = { 0, 5, 5 };
    static const uint8_t unknown[] = { 8, 1, 1, 1, 119 }, third[] = { 0, 1, 3, 0, 0 };
    const struct {
        const char *file;
        recon_dtype dtype;
        const void *data;
        size_t rows, columns;
        const char *message;
    } wrong[] = {
        { "atom_offset.npy", RECON_I64, falls, 3, 1, "atom_offset.npy: entry 2 is 2" },
        { "atom_offset.npy", RECON_I64, none, 3, 1, "molecule 1 has no atoms" },
        { "conf_offset.npy", RECON_I64, late, 3, 1, "conf_offset.npy: entry 0 is 1" },
        { "conf_offset.npy", RECON_I64, huge, 3, 1, "numbers for" },
        { "conf_offset.npy", RECON_I64, few, 2, 1, "atom_offset.npy is of 3 entries" },
        { "conf_offset.npy", RECON_I64, few, 1, 1, "conf_offset.npy: no molecules" },
        { "conf_offset.npy", RECON_F32, energies, 5, 1, "conf_offset.npy: entry 0 is 1" },
        { "Z.npy", RECON_U8, unknown, 5, 1, "Z.npy: entry 4 is 119: 1 to 118" },
        { "Z.npy", RECON_U8, elements, 4, 1, "Z.npy: 4 atoms, but atom_offset.npy ends at 5" },
        { "split.npy", RECON_U8, third, 5, 1, "split.npy: entry 2 is 3: 0 to 2" },
        { "split.npy", RECON_U8, splits, 4, 1, "split.npy: 4 numbers for 5 conformers" },
        { "energy.npy", RECON_F32, energies, 4, 1, "energy.npy: 4 numbers for 5 conformers" },
        { "positions.npy", RECON_F32, energies, 1, 5, "positions.npy: expected n x 3 numbers" },
        { "positions.npy", RECON_F32, energies, 1, 3,
          "1 positions, but the conformers have 12 atoms" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_flat(ctx);
        put(ctx, wrong[i].file, wrong[i].dtype, wrong[i].data, wrong[i].rows, wrong[i].columns);
        CHECK_FAILS(ctx, open_flat(ctx, &d, "", 0), RECON_ERR_FORMAT, wrong[i].message);
    }
    put_flat(ctx);
    unlink(scratch("energy.npy"));
    unlink(scratch("split.npy"));
    CHECK_FAILS(ctx, open_flat(ctx, &d, "/test", 0), RECON_ERR_INPUT, "there is no split.npy");
    put(ctx, "conf_offset.npy", RECON_I64, huge, 3, 1); /* nothing is allocated by it */
    CHECK_FAILS(ctx, open_flat(ctx, &d, "", 0), RECON_ERR_FORMAT,
                "positions, but the conformers have");
    const char *const metas[] = { "{ \"smiles\": [\"O\"] }", "{ \"fisher_axis\": [0, 3] }",
                                  "{ \"rotors\": [0, -1] }" };
    const char *const said[] = { "\"smiles\" is not a list of 2", "axis 3", "-1 rotors" };
    for (int i = 0; i < 3; i++) {
        put_flat(ctx);
        scratch_write("meta.json", metas[i], strlen(metas[i]));
        CHECK_FAILS(ctx, open_flat(ctx, &d, "", 0), RECON_ERR_FORMAT, said[i]);
    }
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, "flat:/no/such", NULL), RECON_ERR_IO,
                "/no/such: no set of conformers");
}

static void bad_conformers_can_be_left_out(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    float xyz[36];
    put_flat(ctx);
    place(xyz);
    xyz[18 + 6 + 1] = NAN; /* the second hydrogen molecule, of the test split */
    put(ctx, "positions.npy", RECON_F32, xyz, 12, 3);
    CHECK_FAILS(ctx, open_flat(ctx, &d, "", 0), RECON_ERR_FORMAT,
                "conformer 3: y of atom 1 is nan");
    CHECK_OK(ctx, open_flat(ctx, &d, "/train", 1));
    assert_int_equal(recon_molecules_describe(d).n, 3);
    assert_int_equal(recon_molecules_describe(d).skipped, 1);
    assert_true(recon_molecules_get(d, 2).energy == 5); /* the split moved along */
    recon_molecules_close(d);
    CHECK_FAILS(ctx, open_flat(ctx, &d, "/test", 1), RECON_ERR_INPUT,
                "no conformer is in that part");
}

/* --- the shipped set -------------------------------------------------------------------------- */

static recon_molecules *open_shipped(recon_ctx *ctx, const char *spec)
{
    recon_molecules *d = NULL;
    CHECK_OK(ctx, recon_molecules_open(ctx, &d, spec, NULL));
    return d;
}

/* Distance of the centre of mass from 0, and the largest product of inertia. */
static double frame_error(recon_conformer c)
{
    double mass = 0, m[9] = { 0 }, centre[3] = { 0 };
    for (size_t i = 0; i < c.atoms; i++) {
        double w = recon_element_mass(c.z[i]);
        mass += w;
        for (int a = 0; a < 3; a++) {
            centre[a] += w * c.xyz[3 * i + (size_t)a];
            for (int b = 0; b < a; b++)
                m[3 * a + b] += w * c.xyz[3 * i + (size_t)a] * c.xyz[3 * i + (size_t)b];
        }
    }
    double off = fmax(fabs(m[3]), fmax(fabs(m[6]), fabs(m[7]))) / mass;
    return fmax(off,
                sqrt(centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2]) / mass);
}

static void the_shipped_set_is_what_it_says(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = open_shipped(ctx, "conformers/all");
    recon_molecules_info info = recon_molecules_describe(d);
    int count[762] = { 0 }, lowest[762] = { 0 };
    assert_true(info.n == 78520 && info.molecules == 762 && info.atoms == 27 &&
                info.total == 1539213);
    for (size_t i = 0; i < info.n; i++) {
        recon_conformer c = recon_molecules_get(d, i);
        count[c.molecule]++;
        assert_true(c.energy >= 0 && c.energy <= 10 && c.rmsd >= 0 && c.rmsd <= 1.5);
        if (c.rmsd < 1e-3) { /* the reference, in its inertia frame */
            lowest[c.molecule]++;
            assert_true(c.energy == 0);
            CHECK_LESS(frame_error(c), 2e-3);
        }
    }
    for (int m = 0; m < 762; m++)
        assert_true(count[m] >= 64 && count[m] <= 128 && lowest[m] == 1);
    assert_string_equal(recon_molecules_name(d, 0), "CC(=N)O[C@H](C#N)CN");
    assert_int_equal(recon_molecules_rotors(d, 0), 4);
    recon_molecules_close(d);
}

static void its_parts_are_disjoint_and_complete(void **state)
{
    recon_ctx *ctx = *state;
    const char *const spec[] = { "conformers", "conformers/val", "conformers/test" };
    const size_t size[] = { 62742, 7891, 7887 };
    recon_molecules *all = open_shipped(ctx, "conformers/all");
    unsigned char *seen = calloc(78520, 1);
    for (int p = 0; p < 3; p++) {
        recon_molecules *d = open_shipped(ctx, spec[p]);
        size_t at = 0, n = recon_molecules_describe(d).n;
        int has[762] = { 0 }, missing = 0;
        assert_int_equal(n, size[p]);
        for (size_t i = 0; i < n; i++, at++) { /* parts keep the order: walk along the whole */
            recon_conformer c = recon_molecules_get(d, i), whole;
            while (whole = recon_molecules_get(all, at),
                   whole.molecule != c.molecule ||
                       memcmp(whole.xyz, c.xyz, 3 * c.atoms * sizeof *c.xyz))
                at++;
            assert_int_equal(seen[at]++, 0);
            has[c.molecule] = 1;
        }
        for (int m = 0; m < 762; m++)
            missing += !has[m];
        assert_int_equal(missing, 0);
        recon_molecules_close(d);
    }
    for (size_t i = 0; i < 78520; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
    recon_molecules_close(all);
}

static void names_lead_to_sets(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    const char *const molecules[] = { "conformers", "conformers/test", "xyz:a",
                                      "sdf:b",      "geom:c",          "flat:d" };
    const char *const images[] = { "mnist", "garments", "fashion/test",
                                   "images:xyz:", "npy:conformers" };
    const char *const others[] = { "conformersx", "garments/", "mnists", "" };
    for (size_t i = 0; i < sizeof molecules / sizeof *molecules; i++)
        assert_ptr_equal(recon_data_kind_of(molecules[i]), &recon_molecules_kind);
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        assert_true(recon_data_is(images[i]));
        assert_ptr_equal(recon_data_kind_of(images[i]), &recon_images_kind);
        CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, images[i], NULL), RECON_ERR_INPUT,
                    "images, where molecules are needed: recon_data_open reads them");
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(recon_data_is(others[i]));
        CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, others[i], NULL), RECON_ERR_INPUT,
                    "unknown data set");
    }
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, "conformers/tset", NULL), RECON_ERR_INPUT,
                "conformers has no part 'tset': train, val, test or all");
    char far[2000] = "flat:"; /* and not what its first thousand characters name */
    memset(far + 5, 'x', sizeof far - 6);
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, far, NULL), RECON_ERR_INPUT, "characters");
}

/* $RECON_DATA/conformers comes first; where nothing is found, the places are said. */
static void the_shipped_set_may_lie_elsewhere(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    char folder[512], link[600], here[1024];
    assert_non_null(getcwd(here, sizeof here));
    put_flat(ctx);
    snprintf(folder, sizeof folder, "%s", scratch_folder);
    snprintf(link, sizeof link, "%s/conformers", folder);
    assert_int_equal(symlink(".", link), 0);
    setenv("RECON_DATA", folder, 1);
    CHECK_OK(ctx, recon_molecules_open(ctx, &d, "conformers/all", NULL));
    assert_int_equal(recon_molecules_describe(d).n, 5);
    recon_molecules_close(d);
    setenv("RECON_DATA", "/no/such", 1);
    assert_int_equal(chdir("/"), 0);
    recon_status status = recon_molecules_open(ctx, &d, "conformers", NULL);
    assert_int_equal(chdir(here), 0);
    unsetenv("RECON_DATA");
    if (status == RECON_OK) /* installed on this machine */
        recon_molecules_close(d);
    else
        CHECK_FAILS(ctx, status, RECON_ERR_IO,
                    "data/conformers not found (looked here, in $RECON_DATA, ");
}

/* --- rotating ---------------------------------------------------------------------------------- */

static void centre_of(double out[3], recon_conformer c)
{
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < 3 * c.atoms; i++)
        out[i % 3] += c.xyz[i] / (double)c.atoms;
}

/* b = centre + R (a - centre) with the rotation that the set knows. */
static void check_rotated(recon_conformer b, recon_conformer a, recon_so3 rotation)
{
    double centre[3], moved[3];
    centre_of(centre, a);
    centre_of(moved, b);
    assert_true(a.molecule == b.molecule && a.atoms == b.atoms);
    assert_memory_equal(a.z, b.z, a.atoms);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(moved[k], centre[k], 1e-5);
    for (size_t i = 0; i < a.atoms; i++) {
        double v[3];
        for (size_t k = 0; k < 3; k++)
            v[k] = a.xyz[3 * i + k] - centre[k];
        recon_so3_act(v, rotation, v);
        for (size_t k = 0; k < 3; k++)
            CHECK_NEAR(b.xyz[3 * i + k], centre[k] + v[k], 1e-5);
    }
}

static void rotations_follow_the_set_s_own_distributions(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = open_shipped(ctx, "conformers/train"), *t = NULL;
    double mean[3][9] = { { 0 } }, count[3] = { 0 }, f[9];
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &t, d, "fisher", 1));
    for (size_t i = 0; i < recon_molecules_describe(t).n; i++) {
        double m[9];
        recon_conformer c = recon_molecules_get(t, i);
        assert_true(recon_molecules_fisher(f, t, (size_t)c.molecule));
        int axis = f[0] == 100 ? 0 : f[4] == 100 ? 1 : 2;
        recon_so3_to_matrix(m, recon_molecules_rotation(t, i));
        for (int k = 0; k < 9; k++)
            mean[axis][k] += m[k];
        count[axis]++;
        if (i % 101 == 0)
            check_rotated(c, recon_molecules_get(d, i), recon_molecules_rotation(t, i));
    }
    assert_true(recon_molecules_fisher(f, t, 0) && f[8] == 100 && f[0] == 0.001 &&
                f[1] == 0); /* meta.json: 2 */
    assert_true(recon_molecules_fisher(f, t, 1) && f[0] == 100);
    assert_false(recon_molecules_fisher(f, d, 0));
    assert_true(f[8] == 0);
    for (int axis = 0; axis < 3; axis++) {
        double want[9], law[9] = { 0.001, 0, 0, 0, 0.001, 0, 0, 0, 0.001 };
        recon_fisher fisher;
        law[4 * axis] = 100;
        CHECK_OK(ctx, recon_fisher_of(ctx, &fisher, law));
        recon_fisher_mean(want, &fisher);
        assert_true(count[axis] > 15000);
        for (int k = 0; k < 9; k++) /* entries have deviation below 1/sqrt 2 */
            CHECK_NEAR(mean[axis][k] / count[axis], want[k], 4.5 * sqrt(0.5 / count[axis]));
        CHECK_NEAR(mean[axis][4 * axis] / count[axis], 0.99,
                   5e-4); /* coth s - 1/s; its deviation is 0.01 */
    }
    recon_molecules_close(d);
    recon_molecules_close(t);
}

static void parts_and_threads_change_no_rotation(void **state)
{
    recon_ctx *ctx = *state, *alone = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
    recon_molecules *d = open_sample(ctx), *t = NULL, *part = NULL, *late = NULL, *early = NULL;
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &t, d, "fisher", 7));
    CHECK_OK(ctx, recon_molecules_take(ctx, &part, d, 20, 2));
    CHECK_OK(alone, recon_molecules_rotate(alone, &late, part, "fisher", 7));
    CHECK_OK(ctx, recon_molecules_take(ctx, &early, t, 20, 2));
    check_same_set(early, late, 0);
    for (size_t i = 0; i < 20; i++)
        assert_true(recon_so3_distance(recon_molecules_rotation(early, i),
                                       recon_molecules_rotation(late, i)) == 0);
    recon_molecules_close(late);
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &late, d, "fisher", 8)); /* another seed */
    assert_true(recon_so3_distance(recon_molecules_rotation(t, 0),
                                   recon_molecules_rotation(late, 0)) > 1e-3);
    recon_molecules *const made[] = { d, t, part, early, late };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        recon_molecules_close(made[i]);
    recon_ctx_free(alone);
}

/* Molecules of a set that says nothing draw each of the three about equally often. */
static void molecules_draw_their_distribution(void **state)
{
    recon_ctx *ctx = *state;
    enum { N = 3000 };
    static recon_conformer list[N];
    static const float xyz[] = { 0, 0, 0, 1, 0, 0 };
    static const uint8_t z[] = { 8, 1 };
    recon_molecules *d = NULL, *t = NULL;
    int count[3] = { 0 };
    double f[9];
    for (int i = 0; i < N; i++)
        list[i] = (recon_conformer){ 2, z, xyz, i, NAN, NAN };
    CHECK_OK(ctx, recon_molecules_make(ctx, &d, list, N, NULL));
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &t, d, "fisher", 3));
    for (size_t m = 0; m < N; m++) {
        assert_true(recon_molecules_fisher(f, t, m));
        count[f[0] == 100 ? 0 : f[4] == 100 ? 1 : 2]++;
    }
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(count[k], N / 3.0, 4.5 * sqrt(N * 2 / 9.0));
    recon_molecules_close(t);
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &t, d, "haar", 3));
    double mean[9] = { 0 };
    for (size_t i = 0; i < N; i++) {
        double m[9];
        recon_so3_to_matrix(m, recon_molecules_rotation(t, i));
        for (int k = 0; k < 9; k++)
            mean[k] += m[k] / N;
    }
    for (int k = 0; k < 9; k++)
        CHECK_NEAR(mean[k], 0, 4.5 * sqrt(1.0 / 3 / N));
    assert_true(recon_molecules_fisher(f, t, 5) && f[0] == 0);
    recon_molecules_close(t);
    recon_molecules_close(d);
}

static recon_status rotate_by(recon_ctx *ctx, recon_molecules **out, const recon_molecules *d,
                              const char *rule)
{
    return recon_molecules_rotate(ctx, out, d, scratch_write("rule.json", rule, strlen(rule)), 1);
}

static void a_rule_can_be_a_file(void **state)
{
    recon_ctx *ctx = *state;
    static const uint8_t z[] = { 8, 1 };
    static const float xyz[] = { 0, 0, 0, 1, 0, 0 };
    const recon_conformer list[] = { { 2, z, xyz, 0, 0, 0 },
                                     { 2, z, xyz, 1, 0, 0 },
                                     { 2, z, xyz, 2, 0, 0 } };
    const char *const names[] = { "a", "b", "c" };
    recon_molecules *d = NULL, *t = NULL;
    double f[9];
    CHECK_OK(ctx, recon_molecules_make(ctx, &d, list, 3, names));
    CHECK_OK(ctx, rotate_by(ctx, &t, d,
                            "{ \"molecules\": { \"a\": [1, 2, 3], \"b\": [1,2,3,4,5,6,7,8,9] } }"));
    assert_true(recon_molecules_fisher(f, t, 0) && f[0] == 1 && f[4] == 2 && f[8] == 3 &&
                f[1] == 0);
    assert_true(recon_molecules_fisher(f, t, 1) && f[1] == 2 && f[8] == 9);
    assert_false(recon_molecules_fisher(f, t, 2)); /* it is not rotated */
    check_same_conformer(recon_molecules_get(t, 2), list[2], 0);
    assert_true(recon_so3_angle(recon_molecules_rotation(t, 2)) == 0);
    recon_molecules_close(t);
    CHECK_OK(ctx, rotate_by(ctx, &t, d,
                            "{ \"default\": [[5, 5, 5]], \"molecules\": { \"c\": [0, 0, 7] } }"));
    assert_true(recon_molecules_fisher(f, t, 0) && f[0] == 5);
    assert_true(recon_molecules_fisher(f, t, 2) && f[8] == 7);
    recon_molecules_close(t);
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "{}", "not an object with" },
        { "[]", "not an object with" },
        { "{ \"molecules\": [] }", "the latter an object" },
        { "{ \"defualt\": [1, 2, 3] }", "'defualt' is neither" },
        { "{ \"default\": [1, 2] }", "'default' is not 3 or 9 numbers" },
        { "{ \"default\": 4 }", "'default' is not 3 or 9 numbers" },
        { "{ \"default\": [[1, 2, 3], 4] , \"molecules\": { \"a\": [1, 2, \"3\"] } }",
          "'a': entry 2 is not a number" },
        { "{ \"default\"", "rule.json: line 1" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(ctx, rotate_by(ctx, &t, d, wrong[i].text), RECON_ERR_FORMAT, wrong[i].message);
    CHECK_FAILS(ctx, rotate_by(ctx, &t, d, "{ \"default\": [1e300, 0, 0] }"), RECON_ERR_INPUT, "");
    CHECK_FAILS(ctx, recon_molecules_rotate(ctx, &t, d, "fihser", 1), RECON_ERR_IO,
                "unknown rotation rule for molecules 'fihser'");
    recon_molecules_close(d);
}

static void rotations_add_up(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = open_sample(ctx), *once = NULL, *twice = NULL, *still = NULL;
    recon_molecules *bent = NULL, *same = NULL;
    double f[9], g[9];
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &once, d, "haar", 1));
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &twice, once, "fisher", 2));
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &still, d, "none", 2));
    for (size_t i = 0; i < MANY; i++) {
        check_rotated(recon_molecules_get(once, i), recon_molecules_get(d, i),
                      recon_molecules_rotation(once, i));
        check_rotated(recon_molecules_get(twice, i), recon_molecules_get(d, i),
                      recon_molecules_rotation(twice, i));
        check_same_conformer(recon_molecules_get(still, i), recon_molecules_get(d, i), 0);
    }
    assert_false(recon_molecules_fisher(f, twice, 0));
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &bent, d, "fisher", 3));
    CHECK_OK(ctx, recon_molecules_rotate(ctx, &same, bent, "none", 4));
    assert_true(recon_molecules_fisher(f, bent, 0) && recon_molecules_fisher(g, same, 0));
    assert_memory_equal(f, g, sizeof f);
    recon_molecules *const made[] = { d, once, twice, still, bent, same };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        recon_molecules_close(made[i]);
}

/* Every way to make a set. */
static recon_status make_all(recon_ctx *ctx, const sample *s)
{
    recon_molecules *d = NULL, *t = NULL, *rest = NULL, *held = NULL, *some = NULL;
    recon_status status = recon_molecules_make(ctx, &d, s->list, MANY, NULL);
    if (status == RECON_OK)
        status = recon_molecules_split(ctx, &rest, &held, d, 4, 1);
    if (status == RECON_OK)
        status = recon_molecules_take(ctx, &some, rest, 10, 1);
    if (status == RECON_OK)
        status = recon_molecules_rotate(ctx, &t, some, "haar", 1);
    recon_molecules *const made[] = { d, t, rest, held, some };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        recon_molecules_close(made[i]);
    return status;
}

static void memory_may_run_out(void **state)
{
    recon_ctx *ctx = *state;
    sample *s = new_sample();
    CHECK_ALLOCATIONS(ctx, make_all(ctx, s));
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(one_s_own_data_are_copied),
        SCRATCH_TEST(what_cannot_be_used_is_refused),
        SCRATCH_TEST(parts_are_disjoint_and_complete),
        SCRATCH_TEST(a_seed_names_a_part),
        SCRATCH_TEST(a_flat_set_may_be_floats_or_pieces_of_integers),
        SCRATCH_TEST(a_flat_set_that_lies_is_found_out),
        SCRATCH_TEST(bad_conformers_can_be_left_out),
        SCRATCH_TEST(the_shipped_set_is_what_it_says),
        SCRATCH_TEST(its_parts_are_disjoint_and_complete),
        SCRATCH_TEST(names_lead_to_sets),
        SCRATCH_TEST(the_shipped_set_may_lie_elsewhere),
        SCRATCH_TEST(rotations_follow_the_set_s_own_distributions),
        SCRATCH_TEST(parts_and_threads_change_no_rotation),
        SCRATCH_TEST(molecules_draw_their_distribution),
        SCRATCH_TEST(a_rule_can_be_a_file),
        SCRATCH_TEST(rotations_add_up),
        SCRATCH_TEST(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
