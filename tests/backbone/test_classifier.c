/* The classifier's files: its width is kept, files that do not say one are 64 wide, bfloat16 is
 * half as large and says nearly the same. */
#include "borders.h"
#include "scratch.h"

#include <recon/backbone/classifier.h>
#include <recon/core/array.h>
#include <recon/nn/nets.h>
#include <recon/ops/backend.h>
#include <sys/stat.h>

enum { N = 96, SIDE = 8, CLASSES = 3 };

/* Class c is bright in column 2 c + 1, under noise. */
static recon_dataset *open_stripes(recon_ctx *ctx)
{
    static float x[N][SIDE][SIDE];
    uint8_t y[N];
    recon_rng rng = recon_rng_new(3, 0);
    recon_dataset *d = NULL;
    char spec[600];
    for (int i = 0; i < N; i++) {
        y[i] = (uint8_t)(i % CLASSES);
        for (int j = 0; j < SIDE * SIDE; j++)
            x[i][j / SIDE][j % SIDE] =
                (float)(0.3 * recon_rng_uniform(&rng) + (j % SIDE == 2 * (i % CLASSES) + 1));
    }
    recon_array a = { .dtype = RECON_F32, .ndim = 3, .shape = { N, SIDE, SIDE }, .data = x };
    recon_array labels = { .dtype = RECON_U8, .ndim = 1, .shape = { N }, .data = y };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &a));
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("labels.npy"), &labels));
    snprintf(spec, sizeof spec, "npy:%s", scratch("images.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    return d;
}

static long long size_of(const char *path)
{
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return (long long)s.st_size;
}

static void a_narrow_network_keeps_its_width_and_is_halved_by_bfloat16(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_stripes(ctx);
    recon_train_result r;
    double logits[2][N * CLASSES], accuracy;
    float x[N * SIDE * SIDE];
    for (size_t i = 0; i < N; i++)
        recon_dataset_get(x + i * SIDE * SIDE, d, i);
    for (int half = 0; half < 2; half++) {
        recon_classifier *c = NULL;
        const char *path = scratch(half ? "half" : "full");
        const recon_classifier_options o = { .net = RECON_NET_RESNET18,
                                             .stem = 6,
                                             .batch = 16,
                                             .epochs = 12,
                                             .shift = 0.4,
                                             .flip = 0,
                                             .bf16 = half,
                                             .seed = 1 };
        CHECK_OK(ctx, recon_classifier_train(ctx, &r, d, path, &o));
        CHECK_OK(ctx, recon_classifier_open(ctx, &c, path));
        assert_int_equal(recon_classifier_describe(c).stem, 6);
        CHECK_OK(ctx, recon_classifier_accuracy(ctx, &accuracy, c, d));
        assert_true(accuracy > 0.9);
        CHECK_OK(ctx, recon_classifier_logits(ctx, logits[half], c, x, N));
        recon_classifier_close(ctx, c);
    }
    double apart = 0, size = 0;
    for (int i = 0; i < N * CLASSES; i++) {
        apart += fabs(logits[0][i] - logits[1][i]);
        size += fabs(logits[0][i]);
    }
    assert_true(apart > 0 && apart < 0.02 * size);
    CHECK_LESS((double)size_of(scratch("half")) / (double)size_of(scratch("full")), 0.6);
    recon_dataset_close(d);
}

static void a_file_that_says_no_width_is_64_wide(void **state)
{
    recon_ctx *ctx = *state;
    recon_params *p = NULL;
    recon_resnet18 net;
    recon_classifier *c = NULL;
    recon_metadata_entry m[] = { { "model", "classifier" }, { "net", "resnet18" },
                                 { "height", "8" },         { "width", "8" },
                                 { "channels", "1" },       { "classes", "3" },
                                 { "stem", "65536" } };
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_resnet18_add(ctx, &net, p, 1, 3, 0));
    CHECK_OK(ctx, recon_params_make(ctx, p, 1));
    CHECK_OK(ctx, recon_params_save(ctx, scratch("old"), p, m, 6));
    CHECK_OK(ctx, recon_classifier_open(ctx, &c, scratch("old")));
    assert_int_equal(recon_classifier_describe(c).stem, 64);
    assert_int_equal(recon_classifier_describe(c).weights, recon_params_count(p));
    recon_classifier_close(ctx, c);
    CHECK_OK(ctx, recon_params_save(ctx, scratch("huge"), p, m, 7));
    CHECK_FAILS(ctx, recon_classifier_open(ctx, &c, scratch("huge")), RECON_ERR_FORMAT,
                "'stem' is '65536': 1 to 1024");
    recon_params_free(ctx, p);
}

