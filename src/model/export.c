/* export.c - a model of images as one ONNX graph. */
#include "model/export.h"
#include "backbone/kinds.h"
#include "core/fail.h"
#include "core/memory.h"
#include "maps/so2_heads.h"

#include <stdio.h>

enum { BATCH = RECON_ONNX_BATCH };

/* A model on its way into a graph. */
typedef struct {
    recon_ctx *ctx;
    recon_onnx *o;
    const recon_ieae *backbone;
    const recon_maps *maps;
    recon_onnx_value images, seen; /* as they come, and as the network sees them */
    recon_onnx_value code;         /* n x d, as the heads take it; 0: nobody asks it */
    recon_onnx_value logits, bins; /* n x RECON_POSE_BINS, the pose density; 0: none */
    recon_onnx_value psi, lambda, rotation;
} export;

static recon_status check(recon_ctx *ctx, const recon_model *m)
{
    if (!recon_backbone_ieae(m->backbone))
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "a model of %s (backbone '%s'): only models of `{recon.train()}` on images "
            "can be exported",
            m->backbone->kind->data, m->backbone->kind->name);
    if (m->maps->lambda == RECON_LAMBDA_NEIGHBOURS)
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "lambda neighbours: the natural pose comes from a search in the embeddings of the "
            "training data, which ONNX has no operators for; choose lambda head or density");
    return RECON_OK;
}

/* --- the pose --------------------------------------------------------------------------------- */

/* z as the heads on it take it. */
static recon_onnx_value standardize(export *e, recon_onnx_value code)
{
    const recon_maps *m = e->maps;
    recon_onnx_ints shape = RECON_ONNX_SHAPE((int64_t)m->d);
    float *mean = recon_graph_read(e->ctx, e->o, m->kept.mean);
    float *scale = recon_graph_read(e->ctx, e->o, m->kept.scale);
    if (mean && scale) {
        code = recon_graph_two(e->o, "Sub", code,
                               recon_onnx_floats(e->o, "standard.mean", mean, shape));
        code = recon_graph_two(e->o, "Mul", code,
                               recon_onnx_floats(e->o, "standard.scale", scale, shape));
    }
    recon_free_all(mean, scale);
    return code;
}

/* Lambda as a network learned it: on the images, or on z. */
static recon_onnx_value lambda_of_head(export *e)
{
    const recon_maps *m = e->maps;
    if (!m->nets)
        return recon_graph_unit(e->o,
                                recon_graph_mlp(e->ctx, e->o, &m->head[RECON_SO2_LAMBDA], e->code));
    recon_image_net net = recon_image_nets_at(m->nets, RECON_SO2_LAMBDA);
    recon_onnx_value code =
        recon_graph_encoder(e->ctx, e->o, net.encoder, e->seen, e->backbone->shape.height,
                            (recon_graph_parts){ .code = 1 })
            .code;
    return recon_graph_unit(e->o, recon_graph_mlp(e->ctx, e->o, net.out, code));
}

/* The centre of the density about psi is Lambda: it takes an image back. */
static void find_pose(export *e, int score)
{
    int by_density = e->maps->lambda == RECON_LAMBDA_DENSITY, density = e->backbone->shape.density;
    const recon_graph_parts parts = { .pose = 1,
                                      .code =
                                          (!by_density && !e->maps->nets) || (score && !density),
                                      .density = by_density || (score && density) };
    recon_onnx *o = e->o;
    recon_graph_encoded seen;
    e->seen = recon_graph_look(o, e->backbone, e->images);
    seen = e->backbone->turns > 1
               ? recon_graph_quarters(e->ctx, o, &e->backbone->encoder.photo, e->seen, parts)
               : recon_graph_encoder(e->ctx, o, &e->backbone->encoder, e->seen,
                                     e->backbone->shape.height, parts);
    e->psi = recon_graph_unit(o, seen.pose);
    e->code = seen.code ? standardize(e, seen.code) : 0;
    e->logits = seen.density;
    if (seen.density)
        e->bins = recon_onnx_op(o, "Softmax", RECON_ONNX_IN(seen.density),
                                RECON_ONNX_WITH(RECON_ONNX_SET_INT("axis", 1)));
    if (by_density) {
        e->rotation = recon_graph_unit(o, recon_graph_centre(o, e->bins));
        e->lambda = recon_graph_compose(o, e->psi, e->rotation, 0);
    } else {
        e->lambda = lambda_of_head(e);
        e->rotation = recon_graph_compose(o, e->lambda, e->psi, 1);
    }
}

