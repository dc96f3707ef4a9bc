/* canonicalize.h - images turned into their natural pose, in front of a frozen model.
 *
 * C(x) is x turned by Lambda(x) - psi(x): one resampling, from the original. Two inputs that differ
 * by a turn get the same image, so whatever comes after is invariant. Where the natural pose is not
 * one (a round 8 looks the same upside down; a class lies one way or the other), the candidates are
 * listed, and a judge may choose among them: a frozen model's own confidence, say. */
#ifndef RECON_MODEL_CANONICALIZE_H
#define RECON_MODEL_CANONICALIZE_H

#include <recon/model/model.h>
#include <recon/model/pose.h>
#include <recon/stats/mean.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero in any field means its default. */
typedef struct {
    recon_interpolation interpolation;
} recon_canonicalize_options;

/* n images n x height x width x channels, of the model's size, to their canonical ones and poses.
 * out, not images itself, or poses may be NULL; options too. A pixel that is not finite is
 * RECON_ERR_INPUT; n = 0 does nothing. */
RECON_API recon_status recon_canonicalize(recon_ctx *ctx, float *out, recon_pose2 *poses /* [n] */,
                                          const recon_model *model, const float *images, size_t n,
                                          const recon_canonicalize_options *options);

/* The natural poses that an input may have: Lambda first, then the other modes of its density by
 * weight. pose[j].lambda is the natural pose of candidate j, .turn what takes the input there. */
typedef struct {
    size_t count; /* 1 .. RECON_MODES_MAX */
    recon_pose2 pose[RECON_MODES_MAX];
    double weight[RECON_MODES_MAX]; /* they sum to 1 */
} recon_candidates;
RECON_API recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out /* [n] */,
                                             const recon_model *model, const float *images,
                                             size_t n);

/* Says how well n images look, in scores [n]; higher is better. A failure ends the search. */
typedef recon_status recon_judge(recon_ctx *ctx, void *user, double *scores, const float *images,
                                 size_t n);

/* As recon_canonicalize, but of an input's candidates the one that the judge likes best; a tie goes
 * to the one that is listed first. The judge sees the candidates of many images at once, and
 * nothing of images that have one candidate. */
RECON_API recon_status recon_canonicalize_search(recon_ctx *ctx, float *out, recon_pose2 *poses,
                                                 const recon_model *model, const float *images,
                                                 size_t n, recon_judge *judge, void *user,
                                                 const recon_canonicalize_options *options);

#ifdef __cplusplus
}
#endif
#endif
