/* The gauge: what it is where nothing, a spin or everything is free; that it is steady where the
 * mode is not; how it follows a change of frame. */
#include "check.h"

#include <recon/group/matrix_fisher.h>
#include "group/so3/fisher.h"
#include "group/so3/fisher_fit.h"
#include <stdlib.h>

#define DEGREE (M_PI / 180)

/* F = U diag(s) V^T */
static recon_fisher fisher_of(recon_ctx *ctx, const double s[3], recon_so3 u, recon_so3 v)
{
    double a[9], b[9], f[9] = { 0 };
    recon_fisher out;
    recon_so3_to_matrix(a, u);
    recon_so3_to_matrix(b, v);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            f[i] += s[k] * a[i / 3 * 3 + k] * b[i % 3 * 3 + k];
    CHECK_OK(ctx, recon_fisher_of(ctx, &out, f));
    return out;
}

static double angle_between(const double a[3], const double b[3])
{
    double c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return acos(fmin(fmax(c, -1), 1));
}

static void directions_are_counted(void **state)
{
    static const struct {
        double s[3];
        int free;
    } table[] = { { { 0, 0, 0 }, 3 },      { { 100, 0.1, -0.1 }, 1 }, { { 100, 50, 20 }, 0 },
                  { { 50, 50, -50 }, 2 },  { { 100, 0.4, 0.4 }, 1 },  { { 100, 2, 1 }, 0 },
                  { { 0.3, 0.2, 0.1 }, 3 } };
    recon_rng r = recon_rng_new(3, 0);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        recon_fisher f = fisher_of(*state, table[i].s, recon_so3_haar(&r), recon_so3_haar(&r));
        assert_int_equal(recon_fisher_free(&f), table[i].free);
    }
}

static void nothing_free_is_the_mode_and_all_free_the_identity(void **state)
{
    recon_rng r = recon_rng_new(5, 0);
    recon_fisher f =
        fisher_of(*state, (double[]){ 30, 20, 10 }, recon_so3_haar(&r), recon_so3_haar(&r));
    CHECK_NEAR(recon_so3_distance(recon_fisher_gauge(&f, 0), f.mode), 0, 1e-12);
    CHECK_NEAR(recon_so3_angle(recon_fisher_gauge(&f, 3)), 0, 1e-7);
}

/* On a ring: b goes to w, by the angle between them and no more. */
static void on_a_ring_it_is_the_least_rotation(void **state)
{
    recon_rng r = recon_rng_new(7, 0);
    for (int i = 0; i < 50; i++) {
        double body[3], world[3], moved[3];
        recon_fisher f =
            fisher_of(*state, (double[]){ 90, 0, 0 }, recon_so3_haar(&r), recon_so3_haar(&r));
        recon_so3 g = recon_fisher_gauge(&f, recon_fisher_free(&f));
        recon_fisher_axes(body, world, &f);
        recon_so3_act(moved, g, body);
        CHECK_NEAR(angle_between(moved, world), 0, 1e-7);
        CHECK_NEAR(recon_so3_angle(g), angle_between(body, world), 1e-7);
    }
}

/* Two free directions: still a mode, and no other is nearer the identity. */
static void with_two_free_it_is_the_nearest_mode(void **state)
{
    recon_rng r = recon_rng_new(9, 0);
    recon_fisher f =
        fisher_of(*state, (double[]){ 40, 40, -40 }, recon_so3_haar(&r), recon_so3_haar(&r));
    recon_so3 g = recon_fisher_gauge(&f, 2);
    double best = recon_fisher_log_density(&f, f.mode);
    CHECK_NEAR(recon_fisher_log_density(&f, g), best, 1e-9);
    for (int i = 0; i < 2000; i++) {
        recon_so3 h = recon_so3_haar(&r);
        if (recon_fisher_log_density(&f, h) > best - 0.01)
            assert_true(recon_so3_angle(h) > recon_so3_angle(g) - 0.1);
    }
}

/* Twenty-five poses of one ring, again and again: the mode wanders, the gauge stays. (Where b and w
 * are at an angle a, errors of the axes come back tan(a / 2) times as large in the spin.) */
static void it_does_not_follow_the_noise(void **state)
{
    enum { SETS = 60, K = 25 };
    recon_ctx *ctx = *state;
    recon_rng r = recon_rng_new(11, 0);
    double middle = 0, worst = 0;
    recon_so3 v = recon_so3_from_axis_angle((double[]){ 1, 2, -1 }, 1), g[K];
    recon_fisher truth = fisher_of(ctx, (double[]){ 100, 0.001, 0.001 }, recon_so3_identity(), v);
    recon_so3 steady = recon_fisher_gauge(&truth, 1);
    for (int i = 0; i < SETS; i++) {
        recon_fisher_fit fit;
        recon_fisher_sample(g, &truth, K, &r);
        CHECK_OK(ctx, recon_fisher_fit_samples(ctx, &fit, g, K, NULL));
        assert_int_equal(recon_fisher_free(&fit.fisher), 1);
        worst = fmax(worst, recon_so3_distance(recon_fisher_gauge(&fit.fisher, 1), steady));
        middle += recon_so3_distance(fit.fisher.mode, steady) / SETS;
    }
    CHECK_LESS(worst, 12 * DEGREE);
    assert_true(middle > 45 * DEGREE);
}

