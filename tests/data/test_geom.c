/* GEOM's files: what is in the sample comes out, in whatever form MessagePack may write it; what is
 * broken is said, or counted, and never believed. */
#include "packer.h"
#include "scratch.h"

#include "data/geom.h"

#define SAMPLE "tests/data/geom_sample.msgpack"
enum { SEEN = 8 };

typedef struct {
    size_t calls, atoms[SEEN], n[SEEN];
    char name[SEEN][64];
    float last[SEEN][3]; /* place of the last atom of the last conformer */
    double lowest[SEEN];
    recon_status answer;
} record;

static recon_status note(recon_ctx *ctx, void *arg, const recon_ensemble *e)
{
    (void)ctx;
    record *r = arg;
    size_t i = r->calls++ % SEEN;
    r->atoms[i] = e->atoms;
    r->n[i] = e->n;
    snprintf(r->name[i], sizeof r->name[i], "%s", e->name);
    memcpy(r->last[i], e->xyz + 3 * (e->atoms * e->n - 1), sizeof r->last[i]);
    r->lowest[i] = INFINITY;
    for (size_t k = 0; k < e->n; k++)
        r->lowest[i] = fmin(r->lowest[i], e->energy[k]);
    return r->answer;
}

static recon_status parse(recon_ctx *ctx, recon_geom_info *info, record *r, const packer *p,
                          int skip_bad)
{
    *r = (record){ 0 };
    return recon_geom_parse(ctx, info, p->bytes, p->n, "file",
                            &(recon_geom_options){ .skip_bad = skip_bad }, note, r);
}

static void the_sample_is_read(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r = { 0 };
    CHECK_OK(ctx, recon_geom_read(ctx, &info, SAMPLE, NULL, note, &r));
    assert_int_equal(info.molecules, 2);
    assert_int_equal(info.conformers, 70);
    assert_int_equal(info.dropped, 2);
    assert_int_equal(info.skipped, 0);
    assert_true(r.n[0] == 67 && r.atoms[0] == 18 && r.n[1] == 3 && r.atoms[1] == 19);
    assert_string_equal(r.name[0], "CC(=N)O[C@H](C#N)CN");
    CHECK_NEAR(r.lowest[0], -35.25 * 627.5094740631, 1e-6);
}

/* From a file in pieces of a buffer, from memory at once. */
static void a_stream_is_as_good_as_memory(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info[2];
    record r[2] = { 0 };
    size_t size;
    unsigned char *bytes = slurp(SAMPLE, &size);
    unsigned char *twice = malloc(4 * size); /* molecules across the ends of buffers */
    for (size_t i = 0; i < 4; i++)
        memcpy(twice + i * size, bytes, size);
    const char *path = scratch_write("four.msgpack", twice, 4 * size);
    CHECK_OK(ctx, recon_geom_read(ctx, &info[0], path, NULL, note, &r[0]));
    CHECK_OK(ctx, recon_geom_parse(ctx, &info[1], twice, 4 * size, "twice", NULL, note, &r[1]));
    assert_memory_equal(&info[0], &info[1], sizeof info[0]);
    assert_int_equal(info[0].molecules, 8);
    for (size_t i = 0; i < SEEN; i++) {
        assert_int_equal(r[0].n[i], r[1].n[i]);
        assert_memory_equal(r[0].last[i], r[1].last[i], sizeof r[0].last[i]);
    }
    free(bytes);
    free(twice);
}

/* Integers for floats, single floats, keys as bytes, unknown keys with anything in them, heads
 * longer than they need be. */
