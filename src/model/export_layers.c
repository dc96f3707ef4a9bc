/* export_layers.c - what every part of an exported network is made of. */
#include "core/fail.h"
#include "core/memory.h"
#include "model/export.h"
#include "nn/params.h"

#include <math.h>
#include <stdlib.h>

#define EPS 1e-5 /* of norms, see nn/var_norm.c */

recon_onnx_value recon_graph_reduce(recon_onnx *o, const char *op, recon_onnx_value x, int64_t axis,
                                    int keep)
{
    return recon_onnx_op(
        o, op, RECON_ONNX_IN(x),
        RECON_ONNX_WITH(RECON_ONNX_SET_INTS("axes", axis), RECON_ONNX_SET_INT("keepdims", keep)));
}

recon_onnx_value recon_graph_sum(recon_onnx *o, recon_onnx_value x, int64_t axis, int keep)
{
    return recon_onnx_op(o, "ReduceSum",
                         RECON_ONNX_IN(x, recon_onnx_integers(o, &axis, RECON_ONNX_SHAPE(1))),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("keepdims", keep)));
}

recon_onnx_value recon_graph_concat(recon_onnx *o, recon_onnx_value a, recon_onnx_value b,
                                    int64_t axis)
{
    return recon_onnx_op(o, "Concat", RECON_ONNX_IN(a, b),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", axis)));
}

recon_onnx_value recon_graph_gather(recon_onnx *o, recon_onnx_value x, recon_onnx_value at,
                                    int64_t axis)
{
    return recon_onnx_op(o, "GatherElements", RECON_ONNX_IN(x, at),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", axis)));
}

recon_onnx_value recon_graph_cast(recon_onnx *o, recon_onnx_value x, recon_onnx_type type)
{
    return recon_onnx_op(o, "Cast", RECON_ONNX_IN(x),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("to", type)));
}

recon_onnx_value recon_graph_choose(recon_onnx *o, recon_onnx_value where, recon_onnx_value yes,
                                    recon_onnx_value no)
{
    return recon_onnx_op(o, "Where", RECON_ONNX_IN(where, yes, no), RECON_ONNX_PLAIN);
}

recon_onnx_value recon_graph_slice(recon_onnx *o, recon_onnx_value x, int64_t axis, int64_t begin,
                                   int64_t end)
{
    return recon_onnx_op(o, "Slice",
                         RECON_ONNX_IN(x, recon_onnx_integers(o, &begin, RECON_ONNX_SHAPE(1)),
                                       recon_onnx_integers(o, &end, RECON_ONNX_SHAPE(1)),
                                       recon_onnx_integers(o, &axis, RECON_ONNX_SHAPE(1))),
                         RECON_ONNX_PLAIN);
}

recon_onnx_value recon_graph_roll(recon_onnx *o, recon_onnx_value x, int64_t by, int64_t count)
{
    return recon_graph_concat(o, recon_graph_slice(o, x, 1, by, count),
                              recon_graph_slice(o, x, 1, 0, by), 1);
}

float *recon_graph_read(recon_ctx *ctx, recon_onnx *o, const recon_param *param)
{
    size_t n = recon_param_count(param);
    double *values = NULL;
    float *out = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &values, n, sizeof *values));
    RECON_TRY(recon_param_read(ctx, values, param));
    RECON_TRY(recon_alloc_raw(ctx, &out, n, sizeof *out));
    for (size_t i = 0; i < n; i++)
        out[i] = (float)values[i];
done:
    free(values);
    recon_onnx_did(o, status);
    return out;
}

recon_onnx_value recon_graph_linear(recon_ctx *ctx, recon_onnx *o, const recon_linear *l,
                                    recon_onnx_value x)
{
    float *weight = recon_graph_read(ctx, o, l->weight), *bias = recon_graph_read(ctx, o, l->bias);
    recon_onnx_value w = 0, b = 0;
    if (recon_onnx_did(o, RECON_OK)) {
        const size_t *s = l->weight->value.shape;
        w = recon_onnx_floats(o, l->weight->name, weight,
                              RECON_ONNX_SHAPE((int64_t)s[0], (int64_t)s[1]));
        b = recon_onnx_floats(o, l->bias->name, bias, RECON_ONNX_SHAPE((int64_t)s[0]));
    }
    recon_free_all(weight, bias);
    return recon_onnx_op(o, "Gemm", RECON_ONNX_IN(x, w, b),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("transB", 1)));
}

recon_onnx_value recon_graph_mlp(recon_ctx *ctx, recon_onnx *o, const recon_mlp *mlp,
                                 recon_onnx_value x)
{
    for (size_t i = 0; i < mlp->layers; i++) {
        if (i > 0)
            x = recon_graph_one(o, "Relu", x);
        x = recon_graph_linear(ctx, o, &mlp->layer[i], x);
    }
    return x;
}

