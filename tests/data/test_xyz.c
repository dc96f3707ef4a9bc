/* XYZ files: frames, names, columns, what is written comes back, and what is wrong with the rest.
 */
#include "molecule_check.h"

#include <locale.h>
#include "data/xyz.h"

#define WATER "O 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n"

static void frames_are_conformers_of_molecules(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    CHECK_OK(ctx, open_text(ctx, &d, "xyz", "two.xyz",
                            "3\nwater\n" WATER "2\n\nH 0 0 0\nH 0 0 .74\n3\n water\t\r\n" WATER
                            "  3  \nother water\n" WATER "\n\n2\n -1.5e2 a.u.\nH 0 0 0\nH 0 0 0.8\n"
                            "3\nwater\nH 0 0 0\nO 1 0 0\nH 2 0 0\n2\nC=C\n6 0 0 0\nd +1 1e0 1\n\n",
                            0));
    recon_molecules_info i = recon_molecules_describe(d);
    assert_true(i.n == 7 && i.atoms == 3 && i.total == 18 && i.skipped == 0);
    const int32_t molecule[] = { 0, 1, 0, 2, 1, 3, 4 }; /* name and order of elements decide */
    const char *const names[] = { "water", "two", "other water", "water", "C=C" };
    assert_int_equal(i.molecules, 5);
    for (size_t k = 0; k < i.n; k++)
        assert_int_equal(recon_molecules_get(d, k).molecule, molecule[k]);
    for (size_t m = 0; m < i.molecules; m++)
        assert_string_equal(recon_molecules_name(d, m), names[m]);
    recon_conformer c = recon_molecules_get(d, 6);
    assert_true(c.z[0] == 6 && c.z[1] == 1 && c.xyz[3] == 1 && c.xyz[4] == 1);
    assert_true(isnan(c.energy) && isnan(c.rmsd));
    recon_molecules_close(d);
}

static void columns_may_come_in_any_order(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *a = NULL, *b = NULL;
    CHECK_OK(ctx, open_text(ctx, &a, "xyz", "a.xyz", "3\nname=w energy=-2\n" WATER, 0));
    const char *const same[] = {
        "3\nProperties=species:S:1:pos:R:3 energy=-2.0 smiles='w'\n" WATER,
        "3\ntitle=w Properties=pos:R:3:forces:R:3:species:S:1 energy=\"-2\"\n"
        "0 0 0.1173 1 2 3 O\n0 0.7572 -0.4692 4 5 6 H extra\n0 -0.7572 -0.4692 x y z H\n",
        "3\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=id:I:1:Z:I:1:pos:R:3:q:R:1 name=\"w\" "
        "energy=-2\n"
        "1 8 0 0 0.1173 .3\n2 1 0 0.7572 -0.4692 .1\n3 1 0 -0.7572 -0.4692 .1\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        CHECK_OK(ctx, open_text(ctx, &b, "xyz", "b.xyz", same[i], 0));
        check_same_set(a, b, 0);
        CHECK_NEAR(recon_molecules_get(b, 0).energy, -2 * 23.0605478, 1e-5); /* eV -> kcal/mol */
        recon_molecules_close(b);
    }
    recon_molecules_close(a);
}

static void atoms_may_be_numbered(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    CHECK_OK(ctx, open_text(ctx, &d, "xyz", "n.xyz",
                            "4\r\n\r\nC1\t0 0 0\r\nCl12 1 0 0\r\nh3 2 0 0\r\n17 3 0 0\r\n", 0));
    const uint8_t want[] = { 6, 17, 1, 17 };
    assert_memory_equal(recon_molecules_get(d, 0).z, want, 4);
    recon_molecules_close(d);
}

/* n conformers of two molecules with names that need quotes, and an energy for every other one. */
static recon_molecules *some(recon_ctx *ctx, size_t n)
{
    static const uint8_t z[2][4] = { { 6, 17, 92, 1 }, { 1, 8, 1, 118 } };
    static const char *const names[] = { "C/C=C\\C \"x\" 'y' a=b", " , " };
    recon_conformer list[64];
    float xyz[64][12];
    recon_rng rng = recon_rng_new(9, 0);
    recon_molecules *out = NULL;
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 12; k++)
            xyz[i][k] = (float)(recon_rng_normal(&rng) * pow(10, 4 * recon_rng_uniform(&rng) - 2));
        list[i] =
            (recon_conformer){ 4, z[i % 2], xyz[i], i % 2, i % 3 ? NAN : -3.5f * (float)i, NAN };
    }
    CHECK_OK(ctx, recon_molecules_make(ctx, &out, list, n, names));
    return out;
}

