/* score.h - how unusual the pose of an input is, and the pose distribution of an input.
 *
 * * * The score is -log p(g_abs), normalised, with the density that the model predicts for the
 * input. The p-value is the share of calibration inputs whose pose is as unusual for their class. A
 * second p-value is the share of those that are as far from the training data. */
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
    double score;   /* -log p(g_abs), including the background */
    double p_value; /* of the pose, in (0, 1]: small means unusual */
    /* Of the embedding, in (0, 1]. If it is small, the input is unlike the training data in any
     * pose, and the other numbers mean little. NaN if the model stores no codes
     * (recon_model_info). */
    double p_embedding;
    double surrogate; /* the paper's score: SO(2) |g_abs|, SO(3) -tr(Theta^T g_abs), unnormalised */
    double label;     /* SO(3): the same with Lambda and Theta learned as in the paper; else NaN */
    double uncentered; /* SO(3): -tr(Theta~^T psi), the paper's baseline; else NaN */
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

/* Computes the share of all rotations that the model takes for natural poses of n inputs: those with a p-value of
 * at least p, which a gate (only_if) leaves as they are. It is large for a model of inputs that were rotated. */
RECON_API recon_status recon_score_natural_share(recon_ctx *ctx, double *out,
                                                 const recon_model *model, const void *inputs,
                                                 size_t n, double p);

/* Returns the score that a share `false_alarms` of all natural inputs exceeds, over all classes;
 * p-values, by which inputs are called unusual, know the class. INFINITY for a share below 1 / (held_out + 1), where held_out is that of the model's maps. */
RECON_API double recon_score_threshold(const recon_model *model, double false_alarms);

/* --- distributions ---------------------------------------------------------------------------- */

/* The pose distribution of an image, relative to its natural pose: 0 is Lambda. */
typedef struct {
    recon_pose pose;           /* of the input */
    recon_so2_family family;   /* of theta: uniform or normal */
    double theta;              /* half-width or sigma; with several modes, of a single one */
    recon_so2_density density; /* the density that the score is computed from */
    double score;              /* of the input's own pose */
    /* From the law of the cluster of its nearest stored codes, if the discovery found that laws are
     * to judge (docs/concepts.md). Otherwise from a sample of the density, of the size that
     * recon_normalize bases its verdicts on; or, if there is a pose density but Lambda comes from
     * elsewhere, from the poses of the nearest codes. */
    recon_natural verdict;
    int fold;  /* m: the natural pose is known modulo 360 / m degrees; 0: not at all */
    int modes; /* more than one if the verdict is several or modulo */
    recon_so2_mode mode[RECON_MODES_MAX]; /* heaviest first */
    double moment[4];            /* |E exp(i m g)|, m = 1..4: how well the natural pose is known */
    double p_value, p_embedding; /* as in recon_pose_score */
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
    recon_pose pose;    /* of the input */
    recon_fisher poses; /* matrix Fisher of g_abs, F is Theta; with several modes, the chosen one */
    double background;  /* weight of the uniform distribution */
    double score;       /* of the input's own pose */
    int free;           /* directions in which the natural pose is arbitrary */
    double axis[3];     /* where the molecule's best determined axis points in its natural pose */
    double axis_now[3]; /* where that axis points in the input */
    double axis_body[3]; /* where it points in the backbone's canonical */
    double tilt;         /* radians between axis and axis_now */
    /* Root mean square angles in radians: on a ring spread[0], of the tilt of the axis; if nothing
     * is free, of the rotations about the three axes of F; NaN if not defined. */
    double spread[3];
    double p_value, p_embedding; /* as in recon_pose_score */
    /* The verdict of the neighbours of such inputs (recon_discover), learned; if the model has not
     * learned it, that of the density, which is never several. */
    recon_natural verdict;
    int symmetry; /* what the poses of its cluster repeat, a recon_symmetry_code; 0: none is named */
    double symmetry_axis[3];              /* in the natural pose */
    int modes;                            /* more than one if the verdict is several */
    recon_so3_mode mode[RECON_MODES_MAX]; /* heaviest first; one of them is the identity */
} recon_distribution3;
RECON_API recon_status recon_distribution_molecules(recon_ctx *ctx,
                                                    recon_distribution3 *out /* [n] */,
                                                    const recon_model *model,
                                                    const recon_conformer *x, size_t n);

/* Describes a distribution in a sentence or two. Returns text. */
typedef char recon_distribution3_text[512];
RECON_API const char *recon_distribution3_words(recon_distribution3_text text,
                                                const recon_distribution3 *distribution);

#endif
