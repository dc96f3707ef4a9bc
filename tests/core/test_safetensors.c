/* safetensors: every type and shape, metadata, the rules of the format, deterministic bytes. */
#include "scratch.h"
#include "core/safetensors.h"

#define DATA "tests/fuzz/corpus/safetensors/"

static const char *const names[] = { "f16", "bf16", "f32", "f64", "i8",  "i16", "i32",
                                     "i64", "u8",   "u16", "u32", "u64", "bool" };

/* tests/core/make_vectors.py: 0 .. 23 in each type. */
static void expect_types(recon_ctx *ctx, const char *path)
{
    recon_safetensors *f;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &f, path));
    assert_int_equal(recon_safetensors_count(f), 13);
    for (int t = 0; t < 13; t++) {
        recon_array a;
        double v[24];
        CHECK_OK(ctx, recon_safetensors_get(ctx, &a, f, names[t]));
        assert_int_equal(a.dtype, t);
        assert_int_equal(recon_array_count(&a), 24);
        assert_int_equal((uintptr_t)a.data % recon_dtype_size(a.dtype), 0);
        CHECK_OK(ctx, recon_array_to_f64(ctx, v, &a));
        for (int i = 0; i < 24; i++)
            assert_true(v[i] == (t == RECON_BOOL ? i != 0 : i));
        recon_array_free(&a);
    }
    assert_string_equal(recon_safetensors_metadata(f, "format"), "np");
    assert_string_equal(recon_safetensors_metadata(f, "note"), "first\nsecond");
    assert_null(recon_safetensors_metadata(f, "nothing"));
    size_t entries = 0;
    for (recon_metadata_entry e; (e = recon_safetensors_metadata_at(f, entries)).key; entries++)
        assert_ptr_equal(e.value, recon_safetensors_metadata(f, e.key));
    assert_int_equal(entries, 2);
    assert_null(recon_safetensors_metadata_at(f, 3).value);
    recon_safetensors_close(f);
}

static void every_type_is_read(void **state)
{
    expect_types(*state, DATA "types.safetensors");
    expect_types(*state, DATA "unaligned.safetensors");
}

static void scalars_and_empty_tensors(void **state)
{
    recon_safetensors *f;
    recon_array a;
    CHECK_OK(*state, recon_safetensors_open(*state, &f, DATA "scalar.safetensors"));
    CHECK_OK(*state, recon_safetensors_get(*state, &a, f, "x"));
    assert_true(a.ndim == 0 && *(const float *)a.data == 2.5f);
    recon_array_free(&a);
    CHECK_OK(*state, recon_safetensors_get(*state, &a, f, "none"));
    assert_true(a.ndim == 2 && recon_array_count(&a) == 0);
    recon_array_free(&a);
    assert_string_equal(recon_safetensors_name(f, 0), "x");
    CHECK_FAILS(*state, recon_safetensors_get(*state, &a, f, "y"), RECON_ERR_INPUT,
                "scalar.safetensors: there is no tensor 'y'");
    assert_null(recon_safetensors_metadata(f, "x"));
    assert_null(recon_safetensors_metadata_at(f, 0).key);
    recon_safetensors_close(f);
    CHECK_OK(*state, recon_safetensors_open(*state, &f, DATA "empty.safetensors"));
    assert_int_equal(recon_safetensors_count(f), 0);
    recon_safetensors_close(f);
    recon_safetensors_close(NULL);
}

/* Writes the tensors of a file again, from both ends. */
static recon_status rewrite(recon_ctx *ctx, const char *to, const char *from, int backwards)
{
    recon_safetensors *f;
    recon_tensor_entry entries[13] = { { 0 } };
    recon_metadata_entry metadata[] = { { "note", "first\nsecond" }, { "format", "np" } };
    recon_status status = recon_safetensors_open(ctx, &f, from);
    if (status != RECON_OK)
        return status;
    size_t n = recon_safetensors_count(f);
    for (size_t i = 0; i < n && status == RECON_OK; i++) {
        entries[i].name = recon_safetensors_name(f, backwards ? n - 1 - i : i);
        status = recon_safetensors_get(ctx, &entries[i].array, f, entries[i].name);
    }
    if (status == RECON_OK)
        status = recon_safetensors_write(ctx, to, entries, n, metadata, 2);
    for (size_t i = 0; i < n; i++)
        recon_array_free(&entries[i].array);
    recon_safetensors_close(f);
    return status;
}

