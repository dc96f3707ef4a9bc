/* NPZ: what NumPy wrote is read, what we write is read back, damage is found. */
#include "scratch.h"
#include "core/npz.h"

#define DATA "tests/fuzz/corpus/npz/"

/* tests/core/make_vectors.py: grid = 0 .. 23 as float32 2 x 3 x 4; label = 0 .. 4; scalar = 2.5. */
static void expect_members(recon_ctx *ctx, const char *path)
{
    recon_npz *z;
    recon_array grid, label, scalar;
    CHECK_OK(ctx, recon_npz_open(ctx, &z, path));
    assert_int_equal(recon_npz_count(z), 3);
    assert_string_equal(recon_npz_name(z, 0), "grid");
    assert_string_equal(recon_npz_name(z, 2), "scalar");
    CHECK_OK(ctx, recon_npz_read(ctx, &grid, z, "grid"));
    CHECK_OK(ctx, recon_npz_read(ctx, &label, z, "label"));
    CHECK_OK(ctx, recon_npz_read(ctx, &scalar, z, "scalar"));
    recon_npz_close(z); /* the arrays do not need it */
    assert_true(grid.ndim == 3 && grid.shape[0] == 2 && grid.shape[2] == 4);
    assert_true(label.ndim == 1 && label.shape[0] == 5 && label.dtype == RECON_I64);
    for (int i = 0; i < 24; i++)
        assert_true(((const float *)grid.data)[i] == (float)i);
    for (int i = 0; i < 5; i++)
        assert_int_equal(((const int64_t *)label.data)[i], i);
    assert_true(scalar.ndim == 0 && *(const double *)scalar.data == 2.5);
    recon_array_free(&grid);
    recon_array_free(&label);
    recon_array_free(&scalar);
}

static void what_numpy_wrote_is_read(void **state)
{
    expect_members(*state, DATA "stored.npz");
    expect_members(*state, DATA "deflated.npz");
    expect_members(*state, DATA "piped.npz");
    recon_npz *z;
    CHECK_OK(*state, recon_npz_open(*state, &z, DATA "empty.npz"));
    assert_int_equal(recon_npz_count(z), 0);
    recon_npz_close(z);
}

static recon_status write_members(recon_ctx *ctx, const char *path, int deflate)
{
    float grid[24];
    for (int i = 0; i < 24; i++)
        grid[i] = (float)i;
    const int64_t label[] = { 0, 1, 2, 3, 4 };
    const double scalar = 2.5;
    const recon_array arrays[] = {
        { .dtype = RECON_F32, .ndim = 3, .shape = { 2, 3, 4 }, .data = grid },
        { .dtype = RECON_I64, .ndim = 1, .shape = { 5 }, .data = label },
        { .dtype = RECON_F64, .data = &scalar },
    };
    const char *const names[] = { "grid", "label", "scalar" };
    recon_npz_writer *w;
    recon_status status =
        recon_npz_writer_open(ctx, &w, path, &(recon_npz_options){ .deflate = deflate });
    for (int i = 0; i < 3 && status == RECON_OK; i++)
        status = recon_npz_writer_add(ctx, w, names[i], &arrays[i]);
    if (status == RECON_OK)
        status = recon_npz_writer_commit(ctx, w);
    recon_npz_writer_close(w);
    return status;
}

