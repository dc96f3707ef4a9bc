/* export_encoder.c - a steerable encoder as plain convolutions.
 *
 * Its filters are expanded, and the norms behind them folded into their weights. Channels are put in
 * another order than fields.h has: scalars, the first of every pair, the second of every pair. Then
 * the nonlinearity of pairs is a few operations on whole blocks of channels, without a transposition. */
#include "backbone/ieae.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/export.h"
#include "nn/params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EPS 1e-5 /* of norms, see nn/var_norm.c */

/* A layer's numbers, as its file has them. */
typedef struct {
    float *filter, *scale, *shift, *threshold, *mean, *var;
} numbers;

static void numbers_free(numbers *n)
{
    recon_free_all(n->filter, n->scale, n->shift, n->threshold, n->mean, n->var);
}

static numbers read_layer(recon_ctx *ctx, recon_onnx *o, const recon_steerable *conv,
                          const recon_field_norm *norm)
{
    return (numbers){ .filter = recon_graph_read(ctx, o, conv->filter),
                      .scale = recon_graph_read(ctx, o, norm->scale),
                      .shift = norm->shift ? recon_graph_read(ctx, o, norm->shift) : NULL,
                      .threshold =
                          norm->threshold ? recon_graph_read(ctx, o, norm->threshold) : NULL,
                      .mean = recon_graph_read(ctx, o, norm->mean),
                      .var = recon_graph_read(ctx, o, norm->var) };
}

/* The channel of fields.h that stands at a place of the file's order. */
static size_t channel_at(const recon_fields *f, size_t place)
{
    size_t scalars = f->of[0], pairs = recon_fields_pairs(f);
    if (place < scalars)
        return place;
    place -= scalars;
    return scalars + 2 * (place % pairs) + place / pairs;
}

/* The field of a channel: scalars, then pairs. */
static size_t field_of(const recon_fields *f, size_t channel)
{
    return channel < f->of[0] ? channel : f->of[0] + (channel - f->of[0]) / 2;
}

/* By which the norm multiplies a channel, and what it adds. */
static double factor(const numbers *n, const recon_fields *f, size_t channel)
{
    size_t k = field_of(f, channel);
    return (double)n->scale[k] / sqrt((double)n->var[k] + EPS);
}

static double offset(const numbers *n, const recon_fields *f, size_t channel)
{
    if (channel >= f->of[0])
        return 0;
    return (double)n->shift[channel] - (double)n->mean[channel] * factor(n, f, channel);
}

/* Out x size x size x in becomes out x in x size x size, in the file's order, with the norm in it. */
static void fold(float *weight, float *bias, const numbers *n, const recon_steerable *l)
{
    size_t outs = recon_fields_channels(&l->out), ins = recon_fields_channels(&l->in);
    size_t taps = l->size * l->size;
    for (size_t a = 0; a < outs; a++) {
        size_t to = channel_at(&l->out, a);
        double scale = factor(n, &l->out, to);
        bias[a] = (float)offset(n, &l->out, to);
        for (size_t b = 0; b < ins; b++)
            for (size_t t = 0; t < taps; t++)
                weight[(a * ins + b) * taps + t] =
                    (float)(scale *
                            (double)n->filter[(to * taps + t) * ins + channel_at(&l->in, b)]);
    }
}

/* Weights in the order of fold(). */
static recon_onnx_value filters(recon_onnx *o, const recon_steerable *l, const char *name,
                                const float *weight)
{
    int64_t outs = (int64_t)recon_fields_channels(&l->out), size = (int64_t)l->size;
    return recon_onnx_floats(
        o, name, weight,
        RECON_ONNX_SHAPE(outs, (int64_t)recon_fields_channels(&l->in), size, size));
}

static recon_onnx_value convolve_with(recon_onnx *o, const recon_steerable *l, recon_onnx_value w,
                                      recon_onnx_value bias, recon_onnx_value x)
{
    int64_t pad = (int64_t)l->pad;
    return recon_onnx_op(o, "Conv", RECON_ONNX_IN(x, w, bias),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INTS("pads", pad, pad, pad, pad)));
}

