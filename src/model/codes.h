/* codes.h (private) - the codes of a model: stored embeddings of training inputs, with their poses.
 * The neighbours of a new input are searched among them, and they show if it is unlike the training
 * data.
 *
 * An input may be unlike the codes by its distance, after whitening, or by its angle. Each misses
 * what the other detects: with the Fashion model, 60 % of digits are too far at the level 5 %, and
 * 99 % have too large an angle; with the MNIST model, 99 % of garments are too far, and 71 % have
 * too large an angle.
 *
 * In a file, see docs/formats.md: codes.z and codes.scale, codes.pose, codes.whiten, and
 * codes.distances, codes.angles, codes.rarer and codes.held, which calibrate; codes.local; codes.cluster and
 * codes.laws; codes.density, codes.usual and codes.counted. */
#ifndef MODEL_CODES_H
#define MODEL_CODES_H

#include <recon/backbone/embedded.h>
#include <recon/core/safetensors.h>
#include "knn/points.h"
#include "maps/calibration.h"
#include "model/laws.h"

/* The most codes and calibration points; and the number of nearest codes in a distance. */
enum { RECON_CODES_MOST = 4096, RECON_CODES_NEAREST = 5 };

typedef struct {
    const recon_group *group;
    size_t n, d;
    float *z;      /* [n][d], rounded to half precision and in units of scale */
    float scale;   /* a power of two, since half precision has a narrow range */
    double *poses; /* [n][group->numbers] psi of each */
    float *whiten; /* see whiten.h; computed from the codes and from the same inputs rotated */
    float *white;  /* [n][d] the whitened codes */
    recon_points by_angle, by_distance; /* z and white, prepared for searching */
    /* For the held-out inputs: distances, angles, and -log of the smaller of their two p-values.
     * The last two have 0 inputs in files that only have distances. */
    recon_calibration distances, angles, rarer;
    float *local;     /* [2][n] see codes.c; NULL: a file without it */
    int64_t *cluster; /* [n] of each code; NULL: a file without clusters */
    recon_laws laws;  /* of the clusters */
} recon_stored_embeddings;

/* Chooses the points whose codes are stored, all of them or a random subset that is the same in
 * every run, and after them, in the same way, points that are held [n], for calibration. There is
 * at least one of each. Returns the number of points in which [n]. */
size_t recon_codes_points(size_t *which, const unsigned char *held, size_t n);

/* Makes the codes. rotated [recon_codes_points][d] are embeddings of these points, each rotated at
 * random, or NULL. They are needed because a rotation changes z, most if a network has seen few
 * inputs: data that occur in few poses hardly vary in the directions of that change, so that a
 * rotated input would seem unlike the training data. */
recon_status recon_codes_make(recon_ctx *ctx, recon_stored_embeddings **out,
                              const recon_embedded *data, const unsigned char *held,
                              const float *rotated);
void recon_codes_free(recon_stored_embeddings *codes);

/* Reads the codes from an open file; path is for messages. If the file has none, *out is NULL. The
 * poses are elements of the group, and embeddings have d numbers. */
recon_status recon_codes_read(recon_ctx *ctx, recon_stored_embeddings **out,
                              const recon_safetensors *file, const char *path,
                              const recon_group *group, size_t d);

/* The codes as tensors of a file; the entries point into it. Always free it. */
enum { RECON_CODES_TENSORS = 14 };
typedef struct {
    recon_tensor_entry entry[RECON_CODES_TENSORS];
    size_t entries; /* the number of entries, fewer without angles */
    uint16_t *z;
    float *pose, *cluster, *laws, distances[RECON_QUANTILES], angles[RECON_QUANTILES],
        rarer[RECON_QUANTILES], usual[RECON_QUANTILES];
    float scale, held, counted;
} recon_codes_tensors;
recon_status recon_codes_tensors_make(recon_ctx *ctx, recon_codes_tensors *out,
                                      const recon_stored_embeddings *codes);
void recon_codes_tensors_free(recon_codes_tensors *tensors);

/* Returns whether an embedding is zero and thus has no direction. */
int recon_code_is_zero(const float *z /* [d] */, size_t d);

/* Finds the k <= codes->n nearest codes of each of m embeddings by cosine similarity, nearest
 * first. apart [m][k], or NULL, is 1 less that. index [m][k] are indices of codes, as in codes->poses, or -1 if the embedding is zero. */
recon_status recon_codes_nearest(recon_ctx *ctx, int64_t *index, double *apart,
                                 const recon_stored_embeddings *codes, const float *z /* [m][d] */,
                                 size_t m, size_t k);

/* Finds the cluster of each of m embeddings: that of most of its k nearest codes; ties go to the
 * one with the nearest code. -1 for an embedding that is zero, and if there are no clusters. */
recon_status recon_codes_clusters(recon_ctx *ctx, int64_t *out /* [m] */,
                                  const recon_stored_embeddings *codes, const float *z /* [m][d] */,
                                  size_t m, size_t k);

/* Computes the p-value of each of m embeddings: the share of held-out inputs that are as unlike the
 * codes, by distance or by angle. If it is small, the input is unlike the training data. */
#define RECON_CODES_UNLIKE 0.01
recon_status recon_codes_p_values(recon_ctx *ctx, double *out /* [m] */, unsigned char *unlike,
                                  const recon_stored_embeddings *codes, const float *z /* [m][d] */,
                                  size_t m);
/* The smallest possible p-value, of inputs further from the codes than all held-out ones. */
double recon_codes_floor(const recon_stored_embeddings *codes);

#endif
