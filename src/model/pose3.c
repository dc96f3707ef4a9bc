/* pose3.c - between the input and its canonical form. */
#include <recon/model/pose3.h>

static recon_so3 turn_of(const recon_pose3 *pose, recon_direction direction)
{
    return direction == RECON_TO_CANONICAL ? pose->turn : recon_so3_inverse(pose->turn);
}

recon_se3 recon_pose3_motion(const recon_pose3 *pose, recon_direction direction)
{
    recon_se3 out = { .r = turn_of(pose, direction) };
    recon_so3_act(out.t, out.r, pose->center);
    for (int k = 0; k < 3; k++)
        out.t[k] = pose->center[k] - out.t[k];
    return out;
}

void recon_pose3_points(double *out, const recon_pose3 *pose, recon_direction direction,
                        const double *in, size_t n)
{
    recon_se3_act_n(out, recon_pose3_motion(pose, direction), in, n);
}

void recon_pose3_vectors(double *out, const recon_pose3 *pose, recon_direction direction,
                         const double *in, size_t n)
{
    recon_so3_act_n(out, turn_of(pose, direction), in, n);
}
