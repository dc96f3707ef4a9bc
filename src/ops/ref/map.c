/* map.c - what works element by element: functions, sums and casts, gates, dropout, columns. */
#include "ops/ref/ref.h"

#include <math.h>
#include <recon/core/rng.h>

/* ---- functions ---- */

static double sigmoid(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x)); /* nothing overflows */
}

static double value(recon_map_kind kind, double x)
{
    switch (kind) {
    case RECON_RELU: return x < 0 ? 0 : x;
    case RECON_SILU: return x * sigmoid(x);
    case RECON_SIGMOID: return sigmoid(x);
    default: return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
    }
}

static double slope(recon_map_kind kind, double x)
{
    double s = sigmoid(x);
    switch (kind) {
    case RECON_RELU: return x > 0;
    case RECON_SILU: return s * (1 + x * sigmoid(-x));
    case RECON_SIGMOID: return s * sigmoid(-x);
    default: return s;
    }
}

static void map_span(const void *args, size_t begin, size_t end)
{
    const recon_map_args *a = args;
    double run[RECON_REF_RUN];
    recon_ref_load(run, &a->x, begin, end - begin);
    for (size_t i = 0; i < end - begin; i++)
        run[i] = value(a->kind, run[i]);
    recon_ref_store(&a->y, begin, run, end - begin);
}

static void map_back_span(const void *args, size_t begin, size_t end)
{
    const recon_map_args *a = args;
    double x[RECON_REF_RUN], run[RECON_REF_RUN];
    recon_ref_load(x, &a->x, begin, end - begin);
    recon_ref_load(run, &a->dy, begin, end - begin);
    for (size_t i = 0; i < end - begin; i++)
        run[i] *= slope(a->kind, x[i]);
    recon_ref_store(&a->dx, begin, run, end - begin);
}

recon_status recon_ref_map(recon_ctx *ctx, const recon_map_args *args)
{
    return recon_ref_runs(ctx, map_span, args, recon_tensor_count(&args->x));
}

recon_status recon_ref_map_back(recon_ctx *ctx, const recon_map_args *args)
{
    return recon_ref_runs(ctx, map_back_span, args, recon_tensor_count(&args->x));
}

/* ---- sums and casts ---- */

static void add_span(const void *args, size_t begin, size_t end)
{
    const recon_add_args *a = args;
    double run[RECON_REF_RUN], other[RECON_REF_RUN];
    recon_ref_load(run, &a->a, begin, end - begin);
    for (size_t i = 0; i < end - begin; i++)
        run[i] *= a->alpha;
    if (a->b.data) {
        recon_ref_load(other, &a->b, begin, end - begin);
        for (size_t i = 0; i < end - begin; i++)
            run[i] += a->beta * other[i];
    }
    recon_ref_store(&a->y, begin, run, end - begin);
}

recon_status recon_ref_add(recon_ctx *ctx, const recon_add_args *args)
{
    return recon_ref_runs(ctx, add_span, args, recon_tensor_count(&args->a));
}

/* ---- gates ---- */

/* Where component k of what gate i opens lies. */
static size_t gated(const recon_gate_args *a, size_t i, size_t k)
{
    size_t fields = recon_tensor_cols(&a->g);
    return a->planes ? (i / fields * a->field + k) * fields + i % fields : i * a->field + k;
}

static void gate_span(const void *args, size_t begin, size_t end)
{
    const recon_gate_args *a = args;
    for (size_t i = begin; i < end; i++)
        for (size_t k = 0; k < a->field; k++) {
            size_t at = gated(a, i, k);
            recon_ref_set(&a->y, at, recon_ref_get(&a->x, at) * recon_ref_get(&a->g, i));
        }
}

static void gate_back_span(const void *args, size_t begin, size_t end)
{
    const recon_gate_args *a = args;
    for (size_t i = begin; i < end; i++) {
        double sum = 0, g = recon_ref_get(&a->g, i);
        for (size_t k = 0; k < a->field; k++) {
            size_t at = gated(a, i, k);
            double dy = recon_ref_get(&a->dy, at);
            sum += dy * recon_ref_get(&a->x, at);
            if (a->dx.data)
                recon_ref_set(&a->dx, at, dy * g);
        }
        if (a->dg.data)
            recon_ref_set(&a->dg, i, sum);
    }
}

