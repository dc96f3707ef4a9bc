/* Places and vectors between the input and its canonical form. */
#include "check.h"

#include <recon/model/pose.h>
#include "group/se3.h"
#include "model/model.h"

enum { POINTS = 7 };

static recon_pose any_pose(recon_rng *rng)
{
    recon_pose p = { .free = 0 };
    double lambda[4];
    RECON_SO3->haar(RECON_SO3, p.psi, rng);
    RECON_SO3->haar(RECON_SO3, lambda, rng);
    recon_pose_complete(&p, RECON_SO3, lambda);
    for (int k = 0; k < 3; k++)
        p.center[k] = recon_rng_normal(rng);
    return p;
}

static void fill(double x[3 * POINTS], recon_rng *rng)
{
    for (int i = 0; i < 3 * POINTS; i++)
        x[i] = 5 * recon_rng_normal(rng);
}

static void there_and_back_is_nothing(void **state)
{
    recon_rng rng = recon_rng_new(1, 0);
    (void)state;
    for (int round = 0; round < 20; round++) {
        recon_pose p = any_pose(&rng);
        double x[3 * POINTS], y[3 * POINTS];
        fill(x, &rng);
        recon_pose_points3(y, &p, RECON_TO_CANONICAL, x, POINTS);
        recon_pose_points3(y, &p, RECON_TO_INPUT, y, POINTS);
        for (int i = 0; i < 3 * POINTS; i++)
            CHECK_NEAR(y[i], x[i], 1e-12);
        recon_pose_vectors3(y, &p, RECON_TO_INPUT, x, POINTS);
        recon_pose_vectors3(y, &p, RECON_TO_CANONICAL, y, POINTS);
        for (int i = 0; i < 3 * POINTS; i++)
            CHECK_NEAR(y[i], x[i], 1e-12);
        recon_se3_act(y, recon_pose_motion(&p, RECON_TO_INPUT), x);
        recon_se3_act(y, recon_pose_motion(&p, RECON_TO_CANONICAL), y);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(y[k], x[k], 1e-12);
    }
}

/* The centre stays, differences of places are vectors, and psi's columns go to Lambda's. */
static void it_is_a_rotation_about_the_centre(void **state)
{
    recon_rng rng = recon_rng_new(2, 0);
    recon_pose p = any_pose(&rng);
    double c[3], a[3] = { 1, 2, 3 }, b[3] = { -1, 0, 2 }, between[3], v[3], w[3];
    (void)state;
    recon_pose_points3(c, &p, RECON_TO_CANONICAL, p.center, 1);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(c[k], p.center[k], 1e-12);
        between[k] = a[k] - b[k];
    }
    recon_pose_points3(a, &p, RECON_TO_CANONICAL, a, 1);
    recon_pose_points3(b, &p, RECON_TO_CANONICAL, b, 1);
    recon_pose_vectors3(between, &p, RECON_TO_CANONICAL, between, 1);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(a[k] - b[k], between[k], 1e-12);
    const double body[3] = { 0.3, -0.8, 0.2 };
    recon_so3_act(v, recon_so3_at(p.psi, 0), body);
    recon_pose_vectors3(v, &p, RECON_TO_CANONICAL, v, 1);
    recon_so3_act(w, recon_so3_at(p.lambda, 0), body);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(v[k], w[k], 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back_is_nothing),
        cmocka_unit_test(it_is_a_rotation_about_the_centre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
