/* angles.h - sets of angles: checked, wrapped, and in order. */
#ifndef GROUP_SO2_ANGLES_H
#define GROUP_SO2_ANGLES_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* RECON_ERR_INPUT when k is 0 or an angle is not finite; the message names the first one. */
recon_status recon_so2_check(recon_ctx *ctx, const double *angles /* [sets][k] */, size_t sets,
                             size_t k);

/* The angles folded into (-pi, pi], smallest first. out must not be angles. */
void recon_so2_sort(double *out, const double *angles, size_t n);

/* The place of the angle that follows the widest gap between sorted ones. */
size_t recon_so2_after_gap(const double *sorted, size_t n);

/* n angles wrapped. out may be a. */
void recon_so2_wrap_n(double *out, const double *a, size_t n);

#endif
