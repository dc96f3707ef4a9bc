/* Scores of images: the density of the absolute pose; distributions say the same in full. */
#include "tiny.h"

#include <recon/model/score.h>
#include <recon/group/so2.h>
#include "model/model.h"
#include "group/so2/mean.h"

#define PI 3.14159265358979323846

static recon_pose_score unusual[TINY_N];
static recon_distribution told[TINY_N];

static recon_model *read_all(recon_ctx *ctx)
{
    recon_model *model = tiny_model(ctx);
    CHECK_OK(ctx, recon_score_images(ctx, unusual, model, tiny_images[0], TINY_N));
    CHECK_OK(ctx, recon_distribution_images(ctx, told, model, tiny_images[0], TINY_N));
    return model;
}

static void the_score_is_the_density_of_the_absolute_pose(void **state)
{
    recon_model *model = read_all(*state);
    for (int i = 0; i < TINY_N; i++) {
        CHECK_NEAR(unusual[i].surrogate, fabs(unusual[i].pose.absolute[0]), 0);
        CHECK_NEAR(unusual[i].score, recon_so2_score(&told[i].density, unusual[i].pose.absolute[0]),
                   1e-9);
        CHECK_NEAR(unusual[i].score, told[i].score, 0);
        assert_memory_equal(&unusual[i].pose, &told[i].pose, sizeof unusual[i].pose);
    }
    recon_model_close(*state, model);
}

/* A quarter turn moves the pose within a density that stays. */
static void rotating_moves_the_pose_and_not_the_density(void **state)
{
    enum { SOME = 12 };
    float rotated[SOME][TINY_PIXELS];
    recon_pose_score moved[SOME];
    recon_model *model = read_all(*state);
    for (int i = 0; i < SOME; i++)
        recon_image_rotate(rotated[i], tiny_images[i], TINY_SIDE, TINY_SIDE, 1, PI / 2,
                           RECON_BILINEAR);
    CHECK_OK(*state, recon_score_images(*state, moved, model, rotated[0], SOME));
    for (int i = 0; i < SOME; i++) {
        double pose = unusual[i].pose.absolute[0] + PI / 2;
        CHECK_LESS(recon_so2_distance(moved[i].pose.absolute[0], pose), 1e-3);
        CHECK_NEAR(moved[i].score, recon_so2_score(&told[i].density, pose), 0.05);
    }
    recon_model_close(*state, model);
}

static void p_values_of_natural_poses_are_even(void **state)
{
    const double shares[] = { 0.05, 0.1, 0.3, 0.5 };
    double below[4] = { 0 };
    recon_model *model = read_all(*state);
    for (int i = 0; i < TINY_N; i++) {
        assert_true(unusual[i].p_value > 0 && unusual[i].p_value <= 1);
        for (int s = 0; s < 4; s++)
            below[s] += unusual[i].p_value < shares[s];
    }
    for (int s = 0; s < 4; s++) /* 24 points are held out */
        CHECK_NEAR(below[s] / TINY_N, shares[s], 0.3);
    recon_model_close(*state, model);
}

static void distributions_are_complete(void **state)
{
    recon_model *model = read_all(*state);
    recon_maps_info maps = recon_model_describe(model).maps;
    int two[2] = { 0 };
    for (int i = 0; i < TINY_N; i++) {
        const recon_distribution *d = &told[i];
        double moment[RECON_SO2_MOMENTS], sum = 0;
        assert_int_equal(d->family, maps.family);
        assert_true(d->theta > 0);
        recon_so2_moments(moment, &d->density);
        assert_memory_equal(moment, d->moment, sizeof moment);
        assert_true(d->verdict != RECON_NATURAL_AXIS);
        assert_int_equal(d->fold > 0, d->verdict <= RECON_NATURAL_MODULO);
        assert_int_equal(d->fold > 1, d->verdict == RECON_NATURAL_MODULO);
        assert_int_equal(d->modes > 1,
                         d->verdict == RECON_NATURAL_SEVERAL || d->verdict == RECON_NATURAL_MODULO);
        for (int m = 0; m < d->modes; m++)
            sum += d->mode[m].weight;
        CHECK_NEAR(sum, 1, 1e-9);
        two[i % 2] += d->modes == 2;
    }
    assert_int_equal(two[0], 0); /* L has one natural pose, T two */
    assert_int_equal(two[1], TINY_N / 2);
    recon_model_close(*state, model);
}

static void pixels_must_be_numbers(void **state)
{
    float image[TINY_PIXELS] = { 0 };
    recon_model *model = tiny_model(*state);
    image[3] = -INFINITY;
    CHECK_FAILS(*state, recon_score_images(*state, unusual, model, image, 1), RECON_ERR_INPUT,
                "pixel 3 of image 0 is -inf");
    CHECK_FAILS(*state, recon_distribution_images(*state, told, model, image, 1), RECON_ERR_INPUT,
                "pixel 3 of image 0 is -inf");
    recon_model_close(*state, model);
}

/* Of a broad density one pose is claimed if the neighbours bear it out, of a sharp one in any case. */
static void broad_densities_need_support(void **state)
{
    const struct {
        double direction, support;
        recon_natural says;
    } cases[] = { { 0.95, -1, RECON_NATURAL_ONE },
                  { 0.6, 0.5, RECON_NATURAL_ONE },
                  { 0.6, 0.1, RECON_NATURAL_UNSURE },
                  { 0.6, NAN, RECON_NATURAL_ONE },
                  { 0.4, 1, RECON_NATURAL_UNSURE } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        recon_so2_center counted = { .natural = RECON_NATURAL_ONE,
                                     .moment = { cases[i].direction } };
        assert_int_equal(recon_density_natural(&counted, cases[i].support), cases[i].says);
        counted.natural = RECON_NATURAL_SEVERAL;
        assert_int_equal(recon_density_natural(&counted, cases[i].support), RECON_NATURAL_SEVERAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_score_is_the_density_of_the_absolute_pose),
        cmocka_unit_test(rotating_moves_the_pose_and_not_the_density),
        cmocka_unit_test(p_values_of_natural_poses_are_even),
        cmocka_unit_test(distributions_are_complete),
        cmocka_unit_test(pixels_must_be_numbers),
        cmocka_unit_test(broad_densities_need_support),
    };
    return cmocka_run_group_tests(tests, tiny_setup_plain, scratch_teardown);
}
