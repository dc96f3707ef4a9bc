/* pose.h - an input's pose, and the way between the input and its canonical form.
 *
 * Maps what a frozen model finds in the canonical form (points, boxes, masks, forces) to the input,
 * and labels of the input to the canonical form: both are one rotation, of an image about its
 * centre, of a molecule about the mean of its atoms' positions. Positions in an image are (x, y) in
 * pixels, x to the right and y down, (0, 0) the centre of the top left pixel, so that row i and
 * column j are at (j, i). */
#ifndef RECON_MODEL_POSE_H
#define RECON_MODEL_POSE_H

#include <stddef.h>
#include <stdint.h>
#include <recon/data/dataset.h>
#include <recon/group/group.h>

typedef enum { RECON_TO_CANONICAL, RECON_TO_INPUT } recon_direction;

/* What a model says about one input. Poses are numbers of the model's group, group->numbers of them:
 * radians in (-pi, pi] counter-clockwise as seen on screen, or unit quaternions w x y z; the rest are
 * zero. */
typedef struct {
    double psi[RECON_NUMBERS_MAX];    /* the backbone's pose, relative to its arbitrary canonical */
    double lambda[RECON_NUMBERS_MAX]; /* its class's natural pose, in the same terms; a candidate's,
                                           where one of several was chosen */
    double absolute[RECON_NUMBERS_MAX]; /* psi lambda^-1: how the input is rotated from its natural
                                           pose */
    double
        rotation[RECON_NUMBERS_MAX]; /* lambda psi^-1: what takes the input to its canonical form;
                                           the identity where a gate leaves the input as it is
                                           (recon_canonicalize_options) */
    double center[3];                /* about this place; zeros for images, about their middle */
    int free; /* directions in which lambda is a choice, not a finding: 0, none; 1, the spin about an
                 axis; 2; 3, all */
} recon_pose;

/* --- images ----------------------------------------------------------------------------------- */

/* Maps n points of an image of height x width: (x, y) in pixels, x to the right and y down, (0, 0)
 * the centre of the top left pixel, so that row i and column j are at (j, i). out may equal in. */
RECON_API void recon_pose_points(double *out /* [n][2] */, const recon_pose *pose,
                                 recon_direction direction, const double *in /* [n][2] */, size_t n,
                                 size_t height, size_t width);

/* Maps n vectors: directions, gradients, flows. out may equal in. */
RECON_API void recon_pose_vectors(double *out /* [n][2] */, const recon_pose *pose,
                                  recon_direction direction, const double *in /* [n][2] */,
                                  size_t n);

/* Maps n boxes (left, top, right, bottom) to the smallest upright boxes around the rotated ones,
 * which may extend beyond the image. Mapping there and back gives a box that contains the original.
 * out may equal in. */
RECON_API void recon_pose_boxes(double *out /* [n][4] */, const recon_pose *pose,
                                recon_direction direction, const double *in /* [n][4] */, size_t n,
                                size_t height, size_t width);

/* Maps an image or a soft mask, height x width x channels, with one resampling. out must not be in.
 */
RECON_API void recon_pose_image(float *out, const recon_pose *pose, recon_direction direction,
                                const float *in, size_t height, size_t width, size_t channels,
                                recon_interpolation interpolation);

/* Maps a label mask, height x width, by nearest-neighbour resampling, 0 outside. out must not be
 * in. */
RECON_API void recon_pose_labels(int32_t *out, const recon_pose *pose, recon_direction direction,
                                 const int32_t *in, size_t height, size_t width);

/* --- molecules -------------------------------------------------------------------------------- */

/* Maps n points, and n vectors (forces, dipoles, velocities). out may equal in. */
RECON_API void recon_pose_points3(double *out /* [n][3] */, const recon_pose *pose,
                                  recon_direction direction, const double *in /* [n][3] */,
                                  size_t n);
RECON_API void recon_pose_vectors3(double *out /* [n][3] */, const recon_pose *pose,
                                   recon_direction direction, const double *in /* [n][3] */,
                                   size_t n);

#endif
