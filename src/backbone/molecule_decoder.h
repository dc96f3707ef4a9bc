/* molecule_decoder.h - latents to canonical molecules. */
#ifndef BACKBONE_MOLECULE_DECODER_H
#define BACKBONE_MOLECULE_DECODER_H

#include <recon/backbone/networks.h>
#include <recon/nn/layers.h>

enum { RECON_MOLECULE_BLOCKS = 3 };

typedef struct {
    recon_linear first, block[RECON_MOLECULE_BLOCKS][2];
} recon_molecule_trunk;

typedef struct {
    size_t slots, elements;
    int split; /* two trunks, one for places and one for elements (the paper's) */
    recon_molecule_trunk
        trunk[2]; /* else only the first is there                                  */
    recon_linear places, scores;
} recon_molecule_decoder;

recon_status recon_molecule_decoder_add(recon_ctx *ctx, recon_molecule_decoder *out,
                                        recon_params *params, const char *name,
                                        const recon_molecule_net_shape *shape);

/* latent [n][latent], float; *places [n][slots][3] and *scores [n * slots][elements], float. */
void recon_molecule_decoder_apply(recon_tape *tape, const recon_molecule_decoder *decoder,
                                  recon_var latent, recon_var *places, recon_var *scores);

#endif
