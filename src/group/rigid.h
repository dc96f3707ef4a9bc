/* rigid.h - SE(2) and SE(3), x -> R x + t, as groups of poses. */
#ifndef GROUP_RIGID_H
#define GROUP_RIGID_H

#include "group/group.h"

extern const recon_group recon_group_se2; /* angle x y */
extern const recon_group recon_group_se3; /* w x y z of the rotation, then its shift */

/* The mean without a verdict. Chordal: the chordal mean of the rotations, with the mean of the shifts as seen
 * from the body. Otherwise the group mean, sum of log(g mean^-1) = 0 (Pennec and Arsigny): the Frechet mean of
 * the rotations, and one linear solve. Both follow a translation on the right. */
recon_status recon_rigid_mean(recon_ctx *ctx, const recon_group *self, double *out,
                              const double *poses, size_t n, recon_mean_kind kind);

#endif
