/* dihedral.c - D_n: rotations by multiples of 360 / n degrees, 0 .. n - 1, and n + rotation for a mirror
 * image that is then rotated. */
#include "group/finite.h"

#include <math.h>

static int is_mirrored(const recon_group *self, double a)
{
    return a >= (double)self->n;
}

/* A mirror image turns the other way. */
static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    double n = (double)self->n, by = fmod(*a, n), of = fmod(*b, n);
    int mirrored = is_mirrored(self, *a) != is_mirrored(self, *b);
    *out = fmod(is_mirrored(self, *a) ? by + n - of : by + of, n) + (mirrored ? n : 0);
}

/* A mirrored element is its own inverse. */
static void inverse(const recon_group *self, double *out, const double *a)
{
    double n = (double)self->n;
    *out = is_mirrored(self, *a) ? *a : fmod(n - *a, n);
}

static double length(const recon_group *self, const double *a)
{
    double n = (double)self->n;
    return is_mirrored(self, *a) ? M_PI : 2 * M_PI / n * fmin(*a, n - *a);
}

/* For each m that divides n: C_m, and D_m with each of n / m mirrors; m = 1: the mirror alone. */
static int list(recon_subgroup *out, const recon_group *self, size_t i)
{
    for (size_t m = 1; m <= self->n && m < RECON_SYMMETRY_D; m++) {
        size_t step = self->n / m, choices = (m > 1) + (m < self->n) * step;
        if (self->n % m != 0)
            continue;
        if (i >= choices) {
            i -= choices;
            continue;
        }
        size_t mirror = i - (m > 1);
        int turns = m > 1 && i == 0;
        *out = (recon_subgroup){ .code = (turns ? 0 : RECON_SYMMETRY_D) + (int)m,
                                 .n = turns ? m : 2 * m };
        for (size_t j = 0; j < out->n; j++)
            out->element[j] = (double)(j < m ? j * step : self->n + mirror + (j - m) * step);
        return 1;
    }
    return 0;
}

static const recon_finite subgroups = { list };

const recon_group recon_group_dihedral = {
    .meaning = "rotations by multiples of an angle, and their mirror images",
    .column = "element",
    .user = &subgroups,
    .compose = compose,
    .inverse = inverse,
    .length = length,
    RECON_FINITE_ENTRIES,
};
