/* train.h - the training loop: feed, loss, backward, update; at times validate, log, checkpoint.
 *
 * It writes three files: PATH, the best weights so far by validation; PATH.last, the checkpoint to
 * resume from; and PATH.jsonl, one line of JSON for each reading of the loss. The same seed gives
 * the same bits on the CPU for any number of threads, and after kill -9 and a resume. PATH.last is
 * written after a validation if that takes at most a twentieth of the time, and so may be older
 * than PATH.
 *
 * A resumed run may ask for another number of steps. If it was interrupted, it continues, with the
 * learning rate of the new length. If it had finished, it starts again from its best weights: the
 * moments are cleared, the rate warms up and falls over the added steps, and only a better
 * validation replaces the model.
 *
 * Several ranks share a batch. It is cut into at most 8 slices, depending only on the number of its
 * units, and gradients, norms and losses are summed over slices in a fixed order. A single process
 * does the same, so on CPUs of one kind the bits do not depend on the number of ranks, and a run
 * may be resumed on a different number. Only rank 0 writes.
 *
 * A batch that does not fit into memory is split: its parts run one after the other, and the mean
 * of their gradients is one step. Operations over the batch (norms, a contrastive loss) then see
 * one part at a time. A resumed run splits as before, so that its bits are the same. */
#ifndef RECON_NN_TRAIN_H
#define RECON_NN_TRAIN_H

#include <recon/nn/adam.h>
#include <recon/nn/schedule.h>
#include <recon/nn/tape.h>
#include <recon/nn/trained.h>

/* What is trained. Steps count from 0. All copies from the host belong in feed, and must depend on
 * the step alone. A backend that records steps (CUDA) calls loss twice and replays it from then on,
 * so loss must do the same in each step; feed may change shapes, which makes it record again. */
typedef struct {
    recon_params *params;
    recon_status (*feed)(void *user, recon_tape *tape, uint64_t step); /* makes the inputs */
    recon_var (*loss)(void *user, recon_tape *tape);                   /* uses these inputs */
    /* Lower is better. The tape has begun with RECON_INFER; validate may begin it again. */
    recon_status (*validate)(void *user, recon_tape *tape, double *metric);
    void *user;
    /* If units is not 0, a step is planned before training: feed, loss and validate are called with
     * a tape that has no memory or kernels, to see how much memory they would take. If it is more
     * than is available, each step goes over the batch in parts, and feed and validate are called
     * for each part, see recon_tape_slice. */
    size_t units; /* items in a batch, along which it can be split */
    /* 1: ranks may share a batch. Rows of inputs are then in the order of the units, see
     * recon_var_input, and validate divides its work among ranks too. */
    int shared;
    size_t beside; /* bytes that feed takes in addition to the tape */
    size_t data;   /* bytes of the data in memory, for messages; 0: not counted */
    size_t side; /* side of the images in pixels, to suggest a size that would fit; 0: no images */
    const char *remedy; /* what would take less memory, for messages */
} recon_trainee;

/* Zero in any field means its default. */
typedef struct {
    uint64_t steps, epoch;     /* in total; between two validations (0: one, at the end) */
    uint64_t every;            /* steps between checkpoints, in addition to those of validations */
    uint64_t patience;         /* stop after this many validations without improvement; 0: never */
    uint64_t readings;         /* steps between two readings of the loss; 0: 50 */
    uint64_t seed;             /* for dropout */
    recon_precision precision; /* that of params */
    int plain;                 /* do not record steps, because the loss needs the host */
    recon_schedule schedule;
    recon_adam_options adam;
    const char *path;                     /* of the model; NULL: nothing is written */
    const recon_metadata_entry *metadata; /* of the model */
    size_t n_metadata;
    int bf16; /* write the model's weights in bfloat16; PATH.last is exact */
    /* What a resumed run must have in common with the first, except epochs: "batch: 64, rate:
     * 0.002"; NULL: "". */
    const char *settings;
    int resume;        /* continue from PATH.last if it exists */
    int overwrite;     /* replace PATH and PATH.last; 0: without resume they are RECON_ERR_INPUT */
    size_t memory;     /* bytes that training may take; 0: what is free */
    const char *label; /* of its progress; NULL: "train" */
} recon_train_options;

/* Trains. On success params hold the best weights (the last ones if there is no path). An
 * interruption (recon_ctx_interrupt) ends it with a checkpoint: on the CPU at once, undoing the
 * current step; on a GPU after the step. If a checkpoint cannot be written, that is a warning, and
 * an error for the last one. Weights that are not finite are never written: the result is
 * RECON_ERR_NUMERIC, and the previous files are kept. */
RECON_API recon_status recon_train(recon_ctx *ctx, recon_train_result *out,
                                   const recon_trainee *trainee,
                                   const recon_train_options *options);

#endif
