/* model.h (private) - a model's parts, its file, and what it says of inputs. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <recon/model/canonicalize.h>
#include <recon/model/model.h>
#include <recon/model/pose.h>
#include <recon/model/score.h>
#include "maps/maps.h"
#include "maps/so2_map.h"
#include "maps/so3_map.h"
#include "group/se3.h"
#include "model/codes.h"

/* So many poses a pose density counts as, when it is asked for a verdict: enough to be sure of two
 * opposite poses of which one is four times as frequent. What it says then, of the verdict of these: a
 * flat density cannot tell, nor one whose mean direction is below a half, that of an arc of +-108 degrees.
 * On inputs unlike those it has learned from, a network's densities of objects without a natural pose have
 * one of 0.3 by chance, and up to a half. Both numbers were chosen on letters of training fonts. */
enum { RECON_DENSITY_COUNTS = 30 };

/* A network may also be surer than its data: it remembers a few of 90 letters in all directions, and finds
 * a direction in new ones. So one pose with a mean direction below RECON_FIRM_DIRECTION is claimed only if
 * the poses of the nearest training inputs bear it out. Their mean cosine about the centre is `support`,
 * which is about 0 if they have no direction, and 0.4 for the widest arc that is claimed, with one
 * neighbour in five of another kind; RECON_LEAST_SUPPORT is halfway. NaN: nothing is known of them. */
#define RECON_FIRM_DIRECTION 0.8
#define RECON_LEAST_SUPPORT  0.2
recon_natural recon_density_natural(const recon_so2_center *counted, double support);

/* What recon_model_read reads off n inputs: their poses, and of the others what is not NULL. */
typedef struct {
    recon_pose *poses;   /* [n]                                                              */
    void *maps;          /* [n] what the other heads say, in the type of the model's maps; NULL:
                            they do not run                                                  */
    double *p_embedding; /* [n] p-values of the embeddings; NaN without codes                */
    double *near;     /* [n][recon_model_near] poses of the nearest codes, less Lambda; NaN where an
                            input has no neighbours                                          */
    int64_t *cluster; /* [n] of the discovery's clusters; -1: none is known                  */
} recon_read;

/* What is asked of a model's answers by its group. */
typedef struct {
    const recon_group *group;
    int near; /* do verdicts look at the nearest codes of a pose density? */
    /* The verdicts on n inputs that have been read, with near and p_embedding where they look at them. */
    recon_status (*judge)(recon_ctx *ctx, recon_row *out /* [n] */, const recon_model *model,
                          const recon_read *of, size_t n);
    /* The natural poses that an input may have, from its pose and its map: the lambda of each, and
     * whether it is free; recon_pose_complete does the rest. */
    void (*list)(recon_candidates *out, const recon_pose *pose, const void *map);
} recon_model_kind;

/* That of a group; NULL: it has no heads. */
const recon_model_kind *recon_model_kind_of(const recon_group *group);

struct recon_model {
    recon_backbone *backbone;
    recon_maps *maps;
    recon_stored_embeddings *codes; /* NULL: a file without them */
    size_t k;                       /* neighbours that make a class, and the mean of their poses: */
    recon_mean_options mean;        /* those of the discovery                                     */
    int by_gauge;                   /* on SO(3): Gamma is moved from that mean to the gauge       */
    recon_trust trust;
    int is_judged; /* there is a trust */
};

/* How many training inputs are near an input, as far as verdicts are concerned: one in fifty of the stored
 * codes, but at least as many as make a class, and at most 25. 0 without codes. An input that the model
 * has learned from is near itself. */
size_t recon_model_near(const recon_model *model);

/* Zero in any field means its default. */
typedef struct {
    int half;                             /* weights as bfloat16: half the size, and rounded   */
    const recon_metadata_entry *metadata; /* more than the parts say of themselves             */
    size_t n_metadata;
    const recon_stored_embeddings *codes; /* NULL: none                                        */
} recon_model_save_options;

/* Writes backbone and maps to path. What the file `from`, the backbone's own, says of itself in its
 * metadata is said again. Without maps (NULL) it is the backbone alone. options may be NULL. */
recon_status recon_model_save(recon_ctx *ctx, const char *path, const char *from,
                              const recon_backbone *backbone, const recon_maps *maps,
                              const recon_model_save_options *options);

/* RECON_ERR_INPUT for a model of another kind of data than this. */
recon_status recon_model_takes(recon_ctx *ctx, const recon_model *model, const char *data);

/* RECON_ERR_NUMERIC for an answer to input i that is not finite: weights that are finite may still
 * make numbers that are not, and nothing should be rotated or judged by one. */
recon_status recon_model_check_answer(recon_ctx *ctx, int finite, size_t i);

/* Completes a pose whose psi is there, of an input whose natural pose is lambda. */
void recon_pose_complete(recon_pose *pose, const recon_group *group, const double *lambda);

/* Checks the inputs and reads them. */
recon_status recon_model_read(recon_ctx *ctx, const recon_read *out, const recon_model *model,
                              const void *inputs, size_t n);
/* The same of inputs that the backbone has seen; NULL: whoever asks needs no place to rotate about, and
 * no head is a network on the inputs. */
recon_status recon_model_answer(recon_ctx *ctx, const recon_read *out, const recon_model *model,
                                const recon_seen *seen, const void *inputs, size_t n);
/* Arrays of their own, near among them if it is asked for and there is a pose density: free them,
 * whatever the status. The second fills them, too. */
recon_status recon_read_new(recon_ctx *ctx, recon_read *out, const recon_model *model, size_t n,
                            int near);
recon_status recon_model_read_all(recon_ctx *ctx, recon_read *out, const recon_model *model,
                                  const void *inputs, size_t n, int near);
void recon_read_free(recon_read *r);
/* The law by which an input of this cluster is judged; NULL: by its own density. */
const recon_law *recon_model_law(const recon_model *model, int64_t cluster);
/* The map of input i. */
const void *recon_read_map(const recon_read *r, const recon_model *model, size_t i);

/* The score of input i of those that were read. */
recon_status recon_score_one(recon_ctx *ctx, recon_pose_score *out, const recon_model *model,
                             const recon_read *of, size_t i);

/* The candidates of n inputs; one that is left as it is has one candidate, which does not rotate it.
 * options may be NULL. */
recon_status recon_candidates_gated(recon_ctx *ctx, recon_candidates *out /* [n] */,
                                    const recon_model *model, const void *inputs, size_t n,
                                    const recon_canonicalize_options *options);

/* RECON_ERR_INPUT for options that cannot be meant. */
recon_status recon_canonicalize_check(recon_ctx *ctx, const recon_canonicalize_options *options);

/* The rows of n inputs that have been read, with near where the kind asks for it. */
recon_status recon_rows_fill(recon_ctx *ctx, recon_row *out /* [n] */, const recon_model *model,
                             const recon_read *of, size_t n,
                             const recon_canonicalize_options *options);

/* Whether a gate lets an input with this p-value be rotated; only_if 0: there is none. */
int recon_gate_opens(double only_if, double p_value);

/* What is known of the natural poses of n images: the one place where a verdict is made. The modes
 * are relative to Lambda. */
recon_status recon_so2_verdicts(recon_ctx *ctx, recon_so2_center *out /* [n] */,
                                const recon_model *model, const recon_read *of, size_t n);

/* The motion there or back: recon_se3_act_n takes places along. */
recon_se3 recon_pose_motion(const recon_pose *pose, recon_direction direction);

#endif
