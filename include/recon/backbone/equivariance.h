/* equivariance.h - how truly an encoder turns with its input.
 *
 * psi(R x) should be psi(x) turned by R, and z should not change. On a grid of pixels neither holds
 * exactly: the image is resampled once (bilinear), and the network sees another picture. Angles are
 * radians. */
#ifndef RECON_BACKBONE_EQUIVARIANCE_H
#define RECON_BACKBONE_EQUIVARIANCE_H

#include <recon/backbone/ieae.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    size_t n;
    double pose_median, pose_p95, pose_max; /* |psi(R x) - psi(x) - angle|, in [0, pi] */
    double code_median, code_p95, code_max; /* |z(R x) - z(x)| / |z(x)|                */
} recon_equivariance;

/* The errors of n images whose codes z [n][d] and poses psi [n] are known before and after each was
 * turned by its angle [n]. n = 0, a code of length 0 and what is not finite are RECON_ERR_INPUT. */
typedef struct {
    const float *z;
    const double *psi;
} recon_codes;
RECON_API recon_status recon_equivariance_compare(recon_ctx *ctx, recon_equivariance *out,
                                                  const recon_codes *before,
                                                  const recon_codes *after,
                                                  const double *angles /* [n] */, size_t n,
                                                  size_t d);

/* Every image of data turned by an angle of its own, uniform on the circle, that seed decides. */
RECON_API recon_status recon_equivariance_random(recon_ctx *ctx, recon_equivariance *out,
                                                 const recon_ieae *model, const recon_dataset *data,
                                                 uint64_t seed);

/* Every image of data turned by each of the angles: the error against the angle. */
RECON_API recon_status recon_equivariance_sweep(recon_ctx *ctx,
                                                recon_equivariance *out /* [count] */,
                                                const recon_ieae *model, const recon_dataset *data,
                                                const double *angles, size_t count);

#ifdef __cplusplus
}
#endif
#endif
