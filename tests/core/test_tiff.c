/* TIFF: what is written comes back page by page, what others write is read, hostile files are
 * refused. */
#include "scratch.h"
#include "core/picture.h"

#ifdef RECON_HAVE_TIFF

#include <tiffio.h>

#define SEEDS "tests/fuzz/corpus/tiff/"
enum { H = 13, W = 21, MOST = 5 };

typedef struct {
    const uint8_t *bytes;
    size_t stride;
} whole;

static void copy_row(const void *user, size_t y, uint8_t *out)
{
    const whole *w = user;
    memcpy(out, w->bytes + y * w->stride, w->stride);
}

/* Pages of 1 to 5 channels, each with and without alpha, of 8 and 16 bits. */
static recon_pixels page_of(int k)
{
    return (recon_pixels){ .height = H,
                           .width = W,
                           .channels = (size_t)(1 + k % MOST),
                           .deep = k / MOST % 2,
                           .alpha = k % MOST == 1 || k % MOST == 3 };
}

static void pages_come_back(void **state)
{
    enum { PAGES = 2 * MOST };
    recon_ctx *ctx = *state;
    static uint8_t x[H * W * MOST * 2];
    recon_rng rng = recon_rng_new(3, 0);
    recon_tiff_writer *w = NULL;
    size_t pages;
    for (size_t i = 0; i < sizeof x; i++)
        x[i] = (uint8_t)recon_rng_u32(&rng);
    CHECK_OK(ctx, recon_tiff_writer_open(ctx, &w, scratch("x.tif"), sizeof x));
    for (int k = 0; k < PAGES; k++) {
        recon_pixels head = page_of(k);
        const whole all = { x, recon_pixels_size(&head) / H };
        CHECK_OK(ctx, recon_tiff_writer_add(ctx, w, &head, copy_row, &all, NULL));
    }
    CHECK_OK(ctx, recon_tiff_writer_commit(ctx, w));
    recon_tiff_writer_close(w);
    CHECK_OK(ctx, recon_picture_pages(ctx, &pages, scratch("x.tif")));
    assert_int_equal(pages, PAGES);
    for (int k = 0; k < PAGES; k++) {
        char name[32];
        recon_pixels p, head = page_of(k);
        snprintf(name, sizeof name, "x.tif#%d", k + 1);
        CHECK_OK(ctx, recon_picture_read(ctx, &p, scratch(name), 0));
        assert_true(p.height == H && p.width == W && p.channels == head.channels);
        assert_true(p.deep == head.deep && p.alpha == head.alpha);
        assert_memory_equal(p.bytes, x, recon_pixels_size(&head));
        free(p.bytes);
    }
    recon_pixels p;
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, scratch("x.tif#11"), 0), RECON_ERR_FORMAT,
                "x.tif#11: ");
}

/* A page of one pixel with five samples, as another program may have written it; its length. */
static size_t five_bands(uint8_t *out, uint16_t photometric)
{
    const uint16_t extra = photometric == PHOTOMETRIC_RGB ? 2 : 4, at = 8 + 2 + 10 * 12 + 4;
    const uint16_t tags[][4] = {
        /* tag, type, count, value or where it is */
        { 256, 3, 1, 1 },           { 257, 3, 1, 1 },
        { 258, 3, 5, at },          { 259, 3, 1, COMPRESSION_NONE },
        { 262, 3, 1, photometric }, { 273, 3, 1, at + 10 },
        { 277, 3, 1, 5 },           { 278, 3, 1, 1 },
        { 279, 3, 1, 5 },           { 338, 3, extra, extra > 2 ? at + 15 : 0 }
    };
    enum { COUNT = sizeof tags / sizeof *tags };
    memset(out, 0, 256);
    memcpy(out, "II*\0\10\0\0\0\12", 9);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < 4; j++) {
            uint8_t *to = out + 10 + 12 * i + (j < 2 ? 2 * j : 4 * (j - 1));
            to[0] = (uint8_t)tags[i][j];
            to[1] = (uint8_t)(tags[i][j] >> 8);
        }
    for (size_t i = 0; i < 5; i++)
        out[at + 2 * i] = 8;
    memcpy(out + at + 10, "abcde", 5);
    return 256;
}

static int photometric_of(const char *path)
{
    uint16_t value = 0;
    TIFF *tif = TIFFOpen(path, "r");
    assert_non_null(tif);
    TIFFGetField(tif, TIFFTAG_PHOTOMETRIC, &value);
    TIFFClose(tif);
    return value;
}

/* Five samples may be red, green, blue and two more, or grey and four more: only the source knows. */
static void bands_beyond_the_colours_keep_their_meaning(void **state)
{
    static const uint16_t both[] = { PHOTOMETRIC_RGB, PHOTOMETRIC_MINISBLACK };
    recon_ctx *ctx = *state;
    uint8_t bytes[256];
    for (int k = 0; k < 2; k++) {
        const recon_tiff_source source = { bytes, five_bands(bytes, both[k]), 0 };
        const recon_pixels head = { .height = 1, .width = 1, .channels = 5 };
        const whole all = { (uint8_t *)"abcde", 5 };
        recon_tiff_writer *w = NULL;
        CHECK_OK(ctx, recon_tiff_writer_open(ctx, &w, scratch("x.tif"), 5));
        CHECK_OK(ctx, recon_tiff_writer_add(ctx, w, &head, copy_row, &all, &source));
        CHECK_OK(ctx, recon_tiff_writer_commit(ctx, w));
        recon_tiff_writer_close(w);
        assert_int_equal(photometric_of(scratch("x.tif")), both[k]);
    }
}

