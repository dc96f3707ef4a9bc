/* kind.h (private) - the table of a group's heads: the operations that differ between SO(2) and
 * SO(3).
 *
 * A group without heads works with recon_normalize only. Everything else about maps (networks,
 * files, training, calibration, p-values) is common to all groups, in maps.c and fit.c. */
#ifndef MAPS_KIND_H
#define MAPS_KIND_H

#include <recon/maps/maps.h>
#include <recon/nn/tape.h>
#include "maps/part.h"
#include "maps/tails.h"

enum { RECON_HEADS_MOST = 6, RECON_HEAD_OUTPUTS = 64 }; /* of maps, of a head */

/* A head: its outputs, its loss, and how its outputs are read. */
typedef struct {
    const char *name;
    size_t outputs, targets; /* numbers per row */
    int dropout;             /* 1: it is trained with dropout */
    /* number: maps->number, see recon_maps_kind */
    recon_var (*loss)(recon_tape *tape, recon_var y, recon_var target, double number);
    void (*read)(void *map, const double *y, double number);
    /* The loss in the first part of training, see RECON_HEAD_TRAINING_EARLY; NULL: `loss`. */
    recon_var (*early)(recon_tape *tape, recon_var y, recon_var target, double number);
    int optional; /* 1: a file may lack it; it is then not used */
} recon_head_kind;

/* The targets of the heads, an array of plain numbers for each. */
typedef struct {
    float *of[RECON_HEADS_MOST]; /* [n][head[h].targets] */
    double number;
} recon_targets;

struct recon_head_training;

typedef struct recon_maps_kind {
    const recon_group *group;
    const recon_head_kind *head; /* [heads]; the first one's layers tell a file's sizes */
    int heads;
    unsigned lambda;    /* bits of the heads that RECON_MAPS_LAMBDA runs */
    unsigned by_head;   /* and of those that it runs besides where Lambda is RECON_LAMBDA_HEAD */
    size_t map;         /* bytes of one input's map: a recon_so2_map, a recon_so3_map */
    size_t lambda_at;   /* where Lambda is in it, the numbers of a pose */
    size_t free_at;     /* where the number of its free directions is; 0: none is ever free */
    const char *number; /* the name by which files hold one number more: the family of Theta, or
                           the unit of F */
    const char *parameter_is; /* what that must be, for the message */
    int (*parameter_fits)(double number);
    int parameter_is_family;  /* it is one of the group's families; else the unit of F */
    recon_lambda usual;       /* where Lambda comes from in files that do not say */
    int compared;             /* are the ways to Lambda compared by likelihood on points held out?
                                  else it comes from where it usually does */
    const char *any_rotation; /* the rule by which data are rotated at random, anywhere */
    recon_maps_options defaults;
    size_t steps_least; /* a small set is gone through more often than `epochs`, up to these */
    int plain;          /* see recon_train_options */
    int as_split;       /* see recon_head_training */

    /* See recon_targets_make, which checks the points. */
    recon_status (*targets)(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                            const recon_frames *frames);
    /* Prepares a training: initial weights, and which heads learn from others. May be NULL. *keep
     * is freed after the training. */
    recon_status (*prepare)(recon_ctx *ctx, recon_maps *maps, struct recon_head_training *training,
                            const recon_frames *frames, void **keep);
    /* Completes n maps after the heads, or those of `part`, have run. */
    recon_status (*finish)(recon_ctx *ctx, void *maps, size_t n, recon_maps_part part,
                           double number);
    double (*score)(const void *map, const double *psi); /* -log p(psi | x) */
    /* Returns Lambda by the head or by the density: that of the heads or, for kinds with
     * put_density, the pose density log_q. */
    void (*lambda_of)(double *out, const void *map, recon_lambda way, const double *psi,
                      const float *log_q);
    /* Replaces the heads' answers by those of the backbone's pose density, except Lambda with
     * keep_lambda and Theta with keep_theta. NULL: the heads have a density of their own. */
    void (*put_density)(void *map, const double *psi, const float *log_q, recon_maps_part part,
                        int keep_lambda, int keep_theta);
    /* Called after the networks on the inputs; may be NULL. */
    void (*after_nets)(void *map);
    recon_tail_point (*tail)(const void *map, const double *psi);
    /* Computes the paper's scores, see recon_pose_score: out[0] the surrogate; out[1] with Lambda
     * and Theta learned as labels, and out[2] without centring, which it may leave unset. */
    void (*surrogates)(double out[3], const void *map, const double *psi);
    /* Makes a map for inputs on which no head runs; put_density does the rest. NULL: they always
     * run. */
    void (*blank)(void *map, double number);
    int (*is_finite)(const void *map); /* NULL: it is finite if the pose is */
} recon_maps_kind;

extern const recon_maps_kind recon_so2_maps, recon_so3_maps;

/* Makes pseudo-labels from the points and their frames. Always free them. */
recon_status recon_targets_make(recon_ctx *ctx, recon_targets *out, const recon_embedded *data,
                                const recon_frames *frames);
void recon_targets_free(recon_targets *targets);

/* Returns the kind of a group; NULL if it has no heads. */
const recon_maps_kind *recon_maps_kind_of(const recon_group *group);

/* Returns whether Lambda can come from a density, that of the backbone or of the heads. */
static inline int recon_maps_know_density(const recon_maps_kind *kind, int of_backbone)
{
    return of_backbone || !kind->put_density;
}

#endif
