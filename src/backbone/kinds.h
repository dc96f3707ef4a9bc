/* kinds.h (private) - the backbones that are built in. */
#ifndef BACKBONE_KINDS_H
#define BACKBONE_KINDS_H

#include <recon/backbone/backbone.h>
#include <recon/backbone/ieae.h>
#include <recon/backbone/molecule_net.h>

extern const recon_backbone_kind recon_ieae_kind, recon_molecule_net_kind;

/* A backbone as what it is; NULL where it is of another kind. */
recon_ieae *recon_backbone_ieae(const recon_backbone *backbone);
recon_molecule_net *recon_backbone_molecule_net(const recon_backbone *backbone);

#endif
