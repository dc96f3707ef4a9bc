/* so3.h - rotations of three-space, held as unit quaternions in double precision.
 *
 * Quaternions, not matrices: a long product drifts off the group either way, and a quaternion comes
 * back with one division; averages become 4x4 symmetric eigenproblems. Active, right-handed, w
 * first. q and -q are the same rotation; what this library returns has w >= 0. */
#ifndef RECON_GROUP_SO3_H
#define RECON_GROUP_SO3_H

#include <stddef.h>
#include <recon/core/ctx.h>
#include <recon/core/rng.h>

typedef struct {
    double w, x, y, z;
} recon_so3; /* a value: copy freely */

/* The order of the numbers in files of quaternions. Permuted ones are unit quaternions too, so
 * nothing in the data shows the order. */
typedef enum {
    RECON_QUATERNIONS_NONE, /* the poses are not quaternions; n x 4 is refused               */
    RECON_QUATERNIONS_WXYZ, /* w first, as in this library, MuJoCo, PyTorch3D and Blender     */
    RECON_QUATERNIONS_XYZW  /* w last, as in SciPy, ROS and Eigen's coeffs()                 */
} recon_quaternions;

RECON_API recon_so3 recon_so3_identity(void);                    /* no rotation */
RECON_API recon_so3 recon_so3_compose(recon_so3 a, recon_so3 b); /* a after b */
RECON_API recon_so3 recon_so3_inverse(recon_so3 a);              /* the same way back */
RECON_API double recon_so3_angle(recon_so3 a);                 /* distance from 1: [0, pi]       */
RECON_API double recon_so3_distance(recon_so3 a, recon_so3 b); /* geodesic, radians: [0, pi]      */
RECON_API recon_so3 recon_so3_haar(recon_rng *rng);            /* uniform                        */
RECON_API void recon_so3_act(double out[3], recon_so3 a, const double v[3]); /* out may be v */

/* Rotation vectors (axis times angle). exp and log are accurate to rounding near 0 and near pi;
 * at pi exactly log picks the axis whose first non-zero entry is positive. */
RECON_API recon_so3 recon_so3_exp(const double v[3]);
RECON_API void recon_so3_log(double v[3], recon_so3 a);
RECON_API recon_so3 recon_so3_from_axis_angle(const double axis[3], double angle);  /* axis != 0 */
RECON_API void recon_so3_to_axis_angle(double axis[3], double *angle, recon_so3 a); /* angle in
                                                          [0, pi]; the axis of 1 is (1, 0, 0) */

/* Row-major matrices. from_matrix takes the nearest rotation when m is off by rounding; use
 * recon_so3_matrix_error first where m comes from outside. */
RECON_API void recon_so3_to_matrix(double m[9], recon_so3 a);
RECON_API recon_so3 recon_so3_from_matrix(const double m[9]);
/* How far m is from a rotation: the largest entry of |m m^T - 1|, or infinity for a reflection or
 * for entries that are not finite. */
RECON_API double recon_so3_matrix_error(const double m[9]);

/* Rotation i of poses as arrays of any group hold them: four numbers each, w x y z. The same array
 * may be taken as one of recon_so3. */
static inline recon_so3 recon_so3_at(const double *poses, size_t i)
{
    const double *q = poses + 4 * i;
    recon_so3 g;
    g.w = q[0], g.x = q[1], g.y = q[2], g.z = q[3];
    return g;
}

/* The matrices of n rotations. */
RECON_API void recon_so3_to_matrix_n(double *m /* [n][9] */, const recon_so3 *a, size_t n);

#endif
