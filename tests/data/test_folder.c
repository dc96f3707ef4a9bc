/* Folders of pictures: order, classes, sizes, and broken files that are named or counted. */
#include "data/folder.h"
#include "scratch.h"

#include "core/picture.h"
#include "data/dataset.h"
#include <recon/data/dataset.h>
#include <sys/stat.h>

static const char *spec(void)
{
    static char text[600];
    snprintf(text, sizeof text, "images:%s", scratch_folder);
    return text;
}

/* A picture of one value. */
static void put(recon_ctx *ctx, const char *name, size_t height, size_t width, size_t channels,
                uint8_t value)
{
    static uint8_t pixels[3 * 60 * 34];
    assert_true(height * width * channels <= sizeof pixels);
    memset(pixels, value, sizeof pixels);
    CHECK_OK(ctx, recon_png_write(ctx, scratch(name), pixels, height, width, channels));
}

static int clear_all(void **state)
{
    (void)state;
    static const char *const folder[] = { "cats", "dogs", "empty", "ants" };
    for (int i = 0; i < 4; i++) {
        char path[1024];
        DIR *dir = opendir(scratch(folder[i]));
        for (struct dirent *e; dir && (e = readdir(dir));) {
            snprintf(path, sizeof path, "%s/%s", scratch(folder[i]), e->d_name);
            unlink(path);
        }
        if (dir)
            closedir(dir);
        rmdir(scratch(folder[i]));
    }
    scratch_clear();
    return 0;
}

static float first_pixel(const recon_dataset *d, size_t i, int32_t *label)
{
    float x[3 * 64];
    *label = recon_dataset_get(x, d, i);
    return x[0] * 255;
}

static void pictures_come_by_name(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    int32_t label;
    put(ctx, "b.png", 4, 5, 1, 20);
    put(ctx, "a10.PNG", 4, 5, 1, 10);
    scratch_write("c.pgm", "P5 5 4 255 ####################", 31);
    scratch_write("notes.txt", "no picture", 10);
    scratch_write(".hidden.png", "no picture", 10);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    recon_dataset_info i = recon_dataset_describe(d);
    assert_true(i.n == 3 && i.height == 4 && i.width == 5 && i.channels == 1);
    assert_true(i.classes == 0 && i.skipped == 0);
    const float want[] = { 10, 20, '#' };
    for (size_t k = 0; k < 3; k++) {
        CHECK_NEAR(first_pixel(d, k, &label), want[k], 1e-4);
        assert_int_equal(label, -1);
    }
    recon_dataset_close(d);
    unlink(scratch(".hidden.png"));
}

static void sub_folders_are_classes_by_name(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL, *rotated = NULL;
    static const char *const name[] = { "ants", "cats", "dogs" };
    static const recon_rotation_rule still = { 0 };
    int32_t label;
    assert_int_equal(mkdir(scratch("dogs"), 0700) | mkdir(scratch("cats"), 0700) |
                         mkdir(scratch("empty"), 0700) | mkdir(scratch("ants"), 0700),
                     0);
    put(ctx, "dogs/1.png", 2, 2, 3, 5);
    put(ctx, "cats/2.png", 2, 2, 3, 4);
    put(ctx, "cats/1.png", 2, 2, 3, 3);
    put(ctx, "ants/1.png", 2, 2, 3, 2);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_int_equal(recon_dataset_describe(d).classes, 3);
    assert_int_equal(recon_dataset_describe(d).channels, 3);
    const int32_t want[] = { 0, 1, 1, 2 };
    for (size_t k = 0; k < 4; k++) {
        CHECK_NEAR(first_pixel(d, k, &label), (double)k + 2, 1e-4);
        assert_int_equal(label, want[k]);
    }
    CHECK_OK(ctx, recon_dataset_rotate(ctx, &rotated, d, &still, 1));
    recon_dataset_close(d); /* names of what was rotated outlive it */
    for (size_t c = 0; c < 3; c++)
        assert_string_equal(recon_dataset_class_name(rotated, c), name[c]);
    assert_null(recon_dataset_class_name(rotated, 3));
    recon_dataset_close(rotated);
    put(ctx, "stray.png", 2, 2, 3, 9);
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec()), RECON_ERR_INPUT,
                "holds pictures and folders of pictures");
}

