/* SE(3): the action, and loops that agree with the single functions. */
#include "check.h"
#include "group/se3.h"

#define TRIALS 2000

static recon_se3 random_motion(recon_rng *rng)
{
    recon_se3 a = { .r = recon_so3_haar(rng) };
    for (int k = 0; k < 3; k++)
        a.t[k] = recon_rng_normal(rng);
    return a;
}

/* With no translation the action is the rotation's, with no rotation a sum; about a place, the place stays. */
static void a_motion_rotates_and_shifts(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    for (int i = 0; i < TRIALS; i++) {
        recon_se3 a = random_motion(&rng), rotation = { .r = a.r }, shift = { .r = { 1, 0, 0, 0 } };
        double x[3], y[3], z[3];
        for (int k = 0; k < 3; k++)
            x[k] = recon_rng_normal(&rng);
        recon_se3_act(y, rotation, x);
        recon_so3_act(z, a.r, x);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(y[k], z[k], 1e-14);
        memcpy(shift.t, a.t, sizeof shift.t);
        recon_se3_act(y, shift, x);
        recon_se3_act(z, recon_se3_about(a.r, x), x);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(y[k], x[k] + a.t[k], 1e-15);
            CHECK_NEAR(z[k], x[k], 1e-14);
        }
    }
}

static void loops_equal_single_calls(void **state)
{
    (void)state;
    enum { N = 129 };
    static double x[3 * N], y[3 * N];
    recon_rng rng = recon_rng_new(3, 0);
    recon_se3 a = random_motion(&rng);
    for (int i = 0; i < 3 * N; i++)
        x[i] = recon_rng_normal(&rng);
    recon_se3_act_n(y, a, x, N);
    for (int i = 0; i < N; i++) {
        double point[3];
        recon_se3_act(point, a, x + 3 * i);
        assert_true(memcmp(point, y + 3 * i, sizeof point) == 0);
    }
    recon_se3_act_n(x, a, x, N);
    assert_true(memcmp(x, y, sizeof x) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_rotates_and_shifts),
        cmocka_unit_test(loops_equal_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