static void a_file_that_is_not_committed_does_not_appear(void **state)
{
    recon_ctx *ctx = *state;
    recon_tiff_writer *w = NULL;
    const recon_pixels head = { .height = 1, .width = 1, .channels = 1 };
    CHECK_OK(ctx, recon_tiff_writer_open(ctx, &w, scratch("x.tif"), 1));
    CHECK_OK(ctx,
             recon_tiff_writer_add(ctx, w, &head, copy_row, &(whole){ (uint8_t *)"a", 1 }, NULL));
    recon_tiff_writer_close(w);
    assert_int_equal(scratch_count(), 0);
}

/* Made by Pillow and tiffcp of one picture: however it is packed, the pixels are the same. */
static void every_packing_gives_the_same_pixels(void **state)
{
    recon_ctx *ctx = *state;
    static const char *const same[] = { "tiff_lzw", "tiff_adobe_deflate",
                                        "packbits", "separate",
                                        "tiled",    "big" };
    recon_pixels want;
    CHECK_OK(ctx, recon_picture_read(ctx, &want, SEEDS "raw", 0));
    assert_true(want.height == 13 && want.width == 19 && want.channels == 3);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char path[64];
        recon_pixels p;
        snprintf(path, sizeof path, SEEDS "%s", same[i]);
        CHECK_OK(ctx, recon_picture_read(ctx, &p, path, 0));
        assert_int_equal(p.channels, 3);
        assert_memory_equal(p.bytes, want.bytes, recon_pixels_size(&want));
        free(p.bytes);
    }
    free(want.bytes);
}

static void every_kind_is_read(void **state)
{
    recon_ctx *ctx = *state;
    static const struct {
        const char *name;
        size_t height, channels;
        int deep, alpha;
    } files[] = {
        { "fax3", 13, 1, 0, 0 },  { "fax4", 13, 1, 0, 0 },  { "palette", 13, 3, 0, 0 },
        { "alpha", 13, 4, 0, 1 }, { "deep", 13, 1, 1, 0 },  { "oriented", 19, 3, 0, 0 },
        { "jpeg", 13, 3, 0, 0 },  { "stack", 13, 1, 0, 0 },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        recon_pixels p;
        snprintf(path, sizeof path, SEEDS "%s", files[i].name);
        CHECK_OK(ctx, recon_picture_read(ctx, &p, path, 0));
        assert_int_equal(p.height, files[i].height);
        assert_int_equal(p.channels, files[i].channels);
        assert_true(p.deep == files[i].deep && p.alpha == files[i].alpha);
        free(p.bytes);
    }
}

static void hostile_files_are_refused_with_a_reason(void **state)
{
    recon_ctx *ctx = *state;
    static const char *const cut[] = { "raw", "tiff_adobe_deflate", "packbits" };
    recon_pixels p;
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, SEEDS "cmyk", 0), RECON_ERR_FORMAT, "CMYK");
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, SEEDS "bomb", 0), RECON_ERR_FORMAT,
                "60000 x 60000 pixels cannot be in 386 bytes");
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
        char path[64];
        size_t size;
        snprintf(path, sizeof path, SEEDS "%s", cut[k]);
        uint8_t *file = slurp(path, &size);
        for (size_t n = 0; n < size / 2; n++) {
            CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_tiff_scan, file, n, "x"),
                        RECON_ERR_FORMAT, "x: ");
            assert_null(p.bytes);
        }
        free(file);
    }
}

static void a_page_is_a_number_behind_a_tiff(void **state)
{
    static const struct {
        const char *path;
        size_t length, page;
    } paths[] = {
        { "a/b.tif#3", 7, 2 },      { "b.TIFF#10", 6, 9 },      { "b.tif", 5, SIZE_MAX },
        { "b.png#3", 7, SIZE_MAX }, { "b.tif#0", 7, SIZE_MAX }, { "b.tif#x", 7, SIZE_MAX },
        { "b.tif#", 6, SIZE_MAX },  { "#3", 2, SIZE_MAX },      { "b.tif#3.png", 11, SIZE_MAX },
    };
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t page;
        assert_int_equal(recon_picture_page(paths[i].path, &page), paths[i].length);
        assert_int_equal(page, paths[i].page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(pages_come_back),
        SCRATCH_TEST(a_file_that_is_not_committed_does_not_appear),
        cmocka_unit_test(bands_beyond_the_colours_keep_their_meaning),
        cmocka_unit_test(every_packing_gives_the_same_pixels),
        cmocka_unit_test(every_kind_is_read),
        cmocka_unit_test(hostile_files_are_refused_with_a_reason),
        cmocka_unit_test(a_page_is_a_number_behind_a_tiff),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

#else

static void without_libtiff_the_remedy_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_pixels p;
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_tiff_scan, "", 0, "x.tif"),
                RECON_ERR_UNSUPPORTED, "x.tif: built without libtiff 4.5: install libtiff-dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCRATCH_TEST(without_libtiff_the_remedy_is_said) };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

#endif
