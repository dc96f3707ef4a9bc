/* SO(2): the interval's ends, group laws, and loops that agree with the single functions. */
#include "check.h"
#include "group/so2/mean.h"
#include <recon/group/so2.h>

#define EPS 2.3e-16

static int inside(double a)
{
    return a > -M_PI && a <= M_PI;
}

static void wrap_is_exact_at_the_ends(void **state)
{
    (void)state;
    assert_true(recon_so2_wrap(M_PI) == M_PI);
    assert_true(recon_so2_wrap(-M_PI) == M_PI);
    assert_true(recon_so2_wrap(3 * M_PI) == M_PI);
    assert_true(recon_so2_wrap(2 * M_PI) == 0.0);
    double above = nextafter(M_PI, 4), below = nextafter(-M_PI, 0);
    assert_true(recon_so2_wrap(above) == above - 2 * M_PI);
    assert_true(recon_so2_wrap(below) == below);
    assert_true(recon_so2_wrap(1e-300) == 1e-300);
    assert_true(isnan(recon_so2_wrap(NAN)) && isnan(recon_so2_wrap(INFINITY)));
}

/* k rotations of 2 pi (a double) are exact for these k, so the angle must come back bit for bit. */
static void wrap_takes_whole_turns_off(void **state)
{
    (void)state;
    const double rotations[] = { 1, -1, 2, -2, 3, 1024, -0x1p40 };
    for (size_t i = 0; i < sizeof rotations / sizeof *rotations; i++)
        for (int k = -3; k <= 4; k++) {
            double rotated = 2 * M_PI * rotations[i] + 0.75 * k;
            double rest =
                rotated - 2 * M_PI * rotations[i]; /* exact: what the sum kept of 0.75 k */
            CHECK_NEAR(recon_so2_wrap(rotated), rest, 0);
        }
    for (double x = 1; x < 1e300; x *= 1e7) {
        assert_true(inside(recon_so2_wrap(x)) && inside(recon_so2_wrap(-x)));
        CHECK_NEAR(recon_so2_wrap(x), remainder(x, 2 * M_PI), 0);
    }
}

static void group_laws(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(3, 0);
    for (int i = 0; i < 10000; i++) {
        double a = recon_so2_haar(&rng), b = recon_so2_haar(&rng), c = recon_so2_haar(&rng);
        double left = recon_so2_compose(recon_so2_compose(a, b), c);
        double right = recon_so2_compose(a, recon_so2_compose(b, c));
        assert_true(inside(a) && inside(left) && inside(recon_so2_inverse(a)));
        CHECK_NEAR(recon_so2_distance(left, right), 0, 8 * EPS);
        assert_true(recon_so2_compose(a, recon_so2_inverse(a)) == 0);
        assert_true(recon_so2_compose(a, 0) == a && recon_so2_compose(0, a) == a);
    }
    assert_true(recon_so2_inverse(M_PI) == M_PI);
    assert_true(recon_so2_inverse(0) == 0 && !signbit(recon_so2_inverse(0)));
}

static void distance_is_an_invariant_metric(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(4, 0);
    for (int i = 0; i < 10000; i++) {
        double a = recon_so2_haar(&rng), b = recon_so2_haar(&rng), c = recon_so2_haar(&rng);
        double d = recon_so2_distance(a, b);
        assert_true(d >= 0 && d <= M_PI && d == recon_so2_distance(b, a));
        assert_true(recon_so2_distance(a, a) == 0);
        CHECK_LESS(d, recon_so2_distance(a, c) + recon_so2_distance(c, b) + 8 * EPS);
        CHECK_NEAR(recon_so2_distance(recon_so2_compose(a, c), recon_so2_compose(b, c)), d,
                   12 * EPS);
    }
    CHECK_NEAR(recon_so2_distance(M_PI - 0.1, -M_PI + 0.1), 0.2, 4 * EPS);
}

static void act_is_a_homomorphism(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(5, 0);
    double quarter[2];
    recon_so2_act(quarter, M_PI / 2, (const double[]){ 1, 0 }); /* counter-clockwise, y up */
    CHECK_NEAR(quarter[0], 0, EPS);
    CHECK_NEAR(quarter[1], 1, EPS);
    for (int i = 0; i < 1000; i++) {
        double a = recon_so2_haar(&rng), b = recon_so2_haar(&rng);
        double v[2] = { recon_rng_normal(&rng), recon_rng_normal(&rng) }, w[2];
        recon_so2_act(w, recon_so2_compose(a, b), v);
        recon_so2_act(v, b, v);
        recon_so2_act(v, a, v);
        CHECK_NEAR(hypot(v[0] - w[0], v[1] - w[1]), 0, 30 * EPS);
    }
}

static void haar_is_uniform(void **state)
{
    (void)state;
    enum { N = 100000, BINS = 20 };
    int count[BINS] = { 0 };
    recon_rng rng = recon_rng_new(6, 0);
    for (int i = 0; i < N; i++) {
        int bin = (int)((recon_so2_haar(&rng) + M_PI) / (2 * M_PI) * BINS);
        count[bin == BINS ? 0 : bin]++;
    }
    for (int i = 0; i < BINS; i++)
        CHECK_NEAR(count[i], N / BINS, 5 * sqrt(N / BINS));
}

static void loops_equal_single_calls(void **state)
{
    (void)state;
    enum { N = 1001 };
    static double a[N], out[N];
    for (int far = 0; far <= 1; far++) { /* both ways through wrap_n */
        recon_rng rng = recon_rng_new(7, 0);
        for (int i = 0; i < N; i++)
            a[i] = recon_so2_haar(&rng);
        a[N / 2] = far ? 1e9 : -M_PI;
        recon_so2_wrap_n(out, a, N);
        for (int i = 0; i < N; i++)
            assert_true(out[i] == recon_so2_wrap(a[i]));
    }
    recon_so2_wrap_n(out, a, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrap_is_exact_at_the_ends),
        cmocka_unit_test(wrap_takes_whole_turns_off),
        cmocka_unit_test(group_laws),
        cmocka_unit_test(distance_is_an_invariant_metric),
        cmocka_unit_test(act_is_a_homomorphism),
        cmocka_unit_test(haar_is_uniform),
        cmocka_unit_test(loops_equal_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
