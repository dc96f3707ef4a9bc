/* JPEG: what is written comes back, the orientation is applied and reset, what others write is read,
 * hostile files are refused. */
#include "borders.h"
#include "scratch.h"
#include "core/picture.h"

#ifdef RECON_HAVE_JPEG

#define SEEDS "tests/fuzz/corpus/jpeg/"
enum { H = 24, W = 40, CLOSE = 6, SEGMENT = 36, ORIENTATION = 28 };

/* Smooth, and the same in no other orientation. */
static void smooth_row(const void *user, size_t y, uint8_t *out)
{
    size_t channels = *(const size_t *)user;
    for (size_t x = 0; x < W; x++)
        for (size_t c = 0; c < channels; c++)
            out[x * channels + c] = (uint8_t)(3 * x + 5 * y + 10 * c);
}

static void write_smooth(recon_ctx *ctx, const char *path, size_t channels,
                         const recon_jpeg_options *options)
{
    const recon_pixels head = { .height = H, .width = W, .channels = channels };
    CHECK_OK(ctx, recon_jpeg_write_rows(ctx, path, &head, smooth_row, &channels, options));
}

static void what_is_written_comes_back(void **state)
{
    recon_ctx *ctx = *state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        recon_pixels p;
        uint8_t want[W * 3];
        write_smooth(ctx, scratch("x.jpg"), channels, NULL);
        CHECK_OK(ctx, recon_picture_read(ctx, &p, scratch("x.jpg"), 0));
        assert_true(p.height == H && p.width == W && p.channels == channels && !p.deep && !p.alpha);
        for (size_t y = 0; y < H; y++) {
            smooth_row(&channels, y, want);
            for (size_t i = 0; i < W * channels; i++)
                assert_true(abs(p.bytes[y * W * channels + i] - want[i]) <= CLOSE);
        }
        free(p.bytes);
    }
}

static void noise_row(const void *user, size_t y, uint8_t *out)
{
    recon_rng rng = recon_rng_new(y, 0);
    for (size_t i = 0; i < *(const size_t *)user; i++)
        out[i] = (uint8_t)recon_rng_u32(&rng);
}

/* Of more than two of the blocks in which it is written. */
static void a_large_file_comes_back(void **state)
{
    enum { SIDE = 400 };
    recon_ctx *ctx = *state;
    const recon_pixels head = { .height = SIDE, .width = SIDE, .channels = 1 };
    const size_t row = SIDE;
    uint8_t want[SIDE];
    size_t size;
    recon_pixels p;
    CHECK_OK(ctx, recon_jpeg_write_rows(ctx, scratch("x.jpg"), &head, noise_row, &row,
                                        &(recon_jpeg_options){ .quality = 100 }));
    free(slurp(scratch("x.jpg"), &size));
    assert_true(size > BORDER_MOST(RECON_BLOCK_JPEG));
    CHECK_OK(ctx, recon_picture_read(ctx, &p, scratch("x.jpg"), 0));
    for (size_t y = 0; y < SIDE; y++) {
        noise_row(&row, y, want);
        for (size_t i = 0; i < row; i++)
            assert_true(abs(p.bytes[y * row + i] - want[i]) <= CLOSE);
    }
    free(p.bytes);
}

static void quality_is_heeded(void **state)
{
    recon_ctx *ctx = *state;
    size_t rough, usual, fine;
    write_smooth(ctx, scratch("x.jpg"), 3, &(recon_jpeg_options){ .quality = 10 });
    free(slurp(scratch("x.jpg"), &rough));
    write_smooth(ctx, scratch("x.jpg"), 3, NULL);
    free(slurp(scratch("x.jpg"), &usual));
    write_smooth(ctx, scratch("x.jpg"), 3, &(recon_jpeg_options){ .quality = 100 });
    free(slurp(scratch("x.jpg"), &fine));
    assert_true(rough < usual && usual < fine);
}

