/* shapes.h - a small set of images to learn from: two asymmetric shapes, each rotated within bounds.
 */
#ifndef TESTS_BACKBONE_SHAPES_H
#define TESTS_BACKBONE_SHAPES_H

#include "data/files.h"

#include <recon/data/dataset.h>

enum { SHAPE_SIDE = 12, SHAPE_PIXELS = SHAPE_SIDE * SHAPE_SIDE };

/* A smooth bump, with a second one to its right (class 0) or two more above (class 1). */
static inline void shape_draw(float *out, int class, double angle, double wobble)
{
    static const double at[2][3][2] = { { { -1.5, 0 }, { 2.5, 0 }, { 2.5, 0 } },
                                        { { 0, -2 }, { -1.5, 2 }, { 1.5, 3 } } };
    float upright[SHAPE_PIXELS];
    for (int i = 0; i < SHAPE_PIXELS; i++) {
        double y = (SHAPE_SIDE - 1) / 2.0 - i / SHAPE_SIDE,
               x = i % SHAPE_SIDE - (SHAPE_SIDE - 1) / 2.0;
        double value = 0;
        for (int k = 0; k < 3; k++) {
            double dx = x - at[class][k][0] - wobble, dy = y - at[class][k][1];
            value += 0.6 * exp(-(dx * dx + dy * dy) / (k ? 1.5 : 3));
        }
        upright[i] = (float)(value < 1 ? value : 1);
    }
    recon_image_rotate(out, upright, SHAPE_SIDE, SHAPE_SIDE, 1, angle, RECON_BILINEAR);
}

/* n images, classes in turn, as IDX files with labels. Returns "idx:PATH". */
static inline const char *shape_set(uint32_t n, uint64_t seed)
{
    static char spec[600];
    unsigned char *data = malloc((size_t)n * SHAPE_PIXELS),
                  *bytes = malloc(16 + (size_t)n * SHAPE_PIXELS);
    float image[SHAPE_PIXELS];
    recon_rng rng = recon_rng_new(seed, 0);
    for (size_t i = 0; i < n; i++) {
        double angle = recon_rng_uniform(&rng) - 0.5, wobble = 0.6 * recon_rng_uniform(&rng) - 0.3;
        shape_draw(image, i % 2, angle, wobble);
        for (int j = 0; j < SHAPE_PIXELS; j++)
            data[i * SHAPE_PIXELS + (size_t)j] = (unsigned char)(255 * image[j]);
    }
    size_t size = idx_bytes(bytes, 8, (uint32_t[]){ n, SHAPE_SIDE, SHAPE_SIDE }, 3, data,
                            (size_t)n * SHAPE_PIXELS);
    snprintf(spec, sizeof spec, "idx:%s", scratch_write("shapes-images-idx3", bytes, size));
    for (size_t i = 0; i < n; i++)
        data[i] = i % 2;
    size = idx_bytes(bytes, 8, (uint32_t[]){ n }, 1, data, n);
    scratch_write("shapes-labels-idx1", bytes, size);
    free(data);
    free(bytes);
    return spec;
}

#endif
