/* ends.h (private) - tells the ends of objects apart. Where a law has evenly spaced poses, the frame of its cluster may
 * be any of these for each member; and the objects look the same in all of them, or they do not.
 *
 * The moments of an object's contrast about its middle, those that a rotation by one step changes, are a direction for
 * each member. Each takes the step that brings it nearest to a common template, and that is learned from all: of
 * objects that look alike the noise alone would remain, and every template would be as good as any other. */
#ifndef MODEL_ENDS_H
#define MODEL_ENDS_H

#include <recon/backbone/backbone.h>
#include "data/image.h"
#include "model/laws.h"

typedef struct {
    const recon_data *data;
    const double
        *poses[RECON_LAWS_OF_DENSITY + 1]; /* [n] each: those that laws in a frame are of */
    const int64_t *cluster;                /* [n] */
    size_t n;
} recon_ends_job;

/* Laws with evenly spaced modes, of images: verdict and fold; where ends differ also the template, and the law once
 * more, of the poses that its steps correct. */
recon_status recon_ends_tell(recon_ctx *ctx, recon_laws *laws, const recon_ends_job *job);

/* What a pose is to be corrected by: 0 where ends are not told apart. */
double recon_ends_turn(const recon_law *law, const float *image, const recon_image_size *size,
                       double pose);

/* The moments of an image rotated by this angle. */
void recon_ends_moments(double out[RECON_ENDS], const float *image, const recon_image_size *size,
                        double by);

/* The template of n <= RECON_ENDS_MOST members, less the moments that a step leaves as they are, and the step of each;
 * returns how far apart its steps are, as a squared distance of Mahalanobis. */
enum { RECON_ENDS_MOST = 200 };
double recon_ends_learn(double template[RECON_ENDS], int *step, double (*moments)[RECON_ENDS],
                        size_t n, int fold);
/* What that distance must exceed. */
double recon_ends_critical(size_t n, int fold);

#endif
