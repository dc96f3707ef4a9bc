/* conformers.h - a few made-up molecules: chains of atoms at bonding distance, no two others near
 * each other, each in several conformers that differ by small shakes and by whole turns. */
#ifndef TESTS_BACKBONE_CONFORMERS_H
#define TESTS_BACKBONE_CONFORMERS_H

#include "scratch.h"
#include <recon/data/molecules.h>

enum { CHAIN_ATOMS = 9 }; /* the most */

static inline double chain_apart(const float *a, const float *b)
{
    double s = 0;
    for (int k = 0; k < 3; k++)
        s += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    return sqrt(s);
}

/* The next atom: 1.4 A from the last, 2.3 A from all others. */
static inline void chain_step(float *xyz, size_t at, recon_rng *rng)
{
    for (int good = 0; !good;) {
        double v[3], length = 0;
        for (int k = 0; k < 3; k++) {
            v[k] = recon_rng_normal(rng);
            length += v[k] * v[k];
        }
        for (size_t k = 0; k < 3; k++)
            xyz[3 * at + k] = xyz[3 * at - 3 + k] + (float)(1.4 * v[k] / sqrt(length));
        good = 1;
        for (size_t i = 0; i + 1 < at; i++)
            good &= chain_apart(xyz + 3 * i, xyz + 3 * at) > 2.3;
    }
}

/* Molecule m: 5 to 9 atoms of H, C, N, O; the last is H. */
static inline size_t chain(uint8_t *z, float *xyz, size_t m)
{
    static const uint8_t heavy[] = { 6, 7, 8, 6 };
    recon_rng rng = recon_rng_new(77, m);
    size_t atoms = 5 + m % (CHAIN_ATOMS - 4);
    memset(xyz, 0, 3 * sizeof *xyz);
    for (size_t i = 0; i < atoms; i++) {
        z[i] = i + 1 == atoms ? 1 : heavy[recon_rng_below(&rng, 4)];
        if (i > 0)
            chain_step(xyz, i, &rng);
    }
    return atoms;
}

/* A copy, moved and rotated. */
static inline void chain_rotation(float *out, const float *xyz, size_t atoms, recon_so3 rotation,
                                  const double by[3])
{
    for (size_t i = 0; i < atoms; i++) {
        double v[3] = { xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2] };
        recon_so3_act(v, rotation, v);
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] = (float)(v[k] + by[k]);
    }
}

/* n conformers of `molecules` chains in turn, each coordinate shaken by a deviation. */
static inline recon_molecules *chain_set(recon_ctx *ctx, size_t n, size_t molecules, double shake)
{
    recon_conformer *list = calloc(n, sizeof *list);
    uint8_t(*z)[CHAIN_ATOMS] = calloc(n, sizeof *z);
    float(*xyz)[3 * CHAIN_ATOMS] = calloc(n, sizeof *xyz);
    recon_rng rng = recon_rng_new(5, 0);
    recon_molecules *out;
    for (size_t i = 0; i < n; i++) {
        size_t atoms = chain(z[i], xyz[i], i % molecules);
        for (size_t k = 0; k < 3 * atoms; k++)
            xyz[i][k] += (float)(shake * recon_rng_normal(&rng));
        chain_rotation(xyz[i], xyz[i], atoms, recon_so3_haar(&rng), (double[]){ 1, -2, 3 });
        list[i] = (recon_conformer){ .atoms = atoms,
                                     .z = z[i],
                                     .xyz = xyz[i],
                                     .molecule = (int32_t)(i % molecules),
                                     .energy = NAN,
                                     .rmsd = NAN };
    }
    CHECK_OK(ctx, recon_molecules_make(ctx, &out, list, n, NULL));
    free(xyz);
    free(z);
    free(list);
    return out;
}

#endif
