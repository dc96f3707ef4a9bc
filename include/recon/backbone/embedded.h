/* embedded.h - a data set after a class-pose backbone: embeddings and poses.
 *
 * Row i of z is eta(x_i), invariant; pose i is psi(x_i). Fill one by hand from arrays of your own,
 * or read one from NPY files. */
#ifndef RECON_BACKBONE_EMBEDDED_H
#define RECON_BACKBONE_EMBEDDED_H

#include <recon/core/array.h>
#include <recon/group/group.h>
#include <recon/group/so2_density.h>

typedef struct {
    size_t n, d;
    const float *z; /* [n][d] */
    const recon_group *group;
    const double *poses;   /* [n][group->numbers] */
    const float *density;  /* [n][RECON_POSE_BINS], or NULL: the pose density, see recon_seen */
    const int64_t *labels; /* [n] or NULL; used only for the hit rate */
    recon_dtype precision; /* RECON_F64 if the file of poses was in float64, else RECON_F32 */
    recon_array array;     /* owns what was read from files; zero when filled by hand */
    void *owned[4];
} recon_embedded;

/* Reads NPY files. z is n x d of any number type (float16 and float64 become float32). poses are
 * n or n x 1 angles in radians for SO(2); n x 3 x 3 or n x 9 matrices, or n x 4 unit quaternions
 * in the given order, for SO(3). labels are n integers; the path may be NULL. These are
 * RECON_ERR_INPUT: lengths that differ, values that are not finite, angles of an integer type,
 * quaternions without an order or an order without quaternions, and matrices or quaternions
 * further than RECON_POSE_TOLERANCE from a rotation. The message names file, row and distance.
 * The log warns about angles above RECON_ANGLE_USUAL, which may be degrees, and about
 * quaternions that seem to have the other order. */
RECON_API recon_status recon_embedded_read(recon_ctx *ctx, recon_embedded *out,
                                           const recon_group *group, recon_quaternions quaternions,
                                           const char *z, const char *poses, const char *labels);
RECON_API void recon_embedded_free(recon_embedded *e);

#endif
