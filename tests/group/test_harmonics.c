/* Harmonics: normalisation, addition theorem, orthogonality by an exact quadrature, parity, the
 * closed forms against the recursion. */
#include "check.h"
#include <recon/core/rng.h>
#include "harmonics.h"
#include "group/e3nn_vectors.h"

#define EPS 2.3e-16
enum { LMAX = 12, COUNT = (LMAX + 1) * (LMAX + 1) };

static void random_direction(double v[3], recon_rng *rng)
{
    double n = 0;
    for (int k = 0; k < 3; k++)
        v[k] = recon_rng_normal(rng), n += v[k] * v[k];
    for (int k = 0; k < 3; k++)
        v[k] /= sqrt(n);
}

static double legendre(int l, double t)
{
    double before = 0, now = 1;
    for (int k = 0; k < l; k++) {
        double next = ((2 * k + 1) * t * now - k * before) / (k + 1);
        before = now, now = next;
    }
    return now;
}

/* sum over m of Y_lm(u) Y_lm(v) = (2l+1) P_l(u . v); u = v is the normalisation. */
static void addition_theorem(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    double u[3], v[3], U[COUNT], V[COUNT];
    for (int i = 0; i < 200; i++) {
        random_direction(u, &rng);
        random_direction(v, &rng);
        if (i % 4 == 0)
            memcpy(v, u, sizeof v);
        recon_harmonics(U, LMAX, u);
        recon_harmonics(V, LMAX, v);
        for (int l = 0; l <= LMAX; l++) {
            double sum = 0, t = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
            for (int m = 0; m < 2 * l + 1; m++)
                sum += U[l * l + m] * V[l * l + m];
            CHECK_NEAR(sum, (2 * l + 1) * legendre(l, t), 400 * EPS * (2 * l + 1));
        }
    }
}

/* Gauss-Legendre in y by Newton from Chebyshev's guess, equal steps in the azimuth: exact for
 * polynomials of degree 2 LMAX. The mean over the sphere of Y_i Y_j is 1 or 0. */
static void orthogonal_over_the_sphere(void **state)
{
    (void)state;
    enum { NODES = LMAX + 1, STEPS = 2 * LMAX + 1 };
    static double mean[COUNT][COUNT];
    memset(mean, 0, sizeof mean);
    for (int i = 0; i < NODES; i++) {
        double y = cos(M_PI * (i + 0.75) / (NODES + 0.5)), slope = 1;
        for (int k = 0; k < 8; k++) {
            slope = NODES * (y * legendre(NODES, y) - legendre(NODES - 1, y)) / (y * y - 1);
            y -= legendre(NODES, y) / slope;
        }
        slope = NODES * (y * legendre(NODES, y) - legendre(NODES - 1, y)) / (y * y - 1);
        double weight = 1 / ((1 - y * y) * slope * slope) / STEPS, r = sqrt(1 - y * y);
        for (int j = 0; j < STEPS; j++) {
            double a = 2 * M_PI * j / STEPS, Y[COUNT];
            recon_harmonics(Y, LMAX, (const double[]){ r * sin(a), y, r * cos(a) });
            for (int p = 0; p < COUNT; p++)
                for (int q = 0; q < COUNT; q++)
                    mean[p][q] += weight * Y[p] * Y[q];
        }
    }
    for (int p = 0; p < COUNT; p++)
        for (int q = 0; q < COUNT; q++)
            CHECK_NEAR(mean[p][q], p == q, 1e-13);
}

static void closed_forms_are_the_recursion(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    double v[3], Y[16], Z[16];
    for (int i = 0; i < 1000; i++) {
        random_direction(v, &rng);
        if (i < 6) /* along the axes, poles among them */
            for (int k = 0; k < 3; k++)
                v[k] = k == i / 2 ? (i % 2 ? -1 : 1) : 0;
        recon_harmonics(Y, 3, v);
        recon_harmonics_row(Z, v);
        for (int k = 0; k < 16; k++)
            CHECK_NEAR(Z[k], Y[k], 10 * EPS);
    }
}

static void degree_one_is_the_direction(void **state)
{
    (void)state;
    double Y[4];
    recon_harmonics(Y, 1, (const double[]){ 3, 0, -4 });
    CHECK_NEAR(Y[0], 1, 0);
    CHECK_NEAR(Y[1], sqrt(3) * 0.6, 2 * EPS);
    CHECK_NEAR(Y[2], 0, 0);
    CHECK_NEAR(Y[3], -sqrt(3) * 0.8, 2 * EPS);
}

static void parity_and_length(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(3, 0);
    double v[3], w[3], Y[COUNT], Z[COUNT];
    const double lengths[] = { 1e-300, 1e-9, 7, 1e300 };
    for (int i = 0; i < 40; i++) {
        random_direction(v, &rng);
        for (int k = 0; k < 3; k++)
            w[k] = -lengths[i % 4] * v[k];
        recon_harmonics(Y, LMAX, v);
        recon_harmonics(Z, LMAX, w);
        for (int l = 0; l <= LMAX; l++)
            for (int m = 0; m < 2 * l + 1; m++)
                CHECK_NEAR(Z[l * l + m], (l % 2 ? -1 : 1) * Y[l * l + m], 400 * EPS);
    }
}

static void what_has_no_direction(void **state)
{
    (void)state;
    double Y[16], Z[16];
    recon_harmonics(Y, 3, (const double[]){ 0, -0.0, 0 });
    recon_harmonics_row(Z, (const double[]){ 0, 0, 0 });
    for (int k = 0; k < 16; k++)
        assert_true(Y[k] == (k == 0) && Z[k] == (k == 0));
    recon_harmonics(Y, 0, (const double[]){ 1, 2, 3 });
    assert_true(Y[0] == 1);
    for (int k = 0; k < 3; k++) {
        double v[3] = { 1, 1, 1 }, alone[3] = { 0 };
        v[k] = k == 1 ? INFINITY : NAN;
        alone[k] = NAN;
        for (int i = 0; i < 2; i++) {
            recon_harmonics_row(Z, i ? alone : v);
            recon_harmonics(Y, 1, i ? alone : v);
            assert_true(Z[0] == 1 && isnan(Z[1 + k]) && isnan(Y[1 + k]));
        }
    }
}

static void e3nn_agrees(void **state)
{
    (void)state;
    enum { N = (E3NN_LMAX + 1) * (E3NN_LMAX + 1) };
    double Y[N];
    for (int i = 0; i < E3NN_DIRECTIONS; i++) {
        recon_harmonics(Y, E3NN_LMAX, e3nn_direction + 3 * i);
        for (int k = 0; k < N; k++)
            CHECK_NEAR(Y[k], e3nn_harmonics[N * i + k], 3e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addition_theorem),
        cmocka_unit_test(orthogonal_over_the_sphere),
        cmocka_unit_test(closed_forms_are_the_recursion),
        cmocka_unit_test(degree_one_is_the_direction),
        cmocka_unit_test(parity_and_length),
        cmocka_unit_test(what_has_no_direction),
        cmocka_unit_test(e3nn_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
