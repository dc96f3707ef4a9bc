/* Wigner matrices: a homomorphism, orthogonal, the law of harmonics, to a high degree. */
#include "check.h"
#include "harmonics.h"
#include "core/memory.h"
#include "group/e3nn_vectors.h"

enum { LMAX = 16, SIZE = 2 * LMAX + 1 };
typedef double matrix[SIZE * SIZE];

static double product_gap(const double *a, const double *b, const double *ab, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            worst = fmax(worst, fabs(sum - ab[i * n + j]));
        }
    return worst;
}

static void matrices_multiply_like_rotations(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(1, 0);
    static matrix A, B, AB, inverse, one;
    for (int l = 0; l <= LMAX; l += l < 4 ? 1 : 4) {
        recon_so3 a = recon_so3_haar(&rng), b = recon_so3_haar(&rng);
        int n = 2 * l + 1;
        CHECK_OK(ctx, recon_wigner(ctx, A, l, a));
        CHECK_OK(ctx, recon_wigner(ctx, B, l, b));
        CHECK_OK(ctx, recon_wigner(ctx, AB, l, recon_so3_compose(a, b)));
        CHECK_LESS(product_gap(A, B, AB, n), 3e-14);
        CHECK_OK(ctx, recon_wigner(ctx, inverse, l, recon_so3_inverse(a)));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                CHECK_NEAR(inverse[i * n + j], A[j * n + i], 1e-14); /* orthogonal */
                one[i * n + j] = i == j;
            }
        CHECK_LESS(product_gap(A, inverse, one, n), 3e-14);
    }
}

static void harmonics_rotate_by_them(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(2, 0);
    static matrix D;
    double Y[(LMAX + 1) * (LMAX + 1)], Z[(LMAX + 1) * (LMAX + 1)];
    for (int trial = 0; trial < 5; trial++) {
        recon_so3 r = recon_so3_haar(&rng);
        double v[3] = { recon_rng_normal(&rng), recon_rng_normal(&rng), recon_rng_normal(&rng) };
        recon_harmonics(Y, LMAX, v);
        recon_so3_act(v, r, v);
        recon_harmonics(Z, LMAX, v);
        for (int l = 0; l <= LMAX; l += l < 4 ? 1 : 6) {
            int n = 2 * l + 1;
            CHECK_OK(ctx, recon_wigner(ctx, D, l, r));
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += D[i * n + j] * Y[l * l + j];
                CHECK_NEAR(sum, Z[l * l + i], 1e-13);
            }
        }
    }
}

static void degree_one_is_the_rotation(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(3, 0);
    recon_so3 r = recon_so3_haar(&rng);
    double R[9], D[9];
    recon_so3_to_matrix(R, r);
    CHECK_OK(ctx, recon_wigner(ctx, D, 1, r));
    for (int k = 0; k < 9; k++)
        CHECK_NEAR(D[k], R[k], 1e-15);
    CHECK_OK(ctx, recon_wigner(ctx, D, 0, r));
    assert_true(D[0] == 1);
}

/* The trace depends on the angle alone: sin((2l+1) t / 2) / sin(t / 2). */
static void traces_are_characters(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(4, 0);
    static matrix D;
    for (int l = 0; l <= LMAX; l += 4) {
        recon_so3 r = recon_so3_haar(&rng);
        double t = recon_so3_angle(r), trace = 0;
        CHECK_OK(ctx, recon_wigner(ctx, D, l, r));
        for (int i = 0; i < 2 * l + 1; i++)
            trace += D[i * (2 * l + 1) + i];
        CHECK_NEAR(trace, sin((2 * l + 1) * t / 2) / sin(t / 2), 1e-12);
    }
}

static void features_rotate_channel_by_channel(void **state)
{
    recon_ctx *ctx = *state;
    const recon_irreps irreps = { { 2, 3, 1, 2 } };
    enum { ROWS = 3, DIM = 2 + 9 + 5 + 14 };
    recon_rng rng = recon_rng_new(5, 0);
    recon_so3 r = recon_so3_haar(&rng);
    double x[ROWS * DIM], y[ROWS * DIM], v[3], Y[16];
    for (int i = 0; i < ROWS * DIM; i++)
        x[i] = recon_rng_normal(&rng);
    memcpy(v, x + DIM + 2 + 3, sizeof v); /* a vector of row 1, and its harmonics of degree 3 */
    recon_harmonics_row(Y, v);
    memcpy(x + DIM + 16 + 7, Y + 9, 7 * sizeof *x);
    CHECK_OK(ctx, recon_irreps_rotate(ctx, y, x, ROWS, &irreps, r));
    recon_so3_act(v, r, v);
    recon_harmonics_row(Y, v);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(y[DIM + 2 + 3 + k], v[k], 1e-14);
    for (int k = 0; k < 7; k++)
        CHECK_NEAR(y[DIM + 16 + 7 + k], Y[9 + k], 1e-13);
    assert_true(y[DIM] == x[DIM] && y[DIM + 1] == x[DIM + 1]);
    CHECK_OK(ctx, recon_irreps_rotate(ctx, x, x, ROWS, &irreps, r)); /* in place */
    assert_memory_equal(x, y, sizeof y);
}

static void failures_are_said(void **state)
{
    recon_ctx *ctx = *state;
    double D[25];
    CHECK_FAILS(ctx, recon_wigner(ctx, D, -1, recon_so3_identity()), RECON_ERR_INPUT, "degree -1");
    for (long n = 1; n <= 4; n++) {
        recon_alloc_fail_at(ctx, n);
        CHECK_FAILS(ctx, recon_wigner(ctx, D, 2, recon_so3_identity()), RECON_ERR_MEMORY, "");
    }
    recon_alloc_fail_at(ctx, 0);
}

static void e3nn_agrees(void **state)
{
    recon_ctx *ctx = *state;
    const double *want = e3nn_wigner;
    double D[49];
    for (int i = 0; i < E3NN_ROTATIONS; i++) {
        const double *q = e3nn_rotation + 4 * i;
        for (int l = 0; l <= 3; l++) {
            CHECK_OK(ctx, recon_wigner(ctx, D, l, (recon_so3){ q[0], q[1], q[2], q[3] }));
            for (int k = 0; k < (2 * l + 1) * (2 * l + 1); k++)
                CHECK_NEAR(D[k], *want++, 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_multiply_like_rotations),
        cmocka_unit_test(harmonics_rotate_by_them),
        cmocka_unit_test(degree_one_is_the_rotation),
        cmocka_unit_test(traces_are_characters),
        cmocka_unit_test(features_rotate_channel_by_channel),
        cmocka_unit_test(failures_are_said),
        cmocka_unit_test(e3nn_agrees),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
