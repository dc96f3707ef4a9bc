/* so3.h (private) - more operations on rotations of space. */
#ifndef GROUP_SO3_SO3_H
#define GROUP_SO3_SO3_H

#include <recon/group/so3.h>

/* q / |q| with w >= 0; q must not be 0. */
recon_so3 recon_so3_normalize(recon_so3 q);

/* recon_so3_act on n vectors. out may be v. */
void recon_so3_act_n(double *out /* [n][3] */, recon_so3 a, const double *v /* [n][3] */, size_t n);

#endif
