/* schedule.c - warm-up, constant, cosine (Loshchilov and Hutter, SGDR, ICLR 2017). */
#include "nn/restarts.h"

#include <math.h>

static double fall(const recon_schedule *s, double share)
{
    return s->floor + (s->rate - s->floor) * (1 + cos(M_PI * fmin(share, 1))) / 2;
}

double recon_schedule_rate(const recon_schedule *s, uint64_t step)
{
    if (step < s->warmup)
        return s->rate * (double)(step + 1) / (double)s->warmup;
    double at = (double)(step - s->warmup);
    if (s->kind == RECON_RATE_COSINE)
        return s->steps > s->warmup ? fall(s, at / (double)(s->steps - s->warmup)) : s->floor;
    if (s->kind == RECON_RATE_CONSTANT || s->period == 0)
        return s->rate;
    double period = (double)s->period, growth = s->growth > 1 ? s->growth : 1;
    if (growth == 1)
        return fall(s, fmod(at, period) / period);
    while (at >= period) {
        at -= period;
        period *= growth;
    }
    return fall(s, at / period);
}

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
