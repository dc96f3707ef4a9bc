/* steerable_basis.h - the filters that rotate along with what they look at.
 *
 * A filter K from fields of frequency n to fields of frequency m, seen as a function of the place
 * (x to the right, y up, the middle tap at the origin), commutes with rotating if
 *
 *     K(R p) = rho_m(R) K(p) rho_n(R)^-1        for every rotation R
 *
 * (Weiler and Cesa, NeurIPS 2019). Read a pair as one complex number and a scalar as a real one,
 * and every solution is a sum over rings of
 *
 *     v -> w g(r) e^{i (m - n) t} v      and      v -> w g(r) e^{i (m + n) t} conj(v)
 *
 * with a complex weight w = w0 + i w1, where g is any radial profile; into a scalar the real part
 * counts, and where one side is a scalar both kinds say the same. One element of the basis is one
 * ring, one kind, and one of the two weights: its matrix is the upper left corner of a rotation by
 * (m - n) t + gamma, or of that by (m + n) t + gamma with the second column negated, gamma being 0
 * or pi / 2.
 *
 * A size x size filter has rings of radius 0 .. (size - 1) / 2 with profile exp(-(r - ring)^2 /
 * (2 sigma^2)). All of it follows in closed form: nothing is solved for, and no element vanishes,
 * for every ring runs through the middle tap or four others. */
#ifndef RECON_NN_STEERABLE_BASIS_H
#define RECON_NN_STEERABLE_BASIS_H

#include <stddef.h>
#include <recon/nn/fields.h>

enum { RECON_STEERABLE_SIZE = 15 };                              /* largest filter, odd */
enum { RECON_STEERABLE_RINGS = (RECON_STEERABLE_SIZE + 1) / 2 }; /* of that one         */
enum { RECON_STEERABLE_ELEMENTS = 4 * RECON_STEERABLE_RINGS };   /* at most, for a pair */

/* Which angular frequencies a ring of radius r takes. A pixel grid shows no more than about 2 r of
 * them; by default the outermost ring, half of which is cut off, keeps to 2. */
typedef enum {
    RECON_RINGS_NARROW, /* 2 r, less 1 where r is even; on the outermost ring min(2 r, 2) */
    RECON_RINGS_WIDE    /* 2 r on every ring                                              */
} recon_rings;

typedef struct {
    int ring;
    int frequency; /* m - n, or m + n of the conjugate kind; may be negative */
    int conjugate; /* acts on conj(v)                                        */
    int quarter;   /* gamma is quarter * pi / 2: 0 or 1                      */
    double scale;  /* times the wave of its ring and frequency               */
} recon_steerable_element;

/* The elements between fields of frequency `in` and `out`, ring by ring; returns how many, at most
 * RECON_STEERABLE_ELEMENTS. `elements` may be NULL. size is odd, at most RECON_STEERABLE_SIZE. */
RECON_API size_t recon_steerable_elements(recon_steerable_element *elements, size_t in, size_t out,
                                          size_t size, recon_rings rings);

/* The wave of a ring at a place of the plane: re + i im = g(r) e^{i frequency t}, at the origin 0
 * unless the frequency is 0. */
RECON_API void recon_steerable_wave(double wave[2], int ring, int frequency, size_t size, double x,
                                    double y);

/* The same at the taps, row 0 on top, scaled to sum of re^2 + im^2 = 1. re, im [size * size]; im of
 * frequency 0 is 0, and im of -f is minus that of f. Filtering every channel of a field with these
 * alone, and mixing what comes out by the weights, is the same as filtering with the elements. */
RECON_API void recon_steerable_waves(double *re, double *im, int ring, int frequency, size_t size);

/* An element as a filter, out [size of out][size of in][size * size]. The sum of its squares is
 * the size of `out`, so that weights of one variance speak equally loud. */
RECON_API void recon_steerable_sample(double *filter, const recon_steerable_element *element,
                                      size_t in, size_t out, size_t size);

#endif
