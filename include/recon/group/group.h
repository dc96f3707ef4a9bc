/* group.h - the table of a group of poses: its algebra, its statistics, and its poses in files.
 *
 * A pose is group->numbers doubles, and n poses are stored one after the other. Functions for poses
 * of any group take them in this form and call the group's table for the rest. SO(2) and SO(3) are
 * built in, recon_group_find has others, and an application can fill in a table of its own, as
 * examples/torus.c does. */
#ifndef RECON_GROUP_GROUP_H
#define RECON_GROUP_GROUP_H

#include <recon/core/array.h>
#include <recon/core/rng.h>
#include <recon/group/mean.h>
#include <recon/group/so3.h>

#define RECON_NUMBERS_MAX    16   /* the most doubles of a pose */
#define RECON_FREE_MAX       6    /* the most free directions that are reported */
#define RECON_POSE_TOLERANCE 1e-3 /* the largest error of a matrix or quaternion in a file */
#define RECON_ANGLE_USUAL    13   /* radians: a little more than two full turns */

typedef struct recon_group recon_group;

/* A parametric family of densities on a group. It has one parameter if shape is zero, else
 * shape[0] x shape[1] of them. */
typedef struct {
    const char *name;
    size_t shape[2];
} recon_family;

/* The centre of a set of poses, and the verdict on their natural pose. */
typedef struct {
    double mean[RECON_NUMBERS_MAX];
    recon_natural natural; /* the verdict */
    int fold; /* m: known modulo 1/m of a full turn; 1: one or several poses; 0: no pose known */
    int symmetry;      /* a recon_symmetry_code; 0: none is named */
    double symmetry_p; /* where one is named: the p-value of its test of fit */
    int modes;         /* more than one if the verdict is several or modulo */
    struct {
        double at[RECON_NUMBERS_MAX];
        double weight;       /* the share of the poses */
    } mode[RECON_MODES_MAX]; /* heaviest first */
    /* [group->identifiability] how well the mean is defined: from 1 for copies of one pose to 0. */
    double identifiability[RECON_NUMBERS_MAX];
    /* With group->has_axis: the best determined direction, before the pose and after it. */
    double axis[2][3];
    /* If the verdict is RECON_NATURAL_AXIS and the group has `directions`: a basis of the directions of
     * the Lie algebra, [group->dimension] each, in which poses g mean^-1 are free. */
    int free_count;
    double free[RECON_FREE_MAX][RECON_NUMBERS_MAX];
} recon_center;

/* Every entry receives the group as `self`. Entries marked optional may be NULL. An output array
 * may be one of the inputs, except where noted. */
struct recon_group {
    const char *name;    /* in files and at the command line: "so2" */
    const char *words;   /* in messages: "SO(2)" */
    const char *meaning; /* "the rotations of a picture" */
    const char *column;  /* the heading of poses in text tables: "angle_deg" */
    size_t numbers;      /* doubles of a pose, 1 .. RECON_NUMBERS_MAX */
    size_t dimension;    /* of the group; 0: it is finite */
    size_t n;            /* for families of groups: the n of C_n and T^n */
    size_t elements;     /* of a finite group, else 0 */
    /* Optional: what each direction of the Lie algebra is, one letter each: r, rotations; s, shifts;
     * z, a logarithm of sizes. Poses are unbounded in s and z. */
    const char *directions;
    const recon_group *part[2]; /* of a product or a semidirect product, else NULL */
    /* Of a group with unbounded directions, for one run: a sample of all poses, which takes the place of the
     * uniform distribution, and the length that counts as one radian; NULL and 0: not known, and 1. */
    const double *pool; /* [pool_count] */
    size_t pool_count;
    double unit;
    const void *user; /* for the application */

