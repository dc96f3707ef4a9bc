/* adam.c - the norm of all gradients, and the step of the optimiser. */
#include "ops/ref/ref.h"

#include <math.h>

recon_status recon_ref_norm2(recon_ctx *ctx, double *out, const void *x, size_t n, recon_dtype type)
{
    (void)ctx;
    const recon_tensor t = { .type = type, .data = (void *)x };
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += recon_ref_get(&t, i) * recon_ref_get(&t, i);
    *out = sqrt(sum);
    return RECON_OK;
}

static void adam_span(const void *args, size_t begin, size_t end)
{
    const recon_adam_args *a = args;
    const recon_adam_state *now = a->state;
    const recon_tensor tw = { .type = a->type, .data = a->w },
                       tg = { .type = a->type, .data = a->g },
                       tm = { .type = a->type, .data = a->m },
                       tv = { .type = a->type, .data = a->v },
                       ema = { .type = a->type, .data = a->ema },
                       half = { .type = RECON_BF16, .data = a->bf16 };
    double scale = a->clip > 0 && *a->grad_norm > a->clip ? a->clip / *a->grad_norm : 1;
    for (size_t i = begin; i < end; i++) {
        double g = scale * recon_ref_get(&tg, i), w = recon_ref_get(&tw, i);
        double m = a->b1 * recon_ref_get(&tm, i) + (1 - a->b1) * g;
        double v = a->b2 * recon_ref_get(&tv, i) + (1 - a->b2) * g * g;
        double step = m / now->bias1 / (sqrt(v / now->bias2) + a->eps);
        w -= now->rate * (step + a->decay * w);
        recon_ref_set(&tm, i, m);
        recon_ref_set(&tv, i, v);
        recon_ref_set(&tw, i, w);
        if (a->ema)
            recon_ref_set(&ema, i, a->ema_decay * recon_ref_get(&ema, i) + (1 - a->ema_decay) * w);
        if (a->bf16)
            recon_ref_set(&half, i, recon_ref_get(&tw, i));
    }
}

recon_status recon_ref_adam(recon_ctx *ctx, const recon_adam_args *args)
{
    return recon_ref_runs(ctx, adam_span, args, args->n);
}
