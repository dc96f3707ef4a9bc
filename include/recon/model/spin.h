/* spin.h - the spin about an axis that the poses leave free, chosen by a frozen model.
 *
 * An extension, not in the paper. If molecules occur with any rotation about an axis, their poses
 * determine the natural pose only up to a spin about that axis, and a model trained on upright
 * molecules fails. But it can choose the spin: the one at which it is most confident that the
 * neighbours of x, in their common natural pose, are all of one class:
 *
 *     phi = argmax over phi of max over y of sum over i of max(log p_y(rotation(phi) C(x_i)), floor)
 *
 * Labels are not used and no weights change. y is then discarded: the prediction for x is the
 * model's output for x alone, in the chosen pose. */
#ifndef RECON_MODEL_SPIN_H
#define RECON_MODEL_SPIN_H

#include <recon/model/canonicalize.h>

/* Evaluates a model on n conformers, each rotated about its centre, and writes log-probabilities.
 * The same conformer and rotation must always get the same numbers. */
typedef recon_status recon_spin_judge(recon_ctx *ctx, void *user, float *log_p /* [n][labels] */,
                                      const int64_t *conformer /* [n] */,
                                      const recon_so3 *rotations /* [n] */, size_t n);

typedef enum {
    RECON_SPIN_REFINE_ALL = 0, /* about the axis and, by small tilts, about the two across it */
    RECON_SPIN_REFINE_SPIN,    /* about the axis                                              */
    RECON_SPIN_REFINE_NONE
} recon_spin_refine;

/* Zero in any field means its default. */
typedef struct {
    size_t k;     /* neighbours that choose, 0: 8; as many as there are where that is less    */
    size_t steps; /* of the circle, 0: 36; 1024 at most. A tie goes to the first, from 0 on   */
    double floor; /* 0: -7                                                                    */
    recon_spin_refine refine; /* by up to 12, 6 and 3 degrees, where that is strictly better  */
    int whole; /* 1: all of SO(3) is searched in place of the circle, in `steps` (0: 512) rotations
                  that are spread evenly, refined from 24 degrees on: what an axis is worth    */
    uint64_t reserved[RECON_RESERVED];
} recon_spin_options;

/* As recon_canonicalize_molecules, but where a spin is free, the judge chooses it, on the k nearest
 * neighbours in z among the m conformers `among`, which the judge identifies by their index. among
 * NULL: among x itself, and each conformer is then one of its own neighbours. `among` should have
 * many conformers of each kind of molecule, in the poses in which they occur, preferably ones that
 * the judge was not trained on. labels is the number of classes of the judge. out may be NULL,
 * poses must not be; pose.free is not changed. options may be NULL. */
RECON_API recon_status recon_canonicalize_spin(recon_ctx *ctx, float *out,
                                               recon_pose *poses /* [n] */,
                                               const recon_model *model, const recon_conformer *x,
                                               size_t n, const recon_conformer *among, size_t m,
                                               recon_spin_judge *judge, void *user, size_t labels,
                                               const recon_spin_options *options);

/* The same with a classifier of `recon classifier train` as the judge (recon/backbone/gcn.h). */
struct recon_gcn;
RECON_API recon_status recon_canonicalize_spin_gcn(
    recon_ctx *ctx, float *out, recon_pose *poses /* [n] */, const recon_model *model,
    const recon_conformer *x, size_t n, const recon_conformer *among, size_t m,
    const struct recon_gcn *classifier, const recon_spin_options *options);

#endif
