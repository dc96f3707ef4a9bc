/* evaluate.h - what the paper's tables measure, each a function of plain arrays.
 *
 * The truth (labels, the angles by which images were rotated) is used here and nowhere else. Angles
 * are radians, labels run from 0 to classes - 1, n = 0 is RECON_ERR_INPUT, and so is a label or an
 * angle that is neither: the message names its place. */
#ifndef LAB_EVALUATE_H
#define LAB_EVALUATE_H

#include <recon/model/model.h>
#include <recon/core/ctx.h>
#include "model/spin.h"
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

/* RECON_ERR_INPUT where the classifier of a file takes other images or knows other classes than data
 * has, which is called name. */
recon_status recon_evaluate_check_classifier(recon_ctx *ctx, const recon_classifier *classifier,
                                             const char *path, const recon_dataset *data,
                                             const char *name);

/* The share of data taken for what it is, when image i is first rotated by rotations[i] (one bilinear
 * resampling); rotations may be NULL: images as they are. right [n] takes which were, or is NULL. */
recon_status recon_evaluate_accuracy(recon_ctx *ctx, double *out, uint8_t *right,
                                     const recon_dataset *data, const double *rotations /* [n] */,
                                     recon_guess *guess, void *user);

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

/* How far from upright a pose is natural: the half-width of a uniform law, so many sigmas of a normal
 * one, and at least `least`. The paper says the first; the others are ours, so areas under the curve
 * are given by several rules. The first is the usual one: 2 sigma and 5 degrees. */
typedef struct {
    double sigmas, least; /* least: radians */
} recon_reach;
enum { RECON_REACHES = 4 };
extern const recon_reach recon_reaches[RECON_REACHES];
double recon_evaluate_reach(recon_rotation_law law, recon_reach reach);

/* unusual[i] = 1 where angle i is beyond the reach of its label's law. */
void recon_evaluate_unusual(uint8_t *unusual /* [n] */, const recon_rotation_rule *rule,
                            recon_reach reach, const int64_t *labels /* [n] */,
                            const double *angles /* [n] */, size_t n);

/* Areas under the curves of scores for telling unusual poses; NaN where all or none are. */
typedef struct {
    const double *ieae;    /* |psi - middle of the support predicted without centring| */
    const double *g_abs;   /* |g_abs|                                                  */
    const double *density; /* -log p(g_abs)                                            */
    const double *undo;    /* |g| of the true rotation: what perfect poses would reach; or NULL */
} recon_ood_scores;
typedef struct {
    double ieae, g_abs, density, undo; /* areas under the curve; undo without a score: NaN */
    double share;                      /* of unusual poses                                 */
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
} recon_class_pair;
typedef struct {
    const double *psi, *lambda;
    const int64_t *labels;
    size_t n;
} recon_posed;
recon_status recon_evaluate_pair(recon_ctx *ctx, recon_class_pair *out, const recon_posed *posed,
                                 int64_t a, int64_t b);

/* Where a backbone sees upright inputs of the two: an encoder by reconstruction alone may take a 9 for
 * a rotated 6, one canonical form for both, and then their frames are opposed. */
typedef struct {
    size_t n[2];
    double frame[2];     /* circular mean of psi with the true rotation taken off           */
    double agreement[2]; /* length of the mean vector: 1, the same frame for all of a class */
    double apart;        /* how far apart the two frames are                                */
    double other[2];     /* share of a class's neighbours that are of the other class       */
} recon_frame_pair;
recon_status recon_evaluate_frames(recon_ctx *ctx, recon_frame_pair *out,
                                   const double *psi /* [n] */, const double *angle /* [n] */,
                                   const recon_neighborhood *hood, int64_t a, int64_t b);

/* --- whether neighbours have like poses ------------------------------------------------------- */

/* An embedding that is not quite invariant prefers neighbours of like poses, and Algorithm 1 then
 * finds classes too narrow. By the true angles, of the neighbours that have a row's label, [0], and of
 * as many other inputs of that label at random, [1]. */
