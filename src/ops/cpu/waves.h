/* waves.h - rows of an image to planes of features, and their gradients back.
 *
 * Pixels that lie opposite the middle of a filter are added and subtracted first. A wave is even or
 * odd across either axis, so most of its weights on these sums are 0: two thirds of the products of
 * a 5 x 5 filter are never made. No wave has to be so: what is not 0 is kept. */
#ifndef OPS_CPU_WAVES_H
#define OPS_CPU_WAVES_H

#include "ops/steer.h"
#include "core/arena.h"

/* The features of a tile: those of the first product [pixels][its depth], then the next one's. A
 * plane's begin at pixels * before + at and are pitch apart. */
typedef struct {
    float *feature;
    size_t pixels;
} recon_wave_tile;
typedef struct {
    size_t before, at, pitch;
    int a, b, conjugate; /* waves of the group; b < 0: none */
} recon_wave_plane;

/* One product's share of a sum. */
typedef struct {
    uint16_t from;
    float factor;
} recon_wave_term;

/* Sums of terms, as lists one behind the other. */
typedef struct {
    size_t count;
    uint32_t *begin; /* [count + 1] */
    recon_wave_term *term;
} recon_wave_sums;

/* Channels that are filtered alike. */
typedef struct {
    size_t from, channels, planes;
    recon_wave_plane *plane;
    recon_wave_sums waves,
        folds; /* waves from folded pixels; folded pixels' gradients from waves */
} recon_wave_group;

typedef struct {
    recon_steer_sizes s;
    size_t features; /* of a pixel, in all */
    size_t groups;
    recon_wave_group *group;
} recon_waves;

/* The groups of a call's planes. wave [waves][size][size] */
recon_status recon_waves_open(recon_ctx *ctx, recon_waves *out, recon_arena *arena,
                              const recon_steer_args *args, const float *wave);

/* Floats of scratch for one row. */
size_t recon_waves_scratch(const recon_waves *w);

/* The features of row `row` of an image x [h][w][c], as the tile's pixels from `pixel` on. */
void recon_waves_row(const recon_waves *w, const recon_wave_tile *tile, size_t pixel,
                     const float *x, size_t row, float *scratch);
/* Adds to dx [h][w][c] what the gradients of these features make of it. */
void recon_waves_row_back(const recon_waves *w, const recon_wave_tile *tile, size_t pixel,
                          float *dx, size_t row, float *scratch);

#endif
