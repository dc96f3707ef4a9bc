/* embedded.h - what a class-pose backbone says of a data set: embeddings and poses.
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
    const float *z; /* [n][d]                                                     */
    const recon_group *group;
    const double *poses;   /* [n][group->numbers]                                        */
    const float *density;  /* [n][RECON_POSE_BINS], or NULL: the pose density, see recon_seen */
    const int64_t *labels; /* [n] or NULL; used for nothing but the hit rate             */
    recon_dtype precision; /* of the poses' file: RECON_F64 when it was that, else RECON_F32 */
    recon_array array;     /* holds what read files need; zero when filled by hand       */
    void *owned[4];
} recon_embedded;

/* z: n x d of any number type (float16 and float64 become float32). poses: radians, n or n x 1, for
 * SO(2); n x 3 x 3, n x 9 or unit quaternions n x 4 in the given order for SO(3). labels: n
 * integers, or a NULL path. Lengths that differ, values that are not finite, angles of an integer
 * type, quaternions without an order or an order without quaternions, and matrices or quaternions
 * that are off a rotation by more than RECON_POSE_TOLERANCE are RECON_ERR_INPUT; the message names
 * file, row and distance. Angles above RECON_ANGLE_USUAL are taken, but the log warns that they may
 * be degrees; quaternions that look as if they had the other order are taken too, with a warning. */
RECON_API recon_status recon_embedded_read(recon_ctx *ctx, recon_embedded *out,
                                           const recon_group *group, recon_quaternions quaternions,
                                           const char *z, const char *poses, const char *labels);
RECON_API void recon_embedded_free(recon_embedded *e);

#endif
