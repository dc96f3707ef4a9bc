/* symmetry.h - the symmetry of an object, by its name.
 *
 * The poses of an object with a rotational symmetry H determine its natural pose only up to H: a fan
 * with four blades up to quarter turns about its axis. */
#ifndef RECON_GROUP_SYMMETRY_H
#define RECON_GROUP_SYMMETRY_H

#include <recon/group/so3.h>

/* A symmetry as one number, in arrays and files. C_n is n and D_n is RECON_SYMMETRY_D + n. */
typedef enum {
    RECON_SYMMETRY_UNNAMED = 0, /* none is claimed                                    */
    RECON_SYMMETRY_C1 = 1,      /* one pose: no symmetry                              */
    RECON_SYMMETRY_D = 50,      /* + n: n-fold about an axis, 2-fold across it        */
    RECON_SYMMETRY_T = 101,     /* the rotations of a tetrahedron, 12                 */
    RECON_SYMMETRY_O = 102,     /* of a cube or octahedron, 24                        */
    RECON_SYMMETRY_I = 103,     /* of an icosahedron or dodecahedron, 60              */
    RECON_SYMMETRY_SPIN = 120   /* every rotation about an axis                       */
} recon_symmetry_code;

/* No group is named for fewer poses. */
#define RECON_SYMMETRY_LEAST 20

typedef struct {
    int code;         /* recon_symmetry_code */
    int order;        /* elements of the group; 0: infinitely many, or none is named */
    double axis[3];   /* unit vector: the axis of highest order, in the frame of poses g center^-1;
                         0, 0, 0 where no symmetry is named */
    recon_so3 center; /* one of the `order` equivalent centres: the nearest to the identity */
    double width;  /* radians: spread of the poses about the nearest equivalent centre, one axis */
    double strays; /* share of the poses that are near none */
} recon_point_group;

/* Names the symmetry that n rotations repeat: cyclic and dihedral groups of order up to 6 about their
 * axis, the groups of the regular solids, or a free spin. RECON_SYMMETRY_C1 where they gather about one
 * pose; RECON_SYMMETRY_UNNAMED where they fit no group: too few, too broad, spread over all rotations, an arc, or
 * several poses of unequal weight. RECON_ERR_INPUT for samples that are not unit quaternions. */
RECON_API recon_status recon_so3_symmetry(recon_ctx *ctx, recon_point_group *out,
                                          const recon_so3 *samples, size_t n);

#endif
