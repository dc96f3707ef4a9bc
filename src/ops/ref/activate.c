/* activate.c - gates of steerable features, by their definition. */
#include "ops/couple.h"
#include "ops/ref/ref.h"

#include <math.h>

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Of one channel: its numbers in a row of x and of y, and its gate in x. */
typedef struct {
    size_t x, y, gate, size;
} place;

/* Channel u of those of degree 1 and up. */
static place place_of(const recon_activate_args *a, size_t row, size_t u)
{
    size_t gates = recon_couple_gates(a->channels), l = 1, first = 0;
    size_t x = row * recon_tensor_cols(&a->x), y = row * recon_couple_dim(a->channels);
    while (u - first >= a->channels[l])
        first += a->channels[l++];
    size_t at = recon_couple_at(a->channels, l) + (u - first) * recon_couple_size(l);
    return (place){ x + gates + at, y + at, x + a->channels[0] + u, recon_couple_size(l) };
}

static void forward_span(const void *args, size_t begin, size_t end)
{
    const recon_activate_args *a = args;
    for (size_t r = begin; r < end; r++) {
        for (size_t i = 0; i < a->channels[0]; i++) {
            double x = recon_ref_get(&a->x, r * recon_tensor_cols(&a->x) + i);
            recon_ref_set(&a->y, r * recon_tensor_cols(&a->y) + i,
                          RECON_ACTIVATE_SCALAR * x * sigmoid(x));
        }
        for (size_t u = 0; u < recon_couple_gates(a->channels); u++) {
            place p = place_of(a, r, u);
            double factor = RECON_ACTIVATE_GATE * sigmoid(recon_ref_get(&a->x, p.gate));
            for (size_t k = 0; k < p.size; k++)
                recon_ref_set(&a->y, p.y + k, factor * recon_ref_get(&a->x, p.x + k));
        }
    }
}

static void pull_scalars(const recon_activate_args *a, size_t r)
{
    for (size_t i = 0; i < a->channels[0]; i++) {
        size_t at = r * recon_tensor_cols(&a->x) + i;
        double x = recon_ref_get(&a->x, at), s = sigmoid(x);
        double dy = recon_ref_get(&a->dy, r * recon_tensor_cols(&a->dy) + i);
        recon_ref_set(&a->dx, at, RECON_ACTIVATE_SCALAR * dy * s * (1 + x * sigmoid(-x)));
    }
}

static void backward_span(const void *args, size_t begin, size_t end)
{
    const recon_activate_args *a = args;
    for (size_t r = begin; r < end; r++) {
        pull_scalars(a, r);
        for (size_t u = 0; u < recon_couple_gates(a->channels); u++) {
            place p = place_of(a, r, u);
            double g = recon_ref_get(&a->x, p.gate), factor = RECON_ACTIVATE_GATE * sigmoid(g);
            double dot = 0;
            for (size_t k = 0; k < p.size; k++) {
                double dy = recon_ref_get(&a->dy, p.y + k);
                dot += dy * recon_ref_get(&a->x, p.x + k);
                recon_ref_set(&a->dx, p.x + k, factor * dy);
            }
            recon_ref_set(&a->dx, p.gate, factor * sigmoid(-g) * dot);
        }
    }
}

recon_status recon_ref_activate(recon_ctx *ctx, const recon_activate_args *args)
{
    return recon_ref_spans(ctx, forward_span, args, recon_tensor_rows(&args->x), 16);
}

recon_status recon_ref_activate_back(recon_ctx *ctx, const recon_activate_args *args)
{
    return recon_ref_spans(ctx, backward_span, args, recon_tensor_rows(&args->x), 16);
}
