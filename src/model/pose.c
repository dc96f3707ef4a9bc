/* pose.c - between the input and its canonical form.
 *
 * Of images: with y down a rotation by t counter-clockwise on screen is (x, y) -> (c x + s y, c y - s x). */
#include "group/se3.h"
#include "model/model.h"
#include "group/so3/so3.h"

#include <math.h>
#include <string.h>

void recon_pose_complete(recon_pose *pose, const recon_group *group, const double *lambda)
{
    double back[RECON_NUMBERS_MAX];
    memmove(pose->lambda, lambda, group->numbers * sizeof *lambda);
    group->inverse(group, back, lambda);
    group->compose(group, pose->absolute, pose->psi, back);
    group->inverse(group, pose->rotation, pose->absolute);
}

/* --- images ----------------------------------------------------------------------------------- */

typedef struct {
    double c, s;
    double x, y; /* the middle */
} rotation;

static double angle_of(const recon_pose *pose, recon_direction direction)
{
    return direction == RECON_TO_CANONICAL ? pose->rotation[0] : -pose->rotation[0];
}

static rotation rotate_about(double angle, double x, double y)
{
    return (rotation){ cos(angle), sin(angle), x, y };
}

static rotation rotation_of(const recon_pose *pose, recon_direction direction, size_t height,
                            size_t width)
{
    return rotate_about(angle_of(pose, direction), ((double)width - 1) / 2,
                        ((double)height - 1) / 2);
}

static void move(double out[2], const rotation *t, double x, double y)
{
    x -= t->x;
    y -= t->y;
    out[0] = t->x + t->c * x + t->s * y;
    out[1] = t->y + t->c * y - t->s * x;
}

void recon_pose_points(double *out, const recon_pose *pose, recon_direction direction,
                       const double *in, size_t n, size_t height, size_t width)
{
    rotation t = rotation_of(pose, direction, height, width);
    for (size_t i = 0; i < n; i++)
        move(out + 2 * i, &t, in[2 * i], in[2 * i + 1]);
}

void recon_pose_vectors(double *out, const recon_pose *pose, recon_direction direction,
                        const double *in, size_t n)
{
    rotation t = rotate_about(angle_of(pose, direction), 0, 0);
    for (size_t i = 0; i < n; i++)
        move(out + 2 * i, &t, in[2 * i], in[2 * i + 1]);
}

/* The middle moves as a point; of the half sides each direction takes its share of both. */
void recon_pose_boxes(double *out, const recon_pose *pose, recon_direction direction,
                      const double *in, size_t n, size_t height, size_t width)
{
    rotation t = rotation_of(pose, direction, height, width);
    double c = fabs(t.c), s = fabs(t.s), middle[2];
    for (size_t i = 0; i < n; i++, in += 4, out += 4) {
        double w = (in[2] - in[0]) / 2, h = (in[3] - in[1]) / 2;
        move(middle, &t, (in[0] + in[2]) / 2, (in[1] + in[3]) / 2);
        out[0] = middle[0] - (c * w + s * h);
        out[1] = middle[1] - (s * w + c * h);
        out[2] = middle[0] + (c * w + s * h);
        out[3] = middle[1] + (s * w + c * h);
    }
}

void recon_pose_image(float *out, const recon_pose *pose, recon_direction direction,
                      const float *in, size_t height, size_t width, size_t channels,
                      recon_interpolation interpolation)
{
    recon_image_rotate(out, in, height, width, channels, angle_of(pose, direction), interpolation);
}

/* Each pixel looks where it came from: the rotation the other way. */
void recon_pose_labels(int32_t *out, const recon_pose *pose, recon_direction direction,
                       const int32_t *in, size_t height, size_t width)
{
    recon_direction back = direction == RECON_TO_CANONICAL ? RECON_TO_INPUT : RECON_TO_CANONICAL;
    rotation t = rotation_of(pose, back, height, width);
    double from[2];
    for (size_t i = 0; i < height; i++)
        for (size_t j = 0; j < width; j++) {
            move(from, &t, (double)j, (double)i);
            double x = floor(from[0] + 0.5), y = floor(from[1] + 0.5);
            int inside = x >= 0 && y >= 0 && x < (double)width && y < (double)height;
            out[i * width + j] = inside ? in[(size_t)y * width + (size_t)x] : 0;
        }
}

/* --- molecules -------------------------------------------------------------------------------- */

static recon_so3 turn_of(const recon_pose *pose, recon_direction direction)
{
    return direction == RECON_TO_CANONICAL ? recon_so3_at(pose->rotation, 0)
                                           : recon_so3_inverse(recon_so3_at(pose->rotation, 0));
}

recon_se3 recon_pose_motion(const recon_pose *pose, recon_direction direction)
{
    return recon_se3_about(turn_of(pose, direction), pose->center);
}

void recon_pose_points3(double *out, const recon_pose *pose, recon_direction direction,
                        const double *in, size_t n)
{
    recon_se3_act_n(out, recon_pose_motion(pose, direction), in, n);
}

void recon_pose_vectors3(double *out, const recon_pose *pose, recon_direction direction,
                         const double *in, size_t n)
{
    recon_so3_act_n(out, turn_of(pose, direction), in, n);
}
