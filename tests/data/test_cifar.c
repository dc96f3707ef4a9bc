/* CIFAR-10 from strips: pictures and labels in their order, wrong files by name. */
#include "files.h"
#include "core/picture.h"
#include "data/dataset.h"
#include "data/formats.h"

enum { PIXELS = 32 * 32, SIZE = PIXELS * 3 };

/* A strip of n pictures, each of one value. */
static recon_status write_strip(recon_ctx *ctx, const char *name, size_t n, size_t width,
                                unsigned char first)
{
    unsigned char *bytes = malloc(n * width * 3);
    for (size_t i = 0; i < n; i++)
        memset(bytes + i * width * 3, (int)(first + i), width * 3);
    bytes[4] = 200; /* the second pixel of the first row is greener */
    recon_status status = recon_png_write(ctx, scratch(name), bytes, n, width, 3);
    free(bytes);
    return status;
}

static recon_status read_part(recon_ctx *ctx, recon_dataset *d, const char *part)
{
    *d = (recon_dataset){ .bytes = NULL };
    return recon_cifar_read(ctx, d, scratch_folder, part);
}

static void release(recon_dataset *d)
{
    free(d->own_bytes);
    free(d->own_labels);
}

static void strips_follow_each_other(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset d;
    recon_status status = write_strip(ctx, "data_batch_1.png", 3, PIXELS, 10);
    if (status == RECON_ERR_UNSUPPORTED)
        skip();
    CHECK_OK(ctx, status);
    CHECK_OK(ctx, write_strip(ctx, "data_batch_2.png", 2, PIXELS, 20));
    CHECK_OK(ctx, write_strip(ctx, "test_batch.png", 1, PIXELS, 30));
    scratch_write("train_lables.json", "[0,1,2,3,9,5]", 13);
    scratch_write("test_lables.json", "[7]", 3);
    CHECK_OK(ctx, read_part(ctx, &d, "train"));
    assert_int_equal(d.info.n, 5);
    assert_int_equal(d.info.channels, 3);
    assert_int_equal(d.bytes[4], 200); /* row 0, column 1, green */
    assert_int_equal(d.bytes[2 * SIZE], 12);
    assert_int_equal(d.bytes[4 * SIZE], 21);
    assert_int_equal(d.labels[4], 9);
    release(&d);
    CHECK_OK(ctx, read_part(ctx, &d, "test"));
    assert_int_equal(d.info.n, 1);
    assert_int_equal(d.labels[0], 7);
    release(&d);
}

static void wrong_files_are_named(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset d;
    recon_status status = write_strip(ctx, "test_batch.png", 2, PIXELS, 30);
    if (status == RECON_ERR_UNSUPPORTED)
        skip();
    CHECK_OK(ctx, status);
    scratch_write("test_lables.json", "[7]", 3);
    CHECK_FAILS(ctx, read_part(ctx, &d, "test"), RECON_ERR_FORMAT, "1 labels for 2 pictures");
    release(&d);
    scratch_write("test_lables.json", "[7,10]", 6);
    CHECK_FAILS(ctx, read_part(ctx, &d, "test"), RECON_ERR_FORMAT,
                "test_lables.json: label 1 is not one of 0 to 9");
    release(&d);
    CHECK_OK(ctx, write_strip(ctx, "test_batch.png", 2, 100, 30));
    CHECK_FAILS(ctx, read_part(ctx, &d, "test"), RECON_ERR_FORMAT,
                "test_batch.png: 100 pixels of 3 channels a row");
    release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(strips_follow_each_other),
        SCRATCH_TEST(wrong_files_are_named),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
