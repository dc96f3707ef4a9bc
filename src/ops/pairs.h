/* pairs.h - the geometry of a pair of atoms for the entry `pairs`: a direction, and four taps of a
 * cubic B-spline on a warped distance. All tables use this function; it computes in double, since
 * it runs once per pair and not per channel. */
#ifndef OPS_PAIRS_H
#define OPS_PAIRS_H

#include <math.h>
#include <stddef.h>

#include "ops/ops.h"

#ifdef __CUDACC__
#define RECON_PAIRS_INLINE __host__ __device__ static inline
#else
#define RECON_PAIRS_INLINE static inline
#endif

enum { RECON_PAIRS_TAPS = 4 };

typedef struct {
    double n[3]; /* from the target to the source, length 1; 0 where they coincide */
    double weight[RECON_PAIRS_TAPS];
    int tap; /* the first of four knots */
} recon_pair;

/* Where distance d lies among the knots: half of them within about 4 of the first 16 Angstrom. */
RECON_PAIRS_INLINE double recon_pairs_warp(double d)
{
    const double near = 2, far = 16, most = RECON_PAIRS_KNOTS - 3;
    double t = most * log1p(d / near) / log1p(far / near);
    return t < most ? t : most; /* a NaN stays in the table too */
}

RECON_PAIRS_INLINE recon_pair recon_pair_of(const double *target, const double *source)
{
    recon_pair p;
    double r[3], square = 0;
    for (int k = 0; k < 3; k++) {
        r[k] = source[k] - target[k];
        square += r[k] * r[k];
    }
    double d = sqrt(square), t = recon_pairs_warp(d);
    for (int k = 0; k < 3; k++)
        p.n[k] = square > 0 ? r[k] / d : square; /* 0, or NaN */
    p.tap = t < RECON_PAIRS_KNOTS - 4 ? (int)t : RECON_PAIRS_KNOTS - 4;
    double x = t - p.tap, y = 1 - x;
    p.weight[0] = y * y * y / 6;
    p.weight[1] = (4 - 6 * x * x + 3 * x * x * x) / 6;
    p.weight[2] = (4 - 6 * y * y + 3 * y * y * y) / 6;
    p.weight[3] = x * x * x / 6;
    return p;
}

/* Columns of the tensors: see recon_pairs_args. */
typedef struct {
    size_t scalars, vectors; /* S, V */
    size_t s, u, y, w;       /* numbers of a row of each */
} recon_pairs_widths;

RECON_PAIRS_INLINE recon_pairs_widths recon_pairs_widths_of(size_t scalars, size_t vectors)
{
    recon_pairs_widths n;
    n.scalars = scalars;
    n.vectors = vectors;
    n.s = scalars + vectors;
    n.u = 12 * vectors;
    n.y = scalars + 4 * vectors;
    n.w = scalars + 5 * vectors;
    return n;
}

#endif
