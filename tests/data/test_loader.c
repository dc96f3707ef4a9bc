/* Batches: each image once an epoch, the same order for any number of threads and any start. */
#include "files.h"
#include "data/permute.h"

#include <recon/data/loader.h>

static void a_permutation_is_one_and_looks_random(void **state)
{
    (void)state;
    static int seen[1000];
    for (size_t n = 1; n <= 1000; n = n < 20 ? n + 1 : 2 * n - 7) {
        memset(seen, 0, sizeof seen);
        for (size_t i = 0; i < n; i++)
            seen[recon_permute(i, n, 5, 2)]++;
        for (size_t i = 0; i < n; i++)
            assert_int_equal(seen[i], 1);
    }
    double still = 0, rise = 0; /* expected: 1 fixed point, half of the steps up */
    for (uint64_t turn = 0; turn < 200; turn++)
        for (size_t i = 0; i < 50; i++) {
            size_t x = recon_permute(i, 50, 9, turn);
            still += x == i;
            rise += i > 0 && x > recon_permute(i - 1, 50, 9, turn);
        }
    CHECK_NEAR(still / 200, 1, 0.3);
    CHECK_NEAR(rise / (200 * 49), 0.5, 0.02);
}

static recon_dataset *open_set(recon_ctx *ctx, uint32_t n)
{
    recon_dataset *d = NULL;
    char spec[600];
    snprintf(spec, sizeof spec, "idx:%s", idx_set("train", n));
    CHECK_OK(ctx, recon_dataset_open(ctx, &d, spec));
    return d;
}

static void an_epoch_shows_each_image_once(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_set(ctx, 30);
    recon_loader *l = NULL;
    recon_batch b;
    int first[30] = { 0 };
    CHECK_OK(ctx, recon_loader_open(ctx, &l, d,
                                    &(recon_loader_options){
                                        .batch = 7, .shuffle = 1, .keep_last = 1, .seed = 2 }));
    assert_int_equal(recon_loader_batches(l), 5);
    for (int epoch = 0; epoch < 3; epoch++) {
        int seen[30] = { 0 }, order[30], at = 0;
        for (int i = 0; i < 5; i++) {
            recon_loader_next(&b, l);
            assert_int_equal(b.n, i < 4 ? 7 : 2);
            for (size_t j = 0; j < b.n; j++) {
                int n = (int)lroundf(b.images[12 * j] * 255) / 7;
                assert_int_equal(b.labels[j], n % 5);
                seen[n]++;
                order[at++] = n;
            }
        }
        for (int i = 0; i < 30; i++)
            assert_int_equal(seen[i], 1);
        if (epoch == 0)
            memcpy(first, order, sizeof first);
        else
            assert_memory_not_equal(first, order, sizeof first);
    }
    recon_loader_close(l);
    recon_dataset_close(d);
}

static void threads_and_start_change_nothing(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_set(ctx, 30);
    static float want[40][48];
    for (int threads = 1; threads <= 4; threads++)
        for (uint64_t first = 0; first < 20; first += 9) {
            recon_loader *l = NULL;
            recon_batch b;
            CHECK_OK(ctx, recon_loader_open(
                              ctx, &l, d,
                              &(recon_loader_options){
                                  .batch = 4, .shuffle = 1, .threads = threads, .first = first }));
            for (uint64_t i = first; i < 40; i++) {
                recon_loader_next(&b, l);
                assert_int_equal(b.n, 4);
                if (threads == 1 && first == 0)
                    memcpy(want[i], b.images, sizeof want[i]);
                assert_memory_equal(want[i], b.images, sizeof want[i]);
            }
            recon_loader_close(l);
        }
    recon_dataset_close(d);
}

static void too_few_images_are_an_error(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *d = open_set(ctx, 30);
    recon_loader *l = NULL;
    CHECK_FAILS(ctx, recon_loader_open(ctx, &l, d, &(recon_loader_options){ .batch = 31 }),
                RECON_ERR_INPUT, "30 images do not fill a batch of 31");
    recon_dataset_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_permutation_is_one_and_looks_random),
        SCRATCH_TEST(an_epoch_shows_each_image_once),
        SCRATCH_TEST(threads_and_start_change_nothing),
        SCRATCH_TEST(too_few_images_are_an_error),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