static void every_way_of_writing_it_is_read(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r;
    static packer p;
    p.n = 0;
    pack_head(&p, 0xdf, 1, 4); /* map 32 */
    pack_head(&p, 0xdb, 2, 4); /* str 32 */
    pack_bytes(&p, "HF", 2);
    pack_head(&p, 0xde, 3, 2); /* map 16 */
    pack_text(&p, "junk");
    pack_array(&p, 4);
    pack_map(&p, 1);
    pack_head(&p, 0xc0, 0, 0); /* nil for a key */
    pack_head(&p, 0xd8, 0, 0); /* fixext 16 */
    pack_bytes(&p, "\1 sixteen bytes ..", 17);
    pack_head(&p, 0xc8, 3, 2); /* ext 16 */
    pack_bytes(&p, "\1abc", 4);
    pack_head(&p, 0xc3, 0, 0); /* true */
    pack_head(&p, 0xd3, UINT64_MAX, 8);
    pack_head(&p, 0xc4, 10, 1); /* bin 8 */
    pack_bytes(&p, "conformers", 10);
    pack_head(&p, 0xdd, 1, 4); /* array 32 */
    pack_map(&p, 2);
    pack_text(&p, "xyz");
    pack_head(&p, 0xdc, 2, 2); /* array 16 */
    pack_array(&p, 4);
    for (int i = 0; i < 4; i++)
        pack_int(&p, i ? 0 : 9);
    pack_array(&p, 4);
    pack_head(&p, 0xcd, 1, 2);           /* uint 16 */
    pack_head(&p, 0xff, 0, 0);           /* -1 */
    pack_head(&p, 0xd0, 0xfe, 1);        /* int 8: -2 */
    pack_head(&p, 0xca, 0x3f400000u, 4); /* float 32: 0.75 */
    pack_text(&p, "totalenergy");
    pack_head(&p, 0xd1, 0xff9c, 2); /* int 16: -100 */
    pack_head(&p, 0xce, 7, 4);      /* a number for a key */
    pack_head(&p, 0xc2, 0, 0);
    CHECK_OK(ctx, parse(ctx, &info, &r, &p, 0));
    assert_int_equal(r.calls, 1);
    assert_string_equal(r.name[0], "HF");
    CHECK_NEAR(r.last[0][0], -1, 0);
    CHECK_NEAR(r.last[0][1], -2, 0);
    CHECK_NEAR(r.last[0][2], 0.75, 0);
    CHECK_NEAR(r.lowest[0], -62750.94740631, 1e-6);
}

static void pieces_and_radicals_are_dropped(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r;
    static packer p;
    static const struct {
        const char *smiles;
        size_t dropped;
    } keys[] = {
        { "C=C1C(=O)C=NN1C.N", 1 },
        { "N#N.[NH]C1=N[CH]OC1=O", 1 },
        { "C[CH]O", 1 },
        { "[O]C", 1 },
        { "C[C]=O", 1 },
        { "[cH]1cccc1", 1 },
        { "C[C@H](O)N", 0 },
        { "c1cc[nH]c1", 0 },
        { "C[NH3+]", 0 },
        { "[H]/N=C/C", 0 },
        { "[Si]", 0 },
        { "C[Se]C", 0 },
        { "[13CH4]", 0 },
        { "[CH3:1]C", 0 },
        { "CC[", 0 },
        { "[Cl]", 1 },
        { "[Cl-]", 0 },
        { "C[N+](=O)[O-]", 0 },
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        p.n = 0;
        pack_molecule(&p, keys[i].smiles, 1);
        pack_conformer(&p, 0.9, -100);
        CHECK_OK(ctx, parse(ctx, &info, &r, &p, 0));
        if (info.dropped != keys[i].dropped || r.calls != !keys[i].dropped)
            fail_msg("%s: dropped %zu", keys[i].smiles, info.dropped);
    }
}

/* --- broken ----------------------------------------------------------------------------------- */

/* A file that ends anywhere but between two chunks is an error; with skip_bad what came whole is
 * kept, and the rest counted. */
