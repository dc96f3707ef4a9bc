/* se3.h - rigid motions of space, x -> R x + t. */
#ifndef GROUP_SE3_H
#define GROUP_SE3_H

#include <stddef.h>
#include <recon/group/so3.h>

typedef struct {
    recon_so3 r;
    double t[3];
} recon_se3; /* a value: copy freely */

void recon_se3_act(double out[3], recon_se3 a, const double x[3]); /* out may be x */

/* The rotation r about a point. */
recon_se3 recon_se3_about(recon_so3 r, const double center[3]);

/* Applies a motion to n points. out may be x. */
void recon_se3_act_n(double *out /* [n][3] */, recon_se3 a, const double *x /* [n][3] */, size_t n);

#endif