static void put_pose(export *e)
{
    const recon_onnx_ints pair = RECON_ONNX_SHAPE(BATCH, 2);
    recon_onnx_output(e->o, "rotation", e->rotation, RECON_ONNX_F32, pair);
    recon_onnx_output(e->o, "angle", recon_graph_angle(e->o, e->rotation), RECON_ONNX_F32,
                      RECON_ONNX_SHAPE(BATCH));
    recon_onnx_output(e->o, "psi", e->psi, RECON_ONNX_F32, pair);
    recon_onnx_output(e->o, "lambda", e->lambda, RECON_ONNX_F32, pair);
}

/* Of the pose density, or of the mixture that a head on z gives. */
static void put_scores(export *e)
{
    if (e->logits)
        recon_graph_score(e->o, e->logits, e->bins, &e->maps->tails);
    else
        recon_graph_mixture(
            e->o, recon_graph_mlp(e->ctx, e->o, &e->maps->head[RECON_SO2_DENSITY], e->code), e->psi,
            &e->maps->tails);
}

/* --- the image -------------------------------------------------------------------------------- */

static recon_onnx_value shaped(recon_onnx *o, const char *op, recon_onnx_value x,
                               recon_onnx_ints shape)
{
    const recon_onnx_ints count = RECON_ONNX_SHAPE((int64_t)shape.count);
    return recon_graph_two(o, op, x, recon_onnx_integers(o, shape.at, count));
}

/* The places of count pixels from the middle, as an axis of an image. */
static recon_onnx_value places(recon_onnx *o, int64_t count, recon_onnx_ints axis)
{
    recon_onnx_value begin = recon_onnx_number(o, -(double)(count - 1) / 2);
    recon_onnx_value end = recon_onnx_number(o, (double)count / 2), one = recon_onnx_number(o, 1);
    recon_onnx_value at =
        recon_onnx_op(o, "Range", RECON_ONNX_IN(begin, end, one), RECON_ONNX_PLAIN);
    return shaped(o, "Reshape", at, axis);
}

/* Where each pixel of a rotated image comes from, n x height x width x 2: ops/rows/rotate.h, in units of
 * half the image. Two rows for each image, of x' = c x - s y and y' = s x + c y, times the places in pixels
 * from the middle: a product of matrices, not of stacks of them, which a runtime refuses where n is 0. */
static recon_onnx_value grid(export *e)
{
    const recon_ieae_shape *s = &e->backbone->shape;
    const int64_t h = (int64_t)s->height, w = (int64_t)s->width_px;
    const recon_onnx_ints size = RECON_ONNX_SHAPE(h, w), row = RECON_ONNX_SHAPE(1, h * w);
    const float unit[2] = { 2 / (float)w, 2 / (float)h };
    recon_onnx *o = e->o;
    recon_onnx_value x = shaped(o, "Expand", places(o, w, RECON_ONNX_SHAPE(1, w)), size);
    recon_onnx_value y = shaped(o, "Expand", places(o, h, RECON_ONNX_SHAPE(h, 1)), size);
    recon_onnx_value at =
        recon_graph_concat(o, shaped(o, "Reshape", x, row), shaped(o, "Reshape", y, row), 0);
    recon_onnx_value c = recon_graph_slice(o, e->rotation, 1, 0, 1),
                     sine = recon_graph_slice(o, e->rotation, 1, 1, 2);
    recon_onnx_value rows =
        recon_graph_concat(o, recon_graph_concat(o, c, recon_graph_one(o, "Neg", sine), 1),
                           recon_graph_concat(o, sine, c, 1), 1);
    rows = shaped(o, "Reshape", rows, RECON_ONNX_SHAPE(-1, 2));
    recon_onnx_value from =
        shaped(o, "Reshape", recon_graph_two(o, "MatMul", rows, at), RECON_ONNX_SHAPE(-1, 2, h, w));
    from = recon_graph_two(o, "Mul", from,
                           recon_onnx_floats(o, NULL, unit, RECON_ONNX_SHAPE(2, 1, 1)));
    return recon_onnx_op(o, "Transpose", RECON_ONNX_IN(from),
                         RECON_ONNX_WITH(RECON_ONNX_SET_INTS("perm", 0, 2, 3, 1)));
}

