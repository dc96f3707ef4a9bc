/* symmetry.h - the finite groups that recon_so3_symmetry names. */
#ifndef GROUP_SO3_SYMMETRY_H
#define GROUP_SO3_SYMMETRY_H

#include <recon/group/so3.h>

enum { RECON_POINT_GROUP_MOST = 60 };

/* Lists the elements of the group with this recon_symmetry_code, the identity first. Returns how many,
 * or 0 for another code. */
int recon_so3_point_group(recon_so3 element[RECON_POINT_GROUP_MOST], int code);

#endif
