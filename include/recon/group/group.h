/* group.h - a group of poses as a table: its algebra, its statistics, and its poses in files.
 *
 * A pose is group->numbers doubles, n poses are n of these one behind the other. Everything that
 * works on poses of any group takes them so, and asks the group's table for what differs. SO(2) and
 * SO(3) are built in, and recon_group_find makes cyclic groups and tori; an application fills in a
 * table of its own, as examples/torus.c does. */
#ifndef RECON_GROUP_GROUP_H
#define RECON_GROUP_GROUP_H

#include <recon/core/array.h>
#include <recon/core/rng.h>
#include <recon/group/mean.h>
#include <recon/group/so3.h>

#define RECON_NUMBERS_MAX    16   /* doubles of a pose, of any group */
#define RECON_POSE_TOLERANCE 1e-3 /* how far a matrix or quaternion of a file may be off */
#define RECON_ANGLE_USUAL    13   /* radians: two full circles, and a little */

/* The table of a group, which is described below. */
typedef struct recon_group recon_group;

/* A parametric family of densities on a group. A row of its parameters is one number where shape is
 * zero, else shape[0] x shape[1] numbers. */
typedef struct {
    const char *name;
    size_t shape[2];
} recon_family;

/* The centre of a set of poses, and what the set says about a natural pose. */
typedef struct {
    double mean[RECON_NUMBERS_MAX];
    recon_natural natural; /* the verdict */
    int fold;              /* m: known modulo 1/m of a full turn; 1: one or several poses; 0: no
                              pose is known */
    int modes;             /* more than one where the verdict is several or modulo */
    struct {
        double at[RECON_NUMBERS_MAX];
        double weight;                         /* the share of the poses */
    } mode[RECON_MODES_MAX];                   /* heaviest first */
    double identifiability[RECON_NUMBERS_MAX]; /* [group->identifiability] how well the mean is
                                                  defined: 1 for copies of one pose, 0 for none */
    double axis[2][3]; /* with group->has_axis: the best determined direction, before the pose and
                          after it */
} recon_center;

/* The group is handed to every entry as `self`. Entries that are described as optional may be NULL.
 * An output array may be one of the inputs, unless it is said otherwise. */
struct recon_group {
    const char *name;    /* in files and at the command line: "so2" */
    const char *words;   /* in messages: "SO(2)" */
    const char *meaning; /* "the rotations of a picture" */
    const char *column;  /* the heading of poses in tables of text: "angle_deg" */
    size_t numbers;      /* of a pose, 1 .. RECON_NUMBERS_MAX */
    size_t dimension;    /* of the group; 0: it is finite */
    size_t n;            /* of a family of groups: n of C_n and T^n */
    const void *user;    /* an application's own */

    /* --- algebra --- */
    void (*identity)(const recon_group *self, double *out);
    void (*compose)(const recon_group *self, double *out, const double *a, const double *b);
    void (*inverse)(const recon_group *self, double *out, const double *a);
    double (*length)(const recon_group *self, const double *a); /* from the identity, radians */
    double (*distance)(const recon_group *self, const double *a, const double *b);
    void (*haar)(const recon_group *self, double *out, recon_rng *rng); /* uniform */
    /* Optional: the Lie algebra, [dimension] numbers a vector. */
    void (*exp)(const recon_group *self, double *out, const double *v);
    void (*log)(const recon_group *self, double *v, const double *a);
    /* RECON_ERR_INPUT for numbers that are no poses; the message names the first. */
    recon_status (*check)(recon_ctx *ctx, const recon_group *self, const double *poses, size_t n);

