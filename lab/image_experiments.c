/* image_experiments.c - the paper's image experiments: what they are, and what the paper reports. */
#include "lab/reproduce.h"

#include <string.h>

/* Accuracy: recon.tex, "Test accuracies obtained using different test-time canonicalizations";
 * upright: its upper bound; areas: its table (c); escnn, partial_gcnn: its
 * table of equivariant classifiers; overhead: "canonicalization overhead"; inputs and seconds: its
 * table of pseudo-label generation. */
#define MNIST                                                                                      \
    .rule = "mnist", .classifier = "mnist", .width = "half-width", .family = RECON_SO2_UNIFORM,    \
    .mean = RECON_MEAN_FRECHET, .pair = { 6, 9 },                                                  \
    .paper = { 65.11, 13.60, 94.52, 90.96, 98.14, 0.79, 0.91, 0.351, 94.59, 90.20, 12000, 15 }

static const experiment experiments[] = {
    { .name = "mnist",
      .title = "MNIST, 60,000 training images",
      .recipe = { .warp = 0.3, .augment = -1 },
      .terms = { .warp = 0.3, .augment = -1 },
      .plain = { .epochs = 60 },
      MNIST },
    { .name = "mnist12k",
      .title = "MNIST, 12,000 training images as in the paper",
      .recipe = { .warp = 0.3, .epochs = 150 }, /* as many steps */
      .terms = { .warp = 0.3, .epochs = 150 },
      .plain = { .epochs = 150 },
      MNIST },
    { .name = "fashion",
      .title = "Fashion-MNIST",
      .rule = "fashion",
      .classifier = "fashion",
      .width = "sigma",
      .family = RECON_SO2_NORMAL,
      .mean = RECON_MEAN_TUKEY,
      .recipe = { .contrast = -1, .epochs = 50 },
      /* more weight on poses makes worse neighbours of garments that look alike */
      .terms = { .contrast = -1,
                 .pose = 0.01,
                 .warp = 0.01,
                 .epochs = 80,
                 .shape = { .mask = RECON_MASK_DISC } },
      .plain = { .epochs = 50, .shape = { .mask = RECON_MASK_DISC } },
      .paper = { 57.14, 11.55, 79.44, 81.96, 91.11, 0.71, 0.81, 0.113, 77.94, 67.72, 60000, 173 } },
    { .name = "images", .title = "images", .width = "width", .family = RECON_SO2_NORMAL },
};

const experiment *experiment_find(const char *name)
{
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        if (!strcmp(experiments[i].name, name))
            return &experiments[i];
    return NULL;
}
