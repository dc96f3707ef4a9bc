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
#include <recon/group/mean.h>

/* Which inputs are rotated, by their verdict (recon_distribution, recon_distribution3). In front of a
 * frozen model every input is: C(x) is what makes it invariant. Files that are kept are safer with
 * RECON_ONLY_CLEAR, since an input without a natural pose is rotated by an arbitrary angle. */
typedef enum {
    RECON_ONLY_ANY = 0, /* all are rotated                                        */
    RECON_ONLY_CLEAR,   /* those with a natural pose: one, several, modulo or ring */
    RECON_ONLY_ONE      /* those with RECON_NATURAL_ONE                            */
} recon_only;

/* Zero in any field means its default. */
typedef struct {
    recon_interpolation interpolation; /* of images */
    int edge; /* what comes into the frame of an image is the nearest pixel of its edge; 0: zero */
    double only_if;  /* the gate, (0, 1]: only inputs whose pose has a p-value below it are rotated.
                       The others come out bit for bit as they are, and their pose's `rotation` is
                       the identity, so that what is found in them stays where it is. 0: no gate.
                       Unless `only` is RECON_ONLY_ANY the pose that an input would be rotated to
                       must be a usual one as well                                           */
    recon_only only; /* a gate too; with only_if an input must pass both                     */
    uint64_t reserved[RECON_RESERVED];
} recon_canonicalize_options;

/* The natural poses that an input may have: Lambda first, then the other modes of its density by
 * weight. pose[j].lambda is the natural pose of candidate j, .rotation takes the input there. */
typedef struct {
    size_t count; /* 1 .. RECON_MODES_MAX */
    recon_pose pose[RECON_MODES_MAX];
    double weight[RECON_MODES_MAX]; /* they sum to 1 */
} recon_candidates;

/* Why an input is rotated or left as it is. */
typedef enum {
    RECON_WHY_ROTATED = 0,
    RECON_WHY_USUAL,   /* only_if: its pose as given is not unusual, or what it would be rotated
                          to is none that is usual                                          */
    RECON_WHY_VERDICT, /* only: its verdict does not allow it                               */
    RECON_WHY_ASKED    /* somebody asked for it                                              */
} recon_why;

/* All that is known of an input, and what is done with it. */
typedef struct {
    recon_pose pose; /* `rotation` is the identity of an input that is left as it is */
    double score, p_value, p_embedding, surrogate; /* as in recon_pose_score */
    recon_natural verdict;
    int fold;        /* m: the natural pose is known modulo 360 / m degrees; 0: not at all */
    int64_t cluster; /* of the discovery: those of clusters.csv; -1: none is known */
    recon_candidates candidates; /* the first is the pose itself; what a density's background holds
                                    is no candidate's */
    recon_why why;
    int rotated; /* 0: left as it is, or already in its natural pose */
} recon_row;

/* The rows of n inputs of the model's kind; options may be NULL. Refuses what recon_canonicalize
 * refuses. */
RECON_API recon_status recon_rows_find(recon_ctx *ctx, recon_row *out /* [n] */,
                                       const recon_model *model, const void *inputs, size_t n,
                                       const recon_canonicalize_options *options);

/* Computes the canonical form and the poses
 * of n inputs of the model's kind. out, poses and options may be NULL; out must not be the
 * inputs themselves unless the kind allows it. Inputs that the kind's `check` refuses and a gate
 * outside (0, 1] are RECON_ERR_INPUT; n = 0 does nothing. */
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
 * atoms][3]; it may be x's own coordinates if they form one such block. A conformer that
 * recon/data/molecules.h would refuse (a coordinate that is not finite, two atoms at the same
 * position, a single atom), or with an element that the model does not know, is RECON_ERR_INPUT,
 * and the message names it. Where the poses leave a spin free, C(x) aligns the axis, and the spin
 * about it is arbitrary but the same for the whole class; see pose.free. Use recon_canonicalize for
 * a gate. */
RECON_API recon_status recon_canonicalize_molecules(recon_ctx *ctx, float *out,
                                                    recon_pose *poses /* [n] */,
                                                    const recon_model *model,
                                                    const recon_conformer *x, size_t n);

/* --- inputs with more than one natural pose --------------------------------------------------- */

/* The candidates of n images of the model's size. */
RECON_API recon_status recon_candidates_list(recon_ctx *ctx, recon_candidates *out /* [n] */,
                                             const recon_model *model, const float *images,
                                             size_t n);

/* The same of molecules, whose poses are in SO(3). */
typedef struct {
    size_t count;
    recon_pose pose[RECON_MODES_MAX];
    double weight[RECON_MODES_MAX];
} recon_candidates3;
RECON_API recon_status recon_candidates_molecules(recon_ctx *ctx, recon_candidates3 *out /* [n] */,
                                                  const recon_model *model,
                                                  const recon_conformer *x, size_t n);

/* Rates n images in scores [n], higher is better; for example by a frozen model's confidence. A
 * failure ends the search. */
typedef recon_status recon_judge(recon_ctx *ctx, void *user, double *scores, const float *images,
                                 size_t n);

/* As recon_canonicalize_images, but uses the candidate with the highest score of the judge; ties go
 * to the first. The judge is called with the candidates of many images at once, and not for images
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

/* The mean of a frozen model's outputs over the candidates of each input, by their weights, to out
 * [n][outputs]. If an input has several natural poses, no choice among them is continuous in the
 * input; this mean is (Dym, Lawrence and Siegel, ICML 2024). With one candidate it is the output
 * for the canonical form. An input that the gate does not rotate has one candidate, itself. poses
 * [n] receives the first candidates and may be NULL; options may be NULL. The model is called with
 * the candidates of many inputs at once. */
RECON_API recon_status recon_average_images(recon_ctx *ctx, double *out, recon_pose *poses,
                                            const recon_model *model, const float *images, size_t n,
                                            recon_answer *answer, void *user, size_t outputs,
                                            const recon_canonicalize_options *options);

#endif