static void keep_line(void *user, recon_log_level level, const char *line)
{
    (void)level;
    snprintf(user, 256, "%s", line);
}

static void types_of_a_force_field_are_warned_of(void **state)
{
    (void)state;
    char line[256] = "";
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .on_log = keep_line, .user = line });
    recon_molecules *d = NULL;
    CHECK_OK(ctx, open_text(ctx, &d, "xyz", "z.xyz", "2\n\n8 0 0 0\n1 0 0 1\n", 0));
    recon_molecules_close(d);
    assert_string_equal(line, "");
    CHECK_OK(ctx, open_text(ctx, &d, "xyz", "t.xyz", "2\nAtoms\n1 0 0 0\n2 0 0 1\n", 0));
    recon_molecules_close(d);
    assert_non_null(strstr(line, "taken for helium to boron"));
    recon_ctx_free(ctx);
}

static void marks_of_editors_and_fortran_are_read(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *a = NULL, *b = NULL;
    CHECK_OK(ctx, open_text(ctx, &a, "xyz", "a.xyz", "2\nw\nO 0 0 -0.5\nH 0 0 12\n", 0));
    CHECK_OK(ctx, open_text(ctx, &b, "xyz", "b.xyz",
                            "\xEF\xBB\xBF"
                            "2\r\nw\r\nO 0.0D0 0 -5.d-1\r\nH 0 0 0.12D+02\r\n",
                            0));
    check_same_set(a, b, 0);
    recon_molecules_close(a);
    recon_molecules_close(b);
}

static void what_is_written_comes_back(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *a = some(ctx, 40), *b = NULL;
    char spec[600];
    snprintf(spec, sizeof spec, "xyz:%s", scratch("out.xyz"));
    const char *comma = setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where there is one */
    CHECK_OK(ctx, recon_xyz_write(ctx, scratch("out.xyz"), a));
    CHECK_OK(ctx, recon_molecules_open(ctx, &b, spec, NULL));
    if (comma)
        setlocale(LC_NUMERIC, "C");
    check_same_set(a, b, 4e-5); /* a float of 1000 is good to that; smaller ones: below */
    for (size_t i = 0; i < 40; i++) {
        recon_conformer c = recon_molecules_get(a, i), d = recon_molecules_get(b, i);
        for (size_t k = 0; k < 12; k++)
            CHECK_NEAR(d.xyz[k], c.xyz[k], 5e-9 + 1e-7 * fabs(c.xyz[k]));
    }
    recon_molecules_close(b);
    recon_molecules_close(a);
}

static recon_status write_again(recon_ctx *ctx, const recon_molecules *d)
{
    recon_status status = recon_xyz_write(ctx, scratch("w.xyz"), d);
    if (status == RECON_OK)
        unlink(scratch("w.xyz"));
    return status;
}

static void a_file_appears_whole_or_not_at_all(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = some(ctx, 3);
    recon_xyz_writer *w = NULL;
    float two[6] = { 0, 0, 0, NAN, 0, 0 };
    CHECK_ALLOCATIONS(ctx, write_again(ctx, d));
    CHECK_OK(ctx, recon_xyz_writer_open(ctx, &w, scratch("half.xyz")));
    recon_conformer c = recon_molecules_get(d, 0);
    CHECK_OK(ctx, recon_xyz_writer_add(ctx, w, &c, NULL));
    c = (recon_conformer){ 2, c.z, two, 0, NAN, NAN };
    CHECK_FAILS(ctx, recon_xyz_writer_add(ctx, w, &c, "x"), RECON_ERR_INPUT,
                "frame 2: x of atom 2 is nan");
    recon_xyz_writer_close(w);
    assert_int_equal(scratch_count(), 0);
    CHECK_FAILS(ctx, recon_xyz_write(ctx, "/no/such/folder/x.xyz", d), RECON_ERR_IO, "/no/such");
    recon_molecules_close(d);
}

