/* group.h (private) - what the tables of groups share. */
#ifndef GROUP_GROUP_H
#define GROUP_GROUP_H

#include <recon/group/group.h>

/* A family is chosen by so many sets at most: the sets i * n / RECON_CHOICE_SETS among more. */
enum { RECON_CHOICE_SETS = 512 };

/* RECON_ERR_INPUT where the table lacks what it has to have. */
recon_status recon_group_check(recon_ctx *ctx, const recon_group *group);

/* n rows of `width` numbers to out. RECON_ERR_INPUT for another number of rows, and for numbers that
 * are not finite. */
recon_status recon_group_rows(recon_ctx *ctx, double *out /* [n][width] */,
                              const recon_array *array, size_t width, size_t n, const char *path);

/* Whether an order of quaternions is stated where rows of `width` numbers need one, and only there. */
recon_status recon_group_check_order(recon_ctx *ctx, recon_quaternions order,
                                     const recon_array *array, size_t width, const char *path);

/* RECON_ERR_INPUT for angles of whole numbers; a warning where angles are probably in degrees. */
recon_status recon_angles_check_type(recon_ctx *ctx, const recon_array *array, const char *path);
void recon_angles_warn(recon_ctx *ctx, const double *angle, size_t n, const char *path);

/* n poses as they are written, and the numbers of one. */
void recon_group_write(const recon_group *group, double *out, const double *poses, size_t n);
size_t recon_group_written(const recon_group *group);

/* A pose in a table of text. Returns text. */
typedef char recon_pose_text[32 * RECON_NUMBERS_MAX];
const char *recon_group_print(recon_pose_text text, const recon_group *group, const double *pose);

/* "so2, so3, ... and t2 to t16 (tori)": the names of all groups, with a context of those that were added to
 * it, too. ctx may be NULL. Returns out. */
typedef char recon_group_names[256];
const char *recon_group_list(recon_group_names out, const recon_ctx *ctx);

/* Numbers of a row of a family's parameters. */
size_t recon_family_parameters(const recon_family *family);

/* What recon_group_find makes a group of a family from: name, words and what depends on n are yet to
 * be filled in. */
extern const recon_group recon_group_cyclic; /* C_n: an element is its number, 0 .. n - 1 */
extern const recon_group recon_group_torus;  /* T^n: n angles                             */

#endif
