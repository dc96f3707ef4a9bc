/* export.h (private) - parts of an exported network. Images are n x channels x height x width there, as
 * ONNX has them; a row of numbers is n x count. Angles are pairs (cos, sin): ONNX has no atan2. */
#ifndef MODEL_EXPORT_H
#define MODEL_EXPORT_H

#include <recon/model/export.h>
#include "backbone/ieae.h"
#include "core/onnx.h"
#include "model/model.h"

/* --- layers (export_layers.c) ----------------------------------------------------------------- */

/* Short forms of recon_onnx_op without attributes. */
static inline recon_onnx_value recon_graph_one(recon_onnx *o, const char *op, recon_onnx_value a)
{
    return recon_onnx_op(o, op, RECON_ONNX_IN(a), RECON_ONNX_PLAIN);
}
static inline recon_onnx_value recon_graph_two(recon_onnx *o, const char *op, recon_onnx_value a,
                                               recon_onnx_value b)
{
    return recon_onnx_op(o, op, RECON_ONNX_IN(a, b), RECON_ONNX_PLAIN);
}

/* The largest and so on along one axis, which stays with length 1 where keep is 1; the sum, whose axes
 * are an input from opset 13 on. */
recon_onnx_value recon_graph_reduce(recon_onnx *o, const char *op, recon_onnx_value x, int64_t axis,
                                    int keep);
recon_onnx_value recon_graph_sum(recon_onnx *o, recon_onnx_value x, int64_t axis, int keep);
/* Columns begin .. end - 1 along an axis. */
recon_onnx_value recon_graph_slice(recon_onnx *o, recon_onnx_value x, int64_t axis, int64_t begin,
                                   int64_t end);

/* All of a layer's numbers as floats, to be freed; NULL after a failure, which stays in o. */
float *recon_graph_read(recon_ctx *ctx, recon_onnx *o, const recon_param *param);

recon_onnx_value recon_graph_linear(recon_ctx *ctx, recon_onnx *o, const recon_linear *layer,
                                    recon_onnx_value x);
recon_onnx_value recon_graph_mlp(recon_ctx *ctx, recon_onnx *o, const recon_mlp *mlp,
                                 recon_onnx_value x);
/* A convolution and the norm behind it in one; norm NULL: the convolution alone. A residual block. */
recon_onnx_value recon_graph_conv(recon_ctx *ctx, recon_onnx *o, const recon_conv *layer,
                                  const recon_norm *norm, recon_onnx_value x);
recon_onnx_value recon_graph_residual(recon_ctx *ctx, recon_onnx *o, const recon_residual *block,
                                      recon_onnx_value x);
/* Pairs n x 2 scaled to length one; their product as complex numbers, of the second's conjugate where
 * that is 1; the angle n of a pair of length one, in (-pi, pi]. */
recon_onnx_value recon_graph_unit(recon_onnx *o, recon_onnx_value x);
recon_onnx_value recon_graph_compose(recon_onnx *o, recon_onnx_value a, recon_onnx_value b,
                                     int conjugate);
recon_onnx_value recon_graph_angle(recon_onnx *o, recon_onnx_value x);
recon_onnx_value recon_graph_angle_of(recon_onnx *o, recon_onnx_value x, recon_onnx_value y);

recon_onnx_value recon_graph_concat(recon_onnx *o, recon_onnx_value a, recon_onnx_value b,
                                    int64_t axis);
/* Columns of x n x count, moved to the left by so many, around the end. */
recon_onnx_value recon_graph_roll(recon_onnx *o, recon_onnx_value x, int64_t by, int64_t count);
/* x[at] along an axis; both have as many axes. */
recon_onnx_value recon_graph_gather(recon_onnx *o, recon_onnx_value x, recon_onnx_value at,
                                    int64_t axis);
recon_onnx_value recon_graph_cast(recon_onnx *o, recon_onnx_value x, recon_onnx_type type);
recon_onnx_value recon_graph_choose(recon_onnx *o, recon_onnx_value where, recon_onnx_value yes,
                                    recon_onnx_value no);

/* --- the encoder (export_encoder.c) ----------------------------------------------------------- */

/* What an encoder makes of images; parts nobody asked for are 0. */
typedef struct {
    recon_onnx_value code;    /* n x code                                                 */
    recon_onnx_value pose;    /* n x 2                                                    */
    recon_onnx_value density; /* n x RECON_POSE_BINS: logits in the order of a
                                 recon_so2_density about psi, where bin b is g = -b        */
} recon_graph_encoded;
typedef struct {
    int code, pose, density;
} recon_graph_parts;

/* The images as the network sees them: softened, through the mask. */
recon_onnx_value recon_graph_look(recon_onnx *o, const recon_ieae *model, recon_onnx_value images);
recon_graph_encoded recon_graph_encoder(recon_ctx *ctx, recon_onnx *o, const recon_encoder *encoder,
                                        recon_onnx_value x, size_t height, recon_graph_parts parts);

/* One pass of the network for photographs, and four, over all quarter turns (export_photo.c). */
recon_graph_encoded recon_graph_photo(recon_ctx *ctx, recon_onnx *o, const recon_photo_net *net,
                                      recon_onnx_value x, recon_graph_parts parts);
recon_graph_encoded recon_graph_quarters(recon_ctx *ctx, recon_onnx *o, const recon_photo_net *net,
                                         recon_onnx_value x, recon_graph_parts parts);

/* --- the centre (export_centre.c) ------------------------------------------------------------- */

/* As recon_so2_centre: the direction n x 2 of the centre of densities n x RECON_POSE_BINS, not of length one. */
recon_onnx_value recon_graph_centre(recon_onnx *o, recon_onnx_value bins);

/* --- scores (export_score.c) ------------------------------------------------------------------ */

/* The outputs of RECON_EXPORT_SCORE, from logits n x RECON_POSE_BINS in the order of recon_graph_encoded,
 * and the densities that they are. */
void recon_graph_score(recon_onnx *o, recon_onnx_value logits, recon_onnx_value bins,
                       const recon_tails *tails);
/* The same from what the head of a mixture puts out, at psi n x 2 (export_mixture.c). */
void recon_graph_mixture(recon_onnx *o, recon_onnx_value y, recon_onnx_value psi,
                         const recon_tails *tails);
/* score, sharpness and tail n x 1, and the p-value that follows, as outputs. */
void recon_graph_put_scores(recon_onnx *o, recon_onnx_value score, recon_onnx_value sharpness,
                            recon_onnx_value tail, const recon_tails *tails);

#endif
