/* se2.h - rigid motions of the plane: x goes to R x + t. */
#ifndef RECON_GROUP_SE2_H
#define RECON_GROUP_SE2_H

#include <stddef.h>
#include <recon/group/so2.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double angle; /* of R, as in so2.h */
    double t[2];
} recon_se2; /* a value: copy freely */

RECON_API recon_se2 recon_se2_identity(void);                                /* no motion */
RECON_API recon_se2 recon_se2_compose(recon_se2 a, recon_se2 b);             /* a after b */
RECON_API recon_se2 recon_se2_inverse(recon_se2 a);                          /* the same way back */
RECON_API void recon_se2_act(double out[2], recon_se2 a, const double x[2]); /* out may be x */

/* One motion on n points. out may be x. */
RECON_API void recon_se2_act_n(double *out /* [n][2] */, recon_se2 a, const double *x /* [n][2] */,
                               size_t n);

/* The same for n motions. out may be one of the inputs. */
RECON_API void recon_se2_compose_n(recon_se2 *out, const recon_se2 *a, const recon_se2 *b,
                                   size_t n);
RECON_API void recon_se2_inverse_n(recon_se2 *out, const recon_se2 *a, size_t n);

#ifdef __cplusplus
}
#endif
#endif