static void a_cut_anywhere_is_noticed(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r;
    static packer p;
    p.n = 0;
    for (int i = 0; i < 2; i++) {
        pack_molecule(&p, i ? "FH" : "HF", 2);
        pack_conformer(&p, 0.9, -100);
        pack_conformer(&p, 1.0, -99);
    }
    size_t whole = p.n, half = p.n / 2;
    for (p.n = 0; p.n <= whole; p.n++) {
        recon_status strict = parse(ctx, &info, &r, &p, 0);
        if (p.n == half || p.n == whole) {
            assert_int_equal(strict, RECON_OK);
            continue;
        }
        assert_int_equal(strict, RECON_ERR_FORMAT);
        if (p.n)
            assert_non_null(strstr(recon_ctx_message(ctx), "cut short at byte"));
        assert_int_equal(parse(ctx, &info, &r, &p, 1), p.n > half ? RECON_OK : RECON_ERR_FORMAT);
        assert_int_equal(info.molecules, p.n > half);
        if (p.n > half)
            assert_int_equal(info.skipped, 1);
    }
}

/* Lengths of billions, nests of a hundred thousand: nothing is allocated for them, nothing goes
 * down after them. */
static void bombs_do_not_go_off(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r;
    static packer p;
    static const int heads[] = { 0xdf, 0xdd, 0xdb, 0xc6, 0xc9 };
    for (int place = 0; place < 4; place++)
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
            p.n = 0;
            if (place == 1)
                pack_map(&p, 1);
            if (place == 2)
                pack_map(&p, 1), pack_text(&p, "HF");
            if (place == 3)
                pack_molecule(&p, "HF", 2), pack_map(&p, 1), pack_text(&p, "xyz");
            pack_head(&p, heads[i], UINT32_MAX, 4);
            CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, 0), RECON_ERR_FORMAT, "file: ");
        }
    p.n = 0;
    pack_map(&p, 1);
    pack_text(&p, "HF");
    memset(p.bytes + p.n, 0x91, 100000); /* arrays of one array */
    p.n += 100000;
    CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, 0), RECON_ERR_FORMAT, "cut short at byte 100005");
}

static void what_is_wrong_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r;
    static packer p;
    static const struct {
        double z, x;
        const char *message;
    } atoms[] = {
        { 1, NAN, "file: molecule 1: x of atom 2 is nan (conformer 2 of HF)" },
        { 1, INFINITY, "x of atom 2 is inf" },
        { 1, 1e300, "x of atom 2 is inf" },
        { 1, 0, "atoms 1 and 2 are in one place" },
        { 0, 1, "atom 2 is of element 0" },
        { 119, 1, "atom 2 is of element 119" },
        { 1.5, 1, "atom 2 is of element 1.5" },
        { NAN, 1, "atom 2 is of element nan" },
        { 17, 1, "other atoms than the conformers before it" },
    };
    for (size_t i = 0; i < sizeof atoms / sizeof *atoms; i++) {
        p.n = 0;
        pack_molecule(&p, "HF", 3);
        pack_conformer(&p, 0.9, -100);
        pack_map(&p, 2);
        pack_text(&p, "xyz");
        pack_array(&p, 2);
        pack_atom(&p, 9, 0, 0, 0);
        pack_atom(&p, atoms[i].z, atoms[i].x, 0, 0);
        pack_text(&p, "totalenergy");
        pack_int(&p, 1);
        pack_conformer(&p, 1.0, -99);
        CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, 0), RECON_ERR_FORMAT, atoms[i].message);
        CHECK_OK(ctx, parse(ctx, &info, &r, &p, 1));
        assert_true(info.skipped == 1 && r.n[0] == 2);
    }
}