static void what_we_write_is_read_back(void **state)
{
    size_t sizes[2];
    uint64_t header;
    CHECK_OK(*state, rewrite(*state, scratch("a"), DATA "types.safetensors", 0));
    CHECK_OK(*state, rewrite(*state, scratch("b"), DATA "types.safetensors", 1));
    expect_types(*state, scratch("a"));
    unsigned char *a = slurp(scratch("a"), &sizes[0]), *b = slurp(scratch("b"), &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(a, b, sizes[0]); /* the same bytes for any order */
    memcpy(&header, a, 8);
    assert_int_equal((8 + header) % 8, 0);
    free(a);
    free(b);
}

/* Written by us, nothing needs a copy to be aligned. */
static void our_tensors_are_used_where_they_lie(void **state)
{
    recon_safetensors *f;
    recon_array a;
    const char odd[3] = "abc";
    const double v[2] = { 1, 2 };
    const recon_tensor_entry entries[] = {
        { "bytes", { .dtype = RECON_U8, .ndim = 1, .shape = { 3 }, .data = odd } },
        { "wide", { .dtype = RECON_F64, .ndim = 1, .shape = { 2 }, .data = v } },
    };
    CHECK_OK(*state, recon_safetensors_write(*state, scratch("x"), entries, 2, NULL, 0));
    CHECK_OK(*state, recon_safetensors_open(*state, &f, scratch("x")));
    CHECK_OK(*state, recon_safetensors_get(*state, &a, f, "wide"));
    assert_null(a.block);
    assert_memory_equal(a.data, v, sizeof v);
    CHECK_OK(*state, recon_safetensors_get(*state, &a, f, "bytes"));
    assert_memory_equal(a.data, odd, sizeof odd);
    recon_safetensors_close(f);
}

static void what_cannot_be_written_is_refused(void **state)
{
    const float v[4] = { 0 };
    recon_tensor_entry e[2] = {
        { "a", { .dtype = RECON_F32, .ndim = 2, .shape = { 2, 2 }, .data = v } },
        { "a", { .dtype = RECON_F32, .ndim = 1, .shape = { 4 }, .data = v } },
    };
    recon_metadata_entry twice[] = { { "k", "v" }, { "k", "v" } }, bytes[] = { { "k", "\xff" } };
    CHECK_FAILS(*state, recon_safetensors_write(*state, scratch("x"), e, 2, NULL, 0),
                RECON_ERR_INPUT, "'a' comes twice");
    CHECK_FAILS(*state, recon_safetensors_write(*state, scratch("x"), e, 1, twice, 2),
                RECON_ERR_INPUT, "'k' comes twice");
    CHECK_FAILS(*state, recon_safetensors_write(*state, scratch("x"), e, 1, bytes, 1),
                RECON_ERR_INPUT, "not UTF-8");
    e[0].array.fortran = 1;
    CHECK_FAILS(*state, recon_safetensors_write(*state, scratch("x"), e, 1, NULL, 0),
                RECON_ERR_INPUT, "tensor 'a' is in Fortran order");
    e[0].array.fortran = 0;
    e[0].name = "__metadata__";
    CHECK_FAILS(*state, recon_safetensors_write(*state, scratch("x"), e, 1, NULL, 0),
                RECON_ERR_INPUT, "a name that is taken");
    assert_int_equal(scratch_count(), 0);
}

/* A file of this header and eight bytes of data; its length is declared so many bytes longer. */
static recon_status parse(recon_ctx *ctx, const char *header, uint64_t longer)
{
    recon_safetensors *f;
    size_t n = strlen(header);
    unsigned char *bytes = calloc(1, 8 + n + 8);
    uint64_t declared = n + longer;
    memcpy(bytes, &declared, 8);
    memcpy(bytes + 8, header, n);
    recon_status status =
        recon_safetensors_parse(ctx, &f, (recon_file){ .bytes = bytes, .size = 8 + n + 8 }, "h");
    recon_safetensors_close(f);
    free(bytes);
    return status;
}

#define T(dtype, shape, offsets)                                                                   \
    "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define ONE(dtype, shape, offsets) "{\"t\":" T(dtype, shape, offsets) "}"

static void hostile_headers_are_refused(void **state)
{
    static const struct {
        const char *header, *message;
    } cases[] = {
        { "", "line 1, column 0" },
        { "[]", "header is not an object" },
        { "{\"t\":1}", "tensor 't': not an object of dtype, shape and data_offsets" },
        { "{\"t\":{\"dtype\":\"F32\",\"shape\":[2],\"offsets\":[0,8]}}",
          "data_offsets are missing" },
        { ONE("\"F8_E4M3\"", "[8]", "[0,8]"), "dtype 'F8_E4M3' is not read" },
        { ONE("7", "[8]", "[0,8]"), "dtype is missing" },
        { ONE("\"F32\"", "2", "[0,8]"), "shape is missing" },
        { ONE("\"F32\"", "[1,1,1,1,1,1,1,1,2]", "[0,8]"), "too many dimensions" },
        { ONE("\"F32\"", "[-2]", "[0,8]"), "a dimension is not a number from 0 on" },
        { ONE("\"F32\"", "[2.0]", "[0,8]"), "a dimension is not a number from 0 on" },
        { ONE("\"F32\"", "[99999999999999999999]", "[0,8]"), "too big integer" },
        { ONE("\"F32\"", "[2]", "[0]"), "data_offsets are missing or not two numbers" },
        { ONE("\"F32\"", "[2]", "[-8,0]"), "data_offsets are missing or not two numbers" },
        { ONE("\"F32\"", "[2]", "[8,0]"), "bytes 8 to 0, but the data has 8" },
        { ONE("\"F32\"", "[4]", "[0,16]"), "bytes 0 to 16, but the data has 8" },
        { ONE("\"F32\"", "[9223372036854775807]", "[0,8]"), "8 bytes cannot hold" },
        { ONE("\"F32\"", "[4294967296,4294967296]", "[0,0]"), "0 bytes cannot hold" },
        { ONE("\"F32\"", "[3]", "[0,8]"), "tensor 't': 8 bytes cannot hold float32 3" },
        { ONE("\"F32\"", "[1]", "[0,4]"), "8 bytes of data, but tensors end at 4" },
        { ONE("\"F32\"", "[1]", "[4,8]"),
          "begins at byte 4 of the data, not at 0: there is a hole" },
        { "{\"a\":" T("\"F32\"", "[2]", "[0,8]") ",\"b\":" T("\"F32\"", "[1]", "[4,8]") "}",
          "tensor 'b' begins at byte 4 of the data, not at 8: it overlaps" },
        { "{\"a\":" T("\"F32\"", "[2]", "[0,8]") ",\"a\":" T("\"F32\"", "[2]", "[0,8]") "}",
          "duplicate object key" },
        { "{\"__metadata__\":[],\"t\":" T("\"F32\"", "[2]", "[0,8]") "}", "is not an object" },
        { "{\"__metadata__\":{\"k\":1},\"t\":" T("\"F32\"", "[2]", "[0,8]") "}",
          "__metadata__ 'k' is not a string" },
        { "{\"\\n\":1}", "tensor '?': " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(*state, parse(*state, cases[i].header, 0), RECON_ERR_FORMAT, cases[i].message);
        assert_int_equal(strncmp(recon_ctx_message(*state), "h: ", 3), 0);
        assert_null(strchr(recon_ctx_message(*state), '\n'));
    }
    const char *good = ONE("\"F32\"", "[2]", "[0,8]");
    CHECK_OK(*state, parse(*state, good, 0));
    CHECK_FAILS(*state, parse(*state, good, 9), RECON_ERR_FORMAT, "in a file of");
    CHECK_FAILS(*state, parse(*state, good, UINT64_MAX / 2), RECON_ERR_FORMAT, "in a file of");
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    size_t size;
    unsigned char *bytes = slurp(DATA "types.safetensors", &size);
    for (size_t n = 0; n < size; n++) {
        recon_safetensors *f;
        unsigned char *part = malloc(n ? n : 1);
        memcpy(part, bytes, n);
        assert_int_equal(
            recon_safetensors_parse(*state, &f, (recon_file){ .bytes = part, .size = n }, "part"),
            RECON_ERR_FORMAT);
        assert_null(f);
        free(part);
    }
    free(bytes);
}

static recon_status everything(recon_ctx *ctx)
{
    recon_safetensors *f = NULL;
    recon_array a = { 0 };
    recon_status status = recon_safetensors_open(ctx, &f, DATA "unaligned.safetensors");
    if (status == RECON_OK)
        status = recon_safetensors_get(ctx, &a, f, "f64");
    recon_array_free(&a);
    recon_safetensors_close(f);
    return status == RECON_OK ? rewrite(ctx, scratch("x"), DATA "types.safetensors", 0) : status;
}

static void without_memory_nothing_leaks(void **state)
{
    CHECK_ALLOCATIONS(*state, everything(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(every_type_is_read),
        SCRATCH_TEST(scalars_and_empty_tensors),
        SCRATCH_TEST(what_we_write_is_read_back),
        SCRATCH_TEST(our_tensors_are_used_where_they_lie),
        SCRATCH_TEST(what_cannot_be_written_is_refused),
        SCRATCH_TEST(hostile_headers_are_refused),
        SCRATCH_TEST(a_file_cut_anywhere_is_refused),
        SCRATCH_TEST(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
