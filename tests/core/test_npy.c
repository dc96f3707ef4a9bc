/* NPY: what NumPy wrote is read, what we write is read back, hostile headers are refused. */
#include "scratch.h"
#include "core/npy.h"
#include <recon/core/array.h>

#include <signal.h>
#include <sys/resource.h>

static const struct {
    const char *code;
    recon_dtype dtype;
} types[] = {
    { "f2", RECON_F16 }, { "f4", RECON_F32 }, { "f8", RECON_F64 }, { "i1", RECON_I8 },
    { "i2", RECON_I16 }, { "i4", RECON_I32 }, { "i8", RECON_I64 }, { "u1", RECON_U8 },
    { "u2", RECON_U16 }, { "u4", RECON_U32 }, { "u8", RECON_U64 }, { "b1", RECON_BOOL },
};
enum { TYPES = sizeof types / sizeof *types };

static const char *data(const char *code, const char *suffix)
{
    static char path[200];
    snprintf(path, sizeof path, "tests/fuzz/corpus/npy/%s%s.npy", code, suffix);
    return path;
}

/* tests/core/make_vectors.py: 0 .. 23 in 2 x 3 x 4, or whether that is not 0. */
static void expect_grid(recon_ctx *ctx, const char *path, recon_dtype dtype, int fortran)
{
    recon_array a;
    double v[24];
    int64_t n[24];
    float f[24];
    CHECK_OK(ctx, recon_npy_read(ctx, &a, path));
    assert_int_equal(a.dtype, dtype);
    assert_int_equal(a.fortran, fortran);
    assert_int_equal(a.ndim, 3);
    assert_true(a.shape[0] == 2 && a.shape[1] == 3 && a.shape[2] == 4);
    CHECK_OK(ctx, recon_array_to_f64(ctx, v, &a));
    CHECK_OK(ctx, recon_array_to_f32(ctx, f, &a));
    CHECK_OK(ctx, recon_array_to_i64(ctx, n, &a));
    for (int i = 0; i < 24; i++) {
        int want = dtype == RECON_BOOL ? i != 0 : i;
        assert_true(v[i] == want && n[i] == want && f[i] == (float)want);
    }
    recon_array_free(&a);
    recon_array_free(&a); /* twice is harmless */
}

static void what_numpy_wrote_is_read(void **state)
{
    for (int t = 0; t < TYPES; t++) {
        expect_grid(*state, data(types[t].code, ""), types[t].dtype, 0);
        expect_grid(*state, data(types[t].code, "_fortran"), types[t].dtype, 1);
    }
    expect_grid(*state, data("f2", "_swapped"), RECON_F16, 0);
    expect_grid(*state, data("f4", "_swapped"), RECON_F32, 0);
    expect_grid(*state, data("f8", "_swapped"), RECON_F64, 0);
    expect_grid(*state, data("i2", "_swapped"), RECON_I16, 0);
    expect_grid(*state, data("u8", "_swapped"), RECON_U64, 0);
    expect_grid(*state, data("version2", ""), RECON_F32, 0);
    expect_grid(*state, data("version3", ""), RECON_F32, 0);
}

