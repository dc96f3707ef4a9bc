/* share.h (private) - Algorithm 1 over ranks (comm/comm.h). */
#ifndef NORMALIZE_SHARE_H
#define NORMALIZE_SHARE_H

#include <recon/normalize/normalize.h>

/* As recon_normalize, with the rows of this rank alone: recon_comm_own by RECON_TILE. Of z, which
 * points at row 0 of all, a rank touches its own rows; poses and labels are all there. Counts, the
 * family and the hit rate are those of all ranks. On one process the same as recon_normalize;
 * over ranks options->pool is refused where it is more than k. */
recon_status recon_normalize_share(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                                   const recon_embedded *queries,
                                   const recon_normalize_options *options);

#endif
