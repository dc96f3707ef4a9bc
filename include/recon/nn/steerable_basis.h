/* steerable_basis.h - the basis of equivariant filters.
 *
 * A filter K from fields of frequency n to fields of frequency m, as a function of position (x to
 * the right, y up, the middle tap at the origin), commutes with rotations if
 *
 *     K(R p) = rho_m(R) K(p) rho_n(R)^-1        for every rotation R
 *
 * (Weiler and Cesa, NeurIPS 2019). If a pair is read as a complex number and a scalar as a real
 * one, every solution is a sum over rings of
 *
 *     v -> w g(r) e^{i (m - n) t} v      and      v -> w g(r) e^{i (m + n) t} conj(v)
 *
 * with a complex weight w = w0 + i w1, where g is any radial profile. For a scalar output only the
 * real part is used, and if either side is a scalar, both kinds are the same. A basis element is
 * one ring, one kind, and one of the two weights. Its matrix is the upper left corner of a rotation
 * by (m - n) t + gamma, or by (m + n) t + gamma with the second column negated, where gamma is 0 or
 * pi / 2.
 *
 * A size x size filter has rings of radius 0 .. (size - 1) / 2 with the profile exp(-(r - ring)^2 /
 * (2 sigma^2)). Everything is in closed form, and no element vanishes, since every ring runs
 * through the middle tap or through four others. */
#ifndef RECON_NN_STEERABLE_BASIS_H
#define RECON_NN_STEERABLE_BASIS_H

#include <stddef.h>
#include <recon/nn/fields.h>

enum { RECON_STEERABLE_SIZE = 15 };                              /* the largest filter, odd */
enum { RECON_STEERABLE_RINGS = (RECON_STEERABLE_SIZE + 1) / 2 }; /* its rings */
enum { RECON_STEERABLE_ELEMENTS = 4 * RECON_STEERABLE_RINGS };   /* the most for two frequencies */

/* The highest angular frequency on a ring of radius r. A pixel grid resolves up to about 2 r; by
 * default the outermost ring, half of which is cut off, is limited to 2. */
typedef enum {
    RECON_RINGS_NARROW, /* 2 r, minus 1 if r is even; on the outermost ring min(2 r, 2) */
    RECON_RINGS_WIDE    /* 2 r on every ring */
} recon_rings;

typedef struct {
    int ring;
    int frequency; /* m - n, or m + n for the conjugate kind; may be negative */
    int conjugate; /* 1: acts on conj(v) */
    int quarter;   /* 0 or 1: gamma is quarter * pi / 2 */
    double scale;  /* the factor on the wave of its ring and frequency */
} recon_steerable_element;

/* Lists the elements between fields of frequency `in` and `out`, ring by ring, and returns their
 * number, at most RECON_STEERABLE_ELEMENTS. `elements` may be NULL. size is odd, at most
 * RECON_STEERABLE_SIZE. */
RECON_API size_t recon_steerable_elements(recon_steerable_element *elements, size_t in, size_t out,
                                          size_t size, recon_rings rings);

/* Computes the wave of a ring at a point of the plane: re + i im = g(r) e^{i frequency t}; at the
 * origin it is 0 unless the frequency is 0. */
RECON_API void recon_steerable_wave(double wave[2], int ring, int frequency, size_t size, double x,
                                    double y);

/* Samples the wave at the taps, row 0 on top, scaled so that re^2 + im^2 sums to 1. re and im are
 * [size * size]; im is 0 for frequency 0, and changes its sign with the frequency. Filtering every
 * channel of a field with the waves and mixing the results by the weights is the same as filtering
 * with the elements. */
RECON_API void recon_steerable_waves(double *re, double *im, int ring, int frequency, size_t size);

/* Samples an element as a filter [size of out][size of in][size * size]. The sum of its squares is
 * the size of `out`, so that weights of equal variance contribute equally. */
RECON_API void recon_steerable_sample(double *filter, const recon_steerable_element *element,
                                      size_t in, size_t out, size_t size);

#endif
