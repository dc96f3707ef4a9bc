/* fastest.c - rounds, until they have taken long enough together. */
#include "lab/fastest.h"
#include "core/ctx.h"

#include <math.h>

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 200 };
#define LONG_ENOUGH 0.25 /* seconds that all rounds together should take */

recon_status recon_fastest(recon_ctx *ctx, double *seconds, recon_work *work, void *arg)
{
    recon_status status = work(ctx, arg);
    double first = recon_now();
    *seconds = INFINITY;
    for (int i = 0; status == RECON_OK && i < MOST_ROUNDS; i++) {
        double begin = recon_now();
        if (i >= LEAST_ROUNDS && begin - first > LONG_ENOUGH)
            break;
        status = work(ctx, arg);
        *seconds = fmin(*seconds, recon_now() - begin);
    }
    return status;
}
