/* cifar.h - `recon reproduce cifar10`: natural pictures before a frozen classifier.
 *
 * The classifier knows upright pictures alone. Test pictures come as they are, rotated by multiples of
 * 45 degrees (C8), or by any angle; bilinear, with the edge's pixels repeated outside of the frame, when
 * they are rotated and when they are rotated back. Whether to rotate at all is asked of the p-value, and
 * the level of that is chosen on pictures held out from all training. */
#ifndef LAB_CIFAR_H
#define LAB_CIFAR_H

#include <jansson.h>
#include <recon/backbone/classifier.h>
#include <recon/recon.h>

/* --- what is measured ------------------------------------------------------------------------- */

enum { CIFAR_UPRIGHT, CIFAR_C8, CIFAR_ANY, CIFAR_SETS };
enum {
    CIFAR_NONE,        /* as they come                                             */
    CIFAR_UNDO,        /* rotated back by the true angle                           */
    CIFAR_DENSITY,     /* ours: the centre of the pose density, four quarter turns */
    CIFAR_DENSITY_ONE, /* the same from a single pass                              */
    CIFAR_GATED,       /* rotated only where the p-value is below the chosen level */
    CIFAR_AVERAGE,     /* the classifier's answers averaged over the candidates    */
    CIFAR_TTA8,        /* and over 8 and 36 rotations, without a model of poses    */
    CIFAR_TTA36,
    CIFAR_AUGMENTED, /* the other classifier, as they come                       */
    CIFAR_METHODS
};
extern const char *const cifar_method_name[CIFAR_METHODS], *const cifar_set_name[CIFAR_SETS];

enum { CIFAR_LEVELS = 12 };
extern const double cifar_levels[CIFAR_LEVELS]; /* of p-values, the last one 1 */

typedef struct {
    double median, p75, p90; /* degrees                         */
    double within, above;    /* shares: 22.5 and 150 degrees    */
} cifar_errors;

typedef struct {
    size_t images, validation;
    double accuracy[CIFAR_SETS][CIFAR_METHODS]; /* shares; NaN: not measured */
    double curve[CIFAR_LEVELS][2],
        held[CIFAR_LEVELS][2];                /* upright and C8 by level, of the test and
                                                             the validation part */
    double none_held;                         /* C8 of the validation part, as it comes */
    size_t level;                             /* chosen on validation */
    cifar_errors errors, errors_one;          /* at any angle */
    double classifier_ms, density_ms, one_ms; /* a picture; density: canonicalized */
    double rotated_share[CIFAR_SETS];         /* by the gate */
    int quick;
} cifar_result;

/* The classifier and, NULL or not, the one trained with rotations; test and held: pictures of the
 * classifier's size with labels. */
recon_status cifar_measure(recon_ctx *ctx, cifar_result *out, const recon_model *model,
                           const recon_model *once, const recon_classifier *classifier,
                           const recon_classifier *augmented, const recon_dataset *test,
                           const recon_dataset *held, int quick);

/* The lowest level that keeps CIFAR_KEPT of what rotating all brings on rotated pictures, by more than the
 * standard error of that share among so many pictures; `none` is their accuracy as they come. A higher
 * level only rotates more of those that are upright already. */
#define CIFAR_KEPT 0.96
size_t cifar_choose(const double curve[CIFAR_LEVELS][2], double none, size_t pictures);

#endif
