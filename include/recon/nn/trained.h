/* trained.h - what a training did. */
#ifndef RECON_NN_TRAINED_H
#define RECON_NN_TRAINED_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t steps; /* done, earlier runs counted            */
    uint64_t ran;   /* of them in this run; 0: it had finished */
    double loss;    /* the last reading                      */
    double best;    /* metric of the weights in params        */
    size_t peak;    /* bytes of a step, the most in use       */
    double seconds; /* of this run                            */
} recon_train_result;

#endif
