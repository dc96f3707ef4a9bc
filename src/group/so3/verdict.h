/* verdict.h - the modes of a set of rotations, and the verdict on their natural pose. */
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

/* Logarithms of the kernels' normalising constants, computed once for many sets. */
typedef struct {
    double log_norm[RECON_KERNELS];
} recon_so3_kernels;

void recon_so3_kernels_make(recon_so3_kernels *out);

/* Finds the modes of samples with the robust fit `robust`: at most RECON_MODES_MAX, heaviest first.
 * If there is no evidence of more than one, *modes is 1 and at[0] is not set. */
recon_status recon_so3_modes(recon_ctx *ctx, int *modes, recon_so3 at[RECON_MODES_MAX],
                             const recon_so3 *samples, size_t n, const recon_so3_kernels *kernels,
                             const recon_fisher_fit *robust, recon_arena *arena);

/* --- The verdict, a test with known error rates: docs/notebook/statistics-so3.md explains the
 * tests and tabulates how often each verdict is given. */

/* Rotations [n] with the singular values of their mean and their robust fit. */
typedef struct {
    const recon_so3 *g;
    size_t n;
    const double *singular; /* [3] of their mean */
    const recon_fisher_robust *fit;
} recon_so3_evidence;

typedef struct {
    recon_natural natural; /* one, several, an axis, none or unsure */
    int modes;             /* more than one if the verdict is several */
    recon_so3 at[RECON_MODES_MAX];
} recon_so3_verdict;

/* Judges a set. out has the modes from so3/modes.c; with one, the spin may have several. */
recon_status recon_so3_judge(recon_ctx *ctx, recon_so3_verdict *out, const recon_so3_evidence *e,
                             recon_arena *arena);

/* Returns whether n rotations with these singular values of their mean are not uniform: Bingham's
 * statistic with critical values for small n. */
int recon_so3_uneven(const double singular[3], double n);

/* Returns how concentrated n rotations are about the least determined axis, as the length R of the
 * mean of n directions; and whether R is significant. */
double recon_so3_spin(const double singular[3]);
int recon_so3_spin_known(const double singular[3], double n);

/* Nats that a ring gains over an isotropic distribution for n rotations with these values. */
double recon_so3_ring_gain(const double singular[3], double n);

#endif
