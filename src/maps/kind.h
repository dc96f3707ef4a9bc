/* kind.h (private) - heads of a group: what the maps of SO(2) and of SO(3) do differently.
 *
 * A group without heads is for recon_normalize alone. Everything else about maps (networks, files,
 * training, calibration, p-values) is in maps.c and fit.c, once. */
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
    const recon_head_kind *head; /* [heads]; the first one's layers tell a file's sizes         */
    int heads;
    unsigned lambda;    /* bits of the heads that RECON_MAPS_LAMBDA runs                         */
    unsigned by_head;   /* and of those that it runs besides where Lambda is RECON_LAMBDA_HEAD    */
    size_t map;         /* bytes of one input's map: a recon_so2_map, a recon_so3_map           */
    size_t lambda_at;   /* where Lambda is in it, the numbers of a pose                          */
    size_t free_at;     /* where the number of its free directions is; 0: none is ever free      */
    const char *number; /* the name by which files hold one number more: the family of Theta, or
                           the unit of F                                                        */
    const char
        *parameter_is; /* what that must be, for the message                                */
    int (*parameter_fits)(double number);
    int parameter_is_family;  /* it is one of the group's families; else the unit of F         */
    recon_lambda usual;       /* where Lambda comes from in files that do not say               */
    int compared;             /* are the ways to Lambda compared by likelihood on points held out?
                                  else it comes from where it usually does                       */
    const char *any_rotation; /* the rule by which data are rotated at random, anywhere         */
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
    /* Lambda by the head or by the density, which is the heads' own or, of kinds with put_density, the
     * pose density log_q. */
    void (*lambda_of)(double *out, const void *map, recon_lambda way, const double *psi,
                      const float *log_q);
    /* Puts what a backbone's pose density says over what the heads have said. With keep_lambda and
     * keep_theta those stay. NULL: the heads have a density of their own. */
    void (*put_density)(void *map, const double *psi, const float *log_q, recon_maps_part part,
                        int keep_lambda, int keep_theta);
    /* After networks on the inputs have answered; NULL: nothing to do. */
    void (*after_nets)(void *map);
    recon_tail_point (*tail)(const void *map, const double *psi);
    /* The paper's scores, see recon_pose_score: out[0] the surrogate; out[1] and out[2], which may be
     * left alone, with Lambda and Theta learned as labels, and without centering. */
    void (*surrogates)(double out[3], const void *map, const double *psi);
    /* A map of inputs that no head is asked about: put_density does the rest. NULL: the heads always
     * are. */
    void (*blank)(void *map, double number);
    int (*is_finite)(const void *map); /* NULL: the poses tell */
} recon_maps_kind;

extern const recon_maps_kind recon_so2_maps, recon_so3_maps;

/* Pseudo-labels from the points and their frames. Free them whatever the status. */
recon_status recon_targets_make(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                                const recon_frames *frames);
void recon_targets_free(recon_targets *targets);

/* The kind of a group; NULL: it has no heads. */
const recon_maps_kind *recon_maps_kind_of(const recon_group *group);

/* Whether Lambda can come from a density, which the backbone has or else the heads. */
static inline int recon_maps_know_density(const recon_maps_kind *kind, int of_backbone)
{
    return of_backbone || !kind->put_density;
}

#endif
