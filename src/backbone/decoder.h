/* decoder.h - codes to canonical images. */
#ifndef BACKBONE_DECODER_H
#define BACKBONE_DECODER_H

#include <recon/backbone/networks.h>
#include <recon/nn/layers.h>

enum { RECON_DECODER_LAYERS = 6 };

typedef struct {
    recon_preset preset;
    size_t height, width;
    recon_linear widen; /* not in the paper's */
    recon_conv conv[RECON_DECODER_LAYERS];
    recon_norm norm[RECON_DECODER_LAYERS];
} recon_decoder;

recon_status recon_decoder_add(recon_ctx *ctx, recon_decoder *out, recon_params *params,
                               const char *name, const recon_ieae_shape *shape);

/* code n x code, float; images n x height x width x channels in (0, 1), float. */
recon_var recon_decoder_apply(recon_tape *tape, const recon_decoder *decoder, recon_var code);

#endif