/* For the types and orders that NumPy wrote, our bytes are NumPy's (which pads to 64 too). */
static void our_files_are_numpys_files(void **state)
{
    static const char *const also[] = { "scalar", "empty", "one" };
    for (int t = 0; t < 2 * TYPES + 3; t++) {
        const char *path = t < 2 * TYPES ? data(types[t / 2].code, t % 2 ? "_fortran" : "")
                                         : data(also[t - 2 * TYPES], "");
        recon_array a;
        size_t sizes[2];
        CHECK_OK(*state, recon_npy_read(*state, &a, path));
        CHECK_OK(*state, recon_npy_write(*state, scratch("x.npy"), &a));
        unsigned char *theirs = slurp(path, &sizes[0]), *ours = slurp(scratch("x.npy"), &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(theirs, ours, sizes[0]);
        recon_array_free(&a);
        free(theirs);
        free(ours);
    }
}

static void large_files_are_mapped(void **state)
{
    enum { N = 300000 };
    float *v = malloc(N * sizeof *v);
    for (int i = 0; i < N; i++)
        v[i] = (float)i;
    recon_array a = { .dtype = RECON_F32, .ndim = 2, .shape = { N / 3, 3 }, .data = v }, b;
    CHECK_OK(*state, recon_npy_write(*state, scratch("x.npy"), &a));
    CHECK_OK(*state, recon_npy_read(*state, &b, scratch("x.npy")));
    assert_true(b.mapped > 0 && (uintptr_t)b.data % 64 == 0);
    assert_memory_equal(b.data, v, N * sizeof *v);
    recon_array_free(&b);
    free(v);
}

static void rows_written_one_by_one_are_the_array(void **state)
{
    int32_t v[7][5];
    for (int i = 0; i < 35; i++)
        v[i / 5][i % 5] = i * i;
    recon_npy_writer *w;
    recon_array a;
    CHECK_OK(*state,
             recon_npy_writer_open(*state, &w, scratch("x.npy"), RECON_I32, (size_t[]){ 7, 5 }, 2));
    for (size_t i = 0, n = 0; i < 7; i += n) {
        n = i < 3 ? 1 : 2;
        CHECK_OK(*state, recon_npy_writer_append(*state, w, v[i], n));
        assert_int_equal(access(scratch("x.npy"), F_OK), -1);
    }
    CHECK_OK(*state, recon_npy_writer_commit(*state, w));
    recon_npy_writer_close(w);
    CHECK_OK(*state, recon_npy_read(*state, &a, scratch("x.npy")));
    assert_memory_equal(a.data, v, sizeof v);
    recon_array_free(&a);
}

static void a_writer_counts_its_rows(void **state)
{
    const float v[6] = { 0 };
    recon_npy_writer *w;
    CHECK_OK(*state,
             recon_npy_writer_open(*state, &w, scratch("x.npy"), RECON_F32, (size_t[]){ 2, 3 }, 2));
    CHECK_OK(*state, recon_npy_writer_append(*state, w, v, 1));
    CHECK_FAILS(*state, recon_npy_writer_commit(*state, w), RECON_ERR_INPUT, "1 of 2 rows");
    CHECK_FAILS(*state, recon_npy_writer_append(*state, w, v, 2), RECON_ERR_INPUT, "row 3 of 2");
    recon_npy_writer_close(w);
    recon_npy_writer_close(NULL);
    assert_int_equal(scratch_count(), 0);
}

static void a_failed_write_leaves_the_old_file(void **state)
{
    static const double v[100000];
    recon_array small = { .dtype = RECON_F64, .ndim = 1, .shape = { 2 }, .data = v }, a;
    recon_array large = { .dtype = RECON_F64, .ndim = 1, .shape = { 100000 }, .data = v };
    CHECK_OK(*state, recon_npy_write(*state, scratch("x.npy"), &small));
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = 50000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    recon_status status = recon_npy_write(*state, scratch("x.npy"), &large);
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK_FAILS(*state, status, RECON_ERR_IO, "/x.npy: cannot write: File too large");
    assert_int_equal(scratch_count(), 1);
    CHECK_OK(*state, recon_npy_read(*state, &a, scratch("x.npy")));
    assert_int_equal(a.shape[0], 2);
    recon_array_free(&a);
}

static void what_npy_cannot_hold_is_not_written(void **state)
{
    recon_array a = { .dtype = RECON_BF16, .ndim = 1, .shape = { 1 }, .data = "xx" };
    CHECK_FAILS(*state, recon_npy_write(*state, scratch("x.npy"), &a), RECON_ERR_INPUT,
                "NPY has no bfloat16");
    a.dtype = RECON_F32;
    a.ndim = 9;
    CHECK_FAILS(*state, recon_npy_write(*state, scratch("x.npy"), &a), RECON_ERR_INPUT,
                "9 dimensions");
    a.ndim = 2;
    a.shape[0] = a.shape[1] = SIZE_MAX / 2;
    CHECK_FAILS(*state, recon_npy_write(*state, scratch("x.npy"), &a), RECON_ERR_INPUT,
                "too large");
    assert_int_equal(scratch_count(), 0);
}

static void other_types_are_refused_by_name(void **state)
{
    recon_array a;
    CHECK_FAILS(*state, recon_npy_read(*state, &a, data("object", "")), RECON_ERR_FORMAT,
                "object arrays (dtype '|O')");
    CHECK_FAILS(*state, recon_npy_read(*state, &a, data("record", "")), RECON_ERR_FORMAT,
                "records (structured dtypes)");
    CHECK_FAILS(*state, recon_npy_read(*state, &a, data("complex", "")), RECON_ERR_FORMAT,
                "dtype '<c8'");
    CHECK_FAILS(*state, recon_npy_read(*state, &a, data("text", "")), RECON_ERR_FORMAT,
                "dtype '<U2'");
}

/* A file of version 1.0 with this header and so many bytes of data. */
static recon_status parse(recon_ctx *ctx, const char *header, size_t data_size)
{
    recon_array a;
    size_t n = strlen(header);
    unsigned char *bytes = calloc(1, 10 + n + data_size);
    memcpy(bytes, "\x93NUMPY\x01", 7);
    bytes[8] = (unsigned char)n;
    bytes[9] = (unsigned char)(n >> 8);
    memcpy(bytes + 10, header, n);
    recon_status status = recon_npy_parse(ctx, &a, bytes, 10 + n + data_size, "h.npy");
    recon_array_free(&a);
    free(bytes);
    return status;
}

static void any_spelling_of_the_dictionary_is_read(void **state)
{
    CHECK_OK(*state, parse(*state, "{'descr':'<f4','fortran_order':False,'shape':(2,3)}", 24));
    CHECK_OK(*state,
             parse(*state, "{\"shape\" : ( 2 , 3 , ) , 'fortran_order':True, 'descr':'f4'}", 24));
    CHECK_OK(*state, parse(*state, "{'descr':'=i2','fortran_order':False,'shape':()} \n", 2));
}

#define REST ", 'fortran_order': False, 'shape': (2, 3), }"

static void hostile_headers_are_refused(void **state)
{
    static const struct {
        const char *header, *message;
    } cases[] = {
        { "", "expected '{'" },
        { "{", "expected a string" },
        { "{'descr'", "expected ':'" },
        { "{'descr': '<f4", "a string does not end" },
        { "{'descr': '<f4'", "expected ',' or '}'" },
        { "{'descr': '<f4'}", "key 'fortran_order' is missing" },
        { "{'fortran_order': False, 'shape': ()}", "key 'descr' is missing" },
        { "{'descr': '<f4', 'fortran_order': False}", "key 'shape' is missing" },
        { "{'descr': '<f4', 'descr': '<f4'" REST, "key 'descr' comes twice" },
        { "{'descr': '<f4', 'more': 1" REST, "unknown key 'more'" },
        { "{'descr': '<f4'" REST " x", "something follows" },
        { "{'descr': '<f16'" REST, "dtype '<f16' is not read" },
        { "{'descr': '<b2'" REST, "dtype '<b2' is not read" },
        { "{'descr': ''" REST, "dtype '' is not read" },
        { "{'descr': 4" REST, "expected a string" },
        { "{'descr': 'O'" REST, "object arrays" },
        { "{'descr': [('a', '<f4')]" REST, "records" },
        { "{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", "expected True or False" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': 6}", "expected '('" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}", "not a tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", "expected ',' or ')'" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "is negative" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "expected a dimension" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", "expected ',' or ')'" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,", "expected a dimension" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,6)}",
          "more than 8 dimensions" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
          "a dimension is too large" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
          "float32 4294967296 x 4294967296 cannot exist" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296, 4294967296)}",
          "cannot exist" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}",
          "data is cut short: 24 bytes are there, 32 needed for float32 2 x 4" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}",
          "data is too long: 24 bytes are there, 16 needed" },
        { "{'descr': '\n\x1b[2J'" REST, "dtype '??[2J' is not read" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(*state, parse(*state, cases[i].header, 24), RECON_ERR_FORMAT, cases[i].message);
        assert_int_equal(strncmp(recon_ctx_message(*state), "h.npy: ", 7), 0);
        assert_null(strchr(recon_ctx_message(*state), '\n'));
    }
    CHECK_FAILS(*state, parse(*state, "{'descr': '<f4', 'x': 1}", 0), RECON_ERR_FORMAT,
                "h.npy: NPY header, byte 31: unknown key 'x'");
}

