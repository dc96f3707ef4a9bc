/* molscore.h - how unnatural the pose of a molecule is, and what its poses could have been: what
 * score.h is to images.
 *
 * The score is -log p(g_abs), normalised, with the density that the model gives to this very input;
 * the p-value says how often a conformer that the model was made from scores as high. */
#ifndef RECON_MODEL_MOLSCORE_H
#define RECON_MODEL_MOLSCORE_H

#include <recon/model/molmodel.h>
#include <recon/model/pose3.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All scores: higher is odder. */
typedef struct {
    double score;     /* -log p(g_abs), background included                            */
    double p_value;   /* in (0, 1]: small is odd                                       */
    double trace;     /* -tr(Theta^T g_abs): the paper's, which lacks the constant      */
    double label;     /* the same with Lambda and Theta learned as the paper does       */
    double uncentred; /* -tr(Theta~^T psi): the paper's baseline                        */
    recon_pose3 pose;
} recon_oddness3;

/* Refuses what recon_molcanonicalize refuses. */
RECON_API recon_status recon_molscore(recon_ctx *ctx, recon_oddness3 *out /* [n] */,
                                      const recon_molmodel *model, const recon_conformer *x,
                                      size_t n);

/* The score that a share `false_alarms` of natural conformers exceeds. */
RECON_API double recon_molscore_threshold(const recon_molmodel *model, double false_alarms);

/* One input's poses, all about its natural pose: the identity is Lambda. Directions are of unit
 * length. */
typedef struct {
    recon_pose3 pose;    /* the input's own                                                   */
    recon_fisher poses;  /* matrix Fisher of g_abs: F is Theta                               */
    double background;   /* share of the uniform distribution beside it                       */
    double score;        /* of the input's own pose                                           */
    int free;            /* directions in which the natural pose is a choice                  */
    double axis[3];      /* the best determined direction, in the world: the molecule's own axis
                            stands there when it is in its natural pose                       */
    double axis_now[3];  /* where that axis of the molecule points in the input as given     */
    double axis_body[3]; /* and in the backbone's canonical                                  */
    double tilt;         /* radians between axis and axis_now                                 */
    double spread[3]; /* radians, root mean square: of the axis's tilt on a ring, spread[0]; where
                         nothing is free, of the turns about the three axes of F; NaN where it is
                         not defined                                                       */
    double p_value;   /* of the input's own pose, see recon_maps_p_value                   */
} recon_distribution3;
RECON_API recon_status recon_moldistribution_of(recon_ctx *ctx, recon_distribution3 *out /* [n] */,
                                                const recon_molmodel *model,
                                                const recon_conformer *x, size_t n);

/* The same in a sentence or two. Returns text. */
typedef char recon_distribution3_text[512];
RECON_API const char *recon_moldistribution_words(recon_distribution3_text text,
                                                  const recon_distribution3 *distribution);

#ifdef __cplusplus
}
#endif
#endif
