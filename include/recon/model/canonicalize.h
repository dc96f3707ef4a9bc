/* canonicalize.h - inputs rotated into their natural pose, in front of a frozen model.
 *
 * C(x) is x rotated by Lambda(x) - psi(x): one resampling, from the original. Two inputs that
 * differ by a rotation get the same image, so everything downstream is invariant. If there are
 * several natural poses (a round 8 looks the same upside down; a class has two orientations), the
 * candidates are listed, and a judge may choose among them, for example by a frozen model's
 * confidence. */
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
    recon_interpolation interpolation; /* of images */
    int edge; /* what comes into the frame of an image is the nearest pixel of its edge; 0: zero */
    double only_if; /* the gate, (0, 1]: only inputs whose pose has a p-value below it are rotated.
                       The others come out bit for bit as they are, and their pose's `rotation` is
                       the identity, so that what is found in them stays where it is. 0: all are
                       rotated                                                               */
    uint64_t reserved[RECON_RESERVED];
} recon_canonicalize_options;

/* n inputs of the model's kind to their canonical form and poses: recon_pose2 or recon_pose3, by
 * the model's group. out (not the inputs themselves, unless the kind says so) or poses may be NULL,
 * and options too. What the kind's `check` refuses is RECON_ERR_INPUT, and so is a gate that is not
 * a share; n = 0 does nothing. */
RECON_API recon_status recon_canonicalize(recon_ctx *ctx, void *out, void *poses /* [n] */,
                                          const recon_model *model, const void *inputs, size_t n,
                                          const recon_canonicalize_options *options);

/* The same, for images n x height x width x channels of the model's size. A pixel that is not
 * finite is RECON_ERR_INPUT. */
RECON_API recon_status recon_canonicalize_images(recon_ctx *ctx, float *out,
                                                 recon_pose2 *poses /* [n] */,
                                                 const recon_model *model, const float *images,
                                                 size_t n,
                                                 const recon_canonicalize_options *options);

/* The same, for molecules: out takes coordinates, one conformer behind the other, [sum of
 * atoms][3]; it may be x's own coordinates where they are one such block. A conformer that
 * recon/data/molecules.h would not take (a coordinate that is not finite, two atoms in one place,
 * one atom alone) or with an element that the model does not know is RECON_ERR_INPUT, and the
 * message names it. Where poses leave a spin free, C(x) puts the axis where it belongs, and the
 * spin about it is the same for all of a class but arbitrary; pose.free says so. For a gate there
 * is recon_canonicalize. */
RECON_API recon_status recon_canonicalize_molecules(recon_ctx *ctx, float *out,
                                                    recon_pose3 *poses /* [n] */,
                                                    const recon_model *model,
                                                    const recon_conformer *x, size_t n);

/* --- inputs with more than one natural pose --------------------------------------------------- */

/* The natural poses that an input may have: Lambda first, then the other modes of its density by
 * weight. pose[j].lambda is the natural pose of candidate j, .rotation takes the input there. */
typedef struct {
    size_t count; /* 1 .. RECON_MODES_MAX */
    recon_pose2 pose[RECON_MODES_MAX];
    double weight[RECON_MODES_MAX]; /* they sum to 1 */
} recon_candidates;
RECON_API recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out /* [n] */,
                                             const recon_model *model, const float *images,
                                             size_t n);

/* The same of molecules, whose poses are in SO(3). */
typedef struct {
    size_t count;
    recon_pose3 pose[RECON_MODES_MAX];
    double weight[RECON_MODES_MAX];
} recon_candidates3;
RECON_API recon_status recon_candidates_molecules(recon_ctx *ctx, recon_candidates3 *out /* [n] */,
                                                  const recon_model *model,
                                                  const recon_conformer *x, size_t n);

/* Says how well n images look, in scores [n]; higher is better: a frozen model's own confidence,
 * say. A failure ends the search. */
typedef recon_status recon_judge(recon_ctx *ctx, void *user, double *scores, const float *images,
                                 size_t n);

/* As recon_canonicalize_images, but of an input's candidates the one that the judge likes best; a
 * tie goes to the one that is listed first. The judge sees the candidates of many images at once,
 * and nothing of images that have one candidate. */
RECON_API recon_status recon_canonicalize_search(recon_ctx *ctx, float *out, recon_pose2 *poses,
                                                 const recon_model *model, const float *images,
                                                 size_t n, recon_judge *judge, void *user,
                                                 const recon_canonicalize_options *options);

/* --- weighted frames -------------------------------------------------------------------------- */

/* Answers of a frozen model to n images, to answers [n][outputs]: probabilities of classes, say. A
 * failure ends the work. */
typedef recon_status recon_answer(recon_ctx *ctx, void *user, double *answers, const float *images,
                                  size_t n);

/* The mean of a frozen model's answers over an input's candidates, by their weights, to out
 * [n][outputs]. Where an input has several natural poses, no choice of one of them is continuous in
 * the input; such a mean is (Dym, Lawrence and Siegel, ICML 2024). With one candidate it is the answer to
 * the canonical form. An input that the gate does not rotate has one: itself. poses [n] takes the first
 * candidates, or is NULL; options may be NULL. The model sees the candidates of many inputs at once. */
RECON_API recon_status recon_average_images(recon_ctx *ctx, double *out, recon_pose2 *poses,
                                            const recon_model *model, const float *images, size_t n,
                                            recon_answer *answer, void *user, size_t outputs,
                                            const recon_canonicalize_options *options);

#ifdef __cplusplus
}
#endif
#endif