static recon_status parse_bytes(recon_ctx *ctx, const char *bytes, size_t n)
{
    recon_array a;
    recon_status status = recon_npy_parse(ctx, &a, bytes, n, "h.npy");
    assert_true(status != RECON_OK && !a.data && !a.block);
    return status;
}

static void hostile_beginnings_are_refused(void **state)
{
    CHECK_FAILS(*state, parse_bytes(*state, "", 0), RECON_ERR_FORMAT, "too short");
    CHECK_FAILS(*state, parse_bytes(*state, "PK\3\4 zipped", 10), RECON_ERR_FORMAT, "an archive");
    CHECK_FAILS(*state, parse_bytes(*state, "\x93NUMPY\4\0\0\0", 10), RECON_ERR_FORMAT,
                "version 4.0 is not known");
    CHECK_FAILS(*state, parse_bytes(*state, "\x93NUMPY\1\0\xff\xff{}", 12), RECON_ERR_FORMAT,
                "header is cut short: 12 bytes are there, 65545 needed");
    CHECK_FAILS(*state, parse_bytes(*state, "\x93NUMPY\2\0\xff\xff\xff\xff", 12), RECON_ERR_FORMAT,
                "4294967307 needed");
    CHECK_FAILS(*state, parse_bytes(*state, "\x93NUMPY\2\0\0\0", 10), RECON_ERR_FORMAT,
                "header is cut short");
}