static void the_first_bad_picture_is_named_or_all_are_counted(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    int32_t label;
    char name[16];
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "%02d.png", i);
        put(ctx, name, 3, 4, 1, (uint8_t)(i + 1));
    }
    scratch_write("17.png", "junk", 4);
    scratch_write("40.png", "\x89PNG\r\n\x1a\n....", 12);
    scratch_write("50.png", "P5 4 3 255 ###", 14);
    for (int i = 0; i < 5; i++) /* whichever thread is faster */
        CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec()), RECON_ERR_FORMAT,
                    "17.png: not a PNG, JPEG, TIFF, PGM or PPM file");
    put(ctx, "17.png", 3, 4, 1, 18);
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec()), RECON_ERR_FORMAT, "40.png: ");
    scratch_write("00.png", "", 0); /* the first is not the measure when it cannot be read */
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec()), RECON_ERR_FORMAT,
                "00.png: not a PNG, JPEG, TIFF, PGM or PPM file");
    CHECK_OK(ctx,
             recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .skip_bad = 1 }));
    assert_int_equal(recon_dataset_describe(d).n, 57);
    assert_int_equal(recon_dataset_describe(d).skipped, 3);
    for (size_t k = 0; k < 57; k++)
        CHECK_NEAR(first_pixel(d, k, &label), k < 39 ? k + 2 : k < 48 ? k + 3 : k + 4, 1e-4);
    assert_string_equal(recon_dataset_file(d, 0), "01.png");
    assert_string_equal(recon_dataset_file(d, 56), "59.png");
    const char *const why[] = { "00.png: not a PNG, JPEG, TIFF, PGM or PPM file",
                                "40.png: ", "50.png: " };
    for (size_t k = 0; k < 3; k++)
        assert_non_null(strstr(recon_dataset_skipped(d, k), why[k]));
    assert_null(recon_dataset_skipped(d, 3));
    recon_dataset_close(d);
}

/* Nothing was asked for: colour where one has it, and the middle one of the shorter sides. */
static void pictures_of_different_kinds_become_one(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL, *part = NULL;
    recon_pixels own;
    float x[3 * 64];
    put(ctx, "a b.png", 4, 6, 1, 100);
    put(ctx, "b.png", 3, 5, 3, 100);
    put(ctx, "c.png", 7, 8, 1, 100);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    recon_dataset_info i = recon_dataset_describe(d);
    assert_true(i.n == 3 && i.height == 4 && i.width == 4 && i.channels == 3 && i.skipped == 0);
    for (size_t k = 0; k < 3; k++) {
        recon_dataset_get(x, d, k);
        CHECK_NEAR(x[3 * (2 * 4 + 3) + 1] * 255, 100, 1e-4);
    }
    CHECK_OK(ctx, recon_dataset_take(ctx, &part, d, 1, 3));
    size_t row = recon_dataset_row(part, 0);
    assert_string_equal(recon_dataset_file(part, 0), recon_dataset_file(d, row));
    CHECK_OK(ctx, recon_picture_read(ctx, &own, recon_dataset_path(d, 2), 0)); /* as it is */
    assert_true(own.height == 7 && own.width == 8 && own.channels == 1 && own.bytes[0] == 100);
    free(own.bytes);
    recon_dataset_close(part);
    recon_dataset_close(d);
    for (size_t k = 0; k < 3; k++)
        put(ctx, (const char *[]){ "a b.png", "b.png", "c.png" }[k], 10, 30 + k, 1, 100);
    put(ctx, "d.png", 60, 34, 3, 90);
    put(ctx, "e.png", 60, 34, 3, 90);
    CHECK_OK(ctx,
             recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .channels = 1 }));
    i = recon_dataset_describe(d);
    assert_true(i.n == 5 && i.height == 10 && i.channels == 1);
    recon_dataset_close(d);
    CHECK_FAILS(
        ctx, recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .channels = 33 }),
        RECON_ERR_INPUT, "pictures of 33 channels: 1 to 32");
}

