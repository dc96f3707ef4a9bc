/* steerable_basis.c - rings, waves, elements. */
#include <recon/nn/steerable_basis.h>

#include <math.h>
#include <stdlib.h>

static int outermost(size_t size)
{
    return (int)(size / 2);
}

static double sigma(int ring, size_t size)
{
    if (ring == 0)
        return 0.005; /* the middle tap alone */
    return ring == outermost(size) ? 0.4 : 0.6;
}

static int highest_frequency(int ring, size_t size, recon_rings rings)
{
    if (rings == RECON_RINGS_WIDE || ring == 0)
        return 2 * ring;
    if (ring == outermost(size))
        return 2;
    return 2 * ring - (ring % 2 == 0);
}

/* Between scalars a weight is real; into pairs from scalars half of the energy of a complex one is
 * in each component. */
static size_t add_kind(recon_steerable_element *elements, size_t count, int ring, int frequency,
                       int conjugate, size_t in, size_t out)
{
    int parts = in || out ? 2 : 1;
    double scale = !in && out ? sqrt(2.0) : 1.0;
    for (int quarter = 0; quarter < parts; quarter++, count++)
        if (elements)
            elements[count] =
                (recon_steerable_element){ ring, frequency, conjugate, quarter, scale };
    return count;
}

size_t recon_steerable_elements(recon_steerable_element *elements, size_t in, size_t out,
                                size_t size, recon_rings rings)
{
    int direct = (int)out - (int)in, conjugate = (int)out + (int)in;
    size_t count = 0;
    for (int ring = 0; ring <= outermost(size); ring++) {
        int highest = highest_frequency(ring, size, rings);
        if (abs(direct) <= highest)
            count = add_kind(elements, count, ring, direct, 0, in, out);
        if (in && out && conjugate <= highest)
            count = add_kind(elements, count, ring, conjugate, 1, in, out);
    }
    return count;
}

void recon_steerable_wave(double wave[2], int ring, int frequency, size_t size, double x, double y)
{
    double r = hypot(x, y), t = atan2(y, x), off = (r - ring) / sigma(ring, size);
    double profile = r == 0 && frequency != 0 ? 0 : exp(-0.5 * off * off);
    wave[0] = profile * cos(frequency * t);
    wave[1] = profile * sin(frequency * t);
}

void recon_steerable_waves(double *re, double *im, int ring, int frequency, size_t size)
{
    double middle = outermost(size), energy = 0;
    for (size_t i = 0; i < size * size; i++) {
        double wave[2], x = (double)(i % size) - middle, y = middle - (double)(i / size);
        recon_steerable_wave(wave, ring, frequency, size, x, y);
        re[i] = wave[0];
        im[i] = wave[1];
        energy += wave[0] * wave[0] + wave[1] * wave[1];
    }
    for (size_t i = 0; i < size * size; i++) {
        re[i] /= sqrt(energy);
        im[i] /= sqrt(energy);
    }
}

void recon_steerable_sample(double *filter, const recon_steerable_element *e, size_t in, size_t out,
                            size_t size)
{
    double re[RECON_STEERABLE_SIZE * RECON_STEERABLE_SIZE];
    double im[RECON_STEERABLE_SIZE * RECON_STEERABLE_SIZE];
    size_t taps = size * size, columns = recon_field_size(in), rows = recon_field_size(out);
    double flip = e->conjugate ? -1 : 1;
    recon_steerable_waves(re, im, e->ring, e->frequency, size);
    for (size_t i = 0; i < taps; i++) {
        double c = e->scale * (e->quarter ? -im[i] : re[i]);
        double s = e->scale * (e->quarter ? re[i] : im[i]);
        const double matrix[2][2] = { { c, -flip * s }, { s, flip * c } };
        for (size_t a = 0; a < rows; a++)
            for (size_t b = 0; b < columns; b++)
                filter[(a * columns + b) * taps + i] = matrix[a][b];
    }
}
