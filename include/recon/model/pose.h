/* pose.h - the pose of an input, and mapping between the input and its canonical form.
 *
 * Predictions of a frozen model on the canonical form (points, boxes, masks, forces) are mapped to
 * the input, and labels of the input to the canonical form. Both are one rotation: of an image
 * about its centre, of a molecule about the mean of its atoms' positions. */
#ifndef RECON_MODEL_POSE_H
#define RECON_MODEL_POSE_H

#include <stddef.h>
#include <stdint.h>
#include <recon/data/dataset.h>
#include <recon/group/group.h>

typedef enum { RECON_TO_CANONICAL, RECON_TO_INPUT } recon_direction;

/* The pose of one input. Group elements have group->numbers numbers, and zeros after them: radians
 * in (-pi, pi], counter-clockwise as seen on screen, or unit quaternions w x y z. */
typedef struct {
    double psi[RECON_NUMBERS_MAX]; /* the backbone's pose, relative to its arbitrary canonical */
    /* The natural pose of its class, relative to the same; of a chosen candidate, if any. */
    double lambda[RECON_NUMBERS_MAX];
    double absolute[RECON_NUMBERS_MAX]; /* psi lambda^-1: the input relative to its natural pose */
    /* lambda psi^-1: rotates the input to its canonical form; the identity if a gate leaves the
     * input unrotated (recon_canonicalize_options). */
    double rotation[RECON_NUMBERS_MAX];
    double center
        [3];  /* the point to rotate about; zeros for images, which rotate about their centre */
    int free; /* directions in which lambda is arbitrary: 0 none, 1 spin about an axis, .. 3 all */
} recon_pose;

/* --- images ----------------------------------------------------------------------------------- */

/* Maps n points of an image of height x width. A point is (x, y) in pixels, x to the right and y
 * down; (0, 0) is the centre of the top left pixel, so the pixel in row i and column j is at (j,
 * i). out may equal in. */
RECON_API void recon_pose_points(double *out /* [n][2] */, const recon_pose *pose,
                                 recon_direction direction, const double *in /* [n][2] */, size_t n,
                                 size_t height, size_t width);

/* Maps n vectors: directions, gradients, flows. out may equal in. */
RECON_API void recon_pose_vectors(double *out /* [n][2] */, const recon_pose *pose,
                                  recon_direction direction, const double *in /* [n][2] */,
                                  size_t n);

/* Maps n boxes (left, top, right, bottom) to the smallest axis-aligned boxes around the rotated
 * ones, which may extend beyond the image. Mapping a box to the other frame and back gives one that
 * contains it. out may equal in. */
RECON_API void recon_pose_boxes(double *out /* [n][4] */, const recon_pose *pose,
                                recon_direction direction, const double *in /* [n][4] */, size_t n,
                                size_t height, size_t width);

/* Maps an image or a soft mask, height x width x channels, with one resampling. out is not in. */
RECON_API void recon_pose_image(float *out, const recon_pose *pose, recon_direction direction,
                                const float *in, size_t height, size_t width, size_t channels,
                                recon_interpolation interpolation);

/* Maps a label mask, height x width, by nearest-neighbour resampling, 0 outside. out is not in. */
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
