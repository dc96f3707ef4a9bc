/* layers.c - linear, convolution, norm, residual block, MLP, norm of fields. */
#include <recon/nn/steerable.h>
#include "core/fail.h"
#include "nn/layers.h"

#include <stdio.h>
#include <string.h>

recon_status recon_layer_set_name(recon_ctx *ctx, recon_layer_name out, const char *name)
{
    size_t room = sizeof(recon_layer_name), length = strlen(name);
    if (length >= room)
        return recon_fail(ctx, RECON_ERR_INPUT, "a layer's name of %zu bytes: '%s'", length, name);
    memcpy(out, name, length + 1);
    return RECON_OK;
}

const char *recon_part_print(recon_part_name out, const char *layer, const char *name)
{
    snprintf(out, sizeof(recon_part_name), "%s.%s", layer, name);
    return out;
}

recon_status recon_part_add(recon_ctx *ctx, recon_param **out, recon_params *p, const char *layer,
                            const char *name, size_t n, double value)
{
    recon_part_name full;
    return recon_params_add(ctx, out, p, recon_part_print(full, layer, name), &n, 1,
                            (recon_init){ RECON_INIT_CONSTANT, value });
}

recon_status recon_linear_add(recon_ctx *ctx, recon_linear *out, recon_params *p, const char *name,
                              size_t inputs, size_t outputs)
{
    recon_part_name full;
    size_t shape[2] = { outputs, inputs };
    *out = (recon_linear){ .bias = NULL };
    RECON_CHECK(recon_layer_set_name(ctx, out->name, name));
    RECON_CHECK(recon_params_add(ctx, &out->weight, p, recon_part_print(full, name, "weight"),
                                 shape, 2, (recon_init){ RECON_INIT_HE, 0 }));
    return recon_part_add(ctx, &out->bias, p, name, "bias", outputs, 0);
}

recon_var recon_linear_apply(recon_tape *t, const recon_linear *l, recon_var x)
{
    recon_tape_layer(t, l->name);
    return recon_var_linear(t, x, recon_var_param(t, l->weight),
                            l->bias ? recon_var_param(t, l->bias) : NULL);
}

recon_status recon_conv_add(recon_ctx *ctx, recon_conv *out, recon_params *p, const char *name,
                            size_t inputs, size_t outputs, const recon_conv_layer_options *options)
{
    recon_conv_layer_options o = options ? *options : (recon_conv_layer_options){ 0 };
    recon_part_name full;
    size_t size = o.size ? o.size : 3, shape[4] = { outputs, size, size, inputs };
    *out = (recon_conv){ .stride = o.stride ? o.stride : 1, .pad = size / 2 };
    RECON_CHECK(recon_layer_set_name(ctx, out->name, name));
    RECON_CHECK(recon_params_add(ctx, &out->weight, p, recon_part_print(full, name, "weight"),
                                 shape, 4, (recon_init){ RECON_INIT_HE, 0 }));
    if (o.bias)
        RECON_CHECK(recon_part_add(ctx, &out->bias, p, name, "bias", outputs, 0));
    return RECON_OK;
}

recon_var recon_conv_apply(recon_tape *t, const recon_conv *l, recon_var x)
{
    recon_tape_layer(t, l->name);
    return recon_var_conv(t, x, recon_var_param(t, l->weight),
                          l->bias ? recon_var_param(t, l->bias) : NULL,
                          &(recon_conv_options){ .stride = l->stride, .pad = l->pad });
}

recon_status recon_norm_add(recon_ctx *ctx, recon_norm *out, recon_params *p, const char *name,
                            size_t channels, size_t field)
{
    recon_part_name full;
    *out = (recon_norm){ .field = field ? field : 1 };
    RECON_CHECK(recon_layer_set_name(ctx, out->name, name));
    RECON_CHECK(recon_part_add(ctx, &out->scale, p, name, "scale", channels, 1));
    if (out->field == 1)
        RECON_CHECK(recon_part_add(ctx, &out->shift, p, name, "shift", channels, 0));
    RECON_CHECK(recon_params_add_buffer(ctx, &out->mean, p, recon_part_print(full, name, "mean"),
                                        &channels, 1, 0));
    return recon_params_add_buffer(ctx, &out->var, p, recon_part_print(full, name, "var"),
                                   &channels, 1, 1);
}

static recon_var apply_norm(recon_tape *t, const recon_norm *l, recon_var x,
                            const recon_norm_options *o)
{
    recon_tape_layer(t, l->name);
    return recon_var_norm(t, x, recon_var_param(t, l->scale),
                          l->shift ? recon_var_param(t, l->shift) : NULL, l->mean, l->var, o);
}

recon_var recon_norm_apply(recon_tape *t, const recon_norm *l, recon_var x)
{
    return apply_norm(t, l, x, &(recon_norm_options){ .field = l->field });
}

recon_var recon_norm_relu_apply(recon_tape *t, const recon_norm *l, recon_var x, recon_var skip)
{
    return apply_norm(t, l, x, &(recon_norm_options){ .field = l->field, .skip = skip, .relu = 1 });
}

