/* IDX: every type, gzipped or not; hostile headers are errors with a reason. */
#include "files.h"
#include "data/formats.h"

static unsigned char file[256], packed[512];

static void numbers_come_back_in_our_byte_order(void **state)
{
    recon_ctx *ctx = *state;
    static const unsigned char data[][16] = {
        { 1, 2, 255, 4 },
        { 1, 2, 255, 4 },
        { 0, 1, 0, 2, 255, 255, 1, 0 },
        { 0, 0, 0, 1, 0, 0, 0, 2, 255, 255, 255, 255, 0, 0, 1, 0 },
        { 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0xbf, 0x80, 0, 0, 0x43, 0x80, 0, 0 },
    };
    static const int code[] = { 8, 9, 11, 12, 13 }, width[] = { 1, 1, 2, 4, 4 };
    static const double want[][4] = {
        { 1, 2, 255, 4 }, { 1, 2, -1, 4 }, { 1, 2, -1, 256 }, { 1, 2, -1, 256 }, { 1, 2, -1, 256 }
    };
    for (int k = 0; k < 5; k++)
        for (int gzip = 0; gzip < 2; gzip++) {
            recon_array a;
            double x[4];
            size_t n =
                idx_bytes(file, code[k], (uint32_t[]){ 2, 2 }, 2, data[k], 4 * (size_t)width[k]);
            size_t m = gzip_bytes(packed, sizeof packed, file, n);
            const char *path =
                gzip ? scratch_write("x.gz", packed, m) : scratch_write("x", file, n);
            CHECK_OK(ctx, recon_idx_read(ctx, &a, path));
            assert_int_equal(a.ndim, 2);
            CHECK_OK(ctx, recon_array_to_f64(ctx, x, &a));
            assert_memory_equal(x, want[k], sizeof x);
            recon_array_free(&a);
        }
}

static void hostile_files_are_refused_with_a_reason(void **state)
{
    recon_ctx *ctx = *state;
    recon_array a;
    unsigned char data[8] = { 0 };
    size_t n = idx_bytes(file, 8, (uint32_t[]){ 2, 4 }, 2, data, 8);
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(recon_idx_parse(ctx, &a, file, cut, "cut"), RECON_ERR_FORMAT);
    CHECK_FAILS(ctx, recon_idx_parse(ctx, &a, file, n + 1, "long"), RECON_ERR_FORMAT,
                "has data after its last number");
    size_t m = gzip_bytes(packed, sizeof packed, file, n);
    for (size_t cut = 2; cut < m; cut++)
        assert_int_equal(recon_idx_parse(ctx, &a, packed, cut, "cut"), RECON_ERR_FORMAT);
    packed[m - 5] ^= 1; /* the checksum */
    CHECK_FAILS(ctx, recon_idx_parse(ctx, &a, packed, m, "sum"), RECON_ERR_FORMAT, "sum");
    n = idx_bytes(file, 7, (uint32_t[]){ 2, 4 }, 2, data, 8);
    CHECK_FAILS(ctx, recon_idx_parse(ctx, &a, file, n, "type"), RECON_ERR_FORMAT,
                "not an IDX file: begins with 00000702");
    n = idx_bytes(file, 8, (uint32_t[]){ 4000000000u, 4000000000u, 4000000000u }, 3, data, 8);
    CHECK_FAILS(ctx, recon_idx_parse(ctx, &a, file, n, "huge"), RECON_ERR_FORMAT,
                "more numbers than the file can hold");
    m = gzip_bytes(packed, sizeof packed, file, n);
    CHECK_FAILS(ctx, recon_idx_parse(ctx, &a, packed, m, "bomb"), RECON_ERR_FORMAT,
                "more numbers than the file can hold");
    n = idx_bytes(file, 8, NULL, 0, data, 8);
    CHECK_FAILS(ctx, recon_idx_parse(ctx, &a, file, n, "flat"), RECON_ERR_FORMAT, "0 dimensions");
    CHECK_FAILS(ctx, recon_idx_read(ctx, &a, scratch("none")), RECON_ERR_IO, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(numbers_come_back_in_our_byte_order),
        SCRATCH_TEST(hostile_files_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