typedef struct {
    size_t rows;                /* with three neighbours of their label at least      */
    double distance[2];         /* mean distance from the row's own angle             */
    double spread[2];           /* root-mean-square distance from their centre, mean  */
    double theta[2];            /* width of the law that is fitted to them, mean      */
    recon_width_error error[2]; /* of that width                                      */
} recon_like_poses;
recon_status recon_evaluate_like_poses(recon_ctx *ctx, recon_like_poses *out,
                                       const recon_neighborhood *hood,
                                       const double *angle /* [n] */, recon_so2_family family,
                                       const double *truth /* [classes] */, uint64_t seed);

/* --- what the measures check alike ------------------------------------------------------------ */

/* Every label is 0 .. classes - 1, and there is at least one. */
recon_status recon_evaluate_check_labels(recon_ctx *ctx, const int64_t *labels, size_t n,
                                         size_t classes);

/* Labels and neighbours, of which there is at least one a row. */
recon_status recon_evaluate_check_neighborhood(recon_ctx *ctx, const recon_neighborhood *hood);

/* Every number is finite; what: "pose", "theta". */
recon_status recon_evaluate_check_numbers(recon_ctx *ctx, const double *values, size_t n,
                                          const char *what);

/* --- a frozen model in front of which conformers are rotated ----------------------------------- */

/* The share of n conformers whose most likely class is their molecule when conformer[i] (NULL:
 * number i) is first rotated by rotations[i]. */
recon_status recon_evaluate_molecule_accuracy(recon_ctx *ctx, double *out,
                                              const int64_t *molecule /* [n] */,
                                              const int64_t *conformer /* [n] */,
                                              const recon_so3 *rotations /* [n] */, size_t n,
                                              recon_spin_judge *judge, void *user,
                                              size_t labels /* of the judge */);

/* --- poses ------------------------------------------------------------------------------------ */

typedef struct {
    const recon_so3 *psi, *truth; /* [n] */
    const int64_t *molecule;      /* [n] */
    size_t n;
} recon_molecule_posed;

typedef struct {
    size_t n; /* measured */
    double median, mean, p90;
    double within10, within20, beyond60, beyond150; /* shares, by degrees */
} recon_molecule_pose_error;

/* A backbone's pose is the truth times a constant of the molecule. The constants are fitted on one
 * set (Tukey's mean, c = 45 degrees: some poses are plainly wrong) and the angles that remain are
 * measured on another, but for molecules that the first set has not. */
recon_status recon_evaluate_molecule_poses(recon_ctx *ctx, recon_molecule_pose_error *out,
                                           const recon_molecule_posed *fit,
                                           const recon_molecule_posed *test, size_t molecules);

/* --- matrix Fisher parameters ----------------------------------------------------------------- */

/* A molecule: squared error of F, the mean of its nine entries, over its conformers. */
typedef struct {
    size_t n;
    double mse, spread; /* mean and standard deviation; NaN for n = 0 */
} recon_molecule_fisher;

typedef struct {
    size_t molecules;             /* that occur                                                */
    double mean, median;          /* of their mse                                              */
    double under400, under800;    /* shares of them                                            */
    double by_sample;             /* median over conformers                                    */
    double axis_median, axis_p90; /* angle between the axes of the largest singular values     */
    double constant;              /* mean error of the mean of the true F: diag(33.3) in the
                                     paper's setting, 740.7                                    */
    double zero;                  /* and of F = 0                                              */
} recon_molecule_fisher_error;
recon_status recon_evaluate_molecule_fisher(recon_ctx *ctx, recon_molecule_fisher_error *out,
                                            recon_molecule_fisher *of /* [molecules] */,
                                            const double *f /* [n][9] */,
                                            const int64_t *molecule /* [n] */, size_t n,
                                            const double *truth /* [molecules][9] */,
                                            size_t molecules);

/* --- neighbours ------------------------------------------------------------------------------- */

/* For each query the share of its neighbours, rows of an index of m, that are its molecule. */
recon_status recon_evaluate_molecule_hits(recon_ctx *ctx, double *hits /* [n] */,
                                          const int64_t *neighbors /* [n][k] */,
                                          const int64_t *molecule /* [n] */, size_t n, size_t k,
                                          const int64_t *index /* [m] */, size_t m);

/* Means over the conformers of each molecule; NaN for one without any, or with a value that is NaN.
 */
recon_status recon_evaluate_molecule_means(recon_ctx *ctx, double *means /* [molecules] */,
                                           const double *values /* [n] */,
                                           const int64_t *molecule /* [n] */, size_t n,
                                           size_t molecules);