/* Cut anywhere, a file is refused and never read beyond its end (the sanitizers watch). */
static void a_file_cut_anywhere_is_refused(void **state)
{
    size_t size;
    unsigned char *bytes = slurp(data("f4", "_swapped"), &size);
    for (size_t n = 0; n < size; n++) {
        recon_array a;
        unsigned char *part = malloc(n ? n : 1);
        memcpy(part, bytes, n);
        assert_int_equal(recon_npy_parse(*state, &a, part, n, "part"), RECON_ERR_FORMAT);
        free(part);
    }
    free(bytes);
}

static void data_that_is_not_aligned_is_copied(void **state)
{
    recon_array a;
    size_t size;
    unsigned char *bytes = slurp(data("f8", ""), &size), *moved = malloc(size + 1);
    double v[24];
    memcpy(moved + 1, bytes, size);
    CHECK_OK(*state, recon_npy_parse(*state, &a, moved + 1, size, "moved"));
    assert_non_null(a.block);
    CHECK_OK(*state, recon_array_to_f64(*state, v, &a));
    assert_true(v[23] == 23);
    recon_array_free(&a);
    free(bytes);
    free(moved);
}

static recon_status everything(recon_ctx *ctx)
{
    recon_array a = { 0 };
    recon_npy_writer *w = NULL;
    recon_status status = recon_npy_read(ctx, &a, data("f4", "_swapped"));
    if (status == RECON_OK)
        status = recon_npy_writer_open(ctx, &w, scratch("w.npy"), RECON_F32, a.shape, 3);
    recon_npy_writer_close(w);
    if (status == RECON_OK)
        status = recon_npy_write(ctx, scratch("x.npy"), &a);
    recon_array_free(&a);
    return status;
}

static void without_memory_nothing_leaks(void **state)
{
    CHECK_ALLOCATIONS(*state, everything(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(what_numpy_wrote_is_read),
        SCRATCH_TEST(our_files_are_numpys_files),
        SCRATCH_TEST(large_files_are_mapped),
        SCRATCH_TEST(rows_written_one_by_one_are_the_array),
        SCRATCH_TEST(a_writer_counts_its_rows),
        SCRATCH_TEST(a_failed_write_leaves_the_old_file),
        SCRATCH_TEST(what_npy_cannot_hold_is_not_written),
        SCRATCH_TEST(other_types_are_refused_by_name),
        SCRATCH_TEST(any_spelling_of_the_dictionary_is_read),
        SCRATCH_TEST(hostile_headers_are_refused),
        SCRATCH_TEST(hostile_beginnings_are_refused),
        SCRATCH_TEST(a_file_cut_anywhere_is_refused),
        SCRATCH_TEST(data_that_is_not_aligned_is_copied),
        SCRATCH_TEST(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
