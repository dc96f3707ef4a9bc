/* ends.h (private) - tells the ends of objects apart: a law with two opposite poses is one pose
 * modulo a half turn if the objects look the same both ways, else several. Each picture is compared
 * with the mean of the others, as it is, rotated by a half turn, and halfway in between. */
#ifndef MODEL_ENDS_H
#define MODEL_ENDS_H

#include <recon/backbone/backbone.h>
#include "model/laws.h"

typedef struct {
    const recon_backbone *backbone;
    const recon_data *data;
    const double
        *poses[RECON_LAWS_OF_DENSITY + 1]; /* [n] each: those that laws in a frame are of */
    const int64_t *cluster;                /* [n] */
    size_t n;
} recon_ends_job;

/* Verdict and fold of laws with evenly spaced modes. Of images. */
recon_status recon_ends_tell(recon_ctx *ctx, recon_laws *laws, const recon_ends_job *job);

#endif
