/* PNG: what is written comes back, all kinds are read, hostile files are refused. */
#include "scratch.h"
#include "core/picture.h"

#include <zlib.h>

#ifdef RECON_HAVE_PNG

enum { H = 13, W = 21, SIDE = 16800 };

static void noise(uint8_t *out, size_t n, uint64_t seed)
{
    recon_rng rng = recon_rng_new(seed, 0);
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)recon_rng_u32(&rng);
}

static void what_is_written_comes_back(void **state)
{
    recon_ctx *ctx = *state;
    uint8_t x[H * W * 4];
    noise(x, sizeof x, 1);
    for (size_t channels = 1; channels <= 4; channels++) {
        recon_pixels p;
        uint8_t *bytes = NULL;
        size_t size, size2;
        CHECK_OK(ctx, recon_png_write(ctx, scratch("x.png"), x, H, W, channels));
        CHECK_OK(ctx, recon_picture_read(ctx, &p, scratch("x.png"), 0));
        assert_int_equal(p.height, H);
        assert_int_equal(p.width, W);
        assert_int_equal(p.channels, channels);
        assert_memory_equal(p.bytes, x, H * W * channels);
        free(p.bytes);
        CHECK_OK(ctx, recon_png_encode(ctx, &bytes, &size, x, H, W, channels));
        unsigned char *file = slurp(scratch("x.png"), &size2);
        assert_int_equal(size, size2);
        assert_memory_equal(bytes, file, size);
        free(file);
        free(bytes);
    }
}

static const uint16_t *words(const recon_pixels *p)
{
    return (const uint16_t *)(const void *)p->bytes;
}

/* What Pillow wrote, see make_vectors.py: pixel i is 8 i, and in colour 255 - 8 i and 4 i too. */
static void what_others_write_is_read(void **state)
{
    recon_ctx *ctx = *state;
    static const char *const names[] = { "grey", "deep", "colour", "alpha" };
    static const size_t channels[] = { 1, 1, 3, 4 };
    for (int k = 0; k < 4; k++) {
        char path[64];
        recon_pixels p;
        snprintf(path, sizeof path, "tests/fuzz/corpus/png/%s.png", names[k]);
        CHECK_OK(ctx, recon_picture_read(ctx, &p, path, 0));
        assert_true(p.height == 6 && p.width == 5 && p.channels == channels[k]);
        assert_int_equal(p.deep, k == 1);
        for (unsigned i = 0; i < 30; i++) {
            const unsigned want[4] = { 8 * i, 255 - 8 * i, 4 * i, 8 * i };
            for (size_t c = 0; c < p.channels; c++) {
                size_t at = i * p.channels + c;
                assert_int_equal(p.deep ? words(&p)[at] / 257 : p.bytes[at], want[c]);
            }
        }
        free(p.bytes);
    }
}

static size_t put_word(uint8_t *out, size_t x)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(x >> (24 - 8 * i));
    return 4;
}

static size_t put_chunk(uint8_t *out, const char *type, const uint8_t *data, size_t n)
{
    put_word(out, n);
    memcpy(out + 4, type, 4);
    if (n)
        memcpy(out + 8, data, n);
    put_word(out + 8 + n, crc32(0, out + 4, (uInt)(4 + n)));
    return n + 12;
}

/* A file by hand: rows without filter bytes go in; palette and transparency may be NULL. */
typedef struct {
    size_t height, width, row;
    int depth, kind;
    const uint8_t *rows, *palette, *transparent;
    size_t n_palette, n_transparent;
} plan;

static size_t build(uint8_t *out, const plan *p)
{
    uint8_t head[13], raw[4096], packed[4096];
    size_t at = 8, n = 0;
    uLongf size = sizeof packed;
    memcpy(out, "\x89PNG\r\n\x1a\n", 8);
    put_word(head, p->width);
    put_word(head + 4, p->height);
    memcpy(head + 8, (uint8_t[]){ (uint8_t)p->depth, (uint8_t)p->kind, 0, 0, 0 }, 5);
    at += put_chunk(out + at, "IHDR", head, 13);
    if (p->palette)
        at += put_chunk(out + at, "PLTE", p->palette, p->n_palette);
    if (p->transparent)
        at += put_chunk(out + at, "tRNS", p->transparent, p->n_transparent);
    for (size_t i = 0; p->rows && i < p->height; i++, n += p->row + 1) {
        raw[n] = 0;
        memcpy(raw + n + 1, p->rows + i * p->row, p->row);
    }
    assert_int_equal(compress(packed, &size, raw, n), Z_OK);
    at += put_chunk(out + at, "IDAT", packed, size);
    return at + put_chunk(out + at, "IEND", NULL, 0);
}

