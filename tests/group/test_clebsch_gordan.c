/* Coupling tensors: they commute with rotation, are orthogonal, and have e3nn's signs. */
#include "check.h"
#include <stdlib.h>
#include <recon/group/clebsch_gordan.h>
#include "harmonics.h"
#include "group/e3nn_vectors.h"

enum { LMAX = 5, SIZE = 2 * LMAX + 1 };
typedef double tensor[SIZE * SIZE * SIZE];

static int triangle(int a, int b, int c)
{
    return c >= abs(a - b) && c <= a + b;
}

/* z[c] = sum of C[a][b][c] x[a] y[b] */
static void couple(double *z, const double *C, const double *x, int n1, const double *y, int n2,
                   int n3)
{
    for (int c = 0; c < n3; c++)
        z[c] = 0;
    for (int a = 0; a < n1; a++)
        for (int b = 0; b < n2; b++)
            for (int c = 0; c < n3; c++)
                z[c] += C[(a * n2 + b) * n3 + c] * x[a] * y[b];
}

static void rotate(double *out, const double *D, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++)
            out[i] += D[i * n + j] * x[j];
    }
}

static void commutes_with_rotating(void **state)
{
    recon_ctx *ctx = *state;
    recon_rng rng = recon_rng_new(1, 0);
    recon_so3 r = recon_so3_haar(&rng);
    static double D[LMAX + 1][SIZE * SIZE];
    for (int l = 0; l <= LMAX; l++)
        CHECK_OK(ctx, recon_wigner(ctx, D[l], l, r));
    for (int l1 = 0; l1 <= LMAX; l1++)
        for (int l2 = 0; l2 <= LMAX; l2++)
            for (int l3 = 0; l3 <= LMAX; l3++) {
                int n1 = 2 * l1 + 1, n2 = 2 * l2 + 1, n3 = 2 * l3 + 1;
                double x[SIZE], y[SIZE], z[SIZE], Dx[SIZE], Dy[SIZE], Dz[SIZE], got[SIZE];
                tensor C;
                for (int i = 0; i < SIZE; i++)
                    x[i] = recon_rng_normal(&rng), y[i] = recon_rng_normal(&rng);
                recon_clebsch_gordan(C, l1, l2, l3);
                couple(z, C, x, n1, y, n2, n3);
                rotate(Dx, D[l1], x, n1);
                rotate(Dy, D[l2], y, n2);
                rotate(Dz, D[l3], z, n3);
                couple(got, C, Dx, n1, Dy, n2, n3);
                for (int c = 0; c < n3; c++)
                    CHECK_NEAR(got[c], Dz[c], 1e-13);
            }
}

/* sum over a, b of C(l1,l2,l3)[a][b][c] C(l1,l2,k3)[a][b][d] = delta / (2 l3 + 1). */
static void orthogonal_and_complete(void **state)
{
    (void)state;
    for (int l1 = 0; l1 <= 3; l1++)
        for (int l2 = 0; l2 <= 3; l2++) {
            int pairs = (2 * l1 + 1) * (2 * l2 + 1), columns = 0;
            for (int l3 = 0; l3 <= LMAX + 1 && l3 <= l1 + l2; l3++) {
                columns += triangle(l1, l2, l3) ? 2 * l3 + 1 : 0;
                for (int k3 = 0; k3 <= LMAX && k3 <= l1 + l2; k3++) {
                    static double C[49 * 13], K[49 * 13];
                    int n = 2 * l3 + 1, k = 2 * k3 + 1;
                    recon_clebsch_gordan(C, l1, l2, l3);
                    recon_clebsch_gordan(K, l1, l2, k3);
                    for (int c = 0; c < n; c++)
                        for (int d = 0; d < k; d++) {
                            double sum = 0;
                            int same = l3 == k3 && c == d && triangle(l1, l2, l3);
                            for (int p = 0; p < pairs; p++)
                                sum += C[p * n + c] * K[p * k + d];
                            CHECK_NEAR(sum, same ? 1.0 / n : 0, 1e-15);
                        }
                }
            }
            assert_int_equal(columns, pairs);
        }
}

/* Harmonics of one direction couple to harmonics: C Y_l1 Y_l2 is along Y_l3 for an even sum, and 0
 * for an unusual pose, where the coupling is a cross product. */
static void harmonics_couple_to_harmonics(void **state)
{
    (void)state;
    double Y[36], z[SIZE];
    tensor C;
    recon_harmonics(Y, 5, (const double[]){ 0.3, -0.8, 0.4 });
    for (int l1 = 0; l1 <= 3; l1++)
        for (int l2 = 0; l2 <= 3; l2++)
            for (int l3 = abs(l1 - l2); l3 <= l1 + l2 && l3 <= 5; l3++) {
                double along = 0, length = 0;
                recon_clebsch_gordan(C, l1, l2, l3);
                couple(z, C, Y + l1 * l1, 2 * l1 + 1, Y + l2 * l2, 2 * l2 + 1, 2 * l3 + 1);
                for (int c = 0; c < 2 * l3 + 1; c++) {
                    along += z[c] * Y[l3 * l3 + c] / sqrt(2 * l3 + 1);
                    length += z[c] * z[c];
                }
                if ((l1 + l2 + l3) % 2)
                    CHECK_NEAR(length, 0, 1e-28);
                else
                    CHECK_NEAR(fabs(along), sqrt(length), 1e-14);
                if ((l1 + l2 + l3) % 2 == 0)
                    CHECK_LESS(0.05, sqrt(length));
            }
}

static void small_ones_are_familiar(void **state)
{
    (void)state;
    tensor C;
    for (int l = 0; l <= 4; l++) { /* with a scalar: the identity; to a scalar: the dot product */
        int n = 2 * l + 1;
        recon_clebsch_gordan(C, l, 0, l);
        for (int a = 0; a < n; a++)
            for (int c = 0; c < n; c++)
                CHECK_NEAR(C[a * n + c], a == c ? 1 / sqrt(n) : 0, 1e-15);
        recon_clebsch_gordan(C, l, l, 0);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                CHECK_NEAR(C[a * n + b], a == b ? 1 / sqrt(n) : 0, 1e-15);
    }
    recon_clebsch_gordan(C, 1, 1, 1);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 3; c++) {
                int epsilon = (b - a) * (c - b) * (c - a) / 2;
                CHECK_NEAR(C[(a * 3 + b) * 3 + c], epsilon / sqrt(6), 1e-15);
            }
    recon_clebsch_gordan(C, 1, 1, 3);
    for (int i = 0; i < 63; i++)
        assert_true(C[i] == 0);
}

static void e3nn_agrees_in_sign_too(void **state)
{
    (void)state;
    const double *want = e3nn_3j;
    tensor C;
    for (int l1 = 0; l1 <= 3; l1++)
        for (int l2 = 0; l2 <= 3; l2++)
            for (int l3 = 0; l3 <= 3; l3++) {
                int count = (2 * l1 + 1) * (2 * l2 + 1) * (2 * l3 + 1);
                if (!triangle(l1, l2, l3))
                    continue;
                recon_clebsch_gordan(C, l1, l2, l3);
                for (int i = 0; i < count; i++)
                    CHECK_NEAR(C[i], want[i], 1e-15);
                want += count;
            }
    assert_true(want == e3nn_3j + sizeof e3nn_3j / sizeof *e3nn_3j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commutes_with_rotating),        cmocka_unit_test(orthogonal_and_complete),
        cmocka_unit_test(harmonics_couple_to_harmonics), cmocka_unit_test(small_ones_are_familiar),
        cmocka_unit_test(e3nn_agrees_in_sign_too),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
