/* molecule_decoder.c - residual MLPs: x + b(relu(a(x))), a ReLU behind each. */
#include "backbone/molecule_net.h"
#include "core/fail.h"
#include "nn/layers.h"

#include <math.h>
#include <stdio.h>

static recon_status trunk_add(recon_ctx *ctx, recon_molecule_trunk *out, recon_params *p,
                              const char *name, size_t inputs, size_t width)
{
    recon_part_name full;
    snprintf(full, sizeof full, "%s.first", name);
    RECON_CHECK(recon_linear_add(ctx, &out->first, p, full, inputs, width));
    for (size_t i = 0; i < 2 * RECON_MOLECULE_BLOCKS; i++) {
        snprintf(full, sizeof full, "%s.block%zu.%zu", name, i / 2, i % 2);
        RECON_CHECK(recon_linear_add(ctx, &out->block[i / 2][i % 2], p, full, width, width));
    }
    return RECON_OK;
}

static recon_var trunk_apply(recon_tape *t, const recon_molecule_trunk *k, recon_var x)
{
    x = recon_var_relu(t, recon_linear_apply(t, &k->first, x));
    for (size_t i = 0; i < RECON_MOLECULE_BLOCKS; i++) {
        recon_var y = recon_var_relu(t, recon_linear_apply(t, &k->block[i][0], x));
        x = recon_var_relu(t, recon_var_add(t, x, recon_linear_apply(t, &k->block[i][1], y)));
    }
    return x;
}

recon_status recon_molecule_decoder_add(recon_ctx *ctx, recon_molecule_decoder *d, recon_params *p,
                                        const char *name, const recon_molecule_net_shape *s)
{
    static const double widths[] = {
        [RECON_PRESET_FAST] = 512, [RECON_PRESET_PAPER] = 512, [RECON_PRESET_SMALL] = 256
    };
    double n = round(widths[s->preset] * s->width);
    size_t width = n < 8 ? 8 : (size_t)n;
    recon_layer_name full;
    *d = (recon_molecule_decoder){ .slots = s->slots,
                                   .elements = s->elements,
                                   .split = s->preset == RECON_PRESET_PAPER };
    for (int i = 0; i <= d->split; i++) {
        snprintf(full, sizeof full, "%s.trunk%d", name, i);
        RECON_CHECK(trunk_add(ctx, &d->trunk[i], p, full, s->latent, width));
    }
    snprintf(full, sizeof full, "%s.places", name);
    RECON_CHECK(recon_linear_add(ctx, &d->places, p, full, width, 3 * s->slots));
    snprintf(full, sizeof full, "%s.scores", name);
    return recon_linear_add(ctx, &d->scores, p, full, width, s->elements * s->slots);
}

void recon_molecule_decoder_apply(recon_tape *t, const recon_molecule_decoder *d, recon_var latent,
                                  recon_var *places, recon_var *scores)
{
    size_t n = latent ? recon_var_shape(latent, NULL)[0] : 0;
    latent = recon_var_cast(t, latent, recon_tape_activations(t));
    recon_var x = trunk_apply(t, &d->trunk[0], latent);
    recon_var y = d->split ? trunk_apply(t, &d->trunk[1], latent) : x;
    x = recon_var_cast(t, recon_linear_apply(t, &d->places, x), RECON_F32);
    y = recon_var_cast(t, recon_linear_apply(t, &d->scores, y), RECON_F32);
    *places = recon_var_reshape(t, x, (size_t[]){ n, d->slots, 3 }, 3);
    *scores = recon_var_reshape(t, y, (size_t[]){ n * d->slots, d->elements }, 2);
}
