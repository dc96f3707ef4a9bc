/* head_training.h (private) - how networks learn pseudo-labels: some points are held out, and each head
 * keeps the epoch that did best on them. */
#ifndef MAPS_HEAD_TRAINING_H
#define MAPS_HEAD_TRAINING_H

#include <recon/maps/maps.h>
#include "maps/kind.h"
#include "data/dataset.h"

enum {
    RECON_HEAD_TRAINING_EARLY = 3
}; /* in the first of so many parts heads have their early loss */

typedef struct recon_head_training {
    recon_params *params;
    size_t n;  /* points                                                        */
    int heads; /* the first so many of kind                                     */
    const recon_head_kind *kind;
    double number;                         /* for their losses                              */
    const char *name[RECON_HEADS_MOST];    /* a head's entries in params begin with it and a dot */
    const float *target[RECON_HEADS_MOST]; /* [n][kind[h].targets]                          */
    double weight[RECON_HEADS_MOST];       /* of a head's loss; 0: 1                        */
    /* Points which[n] as a variable, and a head's output for them. draw numbers the steps of training
     * from 1 on; 0: points held out, as they are. The output may have used the input's memory for
     * something else. */
    recon_var (*input)(void *user, recon_tape *tape, const size_t *which, size_t n, uint64_t draw);
    recon_var (*output)(void *user, recon_tape *tape, int head, recon_var x);
    /* NULL: a point is taught its own target. Otherwise, in training alone, that of another. */
    size_t (*partner)(void *user, int head, size_t point, uint64_t draw);
    void *user, *partner_user;
    /* 1: the points are held out in the order in which recon_dataset_split holds images out of a
     * backbone's training. On the backbone's own data those are new to it, too: a network remembers
     * what it was trained on, and is too sure of it. */
    int as_split;
    size_t held, batch, epochs;
    double rate, decay;
    int restarts; /* the rate's: see nn/restarts.h; 0: a cosine to 0 */
    uint64_t seed;
    recon_precision precision;
    const char *label; /* of its progress; NULL: recon_train's */
    int plain;         /* see recon_train_options */
} recon_head_training;

/* Takes what options say, or defaults where they say nothing; RECON_ERR_INPUT for shares that are
 * none. n is set. */
recon_status recon_head_training_plan(recon_ctx *ctx, recon_head_training *training,
                                      const recon_maps_options *options,
                                      const recon_maps_options *defaults);

/* How often n points are gone through by default: as the defaults say, and on few points so often that
 * there are these steps at least. */
size_t recon_head_training_epochs(const recon_maps_options *defaults, size_t steps_least, size_t n);

/* The point at place i of a random order; the first `held` are held out. */
size_t recon_head_training_place(const recon_head_training *training, size_t i);

recon_status recon_head_training_run(recon_ctx *ctx, const recon_head_training *training);

#endif
