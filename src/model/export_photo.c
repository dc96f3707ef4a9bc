/* export_photo.c - the network for photographs, and its answers over the four quarter turns. */
#include "model/export.h"

#include <stdint.h>

enum { BINS = RECON_POSE_BINS, TURNS = RECON_QUARTERS };

/* The density's logits in the order of recon_graph_encoded, from those of a pass over the image turned k
 * times, which are in the order of g. */
static recon_onnx_value reorder(recon_onnx *o, recon_onnx_value logits, int k)
{
    int64_t from[BINS];
    for (int b = 0; b < BINS; b++)
        from[b] = (BINS - b + k * (BINS / TURNS)) % BINS;
    return recon_onnx_op(
        o, "Gather", RECON_ONNX_IN(logits, recon_onnx_integers(o, from, RECON_ONNX_SHAPE(BINS))),
        RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
}

/* As recon_photo_net_apply; logits are in the order of g. */
static recon_graph_encoded pass(recon_ctx *ctx, recon_onnx *o, const recon_photo_net *net,
                                recon_onnx_value x, recon_graph_parts parts)
{
    recon_graph_encoded out = { 0 };
    for (size_t i = 0; i < net->stems; i++)
        x = recon_graph_one(o, "Relu", recon_graph_conv(ctx, o, &net->stem[i], &net->norm[i], x));
    for (size_t i = 0; i < net->blocks; i++)
        x = recon_graph_residual(ctx, o, &net->block[i], x);
    x = recon_onnx_op(
        o, "ReduceMean", RECON_ONNX_IN(x),
        RECON_ONNX_WITH(RECON_ONNX_SET_INTS("axes", 2, 3), RECON_ONNX_SET_INT("keepdims", 0)));
    if (parts.code)
        out.code = recon_graph_mlp(ctx, o, &net->code, x);
    if (parts.pose)
        out.pose = recon_graph_linear(ctx, o, &net->pose, x);
    if (parts.density)
        out.density = recon_graph_linear(ctx, o, &net->density, x);
    return out;
}

recon_graph_encoded recon_graph_photo(recon_ctx *ctx, recon_onnx *o, const recon_photo_net *net,
                                      recon_onnx_value x, recon_graph_parts parts)
{
    recon_graph_encoded out = pass(ctx, o, net, x, parts);
    if (out.density)
        out.density = reorder(o, out.density, 0);
    return out;
}

/* Counter-clockwise by 90 degrees: rows become columns, and the last row the first. */
static recon_onnx_value turn(recon_onnx *o, recon_onnx_value x)
{
    const recon_onnx_ints one = RECON_ONNX_SHAPE(1);
    x = recon_onnx_op(o, "Transpose", RECON_ONNX_IN(x),
                      RECON_ONNX_WITH(RECON_ONNX_SET_INTS("perm", 0, 1, 3, 2)));
    return recon_onnx_op(o, "Slice",
                         RECON_ONNX_IN(x, recon_onnx_integers(o, &(int64_t){ -1 }, one),
                                       recon_onnx_integers(o, &(int64_t){ INT64_MIN }, one),
                                       recon_onnx_integers(o, &(int64_t){ 2 }, one),
                                       recon_onnx_integers(o, &(int64_t){ -1 }, one)),
                         RECON_ONNX_PLAIN);
}

/* Rotated back by k quarter turns. */
static recon_onnx_value turn_back(recon_onnx *o, recon_onnx_value pose, int k)
{
    static const float by[TURNS][4] = {
        { 1, 0, 0, 1 }, { 0, -1, 1, 0 }, { -1, 0, 0, -1 }, { 0, 1, -1, 0 }
    };
    return recon_graph_two(o, "MatMul", pose,
                           recon_onnx_floats(o, NULL, by[k], RECON_ONNX_SHAPE(2, 2)));
}

static recon_onnx_value mean(recon_onnx *o, const recon_onnx_value v[TURNS])
{
    recon_onnx_value sum = recon_graph_two(o, "Add", recon_graph_two(o, "Add", v[0], v[2]),
                                           recon_graph_two(o, "Add", v[1], v[3]));
    return recon_graph_two(o, "Mul", sum, recon_onnx_number(o, 1.0 / TURNS));
}

/* The passes' rows stand one behind the other, n of each. */
static void split(recon_onnx *o, recon_onnx_value part[TURNS], recon_onnx_value rows)
{
    recon_onnx_ops(o, part, TURNS, "Split", RECON_ONNX_IN(rows),
                   RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 0)));
}

recon_graph_encoded recon_graph_quarters(recon_ctx *ctx, recon_onnx *o, const recon_photo_net *net,
                                         recon_onnx_value x, recon_graph_parts parts)
{
    recon_onnx_value view[TURNS] = { x }, part[TURNS];
    recon_graph_encoded out;
    for (int k = 1; k < TURNS; k++)
        view[k] = turn(o, view[k - 1]);
    x = recon_onnx_op(o, "Concat", RECON_ONNX_IN(view[0], view[1], view[2], view[3]),
                      RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 0)));
    out = pass(ctx, o, net, x, parts);
    if (out.code) {
        split(o, part, out.code);
        out.code = mean(o, part);
    }
    if (out.pose) {
        split(o, part, out.pose);
        for (int k = 0; k < TURNS; k++)
            part[k] = turn_back(o, part[k], k);
        out.pose = mean(o, part);
    }
    if (out.density) {
        split(o, part, out.density);
        for (int k = 0; k < TURNS; k++)
            part[k] = reorder(o, part[k], k);
        out.density = mean(o, part);
    }
    return out;
}
