/* The matrix Fisher distribution: its constant against another route, limits and symmetries; its
 * density integrates to one; samples have its mean; the score does not see a change of frame. */
#include "check.h"
#include "group/fisher_vectors.h"

#include <recon/group/matrix_fisher.h>
#include "group/so3/fisher.h"

static void constant_agrees_with_bingham(void **state)
{
    (void)state;
    for (int i = 0; i < FISHER_VECTORS; i++) {
        const double *row = fisher_vector[i];
        double gradient[3];
        CHECK_NEAR(recon_fisher_log_constant(gradient, row), row[3], 1e-11);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(gradient[k], row[4 + k], 1e-12);
    }
}

/* The table of another implementation, to the digits it gives. */
static void constant_agrees_with_the_table(void **state)
{
    static const double table[5][7] = {
        { 1, .5, .25, 0.2337840294, 0.3324326396, 0.2054897557, 0.1608343130 },
        { 5, 3, 1, 4.8414249453, 0.8463200972, 0.7966743958, 0.7734283368 },
        { 20, 10, -5, 19.5707604283, 0.9491956088, 0.8763021456, 0.8591448981 },
        { 100, .001, .001, 94.7016836235, 0.9900000001, 0.0009900495, 0.0009900495 },
        { 100, 50, 20, 161.3682926084, 0.9924855739, 0.9894922017, 0.9886556930 },
    };
    (void)state;
    for (int i = 0; i < 5; i++) {
        double gradient[3];
        CHECK_NEAR(recon_fisher_log_constant(gradient, table[i]), table[i][3], 1e-9);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(gradient[k], table[i][4 + k], 1e-9);
    }
}

static void constant_has_its_symmetries(void **state)
{
    static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    static const double sign[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    (void)state;
    for (int i = 0; i < FISHER_VECTORS; i++)
        for (int p = 0; p < 6; p++)
            for (int q = 0; q < 4; q++) {
                const double *row = fisher_vector[i];
                double s[3], gradient[3];
                for (int k = 0; k < 3; k++)
                    s[k] = sign[q][k] * row[order[p][k]];
                CHECK_NEAR(recon_fisher_log_constant(gradient, s), row[3], 1e-11);
                for (int k = 0; k < 3; k++)
                    CHECK_NEAR(gradient[k], sign[q][k] * row[4 + order[p][k]], 1e-12);
            }
}

/* Lee's integral as it stands, Bessel functions by their series and Simpson's rule: any of the
 * three values may take the part of k. */
static double bessel0(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 60; k++)
        sum += term *= x * x / 4 / k / k;
    return sum;
}

static double lee(double i, double j, double k)
{
    enum { STEPS = 4000 };
    double sum = 0;
    for (int n = 0; n <= STEPS; n++) {
        double u = 2.0 * n / STEPS - 1, weight = n == 0 || n == STEPS ? 1 : n % 2 ? 4 : 2;
        sum +=
            weight * bessel0((i - j) * (1 - u) / 2) * bessel0((i + j) * (1 + u) / 2) * exp(k * u);
    }
    return log(sum / (3 * STEPS));
}

static void constant_is_the_same_for_any_choice_of_k(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(58, 0);
    for (int t = 0; t < 10; t++) {
        double s[3];
        for (int k = 0; k < 3; k++)
            s[k] = 5 * recon_rng_normal(&rng);
        double want = recon_fisher_log_constant(NULL, s);
        CHECK_NEAR(lee(s[0], s[1], s[2]), want, 1e-10);
        CHECK_NEAR(lee(s[1], s[2], s[0]), want, 1e-10);
        CHECK_NEAR(lee(s[2], s[0], s[1]), want, 1e-10);
    }
}

static void constant_has_its_limits(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(51, 0);
    for (int i = 0; i < 100; i++) {
        double s[3], square = 0, size = exp(9 * recon_rng_uniform(&rng));
        for (int k = 0; k < 3; k++) {
            s[k] = 1e-3 * recon_rng_normal(&rng);
            square += s[k] * s[k];
        }
        /* log c = |s|^2/6 + s0 s1 s2/6 + O(s^4) */
        CHECK_NEAR(recon_fisher_log_constant(NULL, s), square / 6 + s[0] * s[1] * s[2] / 6, 1e-11);
        /* one value: sinh(s)/s; three equal ones far out: Laplace's method to its second term */
        double ring[3] = { size, 0, 0 }, gradient[3];
        CHECK_NEAR(recon_fisher_log_constant(gradient, ring),
                   size + log(-expm1(-2 * size) / (2 * size)), 1e-11);
        CHECK_NEAR(gradient[0], 1 / tanh(size) - 1 / size, 1e-12);
        double far = 1e6 * size, equal[3] = { far, far, far };
        CHECK_NEAR(recon_fisher_log_constant(NULL, equal) - 3 * far,
                   -0.5 * log(64 * M_PI * far * far * far) + log1p(3 / (16 * far)),
                   1e-15 * 3 * far + 1e-11);
    }
}

