/* Precision: what auto means, and how far the poses of the shipped models move without float. */
#include "check.h"
#include "ops/ops.h"

#include <math.h>
#include <recon/model/canonicalize.h>
#include <recon/model/model.h>
#include <recon/data/dataset.h>
#include <recon/data/molecules.h>
#include <recon/group/so3.h>
#include <recon/ops/backend.h>
#include <stdlib.h>

/* Sanitizers have nothing to say of how far: a few are enough for them. */
enum { IMAGES = SANITIZED ? 8 : 64, PIXELS = 28 * 28, CONFORMERS = SANITIZED ? 4 : 32 };
#define DEGREES   (180 / 3.14159265358979323846)
#define MOST_MOVE 0.5 /* degrees, in the median: what --precision auto promises */

static const recon_precision fast[] = { RECON_AUTO, RECON_MIXED, RECON_TF32 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return x[n / 2];
}

static void image_poses(recon_ctx *ctx, recon_pose *out, const char *path, const float *images,
                        recon_precision precision)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, path, precision));
    CHECK_OK(ctx, recon_canonicalize_images(ctx, NULL, out, model, images, IMAGES, NULL));
    recon_model_close(ctx, model);
}

static void images_keep_their_poses(void **state)
{
    recon_ctx *ctx = *state;
    recon_dataset *data;
    static float images[IMAGES * PIXELS];
    recon_pose want[IMAGES], got[IMAGES];
    CHECK_OK(ctx, recon_dataset_open(ctx, &data, "garments"));
    for (size_t i = 0; i < IMAGES; i++)
        recon_dataset_get(images + i * PIXELS, data, i);
    image_poses(ctx, want, "models/fashion.safetensors", images, RECON_SINGLE);
    for (size_t p = 0; p < sizeof fast / sizeof *fast; p++) {
        double moved[IMAGES];
        image_poses(ctx, got, "models/fashion.safetensors", images, fast[p]);
        for (size_t i = 0; i < IMAGES; i++)
            moved[i] =
                fabs(remainder(got[i].rotation[0] - want[i].rotation[0], 360 / DEGREES)) * DEGREES;
        for (size_t i = 0; i < IMAGES; i++)
            assert_true(fast[p] != RECON_AUTO || moved[i] == 0); /* on a CPU it is f32 */
        assert_true(median(moved, IMAGES) < MOST_MOVE);
    }
    recon_dataset_close(data);
}

static void conformer_poses(recon_ctx *ctx, recon_pose *out, const recon_conformer *x,
                            recon_precision precision)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, "models/conformers.safetensors", precision));
    CHECK_OK(ctx, recon_canonicalize_molecules(ctx, NULL, out, model, x, CONFORMERS));
    recon_model_close(ctx, model);
}

static void molecules_keep_their_poses(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data;
    recon_conformer x[CONFORMERS];
    recon_pose want[CONFORMERS], got[CONFORMERS];
    CHECK_OK(ctx, recon_molecules_open(ctx, &data, "conformers/val", NULL));
    size_t step = recon_molecules_describe(data).n / CONFORMERS;
    for (size_t i = 0; i < CONFORMERS; i++)
        x[i] = recon_molecules_get(data, i * step);
    conformer_poses(ctx, want, x, RECON_SINGLE);
    for (size_t p = 0; p < sizeof fast / sizeof *fast; p++) {
        double moved[CONFORMERS];
        conformer_poses(ctx, got, x, fast[p]);
        for (size_t i = 0; i < CONFORMERS; i++)
            moved[i] = recon_so3_distance(recon_so3_at(got[i].rotation, 0),
                                          recon_so3_at(want[i].rotation, 0)) *
                       DEGREES;
        for (size_t i = 0; i < CONFORMERS; i++)
            assert_true(fast[p] != RECON_AUTO || moved[i] < 1e-6);
        assert_true(median(moved, CONFORMERS) < MOST_MOVE);
    }
    recon_molecules_close(data);
}

/* Auto is one of the two it may be, and says which; the others stay what they are. */
static void auto_is_decided_by_the_backend(void **state)
{
    recon_ctx *ctx = *state;
    recon_precision here = recon_precision_on(ctx, RECON_AUTO);
    assert_true(here == RECON_SINGLE || here == RECON_MIXED);
    assert_string_equal(recon_precision_name(here), here == RECON_MIXED ? "bf16" : "f32");
    for (recon_precision p = RECON_SINGLE; p < RECON_AUTO; p++)
        assert_int_equal(recon_precision_on(ctx, p), p);
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    assert_int_equal(recon_precision_on(ctx, RECON_AUTO), RECON_SINGLE);
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_keep_their_poses),
        cmocka_unit_test(molecules_keep_their_poses),
        cmocka_unit_test(auto_is_decided_by_the_backend),
    };
    return cmocka_run_group_tests_name("model/precision", tests, check_setup, check_teardown);
}
