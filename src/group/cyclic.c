/* cyclic.c - C_n: rotations by multiples of 360 / n degrees, counted 0 .. n - 1. */
#include "group/finite.h"

#include <math.h>

static void compose(const recon_group *self, double *out, const double *a, const double *b)
{
    *out = fmod(*a + *b, (double)self->n);
}

static void inverse(const recon_group *self, double *out, const double *a)
{
    *out = fmod((double)self->n - *a, (double)self->n);
}

static double length(const recon_group *self, const double *a)
{
    double n = (double)self->n;
    return 2 * M_PI / n * fmin(*a, n - *a);
}

/* C_m for each m that divides n. */
static int list(recon_subgroup *out, const recon_group *self, size_t i)
{
    for (size_t m = 2; m < self->n && m < RECON_SYMMETRY_D; m++)
        if (self->n % m == 0 && i-- == 0) {
            *out = (recon_subgroup){ .code = (int)m, .n = m };
            for (size_t j = 0; j < m; j++)
                out->element[j] = (double)(j * (self->n / m));
            return 1;
        }
    return 0;
}

static const recon_finite subgroups = { list };

const recon_group recon_group_cyclic = {
    .meaning = "the rotations by multiples of an angle",
    .column = "element",
    .user = &subgroups,
    .compose = compose,
    .inverse = inverse,
    .length = length,
    RECON_FINITE_ENTRIES,
};
