/* verdict.h - what a set of rotations says: its modes, and a verdict on its natural pose. */
#ifndef GROUP_SO3_VERDICT_H
#define GROUP_SO3_VERDICT_H

#include <recon/group/matrix_fisher.h>
#include <recon/group/so3.h>
#include <recon/group/mean.h>
#include "group/so3/frame.h"
#include "core/arena.h"
#include "group/so3/fisher_fit.h"

/* --- One broad mode or several? */

#define RECON_KERNELS 10

/* log of the kernels' normalising constants, made once for many sets. */
typedef struct {
    double log_norm[RECON_KERNELS];
} recon_so3_kernels;

void recon_so3_kernels_make(recon_so3_kernels *out);

/* The modes of the samples, of which robust is the robust fit; at most RECON_MODES_MAX, heaviest
 * first; *modes = 1 and at[0] not set where there is no reason to see more than one. */
recon_status recon_so3_modes(recon_ctx *ctx, int *modes, recon_so3 at[RECON_MODES_MAX],
                             const recon_so3 *samples, size_t n, const recon_so3_kernels *kernels,
                             const recon_fisher_fit *robust, recon_arena *arena);

/* --- What a set of rotations says about a natural pose: a test with stated error
 * rates.
 *
 * docs/notebook/statistics-so3.md explains the tests and tabulates how often each verdict is given. */

/* Rotations [n] with the singular values of their mean and their robust fit. */
typedef struct {
    const recon_so3 *g;
    size_t n;
    const double *singular; /* [3] of the mean of all */
    const recon_fisher_robust *fit;
} recon_so3_evidence;

typedef struct {
    recon_natural natural; /* one, several, an axis, none or unsure */
    int modes;             /* more than one where there are several */
    recon_so3 at[RECON_MODES_MAX];
} recon_so3_verdict;

/* out has the modes that so3/modes.c found; where it found one, the spin may have several. */
recon_status recon_so3_judge(recon_ctx *ctx, recon_so3_verdict *out, const recon_so3_evidence *e,
                             recon_arena *arena);

/* Whether the mean of n rotations with these singular values differs from that of rotations spread
 * evenly over the group: Bingham's statistic with critical values for small n. */
int recon_so3_uneven(const double singular[3], double n);

/* How closely n rotations keep to their mode about the loosest axis, as the mean length R of n
 * directions, and whether R is more than chance. */
double recon_so3_spin(const double singular[3]);
int recon_so3_spin_known(const double singular[3], double n);

/* Nats that a ring gains over an isotropic distribution, of n rotations with these values. */
double recon_so3_ring_gain(const double singular[3], double n);

#endif
