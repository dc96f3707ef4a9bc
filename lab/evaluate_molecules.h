/* evaluate_molecules.h - what the tables about molecules measure, each a function of plain arrays.
 *
 * The truth (which molecule, how it was rotated, its F) is used here and nowhere else. Angles are
 * radians, molecules run from 0 to molecules - 1, F is 9 numbers row by row. n = 0 is
 * RECON_ERR_INPUT, and so is a number that is not finite or a molecule that is none: the message
 * names its place. Areas under the curve of the scores come from recon_evaluate_ood. */
#ifndef LAB_EVALUATE_MOLECULES_H
#define LAB_EVALUATE_MOLECULES_H

#include "model/spin.h"
#include <recon/normalize/normalize.h>

/* --- a frozen model in front of which conformers are rotated ----------------------------------- */

/* The share of n conformers whose most likely class is their molecule when conformer[i] (NULL:
 * number i) is first rotated by rotations[i]. guess, which may be NULL, is what each was taken for. */
recon_status recon_evaluate_molecule_accuracy(recon_ctx *ctx, double *out, int64_t *guess /* [n] */,
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
 * measured on another; error, which may be NULL, has them one by one, NaN for a molecule that the
 * first set has not. */
recon_status recon_evaluate_molecule_poses(recon_ctx *ctx, recon_molecule_pose_error *out,
                                           double *error /* [test->n] */,
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
    double slope, intercept;  /* of least squares                                      */
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
 * class being its nearest other rows). options may be NULL; its k is not used. */
recon_status recon_evaluate_molecule_k(recon_ctx *ctx, recon_molecule_k_point *out /* [count] */,
                                       const size_t *k, size_t count, const recon_embedded *index,
                                       const recon_embedded *queries,
                                       const double *truth /* [molecules][9] */, size_t molecules,
                                       const recon_normalize_options *options);

/* --- unusual poses -------------------------------------------------------------------------------- */

#define RECON_MOLECULE_UNUSUAL 96 /* the paper's threshold */

/* tr(F^T g): the logarithm of the density, but for its constant. Minus this is the paper's score.
 */
double recon_evaluate_molecule_trace(const double f[9], recon_so3 g);

/* The paper's test set. Half of each molecule's conformers (the smaller half, drawn by seed) are
 * rotated back and then by a new rotation, uniform on SO(3): extra takes the conformer as it is
 * there, and psi(extra x) = extra psi(x). The others stay: extra = 1. unusual[i] = 1 where a new
 * rotation has tr(F^T R) < tau; what stays never is. tau 0: RECON_MOLECULE_UNUSUAL. */
recon_status recon_evaluate_molecule_unusual(recon_ctx *ctx, recon_so3 *extra /* [n] */,
                                             uint8_t *unusual /* [n] */,
                                             const recon_so3 *truth /* [n] */,
                                             const int64_t *molecule /* [n] */, size_t n,
                                             const double *fisher /* [molecules][9] */,
                                             size_t molecules, double tau, uint64_t seed);

/* --- rows sorted by molecule ------------------------------------------------------------------ */

/* Rows row[offset[m]] .. row[offset[m+1]-1] are those of molecule m, ascending. */
typedef struct {
    size_t *offset, *row;
} recon_molecule_groups;

/* Molecules are checked. Free also after a failure. */
recon_status recon_molecule_groups_make(recon_ctx *ctx, recon_molecule_groups *out,
                                        const int64_t *molecule, size_t n, size_t molecules);
void recon_molecule_groups_free(recon_molecule_groups *groups);

#endif
