/* so2_mean.h - the centre of a set of angles, and how well it is defined.
 *
 * By default the Tukey mean, which follows the verdict: with one mode it is the Frechet mean
 * exactly, however broad the mode; with several it sits on the heaviest, and where the sample
 * cannot tell which that is, on the one nearest the identity, so that the same mode is found every
 * time. Where the modes are m evenly spaced ones they are located together, on the m-fold circle.
 * docs/statistics.md describes the tests. Rotating all angles rotates the result, to rounding (with
 * several equal modes it may choose another of them). */
#ifndef RECON_STATS_SO2_MEAN_H
#define RECON_STATS_SO2_MEAN_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <recon/stats/mean.h>
#include <recon/stats/natural.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double at;     /* (-pi, pi]                                     */
    double weight; /* the share of the angles; those of a set sum to 1 */
} recon_so2_mode;

typedef struct {
    double mean;      /* (-pi, pi]                                                            */
    double moment[4]; /* |E exp(i m theta)| for m = 1..4: a pose known only modulo 180 degrees
                         has a small first and a large second one                             */
    double tukey_c;   /* the c that was used; 0 when the mean is the Frechet or chordal one    */
    recon_natural natural; /* the verdict                                                      */
    int fold;              /* m: known modulo 360/m degrees; 1: one or several poses; 0: unknown */
    int modes; /* 1 .. RECON_MODES_MAX; more than one where natural is several or modulo */
    recon_so2_mode mode[RECON_MODES_MAX]; /* heaviest first, then nearest the identity        */
} recon_so2_center;

/* options may be NULL. n = 0 and angles that are not finite are RECON_ERR_INPUT; any finite angle
 * will do, it need not lie in (-pi, pi]. Where two points minimise the Frechet loss equally (1e-9
 * relative), the one nearest the identity is taken. */
RECON_API recon_status recon_so2_mean(recon_ctx *ctx, recon_so2_center *out,
                                      const double *angles /* [n] */, size_t n,
                                      const recon_mean_options *options);

/* The same for many sets of k angles each, one behind the other, on all threads. */
RECON_API recon_status recon_so2_mean_batch(recon_ctx *ctx, recon_so2_center *out /* [sets] */,
                                            const double *angles /* [sets][k] */, size_t sets,
                                            size_t k, const recon_mean_options *options);

#ifdef __cplusplus
}
#endif
#endif
