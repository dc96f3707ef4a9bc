/* lambda.h (private) - chooses the source of Lambda: compares the three on held-out points.
 *
 * A way is good if held-out inputs, seen from the natural pose that it gives them, have poses
 * near zero: noise in Lambda and a bias both spread them. So each way is measured by the
 * likelihood of those poses under the zero-centred mixture of normals that fits them best; the
 * density also by its own likelihood, and neighbours by the law of their cluster, whichever is
 * larger. No label is needed, and a backbone cannot cheat on inputs that it has not learned
 * from: Lambda is invariant. */
#ifndef MODEL_LAMBDA_H
#define MODEL_LAMBDA_H

#include <recon/model/trust.h>
#include "maps/maps.h"

/* What is known of n inputs that were held out. */
typedef struct {
    const recon_maps_kind *kind;
    size_t n;
    const double *psi; /* [n] their poses */
    const double
        *lambda[4]; /* [n] by recon_lambda, best of copies that were rotated at random: z may
                                have the pose in it; NULL: that way is not there */
    const unsigned char *one; /* [n] those with one natural pose, as far as is known, of which it is
                                 measured how far the ways are apart; NULL: all have */
    const double *own[4]; /* [n] log densities of these poses by what a way knows itself, or NULL */
} recon_lambda_ways;

/* asked AUTO: the likeliest way is taken, of several that chance may have put in their order the
 * density, then the head; of a kind that does not compare them the usual one. RECON_ERR_INPUT where
 * what is asked for is not there. */
recon_status recon_lambda_choose(recon_ctx *ctx, recon_lambda_choice *out, recon_lambda asked,
                                 const recon_lambda_ways *of);

/* The standard error of the difference between the means of two such lists. */
double recon_error_between(const double *a /* [n] */, const double *b, size_t n);

/* Those log densities: of n angles about zero, under the mixture that fits them best. Its weights
 * are RECON_LAMBDA_WEIGHTS free numbers. */
enum { RECON_LAMBDA_WEIGHTS = 4 };
void recon_lambda_log_densities(double *out /* [n] */, const double *angles, size_t n);

#endif
