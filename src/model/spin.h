/* spin.h (private) - the search for the spin, for given classes; see recon/model/spin.h. */
#ifndef MODEL_SPIN_H
#define MODEL_SPIN_H

#include <recon/backbone/gcn.h>
#include <recon/model/spin.h>
#include "backbone/gcn_graphs.h"

/* recon's own classifier as a judge; user is a recon_spin_gcn. */
typedef struct {
    const recon_gcn *gcn;
    const recon_gcn_graphs *graphs;
} recon_spin_gcn;
recon_status recon_spin_by_gcn(recon_ctx *ctx, void *user, float *log_p, const int64_t *conformer,
                               const recon_so3 *rotations, size_t n);

/* n queries and their neighbours. C(x_j) is conformer j rotated by lambda psi_j^-1. */
typedef struct {
    size_t n, k;
    const int64_t *neighbors; /* [n][k] conformers, by the judge's numbers */
    const recon_so3 *psi;     /* [conformers] their poses */
    size_t conformers;
    const recon_so3 *lambda; /* [n] natural pose of each query */
    const double *axis;      /* [n][3] the free axis, in the world: not 0 */
} recon_spin_classes;

typedef struct {
    recon_so3 rotation; /* what was chosen: a spin, and small tilts behind it */
    recon_so3 lambda;   /* rotation lambda: the natural pose to canonicalize with */
    double score;       /* the largest sum over neighbours, k floor .. 0 */
} recon_spin;

recon_status recon_spin_options_check(recon_ctx *ctx, const recon_spin_options *options);

/* Chooses the spins. The judge is called only as often as necessary: log-probabilities are at most
 * 0, so the sum over some neighbours bounds the sum over all, and most spins are excluded after two
 * or three. *passes (may be NULL) receives the number of its evaluations. RECON_ERR_INPUT for no
 * neighbours, invalid conformers, axes and poses that are not finite, and for a judge that returns
 * NaN. options may be NULL; their k is not used. */
recon_status recon_spin_choose(recon_ctx *ctx, recon_spin *out /* [n] */, uint64_t *passes,
                               const recon_spin_classes *classes, recon_spin_judge *judge,
                               void *user, size_t labels /* of the judge */,
                               const recon_spin_options *options);

#endif