/* What counts frames or tells an energy names no molecule; what names one does. */
static void comments_of_programs_are_no_names(void **state)
{
    recon_ctx *ctx = *state;
    const struct {
        const char *a, *b; /* comments of two frames */
        size_t molecules;
    } pairs[] = {
        { " i =        0, time =        0.000, E =       -17.2", " i = 1, time = 0.5, E = -17.1",
          1 },
        { "Atoms. Timestep: 0", "Atoms. Timestep: 1000", 1 },
        { "energy: -5.07 gnorm: 0.0005 xtb: 6.4.1", "energy: -5.06 gnorm: 0.0004 xtb: 6.4.1", 1 },
        { "Coordinates from ORCA-job opt E -76.32", "Coordinates from ORCA-job opt E -76.33", 1 },
        { "Step 1", "Step 2", 1 },
        { "frame_001", "frame_002", 1 },
        { "t=0.1", "t=0.2", 1 },
        { "conformer #3", "conformer #4,", 1 },
        { "-76.1", "", 1 },
        { "generated by a program", "generated by a program", 1 },
        { "1,2-ethanediol", "2,3-ethanediol", 2 },
        { "C=1CC=1", "C1=CC1", 2 },
        { "N#C/C=C/C", "N#C/C=C\\C", 2 },
        { "alpha form", "beta form", 2 },
        { "name=\"mol 1\"", "name=\"mol 2\"", 2 },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char text[512];
        recon_molecules *d = NULL;
        snprintf(text, sizeof text, "3\n%s\n" WATER "3\n%s\n" WATER, pairs[i].a, pairs[i].b);
        CHECK_OK(ctx, open_text(ctx, &d, "xyz", "run.xyz", text, 0));
        if (recon_molecules_describe(d).molecules != pairs[i].molecules)
            fail_msg("'%s' and '%s': %zu molecules", pairs[i].a, pairs[i].b,
                     recon_molecules_describe(d).molecules);
        recon_molecules_close(d);
    }
}

/* A quote that nobody closes ends with its line, and a backslash there escapes nothing. */
static void quotes_end_with_their_line(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    CHECK_OK(ctx, open_text(ctx, &d, "xyz", "q.xyz",
                            "3\nenergy=1 name=\"a\\\n" WATER "3\nname='b\\'c\n" WATER, 0));
    assert_string_equal(recon_molecules_name(d, 0), "a\\");
    assert_string_equal(recon_molecules_name(d, 1), "b'c");
    recon_molecules_close(d);
}

static void put_text(const char *name, const char *text)
{
    scratch_write(name, text, strlen(text));
}

static void lists_and_patterns_name_files(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    char spec[700];
    put_text("a b.xyz", "3\n\n" WATER);
    put_text("\xc3\xa9.xyz", "3\nStep 1\n" WATER "3\nStep 2\n" WATER);
    snprintf(spec, sizeof spec, "# mine\n\n  a b.xyz\t\r\n%s\na b.xyz\n", scratch("\xc3\xa9.xyz"));
    put_text("list.txt", spec);
    snprintf(spec, sizeof spec, "xyz:%s", scratch("list.txt"));
    CHECK_OK(ctx, recon_molecules_open(ctx, &d, spec, NULL));
    recon_molecules_info i = recon_molecules_describe(d);
    assert_true(i.n == 4 && i.molecules == 2);
    assert_string_equal(recon_molecules_name(d, 0), "a b");
    assert_string_equal(recon_molecules_name(d, 1), "\xc3\xa9");
    recon_molecules_close(d);
    snprintf(spec, sizeof spec, "xyz:%s", scratch("*.xyz"));
    CHECK_OK(ctx, recon_molecules_open(ctx, &d, spec, NULL));
    assert_int_equal(recon_molecules_describe(d).n, 3);
    recon_molecules_close(d);
    snprintf(spec, sizeof spec, "xyz:%s", scratch("*.abc"));
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, spec, NULL), RECON_ERR_IO, "no file fits this");
    put_text("list.txt", "a b.xyz\nabsent.xyz\n");
    snprintf(spec, sizeof spec, "xyz:%s", scratch("list.txt"));
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, spec, NULL), RECON_ERR_IO,
                "absent.xyz: cannot open");
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, spec, NULL), RECON_ERR_IO, "line 2 of the list");
    scratch_clear();
}

