/* fuzz_images.h - what models of images are given. */
#ifndef TESTS_FUZZ_IMAGES_H
#define TESTS_FUZZ_IMAGES_H

#include "fuzz_models.h"

/* An image of so many numbers; free it. */
static inline float *fuzz_image(size_t n)
{
    float *image = malloc(n * sizeof *image);
    FUZZ_CHECK(image);
    for (size_t i = 0; i < n; i++)
        image[i] = (float)(i % 3) / 2;
    return image;
}

#endif
