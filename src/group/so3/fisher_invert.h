/* fisher_invert.h - from the singular values d of a mean rotation to those of F, in steps that a
 * fit may warm up and stop early. recon_fisher_invert_moment is all of them. */
#ifndef GROUP_SO3_FISHER_INVERT_H
#define GROUP_SO3_FISHER_INVERT_H

#define RECON_FISHER_EXACT 1e-16 /* a gain in log-likelihood that is rounding */

/* The s with coth(s) - 1/s = d, 0 <= d <= 1: exact where F has one singular value. */
double recon_langevin_inverse(double d);

/* d moved off the border, so that no singular value passes RECON_FISHER_MAX. */
void recon_fisher_inside(double out[3], const double d[3]);

/* Where to start from, for d inside. */
void recon_fisher_start(double s[3], const double d[3]);

/* From s to the least value of log c(s) - s.d, which is returned, until a step gains less than
 * enough. */
double recon_fisher_descend(double s[3], const double d[3], double enough);

double recon_dot3(const double a[3], const double b[3]);

/* The inverse of the gradient of log c: the maximum-likelihood singular values for a mean rotation
 * with proper singular values d. Where d is on the border of what is possible, as for copies of one
 * rotation, values stay at about RECON_FISHER_MAX. */
void recon_fisher_invert_moment(double s[3], const double d[3]);

#endif
