/* disc.c - the circular mask. */
#include <recon/nn/steerable.h>
#include "core/fail.h"
#include "core/memory.h"
#include "nn/layers.h"
#include "nn/tape.h"

#include <math.h>
#include <stdlib.h>

recon_status recon_disc_add(recon_ctx *ctx, recon_disc *out, recon_params *p, const char *name,
                            size_t height, size_t width)
{
    double *mask = NULL, radius = 0.5 * (double)((height < width ? height : width) - 1);
    recon_status status;
    *out = (recon_disc){ .mask = NULL };
    RECON_TRY(recon_layer_set_name(ctx, out->name, name));
    if (height == 0 || width == 0)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: a mask of %zu x %zu", name, height, width));
    RECON_TRY(recon_alloc(ctx, &mask, height * width, sizeof *mask));
    for (size_t i = 0; i < height * width; i++) {
        double y = (double)(i / width) - 0.5 * (double)(height - 1);
        double x = (double)(i % width) - 0.5 * (double)(width - 1);
        mask[i] = exp(fmin(0, radius * radius - x * x - y * y) / 4);
    }
    RECON_TRY(recon_params_keep(ctx, &out->mask, p, mask, (size_t[]){ height, width }, 2));
done:
    free(mask);
    return status;
}

/* The mask once for each of n images: a sum's way back is a spreading. */
static recon_var spread(recon_tape *t, recon_var mask, size_t n)
{
    const size_t *s = mask->value.shape;
    recon_reduce_args a = {
        .outer = 1, .middle = n, .inner = s[0] * s[1], .scale = 1, .dy = mask->value
    };
    a.dx = recon_tape_make(t, mask->value.type, (size_t[]){ n, s[0], s[1], 1 }, 4);
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->reduce_back(t->ctx, &a));
    return recon_tape_record(t, a.dx, (recon_inputs){ { NULL } }, NULL, NULL, 0);
}

recon_var recon_disc_apply(recon_tape *t, const recon_disc *l, recon_var x)
{
    recon_tape_layer(t, l->name);
    recon_var mask = recon_var_param(t, l->mask);
    if (recon_tape_skips(t, x, mask, x))
        return NULL;
    const size_t *xs = x->value.shape, *ms = mask->value.shape;
    if (x->value.ndim != 4 || xs[1] != ms[0] || xs[2] != ms[1])
        return recon_tape_mismatch(t, "an image", x, "a mask", mask);
    mask = recon_var_cast(t, mask, x->value.type);
    if (!mask)
        return NULL;
    return recon_var_gate(t, x, spread(t, mask, xs[0]), xs[3]);
}
