/* restarts.c - see restarts.h. */
#include "nn/restarts.h"

enum { WARMUP_EPOCHS = 5, WARMUP_SHARE = 10, PARTS = 1 + 2 + 4 };

recon_schedule recon_restarts(double rate, uint64_t epoch, uint64_t steps)
{
    uint64_t warmup = WARMUP_EPOCHS * epoch, most = steps / WARMUP_SHARE;
    warmup = warmup < most ? warmup : most;
    return (recon_schedule){ .kind = RECON_RATE_RESTARTS,
                             .rate = rate,
                             .warmup = warmup,
                             .period = (steps - warmup + PARTS - 1) / PARTS,
                             .growth = 2 };
}
