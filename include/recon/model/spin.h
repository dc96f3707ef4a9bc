/* spin.h - lets a frozen model choose the spin about an axis that the poses leave free.
 *
 * An extension that is not in the paper. If molecules occur with any rotation about an axis, their
 * poses determine the natural pose only up to a spin about that axis, and a model trained on
 * upright molecules fails. But it can choose the spin at which it is most confident that the
 * neighbours of x, in their common natural pose, all belong to one class:
 *
 *   phi = argmax over phi of max over y of sum over i of max(log p_y(rotation(phi) C(x_i)), floor)
 *
 * Labels are not used and no weights change. y is then discarded: the prediction for x is the
 * model's output for x alone, in the chosen pose. */
#ifndef RECON_MODEL_SPIN_H
#define RECON_MODEL_SPIN_H

#include <recon/model/canonicalize.h>

/* Evaluates a model on n conformers, each rotated about its centre, and writes log-probabilities.
 * It must be deterministic: the same conformer and rotation give the same numbers. */
typedef recon_status recon_spin_judge(recon_ctx *ctx, void *user, float *log_p /* [n][labels] */,
                                      const int64_t *conformer /* [n] */,
                                      const recon_so3 *rotations /* [n] */, size_t n);

typedef enum {
    RECON_SPIN_REFINE_ALL = 0, /* the spin, and small tilts about the two axes across it */
    RECON_SPIN_REFINE_SPIN,    /* the spin only */
    RECON_SPIN_REFINE_NONE
} recon_spin_refine;

/* Zero in any field means its default. */
typedef struct {
    size_t k;     /* the number of neighbours that vote, if there are as many; 0: 8 */
    size_t steps; /* on the circle, at most 1024; 0: 36. Ties go to the first, counted from 0 */
    double floor; /* 0: -7 */
    recon_spin_refine refine; /* by up to 12, 6 and 3 degrees, if that is strictly better */
    /* 1: search all of SO(3) instead of the circle, in `steps` (0: 512) evenly spread rotations,
     * refined from 24 degrees down: shows what knowing the axis is worth. */
    int whole;
    uint64_t reserved[RECON_RESERVED];
} recon_spin_options;

/* Like recon_canonicalize_molecules, but if a spin is free, the judge chooses it. It rates the k
 * nearest neighbours in z among the m conformers `among`, which it identifies by their index; if
 * among is NULL, among x itself, where each conformer is one of its own neighbours. `among` should
 * have many conformers of each kind of molecule, in the poses in which they occur, preferably ones
 * that the judge was not trained on. labels is the number of classes of the judge. out and options
 * may be NULL, poses may not; pose.free is not changed. */
RECON_API recon_status recon_canonicalize_spin(recon_ctx *ctx, float *out,
                                               recon_pose *poses /* [n] */,
                                               const recon_model *model, const recon_conformer *x,
                                               size_t n, const recon_conformer *among, size_t m,
                                               recon_spin_judge *judge, void *user, size_t labels,
                                               const recon_spin_options *options);

/* The same with a classifier from `recon classifier train` as the judge (recon/backbone/gcn.h). */
struct recon_gcn;
RECON_API recon_status recon_canonicalize_spin_gcn(
    recon_ctx *ctx, float *out, recon_pose *poses /* [n] */, const recon_model *model,
    const recon_conformer *x, size_t n, const recon_conformer *among, size_t m,
    const struct recon_gcn *classifier, const recon_spin_options *options);

#endif
