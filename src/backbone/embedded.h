/* embedded.h (private) - poses of whichever group there is. */
#ifndef BACKBONE_EMBEDDED_H
#define BACKBONE_EMBEDDED_H

#include <recon/backbone/embedded.h>

/* The group of its poses, and pose i: a double or a recon_so3. */
recon_group recon_embedded_group(const recon_embedded *embedded);
const void *recon_embedded_pose(const recon_embedded *embedded, size_t i);

#endif
