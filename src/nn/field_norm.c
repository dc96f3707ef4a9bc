/* field_norm.c - the layer between two steerable convolutions. */
#include <recon/nn/steerable.h>
#include "core/fail.h"
#include "nn/layers.h"

#define FIRST_THRESHOLD -2.2522 /* softplus of it is 0.1 */

recon_status recon_field_norm_add(recon_ctx *ctx, recon_field_norm *out, recon_params *p,
                                  const char *name, const recon_fields *fields)
{
    recon_part_name full;
    size_t scalars = fields->of[0], pairs = recon_fields_pairs(fields), all = scalars + pairs;
    recon_status status;
    *out = (recon_field_norm){ .fields = *fields };
    RECON_TRY(recon_layer_set_name(ctx, out->name, name));
    RECON_TRY(recon_part_add(ctx, &out->scale, p, name, "scale", all, 1));
    if (scalars)
        RECON_TRY(recon_part_add(ctx, &out->shift, p, name, "shift", scalars, 0));
    if (pairs)
        RECON_TRY(
            recon_part_add(ctx, &out->threshold, p, name, "threshold", pairs, FIRST_THRESHOLD));
    RECON_TRY(recon_params_add_buffer(ctx, &out->mean, p, recon_part_print(full, name, "mean"),
                                      &all, 1, 0));
    RECON_TRY(recon_params_add_buffer(ctx, &out->var, p, recon_part_print(full, name, "var"), &all,
                                      1, 1));
done:
    return status;
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