/* The file with an EXIF segment behind its first two bytes, in either byte order. */
static uint8_t *with_exif(const uint8_t *file, size_t *size, int orientation, int little)
{
    static const uint8_t big[SEGMENT] = "\xff\xe1\0\x22"
                                        "Exif\0\0MM\0*\0\0\0\x8"
                                        "\0\1\x1\x12\0\3\0\0\0\1\0\0\0\0\0\0\0";
    static const uint8_t small[SEGMENT] = "\xff\xe1\0\x22"
                                          "Exif\0\0II*\0\x8\0\0\0"
                                          "\1\0\x12\x1\3\0\1\0\0\0\0\0\0\0\0\0\0";
    uint8_t *out = malloc(*size + SEGMENT);
    assert_non_null(out);
    memcpy(out, file, 2);
    memcpy(out + 2, little ? small : big, SEGMENT);
    out[2 + ORIENTATION + !little] = (uint8_t)orientation;
    memcpy(out + 2 + SEGMENT, file + 2, *size - 2);
    *size += SEGMENT;
    return out;
}

static void check_turned(const recon_pixels *p, const recon_pixels *as, int orientation)
{
    for (size_t y = 0; y < as->height; y++)
        for (size_t x = 0; x < as->width; x++) {
            size_t oriented = orientation >= 5, v = oriented ? x : y, u = oriented ? y : x;
            int flip_x =
                orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
            int flip_y =
                orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
            size_t q = flip_x ? p->width - 1 - u : u, r = flip_y ? p->height - 1 - v : v;
            assert_memory_equal(p->bytes + (r * p->width + q) * 3,
                                as->bytes + (y * as->width + x) * 3, 3);
        }
}

/* A directory with an orientation as a long number, and another behind it, as of a thumbnail. */
static void a_long_orientation_is_read_and_a_thumbnail_forgotten(void **state)
{
    enum { SIZE = 6 + 8 + 2 + 12 + 4, VALUE = 6 + 8 + 2 + 8, NEXT = 6 + 8 + 2 + 12 };
    static const uint8_t orders[2][SIZE] = {
        "Exif\0\0MM\0*\0\0\0\x8\0\1\x1\x12\0\4\0\0\0\1\0\0\0\6\0\0\0\x1a",
        "Exif\0\0II*\0\x8\0\0\0\1\0\x12\x1\4\0\1\0\0\0\6\0\0\0\x1a\0\0",
    };
    for (int little = 0; little < 2; little++)
        for (size_t size = SIZE; size >= NEXT; size--) { /* cut short, too */
            uint8_t segment[SIZE];
            memcpy(segment, orders[little], SIZE);
            assert_int_equal(recon_exif_orientation(segment, size), 6);
            recon_exif_reset(segment, size);
            assert_int_equal(recon_exif_orientation(segment, size), 1);
            assert_int_equal(segment[VALUE + (little ? 0 : 3)], 1);
            int whole = size == SIZE;
            assert_int_equal(segment[NEXT + (little ? 0 : 3)], whole ? 0 : 0x1a);
        }
    (void)state;
}

static void the_orientation_is_applied_and_reset(void **state)
{
    recon_ctx *ctx = *state;
    size_t plain;
    recon_pixels as;
    write_smooth(ctx, scratch("x.jpg"), 3, NULL);
    uint8_t *file = slurp(scratch("x.jpg"), &plain);
    CHECK_OK(ctx, recon_picture_whole(ctx, &as, recon_jpeg_scan, file, plain, "x"));
    for (int k = 0; k < 16; k++) {
        int orientation = 1 + k / 2;
        size_t size = plain, written;
        recon_pixels p;
        uint8_t *tagged = with_exif(file, &size, orientation, k % 2);
        CHECK_OK(ctx, recon_picture_whole(ctx, &p, recon_jpeg_scan, tagged, size, "x"));
        assert_int_equal(p.height, orientation >= 5 ? W : H);
        check_turned(&p, &as, orientation);
        free(p.bytes);
        write_smooth(ctx, scratch("y.jpg"), 3, &(recon_jpeg_options){ 0, tagged, size });
        uint8_t *kept = slurp(scratch("y.jpg"), &written);
        size_t at = 0; /* the segment is there as it was, with an orientation of 1 */
        while (at + SEGMENT < written && memcmp(kept + at, tagged + 2, SEGMENT - 8) != 0)
            at++;
        assert_true(at + SEGMENT < written);
        assert_int_equal(recon_exif_orientation(kept + at + 4, SEGMENT - 4), 1);
        assert_int_equal(kept[at + ORIENTATION + !(k % 2)], 1);
        free(kept);
        free(tagged);
    }
    free(as.bytes);
    free(file);
}

