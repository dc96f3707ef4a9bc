/* codes.h (private) - embeddings of training inputs with their poses, which a model keeps: what the
 * neighbours of a new input are searched among, and what tells that it is like none of them.
 *
 * An input may be unlike the codes by its distance, in coordinates in which they are white, or by its angle:
 * either overlooks what the other sees. Of the Fashion model, 60 % of digits are too far at 5 %, and 99 %
 * at too large an angle; of the MNIST model, 99 % of garments are too far, and 71 % at too large an angle.
 *
 * In a file, see docs/formats.md: codes.z and codes.scale, codes.pose, codes.whiten, and
 * codes.distances, codes.angles, codes.rarer and codes.held, which calibrate; codes.cluster, codes.laws and
 * codes.frame. */
#ifndef MODEL_CODES_H
#define MODEL_CODES_H

#include <recon/backbone/embedded.h>
#include <recon/core/safetensors.h>
#include "knn/points.h"
#include "maps/calibration.h"
#include "model/laws.h"

/* Codes that are kept at most, and points that calibrate; and the nearest of them whose mean distance is looked at. */
enum { RECON_CODES_MOST = 4096, RECON_CODES_NEAREST = 5 };

typedef struct {
    const recon_group *group;
    size_t n, d;
    float *z;      /* [n][d], rounded to half precision and in units of scale */
    float scale;   /* a power of two: half precision has a narrow range       */
    double *poses; /* [n][group->numbers] psi of each                         */
    float *whiten; /* see whiten.h: of the codes, and of the same inputs rotated */
    float *white;  /* [n][d] the codes in those coordinates                   */
    recon_points by_angle, by_distance; /* z and white, made ready for search  */
    /* Of the inputs held out: distances, angles, and -log of the smaller p-value of the two. The last two
     * are of 0 inputs in files that have distances alone. */
    recon_calibration distances, angles, rarer;
    int64_t *cluster; /* [n] of each code; NULL: a file without clusters */
    recon_laws laws;  /* of the clusters                                */
} recon_stored_embeddings;

/* The points whose codes are kept, all or where there are too many a random choice, the same in every
 * run; and behind them, likewise, those that are held [n], which calibrate. There is at least one of either
 * sort. Returns how many there are in which [n]. */
size_t recon_codes_points(size_t *which, const unsigned char *held, size_t n);

/* rotated [recon_codes_points][d]: embeddings of these points, each rotated at random; NULL: not known.
 * A rotation changes z, most where a network has seen few inputs. Without them an input would be unlike
 * the training data for being rotated: data that occur in few poses hardly vary in the directions of
 * that change, in which a small step then counts much. */
recon_status recon_codes_make(recon_ctx *ctx, recon_stored_embeddings **out,
                              const recon_embedded *data, const unsigned char *held,
                              const float *rotated);
void recon_codes_free(recon_stored_embeddings *codes);

/* From an open file; path is for messages. A file without codes is good, and *out NULL. The poses
 * are of this group, and embeddings of d numbers. */
recon_status recon_codes_read(recon_ctx *ctx, recon_stored_embeddings **out,
                              const recon_safetensors *file, const char *path,
                              const recon_group *group, size_t d);

/* The same as tensors of a file; the entries point into it. Free it whatever the status. */
enum { RECON_CODES_TENSORS = 11 };
typedef struct {
    recon_tensor_entry entry[RECON_CODES_TENSORS];
    size_t entries; /* of them: all, or without angles where there are none */
    uint16_t *z;
    float *pose, *cluster, *laws, frame, distances[RECON_QUANTILES], angles[RECON_QUANTILES],
        rarer[RECON_QUANTILES];
    float scale, held;
} recon_codes_tensors;
recon_status recon_codes_tensors_make(recon_ctx *ctx, recon_codes_tensors *out,
                                      const recon_stored_embeddings *codes);
void recon_codes_tensors_free(recon_codes_tensors *tensors);

/* Whether an embedding has no direction. */
int recon_code_is_zero(const float *z /* [d] */, size_t d);

/* The k <= codes->n nearest codes by cosine similarity, nearest first, of each of m embeddings.
 * index [m][k] counts codes: their poses are those of codes->poses. An embedding that is zero has no
 * neighbours: -1. */
recon_status recon_codes_nearest(recon_ctx *ctx, int64_t *index,
                                 const recon_stored_embeddings *codes, const float *z /* [m][d] */,
                                 size_t m, size_t k);

/* The cluster of each of m embeddings: that of most of their k nearest codes, of several the one that has the
 * nearest. -1: of an embedding that is zero, and of all where there are no clusters. */
recon_status recon_codes_clusters(recon_ctx *ctx, int64_t *out /* [m] */,
                                  const recon_stored_embeddings *codes, const float *z /* [m][d] */,
                                  size_t m, size_t k);

/* The p-value of each of m embeddings: the share of the inputs held out that are as unlike the codes, by
 * distance or by angle. Small: the input is unlike the training data, whatever its pose. */
recon_status recon_codes_p_values(recon_ctx *ctx, double *out /* [m] */,
                                  const recon_stored_embeddings *codes, const float *z /* [m][d] */,
                                  size_t m);
/* The least p-value that there is: of what is beyond all inputs held out. */
double recon_codes_floor(const recon_stored_embeddings *codes);

#endif