/* Leaves in each filter of n weights what is above 2^-LEAD_WEIGHTS of their sum; rest is what that lacks. */
enum { LEAD_WEIGHTS = 12, LEAD_PIXELS = 10 };
static void cut(float *weight, float *rest, size_t filters, size_t n)
{
    for (size_t a = 0; a < filters; a++, weight += n, rest += n) {
        double sum = 0;
        int exponent;
        for (size_t i = 0; i < n; i++)
            sum += fabs((double)weight[i]);
        frexp(sum, &exponent);
        for (size_t i = 0; i < n; i++) {
            double lead = rint(ldexp((double)weight[i], LEAD_WEIGHTS - exponent));
            lead = ldexp(lead, exponent - LEAD_WEIGHTS);
            rest[i] = (float)((double)weight[i] - lead);
            weight[i] = (float)lead;
        }
    }
}

/* The first layer. On a plain background it rounds alike at all pixels, and later layers add that up: of a
 * word on white paper two runtimes would give log q with 1e-4 between them. So pixels and weights are cut:
 * the leading parts are so short that sums of their products are exact, the others too small to matter. */
static recon_onnx_value convolve_image(recon_ctx *ctx, recon_onnx *o, const recon_steerable *l,
                                       const char *name, float *weight, recon_onnx_value bias,
                                       recon_onnx_value x)
{
    size_t outs = recon_fields_channels(&l->out);
    size_t n = recon_fields_channels(&l->in) * l->size * l->size;
    float *rest = NULL;
    if (!recon_onnx_did(o, recon_alloc_raw(ctx, &rest, outs, n * sizeof *rest)))
        return 0;
    cut(weight, rest, outs, n);
    recon_onnx_value w = filters(o, l, name, weight), fine = filters(o, l, NULL, rest);
    free(rest);
    recon_onnx_value up = recon_onnx_number(o, 1 << LEAD_PIXELS);
    recon_onnx_value lead = recon_graph_two(
        o, "Div", recon_graph_one(o, "Round", recon_graph_two(o, "Mul", x, up)), up);
    recon_onnx_value small =
        recon_graph_two(o, "Add", convolve_with(o, l, w, 0, recon_graph_two(o, "Sub", x, lead)),
                        convolve_with(o, l, fine, bias, x));
    return recon_graph_two(o, "Add", convolve_with(o, l, w, 0, lead), small);
}

static recon_onnx_value convolve(recon_ctx *ctx, recon_onnx *o, const recon_steerable *l,
                                 const numbers *n, int of_image, recon_onnx_value x)
{
    size_t outs = recon_fields_channels(&l->out), ins = recon_fields_channels(&l->in);
    float *weight = NULL, *bias = NULL;
    recon_onnx_value b;
    recon_layer_name name;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &weight, outs * ins, l->size * l->size * sizeof *weight));
    RECON_TRY(recon_alloc_raw(ctx, &bias, outs, sizeof *bias));
    fold(weight, bias, n, l);
    snprintf(name, sizeof name, "%.50s.offset", l->name);
    b = recon_onnx_floats(o, name, bias, RECON_ONNX_SHAPE((int64_t)outs));
    snprintf(name, sizeof name, "%.50s.filter", l->name);
    x = of_image ? convolve_image(ctx, o, l, name, weight, b, x)
                 : convolve_with(o, l, filters(o, l, name, weight), b, x);
done:
    recon_onnx_did(o, status);
    recon_free_all(weight, bias);
    return x;
}