static void what_we_write_is_read_back(void **state)
{
    for (int deflate = 0; deflate < 2; deflate++) {
        size_t sizes[2];
        CHECK_OK(*state, write_members(*state, scratch("a.npz"), deflate));
        CHECK_OK(*state, write_members(*state, scratch("b.npz"), deflate));
        expect_members(*state, scratch("a.npz"));
        unsigned char *a = slurp(scratch("a.npz"), &sizes[0]);
        unsigned char *b = slurp(scratch("b.npz"), &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(a, b, sizes[0]); /* the same bytes each time */
        free(a);
        free(b);
    }
}

/* Longer than any buffer on the way, compressible and not; and with no elements at all. */
static void sizes_on_both_sides_of_the_buffers(void **state)
{
    enum { MOST = 700000 };
    unsigned char *v = malloc(MOST);
    recon_rng rng = recon_rng_new(3, 0);
    for (int i = 0; i < MOST; i++)
        v[i] = i < MOST / 2 ? (unsigned char)recon_rng_u32(&rng) : 7;
    const size_t sizes[] = { 0, 1, 16384, 65536, MOST };
    for (int k = 0; k < 10; k++) {
        recon_array a = { .dtype = RECON_U8, .ndim = 1, .shape = { sizes[k / 2] }, .data = v }, b;
        recon_npz_writer *w;
        recon_npz *z;
        CHECK_OK(*state, recon_npz_writer_open(*state, &w, scratch("x.npz"),
                                               &(recon_npz_options){ .deflate = k % 2 }));
        if (sizes[k / 2] == 0)
            a.data = NULL;
        CHECK_OK(*state, recon_npz_writer_add(*state, w, "a", &a));
        CHECK_OK(*state, recon_npz_writer_commit(*state, w));
        recon_npz_writer_close(w);
        CHECK_OK(*state, recon_npz_open(*state, &z, scratch("x.npz")));
        CHECK_OK(*state, recon_npz_read(*state, &b, z, "a"));
        assert_int_equal(b.shape[0], sizes[k / 2]);
        assert_true(sizes[k / 2] == 0 || memcmp(b.data, v, sizes[k / 2]) == 0);
        recon_array_free(&b);
        recon_npz_close(z);
    }
    free(v);
}

static void many_members_keep_their_order(void **state)
{
    recon_npz_writer *w;
    recon_npz *z;
    recon_array a;
    char name[16];
    CHECK_OK(*state, recon_npz_writer_open(*state, &w, scratch("x.npz"), NULL));
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "m%d", (i * 37) % 100);
        CHECK_OK(*state, recon_npz_writer_add(*state, w, name,
                                              &(recon_array){ .dtype = RECON_I32, .data = &i }));
    }
    CHECK_OK(*state, recon_npz_writer_commit(*state, w));
    recon_npz_writer_close(w);
    CHECK_OK(*state, recon_npz_open(*state, &z, scratch("x.npz")));
    assert_int_equal(recon_npz_count(z), 100);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(*state, recon_npz_read(*state, &a, z, recon_npz_name(z, (size_t)i)));
        assert_int_equal(*(const int32_t *)a.data, i);
        recon_array_free(&a);
    }
    recon_npz_close(z);
}

static void names_are_checked(void **state)
{
    const float v = 1;
    const recon_array a = { .dtype = RECON_F32, .data = &v };
    char name[2000] = "";
    recon_npz_writer *w;
    recon_npz *z;
    recon_array b;
    CHECK_OK(*state, recon_npz_writer_open(*state, &w, scratch("x.npz"), NULL));
    CHECK_OK(*state, recon_npz_writer_add(*state, w, "a", &a));
    CHECK_FAILS(*state, recon_npz_writer_add(*state, w, "a", &a), RECON_ERR_INPUT,
                "member 'a' comes twice");
    CHECK_FAILS(*state, recon_npz_writer_add(*state, w, "", &a), RECON_ERR_INPUT, "empty");
    memset(name, 'n', sizeof name - 1);
    CHECK_FAILS(*state, recon_npz_writer_add(*state, w, name, &a), RECON_ERR_INPUT, "too long");
    recon_npz_writer_close(w);
    assert_int_equal(scratch_count(), 0); /* no commit, no file */
    recon_npz_writer_close(NULL);
    recon_npz_close(NULL);

    CHECK_OK(*state, recon_npz_open(*state, &z, DATA "stored.npz"));
    CHECK_FAILS(*state, recon_npz_read(*state, &b, z, "nobody"), RECON_ERR_INPUT,
                "stored.npz: there is no member 'nobody'");
    recon_npz_close(z);
    CHECK_OK(*state, recon_npz_open(*state, &z, DATA "comment.npz"));
    CHECK_FAILS(*state, recon_npz_read(*state, &b, z, "raw"), RECON_ERR_FORMAT,
                "comment.npz: member 'raw': not an NPY file");
    recon_npz_close(z);
}

/* Opens and reads every member; the first failure. */
static recon_status read_all(recon_ctx *ctx, const unsigned char *bytes, size_t size, float *sum)
{
    recon_npz *z;
    recon_status status =
        recon_npz_parse(ctx, &z, (recon_file){ .bytes = bytes, .size = size }, "h.npz");
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; i < recon_npz_count(z) && status == RECON_OK; i++) {
        recon_array a;
        float v[64];
        status = recon_npz_read(ctx, &a, z, recon_npz_name(z, i));
        if (status == RECON_OK && recon_array_count(&a) <= 64) {
            recon_array_to_f32(ctx, v, &a);
            for (size_t j = 0; j < recon_array_count(&a); j++)
                *sum += v[j] * (float)(i + 1) * (float)(j + 1);
        }
        recon_array_free(&a);
    }
    recon_npz_close(z);
    return status;
}