static void grey_is_the_luminance_of_colours(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    const uint8_t colours[] = { 255, 0, 0, 0, 255, 0, 0, 0, 255, 80, 80, 80 };
    const double want[] = { 76, 150, 29, 80 };
    float x[4];
    CHECK_OK(ctx, recon_png_write(ctx, scratch("a.png"), colours, 2, 2, 3));
    CHECK_OK(ctx,
             recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .channels = 1 }));
    recon_dataset_get(x, d, 0);
    for (size_t k = 0; k < 4; k++)
        CHECK_NEAR(x[k] * 255, want[k], 1e-4);
    recon_dataset_close(d);
}

static void pictures_of_all_sizes_can_be_made_alike(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    float x[16];
    put(ctx, "a.png", 4, 4, 1, 100);
    put(ctx, "b.png", 8, 4, 1, 100);
    put(ctx, "c.png", 1, 2, 1, 100);
    CHECK_OK(ctx, recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .size = 4 }));
    for (size_t k = 0; k < 3; k++) {
        recon_dataset_get(x, d, k);
        for (int j = 0; j < 16; j++)
            CHECK_NEAR(x[j] * 255, 100, 1e-4); /* no bars beside any of them */
    }
    assert_true(recon_dataset_is_cut(d));
    recon_dataset_close(d);
    CHECK_FAILS(ctx,
                recon_dataset_open_with(ctx, &d, "npy:x", &(recon_dataset_options){ .size = 4 }),
                RECON_ERR_INPUT, "only folders of pictures");
    CHECK_FAILS(
        ctx, recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .size = 1 << 20 }),
        RECON_ERR_INPUT, "a size of 1048576");
}

/* A coloured object is cropped from all of its channels. */
static void crops_of_a_folder_are_those_of_its_pictures(void **state)
{
    enum { SIDE = 24, OUT = 8 };
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    static uint8_t pixels[SIDE * SIDE * 3];
    float x[SIDE * SIDE * 3], want[OUT * OUT * 3], got[OUT * OUT * 3];
    for (size_t i = 0; i < SIDE * SIDE; i++)
        for (size_t c = 0; c < 3; c++) {
            size_t row = i / SIDE, column = i % SIDE;
            int inside = row > 12 && row < 20 && column > 4 && column < 14;
            pixels[3 * i + c] = inside ? (uint8_t)(80 * (c + 1)) : 0;
            x[3 * i + c] = pixels[3 * i + c] / 255.0f;
        }
    CHECK_OK(ctx, recon_png_write(ctx, scratch("a.png"), pixels, SIDE, SIDE, 3));
    CHECK_OK(ctx, recon_image_crop(ctx, want, OUT, OUT, x, SIDE, SIDE, 3));
    CHECK_OK(ctx, recon_dataset_open_with(ctx, &d, spec(),
                                          &(recon_dataset_options){ .size = OUT, .crop = 1 }));
    recon_dataset_get(got, d, 0);
    for (size_t i = 0; i < OUT * OUT * 3; i++)
        CHECK_NEAR(got[i], want[i], 1.0 / 255);
    recon_dataset_close(d);
}

/* Strokes of one colour on a transparent ground: whatever the colour, they can be told from it, and
 * the ground is that of the outside. */
static void strokes_on_a_transparent_ground_are_seen(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    uint8_t x[8 * 8 * 4];
    float got[8 * 8 * 3];
    const uint8_t ink[] = { 0, 255, 100, 0 }, want[] = { 128, 255, 178, 128 };
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 64; i++) {
            int on = i % 8 == 3 || i % 8 == 4;
            memset(x + 4 * i, k == 3 && i < 32 ? 255 : ink[k], 3); /* the last: half dark */
            x[4 * i + 3] = on ? 255 : 0;
        }
        CHECK_OK(ctx, recon_png_write(ctx, scratch("a.png"), x, 8, 8, 4));
        CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
        recon_dataset_get(got, d, 0);
        for (int i = 0; i < 64; i++)
            CHECK_NEAR(got[3 * i] * 255,
                       i % 8 != 3 && i % 8 != 4 ? 0
                       : k == 3 && i < 32       ? 255
                                                : want[k],
                       1e-3);
        recon_dataset_close(d);
        scratch_clear();
    }
    for (int i = 0; i < 64; i++) /* opaque all over: alpha does not matter */
        memcpy(x + 4 * i, (const uint8_t[]){ 7, 8, (uint8_t)i, 255 }, 4);
    CHECK_OK(ctx, recon_png_write(ctx, scratch("a.png"), x, 8, 8, 4));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    recon_dataset_get(got, d, 0);
    for (int i = 0; i < 64; i++)
        CHECK_NEAR(got[3 * i + 2] * 255, i, 1e-3);
    recon_dataset_close(d);
}