recon_onnx_value recon_graph_conv(recon_ctx *ctx, recon_onnx *o, const recon_conv *l,
                                  const recon_norm *norm, recon_onnx_value x)
{
    const size_t *s = l->weight->value.shape;
    size_t outs = s[0], size = s[1], ins = s[3], taps = size * size;
    int64_t pad = (int64_t)l->pad, stride = (int64_t)l->stride;
    float *filter = recon_graph_read(ctx, o, l->weight), *weight = NULL, *bias = NULL;
    float *of[4] = { NULL }; /* scale, shift, mean, variance */
    recon_onnx_value w = 0, b = 0;
    recon_status status;
    if (norm) {
        of[0] = recon_graph_read(ctx, o, norm->scale);
        of[1] = recon_graph_read(ctx, o, norm->shift);
        of[2] = recon_graph_read(ctx, o, norm->mean);
        of[3] = recon_graph_read(ctx, o, norm->var);
    }
    RECON_TRY(recon_alloc_raw(ctx, &weight, outs * ins, taps * sizeof *weight));
    RECON_TRY(recon_alloc(ctx, &bias, outs, sizeof *bias));
    if (!recon_onnx_did(o, RECON_OK))
        goto done;
    for (size_t a = 0; a < outs; a++) {
        double scale = norm ? (double)of[0][a] / sqrt((double)of[3][a] + EPS) : 1;
        if (norm)
            bias[a] = (float)((double)of[1][a] - scale * (double)of[2][a]);
        for (size_t c = 0; c < ins; c++)
            for (size_t t = 0; t < taps; t++)
                weight[(a * ins + c) * taps + t] =
                    (float)(scale * (double)filter[(a * taps + t) * ins + c]);
    }
    w = recon_onnx_floats(
        o, l->weight->name, weight,
        RECON_ONNX_SHAPE((int64_t)outs, (int64_t)ins, (int64_t)size, (int64_t)size));
    b = recon_onnx_floats(o, NULL, bias, RECON_ONNX_SHAPE((int64_t)outs));
    x = recon_onnx_op(o, "Conv", RECON_ONNX_IN(x, w, b),
                      RECON_ONNX_WITH(RECON_ONNX_SET_INTS("pads", pad, pad, pad, pad),
                                      RECON_ONNX_SET_INTS("strides", stride, stride)));
done:
    recon_onnx_did(o, status);
    recon_free_all(filter, weight, bias);
    for (int i = 0; i < 4; i++)
        free(of[i]);
    return x;
}

recon_onnx_value recon_graph_residual(recon_ctx *ctx, recon_onnx *o, const recon_residual *b,
                                      recon_onnx_value x)
{
    recon_onnx_value y =
        recon_graph_one(o, "Relu", recon_graph_conv(ctx, o, &b->conv[0], &b->norm[0], x));
    y = recon_graph_conv(ctx, o, &b->conv[1], &b->norm[1], y);
    if (b->projects)
        x = recon_graph_conv(ctx, o, &b->shortcut, &b->shortcut_norm, x);
    return recon_graph_one(o, "Relu", recon_graph_two(o, "Add", y, x));
}

/* A vector of zeros, which has no direction, is (1, 0), as atan2(0, 0) has it. */
recon_onnx_value recon_graph_unit(recon_onnx *o, recon_onnx_value x)
{
    recon_onnx_value length = recon_graph_reduce(o, "ReduceL2", x, 1, 1);
    recon_onnx_value none = recon_graph_two(o, "Less", length, recon_onnx_number(o, 1e-30));
    recon_onnx_value east =
        recon_onnx_floats(o, NULL, (const float[]){ 1, 0 }, RECON_ONNX_SHAPE(2));
    length = recon_graph_two(o, "Max", length, recon_onnx_number(o, 1e-30));
    return recon_graph_choose(o, none, east, recon_graph_two(o, "Div", x, length));
}

recon_onnx_value recon_graph_compose(recon_onnx *o, recon_onnx_value a, recon_onnx_value b,
                                     int conjugate)
{
    recon_onnx_value ax = recon_graph_slice(o, a, 1, 0, 1), ay = recon_graph_slice(o, a, 1, 1, 2);
    recon_onnx_value bx = recon_graph_slice(o, b, 1, 0, 1), by = recon_graph_slice(o, b, 1, 1, 2);
    recon_onnx_value xx = recon_graph_two(o, "Mul", ax, bx), xy = recon_graph_two(o, "Mul", ax, by);
    recon_onnx_value yx = recon_graph_two(o, "Mul", ay, bx), yy = recon_graph_two(o, "Mul", ay, by);
    return recon_graph_concat(o, recon_graph_two(o, conjugate ? "Add" : "Sub", xx, yy),
                              recon_graph_two(o, conjugate ? "Sub" : "Add", yx, xy), 1);
}

/* By the half angle, y / (1 + |x|), which is never above 1; the other half of the circle is that of -x. */
recon_onnx_value recon_graph_angle_of(recon_onnx *o, recon_onnx_value x, recon_onnx_value y)
{
    recon_onnx_value zero = recon_onnx_number(o, 0), one = recon_onnx_number(o, 1);
    recon_onnx_value tangent =
        recon_graph_two(o, "Div", y, recon_graph_two(o, "Add", recon_graph_one(o, "Abs", x), one));
    recon_onnx_value front =
        recon_graph_two(o, "Mul", recon_graph_one(o, "Atan", tangent), recon_onnx_number(o, 2));
    recon_onnx_value half =
        recon_graph_choose(o, recon_graph_two(o, "Less", y, zero), recon_onnx_number(o, -M_PI),
                           recon_onnx_number(o, M_PI));
    return recon_graph_choose(o, recon_graph_two(o, "Less", x, zero),
                              recon_graph_two(o, "Sub", half, front), front);
}

recon_onnx_value recon_graph_angle(recon_onnx *o, recon_onnx_value v)
{
    recon_onnx_value last = recon_onnx_integers(o, &(int64_t){ 1 }, RECON_ONNX_SHAPE(1));
    return recon_graph_angle_of(
        o, recon_graph_two(o, "Squeeze", recon_graph_slice(o, v, 1, 0, 1), last),
        recon_graph_two(o, "Squeeze", recon_graph_slice(o, v, 1, 1, 2), last));
}
