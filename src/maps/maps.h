/* maps.h (private) - Lambda and Theta, learned: from the frozen z of an input to its natural pose,
 * how its poses are spread about that, and their density.
 *
 * Algorithm 1 gives every training point pseudo-labels; small networks on z learn them, so that a
 * new input costs one pass and needs no neighbours. The first of these heads, Lambda and Theta, may
 * instead be networks of their own on the inputs, as in the paper (RECON_HEADS_PAPER). A part of the data is held out: each head keeps
 * the epoch that did best there, and the scores of that part say what score is unusual.
 *
 * Maps are immutable once made: many threads may use them, each with a context of its own. */
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
    int first;              /* of the heads on z: those before it are nets        */
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
 * neighbours, and recon_frames_gauge makes Gamma one that can be learned). On SO(2) Theta learns
 * frames->theta where the family is the arc or the wrapped normal; of other families it learns the
 * circular deviation sqrt(-2 log |E exp(i theta)|), a sigma. Frames of other points, fewer than two
 * points, and numbers that are not finite are RECON_ERR_INPUT. options may be NULL. The same seed
 * gives the same bits on the CPU. */
recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                            const recon_frames *frames, const recon_maps_options *options);
/* The same with the inputs behind the points and the backbone that has embedded them, which
 * RECON_HEADS_PAPER needs; the backbone must then outlive the maps. Other backbones than those of
 * `recon train` are RECON_ERR_INPUT there. */
recon_status recon_maps_fit_inputs(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                                   const recon_frames *frames, const recon_maps_options *options,
                                   const recon_backbone *backbone, const recon_data *inputs);
/* Untrained; number and calibration are yet to be set. nets become theirs; NULL: none. */
recon_status recon_maps_new(recon_ctx *ctx, recon_maps **out, const recon_maps_kind *kind, size_t d,
                            size_t hidden, double dropout, recon_input_nets *nets, uint64_t seed);
void recon_maps_free(recon_ctx *ctx, recon_maps *maps);

/* From an open file, which may hold more; path is for messages. RECON_ERR_INPUT where it has no
 * maps: the message says what to do. The backbone is that of the file, for networks on its inputs. */
recon_status recon_maps_read(recon_ctx *ctx, recon_maps **out, const recon_safetensors *file,
                             const char *path, const recon_backbone *backbone);
/* The metadata by which a file says that it has maps and of which group, and what their heads are. */
#define RECON_MAPS_METADATA "maps"
recon_metadata_entry recon_maps_metadata(const recon_maps *maps);
recon_metadata_entry recon_maps_metadata_heads(const recon_maps *maps);
/* All weights: their own, and those of the networks. How many of the two there are. */
enum { RECON_MAPS_PARAMS = 2 };
size_t recon_maps_params(const recon_params *out[RECON_MAPS_PARAMS], const recon_maps *maps);

/* Writes mean, scale, calibration and number to their buffers in params, so that they are saved:
 * lambda.*, theta.*, support.*, density.*, mixture.*, standard.*, calibration.*. */
recon_status recon_maps_keep(recon_ctx *ctx, recon_maps *maps);

recon_maps_info recon_maps_describe(const recon_maps *maps);

/* What maps are asked of: embeddings, and where they have networks the inputs behind them, in an array
 * as the backbone takes them or as data. */
typedef struct {
    size_t n;
    const float *z;         /* [n][d] */
    const void *inputs;     /* [n], or NULL */
    const recon_data *data; /* n of them, or NULL */
} recon_maps_inputs;

/* What the heads say of n inputs; out is an array of the kind's maps. RECON_MAPS_LAMBDA leaves
 * all but Lambda (on SO(3) also `free`, Theta and the density) as it happens to be. A number that
 * is not finite is RECON_ERR_INPUT. */
recon_status recon_maps_apply(recon_ctx *ctx, void *out /* [n] */, const recon_maps *maps,
                              const recon_maps_inputs *in, recon_maps_part part);

/* What a backbone's pose densities say of n inputs, put over what the heads have said: their density
 * and Theta (but not over a network's), and Lambda where that is where it comes from. density
 * [n][RECON_POSE_BINS] is log q and may be NULL: nothing is done then. */
recon_status recon_maps_put_densities(recon_ctx *ctx, void *maps /* [n] */, const recon_maps *m,
                                      const double *psi /* [n] */, const float *density, size_t n,
                                      recon_maps_part part);

/* Scores and tails of the poses of points, all of which should be new to the maps and to their
 * backbone; inputs are those behind them, or NULL where the maps have no networks. */
recon_status recon_maps_measure(recon_ctx *ctx, double *score /* [n] */,
                                recon_tail_point *tail /* [n] */, const recon_maps *maps,
                                const recon_embedded *data, const recon_data *inputs);
/* What is usual, from n such: in the place of what recon_maps_fit found on the points that it held
 * out. Uses them up. */
recon_status recon_maps_calibrate(recon_ctx *ctx, recon_maps *maps, double *score,
                                  recon_tail_point *tail, size_t n);

/* The p-value of an input with this map and pose: the share of the points held out, among those
 * whose densities are flat, broad or sharp like it, whose poses are as unusual for them, the input
 * counted among them. An input is not unusual for being of a kind that occurs in many poses. On the data that a backbone was trained on, the points held out are those that its
 * training left out (RECON_HELD_OUT). NaN gives NaN. */
double recon_maps_p_value(const recon_maps *maps, const void *map, const double *psi);

/* The score that this share of all natural poses exceeds, whatever their kind. INFINITY for a share
 * below 1 / (held_out + 1). A share above 1 is taken as 1. */
double recon_maps_threshold(const recon_maps *maps, double false_alarms);

const char *recon_heads_name(recon_heads heads); /* "mlp", "paper" */

#endif
