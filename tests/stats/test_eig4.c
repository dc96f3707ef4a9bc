/* Eigenvectors of symmetric 4x4 matrices: A v = a v, orthogonality, order, equal eigenvalues. */
#include "check.h"

#include "stats/eig4.h"

enum { TRIALS = 20000 };

/* V diag(a) V^T for a random orthogonal V (Gram-Schmidt, twice is enough). */
static void with_spectrum(double m[10], recon_rng *rng, const double a[4])
{
    double v[4][4];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 4; i++)
            v[k][i] = recon_rng_normal(rng);
        for (int pass = 0; pass < 2; pass++) {
            double norm = 0;
            for (int j = 0; j < k; j++) {
                double dot = 0;
                for (int i = 0; i < 4; i++)
                    dot += v[k][i] * v[j][i];
                for (int i = 0; i < 4; i++)
                    v[k][i] -= dot * v[j][i];
            }
            for (int i = 0; i < 4; i++)
                norm += v[k][i] * v[k][i];
            for (int i = 0; i < 4; i++)
                v[k][i] /= sqrt(norm);
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++) {
            m[RECON_SYM4(i, j)] = 0;
            for (int k = 0; k < 4; k++)
                m[RECON_SYM4(i, j)] += a[k] * v[k][i] * v[k][j];
        }
}

/* The largest of |A v - a v| / scale and |v.w - delta| over all pairs. */
static double defect(const double m[10], const recon_eig4 *e, double scale)
{
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 4; i++) {
            double r = -e->value[k] * e->vector[k][i];
            for (int j = 0; j < 4; j++)
                r += m[RECON_SYM4(i, j)] * e->vector[k][j];
            worst = fmax(worst, fabs(r) / scale);
        }
        for (int j = 0; j < 4; j++) {
            double dot = -(double)(j == k);
            for (int i = 0; i < 4; i++)
                dot += e->vector[k][i] * e->vector[j][i];
            worst = fmax(worst, fabs(dot));
        }
    }
    return worst;
}

/* Spectra that are random, equal, equal up to rounding, tiny, huge, zero. */
static void draw_spectrum(double a[4], recon_rng *rng, int kind)
{
    for (int k = 0; k < 4; k++)
        a[k] = recon_rng_normal(rng);
    if (kind % 5 == 1)
        a[1] = a[0];
    if (kind % 5 == 2)
        a[1] = a[0] + 1e-13, a[3] = a[2] - 1e-9;
    if (kind % 5 == 3)
        a[0] *= 1e-12, a[1] = a[2] = a[3];
    if (kind % 7 == 4)
        for (int k = 0; k < 4; k++)
            a[k] *= 1e6;
    if (kind == 0)
        a[0] = a[1] = a[2] = a[3] = 0;
}

static void recovers_any_spectrum(void **state)
{
    (void)state;
    recon_rng rng = recon_rng_new(41, 0);
    for (int t = 0; t < TRIALS; t++) {
        double a[4], m[10], scale = 1e-300;
        draw_spectrum(a, &rng, t);
        with_spectrum(m, &rng, a);
        for (int k = 0; k < 4; k++)
            scale = fmax(scale, fabs(a[k]));
        recon_eig4 e;
        recon_eig4_of(&e, m);
        CHECK_LESS(defect(m, &e, scale), 1e-14);
        for (int k = 0; k < 3; k++)
            assert_true(e.value[k] >= e.value[k + 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_any_spectrum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
