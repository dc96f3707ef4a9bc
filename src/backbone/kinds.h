/* kinds.h (private) - the backbones that are built in. */
#ifndef BACKBONE_KINDS_H
#define BACKBONE_KINDS_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/networks.h>
#include "backbone/ieae.h"
#include "backbone/molecule_net.h"

extern const recon_backbone_kind recon_ieae_kind, recon_molecule_net_kind;

/* The kinds that the context knows, those built in first (ctx NULL: these alone); NULL at the end. */
const recon_backbone_kind *recon_backbone_kind_at(const recon_ctx *ctx, size_t i);

/* The first that takes data of a kind, "images", or NULL. */
const recon_backbone_kind *recon_backbone_kind_for(const recon_ctx *ctx, const char *data);

/* A backbone as what it is; NULL where it is of another kind. */
recon_ieae *recon_backbone_ieae(const recon_backbone *backbone);
recon_molecule_net *recon_backbone_molecule_net(const recon_backbone *backbone);

/* From an open file; path is for messages. */
recon_status recon_backbone_read(recon_ctx *ctx, recon_backbone **out,
                                 const recon_safetensors *file, const char *path,
                                 recon_precision precision);

/* Whether a whole data set fits it. */
recon_status recon_backbone_check_data(recon_ctx *ctx, const recon_backbone *backbone,
                                       const recon_data *data);

/* How many weights it has. */
size_t recon_backbone_weights(const recon_backbone *backbone);

/* As recon_backbone_embed, shared out over ranks (comm/comm.h): each embeds some blocks, and all have
 * everything. In one process the same. */
recon_status recon_backbone_embed_share(recon_ctx *ctx, recon_embedded *out,
                                        const recon_backbone *backbone, const recon_data *data);

#endif
