/* evaluate.h - what the paper's tables measure, each a function of plain arrays.
 *
 * The truth (labels, the angles by which images were rotated) is used here and nowhere else. Angles
 * are radians, labels run from 0 to classes - 1, n = 0 is RECON_ERR_INPUT, and so is a label or an
 * angle that is neither: the message names its place. */
#ifndef EXPERIMENTS_EVALUATE_H
#define EXPERIMENTS_EVALUATE_H

#include <recon/model/canonicalize.h>
#include <recon/backbone/classifier.h>
#include <recon/data/dataset.h>
#include <recon/normalize/normalize.h>

/* --- a frozen model in front of which images are rotated --------------------------------------- */

/* Gives each of n images the class it is taken for. */
typedef recon_status recon_guess(recon_ctx *ctx, void *user, int64_t *labels /* [n] */,
                                 const float *images, size_t n);

/* The class of the largest logit, and for recon_canonicalize_search the logarithm of its
 * probability; user is a recon_classifier. */
recon_status recon_guess_by_classifier(recon_ctx *ctx, void *user, int64_t *labels,
                                       const float *images, size_t n);
recon_status recon_judge_by_classifier(recon_ctx *ctx, void *user, double *scores,
                                       const float *images, size_t n);

/* The share of data taken for what it is, when image i is first rotated by rotations[i] (one bilinear
 * resampling); rotations may be NULL: images as they are. */
recon_status recon_evaluate_accuracy(recon_ctx *ctx, double *out, const recon_dataset *data,
                                     const double *rotations /* [n] */, recon_guess *guess,
                                     void *user);

/* --- poses ------------------------------------------------------------------------------------ */

#define RECON_POSE_FLIPPED (150 * 3.14159265358979323846 / 180)
#define RECON_POSE_CLOSE   (20 * 3.14159265358979323846 / 180)

/* How far poses are from the truth. */
typedef struct {
    double median, p95, mean; /* of the distance from the truth                               */
    double flips, close;      /* shares beyond RECON_POSE_FLIPPED and within RECON_POSE_CLOSE */
} recon_pose_error;
recon_status recon_evaluate_poses(recon_ctx *ctx, recon_pose_error *out,
                                  const double *pose /* [n] */, const double *truth /* [n] */,
                                  size_t n);

/* --- unusual poses -------------------------------------------------------------------------------- */

/* How far from upright a pose is natural: the half-width of a uniform rule, twice sigma of a normal
 * one, and at least 5 degrees. The paper says the first; the second is ours. */
double recon_evaluate_reach(recon_rotation_law rotation);

/* unusual[i] = 1 where angle i is beyond the reach of its label's rule. */
void recon_evaluate_unusual(uint8_t *unusual /* [n] */, const recon_rotation_rule *rule,
                            const int64_t *labels /* [n] */, const double *angles /* [n] */,
                            size_t n);

/* Areas under the curves of three scores for telling unusual poses. */
typedef struct {
    const double *ieae;    /* |psi - middle of the support predicted without centring| */
    const double *recon;   /* |g_abs|                                                  */
    const double *density; /* -log p(g_abs)                                            */
} recon_ood_scores;
typedef struct {
    double ieae, recon, density; /* areas under the curve */
    double share;                /* of unusual poses          */
} recon_ood_auc;
recon_status recon_evaluate_ood(recon_ctx *ctx, recon_ood_auc *out, const recon_ood_scores *scores,
                                const uint8_t *unusual, size_t n);

/* --- widths of the distributions -------------------------------------------------------------- */

/* A class: its true width, and mean and standard deviation of those predicted; NaN for n = 0. */
typedef struct {
    size_t n;
    double truth, mean, spread;
} recon_width;
/* by_class, the paper's: |truth - mean of the class|, averaged over the classes that occur.
 * by_sample: |truth - prediction|, averaged over all. */
typedef struct {
    double by_class, by_sample;
} recon_width_error;
recon_status recon_evaluate_widths(recon_ctx *ctx, recon_width_error *out,
                                   recon_width *of /* [classes] */, const double *theta /* [n] */,
                                   const int64_t *labels /* [n] */, size_t n,
                                   const double *truth /* [classes] */, size_t classes);

/* --- neighbours in the embedding -------------------------------------------------------------- */

typedef struct {
    size_t k;
    double hit_rate;         /* share of neighbours with the row's label                  */
    recon_width_error error; /* of theta as Algorithm 1 fits it to k neighbours, no network */
} recon_k_point;

/* Algorithm 1 on the index itself, which has labels, for each k; each row's class is its k nearest
 * other rows. */
recon_status recon_evaluate_k(recon_ctx *ctx, recon_k_point *out /* [count] */, const size_t *k,
                              size_t count, const recon_embedded *index, recon_so2_family family,
                              const double *truth /* [classes] */, size_t classes);

/* Who is next to whom: neighbors [n][k] are rows of labels [n]. */
typedef struct {
    const int64_t *neighbors;
    size_t n, k;
    const int64_t *labels;
    size_t classes;
} recon_neighborhood;

/* For each row the share of its neighbours that have its label. */
recon_status recon_evaluate_hits(recon_ctx *ctx, double *hits /* [n] */,
                                 const recon_neighborhood *hood);
/* The count rows with the lowest hits, lowest first, ties to the lower row. count <= n. */
recon_status recon_evaluate_worst(recon_ctx *ctx, int64_t *rows /* [count] */, size_t count,
                                  const double *hits /* [n] */, size_t n);
/* counts[i][j]: neighbours of class j that the given rows of class i have. A row of the paper's
 * matrix is a row of counts over its sum. */
recon_status recon_evaluate_confusion(recon_ctx *ctx, uint64_t *counts /* [classes][classes] */,
                                      const int64_t *rows, size_t count,
                                      const recon_neighborhood *hood);

/* --- poses that are defined only modulo a part of a turn -------------------------------------- */

/* For each class the share of such poses, and the mean moments. */
typedef struct {
    size_t n;
    double share;     /* of the class whose fold is 2; NaN for n = 0, as the others      */
    double moment[4]; /* |E exp(i m g)|, m = 1 .. 4, averaged over the class             */
} recon_fold_share;
recon_status recon_evaluate_folds(recon_ctx *ctx, recon_fold_share *of /* [classes] */,
                                  const int *fold /* [n] */, const double *moments /* [n][4] */,
                                  const int64_t *labels /* [n] */, size_t n, size_t classes);

/* --- two classes that are each other's rotation, such as 6 and 9 ------------------------------ */

/* Where the natural poses of classes a and b lie, and how alike their distributions are. */
typedef struct {
    size_t n[2];
    double natural[2]; /* natural pose in the backbone's frame: circular mean of lambda     */
    double between;    /* how far apart the two are                                         */
    double before;     /* 1-Wasserstein distance of the distributions of psi: of the frame  */
    double after;      /* and of g_abs: small when both are rotated alike about their own    */
} recon_pair;
typedef struct {
    const double *psi, *lambda;
    const int64_t *labels;
    size_t n;
} recon_posed;
recon_status recon_evaluate_pair(recon_ctx *ctx, recon_pair *out, const recon_posed *posed,
                                 int64_t a, int64_t b);

/* --- what the measures check alike ------------------------------------------------------------ */

/* Every label is 0 .. classes - 1, and there is at least one. */
recon_status recon_evaluate_check_labels(recon_ctx *ctx, const int64_t *labels, size_t n,
                                         size_t classes);

/* Every number is finite; what: "pose", "theta". */
recon_status recon_evaluate_check_numbers(recon_ctx *ctx, const double *values, size_t n,
                                          const char *what);

#endif
