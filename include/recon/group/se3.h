/* se3.h - rigid motions of three-space: x goes to R x + t. */
#ifndef RECON_GROUP_SE3_H
#define RECON_GROUP_SE3_H

#include <stddef.h>
#include <recon/group/so3.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    recon_so3 r;
    double t[3];
} recon_se3; /* a value: copy freely */

RECON_API recon_se3 recon_se3_identity(void);                                /* no motion */
RECON_API recon_se3 recon_se3_compose(recon_se3 a, recon_se3 b);             /* a after b */
RECON_API recon_se3 recon_se3_inverse(recon_se3 a);                          /* the same way back */
RECON_API void recon_se3_act(double out[3], recon_se3 a, const double x[3]); /* out may be x */

/* The rotation r about a place. */
RECON_API recon_se3 recon_se3_about(recon_so3 r, const double center[3]);

/* One motion on n points. out may be x. */
RECON_API void recon_se3_act_n(double *out /* [n][3] */, recon_se3 a, const double *x /* [n][3] */,
                               size_t n);

#ifdef __cplusplus
}
#endif
#endif
