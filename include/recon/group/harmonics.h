/* harmonics.h - real spherical harmonics.
 *
 * The convention is e3nn's (docs/conventions.md): the polar axis is y, components of degree l run m
 * = -l .. l, so that degree 1 is (x, y, z), and there is no Condon-Shortley sign. "Component"
 * normalisation: the squares of a degree sum to 2l+1, each has mean 1 over the sphere. With the
 * azimuth a counted from z towards x, and P the associated Legendre function without its sign,
 *
 *     Y_lm = sqrt((2l+1) (2 - [m = 0]) (l-|m|)!/(l+|m|)!) P_l^|m|(y) (sin |m|a or cos m a),
 *
 * sin for m < 0. */
#ifndef RECON_GROUP_HARMONICS_H
#define RECON_GROUP_HARMONICS_H

#include <recon/group/irreps.h>

/* Writes the harmonics of degrees 0 .. 3 of the direction of v, degree l from index l^2 on: the row
 * that networks take. v need not have length one. The zero vector has no direction: degree 0 is 1,
 * all others are 0. If v is not finite, the degrees from 1 on are NaN. */
RECON_API void recon_harmonics_row(double out[RECON_HARMONICS], const double v[3]);

#endif
