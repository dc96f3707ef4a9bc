/* irreps.h - what the numbers of an equivariant feature stand for.
 *
 * A channel of degree l rotates with the molecule by the (2l+1) x (2l+1) Wigner matrix D^l: 0 a
 * scalar, 1 a vector, and so on. A row holds the degrees in order, each [channels][2l+1], so that the
 * components of a channel lie side by side.
 *
 * Parity is not stored: in the networks that keep it a channel of degree l has parity (-1)^l, as
 * the harmonics have (e3nn's 0e, 1o, 2e, 3o); the others do not know reflections. */
#ifndef RECON_GROUP_IRREPS_H
#define RECON_GROUP_IRREPS_H

#include <stddef.h>
#include <recon/core/status.h>

enum { RECON_DEGREES = 4, RECON_HARMONICS = 16 }; /* l = 0 .. 3; their components together */
typedef struct {
    size_t mul[RECON_DEGREES]; /* channels of each degree */
} recon_irreps;

/* Components of one channel. */
static inline size_t recon_degree_size(size_t l)
{
    return 2 * l + 1;
}

RECON_API size_t recon_irreps_dim(const recon_irreps *irreps);      /* numbers of a row    */
RECON_API size_t recon_irreps_channels(const recon_irreps *irreps); /* of all degrees      */
/* The column where the channels of a degree begin; of RECON_DEGREES: where they end. */
RECON_API size_t recon_irreps_begin(const recon_irreps *irreps, size_t l);
/* Rows of a and of b side by side, degree by degree. */
RECON_API recon_irreps recon_irreps_join(const recon_irreps *a, const recon_irreps *b);

/* "100x0+64x1+16x2+8x3", degrees without channels left out; "0" where there are none. Returns
 * out. */
typedef char recon_irreps_text[RECON_DEGREES * 24];
RECON_API const char *recon_irreps_print(recon_irreps_text out, const recon_irreps *irreps);

#endif
