/* train.h - the loop: feed, loss, back, update; now and then validate, write down, keep.
 *
 * Kept beside the model's path: PATH itself, the best weights so far (by validation), PATH.last,
 * the state to resume from, and PATH.jsonl, one line of JSON for every reading. The same seed gives
 * the same bits on the CPU for any number of threads, and after kill -9 and a resume. PATH.last is
 * written after a validation, if that takes a twentieth of the time at most, and so may be older than PATH.
 *
 * A resumed run may ask for another number of steps. One that was cut goes on from where it was, with
 * the learning rate of the new length. One that had finished starts again from its best weights: the
 * moments are cleared, the rate warms up and falls over the steps that were added, and only a better
 * validation replaces the model.
 *
 * Several ranks share a batch: it is cut into at most 8 slices by the number of its units alone, and
 * gradients, norms and losses are summed over slices in a fixed order. One process works in the same
 * way, so that on CPUs of one kind the bits do not depend on the number of ranks, and a run may be
 * resumed on another number of them. Rank 0 alone writes.
 *
 * A batch that does not fit into memory is split: its parts run one after the other, and the mean of
 * their gradients is one step. What compares or averages over a batch (norms, a contrastive loss)
 * then does so within a part. A resumed run splits as before, so that its bits are the same. */
#ifndef RECON_NN_TRAIN_H
#define RECON_NN_TRAIN_H

#include <recon/nn/adam.h>
#include <recon/nn/schedule.h>
#include <recon/nn/tape.h>
#include <recon/nn/trained.h>

/* What is trained. Steps count from 0; what feed copies must be a function of the step alone, and
 * all copies belong there. A backend that records steps (CUDA) calls loss twice and replays it from
 * then on, so loss must do the same in each step; feed may change shapes, at the price of recording
 * anew. */
typedef struct {
    recon_params *params;
    recon_status (*feed)(void *user, recon_tape *tape, uint64_t step); /* inputs to variables */
    recon_var (*loss)(void *user, recon_tape *tape);                   /* of what was fed     */
    /* Lower is better; the tape has been begun with RECON_INFER and may be begun again. */
    recon_status (*validate)(void *user, recon_tape *tape, double *metric);
    void *user;
    /* Where units is not 0, a step is planned before the first one: feed, loss and validate are
     * called without memory or kernels behind their tape, to see how much they would take. Where
     * that is more than there is, a step goes over the batch in parts, and feed is called for each,
     * with recon_tape_slice; so is validate, whose passes then hold no more than the slice. */
    size_t units;  /* things in a batch, that may go apart                               */
    int shared;    /* ranks may share a batch: inputs have their rows in the order of the units,
                           as recon_var_input says, and validate shares its work out, too     */
    size_t beside; /* bytes that feed takes beside the tape                              */
    size_t data;   /* bytes of the data, which is in memory already, for messages; 0: not counted */
    size_t side;   /* pixels a side of what goes into the network, for the size that would fit;
                           0: not of images                                                    */
    const char *remedy; /* what would take less memory, for messages                          */
} recon_trainee;

/* Zero in any field means its default. */
typedef struct {
    uint64_t steps, epoch;     /* in all; between two validations (0: one, at the end)       */
    uint64_t every;            /* steps between two checkpoints, beside those after validations */
    uint64_t patience;         /* validations without a better one before it ends; 0: any    */
    uint64_t readings;         /* steps between two readings of the loss; 0: 50              */
    uint64_t seed;             /* of dropout                                                 */
    recon_precision precision; /* as that of params                                          */
    int plain;                 /* steps are not recorded: their loss needs the host          */
    recon_schedule schedule;
    recon_adam_options adam;
    const char *path; /* of the model; NULL: nothing is written                     */
    const recon_metadata_entry *metadata; /* of the model */
    size_t n_metadata;
    int bf16;             /* the model's weights are written in bfloat16; PATH.last is exact */
    const char *settings; /* all that a resumed run must share but its epochs, as "batch: 64,
                             rate: 0.002"; NULL: ""                                     */
    int resume;           /* go on from PATH.last if it is there                        */
    int overwrite;        /* PATH and PATH.last may be there, and a new run replaces them;
                             0: without resume that is RECON_ERR_INPUT                  */
    size_t memory;        /* bytes that training may take; 0: what is free                */
    const char *label;    /* of its progress; NULL: "train"                             */
} recon_train_options;

/* On success params hold the best weights (the last ones where there is no path). An interruption
 * (recon_ctx_interrupt) ends it with a checkpoint: on the CPU at once, the step under way undone;
 * on a GPU after the step. A checkpoint that cannot be written is a warning while there is a later
 * one to come, and the failure at the end. Weights that are not finite are never written:
 * RECON_ERR_NUMERIC, and the files before stay. */
RECON_API recon_status recon_train(recon_ctx *ctx, recon_train_result *out,
                                   const recon_trainee *trainee,
                                   const recon_train_options *options);

#endif
