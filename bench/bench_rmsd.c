/* bench_rmsd - microseconds a pair of conformers takes, on the shipped set: each one against the
 * first of its molecule.
 *
 *   build/bench/bench_rmsd [SPEC]      conformers/all, if none is given */
#include <recon/data/molecules.h>
#include "bench.h"
#include "data/rmsd.h"

#include <stdio.h>
#include <stdlib.h>

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void print(const char *what, double *us, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += us[i];
    qsort(us, n, sizeof *us, by_size);
    printf("%-10s %8zu times: %7.2f us on average, median %.2f, 99 %% %.2f, most %.0f\n", what, n,
           sum / (double)n, us[n / 2], us[n * 99 / 100], us[n - 1]);
}

static recon_status symmetry_of(recon_ctx *ctx, recon_symmetry **out, recon_conformer c)
{
    recon_bonds bonds;
    recon_status status = recon_bonds_perceive(ctx, &bonds, c.z, c.xyz, c.atoms);
    if (status == RECON_OK)
        status = recon_symmetry_make(ctx, out, c.z, &bonds);
    recon_bonds_free(&bonds);
    return status;
}

static recon_status measure(recon_ctx *ctx, const recon_molecules *d, size_t n, double *us)
{
    recon_symmetry *y = NULL;
    recon_conformer first = { .molecule = -1 };
    recon_status status = RECON_OK;
    size_t made = 0;
    double rmsd, *make = us, *kabsch = us + n, *best = us + 2 * n;
    for (size_t i = 0; i < n && status == RECON_OK; i++) {
        recon_conformer c = recon_molecules_get(d, i);
        if (c.molecule != first.molecule) {
            double start = recon_now();
            recon_symmetry_free(y);
            y = NULL;
            status = symmetry_of(ctx, &y, first = c);
            make[made++] = recon_now() - start;
        }
        double start = recon_now();
        if (status == RECON_OK)
            status = recon_rmsd_kabsch(&rmsd, NULL, first.xyz, c.xyz, c.atoms, NULL);
        kabsch[i] = recon_now() - start;
        start = recon_now();
        if (status == RECON_OK)
            status = recon_rmsd_best(&rmsd, NULL, NULL, y, first.xyz, c.xyz);
        best[i] = recon_now() - start;
    }
    recon_symmetry_free(y);
    print("symmetry", make, made);
    print("kabsch", kabsch, n);
    print("best", best, n);
    return status;
}

int main(int argc, char **argv)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_molecules *d = NULL;
    double *us = NULL;
    recon_status status =
        recon_molecules_open(ctx, &d, argc > 1 ? argv[1] : "conformers/all", NULL);
    if (status == RECON_OK) {
        size_t n = recon_molecules_describe(d).n;
        us = malloc(3 * n * sizeof *us);
        status = us ? measure(ctx, d, n, us) : RECON_ERR_MEMORY;
    }
    if (status != RECON_OK)
        fprintf(stderr, "bench_rmsd: %s\n", recon_ctx_message(ctx));
    free(us);
    recon_molecules_close(d);
    recon_ctx_free(ctx);
    return status != RECON_OK;
}