/* A picture of 10 x 20: grey 100, and the first `clear` pixels of another alpha. */
static void put_clear(recon_ctx *ctx, const char *name, int clear, uint8_t alpha)
{
    uint8_t x[200 * 2];
    for (int i = 0; i < 200; i++)
        memcpy(x + 2 * i, (const uint8_t[]){ 100, i < clear ? alpha : 255 }, 2);
    CHECK_OK(ctx, recon_png_write(ctx, scratch(name), x, 10, 20, 2));
}

/* One per cent of the pixels decides, and only pixels that are well below opaque count. */
static void a_few_transparent_pixels_change_nothing_else(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    const struct {
        int clear;
        uint8_t alpha;
        double first, last;
    } is[] = { { 0, 0, 100, 100 },     { 1, 254, 100, 100 }, { 1, 0, 0, 100 },
               { 200, 128, 50, 50 },   { 2, 127, 89, 178 },  { 2, 0, 0, 178 },
               { 100, 254, 100, 100 }, { 100, 0, 0, 178 } };
    for (size_t k = 0; k < sizeof is / sizeof *is; k++) {
        float x[200];
        put_clear(ctx, "a.png", is[k].clear, is[k].alpha);
        CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
        recon_dataset_get(x, d, 0);
        CHECK_NEAR(x[0] * 255, is[k].first, 1e-3);
        CHECK_NEAR(x[199] * 255, is[k].last, 1e-3);
        recon_dataset_close(d);
    }
}

static char warned[1024];

static void keep_warning(void *user, recon_log_level level, const char *message)
{
    (void)user;
    if (level == RECON_LOG_WARN && strstr(message, "transparent"))
        snprintf(warned, sizeof warned, "%s", message);
}

static void a_mix_of_opaque_and_transparent_is_told(void **state)
{
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .on_log = keep_warning });
    recon_dataset *d = NULL;
    (void)state;
    assert_non_null(ctx);
    *warned = '\0';
    put_clear(ctx, "a.png", 100, 0);
    put_clear(ctx, "b.png", 100, 0);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_true(!*warned);
    recon_dataset_close(d);
    put_clear(ctx, "c.png", 1, 0);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_non_null(strstr(warned, "mixes transparent pictures (2) with opaque ones (1)"));
    recon_dataset_close(d);
    recon_ctx_free(ctx);
}

static void the_original_keeps_alpha_and_depth(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    recon_pixels own;
    const uint8_t x[] = { 9, 8, 7, 6, 5, 4, 3, 2 };
    CHECK_OK(ctx, recon_png_write(ctx, scratch("a.png"), x, 1, 2, 4));
    scratch_write("b.pgm", "P5 2 1 65535 abcd", 17);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    CHECK_OK(ctx, recon_picture_read(ctx, &own, recon_dataset_path(d, 0), 0));
    assert_true(own.channels == 4 && !own.deep && !memcmp(own.bytes, x, sizeof x));
    free(own.bytes);
    CHECK_OK(ctx, recon_picture_read(ctx, &own, recon_dataset_path(d, 1), 0));
    assert_true(own.channels == 1 && own.deep &&
                ((uint16_t *)(void *)own.bytes)[1] == ('c' << 8 | 'd'));
    free(own.bytes);
    recon_dataset_close(d);
}

