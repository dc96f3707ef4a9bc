/* SO(3): group laws, exp and log from 1e-300 to pi, matrices, Haar measure, SciPy's answers. */
#include "check.h"
#include <stdlib.h>
#include <recon/group/so3.h>
#include "group/group.h"
#include "group/vectors.h"
#include "group/so3/so3.h"

#define EPS    2.3e-16
#define TRIALS 5000

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double gap(const double *a, const double *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static void multiply(double out[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static void random_direction(double v[3], recon_rng *rng)
{
    for (int k = 0; k < 3; k++)
        v[k] = recon_rng_normal(rng);
    double n = length(v);
    for (int k = 0; k < 3; k++)
        v[k] /= n;
}

static void check_unit(recon_so3 q)
{
    assert_true(q.w >= 0);
    CHECK_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 5 * EPS);
}

static void group_laws(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(1, 0);
    recon_so3 one = recon_so3_identity();
    for (int i = 0; i < TRIALS; i++) {
        recon_so3 a = recon_so3_haar(&rng), b = recon_so3_haar(&rng), c = recon_so3_haar(&rng);
        recon_so3 left = recon_so3_compose(recon_so3_compose(a, b), c);
        recon_so3 right = recon_so3_compose(a, recon_so3_compose(b, c));
        check_unit(a), check_unit(left), check_unit(recon_so3_inverse(a));
        CHECK_NEAR(recon_so3_distance(left, right), 0, 10 * EPS);
        CHECK_NEAR(recon_so3_angle(recon_so3_compose(a, recon_so3_inverse(a))), 0, 5 * EPS);
        CHECK_NEAR(recon_so3_distance(recon_so3_compose(a, one), a), 0, 5 * EPS);
        CHECK_NEAR(recon_so3_distance(recon_so3_compose(one, a), a), 0, 5 * EPS);
    }
}

static void long_products_stay_on_the_group(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(2, 0);
    recon_so3 q = recon_so3_identity(), a = recon_so3_haar(&rng);
    for (int i = 0; i < 1000000; i++)
        q = recon_so3_compose(a, q);
    check_unit(q);
}

static void matrices_are_a_homomorphism(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(3, 0);
    for (int i = 0; i < TRIALS; i++) {
        recon_so3 a = recon_so3_haar(&rng), b = recon_so3_haar(&rng);
        double A[9], B[9], AB[9], both[9], v[3], w[3], Av[3];
        recon_so3_to_matrix(A, a);
        recon_so3_to_matrix(B, b);
        recon_so3_to_matrix(both, recon_so3_compose(a, b));
        multiply(AB, A, B);
        CHECK_NEAR(gap(both, AB, 9), 0, 10 * EPS);
        CHECK_NEAR(recon_so3_matrix_error(A), 0, 10 * EPS);
        CHECK_NEAR(recon_so3_distance(recon_so3_from_matrix(A), a), 0, 8 * EPS);

        random_direction(v, &rng);
        for (int r = 0; r < 3; r++)
            Av[r] = A[3 * r] * v[0] + A[3 * r + 1] * v[1] + A[3 * r + 2] * v[2];
        recon_so3_act(w, a, v);
        CHECK_NEAR(gap(w, Av, 3), 0, 6 * EPS);
        recon_so3_act(v, a, v);
        assert_true(gap(v, w, 3) == 0);
    }
}

static const double ANGLES[] = { 1e-300,      1e-12,       1e-8,         1e-4, 1,
                                 M_PI - 1e-4, M_PI - 1e-8, M_PI - 1e-12, M_PI };

static void exp_and_log_are_inverse_at_every_angle(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(4, 0);
    for (size_t k = 0; k < sizeof ANGLES / sizeof *ANGLES; k++)
        for (int i = 0; i < 200; i++) {
            double axis[3], v[3], back[3], angle = ANGLES[k], got;
            random_direction(axis, &rng);
            for (int j = 0; j < 3; j++)
                v[j] = angle * axis[j];
            recon_so3 q = recon_so3_exp(v);
            check_unit(q);
            CHECK_NEAR(recon_so3_angle(q), angle, 4 * EPS * angle);
            CHECK_NEAR(recon_so3_distance(q, recon_so3_identity()), angle, 4 * EPS * angle);
            recon_so3_log(back, q);
            /* |v| = pi may round to just above it: then the same rotation is the other end */
            double sign = back[0] * v[0] < 0 ? -1 : 1;
            assert_true(sign == 1 || angle == M_PI);
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(sign * back[j], v[j], 5 * EPS * angle);

            CHECK_NEAR(recon_so3_distance(recon_so3_from_axis_angle(axis, angle), q), 0, 8 * EPS);
            recon_so3_to_axis_angle(back, &got, q);
            CHECK_NEAR(got, angle, 4 * EPS * angle);
            for (int j = 0; j < 3; j++)
                CHECK_NEAR(sign * back[j], axis[j], 5 * EPS);
        }
}

static void exp_of_log_is_the_rotation(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(5, 0);
    for (int i = 0; i < TRIALS; i++) {
        recon_so3 a = recon_so3_haar(&rng);
        double v[3];
        recon_so3_log(v, a);
        CHECK_NEAR(length(v), recon_so3_angle(a), 4 * EPS * M_PI);
        CHECK_NEAR(recon_so3_distance(recon_so3_exp(v), a), 0, 10 * EPS);
    }
}

static void ends_of_the_ball(void **state)
{
    (void)state;
    double v[3], angle;
    recon_so3_log(v, (recon_so3){ 0, 0, -0.6, 0.8 }); /* a half turn: first non-zero positive */
    CHECK_NEAR(v[1], 0.6 * M_PI, 2 * EPS * M_PI);
    CHECK_NEAR(v[2], -0.8 * M_PI, 2 * EPS * M_PI);
    recon_so3_log(v, (recon_so3){ 0, 0, 0, -1 });
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == M_PI);
    recon_so3_to_axis_angle(v, &angle, recon_so3_identity());
    assert_true(v[0] == 1 && v[1] == 0 && v[2] == 0 && angle == 0);
    recon_so3_log(v, recon_so3_identity());
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
    recon_so3 q = recon_so3_exp((const double[]){ 5e-324, 0, 0 });
    assert_true(q.w == 1);
    q = recon_so3_exp((const double[]){ 0, 0, 3 * M_PI / 2 }); /* = a quarter turn back */
    CHECK_NEAR(q.w, sqrt(0.5), 2 * EPS);
    CHECK_NEAR(q.z, -sqrt(0.5), 2 * EPS);
    q = recon_so3_normalize((recon_so3){ -3e-200, 0, 4e-200, 0 });
    CHECK_NEAR(q.w, 0.6, EPS);
    CHECK_NEAR(q.y, -0.8, EPS);
}

static void distance_is_a_biinvariant_metric(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(6, 0);
    for (int i = 0; i < TRIALS; i++) {
        recon_so3 a = recon_so3_haar(&rng), b = recon_so3_haar(&rng), c = recon_so3_haar(&rng);
        double d = recon_so3_distance(a, b);
        assert_true(d >= 0 && d <= M_PI && d == recon_so3_distance(b, a));
        assert_true(recon_so3_distance(a, a) == 0);
        CHECK_LESS(d, recon_so3_distance(a, c) + recon_so3_distance(c, b) + 10 * EPS);
        CHECK_NEAR(recon_so3_distance(recon_so3_compose(a, c), recon_so3_compose(b, c)), d,
                   15 * EPS);
        CHECK_NEAR(recon_so3_distance(recon_so3_compose(c, a), recon_so3_compose(c, b)), d,
                   15 * EPS);
        recon_so3 ab = recon_so3_compose(recon_so3_inverse(a), b);
        CHECK_NEAR(recon_so3_angle(ab), d, 15 * EPS);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* E R = 0, E R_ij^2 = 1/3, and the angle has the density (1 - cos t) / pi. */
static void haar_has_its_moments_and_angles(void **state)
{
    (void)state;
    enum { N = 40000 };
    static double angle[N];
    recon_rng rng = recon_rng_new(7, 0);
    double mean[9] = { 0 }, square[9] = { 0 }, m[9], worst = 0;
    for (int i = 0; i < N; i++) {
        recon_so3 q = recon_so3_haar(&rng);
        recon_so3_to_matrix(m, q);
        for (int k = 0; k < 9; k++)
            mean[k] += m[k] / N, square[k] += m[k] * m[k] / N;
        angle[i] = recon_so3_angle(q);
    }
    for (int k = 0; k < 9; k++) { /* Var R_ij = 1/3, Var R_ij^2 = 1/5 - 1/9 */
        CHECK_NEAR(mean[k], 0, 5 * sqrt(1 / 3.0 / N));
        CHECK_NEAR(square[k], 1 / 3.0, 5 * sqrt((1 / 5.0 - 1 / 9.0) / N));
    }
    qsort(angle, N, sizeof *angle, ascending);
    for (int i = 0; i < N; i++) {
        double cdf = (angle[i] - sin(angle[i])) / M_PI;
        worst = fmax(worst, fmax(fabs(cdf - (double)i / N), fabs(cdf - (i + 1.0) / N)));
    }
    CHECK_LESS(worst, 2.0 / sqrt(N)); /* Kolmogorov-Smirnov: passed over once in 1500 */
}

static void matrix_error_measures(void **state)
{
    (void)state;
    const double one[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    double m[9];
    assert_true(recon_so3_matrix_error(one) == 0);
    memcpy(m, one, sizeof m);
    m[4] = 2; /* m m^T = diag(1, 4, 1) */
    assert_true(recon_so3_matrix_error(m) == 3);
    memcpy(m, one, sizeof m);
    m[1] = 1e-3; /* a shear: the off-diagonal entry of m m^T */
    CHECK_NEAR(recon_so3_matrix_error(m), 1e-3, 1e-18);
    memcpy(m, one, sizeof m);
    m[8] = -1;
    assert_true(isinf(recon_so3_matrix_error(m)));
    for (int k = 0; k < 9; k++) {
        memcpy(m, one, sizeof m);
        m[k] = k % 2 ? NAN : INFINITY;
        assert_true(isinf(recon_so3_matrix_error(m)));
    }
    for (int k = 0; k < 9; k++)
        m[k] = 1e200 * (k % 3 ? 1 : -1);
    assert_true(isinf(recon_so3_matrix_error(m)));
    assert_true(recon_so3_matrix_error((const double[9]){ 0 }) == 1);
}

/* The nearest rotation to R S, S symmetric and positive, is R: for an error of float's size the
 * answer must be R to rounding, not to that error. */
static void from_matrix_is_the_nearest_rotation(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(8, 0);
    for (int i = 0; i < TRIALS; i++) {
        recon_so3 a = recon_so3_haar(&rng);
        double R[9], S[9], m[9];
        recon_so3_to_matrix(R, a);
        for (int r = 0; r < 3; r++)
            for (int c = r; c < 3; c++)
                S[3 * r + c] = S[3 * c + r] = (r == c) + 1e-6 * recon_rng_normal(&rng);
        multiply(m, R, S);
        CHECK_NEAR(recon_so3_distance(recon_so3_from_matrix(m), a), 0, 15 * EPS);
    }
}

static void half_turns_come_back_from_matrices(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(9, 0);
    for (int i = 0; i < TRIALS; i++) {
        double axis[3], m[9];
        random_direction(axis, &rng);
        if (i < 3)
            axis[0] = i == 0, axis[1] = i == 1, axis[2] = i == 2;
        recon_so3 a = { 0, axis[0], axis[1], axis[2] };
        recon_so3_to_matrix(m, a);
        CHECK_NEAR(recon_so3_distance(recon_so3_from_matrix(m), a), 0, 10 * EPS);
    }
}

static void scipy_agrees(void **state)
{
    (void)state;
    for (int i = 0; i < ROTATIONS; i++) {
        const double *want = rotation_quaternion[i];
        recon_so3 q = recon_so3_exp(rotation_vector[i]);
        double m[9], v[3], got[4] = { q.w, q.x, q.y, q.z };
        CHECK_NEAR(gap(got, want, 4), 0, 4 * EPS);
        recon_so3_to_matrix(m, q);
        CHECK_NEAR(gap(m, rotation_matrix[i], 9), 0, 8 * EPS);
        recon_so3_log(v, (recon_so3){ want[0], want[1], want[2], want[3] });
        CHECK_NEAR(gap(v, rotation_vector[i], 3), 0, 8 * EPS);
        CHECK_NEAR(recon_so3_distance(recon_so3_from_matrix(rotation_matrix[i]), q), 0, 10 * EPS);
    }
}

static int same(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

static void loops_equal_single_calls(void **state)
{
    (void)state;
    enum { N = 257 };
    static recon_so3 a[N];
    static double v[3 * N], m[9 * N], p[3 * N];
    recon_rng rng = recon_rng_new(10, 0);
    for (int i = 0; i < N; i++) {
        a[i] = recon_so3_haar(&rng);
        recon_so3_log(v + 3 * i, a[i]);
    }
    recon_so3_to_matrix_n(m, a, N);
    recon_so3_act_n(p, a[0], v, N);
    for (int i = 0; i < N; i++) {
        double want[9];
        recon_so3_act(want, a[0], v + 3 * i);
        assert_true(same(want, p + 3 * i, 3 * sizeof *p));
        recon_so3_to_matrix(want, a[i]);
        assert_true(same(want, m + 9 * i, 9 * sizeof *m));
    }
    recon_so3_act_n(v, a[0], v, N); /* in place */
    assert_true(same(v, p, sizeof p));
}

/* 18 numbers are two rotations as matrices or as rows of 9, and nothing else. */
static void shapes_of_files_are_told(void **state)
{
    static const size_t shape[][3] = { { 2, 9 },    { 2, 3, 3 }, { 3, 2, 3 },
                                       { 3, 3, 2 }, { 9, 2 },    { 6, 3 } };
    recon_ctx *ctx = recon_ctx_new(NULL);
    double rotation[18] = { 0 }, out[8];
    (void)state;
    for (int i = 0; i < 18; i++)
        rotation[i] = i % 9 % 4 == 0;
    for (int i = 0; i < 6; i++) {
        recon_array a = { .dtype = RECON_F64,
                          .ndim = shape[i][2] ? 3 : 2,
                          .shape = { shape[i][0], shape[i][1], shape[i][2] },
                          .data = rotation };
        recon_status status =
            recon_group_read(ctx, RECON_SO3, out, &a, 2, RECON_QUATERNIONS_NONE, "g.npy");
        assert_int_equal(status, i < 2 ? RECON_OK : RECON_ERR_INPUT);
        if (i >= 2)
            assert_non_null(strstr(recon_ctx_message(ctx), "but poses are N x 3 x 3"));
    }
    recon_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_laws),
        cmocka_unit_test(long_products_stay_on_the_group),
        cmocka_unit_test(matrices_are_a_homomorphism),
        cmocka_unit_test(exp_and_log_are_inverse_at_every_angle),
        cmocka_unit_test(exp_of_log_is_the_rotation),
        cmocka_unit_test(ends_of_the_ball),
        cmocka_unit_test(distance_is_a_biinvariant_metric),
        cmocka_unit_test(haar_has_its_moments_and_angles),
        cmocka_unit_test(matrix_error_measures),
        cmocka_unit_test(from_matrix_is_the_nearest_rotation),
        cmocka_unit_test(half_turns_come_back_from_matrices),
        cmocka_unit_test(scipy_agrees),
        cmocka_unit_test(loops_equal_single_calls),
        cmocka_unit_test(shapes_of_files_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
