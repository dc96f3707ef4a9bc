/* mean.h (private) - means of many sets at once, and what every mean asks of its options. */
#ifndef GROUP_MEAN_H
#define GROUP_MEAN_H

#include <recon/group/mean.h>

/* RECON_ERR_INPUT for a tail that is not zero and for a kind of mean that there is not. */
recon_status recon_mean_options_check(recon_ctx *ctx, const recon_mean_options *options);

const char *recon_mean_name(recon_mean_kind kind); /* "auto", "tukey" ... */

/* recon_so2_mean of many sets of k angles each, one behind the other, on all threads. */
recon_status recon_so2_mean_batch(recon_ctx *ctx, recon_so2_center *out /* [sets] */,
                                  const double *angles /* [sets][k] */, size_t sets, size_t k,
                                  const recon_mean_options *options);

/* recon_so3_mean of many sets: set i is samples[i * k .. i * k + k). Does not depend on the number of threads. */
recon_status recon_so3_mean_batch(recon_ctx *ctx, recon_so3_center *out /* [sets] */,
                                  const recon_so3 *samples /* [sets * k] */, size_t sets, size_t k,
                                  const recon_mean_options *options);

/* Chordal means and singular values alone, without modes: a hundred times as fast. */
recon_status recon_so3_chordal_batch(recon_ctx *ctx, recon_so3 *mean /* [sets] */,
                                     double *singular /* [sets][3] or NULL */,
                                     const recon_so3 *samples /* [sets * k] */, size_t sets,
                                     size_t k);

/* How many directions the mean may be rotated in without the data objecting, by tests at the
 * level 0.001 on the singular values of n samples: 0, the mean is determined; 1, only an axis (a
 * ring); 2, only that one rotation is to be avoided; 3, nothing. Few samples determine nothing. */
int recon_so3_free_directions(const double singular[3], double n);

#endif