    /* --- poses in files --- */
    size_t shape[2]; /* of a pose in the arrays that are written: zeros for one number, { 9, 0 },
                        { 3, 3 } */
    int takes_quaternions; /* may files hold n x 4 of them, in an order that has to be stated? */
    /* Optional: the rows of an array of a file, n of them, as poses; order is that of quaternions
     * and path is for messages. NULL: the array is n x shape, and its rows are the poses. */
    recon_status (*read)(recon_ctx *ctx, const recon_group *self, double *out /* [n] */,
                         const recon_array *array, size_t n, recon_quaternions order,
                         const char *path);
    /* Optional: a pose in a table of text. NULL: its numbers, with six places and a blank between. */
    void (*print)(const recon_group *self, char *text, size_t size, const double *pose);
    /* Optional: n poses as they are written. NULL: as they are. out is none of the inputs. */
    void (*write)(const recon_group *self, double *out, const double *poses, size_t n);

    /* --- statistics --- */
    size_t identifiability; /* numbers, 1 .. RECON_NUMBERS_MAX */
    int has_axis;
    double uniform;               /* -log of the uniform density                                  */
    const recon_family *families; /* [family_count]; with `choose` the first stands for a choice */
    int family_count;
    size_t fit_size; /* bytes of a fit: a density as the entries below hold it */
    /* The centres of `sets` sets of k poses each. fits [sets] are for a group whose centre comes
     * out of a fit; the others leave them alone. May be called by several threads at once. */
    recon_status (*center)(recon_ctx *ctx, const recon_group *self, recon_center *out, void *fits,
                           const double *poses, size_t sets, size_t k,
                           const recon_mean_options *options);
    /* Optional: a fit to poses g as one to g center^-1. Of groups whose `center` makes the fits. */
    recon_status (*recenter)(recon_ctx *ctx, const recon_group *self, void *fit,
                             const double *center);
    /* Optional: one family for all sets of centred poses. */
    recon_status (*choose)(recon_ctx *ctx, const recon_group *self, int *family,
                           const double *poses, size_t sets, size_t k);
    /* Fits to sets of centred poses. NULL: `center` has made them. */
    recon_status (*fit)(recon_ctx *ctx, const recon_group *self, void *fits, const double *poses,
                        size_t sets, size_t k, int family);
    double (*background)(const recon_group *self, const void *fit); /* weight of a uniform part */
    /* -log p of a pose, and the probability of one as high or higher, with a background that is
     * given. */
    double (*score)(const recon_group *self, const void *fit, double background,
                    const double *pose);
    double (*tail)(const recon_group *self, const void *fit, double background, const double *pose);
    void (*parameters)(const recon_group *self, double *out, const void *fit);
    /* Optional: the width of a fit in radians; NAN or NULL: the root-mean-square distance of the
     * poses from their centre. */
    double (*width)(const recon_group *self, const void *fit);
    /* Optional: of the centres that are as good for poses with these parameters about `center`, the
     * one that does not depend on noise; both are replaced. See recon_frames_gauge. */
    recon_status (*gauge)(recon_ctx *ctx, const recon_group *self, double *center,
                          double *parameters);
};

RECON_API const recon_group recon_group_so2; /* angles in radians, (-pi, pi] */
RECON_API const recon_group recon_group_so3; /* unit quaternions w x y z, see recon_so3 */
#define RECON_SO2 (&recon_group_so2)
#define RECON_SO3 (&recon_group_so3)

/* The group of this name: "so2", "so3", one that was added to the context, "c2" to "c360" (cyclic:
 * elements are counted from 0) or "t1" to "t16" (tori: so many angles). Any other name is
 * RECON_ERR_INPUT, and the message lists what is known. It lives as long as the context. */
RECON_API recon_status recon_group_find(recon_ctx *ctx, const recon_group **out, const char *name);

/* Makes a group of the application's own known to this context by its name; the table must outlive
 * the context. RECON_ERR_INPUT where the name is taken or the table lacks something. */
RECON_API recon_status recon_group_add(recon_ctx *ctx, const recon_group *group);

/* The rows of an array, n of them, as poses: see `read` above. order is that of quaternions, and
 * name is what messages call the array. */
RECON_API recon_status recon_group_read(recon_ctx *ctx, const recon_group *group,
                                        double *out /* [n] */, const recon_array *array, size_t n,
                                        recon_quaternions order, const char *name);

#endif