recon_status recon_residual_add(recon_ctx *ctx, recon_residual *out, recon_params *p,
                                const char *name, size_t inputs, size_t outputs, size_t stride)
{
    const recon_conv_layer_options first = { .stride = stride };
    const recon_conv_layer_options point = { .size = 1, .stride = stride };
    recon_part_name full;
    recon_status status;
    *out = (recon_residual){ .projects = stride != 1 || inputs != outputs };
    RECON_TRY(recon_conv_add(ctx, &out->conv[0], p, recon_part_print(full, name, "conv1"), inputs,
                             outputs, &first));
    RECON_TRY(
        recon_norm_add(ctx, &out->norm[0], p, recon_part_print(full, name, "norm1"), outputs, 1));
    RECON_TRY(recon_conv_add(ctx, &out->conv[1], p, recon_part_print(full, name, "conv2"), outputs,
                             outputs, NULL));
    RECON_TRY(
        recon_norm_add(ctx, &out->norm[1], p, recon_part_print(full, name, "norm2"), outputs, 1));
    if (!out->projects)
        goto done;
    RECON_TRY(recon_conv_add(ctx, &out->shortcut, p, recon_part_print(full, name, "shortcut"),
                             inputs, outputs, &point));
    RECON_TRY(recon_norm_add(ctx, &out->shortcut_norm, p,
                             recon_part_print(full, name, "shortcut_norm"), outputs, 1));
done:
    return status;
}

recon_var recon_residual_apply(recon_tape *t, const recon_residual *b, recon_var x)
{
    recon_var y = recon_conv_apply(t, &b->conv[0], x);
    y = recon_conv_apply(t, &b->conv[1], recon_norm_relu_apply(t, &b->norm[0], y, NULL));
    if (b->projects)
        x = recon_norm_apply(t, &b->shortcut_norm, recon_conv_apply(t, &b->shortcut, x));
    return x ? recon_norm_relu_apply(t, &b->norm[1], y, x) : NULL;
}

recon_status recon_mlp_add(recon_ctx *ctx, recon_mlp *out, recon_params *p, const char *name,
                           const size_t *sizes, size_t n, double dropout)
{
    *out = (recon_mlp){ .layers = n - 1, .dropout = dropout };
    if (n < 2 || n > RECON_MLP_MAX + 1)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: an MLP of %zu sizes: 2 to %d", name, n,
                          RECON_MLP_MAX + 1);
    for (size_t i = 0; i + 1 < n; i++) {
        recon_part_name full;
        snprintf(full, sizeof full, "%s.%zu", name, i);
        recon_status status =
            recon_linear_add(ctx, &out->layer[i], p, full, sizes[i], sizes[i + 1]);
        if (status != RECON_OK)
            return status;
    }
    return RECON_OK;
}

recon_var recon_mlp_apply(recon_tape *t, const recon_mlp *mlp, recon_var x)
{
    for (size_t i = 0; i < mlp->layers; i++) {
        if (i > 0)
            x = recon_var_dropout(t, recon_var_relu(t, x), mlp->dropout);
        x = recon_linear_apply(t, &mlp->layer[i], x);
    }
    return x;
}

/* --- between two steerable convolutions -------------------------------------------------------- */

#define FIRST_THRESHOLD -2.2522 /* softplus of it is 0.1 */

recon_status recon_field_norm_add(recon_ctx *ctx, recon_field_norm *out, recon_params *p,
                                  const char *name, const recon_fields *fields)
{
    recon_part_name full;
    size_t scalars = fields->of[0], pairs = recon_fields_pairs(fields), all = scalars + pairs;
    *out = (recon_field_norm){ .fields = *fields };
    RECON_CHECK(recon_layer_set_name(ctx, out->name, name));
    RECON_CHECK(recon_part_add(ctx, &out->scale, p, name, "scale", all, 1));
    if (scalars)
        RECON_CHECK(recon_part_add(ctx, &out->shift, p, name, "shift", scalars, 0));
    if (pairs)
        RECON_CHECK(
            recon_part_add(ctx, &out->threshold, p, name, "threshold", pairs, FIRST_THRESHOLD));
    RECON_CHECK(recon_params_add_buffer(ctx, &out->mean, p, recon_part_print(full, name, "mean"),
                                        &all, 1, 0));
    return recon_params_add_buffer(ctx, &out->var, p, recon_part_print(full, name, "var"), &all, 1,
                                   1);
}

/* The bias of the nonlinearity, below 0 whatever is learnt: above it v (|v| + b) / |v| has no limit
 * at v = 0, and its gradient no bound. */
static recon_var bias(recon_tape *t, const recon_field_norm *l)
{
    return l->threshold
               ? recon_var_scale(t, -1, recon_var_softplus(t, recon_var_param(t, l->threshold)))
               : NULL;
}

recon_var recon_field_norm_apply(recon_tape *t, const recon_field_norm *l, recon_var x)
{
    recon_field_norm_options o = { .scalars = l->fields.of[0],
                                   .pairs = recon_fields_pairs(&l->fields) };
    recon_tape_layer(t, l->name);
    return recon_var_field_norm(t, x, recon_var_param(t, l->scale),
                                l->shift ? recon_var_param(t, l->shift) : NULL, bias(t, l), l->mean,
                                l->var, &o);
}
