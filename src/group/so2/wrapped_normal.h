/* wrapped_normal.h - a normal of mean 0 wrapped around the circle; angles in (-pi, pi]. */
#ifndef GROUP_SO2_WRAPPED_NORMAL_H
#define GROUP_SO2_WRAPPED_NORMAL_H

double recon_wrapped_normal_density(double angle, double sigma);

/* The density, sigma <= pi, and through *square what the square of the unwrapped normal was on
 * average, given where it came to lie. */
double recon_wrapped_normal_square(double *square, double angle, double sigma);

#endif
