/* model.h (private) - the parts of a model, its file, and its answers on inputs. */
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

/* The number of poses that a pose density counts as in a verdict: enough to be sure of two opposite
 * poses if one is four times as frequent. The verdict is "cannot tell" for a flat density, and for
 * one with a mean direction below 0.5, that of an arc of +-108 degrees: for objects without a
 * natural pose, unlike the training inputs, the densities of a network have one of 0.3 by chance,
 * and up to 0.5. Both numbers were chosen on letters of training fonts. */
enum { RECON_DENSITY_COUNTS = 30 };

/* A network may also be overconfident: trained on 90 letters in all directions, it memorizes a few,
 * and finds a direction in new ones. So the verdict is one pose with a mean direction below
 * RECON_FIRM_DIRECTION only if the poses of the nearest training inputs confirm it. Their mean
 * cosine about the centre is `support`, about 0 if they have no direction, and 0.4 for the widest
 * arc that counts as one pose, if one neighbour in five is of another kind; RECON_LEAST_SUPPORT is
 * halfway. NaN: unknown. */
#define RECON_FIRM_DIRECTION 0.8
#define RECON_LEAST_SUPPORT  0.2
recon_natural recon_density_natural(const recon_so2_center *counted, double support);

/* The answers of recon_model_read on n inputs: their poses, and the others that are not NULL. */
typedef struct {
    recon_pose *poses;     /* [n] */
    void *maps;            /* [n] what the other heads say, in the type of the model's maps; NULL:
                            they do not run */
    double *p_embedding;   /* [n] p-values of the embeddings; NaN without codes */
    unsigned char *unlike; /* [n] with p_embedding: 1 for inputs unlike the training data */
    double *near;     /* [n][recon_model_near] poses of the nearest codes, less Lambda; NaN where an
                            input has no neighbours */
    int64_t *cluster; /* [n] of the discovery's clusters; -1: none is known */
} recon_read;

/* The operations on a model's answers that depend on its group. */
typedef struct {
    const recon_group *group;
    int near; /* 1: verdicts by a pose density use the nearest codes */
    /* Makes the verdicts on n inputs that were read, with near and p_embedding if it uses them. */
    recon_status (*judge)(recon_ctx *ctx, recon_row *out /* [n] */, const recon_model *model,
                          const recon_read *of, size_t n);
    /* Lists the possible natural poses of an input, from its pose and its map: sets lambda and free
     * of each; recon_pose_complete does the rest. */
    void (*list)(recon_candidates *out, const recon_pose *pose, const void *map);
} recon_model_kind;

/* Returns the operations for a group; NULL if it has no heads. */
const recon_model_kind *recon_model_kind_of(const recon_group *group);

struct recon_model {
    recon_backbone *backbone;
    recon_maps *maps;
    recon_stored_embeddings *codes; /* NULL: a file without them */
    size_t k;                       /* neighbours that make a class, and the mean of their poses: */
    recon_mean_options mean;        /* those of the discovery */
    int by_gauge;                   /* on SO(3): Gamma is moved from that mean to the gauge */
    recon_trust trust;
    int is_judged; /* there is a trust */
};

/* Returns the number of nearest training inputs that verdicts use: one in fifty of the stored
 * codes, at least a class and at most 25; 0 without codes. A training input counts itself. */
size_t recon_model_near(const recon_model *model);

/* Zero in any field means its default. */
typedef struct {
    int half;                             /* weights as bfloat16: half the size, and rounded */
    const recon_metadata_entry *metadata; /* more than the parts say of themselves */
    size_t n_metadata;
    const recon_stored_embeddings *codes; /* NULL: none */
} recon_model_save_options;

/* Writes backbone and maps (NULL: only the backbone) to path, with the metadata of the file `from`,
 * the backbone's own. options may be NULL. */
recon_status recon_model_save(recon_ctx *ctx, const char *path, const char *from,
                              const recon_backbone *backbone, const recon_maps *maps,
                              const recon_model_save_options *options);

/* RECON_ERR_INPUT if the model does not take this kind of data. */
recon_status recon_model_takes(recon_ctx *ctx, const recon_model *model, const char *data);

/* RECON_ERR_NUMERIC if the answer on input i is not finite. Finite weights may still produce such
 * numbers, and no input must be rotated or judged by them. */
recon_status recon_model_check_answer(recon_ctx *ctx, int finite, size_t i);

/* Completes a pose that has psi, given the natural pose lambda. */
void recon_pose_complete(recon_pose *pose, const recon_group *group, const double *lambda);

/* Checks the inputs and reads them. */
recon_status recon_model_read(recon_ctx *ctx, const recon_read *out, const recon_model *model,
                              const void *inputs, size_t n);
/* The same for inputs that the backbone has embedded. inputs may be NULL if the centre of rotation
 * is not needed and no head is a network on inputs. */
recon_status recon_model_answer(recon_ctx *ctx, const recon_read *out, const recon_model *model,
                                const recon_seen *seen, const void *inputs, size_t n);
/* Allocate the arrays, including near if it is requested and there is a pose density; the second
 * also fills them. Always free them. */
recon_status recon_read_new(recon_ctx *ctx, recon_read *out, const recon_model *model, size_t n,
                            int near);
recon_status recon_model_read_all(recon_ctx *ctx, recon_read *out, const recon_model *model,
                                  const void *inputs, size_t n, int near);
void recon_read_free(recon_read *r);
/* Returns the law that judges inputs of this cluster; NULL: their own density does. */
const recon_law *recon_model_law(const recon_model *model, int64_t cluster);
/* Returns how unusual it would be for input i of those that were read to have this pose: by the poses of its cluster
 * where the law of that is known, else by its own density. */
double recon_model_p_value(const recon_model *model, const recon_read *of, size_t i,
                           const double *psi);
/* Returns the number of inputs behind these p-values: none is below 1 / (n + 1). */
size_t recon_model_calibrated(const recon_model *model);
/* Returns the map of input i. */
const void *recon_read_map(const recon_read *r, const recon_model *model, size_t i);

/* Computes the score of input i of those that were read. */
recon_status recon_score_one(recon_ctx *ctx, recon_pose_score *out, const recon_model *model,
                             const recon_read *of, size_t i);

/* RECON_ERR_INPUT for invalid options. */
recon_status recon_canonicalize_check(recon_ctx *ctx, const recon_canonicalize_options *options);

/* Fills in the rows of n inputs that were read, with near if the kind uses it. */
recon_status recon_rows_fill(recon_ctx *ctx, recon_row *out /* [n] */, const recon_model *model,
                             const recon_read *of, size_t n,
                             const recon_canonicalize_options *options);

/* Returns whether a gate lets an input with this p-value be rotated; only_if 0: no gate. */
int recon_gate_opens(double only_if, double p_value);

/* Makes the verdicts on n images; no other code does. The modes are relative to Lambda. */
recon_status recon_so2_verdicts(recon_ctx *ctx, recon_so2_center *out /* [n] */,
                                const recon_model *model, const recon_read *of, size_t n);

/* Returns the motion in a direction, for recon_se3_act_n. */
recon_se3 recon_pose_motion(const recon_pose *pose, recon_direction direction);

#endif
