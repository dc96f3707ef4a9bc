/* Another model's upright: clusters follow where it is sure of one pose, and discover says where the data differ. */
#include "found.h"
#include "tiny.h"

#include <math.h>
#include <recon/core/rng.h>
#include <recon/group/so2.h>
#include <recon/model/canonicalize.h>

static const double degree = M_PI / 180;
enum { BY = 40 };

static float rotated[TINY_N][TINY_PIXELS];
static recon_row before[TINY_N], after[TINY_N], upright[TINY_N];

static void rotate(double by, int at_random)
{
    recon_rng rng = recon_rng_new(8, 0);
    for (int i = 0; i < TINY_N; i++)
        recon_image_rotate(rotated[i], tiny_images[i], TINY_SIDE, TINY_SIDE, 1,
                           at_random ? recon_so2_haar(&rng) : by, RECON_BILINEAR);
}

static recon_model *open(recon_ctx *ctx)
{
    recon_model *model;
    CHECK_OK(ctx, recon_model_open(ctx, &model, scratch("model.safetensors"), RECON_SINGLE));
    return model;
}

static void find(recon_ctx *ctx, recon_row *out, const recon_model *model, const void *inputs)
{
    CHECK_OK(ctx, recon_rows_find(ctx, out, model, inputs, TINY_N, NULL));
}

/* A prior that has its uprights elsewhere, one for each cluster. */
static void clusters_follow_a_model_that_is_sure(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = open(ctx), *prior = open(ctx);
    double angle[TINY_N];
    size_t followed, sure = 0;
    find(ctx, before, prior, tiny_images[0]);
    for (int i = 0; i < TINY_N; i++)
        angle[i] = before[i].pose.rotation[0] + BY * degree;
    CHECK_OK(ctx, recon_model_anchor(ctx, prior, tiny_images[0], angle, TINY_N, NULL));
    find(ctx, upright, prior, tiny_images[0]);
    CHECK_OK(ctx, recon_model_prior(ctx, model, tiny_images[0], prior, tiny_images[0], TINY_N,
                                    &followed));
    find(ctx, after, model, tiny_images[0]);
    for (int i = 0; i < TINY_N; i++) {
        sure += upright[i].verdict == RECON_NATURAL_ONE;
        assert_int_equal(after[i].verdict, upright[i].verdict);
        CHECK_NEAR(recon_so2_distance(after[i].pose.rotation[0], upright[i].pose.rotation[0]) /
                       degree,
                   0, 1e-3);
    }
    assert_int_equal(followed, sure);
    CHECK_LESS(0.9 * TINY_N, followed);
    recon_model_close(ctx, model);
    recon_model_close(ctx, prior);
}

/* One that is told each input at another angle contradicts itself. */
static void nobody_follows_a_model_that_contradicts_itself(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model = open(ctx), *prior = open(ctx);
    size_t followed;
    rotate(0, 1);
    find(ctx, before, model, tiny_images[0]);
    CHECK_OK(ctx,
             recon_model_prior(ctx, model, tiny_images[0], prior, rotated[0], TINY_N, &followed));
    find(ctx, after, model, tiny_images[0]);
    assert_int_equal(followed, 0);
    for (int i = 0; i < TINY_N; i++) {
        assert_int_equal(after[i].verdict, before[i].verdict);
        assert_true(after[i].pose.rotation[0] == before[i].pose.rotation[0]);
    }
    recon_model_close(ctx, model);
    recon_model_close(ctx, prior);
}

/* Of letters L rotated by an angle discover says that they lie at this angle about what the model holds; T has two
 * natural poses. */
static void discover_says_where_data_and_model_differ(void **state)
{
    recon_ctx *ctx = *state;
    char spec[700];
    for (int by = 0; by <= BY; by += BY) {
        const recon_array x = { .dtype = RECON_F32,
                                .ndim = 3,
                                .shape = { TINY_N / 2, TINY_SIDE, TINY_SIDE },
                                .data = rotated };
        recon_dataset *data;
        rotate(by * degree, 0);
        for (int i = 0; i < TINY_N / 2; i++)
            memmove(rotated[i], rotated[2 * i], sizeof *rotated);
        CHECK_OK(ctx, recon_npy_write(ctx, scratch("rotated.npy"), &x));
        snprintf(spec, sizeof spec, "npy:%s", scratch("rotated.npy"));
        CHECK_OK(ctx, recon_dataset_open(ctx, &data, spec));
        recon_discovery d = found_discover(ctx, scratch("model.safetensors"),
                                           recon_dataset_data(data), &tiny_options);
        assert_true(d.n_prior > 0);
        double sum = 0, inputs = 0;
        size_t differ = 0;
        for (size_t i = 0; i < d.n_prior; i++) {
            double degrees = recon_prior_degrees(&d.prior[i], RECON_SO2);
            sum += degrees * (double)d.prior[i].inputs;
            inputs += (double)d.prior[i].inputs;
            differ += fabs(degrees) > RECON_PRIOR_DIFFERS;
        }
        CHECK_NEAR(sum / inputs, by, 10); /* of a network that hardly learned */
        json_t *all = found_summary(ctx);
        assert_int_equal(json_array_size(json_object_get(all, "prior_differs")), differ);
        json_decref(all);
        recon_discovery_free(&d);
        recon_dataset_close(data);
    }
}

static int setup(void **state)
{
    if (tiny_setup(state) != 0)
        return -1;
    found_begin();
    return 0;
}

static int teardown(void **state)
{
    found_clear();
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_follow_a_model_that_is_sure),
        cmocka_unit_test(nobody_follows_a_model_that_contradicts_itself),
        cmocka_unit_test(discover_says_where_data_and_model_differ),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
