/* group.h (private) - helpers for the tables of groups. */
#ifndef GROUP_GROUP_H
#define GROUP_GROUP_H

#include <recon/group/group.h>

/* The most sets that a family is chosen on: of n sets, those with index i * n /
 * RECON_CHOICE_SETS. */
enum { RECON_CHOICE_SETS = 512 };

/* RECON_ERR_INPUT if the table lacks a required entry. */
recon_status recon_group_check(recon_ctx *ctx, const recon_group *group);

/* Copies n rows of `width` numbers to out. RECON_ERR_INPUT for another number of rows, and for
 * numbers that are not finite. */
recon_status recon_group_rows(recon_ctx *ctx, double *out /* [n][width] */,
                              const recon_array *array, size_t width, size_t n, const char *path);

/* Checks that an order of quaternions is given exactly if rows of `width` numbers need one. */
recon_status recon_group_check_order(recon_ctx *ctx, recon_quaternions order,
                                     const recon_array *array, size_t width, const char *path);

/* RECON_ERR_INPUT for angles of an integer type; warns if angles are probably in degrees. */
recon_status recon_angles_check_type(recon_ctx *ctx, const recon_array *array, const char *path);
void recon_angles_warn(recon_ctx *ctx, const double *angle, size_t n, const char *path);

/* Describes a symmetry: "4-fold about (0.01, 0.00, 1.00)"; without an axis, 0 0 0, "4-fold". Returns text. */
typedef char recon_symmetry_words_text[96];
const char *recon_symmetry_words(recon_symmetry_words_text text, int code, const double axis[3]);

/* The centre of one set, without the fit. */
recon_status recon_group_center(recon_ctx *ctx, recon_center *out, const recon_group *group,
                                const double *poses, size_t n, const recon_mean_options *options);

/* Converts n poses to the form that is written; written returns the numbers of one. */
void recon_group_write(const recon_group *group, double *out, const double *poses, size_t n);
size_t recon_group_written(const recon_group *group);

/* Prints a pose for text tables. Returns text. */
typedef char recon_pose_text[32 * RECON_NUMBERS_MAX];
const char *recon_group_print(recon_pose_text text, const recon_group *group, const double *pose);

/* Lists the names of all groups: "so2, so3, ... and torus1 to torus16 (angles)", including those that were
 * added to the context, which may be NULL. Returns out. */
typedef char recon_group_names[256];
const char *recon_group_list(recon_group_names out, const recon_ctx *ctx);

/* How far a pose of a group with `directions` is from the identity: its rotation in radians, and its shift, or the
 * logarithm of its size. */
void recon_pose_extent(const recon_group *group, double *rotation, double *shift,
                       const double *pose);

/* What a direction of the Lie algebra is nearest to: its basis vector, if it is within 10 degrees, else
 * group->dimension + the first basis vector of its kind. And the name of that: "any shift along x". */
enum { RECON_DIRECTIONS = 2 * RECON_NUMBERS_MAX };
typedef char recon_direction_text[48];
size_t recon_direction_of(const recon_group *group, const double *v);
const char *recon_direction_name(recon_direction_text text, const recon_group *group,
                                 size_t direction);

/* The number of parameters of a family. */
size_t recon_family_parameters(const recon_family *family);

/* Templates for recon_group_find, which fills in name, words and what depends on n. */
extern const recon_group recon_group_cyclic;   /* C_n: an element is its number, 0 .. n - 1 */
extern const recon_group recon_group_dihedral; /* D_n: rotations, then n + rotation: mirrored */
extern const recon_group recon_group_torus;    /* T^n: n angles */

extern const recon_group recon_group_shifts; /* R^n */

extern const recon_group recon_group_o2, recon_group_scale;

/* Makes the table of a product of two groups, which must outlive it, as must family and directions. */
typedef char recon_group_directions[RECON_NUMBERS_MAX + 1];
recon_status recon_group_multiply(recon_ctx *ctx, recon_group *out, recon_family *family,
                                  recon_group_directions directions, const recon_group *a,
                                  const recon_group *b);

/* A group with unbounded directions for one run: with a sample of n poses as the pool, also of its parts, and the
 * unit of length so that the pool's shifts are as wide as all angles are. */
enum { RECON_POOL = 256 };
typedef struct {
    recon_group group, part[2];
    double pool[3][RECON_POOL * RECON_NUMBERS_MAX];
} recon_group_run;
int recon_group_is_unbounded(const recon_group *group);
void recon_group_run_begin(recon_group_run *out, const recon_group *group, const double *poses,
                           size_t n);

#endif
