/* export_classifier.c - the frozen classifiers of the experiments as ONNX graphs: something to put
 * behind an exported canonicalizer. */
#include "backbone/classifier.h"
#include "core/fail.h"
#include "model/export.h"
#include "nn/params.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    recon_ctx *ctx;
    recon_onnx *o;
} graph;

static recon_onnx_value resnet18(const graph *g, const recon_resnet18 *net, recon_onnx_value x)
{
    x = recon_graph_one(g->o, "Relu",
                        recon_graph_conv(g->ctx, g->o, &net->stem, &net->stem_norm, x));
    for (size_t i = 0; i < sizeof net->block / sizeof *net->block; i++)
        x = recon_graph_residual(g->ctx, g->o, &net->block[i], x);
    x = recon_onnx_op(
        g->o, "ReduceMean", RECON_ONNX_IN(x),
        RECON_ONNX_WITH(RECON_ONNX_SET_INTS("axes", 2, 3), RECON_ONNX_SET_INT("keepdims", 0)));
    return recon_graph_linear(g->ctx, g->o, &net->head, x);
}

/* A norm behind something else than a convolution. */
static recon_onnx_value normalize(const graph *g, const recon_norm *norm, recon_onnx_value x)
{
    const recon_param *part[] = { norm->scale, norm->shift, norm->mean, norm->var };
    recon_onnx_value of[4] = { 0 };
    for (int i = 0; i < 4; i++) {
        float *numbers = recon_graph_read(g->ctx, g->o, part[i]);
        if (numbers)
            of[i] = recon_onnx_floats(g->o, part[i]->name, numbers,
                                      RECON_ONNX_SHAPE((int64_t)recon_param_count(part[i])));
        free(numbers);
    }
    return recon_onnx_op(g->o, "BatchNormalization", RECON_ONNX_IN(x, of[0], of[1], of[2], of[3]),
                         RECON_ONNX_PLAIN);
}

/* Its last layers read an image row by row, channels innermost. */
static recon_onnx_value small_cnn(const graph *g, const recon_small_cnn *net, recon_onnx_value x)
{
    for (int i = 0; i < 2; i++) {
        x = recon_onnx_op(g->o, "MaxPool",
                          RECON_ONNX_IN(recon_graph_conv(g->ctx, g->o, &net->conv[i], NULL, x)),
                          RECON_ONNX_WITH(RECON_ONNX_SET_INTS("kernel_shape", 2, 2),
                                          RECON_ONNX_SET_INTS("strides", 2, 2)));
        x = recon_graph_one(g->o, "Relu", normalize(g, &net->norm[i], x));
    }
    x = recon_onnx_op(g->o, "Transpose", RECON_ONNX_IN(x),
                      RECON_ONNX_WITH(RECON_ONNX_SET_INTS("perm", 0, 2, 3, 1)));
    x = recon_onnx_op(g->o, "Flatten", RECON_ONNX_IN(x), RECON_ONNX_PLAIN);
    return recon_graph_mlp(g->ctx, g->o, &net->head, x);
}

static recon_status write_file(const graph *g, const char *path, const recon_classifier_info *info,
                               const char *licence)
{
    char height[24], width[24], channels[24], classes[24];
    recon_metadata_entry entry[8] = {
        { "recon_version", RECON_VERSION },
        { "what", "classifier" },
        { "height", height },
        { "width", width },
        { "channels", channels },
        { "classes", classes },
        { "pixels", "images n x channels x height x width, float, 0 (black) to 1; row 0 on top" },
        { "licence", licence },
    };
    snprintf(height, sizeof height, "%zu", info->height);
    snprintf(width, sizeof width, "%zu", info->width);
    snprintf(channels, sizeof channels, "%zu", info->channels);
    snprintf(classes, sizeof classes, "%zu", info->classes);
    return recon_onnx_write(g->ctx, path, g->o, entry, licence ? 8 : 7);
}

recon_status recon_classifier_export(recon_ctx *ctx, const char *path,
                                     const recon_classifier *classifier, const char *licence)
{
    const recon_classifier_info *info = &classifier->info;
    graph g = { .ctx = ctx };
    recon_onnx_value x;
    recon_status status;
    RECON_TRY(recon_onnx_new(ctx, &g.o, "classifier"));
    x = recon_onnx_input(g.o, "images", RECON_ONNX_F32,
                         RECON_ONNX_SHAPE(RECON_ONNX_BATCH, (int64_t)info->channels,
                                          (int64_t)info->height, (int64_t)info->width));
    x = info->net == RECON_NET_RESNET18 ? resnet18(&g, &classifier->net.resnet18, x)
                                        : small_cnn(&g, &classifier->net.small, x);
    recon_onnx_output(g.o, "logits", x, RECON_ONNX_F32,
                      RECON_ONNX_SHAPE(RECON_ONNX_BATCH, (int64_t)info->classes));
    RECON_TRY(write_file(&g, path, info, licence));
done:
    recon_onnx_free(g.o);
    return status;
}
