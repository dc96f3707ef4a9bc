/* Text rows: numbers as others write them, labels, and rows that are not what the first one is. */
#include "scratch.h"

#include <recon/data/dataset.h>

static recon_status open_text(recon_ctx *ctx, recon_dataset **out, const char *text, int skip_bad)
{
    char spec[600];
    snprintf(spec, sizeof spec, "amat:%s", scratch_write("x.amat", text, strlen(text)));
    return recon_dataset_open_with(ctx, out, spec,
                                   &(recon_dataset_options){ .skip_bad = skip_bad });
}

static void rows_become_square_images_and_labels(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    float x[4];
    CHECK_OK(ctx, open_text(ctx, &d,
                            "   0.0 1.0000000e+00  2.5e-1 -3 7.00000e+00\n\n"
                            "1\t+.5 12345678901234567890123e-22 0.000000000000000000001e21 0\r\n",
                            0));
    recon_dataset_info i = recon_dataset_describe(d);
    assert_true(i.n == 2 && i.height == 2 && i.width == 2 && i.channels == 1 && i.classes == 8);
    assert_int_equal(recon_dataset_get(x, d, 0), 7);
    const float want[2][4] = { { 0, 1, 0.25f, -3 }, { 1, 0.5f, 1.2345678901f, 1 } };
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(x[k], want[0][k], 0);
    assert_int_equal(recon_dataset_get(x, d, 1), 0);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(x[k], want[1][k], 0);
    recon_dataset_close(d);
}

/* What printf writes comes back as the same float. */
static void numbers_are_read_to_the_last_digit(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    enum { N = 400 };
    static char text[N * 64];
    float want[N], x[N];
    recon_rng rng = recon_rng_new(1, 0);
    size_t at = 0;
    for (int i = 0; i < N; i++) {
        want[i] = (float)(recon_rng_normal(&rng) * pow(10, 41 * recon_rng_uniform(&rng) - 30));
        at += (size_t)snprintf(text + at, sizeof text - at, i % 2 ? "%.9g " : "%.8e ",
                               (double)want[i]);
    }
    snprintf(text + at, sizeof text - at, "3\n");
    CHECK_OK(ctx, open_text(ctx, &d, text, 0));
    recon_dataset_get(x, d, 0);
    assert_memory_equal(x, want, sizeof x);
    recon_dataset_close(d);
}

static void what_is_wrong_is_said_with_its_row(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = NULL;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "", "0 numbers in the first row" },
        { "1 2 3\n", "3 numbers in the first row: not a square of pixels and a label" },
        { "7\n", "1 numbers in the first row" },
        { "1 2 3 4 0\n1 2 3 0\n", "row 2: number 5 of 5 is missing or not a number" },
        { "1 2 3 4 0\n1 -1e30 3 4 0\n",
          "row 2: number 2 is -1e+30: pixels are finite numbers, at most 1e12" },
        { "1 2 3 4 0\n1 2 3 4 5 0\n", "row 2: more than 5 numbers" },
        { "1 2 three 4 0\n", "row 1: number 3 of 5" },
        { "1 2 nan 4 0\n", "row 1: number 3 of 5" },
        { "1 2 1e40 4 0\n", "row 1: number 3 of 5" },
        { "1 2 3x 4 0\n", "row 1: number 3 of 5" },
        { "1 2 3 4 0.5\n", "row 1: the label is 0.5" },
        { "1 2 3 4 -1\n", "row 1: the label is -1" },
        { "1 2 3 4 2e6\n", "row 1: the label is 2e+06: 0 to 1000000" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(ctx, open_text(ctx, &d, wrong[i].text, 0), RECON_ERR_FORMAT, wrong[i].message);
    CHECK_OK(ctx, open_text(ctx, &d, "1 2 3 4 0\n1 2 3 4\nx\n\n5 6 7 8 1\n1 1 1 1 1 1 1\n", 1));
    assert_int_equal(recon_dataset_describe(d).n, 2);
    assert_int_equal(recon_dataset_describe(d).skipped, 3);
    recon_dataset_close(d);
    CHECK_FAILS(ctx, open_text(ctx, &d, "1 2 3 4 x\n", 1), RECON_ERR_FORMAT, "no row can be read");
    CHECK_FAILS(ctx, recon_dataset_open(ctx, &d, "amat:/no/such"), RECON_ERR_IO, "/no/such");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(rows_become_square_images_and_labels),
        SCRATCH_TEST(numbers_are_read_to_the_last_digit),
        SCRATCH_TEST(what_is_wrong_is_said_with_its_row),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