static void what_is_left_out_is_named(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL, *some = NULL;
    CHECK_OK(ctx, open_text(ctx, &d, "xyz", "bad.xyz",
                            "3\n\n" WATER "2\n\nH 0 0 0\nQq 0 0 1\n3\n\n" WATER
                            "1\n\nH 0 0 0\n3\n\n" WATER,
                            1));
    assert_int_equal(recon_molecules_describe(d).skipped, 2);
    const recon_data *all = recon_molecules_data(d);
    assert_non_null(strstr(all->kind->skipped(all, 0), "frame 2, line 9: atom 2"));
    assert_non_null(strstr(all->kind->skipped(all, 1), "1 atom: a pose needs two"));
    assert_null(all->kind->skipped(all, 2));
    const size_t which[] = { 2, 0 }, wrong[] = { 0, 3 };
    CHECK_OK(ctx, all->kind->pick(ctx, (recon_data **)&some, all, which, 2));
    assert_true(recon_molecules_describe(some).n == 2 && recon_molecules_describe(some).total == 6);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(all->kind->origin(recon_molecules_data(some), i), which[i]);
    recon_molecules_close(some);
    CHECK_FAILS(ctx, all->kind->pick(ctx, (recon_data **)&some, all, wrong, 2), RECON_ERR_INPUT,
                "there is no conformer 3 of 3");
    CHECK_FAILS(ctx, all->kind->pick(ctx, (recon_data **)&some, all, which, 0), RECON_ERR_INPUT,
                "no conformers");
    recon_molecules_close(d);
}

static void a_folder_is_read_file_by_file(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    char spec[600];
    scratch_write("b.xyz", "3\n\n" WATER, strlen("3\n\n" WATER));
    scratch_write("a.XYZ", "3\n1\n" WATER "3\n2\n" WATER, strlen("3\n1\n" WATER "3\n2\n" WATER));
    scratch_write("c.txt", "nothing", 7);
    snprintf(spec, sizeof spec, "xyz:%s", scratch_folder);
    CHECK_OK(ctx, recon_molecules_open(ctx, &d, spec, NULL));
    assert_int_equal(recon_molecules_describe(d).n, 3);
    assert_int_equal(recon_molecules_describe(d).molecules, 2);
    assert_string_equal(recon_molecules_name(d, 0), "a");
    assert_string_equal(recon_molecules_name(d, 1), "b");
    recon_molecules_close(d);
    scratch_clear();
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, spec, NULL), RECON_ERR_INPUT,
                "no .xyz or .extxyz files");
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, "xyz:/no/such", NULL), RECON_ERR_IO, "/no/such");
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "", "x.xyz: no conformers in it" },
        { "\n \n", "no conformers in it" },
        { "three\n", "x.xyz: frame 1, line 1: expected a number of atoms" },
        { "3\n", "frame 1, line 1: the file ends before the comment" },
        { "3\n\nO 0 0 0\nH 1 0 0\n", "frame 1, line 4: the file ends before atom 3 of 3" },
        { "3\n\n" WATER "4\n\n" WATER, "frame 2, line 10: the file ends before atom 4 of 4" },
        { "2\n\n" WATER, "frame 1, line 4: more than its atoms" },
        { "4\n\n" WATER "3\n\n" WATER, "frame 1, line 6: atom 4: 1 columns, expected 4" },
        { "3\n\nO 0 0 0\nXx 1 0 0\nH 2 0 0\n", "line 4: atom 2: no element is called 'Xx'" },
        { "2\n\nO 0 0 0\n119 1 0 0\n", "line 4: atom 2: no element is called '119'" },
        { "2\n\nO 0 0 0\nH 1 nan 0\n", "line 4: y of atom 2 is 'nan'" },
        { "2\n\nO 0 0 0\nH 1 0 1e39\n", "line 4: z of atom 2 is '1e39'" },
        { "2\n\nO 0 0 0\nH 1 0 1e7\n", "frame 1, line 1: z of atom 2 is 1e+07" },
        { "2\n\nO 0 0 0\nH 1 0\n", "line 4: atom 2: 3 columns, expected 4" },
        { "0\n\n", "frame 1, line 1: 0 atoms: a pose needs two at least" },
        { "1\n\nH 0 0 0\n", "frame 1, line 1: 1 atom: a pose needs two at least" },
        { "3\n\nO 0 0 0\nH 1 0 0\nH 0.001 0 0\n",
          "frame 1, line 1: atoms 1 and 3 are in one place" },
        { "4097\n\n", "4097 atoms: 4096 at most" },
        { "4000000000000000000\n\n", "4000000000000000000 atoms: 4096 at most" },
        { "99999999999999999999999999\n\n", "expected a number of atoms" },
        { "-3\n\n", "expected a number of atoms" },
        { "2\nProperties=species:S:1\nH 0 0 0\nH 1 0 0\n", "line 2: Properties lacks" },
        { "2\nProperties=species:S:1:pos:R:2\nH 0 0 0\nH 1 0 0\n", "Properties lacks" },
        { "2\nProperties=species:S:1:pos\nH 0 0 0\nH 1 0 0\n", "Properties is not name:type" },
        { "2\nProperties=pos:R:99999999999999:species:S:1\nH 0 0 0\nH 1 0 0\n",
          "Properties is not" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_FAILS(ctx, open_text(ctx, &d, "xyz", "x.xyz", wrong[i].text, 0), RECON_ERR_FORMAT,
                    wrong[i].message);
        assert_null(d);
    }
}

