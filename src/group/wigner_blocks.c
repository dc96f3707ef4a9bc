/* wigner_blocks.c - Wigner matrices by quadrature. */
#include "group/wigner_blocks.h"
#include "core/simd.h"

/* The axes of a cube through its faces, edges and corners, with twice Lebedev's weights. */
enum { AXES = 13, FACES = 3, EDGES = 6 };
static const double axis[AXES][3] = { { 1, 0, 0 },  { 0, 1, 0 }, { 0, 0, 1 },  { 1, 1, 0 },
                                      { 1, -1, 0 }, { 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 },
                                      { 0, 1, -1 }, { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 },
                                      { -1, 1, 1 } };
/* d += weight y x^T, degree by degree. */
static void add_axis(double *d, const double y[RECON_HARMONICS], const double x[RECON_HARMONICS],
                     double w)
{
    for (int l = 1; l < RECON_DEGREES; l++)
        for (int i = l * l; i < (l + 1) * (l + 1); i++)
            for (int j = l * l; j < (l + 1) * (l + 1); j++)
                *d++ += w * y[i] * x[j];
}

recon_wigner_blocks recon_wigner_blocks_of(recon_so3 rotation)
{
    double d[RECON_WIGNER_BLOCKS] = { 0 };
    recon_wigner_blocks out;
    for (int i = 0; i < AXES; i++) {
        double rotated[3], y[RECON_HARMONICS], x[RECON_HARMONICS];
        recon_so3_act(rotated, rotation, axis[i]);
        recon_harmonics_row(y, rotated);
        recon_harmonics_row(x, axis[i]);
        add_axis(d, y, x, i < FACES ? 2.0 / 21 : i < FACES + EDGES ? 8.0 / 105 : 9.0 / 140);
    }
    for (int i = 0; i < RECON_WIGNER_BLOCKS; i++)
        out.d[i] = (float)d[i];
    return out;
}

RECON_CLONES void recon_wigner_blocks_apply(float *restrict out, const recon_wigner_blocks *blocks,
                                            const float *restrict in, size_t rows)
{
    for (size_t r = 0; r < rows; r++, in += RECON_HARMONICS, out += RECON_HARMONICS) {
        const float *d = blocks->d;
        out[0] = in[0];
        for (int l = 1; l < RECON_DEGREES; l++)
            for (int i = l * l; i < (l + 1) * (l + 1); i++) {
                float sum = 0;
                for (int j = l * l; j < (l + 1) * (l + 1); j++)
                    sum += *d++ * in[j];
                out[i] = sum;
            }
    }
}
