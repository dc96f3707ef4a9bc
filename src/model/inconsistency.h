/* inconsistency.h (private) - verdicts that a network's own noise would have made.
 *
 * A verdict on the poses of neighbours takes their spread for the data's. Where the rotations between
 * alike inputs are known without the network (recon_backbone_kind), it can be seen how much of the
 * spread is the network's: a conformer that is read in two ways has two poses, or an axis, that no
 * data have. One pose or an axis is not claimed there. */
#ifndef MODEL_INCONSISTENCY_H
#define MODEL_INCONSISTENCY_H

#include <recon/backbone/backbone.h>
#include <recon/normalize/normalize.h>

/* 12 degrees. Of 17 molecules in one firm pose each, those that were canonicalized to within 21 degrees
 * had at most 10, the others at least 14 (two backbones). */
#define RECON_INCONSISTENT (M_PI / 15)

/* Makes "cannot tell" of the verdicts that are in doubt. *inconsistency [rows], of each input with
 * its neighbours, radians, is to be freed; NULL where the backbone cannot say. */
recon_status recon_discover_inconsistency(recon_ctx *ctx, double **inconsistency,
                                          recon_frames *frames, const recon_embedded *points,
                                          const recon_backbone *backbone, const recon_data *data);

/* The share of n inputs that are inconsistent by that; NaN for NULL. */
double recon_inconsistent_share(const double *inconsistency, size_t n);

#endif
