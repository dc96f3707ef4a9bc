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
#include <recon/group/so3.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { RECON_TO_CANONICAL, RECON_TO_INPUT } recon_direction;

/* --- images ----------------------------------------------------------------------------------- */

/* Radians in (-pi, pi], counter-clockwise as seen on screen. */
typedef struct {
    double psi;      /* the backbone's pose, relative to its arbitrary canonical  */
    double lambda;   /* its class's natural pose, in the same terms; a candidate's, where one of
                        several was chosen                                         */
    double absolute; /* psi - lambda: how far the input is from its natural pose   */
    double rotation; /* lambda - psi: what takes the input to its canonical image; 0 where a gate
                        leaves the input as it is (recon_canonicalize_options)     */
} recon_pose2;

/* Maps n points of an image of height x width: (x, y) in pixels, x to the right and y down, (0, 0)
 * the centre of the top left pixel, so that row i and column j are at (j, i). out may equal in. */
RECON_API void recon_pose_points(double *out /* [n][2] */, const recon_pose2 *pose,
                                 recon_direction direction, const double *in /* [n][2] */, size_t n,
                                 size_t height, size_t width);

/* Maps n vectors: directions, gradients, flows. out may equal in. */
RECON_API void recon_pose_vectors(double *out /* [n][2] */, const recon_pose2 *pose,
                                  recon_direction direction, const double *in /* [n][2] */,
                                  size_t n);

/* Maps n boxes (left, top, right, bottom) to the smallest upright boxes around the rotated ones,
 * which may extend beyond the image. Mapping there and back gives a box that contains the original.
 * out may equal in. */
RECON_API void recon_pose_boxes(double *out /* [n][4] */, const recon_pose2 *pose,
                                recon_direction direction, const double *in /* [n][4] */, size_t n,
                                size_t height, size_t width);

/* Maps an image or a soft mask, height x width x channels, with one resampling. out must not be in.
 */
RECON_API void recon_pose_image(float *out, const recon_pose2 *pose, recon_direction direction,
                                const float *in, size_t height, size_t width, size_t channels,
                                recon_interpolation interpolation);

/* Maps a label mask, height x width, by nearest-neighbour resampling, 0 outside. out must not be
 * in. */
RECON_API void recon_pose_labels(int32_t *out, const recon_pose2 *pose, recon_direction direction,
                                 const int32_t *in, size_t height, size_t width);

/* --- molecules -------------------------------------------------------------------------------- */

typedef struct {
    recon_so3 psi;      /* the backbone's pose, relative to its arbitrary canonical            */
    recon_so3 lambda;   /* its class's natural pose, in the same terms                         */
    recon_so3 absolute; /* psi lambda^-1: how the input is rotated from its natural pose        */
    recon_so3 rotation; /* lambda psi^-1: what takes the input to its canonical form; the identity
                           where a gate leaves the input as it is                              */
    double center[3];   /* about this place                                                    */
    int free;           /* directions in which lambda is a choice, not a finding: 0, none; 1, the
                           spin about an axis; 2; 3, all. */
} recon_pose3;

/* Maps n points, and n vectors (forces, dipoles, velocities). out may equal in. */
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
