/* vonmises.c - the von Mises distribution: normalisation, spread and its inverse, samples. */
#include "group/so2/fit.h"
#include "core/bessel.h"

#include <math.h>
#include <recon/group/so2.h>

#define NORMAL_FROM                                                                                \
    1e6 /* above it a von Mises is a normal to 1e-7, and acos has no digits left                   \
         */

double recon_vonmises_log_norm(double kappa)
{
    return log(2 * M_PI) + recon_bessel_log_i0(kappa);
}

double recon_vonmises_spread(double kappa)
{
    return recon_bessel_spread(kappa);
}

/* 1/spread is nearly a straight line in kappa, from slope 1/2 at 0 to slope 2: Newton on it takes
 * two or three steps from the start, which is within 7 % (Banerjee et al., 2005). */
double recon_vonmises_kappa(double spread)
{
    if (spread >= 1)
        return 0;
    double mean = 1 - spread, kappa = mean * (2 - mean * mean) / (spread * (2 - spread));
    for (int i = 0; i < 20 && isfinite(kappa); i++) {
        double now = recon_vonmises_spread(kappa);
        double slope = kappa > 1e-4 ? now * (2 - now) - (1 - now) / kappa : 0.5;
        double step = (1 / spread - 1 / now) * now * now / slope;
        kappa = fmax(kappa + step, kappa / 4);
        if (fabs(step) <= 1e-9 * kappa) /* the next one would be its square */
            break;
    }
    return kappa;
}

/* Best and Fisher (1979): rejection from a wrapped Cauchy. */
double recon_vonmises_sample(double kappa, recon_rng *rng)
{
    if (kappa < 1e-8)
        return recon_so2_haar(rng);
    if (kappa > NORMAL_FROM)
        return recon_rng_normal(rng) / sqrt(kappa);
    double tau = 1 + sqrt(1 + 4 * kappa * kappa);
    double rho = (tau - sqrt(2 * tau)) / (2 * kappa), r = (1 + rho * rho) / (2 * rho);
    for (;;) {
        double z = cos(M_PI * recon_rng_uniform(rng)), f = (1 + r * z) / (r + z);
        double c = kappa * (r - f), u = 1 - recon_rng_uniform(rng);
        if (c * (2 - c) > u || log(c / u) + 1 >= c)
            return recon_rng_uniform(rng) < 0.5 ? -acos(f) : acos(f);
    }
}
