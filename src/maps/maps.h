/* maps.h (private) - Lambda and Theta, learned: from the frozen z of an input to its natural pose,
 * how its poses are spread about that, and their density.
 *
 * Algorithm 1 gives every training point pseudo-labels; small networks on z learn them, so that a
 * new input costs one pass and needs no neighbours. A part of the data is held out: each head keeps
 * the epoch that did best there, and the scores of that part say what score is unusual.
 *
 * Maps are immutable once made: many threads may use them, each with a context of its own. */
#ifndef MAPS_MAPS_H
#define MAPS_MAPS_H

#include <recon/core/safetensors.h>
#include <recon/nn/layers.h>
#include "maps/calibration.h"
#include "maps/kind.h"
#include "maps/so2_map.h"

struct recon_maps {
    const recon_maps_kind *kind;
    size_t d, hidden, weights;
    double number;
    recon_lambda lambda; /* where Lambda comes from; never AUTO */
    recon_params *params;
    recon_mlp head[RECON_HEADS_MOST];
    unsigned has; /* bits of the heads that are there */
    struct {      /* buffers in params, which files hold */
        recon_param *mean, *scale, *quantiles, *scores, *number, *tails;
    } kept;
    double *mean, *scale; /* [d], the same in host memory */
    recon_calibration calibration;
    recon_tails tails;
    unsigned char *held; /* [points] of maps that were fitted here: 1, a point is behind the
                            calibration and was not trained on; NULL: maps of a file */
};

/* Fits maps to the points of data and their frames (recon_normalize without queries; on SO(3) by
 * neighbours, and recon_frames_gauge makes Gamma one that can be learned). On SO(2) Theta learns
 * frames->theta where the family is the arc or the wrapped normal; of other families it learns the
 * circular deviation sqrt(-2 log |E exp(i theta)|), a sigma. Frames of other points, fewer than two
 * points, and numbers that are not finite are RECON_ERR_INPUT. options may be NULL. The same seed
 * gives the same bits on the CPU. */
recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options);
/* Untrained; number and calibration are yet to be set. */
recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, const recon_maps_kind *kind, size_t d,
                            size_t hidden, double dropout, uint64_t seed);
void recon_maps_free(recon_ctx *ctx, recon_maps *maps);

/* From an open file, which may hold more; path is for messages. RECON_ERR_INPUT where it has no
 * maps: the message says what to do. */
recon_status recon_maps_read(recon_ctx *ctx, recon_maps **out, const recon_safetensors *file,
                             const char *path);
/* The metadata by which a file says that it has maps, and of which group. */
#define RECON_MAPS_METADATA "maps"
recon_metadata_entry recon_maps_metadata(const recon_maps *maps);

/* Writes mean, scale, calibration and number to their buffers in params, so that they are saved:
 * lambda.*, theta.*, support.*, density.*, mixture.*, standard.*, calibration.*. */
recon_status recon_maps_keep(recon_ctx *ctx, recon_maps *maps);

recon_maps_info recon_maps_describe(const recon_maps *maps);

/* What the heads say of n embeddings; out is an array of the kind's maps. RECON_MAPS_LAMBDA leaves
 * all but Lambda (on SO(3) also `free`, Theta and the density) as it happens to be. A number that
 * is not finite is RECON_ERR_INPUT. */
recon_status recon_maps_apply(recon_ctx *ctx, void *out /* [n] */, const recon_maps *maps,
                              const float *z /* [n][d] */, size_t n, recon_maps_part part);

/* What a backbone's pose densities say of n inputs, put over what the heads have said: their density
 * and Theta, and Lambda where that is where it comes from. density [n][RECON_POSE_BINS] is log q and
 * may be NULL: nothing is done then. */
void recon_maps_put_densities(recon_so2_map *maps /* [n] */, const recon_maps *m,
                              const double *psi /* [n] */, const float *density, size_t n,
                              recon_maps_part part);

/* Scores and tails of the poses of points, all of which should be new to the maps and to their
 * backbone. */
recon_status recon_maps_measure(recon_ctx *ctx, double *score /* [n] */,
                                recon_tail_point *tail /* [n] */, const recon_maps *maps,
                                const recon_embedded *data);
/* What is usual, from n such: in the place of what recon_maps_fit found on the points that it held
 * out. Uses them up. */
recon_status recon_maps_calibrate(recon_ctx *ctx, recon_maps *maps, double *score,
                                  recon_tail_point *tail, size_t n);

/* The p-value of an input with this map and pose: the share of the points held out, among those
 * whose densities are flat, broad or sharp like it, whose poses are as unusual for them, and one
 * standard error of that share. An input is not unusual for being of a kind that occurs in many
 * poses. On the data that a backbone was trained on, the points held out are those that its
 * training left out (RECON_HELD_OUT). NaN gives NaN. */
double recon_maps_p_value(const recon_maps *maps, const void *map, const void *psi);

/* The score that this share of all natural poses exceeds, whatever their kind. INFINITY for a share
 * below 1 / (held_out + 1). A share above 1 is taken as 1. */
double recon_maps_threshold(const recon_maps *maps, double false_alarms);

#endif
