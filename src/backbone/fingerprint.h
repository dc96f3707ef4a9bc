/* fingerprint.h - tells networks of one shape apart, for runs that are resumed or repeated. What tells
 * data apart is data/identity.h. */
#ifndef BACKBONE_FINGERPRINT_H
#define BACKBONE_FINGERPRINT_H

#include <recon/nn/params.h>

/* Of all weights and buffers, as floats. */
recon_status recon_fingerprint_weights(recon_ctx *ctx, uint32_t *out, const recon_params *params);

#endif