static void what_is_not_read_is_told(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    put(ctx, "a.png", 4, 5, 1, 20);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_true(recon_dataset_unread(d) == 0 && !recon_dataset_unread_why(d, 0));
    recon_dataset_close(d);
    static const char *const others[] = { "b.gif", "c.GIF", "d.webp", "notes.txt", ".e.gif" };
    for (int i = 0; i < 5; i++)
        scratch_write(others[i], "?", 1);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_int_equal(recon_dataset_describe(d).n, 1);
    assert_int_equal(recon_dataset_unread(d), 3);
    assert_non_null(strstr(recon_dataset_unread_why(d, 0), "2 .gif files are not read"));
    assert_non_null(strstr(recon_dataset_unread_why(d, 0),
                           "find DIR -iname '*.gif' -exec mogrify -format png {} +"));
    assert_non_null(strstr(recon_dataset_unread_why(d, 1), "1 .webp file is not read"));
    assert_null(recon_dataset_unread_why(d, 2));
    recon_dataset_close(d);
    unlink(scratch("a.png"));
    unlink(scratch(".e.gif"));
    CHECK_FAILS(
        ctx, recon_dataset_open(ctx, &d, spec()), RECON_ERR_INPUT,
        "no PNG, JPEG, TIFF, PGM or PPM files: 2 .gif files are not read: convert them first");
}

static void pictures_too_deep_are_told(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    assert_int_equal(mkdir(scratch("cats"), 0700) | mkdir(scratch("cats/kittens"), 0700), 0);
    put(ctx, "cats/1.png", 2, 2, 3, 4);
    put(ctx, "cats/kittens/1.png", 2, 2, 3, 4);
    put(ctx, "cats/kittens/2.png", 2, 2, 3, 4);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_true(recon_dataset_describe(d).n == 1 && recon_dataset_unread(d) == 2);
    assert_non_null(strstr(recon_dataset_unread_why(d, 0), "2 pictures are not read"));
    assert_non_null(strstr(recon_dataset_unread_why(d, 0), "(cats/kittens)"));
    assert_non_null(strstr(recon_dataset_unread_why(d, 0), "they lie in folders"));
    recon_dataset_close(d);
    unlink(scratch("cats/kittens/1.png"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_non_null(strstr(recon_dataset_unread_why(d, 0), "1 picture is not read: it lies in"));
    recon_dataset_close(d);
    unlink(scratch("cats/kittens/2.png"));
    rmdir(scratch("cats/kittens"));
}

/* Nothing below the classes is read: links there are not followed, and folders that cannot be
 * listed change nothing. */
static void what_is_too_deep_does_no_harm(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    assert_int_equal(mkdir(scratch("cats"), 0700) | mkdir(scratch("cats/kittens"), 0700), 0);
    assert_int_equal(mkdir(scratch("away"), 0700), 0);
    put(ctx, "cats/1.png", 2, 2, 3, 4);
    put(ctx, "away/1.png", 2, 2, 3, 4);
    assert_int_equal(symlink("../away", scratch("cats/link")), 0);
    assert_int_equal(symlink("../../away", scratch("cats/kittens/link")), 0);
    assert_int_equal(symlink("/", scratch("cats/root")), 0);
    assert_int_equal(symlink("nowhere", scratch("cats/dangling")), 0);
    for (int mode = 0; mode <= 0700; mode += 0700) { /* root lists it in any mode */
        assert_int_equal(chmod(scratch("cats/kittens"), (mode_t)mode), 0);
        CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
        assert_int_equal(recon_dataset_describe(d).n, 2); /* cats/1.png and away/1.png */
        assert_int_equal(recon_dataset_unread(d), 0);
        recon_dataset_close(d);
    }
    static const char *const made[] = { "cats/kittens/link", "cats/link", "cats/root",
                                        "cats/dangling", "away/1.png" };
    for (int i = 0; i < 5; i++)
        unlink(scratch(made[i]));
    rmdir(scratch("cats/kittens"));
    rmdir(scratch("away"));
}

/* Both names mean the same; pictures of one size that is too large are fitted. */
static void images_is_the_name_of_a_folder_of_pictures(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    char other[600];
    static uint8_t wide[100 * 3000];
    put(ctx, "a.png", 4, 5, 1, 20);
    snprintf(other, sizeof other, "images:%s", scratch_folder);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, other));
    assert_true(recon_dataset_describe(d).width == 5);
    recon_dataset_close(d);
    snprintf(other, sizeof other, "images:%s/a.png", scratch_folder);
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, other)); /* one picture alone */
    assert_true(recon_dataset_describe(d).n == 1 && recon_dataset_describe(d).width == 5);
    assert_string_equal(recon_dataset_file(d, 0), "a.png");
    recon_dataset_close(d);
    CHECK_OK(ctx, recon_png_write(ctx, scratch("a.png"), wide, 100, 3000, 1));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec()));
    assert_true(recon_dataset_describe(d).width == RECON_SIZE_CHOSEN);
    recon_dataset_close(d);
    put(ctx, "a.png", 30, 40, 1, 20);
    for (int is_auto = 0; is_auto < 2; is_auto++) { /* training leaves the size open */
        const recon_dataset_options o = { .size = is_auto ? RECON_SIZE_AUTO : 0 };
        CHECK_OK(ctx, recon_dataset_open_with(ctx, &d, spec(), &o));
        assert_true(recon_dataset_describe(d).width == (is_auto ? 30 : 40));
        assert_true(recon_dataset_is_cut(d));
        recon_dataset_close(d);
    }
}

