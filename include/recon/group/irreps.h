/* irreps.h - the layout of equivariant features.
 *
 * A channel of degree l rotates with the molecule by the (2l+1) x (2l+1) Wigner matrix D^l: degree
 * 0 is a scalar, 1 a vector, and so on. A row holds the degrees in order, each [channels][2l+1], so
 * that the components of a channel are adjacent.
 *
 * Parity is not stored. In networks that respect reflections, a channel of degree l has the parity
 * of the harmonics, (-1)^l (e3nn's 0e, 1o, 2e, 3o). */
#ifndef RECON_GROUP_IRREPS_H
#define RECON_GROUP_IRREPS_H

#include <stddef.h>
#include <recon/core/status.h>

enum { RECON_DEGREES = 4, RECON_HARMONICS = 16 }; /* l = 0 .. 3; the sum of their components */
typedef struct {
    size_t mul[RECON_DEGREES]; /* channels of each degree */
} recon_irreps;

/* The number of components of one channel. */
static inline size_t recon_degree_size(size_t l)
{
    return 2 * l + 1;
}

RECON_API size_t recon_irreps_dim(const recon_irreps *irreps);      /* the length of a row */
RECON_API size_t recon_irreps_channels(const recon_irreps *irreps); /* of all degrees */
/* The column where the channels of degree l begin; for l = RECON_DEGREES, the length of a row. */
RECON_API size_t recon_irreps_begin(const recon_irreps *irreps, size_t l);
/* The layout that holds the channels of a and of b, degree by degree. */
RECON_API recon_irreps recon_irreps_join(const recon_irreps *a, const recon_irreps *b);

/* Writes a layout as "100x0+64x1+16x2+8x3", without the degrees that have no channels, or as "0" if
 * there are none. Returns out. */
typedef char recon_irreps_text[RECON_DEGREES * 24];
RECON_API const char *recon_irreps_print(recon_irreps_text out, const recon_irreps *irreps);

#endif
