/* maps.h - Lambda and Theta, learned: from the frozen z of an input to its natural pose, how far it
 * turns about that, and the density of its poses.
 *
 * Algorithm 1 gives every training point pseudo-labels; small networks on z learn them, so that a
 * new input costs one pass and needs no neighbours. Four heads, separate networks of two hidden
 * layers each: Lambda (a unit vector, never a bare angle), Theta (half-width or sigma), the paper's
 * uncentred support, and a mixture of von Mises densities trained on the poses themselves by
 * likelihood. A part of the data is held out: each head keeps the epoch that did best there, and
 * the scores of that part say what score is unusual.
 *
 * Maps are immutable once made: many threads may use them, each with a context of its own. */
#ifndef RECON_MAPS_MAPS_H
#define RECON_MAPS_MAPS_H

#include <recon/backbone/embedded.h>
#include <recon/maps/so2_map.h>
#include <recon/nn/params.h>
#include <recon/normalize/normalize.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_maps recon_maps;

/* Zero in any field means its default. */
typedef struct {
    size_t hidden;        /* 256                                                           */
    size_t epochs, batch; /* 30 of 256; a smaller set is one batch                         */
    double rate, decay;   /* 1e-3, warmed up and then a cosine to 0; 0.01                  */
    double dropout;       /* 0.2, of Lambda and the density                                */
    double held_out; /* the share of the points that is not trained on: 1/12, of rotations 0.1 */
    uint64_t seed;
} recon_maps_options;

/* Fits the maps to the points of data and their frames (recon_normalize without queries). SO(2)
 * alone. Theta learns frames->theta where the family is the arc or the wrapped normal; of other
 * families it learns the circular deviation sqrt(-2 log |E exp(i theta)|), a sigma. Frames of other
 * points, fewer than two points, and numbers that are not finite are RECON_ERR_INPUT. options may
 * be NULL. The same seed gives the same bits on the CPU. */
RECON_API recon_status recon_maps_fit(recon_ctx *ctx, recon_maps **out, const recon_embedded *data,
                                      const recon_frames *frames,
                                      const recon_maps_options *options);
RECON_API void recon_maps_free(recon_ctx *ctx, recon_maps *maps);

/* Everything the maps know, to be written with recon_params_save or beside other sets with
 * recon_params_save_all: lambda.*, theta.*, support.*, density.*, standard.*, calibration.*. Lent.
 * recon_maps_open takes them from such a file and leaves what else is in it. */
RECON_API const recon_params *recon_maps_params(const recon_maps *maps);
RECON_API recon_status recon_maps_open(recon_ctx *ctx, recon_maps **out, const char *path);

/* Sizes, the family of Theta, and what the calibration rests on. */
typedef struct {
    size_t d, hidden, weights;
    recon_so2_family family; /* of Theta                                   */
    size_t held_out;         /* points behind the calibration              */
} recon_maps_info;
RECON_API recon_maps_info recon_maps_describe(const recon_maps *maps);

/* All heads, and Lambda alone, of n embeddings. A number that is not finite is RECON_ERR_INPUT. */
RECON_API recon_status recon_maps_apply(recon_ctx *ctx, recon_so2_map *out /* [n] */,
                                        const recon_maps *maps, const float *z /* [n][d] */,
                                        size_t n);
RECON_API recon_status recon_maps_lambda(recon_ctx *ctx, double *out /* [n] */,
                                         const recon_maps *maps, const float *z /* [n][d] */,
                                         size_t n);

/* The p-value of an input with this map and pose: the share of the points held out, among those
 * whose densities are flat, broad or sharp like it, whose poses are as unusual for them
 * (recon_so2_map_tail), and one standard error of that share. An input is not unusual for being of
 * a kind that occurs in many poses. On the data that a backbone was trained on, the points held out
 * are those that its training left out (RECON_HELD_OUT). NaN gives NaN. Maps of an earlier version
 * kept no such points: theirs is the tail itself. */
RECON_API double recon_maps_p_value(const recon_maps *maps, const recon_so2_map *map, double psi);

/* The score (recon_so2_map_score) that this share of all natural poses exceeds, whatever their
 * kind. INFINITY for a share below 1 / (held_out + 1). A share above 1 is taken as 1. */
RECON_API double recon_maps_threshold(const recon_maps *maps, double false_alarms);

#ifdef __cplusplus
}
#endif
#endif
