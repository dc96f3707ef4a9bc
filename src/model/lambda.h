/* lambda.h (private) - where Lambda comes from: three ways, compared on points held out.
 *
 * A way is good if held-out inputs, seen from the natural pose that it gives them, have poses near
 * zero: noise in Lambda and a bias both spread them. So each way is measured by the likelihood of
 * those poses under the zero-centred mixture of normals that fits them best; the density also by its
 * own likelihood, whichever is larger. No label is needed, and
 * a backbone cannot cheat on inputs that it has not learned from: Lambda is invariant. */
#ifndef MODEL_LAMBDA_H
#define MODEL_LAMBDA_H

#include <recon/model/trust.h>
#include "maps/maps.h"

/* heads [n]: what the heads say of all points, before densities are put over it. asked AUTO: the
 * likeliest way is taken, of several that chance may have put in their order the density, then the
 * head; of a kind that does not compare them the usual one. RECON_ERR_INPUT where what is asked for is not there. */
recon_status recon_lambda_choose(recon_ctx *ctx, recon_lambda_choice *out, recon_lambda asked,
                                 const recon_embedded *data, const recon_frames *frames,
                                 const recon_maps *maps, const void *heads);

/* Those log densities: of n angles about zero, under the mixture that fits them best. Its weights are
 * RECON_LAMBDA_WEIGHTS free numbers. */
enum { RECON_LAMBDA_WEIGHTS = 4 };
void recon_lambda_log_densities(double *out /* [n] */, const double *angles, size_t n);

/* Lambda of point i by a way. */
void recon_lambda_by(double *out, const recon_maps_kind *kind, recon_lambda way,
                     const recon_embedded *data, const recon_frames *frames, const void *heads,
                     size_t i);

#endif