static void every_kind_keeps_its_channels_and_its_depth(void **state)
{
    recon_ctx *ctx = *state;
    const uint8_t bits[] = { 0xa0 }, two[] = { 0x1b }, deep[] = { 0x80, 0x00, 0xff, 0xff };
    const uint8_t grey_alpha[] = { 200, 255, 200, 128, 200, 0 };
    const uint8_t colour_alpha[] = { 10, 100, 250, 255, 10, 100, 250, 51 };
    const uint8_t indices[] = { 1, 0, 2 }, palette[] = { 9, 8, 7, 60, 50, 40, 255, 255, 255 };
    const uint8_t alpha[] = { 255, 102 };
    const struct {
        plan plan;
        size_t channels, n;
        uint8_t want[12];
    } kinds[] = {
        { { 1, 3, 1, 1, 0, bits, 0, 0, 0, 0 }, 1, 3, { 255, 0, 255 } },
        { { 1, 4, 1, 2, 0, two, 0, 0, 0, 0 }, 1, 4, { 0, 85, 170, 255 } },
        { { 1, 2, 4, 16, 0, deep, 0, 0, 0, 0 }, 1, 4, { 0x00, 0x80, 0xff, 0xff } },
        { { 1, 3, 6, 8, 4, grey_alpha, 0, 0, 0, 0 }, 2, 6, { 200, 255, 200, 128, 200, 0 } },
        { { 1, 2, 8, 8, 6, colour_alpha, 0, 0, 0, 0 },
          4,
          8,
          { 10, 100, 250, 255, 10, 100, 250, 51 } },
        { { 1, 3, 3, 8, 3, indices, palette, 0, 9, 0 },
          3,
          9,
          { 60, 50, 40, 9, 8, 7, 255, 255, 255 } },
        { { 1, 3, 3, 8, 3, indices, palette, alpha, 9, 2 },
          4,
          12,
          { 60, 50, 40, 102, 9, 8, 7, 255, 255, 255, 255, 255 } },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint8_t file[8192];
        recon_pixels p;
        size_t size = build(file, &kinds[i].plan);
        CHECK_OK(ctx, recon_picture_whole(ctx, &p, recon_png_scan, file, size, "made"));
        assert_int_equal(p.channels, kinds[i].channels);
        assert_int_equal(recon_pixels_size(&p), kinds[i].n);
        assert_int_equal(p.deep, kinds[i].plan.depth == 16);
        assert_memory_equal(p.bytes, kinds[i].want, kinds[i].n);
        free(p.bytes);
    }
}

static void hostile_files_are_refused_with_a_reason(void **state)
{
    recon_ctx *ctx = *state;
    uint8_t x[H * W], file[8192], *bytes = NULL;
    size_t size;
    recon_pixels p;
    noise(x, sizeof x, 2);
    CHECK_OK(ctx, recon_png_encode(ctx, &bytes, &size, x, H, W, 1));
    for (size_t cut = 0; cut < size; cut++) {
        assert_int_equal(recon_picture_whole(ctx, &p, recon_png_scan, bytes, cut, "cut"),
                         RECON_ERR_FORMAT);
        assert_null(p.bytes);
    }
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_png_scan, bytes, size - 20, "cut.png"),
                RECON_ERR_FORMAT, "cut.png: the file is cut short");
    bytes[size / 2] ^= 1;
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_png_scan, bytes, size, "bent.png"),
                RECON_ERR_FORMAT, "bent.png: ");
    free(bytes);
    size = build(file, &(plan){ .height = 60000, .width = 60000, .depth = 16, .kind = 6 });
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_png_scan, file, size, "bomb"),
                RECON_ERR_FORMAT, "60000 x 60000 pixels cannot be in");
    size = build(file, &(plan){ .height = 1, .width = 70000, .depth = 8 });
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_png_scan, file, size, "wide"),
                RECON_ERR_FORMAT, "wide: ");
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_png_scan, "GIF89a..", 8, "x.gif"),
                RECON_ERR_FORMAT, "x.gif: not a PNG file");
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, scratch("none.png"), 0), RECON_ERR_IO, "none.png");
    CHECK_FAILS(ctx, recon_png_write(ctx, scratch("x.png"), x, H, W, 5), RECON_ERR_INPUT,
                "5 channels: 1 to 4");
    CHECK_FAILS(ctx, recon_png_write(ctx, scratch("x.png"), x, 0, W, 1), RECON_ERR_INPUT,
                "a picture of 0 x 21");
    assert_int_equal(scratch_count(), 0);
}

