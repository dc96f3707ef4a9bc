/* pose3.c - between the input and its canonical form. */
#include <recon/model/pose.h>
#include "group/se3.h"
#include "model/model.h"

static recon_so3 rotation_of(const recon_pose3 *pose, recon_direction direction)
{
    return direction == RECON_TO_CANONICAL ? pose->rotation : recon_so3_inverse(pose->rotation);
}

recon_se3 recon_pose3_motion(const recon_pose3 *pose, recon_direction direction)
{
    return recon_se3_about(rotation_of(pose, direction), pose->center);
}

void recon_pose3_points(double *out, const recon_pose3 *pose, recon_direction direction,
                        const double *in, size_t n)
{
    recon_se3_act_n(out, recon_pose3_motion(pose, direction), in, n);
}

void recon_pose3_vectors(double *out, const recon_pose3 *pose, recon_direction direction,
                         const double *in, size_t n)
{
    recon_so3_act_n(out, rotation_of(pose, direction), in, n);
}
