/* embedded.h (private) - embeddings and poses over ranks. */
#ifndef BACKBONE_EMBEDDED_H
#define BACKBONE_EMBEDDED_H

#include <recon/backbone/embedded.h>

/* Returns pose i. */
const double *recon_embedded_pose(const recon_embedded *embedded, size_t i);

/* Like recon_embedded_read, for a rank (comm/comm.h): only its own rows of z, recon_comm_own by
 * `unit`, may be accessed; poses and labels are complete. RECON_ERR_MISMATCH if ranks see different
 * files. identity receives that of embeddings and poses. */
recon_status recon_embedded_read_share(recon_ctx *ctx, recon_embedded *out, uint64_t *identity,
                                       const recon_group *group, recon_quaternions quaternions,
                                       const char *z, const char *poses, const char *labels,
                                       size_t unit);

#endif
