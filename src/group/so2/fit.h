/* fit.h - the fits behind recon_so2_fit_batch: one set of n >= 1 angles in (-pi, pi] each. */
#ifndef GROUP_SO2_FIT_H
#define GROUP_SO2_FIT_H

#include <stddef.h>
#include <recon/group/so2_density.h>
#include <recon/core/rng.h>

/* Scratch: this many doubles for n angles. */
size_t recon_so2_fit_scratch(size_t n);

void recon_so2_fit_one(recon_so2_density *out, const double *angles, size_t n,
                       recon_so2_family family, double *scratch);

/* Mixture of von Mises densities with a uniform background by EM; how many parts, 1 .. 4, by BIC.
 * scratch holds 8 n doubles. */
void recon_mixture_fit(recon_so2_density *out, const double *angles, size_t n, double *scratch);

/* The same with a given number of parts and one EM step a call: start, then steps. Each step
 * returns the log-likelihood before it, which never decreases. */
typedef struct {
    recon_so2_density density;
    const double *angles;
    double *cosine, *sine, *share; /* share: [parts + 1][n] */
    size_t n;
} recon_mixture_em;

void recon_mixture_start(recon_mixture_em *em, const double *angles, size_t n, int parts,
                         double *scratch);
double recon_mixture_step(recon_mixture_em *em);

/* --- Exp(kappa cos theta) / (2 pi I0(kappa)): its constants, from kappa = 0 to 1e8 */

/* log(2 pi I0(kappa)) - kappa: the density is exp(kappa (cos theta - 1) - this). */
double recon_vonmises_log_norm(double kappa);

/* 1 - E cos theta = 1 - I1(kappa)/I0(kappa), in (0, 1]: all digits also where it is tiny. */
double recon_vonmises_spread(double kappa);

/* The kappa with this spread, by Newton; spread 0 gives infinity, 1 or more gives 0. */
double recon_vonmises_kappa(double spread);

/* About 0. */
double recon_vonmises_sample(double kappa, recon_rng *rng);

/* --- A normal of mean 0 wrapped around the circle; angles in (-pi, pi] */

double recon_wrapped_normal_density(double angle, double sigma);

/* The density, sigma <= pi, and through *square what the square of the unwrapped normal was on
 * average, given where it came to lie. */
double recon_wrapped_normal_square(double *square, double angle, double sigma);

/* n angles that stand for the density, at even steps of its probability: what recon_so2_mean says
 * of them is the verdict on it. The circle is opened where the density is least. A mixture whose bumps stand for a flat arc is one pose to that
 * test, as the arc is. */
void recon_so2_quantiles(double *out /* [n] */, const recon_so2_density *p, size_t n);

/* One family for all sets: the one that gives the highest likelihood to angles held out of the
 * fit (five folds in each set; of many sets, 512 evenly spaced ones). */
recon_status recon_so2_choose_family(recon_ctx *ctx, recon_so2_family *family,
                                     const double *angles /* [sets][k] */, size_t sets, size_t k);

#endif