/* Where the n-th record with this magic begins. */
static size_t find(const unsigned char *bytes, size_t size, const char *magic, int n)
{
    for (size_t i = 0; i + 4 <= size; i++)
        if (memcmp(bytes + i, magic, 4) == 0 && n-- == 0)
            return i;
    fail_msg("no such record");
    return 0;
}

static void hostile_archives_are_refused(void **state)
{
    static const struct {
        const char *file, *magic;
        int record, offset, bytes;
        uint64_t value;
        const char *message;
    } cases[] = {
        /* directory entry: flags, method, check sum, sizes, name length, offset */
        { "stored", "PK\1\2", 0, 8, 2, 1, "member 'grid': is encrypted" },
        { "deflated", "PK\1\2", 0, 10, 2, 12, "compression 12 is not read" },
        { "stored", "PK\1\2", 0, 16, 4, 7, "member 'grid': the check sum is wrong" },
        { "stored", "PK\1\2", 0, 20, 4, 100, "100 bytes cannot become 224" },
        { "stored", "PK\1\2", 0, 24, 4, 0xfffffffe, "224 bytes cannot become 4294967294" },
        { "deflated", "PK\1\2", 0, 24, 4, 0xfffffffe, "cannot become 4294967294" },
        { "deflated", "PK\1\2", 0, 24, 4, 225, "header and the directory disagree" },
        { "piped", "PK\1\2", 0, 24, 4, 223, "does not inflate to the size it declares" },
        { "piped", "PK\1\2", 0, 24, 4, 225, "does not inflate to the size it declares" },
        { "deflated", "PK\1\2", 0, 20, 4, 60000, "reaches into the directory" },
        { "stored", "PK\1\2", 0, 24, 4, 0xffffffff, "64-bit sizes are missing" },
        { "stored", "PK\1\2", 0, 28, 2, 60000, "a directory entry is cut short" },
        { "stored", "PK\1\2", 0, 28, 2, 0, "name is empty" },
        { "stored", "PK\1\2", 0, 46, 1, 0, "has a zero byte" },
        { "stored", "PK\1\2", 0, 42, 4, 0xfffffff0, "not where the directory says" },
        { "stored", "PK\1\2", 0, 42, 4, 1, "not where the directory says" },
        { "stored", "PK\1\2", 1, 0, 4, 0, "the directory is damaged" },
        /* local header: method, name, lengths */
        { "stored", "PK\3\4", 0, 8, 2, 8, "header and the directory disagree" },
        { "stored", "PK\3\4", 0, 30, 1, 'x', "header and the directory disagree" },
        { "stored", "PK\3\4", 0, 26, 2, 60000, "reaches into the directory" },
        { "stored", "PK\3\4", 0, 0, 4, 0, "not where the directory says" },
        /* end record: count, size, offset */
        { "stored", "PK\5\6", 0, 10, 2, 2, "more than its members" },
        { "stored", "PK\5\6", 0, 10, 2, 4, "more members than the directory can hold" },
        { "stored", "PK\5\6", 0, 12, 4, 0xffffffff, "does not end where" },
        { "stored", "PK\5\6", 0, 16, 4, 0xffffffff, "does not end where" },
        { "stored", "PK\5\6", 0, 20, 2, 1, "no end record" },
        { "stored", "PK\5\6", 0, 0, 4, 0, "no end record" },
        /* the 64-bit records, which we write */
        { "ours", "PK\6\7", 0, 8, 8, UINT64_MAX, "the 64-bit end record is not where" },
        { "ours", "PK\6\7", 0, 8, 8, 0, "the 64-bit end record is not where" },
        { "ours", "PK\6\6", 0, 32, 8, UINT64_MAX, "more members than" },
        { "ours", "PK\6\6", 0, 40, 8, UINT64_MAX, "does not end where" },
        { "ours", "PK\6\6", 0, 48, 8, UINT64_MAX, "does not end where" },
        { "ours", "PK\1\2", 0, 30, 2, 27, "64-bit sizes are missing" },
        { "ours", "PK\1\2", 0, 56, 2, 20, "64-bit sizes are missing" },
        { "ours", "PK\1\2", 0, 58, 8, UINT64_MAX, "cannot become 18446744073709551615" },
        { "ours", "PK\1\2", 0, 74, 8, UINT64_MAX, "not where the directory says" },
    };
    CHECK_OK(*state, write_members(*state, scratch("ours.npz"), 0));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[100];
        size_t size;
        float sum = 0;
        snprintf(path, sizeof path, DATA "%s.npz", cases[i].file);
        unsigned char *bytes =
            slurp(strcmp(cases[i].file, "ours") == 0 ? scratch("ours.npz") : path, &size);
        size_t at = find(bytes, size, cases[i].magic, cases[i].record) + (size_t)cases[i].offset;
        memcpy(bytes + at, &cases[i].value, (size_t)cases[i].bytes);
        CHECK_FAILS(*state, read_all(*state, bytes, size, &sum), RECON_ERR_FORMAT,
                    cases[i].message);
        assert_int_equal(strncmp(recon_ctx_message(*state), "h.npz: ", 7), 0);
        free(bytes);
    }
}

