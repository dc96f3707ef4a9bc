/* SDF files: both versions give the same molecules as XYZ does, and what is wrong is said. */
#include "molecule_check.h"

#define SAMPLES "tests/fuzz/corpus/"

static void versions_and_formats_agree(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *v2000 = NULL, *v3000 = NULL, *xyz = NULL;
    CHECK_OK(ctx, recon_molecules_open(ctx, &v2000, "sdf:" SAMPLES "sdf/v2000.sdf", NULL));
    CHECK_OK(ctx, recon_molecules_open(ctx, &v3000, "sdf:" SAMPLES "sdf/v3000.sdf", NULL));
    CHECK_OK(ctx, recon_molecules_open(ctx, &xyz, "xyz:" SAMPLES "xyz/plain.xyz", NULL));
    recon_molecules_info i = recon_molecules_describe(v2000);
    assert_true(i.n == 2 && i.molecules == 1 && i.atoms == 11);
    assert_string_equal(recon_molecules_name(v2000, 0), "C[C@H](O)N");
    check_same_set(v2000, v3000, 5.1e-5); /* four decimals against six */
    check_same_set(v3000, xyz, 1e-6);
    recon_molecules_close(v2000);
    recon_molecules_close(v3000);
    recon_molecules_close(xyz);
}

#define HEAD2(counts) "t\n\n\n" counts "  0  0  0  0            999 V2000\n"
#define O_ATOM        "   -0.1000-1234.5678    1.0000 O   0  0\n"
#define H_ATOM        "    1.0000    0.0000    0.0000 H   0  0\n"
#define END2          "M  END\n$$$$\n"
#define HEAD3(counts)                                                                              \
    "t\n\n\n  0  0  0  0  0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS " counts     \
    "\nM  V30 BEGIN ATOM\n"
#define END3 "M  V30 END ATOM\nM  V30 END CTAB\nM  END\n$$$$\n"

