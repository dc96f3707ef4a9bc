/* so3_mean.h - the centre of a set of rotations, and how much of it the data determine.
 *
 * Three means (see mean.h): chordal, the rotation nearest to the mean matrix; Frechet, which
 * minimises the mean squared angle; Tukey, which does so with a bounded loss and therefore stays on
 * a mode. The default Tukey mean follows the verdict: with one mode, however broad, it is the
 * Frechet mean of the samples that belong to it, by the robust fit of fisher_fit.h; with several it
 * lies on the heaviest, and c is half their spacing.
 *
 * All are equivariant: the mean of a g_i b is a (mean of g_i) b to rounding. Only where losses tie
 * does the answer depend on the frame: the tie goes to the candidate nearest the identity. */
#ifndef RECON_STATS_SO3_MEAN_H
#define RECON_STATS_SO3_MEAN_H

#include <recon/group/so3.h>
#include <recon/stats/fisher_fit.h>
#include <recon/stats/mean.h>
#include <recon/stats/natural.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    recon_so3 mean;
    double singular[3]; /* of the mean rotation: falling, the last with its sign; 1, 1, 1 for copies
                           of one rotation, one large and two small for a ring, 0, 0, 0 for all of
                           SO(3) */
    double axis_body[3]; /* the best determined direction: every sample takes axis_body close to  */
    double axis_world[3]; /* axis_world, whatever it does about them */
    double tukey_c; /* the c in use; 0 where the mean is not a Tukey mean                     */
    size_t count;   /* samples                                                                */
    recon_natural natural; /* the verdict                                                      */
    recon_fisher_fit fit;  /* the robust one                                                   */
    int modes; /* more than 1 where natural is several; by falling weight                */
    struct {
        recon_so3 at;
        double weight; /* share of the samples for which it is the nearest mode */
    } mode[RECON_MODES_MAX];
} recon_so3_center;

/* RECON_ERR_INPUT for n = 0 and for samples that are not unit quaternions. options may be NULL. */
RECON_API recon_status recon_so3_mean(recon_ctx *ctx, recon_so3_center *out,
                                      const recon_so3 *samples, size_t n,
                                      const recon_mean_options *options);

/* Set i is samples[i * k .. i * k + k). Does not depend on the number of threads. */
RECON_API recon_status recon_so3_mean_batch(recon_ctx *ctx, recon_so3_center *out /* [sets] */,
                                            const recon_so3 *samples /* [sets * k] */, size_t sets,
                                            size_t k, const recon_mean_options *options);

/* Chordal means and singular values alone, without modes: a hundred times as fast. */
RECON_API recon_status recon_so3_chordal_batch(recon_ctx *ctx, recon_so3 *mean /* [sets] */,
                                               double *singular /* [sets][3] or NULL */,
                                               const recon_so3 *samples /* [sets * k] */,
                                               size_t sets, size_t k);

/* How many directions the mean may be rotated in without the data objecting, by tests at the
 * level 0.001 on the singular values of n samples: 0, the mean is determined; 1, only an axis (a
 * ring); 2, only that one rotation is to be avoided; 3, nothing. Few samples determine nothing. */
RECON_API int recon_so3_free_directions(const double singular[3], double n);

#ifdef __cplusplus
}
#endif
#endif
