/* maps.h (private) - learned Lambda and Theta: from the frozen z of an input they predict its
 * natural pose, the spread of its poses about that, and their density.
 *
 * Algorithm 1 gives every training point pseudo-labels; small networks on z learn them, so that a
 * new input takes one pass and needs no neighbours. The first of these heads, Lambda and Theta, may
 * instead be separate networks on the inputs, as in the paper (RECON_HEADS_PAPER). A part of the
 * data is held out: each head keeps the epoch that is best there, and the scores of that part
 * calibrate p-values.
 *
 * Maps are immutable: many threads may use them, each with its own context. */
#ifndef MAPS_MAPS_H
#define MAPS_MAPS_H

#include <recon/core/safetensors.h>
#include <recon/nn/layers.h>
#include "maps/calibration.h"
#include "maps/input_nets.h"
#include "maps/kind.h"
#include "maps/so2_map.h"

struct recon_maps {
    const recon_maps_kind *kind;
    size_t d, hidden, weights;
    double number;
    recon_lambda lambda; /* where Lambda comes from; never AUTO */
    recon_params *params;
    recon_input_nets *nets; /* the first heads, on the inputs; NULL: all are on z */
    int first;              /* of the heads on z: those before it are nets */
    recon_mlp head[RECON_HEADS_MOST];
    unsigned has; /* bits of the heads on z that are there */
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
 * neighbours, and after recon_frames_gauge, so that Gamma can be learned). On SO(2) Theta learns
 * frames->theta if the family is the arc or the wrapped normal, else the circular deviation sqrt(-2
 * log |E exp(i theta)|), a sigma. Frames of other points, fewer than two points, and numbers that
 * are not finite are RECON_ERR_INPUT. options may be NULL. On the CPU it is deterministic. */
recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options);
/* The same with the inputs of the points and their backbone, which RECON_HEADS_PAPER needs; the
 * backbone must then outlive the maps, and be one that `recon train` makes. */
recon_status recon_maps_fit_inputs(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                                   const recon_frames *frames, const recon_maps_options *options,
                                   const recon_backbone *backbone, const recon_data *inputs);
/* Makes untrained maps, without number and calibration. They take over nets, which may be NULL. */
recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, const recon_maps_kind *kind, size_t d,
                            size_t hidden, double dropout, recon_input_nets *nets, uint64_t seed);
void recon_maps_free(recon_ctx *ctx, recon_maps *maps);

/* Reads maps from an open file; path is for messages. RECON_ERR_INPUT if it has none; the message
 * tells what to do. The backbone is that of the file, for networks on its inputs. */
recon_status recon_maps_read(recon_ctx *ctx, recon_maps **out, const recon_safetensors *file,
                             const char *path, const recon_backbone *backbone);
/* The metadata that record the group of the maps, and the kind of their heads. */
#define RECON_MAPS_METADATA "maps"
recon_metadata_entry recon_maps_metadata(const recon_maps *maps);
recon_metadata_entry recon_maps_metadata_heads(const recon_maps *maps);
/* Lists the sets of weights, their own and the networks', and returns their number. */
enum { RECON_MAPS_PARAMS = 2 };
size_t recon_maps_params(const recon_params *out[RECON_MAPS_PARAMS], const recon_maps *maps);

/* Copies mean, scale, calibration and number to their buffers in params, to be saved: lambda.*,
 * theta.*, support.*, density.*, mixture.*, standard.*, calibration.*. */
recon_status recon_maps_keep(recon_ctx *ctx, recon_maps *maps);

recon_maps_info recon_maps_describe(const recon_maps *maps);

/* The inputs of maps: embeddings, and, for networks on inputs, the inputs, as an array that the
 * backbone takes or as data. */
typedef struct {
    size_t n;
    const float *z;         /* [n][d] */
    const void *inputs;     /* [n], or NULL */
    const recon_data *data; /* n of them, or NULL */
} recon_maps_inputs;

/* Runs the heads on n inputs; out is an array of the kind's maps. With RECON_MAPS_LAMBDA only
 * Lambda (on SO(3) also `free`, Theta and the density) is defined. A number that is not finite is
 * RECON_ERR_INPUT. */
recon_status recon_maps_apply(recon_ctx *ctx, void *out /* [n] */, const recon_maps *maps,
                              const recon_maps_inputs *in, recon_maps_part part);

/* Replaces answers of the heads on n inputs by those of the backbone's pose densities: the density,
 * Theta (unless a network on inputs computed it), and Lambda if the density is its source. density
 * [n][RECON_POSE_BINS] is log q; NULL: nothing is done. */
recon_status recon_maps_put_densities(recon_ctx *ctx, void *maps /* [n] */, const recon_maps *m,
                                      const double *psi /* [n] */, const float *density, size_t n,
                                      recon_maps_part part);

/* Computes scores and tails of the poses of points, which should be new to the maps and their
 * backbone. inputs are their inputs, or NULL if the maps have no networks on inputs. */
recon_status recon_maps_measure(recon_ctx *ctx, double *score /* [n] */,
                                recon_tail_point *tail /* [n] */, const recon_maps *maps,
                                const recon_embedded *data, const recon_data *inputs);
/* Calibrates the maps with n such scores and tails, which it reorders, instead of those of the
 * points that recon_maps_fit held out. */
recon_status recon_maps_calibrate(recon_ctx *ctx, recon_maps *maps, double *score,
                                  recon_tail_point *tail, size_t n);

/* Returns the p-value of an input with this map and pose: the share of held-out points, among those
 * whose densities are flat, broad or sharp like its own, whose poses are as unusual for their
 * densities, including the input. An input of a class that occurs in many poses is not unusual for
 * that. On the data that a backbone was trained on, the held-out points are those that its training
 * left out (RECON_HELD_OUT). NaN gives NaN. */
double recon_maps_p_value(const recon_maps *maps, const void *map, const double *psi);

/* Returns the score that this share of all natural poses exceeds, over all classes. INFINITY for a
 * share below 1 / (held_out + 1). A share above 1 is taken as 1. */
double recon_maps_threshold(const recon_maps *maps, double false_alarms);

const char *recon_heads_name(recon_heads heads); /* "mlp", "paper" */

#endif
