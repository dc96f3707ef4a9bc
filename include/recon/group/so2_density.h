/* so2_density.h - parametric densities on the circle: value, sampling, robust fit, choice of
 * family.
 *
 * A density is with respect to d theta on the circle, so that it integrates to 1 over (-pi, pi] and
 * the uniform one is 1/(2 pi). Each is mixed with a uniform background of weight b, the share of
 * neighbours from a wrong class: p = (1 - b) f + b/(2 pi). */
#ifndef RECON_GROUP_SO2_DENSITY_H
#define RECON_GROUP_SO2_DENSITY_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <recon/core/rng.h>

typedef enum {
    RECON_SO2_AUTO = 0, /* for fitting: the family that fits held-out angles best */
    RECON_SO2_UNIFORM,  /* uniform on an arc */
    RECON_SO2_NORMAL,   /* a wrapped normal */
    RECON_SO2_VONMISES,
    RECON_SO2_MIXTURE, /* of von Mises densities */
    RECON_SO2_BINS     /* any shape, as a table; cannot be fitted */
} recon_so2_family;

#define RECON_SO2_PARTS_MAX 4
#define RECON_POSE_BINS     72

typedef struct {
    double weight; /* the weights of a mixture sum to 1 */
    double mean;
    double kappa;
} recon_so2_part;

typedef struct {
    recon_so2_family family;
    double center;     /* the angle by which the density is rotated, (-pi, pi] */
    double width;      /* UNIFORM: half-width; NORMAL: sigma; VONMISES: kappa; else 0 */
    double background; /* b, [0, 1) */
    int parts;         /* MIXTURE: 1 .. RECON_SO2_PARTS_MAX, else 0 */
    recon_so2_part part[RECON_SO2_PARTS_MAX];
    /* BINS: the density at 0, 5, 10 .. degrees, linear in between; the sum is bins / 2 pi. */
    float bin[RECON_POSE_BINS];
} recon_so2_density;

/* Returns log p(angle), -infinity outside an arc without background. */
RECON_API double recon_so2_log_density(const recon_so2_density *p, double angle);
/* Returns the score -log p, larger for more unusual poses, unchanged if angle and centre rotate
 * alike. */
RECON_API double recon_so2_score(const recon_so2_density *p, double angle);
RECON_API double recon_so2_sample(const recon_so2_density *p, recon_rng *rng);

/* Zero means the default, the robust fit. */
typedef struct {
    int plain; /* 1: fit second moments, without a background; not for MIXTURE */
    uint64_t reserved[RECON_RESERVED];
} recon_so2_fit_options;

/* Fits one density to each set of k centred angles: except for the mixture, the centre stays 0. The
 * width and the background are found together by maximum likelihood, so that wrong neighbours, up
 * to a fifth, spread over the circle, have little effect; widths are corrected for small k. Any
 * finite angles are allowed; k = 0 or an angle that is not finite is RECON_ERR_INPUT. k = 1 gives
 * the narrowest density. options may be NULL. */
RECON_API recon_status recon_so2_fit_batch(recon_ctx *ctx, recon_so2_density *out /* [sets] */,
                                           const double *angles /* [sets][k] */, size_t sets,
                                           size_t k, recon_so2_family family,
                                           const recon_so2_fit_options *options);

/* Returns "uniform", "normal", "vonmises", "mixture", "bins" or "auto". */
RECON_API const char *recon_so2_family_name(recon_so2_family family);

#endif
