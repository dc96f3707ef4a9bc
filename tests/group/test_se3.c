/* SE(3): group laws, the action, and loops that agree with the single functions. */
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

static double gap(recon_se3 a, recon_se3 b)
{
    double worst = recon_so3_distance(a.r, b.r);
    for (int k = 0; k < 3; k++)
        worst = fmax(worst, fabs(a.t[k] - b.t[k]));
    return worst;
}

static void group_laws(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    recon_se3 one = recon_se3_identity();
    for (int i = 0; i < TRIALS; i++) {
        recon_se3 a = random_motion(&rng), b = random_motion(&rng), c = random_motion(&rng);
        recon_se3 left = recon_se3_compose(recon_se3_compose(a, b), c);
        recon_se3 right = recon_se3_compose(a, recon_se3_compose(b, c));
        CHECK_NEAR(gap(left, right), 0, 1e-14);
        CHECK_NEAR(gap(recon_se3_compose(a, one), a), 0, 2e-15);
        CHECK_NEAR(gap(recon_se3_compose(one, a), a), 0, 2e-15);
        CHECK_NEAR(gap(recon_se3_compose(a, recon_se3_inverse(a)), one), 0, 1e-14);
        CHECK_NEAR(gap(recon_se3_compose(recon_se3_inverse(a), a), one), 0, 1e-14);
    }
}

/* a (b x) = (a b) x; with no translation the action is the rotation's, with no rotation a sum. */
static void the_action_is_a_homomorphism(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    for (int i = 0; i < TRIALS; i++) {
        recon_se3 a = random_motion(&rng), b = random_motion(&rng), rotation = a;
        double x[3], y[3], z[3];
        for (int k = 0; k < 3; k++)
            x[k] = recon_rng_normal(&rng), rotation.t[k] = 0;
        recon_se3_act(y, rotation, x);
        recon_so3_act(z, a.r, x);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(y[k], z[k], 1e-14);
        recon_se3 shift = recon_se3_identity();
        memcpy(shift.t, a.t, sizeof shift.t);
        recon_se3_act(y, shift, x);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(y[k], x[k] + a.t[k], 1e-15);

        recon_se3_act(z, recon_se3_compose(a, b), x);
        recon_se3_act(x, b, x); /* in place */
        recon_se3_act(x, a, x);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(x[k], z[k], 2e-14);
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
        cmocka_unit_test(group_laws),
        cmocka_unit_test(the_action_is_a_homomorphism),
        cmocka_unit_test(loops_equal_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