    /* --- algebra --- */
    void (*identity)(const recon_group *self, double *out);
    void (*compose)(const recon_group *self, double *out, const double *a, const double *b);
    void (*inverse)(const recon_group *self, double *out, const double *a);
    double (*length)(const recon_group *self, const double *a); /* from the identity, radians */
    double (*distance)(const recon_group *self, const double *a, const double *b);
    /* Uniform; unbounded directions are normal, or as two poses of the pool are to each other. */
    void (*haar)(const recon_group *self, double *out, recon_rng *rng);
    /* Optional: the Lie algebra, [dimension] numbers a vector. */
    void (*exp)(const recon_group *self, double *out, const double *v);
    void (*log)(const recon_group *self, double *v, const double *a);
    /* Checks n poses. Invalid ones are RECON_ERR_INPUT, and the message names the first. */
    recon_status (*check)(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n);

    /* --- poses in files --- */
    size_t
        shape[2]; /* of a pose in arrays that are written: zeros: one number; { 9, 0 }; { 3, 3 } */
    /* The columns of a file with quaternions, whose order must be stated; 0: there are none. */
    size_t takes_quaternions;
    /* Optional: converts the n rows of an array from a file to poses; order is the order of
     * quaternions, and path is used in messages. NULL: the array holds the poses, n x shape. */
    recon_status (*read)(recon_ctx *ctx, const recon_group *self, double *out /* [n] */,
                         const recon_array *array, size_t n, recon_quaternions order,
                         const char *path);
    /* In text tables a pose is its numbers, separated by blanks: angles in degrees with two decimals,
     * or unchanged with six. */
    int text_degrees;
    /* Optional: converts n poses to the form that is written. NULL: unchanged. out is not poses. */
    void (*write)(const recon_group *self, double *out, const double *poses, size_t n);

    /* --- statistics --- */
    size_t identifiability; /* how many numbers recon_center has, 1 .. RECON_NUMBERS_MAX */
    int has_axis;
    double uniform;               /* -log of the uniform density; NAN: there is none */
    const recon_family *families; /* [family_count]; with `choose`, the first means: choose one */
    int family_count;
    size_t fit_size; /* bytes of a fit, the group's own representation of a density */
    /* Computes the centres of `sets` sets of k poses each. A group that obtains the centre from a
     * fit also fills in fits [sets]. Several threads may call it at once. */
    recon_status (*center)(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options);
    /* Optional: the weighted mean, by RECON_MEAN_FRECHET or RECON_MEAN_CHORDAL; weights [n] may be NULL. NULL: the group
     * mean, which recon_stats_mean finds by exp and log. */
    recon_status (*mean)(recon_ctx *ctx, const recon_group *self, double *out, const double *poses,
                         const double *weights, size_t n, recon_mean_kind kind);
    /* Optional: looks for a symmetry that the poses of one kind of object repeat. If one is named,
     * it becomes the verdict, and the centre one of the equivalent centres. */
    recon_status (*symmetry)(recon_ctx *ctx, const recon_group *self, recon_center *center,
                             const double *poses, size_t n);
    /* Optional, if `center` makes the fits: makes the fit to g center^-1 of one to poses g. */
    recon_status (*recenter)(recon_ctx *ctx, const recon_group *self, void *fit,
                             const double *center);
    /* Optional: chooses one family for all sets of centred poses. */
    recon_status (*choose)(recon_ctx *ctx, const recon_group *self, int *family,
                           const double *poses, size_t sets, size_t k);
    /* Fits a density to each set of centred poses. NULL: `center` makes the fits. */
    recon_status (*fit)(recon_ctx *ctx, const recon_group *self, void *fits, const double *poses,
                        size_t sets, size_t k, int family);
    double (*background)(const recon_group *self, const void *fit); /* weight of the uniform part */
    /* The score of a pose, -log p, and the probability of one as high or higher, with the given
     * background. */
    double (*score)(const recon_group *self, const void *fit, double background,
                    const double *pose);
    double (*tail)(const recon_group *self, const void *fit, double background, const double *pose);
    void (*parameters)(const recon_group *self, double *out, const void *fit);
    /* Optional: the width of a fit in radians. If it is NULL or returns NAN, the root-mean-square
     * distance of the poses from their centre is used. */
    double (*width)(const recon_group *self, const void *fit);
    /* Optional: replaces `center`, and the parameters about it, by the one of all equally good
     * centres that does not depend on noise. See recon_frames_gauge. */
    recon_status (*gauge)(recon_ctx *ctx, const recon_group *self, double *center,
                          double *parameters);
};

