/* fit.h - fits of densities to one set of n >= 1 angles in (-pi, pi], for recon_so2_fit_batch. */
#ifndef GROUP_SO2_FIT_H
#define GROUP_SO2_FIT_H

#include <stddef.h>
#include <recon/group/so2_density.h>
#include <recon/core/rng.h>

/* The number of doubles of scratch for n angles. */
size_t recon_so2_fit_scratch(size_t n);

void recon_so2_fit_one(recon_so2_density *out, const double *angles, size_t n,
                       recon_so2_family family, double *scratch);

/* Fits a mixture of von Mises densities with a uniform background by EM; the number of parts, 1 ..
 * 4, is chosen by BIC. scratch holds 8 n doubles. */
void recon_mixture_fit(recon_so2_density *out, const double *angles, size_t n, double *scratch);

/* The same with a given number of parts, one EM step per call. A step returns the log-likelihood
 * before it, which never decreases. */
typedef struct {
    recon_so2_density density;
    const double *angles;
    double *cosine, *sine, *share; /* share: [parts + 1][n] */
    size_t n;
} recon_mixture_em;

void recon_mixture_start(recon_mixture_em *em, const double *angles, size_t n, int parts,
                         double *scratch);
double recon_mixture_step(recon_mixture_em *em);

/* --- The von Mises density exp(kappa cos theta) / (2 pi I0(kappa)), from kappa = 0 to 1e8 */

/* log(2 pi I0(kappa)) - kappa: the density is exp(kappa (cos theta - 1) - this). */
double recon_vonmises_log_norm(double kappa);

/* 1 - E cos theta = 1 - I1(kappa)/I0(kappa), in (0, 1], accurate to rounding even if it is tiny. */
double recon_vonmises_spread(double kappa);

/* Returns the kappa with this spread, by Newton; spread 0 gives infinity, 1 or more gives 0. */
double recon_vonmises_kappa(double spread);

/* Draws an angle with mean 0. */
double recon_vonmises_sample(double kappa, recon_rng *rng);

/* --- A normal of mean 0 wrapped around the circle; angles in (-pi, pi] */

double recon_wrapped_normal_density(double angle, double sigma);

/* Returns the density, sigma <= pi; *square receives the mean square of the unwrapped normal, given
 * the wrapped angle. */
double recon_wrapped_normal_square(double *square, double angle, double sigma);

/* Writes n quantiles of the density, at even steps of its probability. The verdict of
 * recon_so2_mean on them is the verdict on the density. The circle is cut where the density is
 * lowest. A mixture that approximates a flat arc is one pose, like the arc. */
void recon_so2_quantiles(double *out /* [n] */, const recon_so2_density *p, size_t n);

/* Chooses one family for all sets: the one with the highest likelihood of angles held out of the
 * fit (five folds in each set; of many sets, 512 evenly spaced ones are used). */
recon_status recon_so2_choose_family(recon_ctx *ctx, recon_so2_family *family,
                                     const double *angles /* [sets][k] */, size_t sets, size_t k);

#endif
