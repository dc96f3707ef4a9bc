/* score.h - how unnatural the pose of an image is, and what its poses could have been.
 *
 * The score is -log p(g_abs), with the density that the model's head gives to this very input; the
 * p-value says how often the pose of an image that the model was made from is as unusual for it. */
#ifndef RECON_MODEL_SCORE_H
#define RECON_MODEL_SCORE_H

#include <recon/model/model.h>
#include <recon/model/pose.h>
#include <recon/stats/so2_density.h>
#include <recon/stats/so2_mean.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double score;     /* -log p(g_abs)                                              */
    double p_value;   /* in (0, 1]: small is odd                                    */
    double surrogate; /* |g_abs|, the paper's centred score                         */
    recon_pose2 pose;
} recon_oddness;

/* Of n images n x height x width x channels, of the model's size. A pixel that is not finite is
 * RECON_ERR_INPUT. */
RECON_API recon_status recon_score(recon_ctx *ctx, recon_oddness *out /* [n] */,
                                   const recon_model *model, const float *images, size_t n);

/* The score that a share `false_alarms` of natural images exceeds; see recon_maps_threshold. */
RECON_API double recon_score_threshold(const recon_model *model, double false_alarms);

/* One input's poses, all about its natural pose: 0 is Lambda. */
typedef struct {
    recon_pose2 pose;          /* the input's own                                             */
    recon_so2_family family;   /* of theta: uniform or normal                                 */
    double theta;              /* half-width or sigma                                         */
    recon_so2_density density; /* what the score is made of                                   */
    double score;              /* of the input's own pose                                     */
    int modes;
    recon_so2_mode mode[RECON_MODES_MAX]; /* heaviest first                                   */
    double moment[4]; /* |E exp(i m g)|, m = 1..4: how well the natural pose is known */
    int fold; /* m: the natural pose is known modulo 360 / m degrees; 0: not at all           */
    double p_value; /* of the input's own pose, see recon_maps_p_value                        */
} recon_distribution;
RECON_API recon_status recon_distribution_of(recon_ctx *ctx, recon_distribution *out /* [n] */,
                                             const recon_model *model, const float *images,
                                             size_t n);

#ifdef __cplusplus
}
#endif
#endif
