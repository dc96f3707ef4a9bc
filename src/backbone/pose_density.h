/* pose_density.h (private) - q(g | x): how likely each rotation g is to have made x of a natural input.
 *
 * The head reads the fields v(x) that a steerable encoder leaves of an image. A small network f,
 * the same for all rotations, looks at them as they would be had x been rotated back by g:
 *
 *     q(g | x) = exp f(rho(g^-1) v(x)) / sum over the bins h of exp f(rho(h^-1) v(x)).
 *
 * So q(h g | rho(h) x) = q(g | x) by construction, whatever f has learned, and a density may have
 * any shape. It is trained on images that were rotated by known angles, by likelihood. */
#ifndef BACKBONE_POSE_DENSITY_H
#define BACKBONE_POSE_DENSITY_H

#include <recon/backbone/embedded.h>
#include <recon/nn/fields.h>
#include <recon/nn/layers.h>

typedef struct {
    recon_fields fields;
    recon_param
        *rotations; /* [bins * channels][channels]: rho(g^-1) of every bin's g; not written */
    recon_mlp mlp;
} recon_pose_density;

/* Parameters "NAME.0.weight" and so on. */
recon_status recon_pose_density_add(recon_ctx *ctx, recon_pose_density *out, recon_params *params,
                                    const char *name, const recon_fields *fields);

/* v n x channels, float; n x RECON_POSE_BINS logits. */
recon_var recon_pose_density_apply(recon_tape *tape, const recon_pose_density *head, recon_var v);

/* The bin of an angle, 0 .. RECON_POSE_BINS - 1: the nearest. */
int32_t recon_pose_bin(double angle);

/* The centre of q, from log q [RECON_POSE_BINS] (group/so2/mean.h): the rotation that made x of an
 * input in its natural pose. */
double recon_pose_centre(const float *log_q);

/* n rows of logits to log-densities per radian. */
void recon_pose_densities(float *out, const double *logits, size_t n);

#endif
