/* kinds.h (private) - the backbones that are built in. */
#ifndef BACKBONE_KINDS_H
#define BACKBONE_KINDS_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/ieae.h>
#include <recon/backbone/molnet.h>

extern const recon_backbone_kind recon_ieae_kind, recon_molnet_kind;

/* A backbone as what it is; NULL where it is of another kind. */
recon_ieae *recon_backbone_ieae(const recon_backbone *backbone);
recon_molnet *recon_backbone_molnet(const recon_backbone *backbone);

#endif
