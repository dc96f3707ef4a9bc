/* mean.h (private) - means of many sets of poses at once. */
#ifndef GROUP_MEAN_H
#define GROUP_MEAN_H

#include <recon/group/mean.h>

/* RECON_ERR_INPUT if the reserved tail is not zero or the kind of mean is unknown. */
recon_status recon_mean_options_check(recon_ctx *ctx, const recon_mean_options *options);

const char *recon_mean_name(recon_mean_kind kind); /* "auto", "tukey" ... */

/* recon_so2_mean of many sets of k angles each, stored one after the other, on all threads. */
recon_status recon_so2_mean_batch(recon_ctx *ctx, recon_so2_center *out /* [sets] */,
                                  const double *angles /* [sets][k] */, size_t sets, size_t k,
                                  const recon_mean_options *options);

/* The same for rotations; set i is samples[i * k .. i * k + k). */
recon_status recon_so3_mean_batch(recon_ctx *ctx, recon_so3_center *out /* [sets] */,
                                  const recon_so3 *samples /* [sets * k] */, size_t sets, size_t k,
                                  const recon_mean_options *options);

/* Returns the number of directions in which n samples do not determine their mean, by tests at the
 * level 0.001 on the singular values: 0, the mean is determined; 1, only an axis is (a ring); 2,
 * they only avoid one rotation; 3, nothing is. Few samples determine nothing. */
int recon_so3_free_directions(const double singular[3], double n);

#endif
