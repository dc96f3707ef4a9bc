/* score.h - how unusual a pose is, and the pose distribution of an input.
 *
 * The score is -log p(g_abs), normalised, with the density that the model predicts for this input.
 * The p-value is the share of calibration inputs whose pose is at least as unusual for their kind.
 * A second p-value is the share of calibration inputs that are at least as far from the training
 * data. */
#ifndef RECON_MODEL_SCORE_H
#define RECON_MODEL_SCORE_H

#include <recon/model/model.h>
#include <recon/model/pose.h>
#include <recon/group/matrix_fisher.h>
#include <recon/group/mean.h>
#include <recon/group/so2_density.h>

/* --- scores ----------------------------------------------------------------------------------- */

/* How unusual the pose of an input is. Higher scores are more unusual. */
typedef struct {
    double score;   /* -log p(g_abs), background included                          */
    double p_value; /* of the pose, in (0, 1]: small is unusual                    */
    double
        p_embedding;  /* of the embedding, in (0, 1]: small, the input is unlike the training data,
                           whatever its pose, and nothing else here means much. NaN for a model that
                           keeps no codes (recon_model_info)                           */
    double surrogate; /* the paper's centred score: SO(2) |g_abs|, SO(3) -tr(Theta^T g_abs), which
                           lacks the constant                                          */
    double label; /* SO(3): the same with Lambda and Theta learned as the paper does; else NaN */
    double uncentered; /* SO(3): -tr(Theta~^T psi), the paper's baseline; else NaN    */
    recon_pose pose;
} recon_pose_score;

/* Scores n inputs of the model's kind. Refuses the same inputs as recon_canonicalize. */
RECON_API recon_status recon_score(recon_ctx *ctx, recon_pose_score *out /* [n] */,
                                   const recon_model *model, const void *inputs, size_t n);
RECON_API recon_status recon_score_images(recon_ctx *ctx, recon_pose_score *out /* [n] */,
                                          const recon_model *model, const float *images, size_t n);
RECON_API recon_status recon_score_molecules(recon_ctx *ctx, recon_pose_score *out /* [n] */,
                                             const recon_model *model, const recon_conformer *x,
                                             size_t n);

/* The score that a share `false_alarms` of all natural inputs exceeds, whatever their kind.
 * INFINITY for a share below 1 / (held_out + 1), held_out being that of the model's maps. */
RECON_API double recon_score_threshold(const recon_model *model, double false_alarms);

/* --- distributions ---------------------------------------------------------------------------- */

/* The pose distribution of an image, relative to its natural pose: 0 is Lambda. */
typedef struct {
    recon_pose pose;           /* the input's own                                             */
    recon_so2_family family;   /* of theta: uniform or normal                                 */
    double theta;              /* half-width or sigma                                         */
    recon_so2_density density; /* what the score is made of                                   */
    double score;              /* of the input's own pose                                     */
    /* On the density, by as many poses of it as the verdicts of recon_discover are made from. With a
     * pose density that Lambda does not come from, and stored codes: on the poses of the nearest. */
    recon_natural verdict;
    int fold;  /* m: the natural pose is known modulo 360 / m degrees; 0: not at all           */
    int modes; /* more than one where the verdict is several or modulo                         */
    recon_so2_mode mode[RECON_MODES_MAX]; /* heaviest first                                   */
    double moment[4]; /* |E exp(i m g)|, m = 1..4: how well the natural pose is known          */
    double p_value, p_embedding; /* of the input's own pose, and of its embedding, as in
                                    recon_pose_score                                          */
} recon_distribution;
RECON_API recon_status recon_distribution_images(recon_ctx *ctx, recon_distribution *out /* [n] */,
                                                 const recon_model *model, const float *images,
                                                 size_t n);

/* One of several modes. */
typedef struct {
    recon_so3 at;
    double weight;
} recon_so3_mode;

/* The pose distribution of a molecule, relative to its natural pose: the identity is Lambda.
 * Directions have unit length. */
typedef struct {
    recon_pose pose;     /* the input's own                                                   */
    recon_fisher poses;  /* matrix Fisher of g_abs: F is Theta; of several modes the chosen one */
    double background;   /* share of the uniform distribution beside all modes                */
    double score;        /* of the input's own pose                                           */
    int free;            /* directions in which the natural pose is a choice                  */
    double axis[3];      /* the best determined direction, in the world: the molecule's own axis
                            stands there when it is in its natural pose                       */
    double axis_now[3];  /* where that axis of the molecule points in the input as given     */
    double axis_body[3]; /* and in the backbone's canonical                                  */
    double tilt;         /* radians between axis and axis_now                                 */
    double spread[3]; /* radians, root mean square: of the axis's tilt on a ring, spread[0]; where
                         nothing is free, of the rotations about the three axes of F; NaN where it is
                         not defined                                                       */
    double p_value, p_embedding; /* of the input's own pose, and of its embedding, as in
                                    recon_pose_score                                       */
    /* What the neighbours of such an input say (recon_discover), learned; of a model without that,
     * what the density says, and then never several. */
    recon_natural verdict;
    int modes;                            /* more than one where the verdict is several           */
    recon_so3_mode mode[RECON_MODES_MAX]; /* heaviest first; one of them is the identity          */
} recon_distribution3;
RECON_API recon_status recon_distribution_molecules(recon_ctx *ctx,
                                                    recon_distribution3 *out /* [n] */,
                                                    const recon_model *model,
                                                    const recon_conformer *x, size_t n);

/* The same in a sentence or two. Returns text. */
typedef char recon_distribution3_text[512];
RECON_API const char *recon_distribution3_words(recon_distribution3_text text,
                                                const recon_distribution3 *distribution);

#endif