recon_status recon_ref_gate(recon_ctx *ctx, const recon_gate_args *args)
{
    return recon_ref_runs(ctx, gate_span, args, recon_tensor_count(&args->g));
}

recon_status recon_ref_gate_back(recon_ctx *ctx, const recon_gate_args *args)
{
    return recon_ref_runs(ctx, gate_back_span, args, recon_tensor_count(&args->g));
}

/* ---- cross products, one vector at a time ---- */

static void cross_span(const void *args, size_t begin, size_t end)
{
    const recon_cross_args *c = args;
    size_t fields = recon_tensor_cols(&c->y);
    for (size_t i = begin; i < end; i++) {
        size_t at[3];
        for (size_t k = 0; k < 3; k++)
            at[k] = (i / fields * 3 + k) * fields + i % fields;
        for (size_t k = 0; k < 3; k++) {
            size_t p = at[(k + 1) % 3], q = at[(k + 2) % 3];
            recon_ref_set(&c->y, at[k],
                          recon_ref_get(&c->a, p) * recon_ref_get(&c->b, q) -
                              recon_ref_get(&c->a, q) * recon_ref_get(&c->b, p));
        }
    }
}

recon_status recon_ref_cross(recon_ctx *ctx, const recon_cross_args *args)
{
    return recon_ref_runs(ctx, cross_span, args, recon_tensor_count(&args->y) / 3);
}

/* ---- dropout ---- */

/* begin is a multiple of the four words that Philox makes at a time. */
static void dropout_span(const void *args, size_t begin, size_t end)
{
    const recon_dropout_args *a = args;
    recon_rng rng = recon_rng_new(a->seed, *a->counter + (a->site << 32));
    rng.position = begin / 4;
    uint64_t below = (uint64_t)(a->rate * 0x1p32);
    double run[RECON_REF_RUN];
    recon_ref_load(run, &a->x, begin, end - begin);
    for (size_t i = 0; i < end - begin; i++)
        run[i] = recon_rng_u32(&rng) < below ? 0 : run[i] / (1 - a->rate);
    recon_ref_store(&a->y, begin, run, end - begin);
}

static uint32_t word_at(const recon_dropout_args *a, size_t i)
{
    recon_rng rng = recon_rng_new(a->seed, *a->counter + (a->site << 32));
    rng.position = i / 4;
    for (size_t k = 0; k < i % 4; k++)
        recon_rng_u32(&rng);
    return recon_rng_u32(&rng);
}

static void channels_span(const void *args, size_t begin, size_t end)
{
    const recon_dropout_args *a = args;
    size_t channels = recon_tensor_cols(&a->x);
    uint64_t below = (uint64_t)(a->rate * 0x1p32);
    double run[RECON_REF_RUN];
    recon_ref_load(run, &a->x, begin, end - begin);
    for (size_t i = begin; i < end; i++) {
        size_t word = i / (a->planes * channels) * channels + i % channels;
        run[i - begin] = word_at(a, word) < below ? 0 : run[i - begin] / (1 - a->rate);
    }
    recon_ref_store(&a->y, begin, run, end - begin);
}

recon_status recon_ref_dropout(recon_ctx *ctx, const recon_dropout_args *args)
{
    return recon_ref_runs(ctx, args->planes > 1 ? channels_span : dropout_span, args,
                          recon_tensor_count(&args->x));
}

/* ---- columns ---- */

static void columns_span(const void *args, size_t begin, size_t end)
{
    const recon_columns_args *a = args;
    size_t from = recon_tensor_cols(&a->src), to = recon_tensor_cols(&a->dst);
    for (size_t r = begin; r < end; r++)
        for (size_t c = 0; c < a->cols; c++)
            recon_ref_set(&a->dst, r * to + a->to + c,
                          recon_ref_get(&a->src, r * from + a->from + c));
}

recon_status recon_ref_columns(recon_ctx *ctx, const recon_columns_args *args)
{
    return recon_ref_spans(ctx, columns_span, args, args->rows, 16);
}
