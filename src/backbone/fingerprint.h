/* fingerprint.h - tells data sets of one size and networks of one shape apart, for runs that are
 * resumed or repeated. */
#ifndef BACKBONE_FINGERPRINT_H
#define BACKBONE_FINGERPRINT_H

#include <recon/data/dataset.h>
#include <recon/data/molecules.h>
#include <recon/nn/params.h>

/* Of the first image and its label. */
recon_status recon_fingerprint(recon_ctx *ctx, uint32_t *out, const recon_dataset *data);

/* Of the first conformer: its elements and places. */
uint32_t recon_fingerprint_molecules(const recon_molecules *data);

/* Of all weights and buffers, as floats. */
recon_status recon_fingerprint_weights(recon_ctx *ctx, uint32_t *out, const recon_params *params);

#endif
