/* share.h (private) - Algorithm 1 over ranks (comm/comm.h). */
#ifndef NORMALIZE_SHARE_H
#define NORMALIZE_SHARE_H

#include <recon/normalize/normalize.h>

/* Like recon_normalize, but only for the rows of this rank: recon_comm_own by RECON_TILE. z points
 * to row 0 of all, but a rank only accesses its own rows; poses and labels are complete. Counts,
 * the family and the hit rate are those of all ranks. With one process it is recon_normalize; with
 * several, an options->pool above k is refused. */
recon_status recon_normalize_share(recon_ctx *ctx, recon_frames *out, const recon_embedded *index,
                                   const recon_embedded *queries,
                                   const recon_normalize_options *options);

#endif
