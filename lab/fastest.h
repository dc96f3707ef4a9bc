/* fastest.h (private) - the same work several times: the fastest round is the one that nothing
 * disturbed. */
#ifndef LAB_FASTEST_H
#define LAB_FASTEST_H

#include <recon/core/ctx.h>

typedef recon_status recon_work(recon_ctx *ctx, void *arg);

/* Seconds of the fastest of several rounds, after one that is not counted. */
recon_status recon_fastest(recon_ctx *ctx, double *seconds, recon_work *work, void *arg);

#endif
