/* spin.h - the spin about an axis that the poses leave free, chosen by a frozen model.
 *
 * An extension: the paper has nothing of the kind. Where molecules are rotated about an axis by any
 * angle alike, their poses determine the natural pose only up to a spin about that axis, and a
 * model that was trained on upright molecules is lost. But it can be asked: of all spins, which
 * makes it most certain that the neighbours of x, put into their common natural pose, are all of
 * one class?
 *
 *     phi = argmax over phi of max over y of sum over i of max(log p_y(rotation(phi) C(x_i)), floor)
 *
 * Labels are not read and no weight changes. y is forgotten again: what x is taken for is what the
 * model says of x alone, in the pose that was found. */
#ifndef EXPERIMENTS_SPIN_H
#define EXPERIMENTS_SPIN_H

#include <recon/backbone/gcn.h>
#include "backbone/gcn_graphs.h"

/* What a model says of n conformers, each rotated about its middle: logarithms of probabilities. The
 * same conformer and rotate must always get the same numbers. */
typedef recon_status recon_spin_judge(recon_ctx *ctx, void *user, float *log_p /* [n][classes] */,
                                      const int64_t *conformer /* [n] */,
                                      const recon_so3 *rotations /* [n] */, size_t n);

/* Our own classifier as such a model; user is a recon_spin_gcn. */
typedef struct {
    const recon_gcn *gcn;
    const recon_gcn_graphs *graphs;
} recon_spin_gcn;
recon_status recon_spin_by_gcn(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                               const recon_so3 *rotations, size_t n);

/* n queries and their neighbours. C(x_j) is conformer j rotated by lambda psi_j^-1. */
typedef struct {
    size_t n, k;
    const int64_t *neighbors; /* [n][k] conformers, by the judge's numbers   */
    const recon_so3 *psi;     /* [conformers] their poses                    */
    size_t conformers;
    const recon_so3 *lambda; /* [n] natural pose of each query               */
    const double *axis;      /* [n][3] the free axis, in the world: not 0    */
} recon_spin_classes;

typedef enum {
    RECON_SPIN_REFINE_ALL = 0, /* about the axis and, by small tilts, about the two across it */
    RECON_SPIN_REFINE_SPIN,    /* about the axis                                              */
    RECON_SPIN_REFINE_NONE
} recon_spin_refine;

/* Zero in any field means its default. */
typedef struct {
    size_t steps; /* of the circle, 0: 36; 1024 at most. A tie goes to the first, from 0 on  */
    double floor; /* 0: -7                                                                    */
    recon_spin_refine refine; /* by up to 12, 6 and 3 degrees, where that is strictly better  */
} recon_spin_options;

typedef struct {
    recon_so3 rotation; /* what was chosen: a spin, and small tilts behind it                   */
    recon_so3 lambda; /* rotation lambda: the natural pose to canonicalize with                   */
    double score;     /* the largest sum over neighbours, k floor .. 0                        */
} recon_spin;

/* The judge is asked no more than it takes to be sure: logarithms of probabilities are not above 0,
 * so the sum over some neighbours bounds the sum over all, and most spins are out after two or
 * three. passes, which may be NULL, says how often it was. RECON_ERR_INPUT for no neighbours, for
 * conformers that are none, axes and poses that are not finite, and for a judge's numbers that are
 * NaN. options may be NULL. */
recon_status recon_spin_choose(recon_ctx *ctx, recon_spin *out /* [n] */, uint64_t *passes,
                               const recon_spin_classes *classes, recon_spin_judge *judge,
                               void *user, size_t labels /* of the judge */,
                               const recon_spin_options *options);

#endif
