/* trained.h - the result of a training. */
#ifndef RECON_NN_TRAINED_H
#define RECON_NN_TRAINED_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t steps; /* steps done, including earlier runs */
    uint64_t ran;   /* steps of this run; 0: it had finished before */
    double loss;    /* the last reading */
    double best;    /* the metric of the weights in params */
    size_t peak;    /* the most bytes that a step used */
    double seconds; /* of this run */
} recon_train_result;

#endif
