/* vonmises.h - exp(kappa cos theta) / (2 pi I0(kappa)): its constants, from kappa = 0 to 1e8. */
#ifndef GROUP_SO2_VONMISES_H
#define GROUP_SO2_VONMISES_H

#include <recon/core/rng.h>

/* log(2 pi I0(kappa)) - kappa: the density is exp(kappa (cos theta - 1) - this). */
double recon_vonmises_log_norm(double kappa);

/* 1 - E cos theta = 1 - I1(kappa)/I0(kappa), in (0, 1]: all digits also where it is tiny. */
double recon_vonmises_spread(double kappa);

/* The kappa with this spread, by Newton; spread 0 gives infinity, 1 or more gives 0. */
double recon_vonmises_kappa(double spread);

/* About 0. */
double recon_vonmises_sample(double kappa, recon_rng *rng);

#endif
