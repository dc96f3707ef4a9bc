/* embedded.h (private) - embeddings and poses over ranks. */
#ifndef BACKBONE_EMBEDDED_H
#define BACKBONE_EMBEDDED_H

#include <recon/backbone/embedded.h>

/* Pose i. */
const double *recon_embedded_pose(const recon_embedded *embedded, size_t i);

/* As recon_embedded_read, for a rank (comm/comm.h): of z its own rows alone, recon_comm_own by `unit`,
 * are kept, and others must not be touched; poses and labels are all there. RECON_ERR_MISMATCH where
 * ranks see different files. identity: of embeddings and poses. */
recon_status recon_embedded_read_share(recon_ctx *ctx, recon_embedded *out, uint64_t *identity,
                                       const recon_group *group, recon_quaternions quaternions,
                                       const char *z, const char *poses, const char *labels,
                                       size_t unit);

#endif
