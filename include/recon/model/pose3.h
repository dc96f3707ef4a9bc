/* pose3.h - a molecule's pose, and the way between the input and its canonical form: what pose.h is
 * to images.
 *
 * What a frozen model finds in the canonical molecule (places, forces, dipoles) belongs into the
 * input, and labels of the input into the canonical one: both are one rigid motion about the
 * molecule's centre, the mean of its atoms' places. */
#ifndef RECON_MODEL_POSE3_H
#define RECON_MODEL_POSE3_H

#include <recon/model/pose.h>
#include <recon/group/se3.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    recon_so3 psi;      /* the backbone's pose, relative to its arbitrary canonical            */
    recon_so3 lambda;   /* its class's natural pose, in the same terms                         */
    recon_so3 absolute; /* psi lambda^-1: how the input is rotated from its natural pose        */
    recon_so3 rotation; /* lambda psi^-1: what takes the input to its canonical form           */
    double center[3];   /* about this place                                                    */
    int free;           /* directions in which lambda is a choice, not a finding: 0, none; 1, the
                           spin about an axis; 2; 3, all. See recon/maps/so3_map.h              */
} recon_pose3;

/* The motion there or back: recon_se3_act_n takes places along. */
RECON_API recon_se3 recon_pose3_motion(const recon_pose3 *pose, recon_direction direction);

/* n places, and n vectors (forces, dipoles, velocities). out may be in. */
RECON_API void recon_pose3_points(double *out /* [n][3] */, const recon_pose3 *pose,
                                  recon_direction direction, const double *in /* [n][3] */,
                                  size_t n);
RECON_API void recon_pose3_vectors(double *out /* [n][3] */, const recon_pose3 *pose,
                                   recon_direction direction, const double *in /* [n][3] */,
                                   size_t n);

#ifdef __cplusplus
}
#endif
#endif
