/* steer_pays.c - the times of both ways, as far as shapes tell.
 *
 * Nanoseconds a pixel on one core of an Ice Lake server, fitted to 21 layers (frequencies up to 3,
 * sizes 1 to 7, 8 to 384 channels, images of 7 to 28 pixels): off by a third at most, and the way
 * chosen was the faster one for all of them. Other machines scale the two alike.
 * docs/performance.md has the ratios, bench_steerable measures them anew. */
#include "core/blocks.h"
#include "ops/cpu/cpu.h"
#include "ops/cpu/dnnl.h"
#include "ops/steer.h"

typedef struct {
    double dense, taps, pixel; /* a multiply-add; a tap of an output; a pixel        */
    double product, filter, feature,
        launch; /* a multiply-add, twice; a feature; a tile's product */
} cost;
static const cost inference = { 0.0138, 0.001, 34, 0.0191, 0.0137, 0.185, 6200 };
static const cost training = { 0.0461, 0.279, 101, 0.0900, 0.0518, 0.225, 22400 };

enum { LANES = 16, TILE = RECON_BLOCK_STEER };

/* How much faster a dense convolution is in bf16 where it is fast at all, at the least: 1.9 was
 * measured with AMX, 2.0 is the peak with AVX512_BF16. Filtering by waves is done in float. */
#define BF16_GAIN 1.8

static double whole_lanes(size_t n)
{
    return (double)((n + LANES - 1) / LANES * LANES);
}

static double dense_time(const recon_steer_args *a, const cost *k)
{
    recon_steer_sizes s = recon_steer_sizes_of(a);
    return (double)(s.size * s.size) * whole_lanes(s.o) * (k->dense * (double)s.c + k->taps) +
           k->pixel;
}

static double waves_time(const recon_steer_args *a, const cost *k)
{
    recon_steer_sizes s = recon_steer_sizes_of(a);
    const recon_steer_plane *plane = a->plane;
    double taps = (double)(s.size * s.size), tile = (double)(s.p * s.q), time = 0;
    tile = tile < TILE ? tile : TILE;
    for (size_t i = 0; i < a->products; i++) {
        double depth = (double)recon_steer_depth(plane, a->product[i].planes);
        time += k->product * depth * whole_lanes(a->product[i].outputs) + k->launch / tile;
        for (size_t n = 0; n < a->product[i].planes; n++, plane++)
            time += whole_lanes(plane->channels) * (plane->b < 0 ? 1 : 2) *
                    (k->filter * taps + k->feature);
    }
    return time;
}

int recon_cpu_steer_pays(recon_ctx *ctx, const recon_steer_args *a, int training_too)
{
    const cost *k = training_too ? &training : &inference;
    double gain = a->x.type == RECON_BF16 && recon_dnnl_has_fast_bf16(ctx) ? BF16_GAIN : 1;
    return !recon_dnnl_is_there() || waves_time(a, k) < dense_time(a, k) / gain;
}