static void what_others_write_is_read(void **state)
{
    recon_ctx *ctx = *state;
    static const struct {
        const char *name;
        size_t height, width, channels;
    } files[] = {
        { "grey", 13, 19, 1 },
        { "colour", 13, 19, 3 },
        { "progressive", 13, 19, 3 },
        { "exif", 19, 13, 3 },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        recon_pixels p;
        snprintf(path, sizeof path, SEEDS "%s", files[i].name);
        CHECK_OK(ctx, recon_picture_read(ctx, &p, path, 0));
        assert_true(p.height == files[i].height && p.width == files[i].width);
        assert_int_equal(p.channels, files[i].channels);
        free(p.bytes);
    }
}

static void hostile_files_are_refused_with_a_reason(void **state)
{
    recon_ctx *ctx = *state;
    recon_pixels p;
    size_t size;
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, SEEDS "cmyk", 0), RECON_ERR_FORMAT, "CMYK");
    CHECK_FAILS(ctx, recon_picture_read(ctx, &p, SEEDS "bomb", 0), RECON_ERR_FORMAT,
                "60000 x 60000 pixels cannot be in 380 bytes");
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_jpeg_scan, "\xff\xd8", 2, "x"),
                RECON_ERR_FORMAT, "not a JPEG file");
    uint8_t *file = slurp(SEEDS "progressive", &size);
    for (size_t n = 0; n + 8 < size; n++) {
        CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_jpeg_scan, file, n, "x"),
                    RECON_ERR_FORMAT, "x: ");
        assert_null(p.bytes);
    }
    free(file);
    static const char *const others[] = { "GIF89a", "RIFF....WEBP", "BM      " };
    static const char *const names[] = { "a GIF file", "a WebP file", "a BMP file" };
    for (int i = 0; i < 3; i++) {
        recon_picture_sink sink = { 0 };
        CHECK_FAILS(ctx, recon_picture_scan(ctx, &sink, others[i], strlen(others[i]), "x"),
                    RECON_ERR_FORMAT, names[i]);
    }
}

static void what_jpeg_cannot_hold_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    const recon_pixels deep = { .height = 1, .width = 1, .channels = 1, .deep = 1 };
    CHECK_FAILS(ctx, recon_jpeg_write_rows(ctx, scratch("x.jpg"), &deep, smooth_row, NULL, NULL),
                RECON_ERR_INPUT, "1 or 3 channels of 8 bits");
    assert_int_equal(scratch_count(), 0);
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
    CHECK_ALLOCATIONS(ctx, read_and_free(ctx, SEEDS "exif"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(what_is_written_comes_back),
        SCRATCH_TEST(quality_is_heeded),
        SCRATCH_TEST(a_large_file_comes_back),
        SCRATCH_TEST(the_orientation_is_applied_and_reset),
        cmocka_unit_test(a_long_orientation_is_read_and_a_thumbnail_forgotten),
        cmocka_unit_test(what_others_write_is_read),
        cmocka_unit_test(hostile_files_are_refused_with_a_reason),
        SCRATCH_TEST(what_jpeg_cannot_hold_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

#else

static void without_libjpeg_the_remedy_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_pixels p;
    CHECK_FAILS(ctx, recon_picture_whole(ctx, &p, recon_jpeg_scan, "", 0, "x.jpg"),
                RECON_ERR_UNSUPPORTED, "x.jpg: built without libjpeg: install libjpeg62-turbo-dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = { SCRATCH_TEST(without_libjpeg_the_remedy_is_said) };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

#endif
