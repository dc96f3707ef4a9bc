/* restarts.h (private) - the paper's learning rate: a warm-up over five epochs, then a cosine with
 * warm restarts. The paper does not give their number; here there are two, each period twice as
 * long as the previous one, and the last one ends with the run. */
#ifndef NN_RESTARTS_H
#define NN_RESTARTS_H

#include <recon/nn/schedule.h>

/* epoch: steps per epoch; steps: in total. Runs below fifty epochs warm up over a tenth. */
recon_schedule recon_restarts(double rate, uint64_t epoch, uint64_t steps);

#endif
