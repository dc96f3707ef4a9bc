/* mean.h (private) - what every mean asks of its options. */
#ifndef GROUP_MEAN_H
#define GROUP_MEAN_H

#include <recon/group/mean.h>

/* RECON_ERR_INPUT for a tail that is not zero and for a kind of mean that there is not. */
recon_status recon_mean_options_check(recon_ctx *ctx, const recon_mean_options *options);

#endif