static void nothing_to_read_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec()), RECON_ERR_INPUT,
                "no PNG, JPEG, TIFF, PGM or PPM files");
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "images:/no/such/folder"), RECON_ERR_IO,
                "/no/such/folder: cannot list: No such file");
    scratch_write("a.png", "junk", 4);
    CHECK_FAILS(ctx,
                recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .skip_bad = 1 }),
                RECON_ERR_INPUT, "none of 1 picture can be read");
}

static recon_status open_and_close(recon_ctx *ctx, size_t size)
{
    recon_dataset *d = NULL;
    recon_status status =
        recon_dataset_open_with(ctx, &d, spec(), &(recon_dataset_options){ .size = size });
    recon_dataset_close(d);
    return status;
}

static void memory_may_run_out(void **state)
{
    recon_ctx *ctx = *state;
    put(ctx, "a.png", 3, 4, 1, 1);
    put(ctx, "b.png", 3, 4, 1, 2);
    CHECK_ALLOCATIONS(ctx, open_and_close(ctx, 0));
    put(ctx, "b.png", 4, 4, 3, 2);
    CHECK_ALLOCATIONS(ctx, open_and_close(ctx, 0));
    CHECK_ALLOCATIONS(ctx, open_and_close(ctx, 5));
}

#define FOLDER_TEST(f) cmocka_unit_test_teardown(f, clear_all)

int main(void)
{
#ifdef RECON_HAVE_PNG
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(pictures_come_by_name),
        FOLDER_TEST(sub_folders_are_classes_by_name),
        FOLDER_TEST(the_first_bad_picture_is_named_or_all_are_counted),
        FOLDER_TEST(pictures_of_all_sizes_can_be_made_alike),
        FOLDER_TEST(crops_of_a_folder_are_those_of_its_pictures),
        FOLDER_TEST(pictures_of_different_kinds_become_one),
        FOLDER_TEST(grey_is_the_luminance_of_colours),
        FOLDER_TEST(strokes_on_a_transparent_ground_are_seen),
        FOLDER_TEST(a_few_transparent_pixels_change_nothing_else),
        FOLDER_TEST(a_mix_of_opaque_and_transparent_is_told),
        FOLDER_TEST(the_original_keeps_alpha_and_depth),
        FOLDER_TEST(what_is_not_read_is_told),
        FOLDER_TEST(pictures_too_deep_are_told),
        FOLDER_TEST(what_is_too_deep_does_no_harm),
        FOLDER_TEST(images_is_the_name_of_a_folder_of_pictures),
        FOLDER_TEST(nothing_to_read_is_said),
        FOLDER_TEST(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
#else
    puts("1..0 # SKIP built without libpng");
    return 0;
#endif
}
