/* nets.c - the classifiers of the experiments. */
#include <recon/nn/nets.h>
#include "core/fail.h"

#include <stdio.h>

enum { BLOCKS = 8, STEM = 64 };

recon_status recon_resnet18_add(recon_ctx *ctx, recon_resnet18 *out, recon_params *p,
                                size_t channels, size_t classes, size_t width)
{
    size_t stem = width ? width : STEM, inputs = stem;
    RECON_CHECK(recon_conv_add(ctx, &out->stem, p, "stem", channels, stem, NULL));
    RECON_CHECK(recon_norm_add(ctx, &out->stem_norm, p, "stem_norm", stem, 1));
    for (size_t i = 0; i < BLOCKS; i++) {
        recon_layer_name name;
        size_t outputs = stem << i / 2;
        snprintf(name, sizeof name, "stage%zu.%zu", i / 2, i % 2);
        RECON_CHECK(recon_residual_add(ctx, &out->block[i], p, name, inputs, outputs,
                                       outputs == inputs ? 1 : 2));
        inputs = outputs;
    }
    return recon_linear_add(ctx, &out->head, p, "head", inputs, classes);
}

recon_var recon_resnet18_apply(recon_tape *t, const recon_resnet18 *net, recon_var x)
{
    x = recon_var_cast(t, x, recon_tape_activations(t));
    x = recon_norm_relu_apply(t, &net->stem_norm, recon_conv_apply(t, &net->stem, x), NULL);
    for (int i = 0; i < BLOCKS; i++)
        x = recon_residual_apply(t, &net->block[i], recon_tape_pass(t, x));
    return recon_linear_apply(t, &net->head, recon_var_spatial_mean(t, x));
}

enum { NARROW = 32, WIDE = 64, HIDDEN = 128 };

recon_status recon_small_cnn_add(recon_ctx *ctx, recon_small_cnn *out, recon_params *p,
                                 size_t height, size_t width, size_t channels, size_t classes)
{
    size_t sizes[3] = { WIDE * (height / 4) * (width / 4), HIDDEN, classes };
    if (height < 4 || width < 4)
        return recon_fail(ctx, RECON_ERR_INPUT, "images of %zu x %zu: 4 x 4 at least", height,
                          width);
    RECON_CHECK(recon_conv_add(ctx, &out->conv[0], p, "conv1", channels, NARROW, NULL));
    RECON_CHECK(recon_norm_add(ctx, &out->norm[0], p, "norm1", NARROW, 1));
    RECON_CHECK(recon_conv_add(ctx, &out->conv[1], p, "conv2", NARROW, WIDE, NULL));
    RECON_CHECK(recon_norm_add(ctx, &out->norm[1], p, "norm2", WIDE, 1));
    return recon_mlp_add(ctx, &out->head, p, "head", sizes, 3, 0.25);
}

/* Pooled before the norm's ReLU would be the same and cheaper, but for scales below 0: the norm
 * comes after the pool, on a quarter of the numbers. */
recon_var recon_small_cnn_apply(recon_tape *t, const recon_small_cnn *net, recon_var x)
{
    x = recon_var_cast(t, x, recon_tape_activations(t));
    for (int i = 0; i < 2; i++) {
        x = recon_var_max_pool(t, recon_conv_apply(t, &net->conv[i], recon_tape_pass(t, x)), 2, 2);
        x = recon_norm_relu_apply(t, &net->norm[i], x, NULL);
    }
    if (!x)
        return NULL;
    const size_t *s = recon_var_shape(x, NULL);
    x = recon_var_reshape(t, x, (size_t[]){ s[0], s[1] * s[2] * s[3] }, 2);
    return recon_mlp_apply(t, &net->head, x);
}
