/* normal.h - the density of groups with unbounded directions: a normal distribution of log(g center^-1),
 * concentrated about the centre, with respect to the right Haar measure, beside a background of strays. A stray is
 * uniform on the rotations, and its shift has a Student distribution of three degrees of freedom, as wide as
 * the poses of the pool. */
#ifndef GROUP_NORMAL_H
#define GROUP_NORMAL_H

#include "group/group.h"

enum { RECON_NORMAL_MAX = 6, RECON_SHIFT_MAX = 3 };
#define RECON_SHIFT_LARGEST 1e12 /* of poses in files */

/* What a group adds to its table, as its `user`. */
typedef struct {
    size_t
        rotations; /* 0, 1 or 3: the directions before the unbounded ones; 3 - of a ball of radius pi */
    /* The unbounded part of a pose, [dimension - rotations]. */
    void (*shift)(const recon_group *self, double *out, const double *pose);
    /* Optional: the logarithm of the Jacobian of exp at v with respect to the right Haar measure. */
    double (*log_jacobian)(const recon_group *self, const double *v);
    double uniform; /* -log of the uniform density of rotations */
} recon_normal_kind;

typedef struct {
    double sigma[RECON_NORMAL_MAX * RECON_NORMAL_MAX];  /* the covariance, [dimension][dimension] */
    double factor[RECON_NORMAL_MAX * RECON_NORMAL_MAX]; /* its Cholesky factor */
    double log_constant;
    double background;
    double stray[RECON_SHIFT_MAX * RECON_SHIFT_MAX]; /* Cholesky factor of the strays' scale */
    double stray_constant;
} recon_normal;

recon_status recon_normal_fit(recon_ctx *ctx, const recon_group *self, void *fits,
                              const double *poses, size_t sets, size_t k, int family);
double recon_normal_background(const recon_group *self, const void *fit);
double recon_normal_score(const recon_group *self, const void *fit, double background,
                          const double *pose);
double recon_normal_tail(const recon_group *self, const void *fit, double background,
                         const double *pose);
/* The standard deviation where there is one direction, else the covariance. */
void recon_normal_parameters(const recon_group *self, double *out, const void *fit);
/* Of the rotations where there are some, else of the shifts: the root-mean-square standard deviation. */
double recon_normal_width(const recon_group *self, const void *fit);

/* The mean and the covariance of the shifts of the pool; or of n poses where there is no pool. */
void recon_normal_spread(const recon_group *self, double *mean, double *covariance,
                         const double *poses, size_t n);

#define RECON_NORMAL_ENTRIES                                                                       \
    .family_count = 1, .fit_size = sizeof(recon_normal), .fit = recon_normal_fit,                  \
    .background = recon_normal_background, .score = recon_normal_score, .tail = recon_normal_tail, \
    .parameters = recon_normal_parameters, .width = recon_normal_width

/* The chance of a chi-square with n degrees of freedom above x. */
double recon_chi_square_above(double x, size_t n);

#endif
