/* kind.h (private) - the group as a table: what the maps of SO(2) and of SO(3) do differently.
 *
 * Everything else about maps (networks, files, training, calibration, p-values) is in maps.c and
 * fit.c, once. */
#ifndef MAPS_KIND_H
#define MAPS_KIND_H

#include <recon/maps/maps.h>
#include <recon/nn/tape.h>
#include "maps/part.h"
#include "maps/tails.h"

enum { RECON_HEADS_MOST = 6, RECON_HEAD_OUTPUTS = 64 }; /* of maps, of a head */

/* One head: what it puts out, its loss, and how its numbers are read. */
typedef struct {
    const char *name;
    size_t outputs, targets; /* numbers a row */
    int dropout;             /* is it trained with dropout? */
    /* number: what the maps keep beside their heads, see recon_maps_kind */
    recon_var (*loss)(recon_tape *tape, recon_var y, recon_var target, double number);
    void (*read)(void *map, const double *y, double number);
    /* The loss of the first part of training, see RECON_HEAD_TRAINING_EARLY; NULL: the same as later. */
    recon_var (*early)(recon_tape *tape, recon_var y, recon_var target, double number);
    int optional; /* may a file lack it? then nobody asks it */
} recon_head_kind;

/* What the heads learn: for each an array of plain numbers. */
typedef struct {
    float *of[RECON_HEADS_MOST]; /* [n][head[h].targets] */
    double number;
} recon_targets;

struct recon_head_training;

typedef struct recon_maps_kind {
    const recon_group *group;
    const char *name;            /* "so2": what the file's metadata calls the group             */
    const recon_head_kind *head; /* [heads]; the first one's layers tell a file's sizes         */
    int heads;
    unsigned lambda;    /* bits of the heads that RECON_MAPS_LAMBDA runs                         */
    unsigned by_head;   /* and of those that it runs besides where Lambda is RECON_LAMBDA_HEAD    */
    size_t map;         /* bytes of one input's map: a recon_so2_map, a recon_so3_map           */
    size_t lambda_at;   /* where Lambda is in it, the numbers of a pose                          */
    const char *number; /* the name by which files hold one number more: the family of Theta, or
                           the unit of F                                                        */
    const char *number_is; /* what that must be, for the message                                */
    int (*number_fits)(double number);
    recon_maps_options defaults;
    size_t steps_least; /* a small set is gone through more often than `epochs`, up to these    */
    int plain;          /* see recon_train_options                                              */
    int as_split; /* see recon_head_training                                                    */

    /* See recon_targets_make, which has checked the points. */
    recon_status (*targets)(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                            const recon_frames *frames);
    /* Before training: first weights, and who teaches whom. NULL: nothing to do. *keep is freed
     * behind the training. */
    recon_status (*prepare)(recon_ctx *ctx, recon_maps *maps, struct recon_head_training *training,
                            const recon_frames *frames, void **keep);
    /* n maps as the heads have left them; `part` says which heads. */
    recon_status (*finish)(recon_ctx *ctx, void *maps, size_t n, recon_maps_part part,
                           double number);
    double (*score)(const void *map, const double *psi); /* -log p(psi | x) */
    recon_tail_point (*tail)(const void *map, const double *psi);
} recon_maps_kind;

extern const recon_maps_kind recon_so2_maps, recon_so3_maps;

/* Pseudo-labels from the points and their frames. Free them whatever the status. */
recon_status recon_targets_make(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                                const recon_frames *frames);
void recon_targets_free(recon_targets *targets);

/* The kind of a group. */
const recon_maps_kind *recon_maps_kind_of(const recon_group *group);

#endif
