/* bundle_learn.h (private) - the heads of a bundle, taught on frozen z. */
#ifndef MAPS_BUNDLE_LEARN_H
#define MAPS_BUNDLE_LEARN_H

#include "maps/bundle.h"
#include "maps/lessons.h"

/* Finds the standard of z [n][d] and trains all heads on it; n and the plan are the lessons'. The
 * bundle's number is set. */
recon_status recon_bundle_learn(recon_ctx *ctx, recon_bundle *bundle, const float *z,
                                float *const targets[], recon_lessons *lessons);

/* The embeddings of the points held out, [held][d]; free them. */
recon_status recon_lessons_held(recon_ctx *ctx, float **out, const recon_lessons *lessons,
                                const float *z, size_t d);

#endif
