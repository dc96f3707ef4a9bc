/* PGM and PPM: all four kinds, comments, scaling, and files that lie. */
#include "scratch.h"

#include "core/picture.h"

static void check(recon_ctx *ctx, const char *file, size_t size, size_t channels, const char *want)
{
    recon_pixels p;
    CHECK_OK(ctx, recon_picture_whole(ctx, &p, recon_pnm_scan, file, size, "made"));
    assert_int_equal(p.height, 2);
    assert_int_equal(p.width, 1);
    assert_int_equal(p.channels, channels);
    assert_memory_equal(p.bytes, want, 2 * channels);
    free(p.bytes);
}
#define TEXT(x) x, sizeof(x) - 1

static void every_kind_is_read(void **state)
{
    recon_ctx *ctx = *state;
    check(ctx, TEXT("P2\n# made by hand\n1 2\n255\n7 # seven\n200\n"), 1, "\x07\xc8");
    check(ctx, TEXT("P2 1 2 15 15 1"), 1, "\xff\x11");
    check(ctx, TEXT("P5\n1 2\n255\n\x07\x20"), 1, "\x07\x20");
    check(ctx, TEXT("P3 1 2 255 1 2 3 4 5 6"), 3, "\1\2\3\4\5\6");
    check(ctx, TEXT("P6 1 2 255 abcdef and more"), 3, "abcdef");
}

static void values_above_255_stay_16_bits(void **state)
{
    recon_ctx *ctx = *state;
    static const char *const files[] = { "P5 1 2 65535 \x80\x80\xff\xff", "P2 1 2 1023 514 1023" };
    static const uint16_t want[][2] = { { 0x8080, 0xffff }, { 32928, 0xffff } };
    for (int i = 0; i < 2; i++) {
        recon_pixels p;
        CHECK_OK(ctx,
                 recon_picture_whole(ctx, &p, recon_pnm_scan, files[i], strlen(files[i]), "deep"));
        assert_int_equal(p.deep, 1);
        assert_memory_equal(p.bytes, want[i], sizeof want[i]);
        free(p.bytes);
    }
}

static void what_is_wrong_is_said(void **state)
{
    recon_ctx *ctx = *state;
    static const struct {
        const char *file, *message;
    } wrong[] = {
        { "", "not a PGM or PPM file" },
        { "P4 1 1 1 a", "not a PGM or PPM file" },
        { "P5 ", "the width is missing" },
        { "P5 x 1 255 a", "the width is missing" },
        { "P5 1 99999999999999999999 255 a", "the height is above 65535" },
        { "P5 1 0 255 a", "0 x 1 pixels" },
        { "P5 1 1 0 a", "up to 0" },
        { "P5 60000 60000 255 a", "cut short" },
        { "P6 1 1 255 ab", "cut short" },
        { "P2 1 2 255 7  ", "the next value is missing" },
        { "P2 1 1 9 10", "a value of 10, above its maximum of 9" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        recon_pixels p;
        CHECK_FAILS(ctx,
                    recon_picture_whole(ctx, &p, recon_pnm_scan, wrong[i].file,
                                        strlen(wrong[i].file), "made.pgm"),
                    RECON_ERR_FORMAT, wrong[i].message);
        assert_null(p.bytes);
    }
    recon_pixels p;
    CHECK_OK(ctx, recon_picture_read(ctx, &p, scratch_write("a.pgm", "P5 1 1 255 a", 12), 0));
    assert_int_equal(p.bytes[0], 'a');
    free(p.bytes);
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, scratch("none"), 0), RECON_ERR_IO, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_read),
        cmocka_unit_test(values_above_255_stay_16_bits),
        SCRATCH_TEST(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
