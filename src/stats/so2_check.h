/* so2_check.h - what is asked of sets of angles from outside. */
#ifndef STATS_SO2_CHECK_H
#define STATS_SO2_CHECK_H

#include <stddef.h>
#include <recon/core/ctx.h>

/* RECON_ERR_INPUT when k is 0 or an angle is not finite; the message names the first one. */
recon_status recon_so2_check(recon_ctx *ctx, const double *angles /* [sets][k] */, size_t sets,
                             size_t k);

#endif
