/* equivariance.h - measures how equivariant an encoder is.
 *
 * psi(R x) and the centre should be those of x rotated by R, and z should not change. On a grid of
 * pixels this does not hold exactly, since a rotation resamples the image (bilinear).
 *
 * An image x that was never resampled is sharper than R x, so the two differ in more than their
 * pose: for an encoder trained on MNIST the median error of the pose is then 1.4 degrees and z
 * changes by 0.42, against 0.9 degrees and 0.13 between two rotated copies. So two copies R_a x and
 * R_b x are always compared: each was resampled once, like the views in training, and the
 * difference is the rotation by b - a. Pass images that were not rotated before. Angles are
 * radians. */
#ifndef BACKBONE_EQUIVARIANCE_H
#define BACKBONE_EQUIVARIANCE_H

#include <recon/backbone/networks.h>
#include <recon/nn/fields.h>
#include "backbone/ieae.h"

typedef struct {
    size_t n;
    double pose_median, pose_p95, pose_max; /* |psi(R_b x) - psi(R_a x) - (b - a)|, in [0, pi] */
    double centre_median, centre_p95, centre_max; /* the same of the centre of q; NaN without */
    double code_median, code_p95, code_max;       /* |z(R_b x) - z(R_a x)| / |z(R_a x)| */
} recon_equivariance;

/* Computes the errors of n images from their codes z [n][d], poses psi [n] and centres of q [n]
 * before and after each was rotated by its angle [n]. centre NULL on either side: there is none. n
 * = 0, a code of length 0 and values that are not finite are RECON_ERR_INPUT. */
typedef struct {
    const float *z;
    const double *psi, *centre;
} recon_codes;
recon_status recon_equivariance_compare(recon_ctx *ctx, recon_equivariance *out,
                                        const recon_codes *before, const recon_codes *after,
                                        const double *angles /* [n] */, size_t n, size_t d);

/* Compares every image of data at two random angles, uniform and independent, determined by
 * seed. */
recon_status recon_equivariance_random(recon_ctx *ctx, recon_equivariance *out,
                                       const recon_ieae *model, const recon_dataset *data,
                                       uint64_t seed);

/* Measures the error for each of the angles: every image is rotated by a random angle, and further
 * by the given one. For square images quarter turns are exact up to rounding. */
recon_status recon_equivariance_sweep(recon_ctx *ctx, recon_equivariance *out /* [count] */,
                                      const recon_ieae *model, const recon_dataset *data,
                                      const double *angles, size_t count, uint64_t seed);

/* The equivariance of the fields F after a layer: the error is the difference between F(R_b x) and
 * F(R_a x) rotated as a picture of fields, that is resampled (bicubic) with each pair of frequency
 * m rotated by m times the angle. The floor is the error of such a rotation alone: F(R_a x) rotated
 * by the angle and back, compared with itself; smaller errors cannot be measured. Both are relative
 * (roots of sums of squares over the disc that no rotation leaves), and medians over the images. */
typedef struct {
    recon_fields fields;
    size_t height, width;
    double error, floor;
} recon_layer_equivariance;

/* The number of layers, including the input. */
size_t recon_equivariance_depth(const recon_ieae *model);
/* Measures all layers on the copies of recon_equivariance_sweep. */
recon_status recon_equivariance_layers(recon_ctx *ctx,
                                       recon_layer_equivariance *out /* [count][depth] */,
                                       const recon_ieae *model, const recon_dataset *data,
                                       const double *angles, size_t count, uint64_t seed);

/* |b - a| / |a|, in double: the difference of codes that hardly change. */
double recon_relative_change(const float *a, const float *b, size_t d);

#endif
