/* bessel.h - the modified Bessel functions I0 and I1, scaled so that nothing overflows; accurate to
 * rounding from x = 0 to 1e8. */
#ifndef CORE_BESSEL_H
#define CORE_BESSEL_H

/* log I0(x) - x, x >= 0. Its derivative is -recon_bessel_spread. */
double recon_bessel_log_i0(double x);

/* 1 - I1(x)/I0(x), in (0, 1], accurate to rounding even if it is tiny. */
double recon_bessel_spread(double x);

#endif
