/* index.h (private) - what is known of the points of an index before any query: Algorithm 1 for
 * queries is learned once and asked as often as one likes. */
#ifndef NORMALIZE_INDEX_H
#define NORMALIZE_INDEX_H

#include <recon/normalize/index.h>
#include "core/safetensors.h"
#include "group/group.h"
#include "normalize/classes.h"
#include "normalize/p_values.h"
#include "normalize/pooled.h"

#define RECON_MOST_POOLED 1000000 /* points of an index that clusters are looked for in */

enum { RECON_GROUP_NAME = 64, RECON_INDEX_TENSORS = 20 };

/* What is found of each class, and of each member of it the centred pose. */
typedef struct {
    double *gamma, *identifiability;
    recon_class_verdict *finding;
    double *modes; /* [RECON_FRAME_MODES] each, see recon_class_verdict_take */
    char *fits;    /* group->fit_size bytes each */
    double *normalized;
} recon_class_findings;

struct recon_index {
    recon_normalize_options options;
    recon_embedded points; /* group: of the context at hand, see recon_index_view */
    char group[RECON_GROUP_NAME];
    const recon_group *group_of; /* of frames */
    recon_group_run *run;        /* of points, if the group is not bounded; or NULL */
    recon_points search;         /* of the points; over ranks none */
    int ranks;
    int family;     /* 0: by the queries, where the points' own classes are not known */
    double seconds; /* spent on classes */
    /* KNN, unless there are too many points or too few: their neighbours, and what these tell. */
    int has_graph;
    recon_class_table graph;
    recon_class_jump jump;
    recon_pooled pooled;
    double *nearest; /* [n] minus the distance to the nearest other point, ascending */
    recon_p_tails tails;
    /* COMPONENTS and GIVEN: the sets, and [n] that of each point. */
    recon_class_table sets;
    int64_t *label;
    recon_class_findings of_sets;
    /* Arrays that the index does not lend: its own, or those of a mapped file. */
    recon_safetensors *file;
    recon_array tensor[RECON_INDEX_TENSORS];
};

/* Fills in what follows from options, points and ranks, and where it is there already from label.
 * points.group must be set. */
recon_status recon_index_learn(recon_ctx *ctx, recon_index *index);

/* COMPONENTS and GIVEN: the sets alone, which are not saved. */
recon_status recon_index_learn_sets(recon_ctx *ctx, recon_index *index);

/* Checks points, which go with those of an index, and options. */
recon_status recon_index_check_points(recon_ctx *ctx, const recon_embedded *points,
                                      const recon_embedded *index, const char *what, int posed);
recon_status recon_index_check(recon_ctx *ctx, const recon_embedded *points,
                               const recon_normalize_options *options);

/* A shallow copy whose points have the group of this context. */
recon_status recon_index_view(recon_ctx *ctx, recon_index *out, const recon_index *index);

/* Sets group_of and run, when points.group and poses are set. */
recon_status recon_index_take_pool(recon_ctx *ctx, recon_index *index);

/* Frees what an index on the stack holds. */
void recon_index_clear(recon_index *index);

#endif