/* What stands between bad frames is found again. */
static void bad_frames_can_be_left_out(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    CHECK_OK(ctx,
             open_text(ctx, &d, "xyz", "x.xyz",
                       "3\nfirst\n" WATER "4\nlies\n" WATER "3\nsecond\n" WATER "2\nlies\n" WATER
                       "junk\n3\nnan\nO 0 0 nan\nH 1 0 0\nH 2 0 0\n3\nthird\n" WATER
                       "1\none\nH 0 0 0\n3\ncut\nO 0 0 0\n",
                       1));
    recon_molecules_info i = recon_molecules_describe(d);
    assert_int_equal(i.n, 3);
    assert_int_equal(i.skipped, 5);
    assert_string_equal(recon_molecules_name(d, 0), "first");
    assert_string_equal(recon_molecules_name(d, 1), "second");
    assert_string_equal(recon_molecules_name(d, 2), "third");
    recon_molecules_close(d);
    CHECK_FAILS(ctx, open_text(ctx, &d, "xyz", "x.xyz", "1\n\nH 0 0 0\n", 1), RECON_ERR_FORMAT,
                "x.xyz: no conformer can be used");
}

static recon_status open_and_close(recon_ctx *ctx, const char *spec)
{
    recon_molecules *d = NULL;
    recon_status status = recon_molecules_open(ctx, &d, spec, NULL);
    recon_molecules_close(d);
    return status;
}

/* More than one table's worth of molecules, and memory that runs out on the way. */
static void many_molecules_are_told_apart(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    static char text[2000 * 48];
    size_t at = 0;
    for (int i = 0; i < 2000; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "2\nm%d\nH 0 0 0\nH 0 0 1\n",
                               i * 7919 % 1000);
    CHECK_OK(ctx, open_text(ctx, &d, "xyz", "many.xyz", text, 0));
    assert_int_equal(recon_molecules_describe(d).molecules, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(recon_molecules_get(d, i).molecule,
                         recon_molecules_get(d, i + 1000).molecule);
    recon_molecules_close(d);
    char spec[600];
    snprintf(spec, sizeof spec, "xyz:%s", scratch("many.xyz"));
    CHECK_ALLOCATIONS(ctx, open_and_close(ctx, spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(frames_are_conformers_of_molecules),
        SCRATCH_TEST(columns_may_come_in_any_order),
        SCRATCH_TEST(atoms_may_be_numbered),
        SCRATCH_TEST(types_of_a_force_field_are_warned_of),
        SCRATCH_TEST(marks_of_editors_and_fortran_are_read),
        SCRATCH_TEST(what_is_written_comes_back),
        SCRATCH_TEST(a_file_appears_whole_or_not_at_all),
        SCRATCH_TEST(comments_of_programs_are_no_names),
        SCRATCH_TEST(quotes_end_with_their_line),
        SCRATCH_TEST(a_folder_is_read_file_by_file),
        SCRATCH_TEST(lists_and_patterns_name_files),
        SCRATCH_TEST(what_is_left_out_is_named),
        SCRATCH_TEST(what_is_wrong_is_said_with_its_place),
        SCRATCH_TEST(bad_frames_can_be_left_out),
        SCRATCH_TEST(many_molecules_are_told_apart),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