RECON_API const recon_group recon_group_so2; /* angles in radians, (-pi, pi] */
RECON_API const recon_group recon_group_so3; /* unit quaternions w x y z, see recon_so3 */
#define RECON_SO2 (&recon_group_so2)
#define RECON_SO3 (&recon_group_so3)

/* Finds a group by name: "so2", "so3", "o2", "scale" (sizes above 0), "se2" and "se3" (rigid motions), one
 * that was added to the context, or one of a family: "c2" to "c360" (cyclic, elements numbered from 0), "d2" to
 * "d64" (dihedral, n + rotation for those mirrored), "torus1" to "torus16" (so many angles), "r1" to "r3" (shifts);
 * or a product of two, "so2*scale". Any other name is RECON_ERR_INPUT, and the message lists all. The group
 * lives as long as the context. */
RECON_API recon_status recon_group_find(recon_ctx *ctx, const recon_group **out, const char *name);

/* Adds an application's group to this context under its name; the table must outlive the context. A
 * name that is taken or a table that is not complete is RECON_ERR_INPUT. */
RECON_API recon_status recon_group_add(recon_ctx *ctx, const recon_group *group);

/* Converts the n rows of an array to poses: see `read` above. order is the order of quaternions,
 * and messages call the array by name. */
RECON_API recon_status recon_group_read(recon_ctx *ctx, const recon_group *group,
                                        double *out /* [n] */, const recon_array *array, size_t n,
                                        recon_quaternions order, const char *name);

/* --- statistics of poses: weighted means, spread, and tests with p-values
 *
 * n poses are n x group->numbers doubles. Poses that the group refuses, weights below zero or of sum zero, and
 * n = 0 are RECON_ERR_INPUT; what a group has not is RECON_ERR_UNSUPPORTED. The tests draw from fixed seeds, so that
 * equal poses have equal p-values. */

/* Computes the mean; weights [n] may be NULL. RECON_MEAN_CHORDAL and RECON_MEAN_FRECHET are as in mean.h; where a group
 * has no invariant metric the latter is its group mean, sum of weight * log(g mean^-1) = 0. Of a finite group both are
 * the element of the greatest weight. RECON_MEAN_AUTO and RECON_MEAN_TUKEY are robust, and take no weights. */
RECON_API recon_status recon_stats_mean(recon_ctx *ctx, double *out, const recon_group *group,
                                        const double *poses, const double *weights, size_t n,
                                        recon_mean_kind kind);

/* Computes the root of the weighted mean squared distance from the Frechet mean. */
RECON_API recon_status recon_stats_dispersion(recon_ctx *ctx, double *out, const recon_group *group,
                                              const double *poses, const double *weights, size_t n);

/* Tests whether poses are drawn from the uniform law: the mean over pairs of exp(-2 distance), which is large where
 * poses gather anywhere, beside 499 sets of uniform poses. Of a group with a uniform law alone. */
RECON_API recon_status recon_stats_uniform_test(recon_ctx *ctx, double *p_value,
                                                const recon_group *group, const double *poses,
                                                size_t n);

/* Tests whether poses may have one mode: the squares that dividing them into 2, 3 or 4 parts leaves, beside 499 flat
 * ellipsoids of the same covariance, which have one mode and are the least like it. At least five poses; those four
 * times as far from the mean as half of the poses are left out. p-values of peaked laws are too large. Of a group with
 * exp and log. */
RECON_API recon_status recon_stats_one_mode_test(recon_ctx *ctx, double *p_value,
                                                 const recon_group *group, const double *poses,
                                                 size_t n);

/* Names the symmetry that poses of one kind of object repeat: out->symmetry, and out->symmetry_p, the p-value of its test of
 * fit. RECON_SYMMETRY_UNNAMED where none is, or where the verdict, out->natural, is one pose. */
RECON_API recon_status recon_stats_symmetry(recon_ctx *ctx, recon_center *out,
                                            const recon_group *group, const double *poses,
                                            size_t n);

#endif
