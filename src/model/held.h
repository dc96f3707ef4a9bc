/* held.h (private) - decisions by held-out inputs: the codes of a model, the frame of the laws, and
 * the source of Lambda. These inputs are rotated at random if their kind allows it, since an
 * embedding may depend on the pose, which unrotated inputs do not show. */
#ifndef MODEL_HELD_H
#define MODEL_HELD_H

#include <recon/model/trust.h>
#include "model/model.h"

typedef struct {
    const recon_data *data;
    const recon_embedded *points; /* of all of the data */
    const int64_t *cluster;       /* [points] */
    size_t clusters;
    size_t k;
    const int64_t *neighbors; /* [points][k] */
    recon_lambda asked;
} recon_held_job;

/* model has backbone and maps, with those held out, k and mean; codes and maps->lambda are put into
 * it. */
recon_status recon_held_decide(recon_ctx *ctx, recon_lambda_choice *out, recon_model *model,
                               const recon_held_job *job);

/* What makes p-values: the laws, each calibrated by all of its members. Networks are surer than they should be of
 * inputs that have no natural pose: they remember those that they have seen. */
recon_status recon_held_calibrate(recon_ctx *ctx, recon_model *model, const recon_held_job *job);

/* *out: psi of all points, less the natural pose that the density says; to be freed. NULL where nothing is said. */
recon_status recon_held_upright(recon_ctx *ctx, double **out, const recon_embedded *points,
                                const recon_maps_kind *kind);

#endif
