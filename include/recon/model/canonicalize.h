/* canonicalize.h - rotates inputs into their natural pose, in front of a frozen model.
 *
 * * C(x) is x rotated by Lambda(x) - psi(x), with one resampling from the original. Two inputs that
 * differ by a rotation get the same image, so everything downstream is invariant. If there are
 * several natural poses (a round 8 looks the same upside down; a class has two orientations), the
 * candidates can be listed, and a judge, for example a frozen model's confidence, may choose. */
#ifndef RECON_MODEL_CANONICALIZE_H
#define RECON_MODEL_CANONICALIZE_H

#include <recon/model/model.h>
#include <recon/model/pose.h>
#include <recon/group/mean.h>

/* The inputs that are rotated, by their verdict (recon_distribution, recon_distribution3). In front
 * of a frozen model rotate all, since C(x) makes it invariant. For files that are kept,
 * RECON_ONLY_CLEAR is safer: inputs without a natural pose would get an arbitrary angle. */
typedef enum {
    RECON_ONLY_ANY = 0, /* all inputs */
    RECON_ONLY_CLEAR,   /* inputs with a natural pose: one, several, modulo or axis */
    RECON_ONLY_ONE      /* inputs with the verdict RECON_NATURAL_ONE */
} recon_only;

/* Zero in any field means its default. */
typedef struct {
    recon_interpolation interpolation; /* of images */
    int edge; /* fill what comes into the frame of an image with the nearest edge pixel; 0: zeros */
    /* A gate, (0, 1]: only inputs whose pose has a p-value below it are rotated; unless `only` is
     * RECON_ONLY_ANY, the pose after rotating must not be unusual itself. The other inputs are
     * copied unchanged, and their pose's `rotation` is the identity. 0: no gate. */
    double only_if;
    recon_only only; /* a second gate: an input must pass both to be rotated */
    uint64_t reserved[RECON_RESERVED];
} recon_canonicalize_options;

/* The possible natural poses of an input: Lambda first, then the other modes of its density by
 * weight. pose[j].lambda is the natural pose of candidate j; .rotation rotates the input to it. */
typedef struct {
    size_t count; /* 1 .. RECON_MODES_MAX */
    recon_pose pose[RECON_MODES_MAX];
    double weight[RECON_MODES_MAX]; /* they sum to 1 */
} recon_candidates;

/* Why an input is rotated, or is not. */
typedef enum {
    RECON_WHY_ROTATED = 0,
    RECON_WHY_USUAL,   /* only_if: its pose is not unusual, or its natural pose would be */
    RECON_WHY_VERDICT, /* only: its verdict does not allow it */
    RECON_WHY_ASKED    /* the user asked for it */
} recon_why;

/* Everything known about an input, and what is done with it. */
typedef struct {
    recon_pose pose; /* its `rotation` is the identity if the input is not rotated */
    double score, p_value, p_embedding, surrogate; /* as in recon_pose_score */
    recon_natural verdict;
    int fold;        /* m: the natural pose is known modulo 360 / m degrees; 0: not at all */
    int64_t cluster; /* its cluster in clusters.csv of the discovery; -1: not known */
    recon_candidates candidates; /* the first is `pose`; the background has no candidate */
    recon_why why;
    int rotated; /* 0: not rotated, or already in its natural pose */
} recon_row;

/* Computes the rows of n inputs of the model's kind; options may be NULL. Refuses the same inputs
 * as recon_canonicalize. */
RECON_API recon_status recon_rows_find(recon_ctx *ctx, recon_row *out /* [n] */,
                                       const recon_model *model, const void *inputs, size_t n,
                                       const recon_canonicalize_options *options);

/* Computes the canonical form and the poses of n inputs of the model's kind. out, poses and options
 * may be NULL; out must not be the inputs unless the kind allows it. Inputs that the kind's `check`
 * refuses and a gate outside (0, 1] are RECON_ERR_INPUT; n = 0 does nothing. */
RECON_API recon_status recon_canonicalize(recon_ctx *ctx, void *out, recon_pose *poses /* [n] */,
                                          const recon_model *model, const void *inputs, size_t n,
                                          const recon_canonicalize_options *options);

/* The same, for images n x height x width x channels of the model's size. A pixel that is not
 * finite is RECON_ERR_INPUT. */
RECON_API recon_status recon_canonicalize_images(recon_ctx *ctx, float *out,
                                                 recon_pose *poses /* [n] */,
                                                 const recon_model *model, const float *images,
                                                 size_t n,
                                                 const recon_canonicalize_options *options);

/* The same, for molecules: out receives the coordinates, one conformer after the other, [sum of
 * atoms][3]; it may be the coordinates of x if they form one such block. A conformer that
 * recon/data/molecules.h would refuse (a coordinate that is not finite, two atoms at the same
 * position, a single atom), or with an element that the model does not know, is RECON_ERR_INPUT,
 * and the message names it. If the poses leave a spin free, C(x) aligns the axis, and the spin
 * about it is arbitrary but the same for the whole class; see pose.free. */
RECON_API recon_status recon_canonicalize_molecules(recon_ctx *ctx, float *out,
                                                    recon_pose *poses /* [n] */,
                                                    const recon_model *model,
                                                    const recon_conformer *x, size_t n);

/* --- inputs with more than one natural pose --------------------------------------------------- */

/* Lists the candidates of n inputs of the model's kind; options may be NULL. An input that the gate does not
 * rotate has one candidate, itself. */
RECON_API recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out /* [n] */,
                                             const recon_model *model, const void *inputs, size_t n,
                                             const recon_canonicalize_options *options);

/* Rates n images in scores [n], higher is better, for example by the confidence of a frozen model.
 * A failure ends the search. */
typedef recon_status recon_judge(recon_ctx *ctx, void *user, double *scores, const float *images,
                                 size_t n);

/* Like recon_canonicalize_images, but uses the candidate that the judge scores highest; ties go to
 * the first. The judge is called with the candidates of many images at once, and not for images
 * with a single candidate. */
RECON_API recon_status recon_canonicalize_search(recon_ctx *ctx, float *out, recon_pose *poses,
                                                 const recon_model *model, const float *images,
                                                 size_t n, recon_judge *judge, void *user,
                                                 const recon_canonicalize_options *options);

/* --- weighted frames -------------------------------------------------------------------------- */

/* Evaluates a frozen model on n images and writes its outputs, for example class probabilities, to
 * answers [n][outputs]. A failure ends the work, and so does an output that is not finite. */
typedef recon_status recon_answer(recon_ctx *ctx, void *user, double *answers, const float *images,
                                  size_t n);

/* Writes the weighted mean of a frozen model's outputs over the candidates of each input to out
 * [n][outputs]. If an input has several natural poses, no choice among them is continuous in the
 * input, but this mean is (Dym, Lawrence and Siegel, ICML 2024). With one candidate it is the
 * output for the canonical form. An input that a gate leaves unrotated has one candidate, itself.
 * poses [n] receives the first candidates and may be NULL; options may be NULL. The model is called
 * with the candidates of many inputs at once. */
RECON_API recon_status recon_average_images(recon_ctx *ctx, double *out, recon_pose *poses,
                                            const recon_model *model, const float *images, size_t n,
                                            recon_answer *answer, void *user, size_t outputs,
                                            const recon_canonicalize_options *options);

#endif