static void a_file_says_how_high_and_wide_its_images_are(void **state)
{
    enum { FEW = 32, HIGH = 8, WIDE = 12 };
    static float x[FEW][HIGH][WIDE];
    recon_ctx *ctx = *state;
    uint8_t y[FEW];
    char spec[600];
    recon_dataset *d;
    recon_classifier *c;
    recon_train_result r;
    for (int i = 0; i < FEW; i++)
        y[i] = (uint8_t)(i % CLASSES);
    recon_array a = { .dtype = RECON_F32, .ndim = 3, .shape = { FEW, HIGH, WIDE }, .data = x };
    recon_array labels = { .dtype = RECON_U8, .ndim = 1, .shape = { FEW }, .data = y };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("images.npy"), &a));
    CHECK_OK(ctx, recon_npy_write(ctx, scratch("labels.npy"), &labels));
    snprintf(spec, sizeof spec, "npy:%s", scratch("images.npy"));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    CHECK_OK(ctx, recon_classifier_train(
                      ctx, &r, d, scratch("c"),
                      &(recon_classifier_options){
                          .net = RECON_NET_RESNET18, .stem = 1, .batch = 16, .epochs = 1 }));
    CHECK_OK(ctx, recon_classifier_open(ctx, &c, scratch("c")));
    assert_int_equal(recon_classifier_describe(c).height, HIGH);
    assert_int_equal(recon_classifier_describe(c).width, WIDE);
    recon_classifier_close(ctx, c);
    recon_dataset_close(d);
}

/* Logits and accuracy of any number of images are those of each. */
static void images_are_classified_in_blocks(void **state)
{
    enum { MOST = BORDER_MOST(RECON_BLOCK_VALIDATION) };
    static float x[MOST][SIDE * SIDE];
    static double all[(MOST + 1) * CLASSES];
    const recon_metadata_entry m[] = {
        { "model", "classifier" }, { "net", "resnet18" }, { "height", "8" }, { "width", "8" },
        { "channels", "1" },       { "classes", "3" },    { "stem", "1" }
    };
    recon_ctx *ctx = *state;
    recon_classifier *c;
    recon_params *p;
    recon_resnet18 net;
    recon_rng rng = recon_rng_new(8, 0);
    uint8_t label[MOST];
    CHECK_OK(ctx, recon_params_new(ctx, &p, RECON_SINGLE));
    CHECK_OK(ctx, recon_resnet18_add(ctx, &net, p, 1, CLASSES, 1));
    CHECK_OK(ctx, recon_params_make(ctx, p, 1));
    CHECK_OK(ctx, recon_params_save(ctx, scratch("c"), p, m, 7));
    CHECK_OK(ctx, recon_classifier_open(ctx, &c, scratch("c")));
    for (int i = 0; i < MOST * SIDE * SIDE; i++)
        x[i / (SIDE * SIDE)][i % (SIDE * SIDE)] = (float)recon_rng_uniform(&rng);
    for (int k = 0; k < BORDERS; k++) {
        size_t n = border(RECON_BLOCK_VALIDATION, k), right = 0;
        double one[CLASSES], share;
        recon_array images = {
            .dtype = RECON_F32, .ndim = 3, .shape = { n, SIDE, SIDE }, .data = x
        };
        recon_array labels = { .dtype = RECON_U8, .ndim = 1, .shape = { n }, .data = label };
        recon_dataset *d;
        memset(all, 0, sizeof all);
        CHECK_OK(ctx, recon_classifier_logits(ctx, all, c, x[0], n));
        CHECK_NEAR(all[n * CLASSES], 0, 0);
        for (size_t i = n % 50; i < n; i += i + 50 < n ? 50 : n - 1 > i ? n - 1 - i : 1) {
            CHECK_OK(ctx, recon_classifier_logits(ctx, one, c, x[i], 1));
            for (int j = 0; j < CLASSES; j++)
                CHECK_NEAR(all[i * CLASSES + (size_t)j], one[j], 1e-4 * (1 + fabs(one[j])));
        }
        for (size_t i = 0; i < n; i++) { /* every third label, and the last one, is wrong */
            const double *y = all + i * CLASSES;
            int best = y[1] > y[0] ? (y[2] > y[1] ? 2 : 1) : y[2] > y[0] ? 2 : 0;
            int wrong = i % 3 == 1 || i + 1 == n;
            label[i] = (uint8_t)((best + wrong) % CLASSES);
            right += !wrong;
        }
        CHECK_OK(ctx, recon_dataset_make(ctx, &d, &images, &labels, NULL));
        CHECK_OK(ctx, recon_classifier_accuracy(ctx, &share, c, d));
        CHECK_NEAR(share, (double)right / (double)n, 1e-12);
        recon_dataset_close(d);
    }
    recon_classifier_close(ctx, c);
    recon_params_free(ctx, p);
}

static void widths_that_cannot_be_are_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_stripes(ctx);
    recon_train_result r;
    CHECK_FAILS(
        ctx,
        recon_classifier_train(ctx, &r, d, scratch("m"), &(recon_classifier_options){ .stem = 20 }),
        RECON_ERR_INPUT, "small has one width");
    CHECK_FAILS(ctx,
                recon_classifier_train(
                    ctx, &r, d, scratch("m"),
                    &(recon_classifier_options){ .net = RECON_NET_RESNET18, .stem = 2000 }),
                RECON_ERR_INPUT, "a width of 2000: at most 1024");
    recon_dataset_close(d);
}

static int setup(void **state)
{
    return scratch_setup(state) || recon_ops_attach(*state, "cpu") != RECON_OK ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_narrow_network_keeps_its_width_and_is_halved_by_bfloat16),
        SCRATCH_TEST(a_file_that_says_no_width_is_64_wide),
        SCRATCH_TEST(a_file_says_how_high_and_wide_its_images_are),
        SCRATCH_TEST(images_are_classified_in_blocks),
        SCRATCH_TEST(widths_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