/* The value of a key of a conformer, or the conformer itself, is something else. */
static void other_types_are_stepped_over(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r;
    static packer p;
    static const char *const messages[] = { "a conformer is not",  "xyz is not",
                                            "an atom is not",      "has 5 numbers",
                                            "a coordinate is not", "0 atoms",
                                            "no totalenergy",      "totalenergy is not" };
    for (int i = 0; i < 8; i++) {
        p.n = 0;
        pack_molecule(&p, "HF", 2);
        if (i > 0) {
            pack_map(&p, i == 6 ? 1 : 2);
            pack_text(&p, "xyz");
            if (i > 1)
                pack_array(&p, i == 5 ? 0 : 2);
            if (i > 1 && i != 5)
                pack_atom(&p, 9, 0, 0, 0);
            if (i > 5)
                pack_atom(&p, 1, 0, 0, 1);
            if (i == 3 || i == 4)
                pack_array(&p, i == 3 ? 5 : 4);
            if (i == 3)
                pack_head(&p, 0x01, 0x01010101, 4);
            if (i == 4)
                pack_head(&p, 0x01, 0x0101, 2);
        }
        if (i < 3 || i == 4)
            pack_text(&p, "?");
        if (i > 0 && i != 6) {
            pack_text(&p, "totalenergy");
            if (i == 7)
                pack_text(&p, "low");
            else
                pack_int(&p, 1);
        }
        pack_conformer(&p, 0.9, -100);
        CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, 0), RECON_ERR_FORMAT, messages[i]);
        CHECK_OK(ctx, parse(ctx, &info, &r, &p, 1));
        assert_true(info.skipped == 1 && r.n[0] == 1);
    }
}

static void what_is_no_geom_file_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_geom_info info;
    record r;
    static packer p;
    p.n = 0;
    for (int skip_bad = 0; skip_bad < 2; skip_bad++)
        CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, skip_bad), RECON_ERR_FORMAT, "no molecules");
    pack_text(&p, "PK");
    CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, 0), RECON_ERR_FORMAT, "no map of molecules");
    p.n = 0;
    pack_head(&p, 0xc1, 0, 0);
    CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, 1), RECON_ERR_FORMAT, "byte 0 is c1");
    p.n = 0;
    pack_map(&p, 1); /* a record that is none */
    pack_text(&p, "HF");
    pack_int(&p, 3);
    CHECK_FAILS(ctx, parse(ctx, &info, &r, &p, 0), RECON_ERR_FORMAT, "the record is not");
    CHECK_FAILS(ctx, recon_geom_read(ctx, &info, "/no/such", NULL, note, &r), RECON_ERR_IO,
                "/no/such: cannot open");
    CHECK_FAILS(ctx, recon_geom_read(ctx, &info, "/tmp", NULL, note, &r), RECON_ERR_IO, "/tmp: ");
}

static void the_visitor_may_stop_it(void **state)
{
    recon_ctx *ctx = *state;
    record r = { .answer = RECON_ERR_FORMAT };
    const recon_geom_options skip = { .skip_bad = 1 };
    assert_int_equal(recon_geom_read(ctx, NULL, SAMPLE, &skip, note, &r), RECON_ERR_FORMAT);
    assert_int_equal(r.calls, 1);
    recon_ctx_interrupt(ctx);
    assert_int_equal(recon_geom_read(ctx, NULL, SAMPLE, &skip, note, &r), RECON_ERR_INTERRUPTED);
    recon_ctx_resume(ctx);
}

static void memory_that_runs_out_is_said(void **state)
{
    recon_ctx *ctx = *state;
    record r = { 0 };
    CHECK_ALLOCATIONS(ctx, recon_geom_read(ctx, NULL, SAMPLE, NULL, note, &r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(the_sample_is_read),
        SCRATCH_TEST(a_stream_is_as_good_as_memory),
        SCRATCH_TEST(every_way_of_writing_it_is_read),
        SCRATCH_TEST(pieces_and_radicals_are_dropped),
        SCRATCH_TEST(a_cut_anywhere_is_noticed),
        SCRATCH_TEST(bombs_do_not_go_off),
        SCRATCH_TEST(what_is_wrong_is_said),
        SCRATCH_TEST(other_types_are_stepped_over),
        SCRATCH_TEST(what_is_no_geom_file_is_refused),
        SCRATCH_TEST(the_visitor_may_stop_it),
        SCRATCH_TEST(memory_that_runs_out_is_said),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
