/* field_norm.c - norms and nonlinearities of fields: the scalars' and the pairs'. */
#include <recon/nn/steerable.h>
#include "core/fail.h"
#include "nn/layers.h"

recon_status recon_field_norm_add(recon_ctx *ctx, recon_field_norm *out, recon_params *p,
                                  const char *name, const recon_fields *fields)
{
    recon_part_name full;
    size_t pairs = recon_fields_pairs(fields);
    recon_status status;
    *out = (recon_field_norm){ .fields = *fields };
    RECON_TRY(recon_layer_set_name(ctx, out->name, name));
    if (fields->of[0])
        RECON_TRY(recon_norm_add(ctx, &out->scalars, p, recon_part_print(full, name, "scalars"),
                                 fields->of[0], 1));
    if (pairs == 0)
        goto done;
    RECON_TRY(recon_norm_add(ctx, &out->pairs, p, recon_part_print(full, name, "pairs"), pairs, 2));
    RECON_TRY(recon_params_add(ctx, &out->bias, p, recon_part_print(full, name, "bias"), &pairs, 1,
                               (recon_init){ RECON_INIT_CONSTANT, -0.1 }));
done:
    return status;
}

static recon_var on_scalars(recon_tape *t, const recon_field_norm *l, recon_var x)
{
    return recon_var_relu(t, recon_norm_apply(t, &l->scalars, x));
}

static recon_var on_pairs(recon_tape *t, const recon_field_norm *l, recon_var x)
{
    return recon_var_norm_relu(t, recon_norm_apply(t, &l->pairs, x), recon_var_param(t, l->bias),
                               2);
}

recon_var recon_field_norm_apply(recon_tape *t, const recon_field_norm *l, recon_var x)
{
    size_t scalars = l->fields.of[0], pairs = recon_fields_pairs(&l->fields);
    recon_tape_layer(t, l->name);
    if (pairs == 0)
        return on_scalars(t, l, x);
    if (scalars == 0)
        return on_pairs(t, l, x);
    recon_var part[2] = { on_scalars(t, l, recon_var_columns(t, x, 0, scalars)),
                          on_pairs(t, l, recon_var_columns(t, x, scalars, 2 * pairs)) };
    return recon_var_concat(t, part, 2);
}