/* relu(|v| - b) / |v|, where b = softplus(p). */
static recon_onnx_value gate_of(recon_ctx *ctx, recon_onnx *o, const numbers *n, size_t pairs,
                                recon_onnx_value x, recon_onnx_value y)
{
    recon_onnx_value squares =
        recon_graph_two(o, "Add", recon_graph_two(o, "Mul", x, x), recon_graph_two(o, "Mul", y, y));
    recon_onnx_value norm = recon_graph_one(o, "Sqrt", squares), b = 0;
    float *threshold = NULL;
    recon_onnx_did(o, recon_alloc_raw(ctx, &threshold, pairs, sizeof *threshold));
    for (size_t i = 0; threshold && i < pairs; i++) {
        double p = (double)n->threshold[i];
        threshold[i] = (float)(fmax(p, 0) + log1p(exp(-fabs(p))));
    }
    if (recon_onnx_did(o, RECON_OK))
        b = recon_onnx_floats(o, NULL, threshold, RECON_ONNX_SHAPE((int64_t)pairs, 1, 1));
    free(threshold);
    return recon_graph_two(o, "Div", recon_graph_one(o, "Relu", recon_graph_two(o, "Sub", norm, b)),
                           recon_graph_two(o, "Max", norm, recon_onnx_number(o, 1e-30)));
}

static recon_onnx_value activate(recon_ctx *ctx, recon_onnx *o, const numbers *n,
                                 const recon_fields *f, recon_onnx_value x)
{
    int64_t scalars = (int64_t)f->of[0], pairs = (int64_t)recon_fields_pairs(f);
    recon_onnx_value part[3], gate;
    recon_onnx_value sizes =
        recon_onnx_integers(o, (int64_t[]){ scalars, pairs, pairs }, RECON_ONNX_SHAPE(3));
    recon_onnx_ops(o, part, 3, "Split", RECON_ONNX_IN(x, sizes),
                   RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
    gate = gate_of(ctx, o, n, (size_t)pairs, part[1], part[2]);
    return recon_onnx_op(o, "Concat",
                         RECON_ONNX_IN(recon_graph_one(o, "Relu", part[0]),
                                       recon_graph_two(o, "Mul", part[1], gate),
                                       recon_graph_two(o, "Mul", part[2], gate)),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
}

/* Layer i; *height becomes that of its images. */
static recon_onnx_value layer(recon_ctx *ctx, recon_onnx *o, const recon_encoder *e, size_t i,
                              recon_onnx_value x, size_t *height)
{
    const recon_steerable *l = &e->conv[i];
    numbers n = read_layer(ctx, o, l, &e->norm[i]);
    if (recon_onnx_did(o, RECON_OK)) {
        x = convolve(ctx, o, l, &n, i == 0, x);
        x = activate(ctx, o, &n, &l->out, x);
    }
    numbers_free(&n);
    *height += 2 * l->pad - (l->size - 1);
    if (!e->pool[i])
        return x;
    int64_t window = *height % 2 ? 3 : 2; /* as halve() in backbone/encoder.c has it */
    *height = (*height - (size_t)window) / 2 + 1;
    return recon_onnx_op(o, "AveragePool", RECON_ONNX_IN(x),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INTS("kernel_shape", window, window),
                                         RECON_ONNX_SET_INTS("strides", 2, 2)));
}

/* --- heads ------------------------------------------------------------------------------------ */

/* Rows begin .. begin + count - 1 of the head's matrix, which is 1 x 1. */
static recon_onnx_value head_rows(recon_onnx *o, const recon_encoder *e, const float *filter,
                                  recon_ctx *ctx, size_t begin, size_t count, recon_onnx_value x)
{
    size_t ins = recon_fields_channels(&e->head.in);
    recon_onnx_value w = 0;
    float *weight = NULL;
    recon_onnx_did(o, recon_alloc_raw(ctx, &weight, count, ins * sizeof *weight));
    for (size_t a = 0; weight && a < count; a++)
        for (size_t b = 0; b < ins; b++)
            weight[a * ins + b] = filter[(begin + a) * ins + channel_at(&e->head.in, b)];
    w = recon_onnx_floats(o, NULL, weight, RECON_ONNX_SHAPE((int64_t)count, (int64_t)ins));
    free(weight);
    return recon_onnx_op(o, "Gemm", RECON_ONNX_IN(x, w),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("transB", 1)));
}

