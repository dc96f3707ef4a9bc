/* restarts.h (private) - the paper's learning rate: warmed up over five epochs, then a cosine with warm
 * restarts. How many there are the paper does not say; here two, each part twice as long as the one
 * before, and the last one ends with the run. */
#ifndef NN_RESTARTS_H
#define NN_RESTARTS_H

#include <recon/nn/schedule.h>

/* epoch: steps in one; steps: in all. Of a run of less than fifty epochs a tenth is warm-up. */
recon_schedule recon_restarts(double rate, uint64_t epoch, uint64_t steps);

#endif
