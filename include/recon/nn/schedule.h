/* schedule.h - the learning rate as a function of the step, so that a resumed run continues it. */
#ifndef RECON_NN_SCHEDULE_H
#define RECON_NN_SCHEDULE_H

#include <stdint.h>
#include <recon/core/status.h>

typedef enum {
    RECON_RATE_CONSTANT,
    RECON_RATE_COSINE,  /* falls to floor at the last step */
    RECON_RATE_RESTARTS /* falls to floor over period steps, then again over growth times as many */
} recon_rate_kind;

typedef struct {
    recon_rate_kind kind;
    double rate, floor;
    uint64_t warmup; /* the first steps, in which the rate rises linearly to `rate` */
    uint64_t steps;  /* RECON_RATE_COSINE: all steps, including the warm-up */
    uint64_t period; /* RECON_RATE_RESTARTS */
    double growth;   /* 0: 1 */
} recon_schedule;

/* Returns the learning rate of a step, counted from 0. */
RECON_API double recon_schedule_rate(const recon_schedule *schedule, uint64_t step);

#endif