/* Of each channel of fields: its frequency, the other channel of its pair, and by which of 1 and -1 that
 * one counts when the pair rotates. */
typedef struct {
    recon_onnx_value frequency, partner, sign;
} channels_of;

static channels_of describe(recon_ctx *ctx, recon_onnx *o, const recon_fields *f)
{
    size_t n = recon_fields_channels(f);
    recon_onnx_ints shape = RECON_ONNX_SHAPE((int64_t)n);
    int64_t *frequency = NULL, *partner = NULL;
    float *sign = NULL;
    channels_of out = { 0 };
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &frequency, n, sizeof *frequency));
    RECON_TRY(recon_alloc(ctx, &partner, n, sizeof *partner));
    RECON_TRY(recon_alloc(ctx, &sign, n, sizeof *sign));
    for (size_t m = 0, at = 0; m < RECON_FREQUENCIES; m++)
        for (size_t i = 0; i < f->of[m] * recon_field_size(m); i++, at++) {
            int second = m > 0 && i % 2;
            frequency[at] = (int64_t)m;
            partner[at] = (int64_t)(m == 0 ? at : second ? at - 1 : at + 1);
            sign[at] = second ? -1 : 1;
        }
    out = (channels_of){ recon_onnx_integers(o, frequency, shape),
                         recon_onnx_integers(o, partner, shape),
                         recon_onnx_floats(o, NULL, sign, shape) };
done:
    recon_onnx_did(o, status);
    recon_free_all(frequency, partner, sign);
    return out;
}