static void a_name_twice_is_refused(void **state)
{
    const float v = 1;
    const recon_array a = { .dtype = RECON_F32, .data = &v };
    recon_npz_writer *w;
    size_t size;
    float sum = 0;
    CHECK_OK(*state, recon_npz_writer_open(*state, &w, scratch("x.npz"), NULL));
    CHECK_OK(*state, recon_npz_writer_add(*state, w, "a", &a));
    CHECK_OK(*state, recon_npz_writer_add(*state, w, "b", &a));
    CHECK_OK(*state, recon_npz_writer_commit(*state, w));
    recon_npz_writer_close(w);
    unsigned char *bytes = slurp(scratch("x.npz"), &size);
    bytes[find(bytes, size, "PK\3\4", 1) + 30] = 'a';
    bytes[find(bytes, size, "PK\1\2", 1) + 46] = 'a';
    CHECK_FAILS(*state, read_all(*state, bytes, size, &sum), RECON_ERR_FORMAT,
                "h.npz: member 'a' comes twice");
    free(bytes);
}

/* Any one byte changed: refused, or (dates and the like) the same numbers as before. */
static void damage_is_found(void **state)
{
    static const char *const files[] = { DATA "stored.npz", DATA "deflated.npz", DATA "piped.npz" };
    for (int f = 0; f < 3; f++) {
        size_t size;
        float whole = 0;
        unsigned char *bytes = slurp(files[f], &size);
        CHECK_OK(*state, read_all(*state, bytes, size, &whole));
        for (size_t i = 0; i < size; i++)
            for (int flip = 1; flip <= 255; flip += 127) {
                float sum = 0;
                bytes[i] ^= (unsigned char)flip;
                if (read_all(*state, bytes, size, &sum) == RECON_OK)
                    assert_true(sum == whole);
                bytes[i] ^= (unsigned char)flip;
            }
        for (size_t n = 0; n < size; n++) {
            float sum = 0;
            unsigned char *part = malloc(n ? n : 1);
            memcpy(part, bytes, n);
            assert_int_equal(read_all(*state, part, n, &sum), RECON_ERR_FORMAT);
            free(part);
        }
        free(bytes);
    }
}

static recon_status everything(recon_ctx *ctx)
{
    recon_npz *z = NULL;
    recon_array a = { 0 };
    recon_status status = recon_npz_open(ctx, &z, DATA "deflated.npz");
    if (status == RECON_OK)
        status = recon_npz_read(ctx, &a, z, "grid");
    recon_npz_close(z);
    recon_array_free(&a);
    return status == RECON_OK ? write_members(ctx, scratch("x.npz"), 1) : status;
}

static void without_memory_nothing_leaks(void **state)
{
    CHECK_ALLOCATIONS(*state, everything(*state));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(what_numpy_wrote_is_read),
        SCRATCH_TEST(what_we_write_is_read_back),
        SCRATCH_TEST(sizes_on_both_sides_of_the_buffers),
        SCRATCH_TEST(many_members_keep_their_order),
        SCRATCH_TEST(names_are_checked),
        SCRATCH_TEST(hostile_archives_are_refused),
        SCRATCH_TEST(a_name_twice_is_refused),
        SCRATCH_TEST(damage_is_found),
        SCRATCH_TEST(without_memory_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