static void give_word(const void *user, size_t y, uint8_t *out)
{
    memcpy(out, (const uint16_t *)user + y * W * 3, W * 3 * sizeof(uint16_t));
}

static void sixteen_bits_come_back(void **state)
{
    recon_ctx *ctx = *state;
    uint16_t x[H * W * 3];
    const recon_pixels head = { .height = H, .width = W, .channels = 3, .deep = 1 };
    recon_pixels p;
    noise((uint8_t *)x, sizeof x, 4);
    CHECK_OK(ctx, recon_png_write_rows(ctx, scratch("x.png"), &head, give_word, x));
    CHECK_OK(ctx, recon_picture_read(ctx, &p, scratch("x.png"), 0));
    assert_true(p.deep && p.channels == 3);
    assert_memory_equal(p.bytes, x, sizeof x);
    free(p.bytes);
}

/* Rows of nothing that deflate very well: 280 MB in some 270 kB. */
static void zero_row(const void *user, size_t y, uint8_t *out)
{
    (void)user;
    (void)y;
    memset(out, 0, SIDE);
}

static void a_small_file_cannot_ask_for_much(void **state)
{
    recon_ctx *ctx = *state;
    const recon_pixels head = { .height = SIDE, .width = SIDE, .channels = 1 };
    recon_pixels p;
    CHECK_OK(ctx, recon_png_write_rows(ctx, scratch("x.png"), &head, zero_row, NULL));
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, scratch("x.png"), 0), RECON_ERR_INPUT,
                "x.png: a picture of 16800 x 16800 would take 282 MB from a file of ");
    assert_null(p.bytes);
    CHECK_OK(ctx, recon_picture_read(ctx, &p, scratch("x.png"), (size_t)300 * 1000 * 1000));
    assert_int_equal(p.width, SIDE);
    free(p.bytes);
}

static recon_status read_and_free(recon_ctx *ctx, const char *path)
{
    recon_pixels p;
    recon_status status = recon_picture_read(ctx, &p, path, 0);
    free(p.bytes);
    return status;
}

static void memory_may_run_out(void **state)
{
    recon_ctx *ctx = *state;
    uint8_t x[H * W];
    noise(x, sizeof x, 3);
    CHECK_ALLOCATIONS(ctx, recon_png_write(ctx, scratch("x.png"), x, H, W, 1));
    CHECK_ALLOCATIONS(ctx, read_and_free(ctx, scratch("x.png")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(what_is_written_comes_back),
        SCRATCH_TEST(sixteen_bits_come_back),
        SCRATCH_TEST(a_small_file_cannot_ask_for_much),
        cmocka_unit_test(what_others_write_is_read),
        cmocka_unit_test(every_kind_keeps_its_channels_and_its_depth),
        SCRATCH_TEST(hostile_files_are_refused_with_a_reason),
        SCRATCH_TEST(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

#else

static void without_libpng_the_remedy_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_pixels p;
    const uint8_t grey = 1;
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_png_scan, "", 0, "x.png"),
                RECON_ERR_UNSUPPORTED, "x.png: built without libpng: install libpng-dev");
    CHECK_FAILS(ctx, recon_png_write(ctx, scratch("x.png"), &grey, 1, 1, 1), RECON_ERR_UNSUPPORTED,
                "libpng-dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCRATCH_TEST(without_libpng_the_remedy_is_said) };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

#endif