static recon_onnx_value gather_columns(recon_onnx *o, recon_onnx_value x, recon_onnx_value at)
{
    return recon_onnx_op(o, "Gather", RECON_ONNX_IN(x, at),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
}

/* Fields v to the fields of each bin's rotation: (cos, sin) times v and its partner, bin by bin, where a
 * matrix for each bin (pose_density.c) would be half as large as all convolutions. Bins go as those of a
 * density about psi do, from g = 0 clockwise. */
static recon_onnx_value rotate_fields(recon_ctx *ctx, recon_onnx *o, const recon_fields *f,
                                      recon_onnx_value v)
{
    enum { BINS = RECON_POSE_BINS };
    const recon_onnx_ints shape = RECON_ONNX_SHAPE(BINS, RECON_FREQUENCIES);
    float wave[2][BINS][RECON_FREQUENCIES];
    channels_of of = describe(ctx, o, f);
    for (int b = 0; b < BINS; b++)
        for (int m = 0; m < RECON_FREQUENCIES; m++) {
            wave[0][b][m] = (float)cos(-2 * M_PI * m * b / BINS);
            wave[1][b][m] = (float)sin(-2 * M_PI * m * b / BINS);
        }
    recon_onnx_value c =
        gather_columns(o, recon_onnx_floats(o, NULL, wave[0][0], shape), of.frequency);
    recon_onnx_value s =
        gather_columns(o, recon_onnx_floats(o, NULL, wave[1][0], shape), of.frequency);
    recon_onnx_value middle = recon_onnx_integers(o, &(int64_t){ 1 }, RECON_ONNX_SHAPE(1));
    recon_onnx_value other = recon_graph_two(o, "Mul", gather_columns(o, v, of.partner), of.sign);
    v = recon_graph_two(o, "Unsqueeze", v, middle);
    other = recon_graph_two(o, "Unsqueeze", other, middle);
    v = recon_graph_two(o, "Add", recon_graph_two(o, "Mul", v, c),
                        recon_graph_two(o, "Mul", other, s));
    return recon_graph_two(o, "Reshape", v,
                           recon_onnx_integers(o,
                                               (int64_t[]){ -1, (int64_t)recon_fields_channels(f) },
                                               RECON_ONNX_SHAPE(2)));
}

static recon_onnx_value density_of(recon_ctx *ctx, recon_onnx *o, const recon_pose_density *d,
                                   recon_onnx_value scalars, recon_onnx_value pairs)
{
    recon_onnx_value v = recon_onnx_op(o, "Concat", RECON_ONNX_IN(scalars, pairs),
                                       RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
    v = recon_graph_mlp(ctx, o, &d->mlp, rotate_fields(ctx, o, &d->fields, v));
    return recon_graph_two(
        o, "Reshape", v,
        recon_onnx_integers(o, (int64_t[]){ -1, RECON_POSE_BINS }, RECON_ONNX_SHAPE(2)));
}

/* See density_of() in backbone/encoder.c for the order of the head's rows. */
static recon_graph_encoded heads(recon_ctx *ctx, recon_onnx *o, const recon_encoder *e,
                                 recon_onnx_value x, recon_graph_parts parts)
{
    size_t scalars = e->density.fields.of[0], channels = recon_fields_channels(&e->density.fields);
    float *filter = recon_graph_read(ctx, o, e->head.filter);
    recon_graph_encoded out = { 0 };
    if (filter && parts.code) {
        out.code = head_rows(o, e, filter, ctx, 0, e->code, x);
        out.code = e->has_mlp ? recon_graph_mlp(ctx, o, &e->mlp, out.code) : out.code;
    }
    if (filter && parts.pose)
        out.pose = head_rows(o, e, filter, ctx, e->code + scalars, 2, x);
    if (filter && parts.density)
        out.density =
            density_of(ctx, o, &e->density, head_rows(o, e, filter, ctx, e->code, scalars, x),
                       head_rows(o, e, filter, ctx, e->code + scalars + 2, channels - scalars, x));
    free(filter);
    return out;
}

recon_graph_encoded recon_graph_encoder(recon_ctx *ctx, recon_onnx *o, const recon_encoder *e,
                                        recon_onnx_value x, size_t height, recon_graph_parts parts)
{
    if (e->is_photo)
        return recon_graph_photo(ctx, o, &e->photo, x, parts);
    for (size_t i = 0; i < e->layers; i++)
        x = layer(ctx, o, e, i, x, &height);
    x = recon_onnx_op(
        o, "ReduceMean", RECON_ONNX_IN(x),
        RECON_ONNX_WITH(RECON_ONNX_SET_INTS("axes", 2, 3), RECON_ONNX_SET_INT("keepdims", 0)));
    return heads(ctx, o, e, x, parts);
}

/* --- images ----------------------------------------------------------------------------------- */

recon_onnx_value recon_graph_look(recon_onnx *o, const recon_ieae *m, recon_onnx_value x)
{
    static const float soft[3] = { 0.125f, 0.75f, 0.125f }; /* as recon_ieae_preprocess has it */
    int64_t channels = (int64_t)m->shape.channels;
    float kernel[9];
    for (int i = 0; i < 9; i++)
        kernel[i] = soft[i / 3] * soft[i % 3];
    recon_onnx_value one = recon_onnx_floats(o, NULL, kernel, RECON_ONNX_SHAPE(1, 1, 3, 3));
    recon_onnx_value each =
        recon_onnx_integers(o, (int64_t[]){ channels, 1, 3, 3 }, RECON_ONNX_SHAPE(4));
    x = recon_onnx_op(o, "Conv", RECON_ONNX_IN(x, recon_graph_two(o, "Expand", one, each)),
                      RECON_ONNX_WITH(RECON_ONNX_SET_INTS("pads", 1, 1, 1, 1),
                                      RECON_ONNX_SET_INT("group", channels)));
    if (!m->mask)
        return x;
    return recon_graph_two(
        o, "Mul", x,
        recon_onnx_floats(o, "mask", m->mask,
                          RECON_ONNX_SHAPE((int64_t)m->shape.height, (int64_t)m->shape.width_px)));
}
