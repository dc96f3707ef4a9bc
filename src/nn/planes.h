/* planes.h (private) - decomposes a steerable convolution into waves, planes and products.
 *
 * An element of the basis is a wave times one of the two parts of a complex weight. So a field is
 * filtered with the wave once, for both parts and every output field. The result is a plane of
 * features (ops.h, steer), and the weights become entries w, -w or 0 in a product. No filtering is
 * needed for waves of frequency -f: (A - i B) u is the conjugate of (A + i B) conj(u). */
#ifndef NN_PLANES_H
#define NN_PLANES_H

#include <recon/nn/steerable.h>
#include "nn/tape.h"

/* At most: of every ring, frequencies 0 .. 14, two parts. */
enum { RECON_PLANE_WAVES = RECON_STEERABLE_RINGS * 2 * RECON_FREQUENCIES * 2 };

typedef struct {
    int ring, frequency; /* at least 0 */
    int im;              /* the imaginary part */
} recon_wave;

typedef struct {
    size_t planes, products, waves;
    recon_steer_plane *plane;
    recon_steer_product product[RECON_FREQUENCIES];
    recon_wave wave[RECON_PLANE_WAVES];
    recon_expand_plan mix; /* the layer's weights to those of the products */
    size_t weights;        /* of the products */
    size_t numbers;        /* of mix's basis */
} recon_planes;

/* The planes of a layer, in the arena. */
recon_status recon_planes_of(recon_ctx *ctx, recon_planes **out, recon_arena *arena,
                             const recon_steerable *layer);

/* wave [waves][size][size], and mix's basis [numbers]. */
void recon_planes_waves(double *wave, const recon_planes *planes, size_t size);
void recon_planes_basis(double *basis, const recon_planes *planes, const recon_steerable *layer);

/* x filtered and mixed by w [weights], see ops.h. planes outlives the step. */
recon_var recon_var_steer(recon_tape *t, recon_var x, recon_var w, const recon_tensor *wave,
                          const recon_planes *planes, size_t pad);

#endif
