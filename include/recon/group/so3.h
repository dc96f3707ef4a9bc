/* so3.h - rotations of space as unit quaternions in double precision.
 *
 * Why quaternions and not matrices: long products of either drift off the group, but a
 * quaternion is normalised by one division, and averages are 4x4 symmetric eigenproblems.
 * Active, right-handed, w first. q and -q are the same rotation; the library returns the one
 * with w >= 0. */
#ifndef RECON_GROUP_SO3_H
#define RECON_GROUP_SO3_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <recon/core/rng.h>

typedef struct {
    double w, x, y, z;
} recon_so3; /* a value: copy freely */

/* The order of the numbers in files of quaternions. The data cannot show it, since a permuted unit
 * quaternion is one too. */
typedef enum {
    RECON_QUATERNIONS_NONE, /* the poses are not quaternions; n x 4 is refused */
    RECON_QUATERNIONS_WXYZ, /* w first, as in this library, MuJoCo, PyTorch3D and Blender */
    RECON_QUATERNIONS_XYZW  /* w last, as in SciPy, ROS and Eigen's coeffs() */
} recon_quaternions;

RECON_API recon_so3 recon_so3_identity(void);                    /* no rotation */
RECON_API recon_so3 recon_so3_compose(recon_so3 a, recon_so3 b); /* a after b */
RECON_API recon_so3 recon_so3_inverse(recon_so3 a);              /* the inverse rotation */
RECON_API double recon_so3_angle(recon_so3 a);                   /* radians: [0, pi] */
RECON_API double recon_so3_distance(recon_so3 a, recon_so3 b);   /* geodesic, radians: [0, pi] */
RECON_API recon_so3 recon_so3_haar(recon_rng *rng);              /* a uniformly random rotation */
RECON_API void recon_so3_act(double out[3], recon_so3 a, const double v[3]); /* out may be v */

/* Convert from and to rotation vectors (axis times angle). exp and log are accurate to rounding
 * near 0 and near pi; at pi, log returns the axis whose first non-zero entry is positive. */
RECON_API recon_so3 recon_so3_exp(const double v[3]);
RECON_API void recon_so3_log(double v[3], recon_so3 a);
RECON_API recon_so3 recon_so3_from_axis_angle(const double axis[3], double angle); /* axis != 0 */
/* angle is in [0, pi]; the axis of the identity is (1, 0, 0). */
RECON_API void recon_so3_to_axis_angle(double axis[3], double *angle, recon_so3 a);

/* Convert from and to row-major matrices. from_matrix returns the nearest rotation if m is inexact
 * by rounding; check matrices from outside with recon_so3_matrix_error first. */
RECON_API void recon_so3_to_matrix(double m[9], recon_so3 a);
RECON_API recon_so3 recon_so3_from_matrix(const double m[9]);
/* Returns how far m is from a rotation: the largest entry of |m m^T - 1|, or infinity for a
 * reflection or for entries that are not finite. */
RECON_API double recon_so3_matrix_error(const double m[9]);

/* Returns rotation i of an array of poses, four numbers w x y z each. Such an array may also be
 * used as an array of recon_so3. */
static inline recon_so3 recon_so3_at(const double *poses, size_t i)
{
    const double *q = poses + 4 * i;
    recon_so3 g;
    g.w = q[0], g.x = q[1], g.y = q[2], g.z = q[3];
    return g;
}

/* Converts n rotations to matrices. */
RECON_API void recon_so3_to_matrix_n(double *m /* [n][9] */, const recon_so3 *a, size_t n);

#endif
