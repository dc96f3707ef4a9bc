/* molnet.h (private) - the parts of the model, and what it does on a tape. */
#ifndef BACKBONE_MOLNET_H
#define BACKBONE_MOLNET_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/molnet.h>
#include "backbone/mol_decoder.h"
#include "backbone/mol_encoder.h"
#include "backbone/mol_frame.h"

struct recon_molnet {
    recon_backbone base; /* first: a pointer to the one is a pointer to the other */
    recon_molnet_shape shape;
    recon_mol_encoder *encoder;
    recon_mol_decoder decoder;
    recon_linear map; /* latent to z, where the shape is mapped */
};

/* Fills in the preset's defaults and checks the rest. */
recon_status recon_molnet_shape_complete(recon_ctx *ctx, recon_molnet_shape *shape);

/* With the weights of a file, which is lent; file NULL: untrained. */
recon_status recon_molnet_make(recon_ctx *ctx, recon_molnet **out, const recon_molnet_shape *shape,
                               recon_precision precision, const recon_safetensors *file,
                               const char *path, uint64_t seed);

/* n conformers to the pack as this model wants them; nodes as in recon_mol_pack_options. */
recon_status recon_molnet_pack(recon_ctx *ctx, recon_mol_pack *pack, const recon_molnet *model,
                               const recon_conformer *x, const recon_so3 *turn, size_t n,
                               size_t nodes);

/* All copies that a step needs; edges as in recon_mol_encoder. */
typedef struct {
    recon_mol_batch batch;
    recon_mol_tables tables;
} recon_molnet_fed;
recon_status recon_molnet_feed(recon_tape *tape, recon_molnet_fed *out, const recon_molnet *model,
                               const recon_mol_pack *pack, size_t edges);

/* What the encoder sees: z [n][code] (the latent where the shape is not mapped), the vectors as
 * they come, y [n][3][3], and what is made of them, r [n][9] and shift [n][3]. */
typedef struct {
    recon_var latent, z, y, r, shift;
} recon_molnet_seen;
void recon_molnet_see(recon_tape *tape, recon_molnet_seen *out, const recon_molnet *model,
                      const recon_molnet_fed *fed);

/* The molecules put back together, node by node: *xyz [nodes][3], *scores [nodes][elements]; 0 for
 * nodes that the decoder does not make. */
void recon_molnet_rebuild(recon_tape *tape, recon_var *xyz, recon_var *scores,
                          const recon_molnet *model, const recon_molnet_fed *fed,
                          const recon_molnet_seen *seen);

/* Mean distance of the rebuilt coordinates plus weight times the elements' mean cross-entropy, over
 * the atoms that the decoder makes. */
recon_var recon_molnet_rebuild_loss(recon_tape *tape, const recon_molnet *model,
                                    const recon_molnet_fed *fed, const recon_molnet_seen *seen,
                                    double weight);

/* recon_molnet_embed with progress of its own. */
recon_status recon_molnet_embed_shown(recon_ctx *ctx, const recon_molnet_answer *out,
                                      const recon_molnet *model, const recon_conformer *x,
                                      size_t n);

#endif