static void transpose(double out[9], const double in[9])
{
    for (int i = 0; i < 9; i++)
        out[i] = in[i % 3 * 3 + i / 3];
}

/* The rotation by which gauge(g F h) and g gauge(F) h differ, on the left; off: how far it takes
 * the world axis from where it is. */
static recon_so3 rest(recon_ctx *ctx, double *off, const recon_fisher *f, recon_so3 g, recon_so3 h,
                      int free)
{
    double m[9], mt[9], body[3], world[3], moved[3];
    recon_fisher other;
    recon_fisher_center(m, f->f, recon_so3_inverse(h)); /* F h           */
    transpose(mt, m);
    recon_fisher_center(mt, mt, g); /* (g F h)^T     */
    transpose(m, mt);
    CHECK_OK(ctx, recon_fisher_of(ctx, &other, m));
    recon_so3 want = recon_so3_compose(g, recon_so3_compose(recon_fisher_gauge(f, free), h));
    recon_so3 out = recon_so3_compose(recon_fisher_gauge(&other, free), recon_so3_inverse(want));
    recon_fisher_axes(body, world, &other);
    recon_so3_act(moved, out, world);
    *off = angle_between(moved, world);
    return out;
}

/* gauge(g F h) = spin g gauge(F) h: no spin where nothing is free, one about the world axis on a
 * ring. */
static void it_follows_a_change_of_frame(void **state)
{
    recon_rng r = recon_rng_new(13, 0);
    for (int i = 0; i < 40; i++) {
        recon_so3 u = recon_so3_haar(&r), v = recon_so3_haar(&r), g = recon_so3_haar(&r),
                  h = recon_so3_haar(&r);
        double off;
        recon_fisher firm = fisher_of(*state, (double[]){ 30, 20, 10 }, u, v);
        CHECK_NEAR(recon_so3_angle(rest(*state, &off, &firm, g, h, 0)), 0, 1e-7);
        recon_fisher ring = fisher_of(*state, (double[]){ 80, 0, 0 }, u, v);
        rest(*state, &off, &ring, g, h, 1);
        CHECK_NEAR(off, 0, 1e-7);
    }
}

/* A path of axes leads to a path of gauges: small steps give small steps. */
static void it_is_continuous_in_the_axes(void **state)
{
    recon_so3 v = recon_so3_from_axis_angle((double[]){ 0, 0, 1 }, 0.3), before = { 1, 0, 0, 0 };
    for (int i = 0; i <= 1000; i++) {
        double angle = -2.5 + 5e-3 * i;
        recon_so3 u = recon_so3_from_axis_angle((double[]){ 0.1, 0.2, 1 }, angle);
        recon_fisher f = fisher_of(*state, (double[]){ 100, 0, 0 }, u, v);
        recon_so3 now = recon_fisher_gauge(&f, 1);
        if (i)
            CHECK_LESS(recon_so3_distance(now, before), 0.03);
        before = now;
    }
}

static void centring_takes_a_rotation_off(void **state)
{
    recon_rng r = recon_rng_new(15, 0);
    recon_so3 g = recon_so3_haar(&r), x = recon_so3_haar(&r);
    recon_fisher f =
        fisher_of(*state, (double[]){ 9, 5, -2 }, recon_so3_haar(&r), recon_so3_haar(&r));
    recon_fisher centred;
    double c[9];
    recon_fisher_center(c, f.f, g);
    CHECK_OK(*state, recon_fisher_of(*state, &centred, c));
    recon_so3 absolute = recon_so3_compose(x, recon_so3_inverse(g));
    CHECK_NEAR(recon_fisher_log_density(&centred, absolute), recon_fisher_log_density(&f, x),
               1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_counted),
        cmocka_unit_test(nothing_free_is_the_mode_and_all_free_the_identity),
        cmocka_unit_test(on_a_ring_it_is_the_least_rotation),
        cmocka_unit_test(with_two_free_it_is_the_nearest_mode),
        cmocka_unit_test(it_does_not_follow_the_noise),
        cmocka_unit_test(it_follows_a_change_of_frame),
        cmocka_unit_test(it_is_continuous_in_the_axes),
        cmocka_unit_test(centring_takes_a_rotation_off),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