static void put_image(export *e, recon_onnx_ints shape)
{
    recon_onnx_value image =
        recon_onnx_op(e->o, "GridSample", RECON_ONNX_IN(e->images, grid(e)),
                      RECON_ONNX_WITH(RECON_ONNX_SET_TEXT("mode", "bilinear"),
                                      RECON_ONNX_SET_TEXT("padding_mode", "zeros"),
                                      RECON_ONNX_SET_INT("align_corners", 0)));
    recon_onnx_output(e->o, "canonical", image, RECON_ONNX_F32, shape);
}

/* --- the file --------------------------------------------------------------------------------- */

static const char *const what_name[] = { "pose", "canonicalize", "score" };
enum { WHATS = sizeof what_name / sizeof *what_name };

const char *recon_export_name(recon_export_what what)
{
    return (size_t)what < WHATS ? what_name[what] : "unknown";
}

static recon_status write_file(export *e, const char *path, const recon_export_options *o)
{
    const recon_ieae_shape *s = &e->backbone->shape;
    char height[24], width[24], channels[24];
    recon_metadata_entry entry[12] = {
        { "recon_version", RECON_VERSION },
        { "what", recon_export_name(o->what) },
        { "height", height },
        { "width", width },
        { "channels", channels },
        { "pixels", "images n x channels x height x width, float, 0 (black) to 1; row 0 on top" },
        { "angles", "radians, counter-clockwise as seen on screen; pairs are (cos, sin); rotation "
                    "takes the image to its natural pose" },
        { "lambda", recon_lambda_name(e->maps->lambda) },
    };
    size_t n = 8;
    snprintf(height, sizeof height, "%zu", s->height);
    snprintf(width, sizeof width, "%zu", s->width_px);
    snprintf(channels, sizeof channels, "%zu", s->channels);
    if (e->backbone->crop)
        entry[n++] = (recon_metadata_entry){ "crop", "auto" };
    if (o->licence)
        entry[n++] = (recon_metadata_entry){ "licence", o->licence };
    return recon_onnx_write(e->ctx, path, e->o, entry, n);
}

recon_status recon_model_export(recon_ctx *ctx, const char *path, const recon_model *model,
                                const recon_export_options *options)
{
    const recon_export_options o = options ? *options : (recon_export_options){ 0 };
    export e = { .ctx = ctx,
                 .backbone = recon_backbone_ieae(model->backbone),
                 .maps = model->maps };
    recon_ieae_shape s;
    recon_onnx_ints shape;
    recon_status status;
    RECON_TRY(recon_reserved_check(ctx, o.reserved, "recon_export_options"));
    RECON_TRY(recon_enum_check(ctx, o.what, RECON_EXPORT_SCORE, "kind of export"));
    RECON_TRY(check(ctx, model));
    s = e.backbone->shape;
    shape = RECON_ONNX_SHAPE(BATCH, (int64_t)s.channels, (int64_t)s.height, (int64_t)s.width_px);
    RECON_TRY(recon_onnx_new(ctx, &e.o, "recon"));
    e.images = recon_onnx_input(e.o, "images", RECON_ONNX_F32, shape);
    find_pose(&e, o.what == RECON_EXPORT_SCORE);
    if (o.what != RECON_EXPORT_POSE)
        put_image(&e, shape);
    if (o.what == RECON_EXPORT_SCORE)
        put_scores(&e);
    put_pose(&e);
    RECON_TRY(write_file(&e, path, &o));
done:
    recon_onnx_free(e.o);
    return status;
}
