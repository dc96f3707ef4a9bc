/* Every image resampled alike: those that a rule does not rotate lose as much sharpness as the others,
 * and nobody's angle changes. */
#include "scratch.h"

#include "data/dataset.h"
#include "lab/reproduce.h"

enum { N = 200, SIDE = 28, PIXELS = SIDE * SIDE, NEVER_ROTATED = 3 };

/* Mean squared difference of neighbouring pixels, over the mean square. */
static double sharpness(const recon_dataset *data, int32_t first, int32_t last)
{
    float x[PIXELS];
    double edges = 0, all = 0;
    for (size_t i = 0; i < N; i++) {
        int32_t label = recon_dataset_get(x, data, i);
        if (label < first || label > last)
            continue;
        for (int p = 0; p + 1 < PIXELS; p++) {
            edges += pow(x[p + 1] - x[p], 2);
            all += pow(x[p], 2);
        }
    }
    return edges / all;
}

static void no_image_keeps_its_sharpness_and_none_its_angle(void **state)
{
    recon_ctx *ctx = *state;
    static recon_rotation_rule rule;
    recon_dataset *all, *upright, *once, *twice;
    float before[PIXELS], after[PIXELS];
    CHECK_OK(ctx, recon_dataset_open(ctx, &all, "garments"));
    CHECK_OK(ctx, recon_dataset_take(ctx, &upright, all, N, 1));
    CHECK_OK(ctx, recon_rotation_rule_load(ctx, &rule, "fashion"));
    CHECK_OK(ctx, recon_dataset_rotate(ctx, &once, upright, &rule, 2));
    CHECK_OK(ctx, reproduce_rotate(ctx, &twice, upright, &rule, 2, 1));
    size_t untouched = 0;
    for (size_t i = 0; i < N; i++) {
        int32_t label = recon_dataset_get(before, once, i);
        assert_int_equal(recon_dataset_get(after, twice, i), label);
        CHECK_NEAR(recon_dataset_angle(twice, i), recon_dataset_angle(once, i), 0);
        assert_memory_not_equal(before, after, sizeof before);
        untouched += label < NEVER_ROTATED && recon_dataset_angle(twice, i) == 0;
    }
    assert_true(untouched > 0);
    CHECK_NEAR(sharpness(once, 0, NEVER_ROTATED - 1), sharpness(upright, 0, NEVER_ROTATED - 1), 0);
    CHECK_LESS(sharpness(twice, 0, NEVER_ROTATED - 1),
               0.9 * sharpness(upright, 0, NEVER_ROTATED - 1));
    CHECK_LESS(sharpness(twice, NEVER_ROTATED, 9), sharpness(once, NEVER_ROTATED, 9));
    recon_dataset_close(twice);
    recon_dataset_close(once);
    recon_dataset_close(upright);
    recon_dataset_close(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_image_keeps_its_sharpness_and_none_its_angle),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
