/* equivariance.h - how equivariant an encoder is.
 *
 * psi(R x) should be psi(x) rotated by R, and so the centre; z should not change. On a grid of pixels
 * neither holds exactly: a rotation resamples the image (bilinear), and the network sees another
 * picture.
 *
 * An image x that was never resampled is sharper than R x, so the two differ in more than their
 * pose: for an encoder trained on MNIST the pose is then off by 1.4 degrees in the median and z
 * changes by 0.42, against 0.9 degrees and 0.13 between two rotated copies. What is compared here is
 * therefore always a pair of copies, R_a x and R_b x: each went through one resampling, as the
 * views did that the network learnt from, and what is left is the rotation by b - a. Give images as
 * they came, not rotated before. Angles are radians. */
#ifndef BACKBONE_EQUIVARIANCE_H
#define BACKBONE_EQUIVARIANCE_H

#include <recon/backbone/networks.h>
#include <recon/nn/fields.h>
#include "backbone/ieae.h"

typedef struct {
    size_t n;
    double pose_median, pose_p95, pose_max; /* |psi(R_b x) - psi(R_a x) - (b - a)|, in [0, pi] */
    double centre_median, centre_p95, centre_max; /* the same of the centre of q; NaN without */
    double code_median, code_p95, code_max; /* |z(R_b x) - z(R_a x)| / |z(R_a x)|              */
} recon_equivariance;

/* The errors of n images whose codes z [n][d], poses psi [n] and centres of q [n] are known before and
 * after each was rotated by its angle [n]. centre NULL on either side: there is none. n = 0, a code of
 * length 0 and what is not finite are RECON_ERR_INPUT. */
typedef struct {
    const float *z;
    const double *psi, *centre;
} recon_codes;
recon_status recon_equivariance_compare(recon_ctx *ctx, recon_equivariance *out,
                                        const recon_codes *before, const recon_codes *after,
                                        const double *angles /* [n] */, size_t n, size_t d);

/* Every image of data at two angles of its own, uniform and independent, that seed decides. */
recon_status recon_equivariance_random(recon_ctx *ctx, recon_equivariance *out,
                                       const recon_ieae *model, const recon_dataset *data,
                                       uint64_t seed);

/* The error against the angle: every image at an angle of its own, uniform, and rotated further from
 * there by each of the angles. Right angles are exact up to rounding, for square images. */
recon_status recon_equivariance_sweep(recon_ctx *ctx, recon_equivariance *out /* [count] */,
                                      const recon_ieae *model, const recon_dataset *data,
                                      const double *angles, size_t count, uint64_t seed);

/* The fields F behind a layer: how far F(R_b x) is from F(R_a x) rotated as a picture of fields,
 * that is resampled (bicubic), and each pair of frequency m rotated by m times the angle. Both
 * numbers are relative (roots of sums of squares over the disc that no rotation leaves), medians over
 * the images.
 *
 * The floor is what such a rotation costs without any network in between: F(R_a x) rotated by the angle
 * and back again, against itself. No error much below it can be told from none. */
typedef struct {
    recon_fields fields;
    size_t height, width;
    double error, floor;
} recon_layer_equivariance;

/* The picture as the network gets it, and behind every layer. */
size_t recon_equivariance_depth(const recon_ieae *model);
/* The copies are those of recon_equivariance_sweep. */
recon_status recon_equivariance_layers(recon_ctx *ctx,
                                       recon_layer_equivariance *out /* [count][depth] */,
                                       const recon_ieae *model, const recon_dataset *data,
                                       const double *angles, size_t count, uint64_t seed);

/* |b - a| / |a|, in double: the difference of codes that hardly change. */
double recon_relative_change(const float *a, const float *b, size_t d);

#endif