/* Central differences of log c, and of the gradient for the covariance. */
static void derivatives_are_those_of_the_constant(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(52, 0);
    for (int i = 0; i < 300; i++) {
        double s[3], size = exp(7 * recon_rng_uniform(&rng)) - 1;
        for (int k = 0; k < 3; k++)
            s[k] = size * recon_rng_normal(&rng);
        recon_fisher_constant at;
        recon_fisher_constant_of(&at, s);
        for (int k = 0; k < 3; k++) {
            double h = 1e-4, up[3] = { s[0], s[1], s[2] }, down[3] = { s[0], s[1], s[2] };
            recon_fisher_constant above, below;
            up[k] += h, down[k] -= h;
            recon_fisher_constant_of(&above, up);
            recon_fisher_constant_of(&below, down);
            CHECK_NEAR((above.log_c - below.log_c) / (2 * h), at.mean[k], 3e-8);
            for (int j = 0; j < 3; j++)
                CHECK_NEAR((above.mean[j] - below.mean[j]) / (2 * h), at.covariance[j][k], 3e-8);
        }
    }
}

static void random_matrix(double f[9], recon_rng *rng, double size)
{
    for (int i = 0; i < 9; i++)
        f[i] = size * recon_rng_normal(rng);
}

static double trace_product(const double f[9], const double m[9])
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += f[i] * m[i];
    return sum;
}

/* F = U diag(s) V^T: the mode has tr(F^T mode) = s0 + s1 + s2, no rotation has more, the invariants
 * of F are those of s, and the singular values are proper. */
static void parts_make_the_matrix(void **state)
{
    recon_rng rng = recon_rng_new(53, 0);
    for (int i = 0; i < 500; i++) {
        double f[9], r[9], size = exp(10 * recon_rng_uniform(&rng) - 3);
        recon_fisher fisher;
        random_matrix(f, &rng, size);
        CHECK_OK(*state, recon_fisher_of(*state, &fisher, f));
        const double *s = fisher.singular;
        recon_so3_to_matrix(r, fisher.mode);
        CHECK_NEAR(trace_product(f, r), s[0] + s[1] + s[2], 1e-13 * size);
        CHECK_NEAR(trace_product(f, f), s[0] * s[0] + s[1] * s[1] + s[2] * s[2],
                   1e-13 * size * size);
        double det = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                     f[2] * (f[3] * f[7] - f[4] * f[6]);
        CHECK_NEAR(det, s[0] * s[1] * s[2], 1e-12 * size * size * size);
        assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
        double best = recon_fisher_log_density(&fisher, fisher.mode);
        for (int k = 0; k < 20; k++)
            assert_true(recon_fisher_log_density(&fisher, recon_so3_haar(&rng)) <= best + 1e-9);
    }
}

/* Averages over the group with respect to Haar: of the density 1, of the density times R the mean.
 */
static void density_integrates_to_one(void **state)
{
    static const double f[9] = { 2, -1, .5, .3, 1.5, -.7, 0, .4, -1 };
    enum { N = 400000 };
    recon_fisher fisher;
    recon_rng rng = recon_rng_new(54, 0);
    CHECK_OK(*state, recon_fisher_of(*state, &fisher, f));
    double total = 0, square = 0, mean[9] = { 0 }, want[9];
    for (int i = 0; i < N; i++) {
        double r[9];
        recon_so3 g = recon_so3_haar(&rng);
        double p = exp(recon_fisher_log_density(&fisher, g));
        total += p / N, square += p * p / N;
        recon_so3_to_matrix(r, g);
        for (int k = 0; k < 9; k++)
            mean[k] += p * r[k] / N;
    }
    double error = sqrt(square / N);
    recon_fisher_mean(want, &fisher);
    CHECK_NEAR(total, 1, 5 * error);
    for (int k = 0; k < 9; k++)
        CHECK_NEAR(mean[k], want[k], 5 * error);
}

static void samples_have_the_mean(void **state)
{
    static const double scale[] = { 0, .5, 5, 50, 5000 };
    enum { N = 20000 };
    static recon_so3 g[N];
    recon_rng rng = recon_rng_new(55, 0);
    for (int t = 0; t < 15; t++) {
        double f[9], m[9] = { 0 }, square[9] = { 0 }, want[9];
        recon_fisher fisher;
        random_matrix(f, &rng, scale[t % 5]);
        CHECK_OK(*state, recon_fisher_of(*state, &fisher, f));
        recon_fisher_sample(g, &fisher, N, &rng);
        recon_fisher_mean(want, &fisher);
        for (int i = 0; i < N; i++) {
            double r[9];
            recon_so3_to_matrix(r, g[i]);
            for (int k = 0; k < 9; k++) {
                m[k] += r[k] / N;
                square[k] += (r[k] - want[k]) * (r[k] - want[k]) / N;
            }
        }
        for (int k = 0; k < 9; k++)
            CHECK_NEAR(m[k], want[k], 5 * sqrt(square[k] / N) + 1e-12);
    }
}

