/* so3_maps.h - Lambda and Theta on SO(3), learned: from the frozen z of an input to its natural
 * pose, the distribution of its poses, and what of them the data determine.
 *
 * As recon/maps/maps.h does for SO(2), with matrix Fisher distributions. The density head learns F
 * of psi itself and the share of a uniform background, by likelihood on the poses, so that it
 * averages over all of a class where Algorithm 1 has k neighbours, and a pose that is plainly wrong
 * costs a bounded amount. Lambda is its gauge, Theta its F about Lambda. Three further heads learn
 * Algorithm 1's own answers, as the paper does. */
#ifndef RECON_MAPS_SO3_MAPS_H
#define RECON_MAPS_SO3_MAPS_H

#include <recon/maps/maps.h>
#include <recon/maps/so3_map.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recon_so3_maps recon_so3_maps;

/* Fits the maps to the points of data and their frames (recon_normalize without queries, by
 * neighbours; recon_frames_gauge makes Gamma one that can be learned). Defaults as in maps.h, but
 * for hidden 512, a rate of 2e-3, no dropout, and 300 steps at least. Frames of other points, fewer
 * than two points, and numbers that are not finite are RECON_ERR_INPUT. options may be NULL. The
 * same seed gives the same bits on the CPU. */
RECON_API recon_status recon_so3_maps_fit(recon_ctx *ctx, recon_so3_maps **out,
                                          const recon_embedded *data, const recon_frames *frames,
                                          const recon_maps_options *options);
RECON_API void recon_so3_maps_free(recon_ctx *ctx, recon_so3_maps *maps);

/* Everything the maps know, by the names that maps.h lists. Lent. recon_so3_maps_open takes them
 * from a file and leaves what else is in it. */
RECON_API const recon_params *recon_so3_maps_params(const recon_so3_maps *maps);
RECON_API recon_status recon_so3_maps_open(recon_ctx *ctx, recon_so3_maps **out, const char *path);

/* Sizes, and what the calibration rests on. */
typedef struct {
    size_t d, hidden, weights;
    double unit;     /* the length of F that is usual, which networks count in */
    size_t held_out; /* points behind the calibration                          */
} recon_so3_maps_info;
RECON_API recon_so3_maps_info recon_so3_maps_describe(const recon_so3_maps *maps);

/* All heads, and Lambda alone, of n embeddings; free [n], as in recon_so3_map, may be NULL. A
 * number that is not finite is RECON_ERR_INPUT. */
RECON_API recon_status recon_so3_maps_apply(recon_ctx *ctx, recon_so3_map *out /* [n] */,
                                            const recon_so3_maps *maps, const float *z /* [n][d] */,
                                            size_t n);
RECON_API recon_status recon_so3_maps_lambda(recon_ctx *ctx, recon_so3 *out /* [n] */, int *free,
                                             const recon_so3_maps *maps,
                                             const float *z /* [n][d] */, size_t n);

/* The p-value of an input with this map and pose (recon_so3_map_tail), and the score that this
 * share of all natural poses exceeds: as in maps.h. */
RECON_API double recon_so3_maps_p_value(const recon_so3_maps *maps, const recon_so3_map *map,
                                        recon_so3 psi);
RECON_API double recon_so3_maps_threshold(const recon_so3_maps *maps, double false_alarms);

#ifdef __cplusplus
}
#endif
#endif