/* How y goes with x; pairs with a NaN are left out. */
typedef struct {
    size_t n;
    double correlation, rank; /* Pearson's and Spearman's; NaN where one does not vary */
    double slope;             /* of least squares */
} recon_trend;
recon_status recon_evaluate_molecule_trend(recon_ctx *ctx, recon_trend *out,
                                           const double *x /* [n] */, const double *y /* [n] */,
                                           size_t n);

typedef struct {
    size_t k;
    double hit_rate;
    recon_molecule_fisher_error error; /* of F as Algorithm 1 fits it to k neighbours, no network */
    double worst;                      /* the error of the molecule that is worst over all k      */
} recon_molecule_k_point;

/* Algorithm 1 for each k, on an index and queries with labels (NULL: the index itself, each row's
 * class being its nearest other rows). */
recon_status recon_evaluate_molecule_k(recon_ctx *ctx, recon_molecule_k_point *out /* [count] */,
                                       const size_t *k, size_t count, const recon_embedded *index,
                                       const recon_embedded *queries,
                                       const double *truth /* [molecules][9] */, size_t molecules);

/* --- unusual poses -------------------------------------------------------------------------------- */

#define RECON_MOLECULE_UNUSUAL 96 /* the paper's threshold */

/* tr(F^T g): the logarithm of the density, but for its constant. Minus this is the paper's score.
 */
double recon_evaluate_molecule_trace(const double f[9], recon_so3 g);

/* The paper's test set. Half of each molecule's conformers (the smaller half, drawn by seed) are
 * rotated back and then by a new rotation, uniform on SO(3): extra takes the conformer as it is
 * there, and psi(extra x) = extra psi(x). The others stay: extra = 1. unusual[i] = 1 where a new
 * rotation has tr(F^T R) < RECON_MOLECULE_UNUSUAL; what stays never is. */
recon_status recon_evaluate_molecule_unusual(recon_ctx *ctx, recon_so3 *extra /* [n] */,
                                             uint8_t *unusual /* [n] */,
                                             const recon_so3 *truth /* [n] */,
                                             const int64_t *molecule /* [n] */, size_t n,
                                             const double *fisher /* [molecules][9] */,
                                             size_t molecules, uint64_t seed);

/* --- rows sorted by molecule ------------------------------------------------------------------ */

/* Rows row[offset[m]] .. row[offset[m+1]-1] are those of molecule m, ascending. */
typedef struct {
    size_t *offset, *row;
} recon_molecule_groups;

/* Molecules are checked. Free also after a failure. */
recon_status recon_molecule_groups_make(recon_ctx *ctx, recon_molecule_groups *out,
                                        const int64_t *molecule, size_t n, size_t molecules);
void recon_molecule_groups_free(recon_molecule_groups *groups);

/* Room for n codes of d numbers with poses and labels, which owned[0], [1] and [2] fill in. Free always. */
recon_status lab_embedded_new(recon_ctx *ctx, recon_embedded *out, size_t n, size_t d,
                              const recon_group *group);

/* The line of a model file that says how it was trained; "" where there is none. */
enum { TRAINING = 640 };
recon_status lab_training(recon_ctx *ctx, char out[TRAINING], const char *path);

typedef recon_status recon_work(recon_ctx *ctx, void *arg);

/* Seconds of the fastest of several rounds, after one that is not counted. */
recon_status recon_fastest(recon_ctx *ctx, double *seconds, recon_work *work, void *arg);

typedef struct {
    double canonicalize_ms; /* an input: encoder, Lambda, one resampling (molecules: one motion) */
    double overhead_ms;     /* Lambda alone, given z: what centring adds, as the paper times it */
    size_t batch;
    int threads;
    const char *backend; /* recon_ops_name: lent by the context */
} recon_times;

/* In one batch of n >= 1 inputs of the model's kind, whose canonical form takes so many bytes: the
 * fastest of several rounds, after one that is not counted. */
recon_status recon_times_measure(recon_ctx *ctx, recon_times *out, const recon_model *model,
                                 const void *inputs, size_t n, size_t bytes);

/* --- what classifiers share ------------------------------------------------------------------- */

/* The place of the largest of n numbers, of several the first. */
size_t lab_largest(const double *row, size_t n);
size_t lab_largest_float(const float *row, size_t n);

#endif