/* Proposals taken, by the random numbers used: F = 0 takes every one. */
static void rejection_stays_cheap(void **state)
{
    static const double s[][3] = { { 1e6, 1e6, 1e6 },   { 1e6, 0, 0 },  { 1e6, 1e6, -1e6 },
                                   { 1e6, 1e3, -1e3 },  { 100, 0, 0 },  { 5, 3, 1 },
                                   { 1e4, 1e4, -9999 }, { .1, .1, .1 }, { 30, 30, 30 } };
    enum { N = 20000 };
    static recon_so3 g[N];
    double zero[9] = { 0 };
    recon_fisher fisher;
    recon_rng rng = recon_rng_new(56, 0);
    CHECK_OK(*state, recon_fisher_of(*state, &fisher, zero));
    recon_fisher_sample(g, &fisher, N, &rng);
    double every = (double)rng.position;
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
        double f[9] = { s[i][0], 0, 0, 0, s[i][1], 0, 0, 0, s[i][2] };
        CHECK_OK(*state, recon_fisher_of(*state, &fisher, f));
        rng = recon_rng_new(56, i + 1);
        recon_fisher_sample(g, &fisher, N, &rng);
        CHECK_LESS((double)rng.position / every, 2.5);
    }
}

/* Proposition 2: g -> g h with F -> F h leaves the score alone, with a background too; so does a
 * translation from the left. */
static void score_does_not_see_the_frame(void **state)
{
    recon_rng rng = recon_rng_new(57, 0);
    for (int t = 0; t < 200; t++) {
        double f[9], h[9], moved[9] = { 0 };
        recon_so3 g = recon_so3_haar(&rng), by = recon_so3_haar(&rng);
        recon_fisher here, there;
        random_matrix(f, &rng, 30);
        recon_so3_to_matrix(h, by);
        int left = t % 2;
        for (int i = 0; i < 27; i++) {
            int a = i / 9, b = i / 3 % 3, c = i % 3;
            moved[3 * a + b] += left ? h[3 * a + c] * f[3 * c + b] : f[3 * a + c] * h[3 * c + b];
        }
        CHECK_OK(*state, recon_fisher_of(*state, &here, f));
        CHECK_OK(*state, recon_fisher_of(*state, &there, moved));
        recon_so3 image = left ? recon_so3_compose(by, g) : recon_so3_compose(g, by);
        CHECK_NEAR(recon_fisher_log_density(&there, image), recon_fisher_log_density(&here, g),
                   1e-11);
        CHECK_NEAR(recon_fisher_mixture_log_density(&there, .05, image),
                   recon_fisher_mixture_log_density(&here, .05, g), 1e-11);
    }
}

static void background_bounds_the_score(void **state)
{
    static const double f[9] = { 1e4, 0, 0, 0, 1e4, 0, 0, 0, 1e4 };
    static const double half_turn[3] = { M_PI, 0, 0 };
    recon_fisher fisher;
    CHECK_OK(*state, recon_fisher_of(*state, &fisher, f));
    recon_so3 wrong = recon_so3_exp(half_turn);
    CHECK_LESS(recon_fisher_log_density(&fisher, wrong), -3e4);
    CHECK_NEAR(recon_fisher_mixture_log_density(&fisher, .05, wrong), log(.05), 1e-12);
    CHECK_NEAR(recon_fisher_mixture_log_density(&fisher, 1, wrong), 0, 0);
    CHECK_NEAR(recon_fisher_mixture_log_density(&fisher, 0, wrong),
               recon_fisher_log_density(&fisher, wrong), 0);
}

static void bad_matrices_are_named(void **state)
{
    double f[9] = { 0 };
    recon_fisher fisher;
    f[5] = NAN;
    CHECK_FAILS(*state, recon_fisher_of(*state, &fisher, f), RECON_ERR_INPUT, "F[1][2] is nan");
    f[5] = -INFINITY;
    CHECK_FAILS(*state, recon_fisher_of(*state, &fisher, f), RECON_ERR_INPUT, "F[1][2] is -inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_agrees_with_bingham),
        cmocka_unit_test(constant_agrees_with_the_table),
        cmocka_unit_test(constant_has_its_symmetries),
        cmocka_unit_test(constant_is_the_same_for_any_choice_of_k),
        cmocka_unit_test(constant_has_its_limits),
        cmocka_unit_test(derivatives_are_those_of_the_constant),
        cmocka_unit_test(parts_make_the_matrix),
        cmocka_unit_test(density_integrates_to_one),
        cmocka_unit_test(samples_have_the_mean),
        cmocka_unit_test(rejection_stays_cheap),
        cmocka_unit_test(score_does_not_see_the_frame),
        cmocka_unit_test(background_bounds_the_score),
        cmocka_unit_test(bad_matrices_are_named),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
