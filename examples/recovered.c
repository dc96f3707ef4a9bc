/* recovered.c - sets the result of `recon normalize` beside the truth of `simulate`.
 *
 *   recovered DATA RESULT
 *
 * DATA holds y.npy and offset.npy, RESULT gamma.npy, theta.npy and identifiability.npy. For each
 * class: how far the centres found lie from the true one, and the distribution's parameter. */
#include <recon/recon.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEGREES 57.29577951308232

/* Reads one file into doubles; rows x width numbers. */
static double *load(recon_ctx *ctx, const char *dir, const char *name, size_t *rows)
{
    char path[4096];
    recon_array a = { 0 };
    double *out = NULL;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (recon_npy_read(ctx, &a, path) == RECON_OK) {
        *rows = a.shape[0];
        out = malloc((recon_array_count(&a) + 1) * sizeof *out);
        if (out && recon_array_to_f64(ctx, out, &a) != RECON_OK)
            *rows = 0;
    }
    recon_array_free(&a);
    return out;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return n ? x[n / 2] : NAN;
}

/* On SO(3): the angle by which Gamma misplaces the axis that the poses hold, e1. */
static double axis_error(const double *gamma, const double *offset)
{
    double c = 0;
    for (int i = 0; i < 3; i++)
        c += gamma[i] * offset[i];
    return acos(fmin(1, fmax(-1, c)));
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return fprintf(stderr, "usage: recovered DATA RESULT\n"), 2;
    size_t n = 0, classes = 0, so3 = 0, rows;
    recon_ctx *ctx = recon_ctx_new(NULL);
    double *y = load(ctx, argv[1], "y.npy", &n),
           *offset = load(ctx, argv[1], "offset.npy", &classes);
    double *gamma = load(ctx, argv[2], "gamma.npy", &rows),
           *theta = load(ctx, argv[2], "theta.npy", &rows);
    recon_array shape = { 0 };
    char path[4096];
    snprintf(path, sizeof path, "%s/gamma.npy", argv[2]);
    if (!y || !offset || !gamma || !theta || recon_npy_read(ctx, &shape, path) != RECON_OK)
        return fprintf(stderr, "recovered: %s\n", recon_ctx_message(ctx)), 1;
    so3 = shape.ndim == 3;
    double *error = malloc(n * sizeof *error), *width = malloc(n * sizeof *width);
    printf(so3 ? "class  true F            axis error  first row of F, length (true: 100)\n"
               : "class  true half-width   centre error  half-width found      (medians)\n");
    for (size_t c = 0; c < classes; c++) {
        size_t m = 0;
        for (size_t i = 0; i < n; i++) {
            if ((size_t)y[i] != c)
                continue;
            if (so3) {
                const double *f = theta + 9 * i;
                error[m] = axis_error(gamma + 9 * i, offset + 9 * c);
                width[m++] = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
            } else {
                error[m] = recon_so2_distance(gamma[i], offset[c]);
                width[m++] = theta[i];
            }
        }
        if (so3)
            printf("%5zu  %-16s %7.1f deg  %7.0f\n", c, c % 2 ? "diag(100,0,0)" : "100 * identity",
                   DEGREES * median(error, m), median(width, m));
        else
            printf("%5zu  %7d deg      %8.1f deg  %8.1f deg\n", c, c < classes / 2 ? 60 : 90,
                   DEGREES * median(error, m), DEGREES * median(width, m));
    }
    recon_array_free(&shape);
    recon_ctx_free(ctx);
    free(y), free(offset), free(gamma), free(theta), free(error), free(width);
    return 0;
}