static void columns_touch_lines_go_on_and_ends_may_be_missing(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *a = NULL, *b = NULL;
    /* A lone MOL file, DOS line ends, columns without a blank between, no title. */
    CHECK_OK(ctx,
             open_text(ctx, &a, "sdf", "a.mol",
                       "\r\n\r\n\r\n  2  1  0     0  0              1 V2000\r\n"
                       "   -0.1000-1234.5678    1.0000 O   0\r\n"
                       "    1.0000    0.0000    0.0000 H   0\r\n  1  2  1\r\nM  CHG  1   1  -1\r\n"
                       "M  END\r\n",
                       0));
    assert_string_equal(recon_molecules_name(a, 0), "HO");
    CHECK_NEAR(recon_molecules_get(a, 0).xyz[1], -1234.5678, 1e-4);
    CHECK_OK(ctx,
             open_text(ctx, &b, "sdf", "b.sdf",
                       "\n\n\n  0  0  0  0  0  0  999 V3000\nM  V30 BEGIN CTAB\n"
                       "M  V30 COUNTS 2 1 -\nM  V30 0 0 0\nM  V30 BEGIN ATOM\n"
                       "M  V30 1 O -0.1 -1234.5678 1 0 CHG=-1 -\nM  V30 MASS=17\n"
                       "M  V30 7 H 1 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 1 7\n"
                       "M  V30 END BOND\nM  V30 END CTAB\nM  END\n> <x>\n1\n\n$$$$\n\n \n",
                       0));
    check_same_set(a, b, 0);
    recon_molecules_close(b);
    char zero[] = "?\n\n\n  2  0  0  0  0  0            999 V2000\n" O_ATOM H_ATOM "M  END\n",
         spec[600];
    zero[0] = '\0'; /* no title either */
    snprintf(spec, sizeof spec, "sdf:%s", scratch_write("zero.sdf", zero, sizeof zero - 1));
    CHECK_OK(ctx, recon_molecules_open(ctx, &b, spec, NULL));
    check_same_set(a, b, 0);
    recon_molecules_close(a);
    recon_molecules_close(b);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "", "x.sdf: no conformers in it" },
        { "t\n\n\n", "x.sdf: record 1, line 3: the record is cut short" },
        { "t\n\n\nnothing\n", "record 1, line 4: expected numbers of atoms and bonds" },
        { HEAD2("  3  0") O_ATOM H_ATOM, "record 1, line 6: the record is cut short" },
        { HEAD2("  3  0") O_ATOM H_ATOM "$$$$\n", "record 1, line 6: the record is cut short" },
        { HEAD2("  2  0") O_ATOM H_ATOM, "record 1, line 6: the record is cut short" },
        { HEAD2("  3  0") O_ATOM H_ATOM END2, "line 7: atom 3: no element is called ''" },
        { HEAD2("  1  0") O_ATOM H_ATOM END2, "line 6: more than 1 atoms and 0 bonds" },
        { HEAD2("  1  1") O_ATOM H_ATOM END2, "line 6: bond 1 is not between two of 1 atoms" },
        { HEAD2("  2  1") O_ATOM H_ATOM "  1  3  1\n" END2,
          "bond 1 is not between two of 2 atoms" },
        { HEAD2("  2  1") O_ATOM H_ATOM "  0  1  1\n" END2, "bond 1 is not between" },
        { HEAD2("  2  0") "       nan    0.0000    0.0000 H\n" H_ATOM END2,
          "x of atom 1 is 'nan'" },
        { HEAD2("  2  0") H_ATOM "    1.0000    0.0000    0.0000 R#\n" END2,
          "atom 2: no element is called 'R#'" },
        { HEAD2("  2  0") H_ATOM H_ATOM END2, "record 1, line 1: atoms 1 and 2 are in one place" },
        { HEAD2("  1  0") H_ATOM END2, "record 1, line 1: 1 atom: a pose needs two" },
        { HEAD2("  0  0") END2, "record 1, line 1: 0 atoms: a pose needs two" },
        { HEAD2("999  0") END2, "line 5: atom 1: no element" },
        { "t\n     RDKit          2D\n\n", "record 1, line 2: a drawing (2D)" },
        { HEAD3("99999999999 0"), "line 6: 99999999999 atoms: 4096 at most" },
        { HEAD3("2 0") "M  V30 1 O 0 0 0 0\n" END3, "line 9: atom 2: no element is called 'ATOM'" },
        { HEAD3("1 0") "M  V30 1 O 0 0 0 0\nM  V30 2 H 1 0 0 0\n" END3,
          "line 9: expected END ATOM" },
        { HEAD3("2 0") "M  V30 1 O 0 0 inf 0\n" END3, "z of atom 1 is 'inf'" },
        { HEAD3("2 0") "M  V30 1 O 0 0\n" END3, "z of atom 1 is ''" },
        { HEAD3("2 0") "M  V30 1 O 0 0 0 -\n$$$$\n", "the record is cut short" },
        { HEAD3("2 0") "oops\n" END3, "expected a line that begins with 'M  V30'" },
        { HEAD3("two 0"), "expected numbers of atoms and bonds" },
        { "t\n\n\n 0 0 V3000\nM  V30 BEGIN TABC\n", "line 5: expected BEGIN CTAB" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(ctx, open_text(ctx, &d, "sdf", "x.sdf", wrong[i].text, 0), RECON_ERR_FORMAT,
                    wrong[i].message);
    CHECK_FAILS(ctx, recon_molecules_open(ctx, &d, "sdf:/no/such", NULL), RECON_ERR_IO, "/no/such");
}

static void bad_records_can_be_left_out(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *d = NULL;
    CHECK_OK(
        ctx,
        open_text(
            ctx, &d, "sdf", "x.sdf",
            HEAD2("  2  0") O_ATOM H_ATOM END2 HEAD2("  3  0") O_ATOM H_ATOM END2 HEAD3(
                "2 0") "M  V30 1 O -.1 -1234.5678 1 0\nM  V30 2 H 1 0 0 0\n" END3 HEAD2("  9  9"),
            1));
    recon_molecules_info i = recon_molecules_describe(d);
    assert_true(i.n == 2 && i.molecules == 1 && i.skipped == 2);
    check_same_conformer(recon_molecules_get(d, 0), recon_molecules_get(d, 1), 1e-4);
    recon_molecules_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(versions_and_formats_agree),
        SCRATCH_TEST(columns_touch_lines_go_on_and_ends_may_be_missing),
        SCRATCH_TEST(what_is_wrong_is_said_with_its_place),
        SCRATCH_TEST(bad_records_can_be_left_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
