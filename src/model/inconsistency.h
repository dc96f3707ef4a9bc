/* inconsistency.h (private) - withdraws verdicts that are due to errors of the network.
 *
 * A verdict on the poses of neighbours attributes their spread to the data. If the rotations
 * between similar inputs are known without the network (recon_backbone_kind), they show how much of
 * the spread comes from the network: a conformer for which it finds two poses has two poses, or an
 * axis, that the data do not have. The verdict is then neither one pose nor an axis. */
#ifndef MODEL_INCONSISTENCY_H
#define MODEL_INCONSISTENCY_H

#include <recon/backbone/backbone.h>
#include <recon/normalize/normalize.h>

/* 12 degrees. Of 17 molecules in one firm pose each, those that were canonicalized to within 21
 * degrees had at most 10, the others at least 14 (two backbones). */
#define RECON_INCONSISTENT (M_PI / 15)

/* Changes doubtful verdicts to "cannot tell". *inconsistency [rows] receives the value of each
 * input, in radians, and must be freed; NULL if the backbone cannot compute it. */
recon_status recon_discover_inconsistency(recon_ctx *ctx, double **inconsistency,
                                          recon_frames *frames, const recon_embedded *points,
                                          const recon_backbone *backbone, const recon_data *data);

/* Returns the share of n inputs that are inconsistent; NaN if inconsistency is NULL. */
double recon_inconsistent_share(const double *inconsistency, size_t n);

#endif
