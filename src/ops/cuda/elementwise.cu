/* elementwise.cu - kernels that work element by element: functions, sums and casts, gates, dropout,
 * columns and the optimiser's step. All are bound by memory: 16 bytes an access. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"
#include "ops/slices.h"

/* ---- functions ---- */

template <recon_unary KIND> __device__ float value(float x)
{
    if (KIND == RECON_RELU)
        return x < 0 ? 0 : x;
    if (KIND == RECON_SILU)
        return x * sigmoid(x);
    if (KIND == RECON_SIGMOID)
        return sigmoid(x);
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
}

template <recon_unary KIND> __device__ float slope(float x)
{
    float s = sigmoid(x);
    if (KIND == RECON_RELU)
        return x > 0 ? 1.f : 0.f;
    if (KIND == RECON_SILU)
        return s * (1 + x * sigmoid(-x));
    if (KIND == RECON_SIGMOID)
        return s * sigmoid(-x);
    return s;
}

template <recon_unary KIND, class T> struct map_forward {
    T *y;
    const T *x;
    template <int N> __device__ void at(size_t i) const
    {
        float v[N];
        load(v, x + i);
        for (int k = 0; k < N; k++)
            v[k] = value<KIND>(v[k]);
        save(y + i, v);
    }
};

template <recon_unary KIND, class T> struct map_backward {
    T *dx;
    const T *dy, *x;
    template <int N> __device__ void at(size_t i) const
    {
        float v[N], d[N];
        load(v, x + i);
        load(d, dy + i);
        for (int k = 0; k < N; k++)
            d[k] *= slope<KIND>(v[k]);
        save(dx + i, d);
    }
};

template <recon_unary KIND>
static recon_status map_kind(recon_ctx *ctx, const recon_map_args *a, bool back)
{
    return by_type(ctx, "map", a->x.type, [&]<class T>(T) {
        size_t n = recon_tensor_count(&a->x);
        const T *x = data<T>(a->x);
        if (back) {
            map_backward<KIND, T> f = { data<T>(a->dx), data<T>(a->dy), x };
            return each<WIDE<T>>(ctx, "map_back", n, f, aligned(f.dx, f.dy, x));
        }
        map_forward<KIND, T> f = { data<T>(a->y), x };
        return each<WIDE<T>>(ctx, "map", n, f, aligned(f.y, x));
    });
}

static recon_status map_either(recon_ctx *ctx, const recon_map_args *a, bool back)
{
    switch (a->kind) {
    case RECON_RELU: return map_kind<RECON_RELU>(ctx, a, back);
    case RECON_SILU: return map_kind<RECON_SILU>(ctx, a, back);
    case RECON_SIGMOID: return map_kind<RECON_SIGMOID>(ctx, a, back);
    default: return map_kind<RECON_SOFTPLUS>(ctx, a, back);
    }
}

recon_status cuda_map(recon_ctx *ctx, const recon_map_args *args)
{
    return map_either(ctx, args, false);
}

recon_status cuda_map_back(recon_ctx *ctx, const recon_map_args *args)
{
    return map_either(ctx, args, true);
}

/* ---- sums and casts ---- */

template <class Y, class A, class B> struct add_numbers {
    Y *y;
    const A *a;
    const B *b;
    float alpha, beta;
    template <int N> __device__ void at(size_t i) const
    {
        float v[N], w[N];
        load(v, a + i);
        if (b)
            load(w, b + i);
        for (int k = 0; k < N; k++)
            v[k] = b ? alpha * v[k] + beta * w[k] : alpha * v[k];
        save(y + i, v);
    }
};

recon_status cuda_add(recon_ctx *ctx, const recon_add_args *a)
{
    recon_dtype type_b = a->b.data ? a->b.type : a->a.type;
    return by_type(ctx, "add", a->y.type, [&](auto ty) {
        return by_type(ctx, "add", a->a.type, [&](auto ta) {
            return by_type(ctx, "add", type_b, [&](auto tb) {
                add_numbers<decltype(ty), decltype(ta), decltype(tb)> f = {
                    data<decltype(ty)>(a->y), data<decltype(ta)>(a->a), data<decltype(tb)>(a->b),
                    (float)a->alpha, (float)a->beta
                };
                return each<8>(ctx, "add", recon_tensor_count(&a->y), f, aligned(f.y, f.a, f.b));
            });
        });
    });
}

/* ---- gates: one thread a gate ---- */

/* Where the components of what gate i opens begin, and how far apart they are. */
struct gate_place {
    size_t field, fields; /* fields of a row where they lie as planes; 0: they do not */
    __device__ size_t first(size_t i) const
    {
        return fields ? i / fields * field * fields + i % fields : i * field;
    }
    __device__ size_t step() const
    {
        return fields ? fields : 1;
    }
};

template <class T> struct gate_forward {
    T *y;
    const T *x, *g;
    gate_place place;
    __device__ void at(size_t i) const
    {
        float factor = to_float(g[i]);
        size_t k = place.first(i);
        for (size_t m = 0; m < place.field; m++, k += place.step())
            assign(y[k], to_float(x[k]) * factor);
    }
};

template <class T> struct gate_backward {
    T *dx, *dg;
    const T *dy, *x, *g;
    gate_place place;
    __device__ void at(size_t i) const
    {
        float factor = to_float(g[i]), sum = 0;
        size_t k = place.first(i);
        for (size_t m = 0; m < place.field; m++, k += place.step()) {
            float d = to_float(dy[k]);
            sum += d * to_float(x[k]);
            if (dx)
                assign(dx[k], d * factor);
        }
        if (dg)
            assign(dg[i], sum);
    }
};

static gate_place place_of(const recon_gate_args *a)
{
    return { a->field, a->planes ? recon_tensor_cols(&a->g) : 0 };
}

/* Field 1 is the plain product, wide. */
template <class T> struct product_forward {
    T *y;
    const T *x, *g;
    template <int N> __device__ void at(size_t i) const
    {
        float v[N], w[N];
        load(v, x + i);
        load(w, g + i);
        for (int k = 0; k < N; k++)
            v[k] *= w[k];
        save(y + i, v);
    }
};

recon_status cuda_gate(recon_ctx *ctx, const recon_gate_args *a)
{
    return by_type(ctx, "gate", a->x.type, [&]<class T>(T) {
        T *y = data<T>(a->y);
        const T *x = data<T>(a->x), *g = data<T>(a->g);
        size_t n = recon_tensor_count(&a->g);
        if (a->field == 1)
            return each<WIDE<T>>(ctx, "gate", n, product_forward<T>{ y, x, g }, aligned(y, x, g));
        return each_index(ctx, "gate", n, gate_forward<T>{ y, x, g, place_of(a) });
    });
}

recon_status cuda_gate_back(recon_ctx *ctx, const recon_gate_args *a)
{
    return by_type(ctx, "gate_back", a->x.type, [&]<class T>(T) {
        gate_backward<T> f = { data<T>(a->dx), data<T>(a->dg), data<T>(a->dy),
                               data<T>(a->x),  data<T>(a->g),  place_of(a) };
        return each_index(ctx, "gate_back", recon_tensor_count(&a->g), f);
    });
}

/* ---- cross products: one thread a vector ---- */

template <class T> struct cross_planes {
    T *y;
    const T *a, *b;
    size_t fields;
    __device__ void at(size_t i) const
    {
        size_t at = i / fields * 3 * fields + i % fields;
        float p[3], q[3];
        for (int k = 0; k < 3; k++) {
            p[k] = to_float(a[at + k * fields]);
            q[k] = to_float(b[at + k * fields]);
        }
        assign(y[at], p[1] * q[2] - p[2] * q[1]);
        assign(y[at + fields], p[2] * q[0] - p[0] * q[2]);
        assign(y[at + 2 * fields], p[0] * q[1] - p[1] * q[0]);
    }
};

recon_status cuda_cross(recon_ctx *ctx, const recon_cross_args *c)
{
    return by_type(ctx, "cross", c->y.type, [&]<class T>(T) {
        cross_planes<T> f = { data<T>(c->y), data<T>(c->a), data<T>(c->b),
                              recon_tensor_cols(&c->y) };
        return each_index(ctx, "cross", recon_tensor_count(&c->y) / 3, f);
    });
}

/* ---- dropout: the words of core/rng.c ---- */

__device__ static uint4 philox(uint64_t position, uint64_t stream, uint64_t seed)
{
    uint32_t c0 = (uint32_t)position, c1 = (uint32_t)(position >> 32);
    uint32_t c2 = (uint32_t)stream, c3 = (uint32_t)(stream >> 32);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return make_uint4(c0, c1, c2, c3);
}

template <class T> struct dropout_numbers {
    T *y;
    const T *x;
    const uint64_t *counter;
    uint64_t seed, site, below;
    float keep;      /* 1 / (1 - rate) */
    size_t first, n; /* of a batch in slices: the word of element 0 */
    __device__ void at(size_t block) const
    {
        uint4 made = philox(first / 4 + block, *counter + (site << 32), seed);
        uint32_t word[4] = { made.x, made.y, made.z, made.w };
        for (size_t k = 0; k < 4; k++) {
            size_t i = 4 * block + k - first % 4; /* in front of element 0: huge */
            if (i < n)
                assign(y[i], word[k] < below ? 0 : to_float(x[i]) * keep);
        }
    }
};

/* The same with one draw for a channel of all planes of a row. */
template <class T> struct dropout_channels {
    T *y;
    const T *x;
    const uint64_t *counter;
    uint64_t seed, site, below;
    float keep;
    size_t first, planes, channels; /* first: the rows in front of these in the batch */
    __device__ void at(size_t i) const
    {
        size_t word = (first + i / (planes * channels)) * channels + i % channels;
        uint4 made = philox(word / 4, *counter + (site << 32), seed);
        uint32_t drawn = word % 4 == 0   ? made.x
                         : word % 4 == 1 ? made.y
                         : word % 4 == 2 ? made.z
                                         : made.w;
        assign(y[i], drawn < below ? 0 : to_float(x[i]) * keep);
    }
};

recon_status cuda_dropout(recon_ctx *ctx, const recon_dropout_args *a)
{
    return by_type(ctx, "dropout", a->x.type, [&]<class T>(T) {
        size_t n = recon_tensor_count(&a->x), first = recon_slices_rows_before(&a->x, n);
        size_t row = a->planes * recon_tensor_cols(&a->x);
        if (a->planes > 1)
            return each_index(ctx, "dropout", n,
                              dropout_channels<T>{ data<T>(a->y), data<T>(a->x), a->counter,
                                                   a->seed, a->site, (uint64_t)(a->rate * 0x1p32),
                                                   (float)(1 / (1 - a->rate)),
                                                   recon_slices_rows_before(&a->x, n / row),
                                                   a->planes, recon_tensor_cols(&a->x) });
        dropout_numbers<T> f = { data<T>(a->y),
                                 data<T>(a->x),
                                 a->counter,
                                 a->seed,
                                 a->site,
                                 (uint64_t)(a->rate * 0x1p32),
                                 (float)(1 / (1 - a->rate)),
                                 first,
                                 n };
        return each_index(ctx, "dropout", (first % 4 + n + 3) / 4, f);
    });
}

/* ---- columns ---- */

/* Any type: copies of 1, 2, 4, 8 or 16 bytes. */
template <class T> struct copy_columns {
    T *to;
    const T *from;
    size_t cols, to_ld, from_ld;
    __device__ void at(size_t i) const
    {
        size_t row = i / cols, col = i % cols;
        to[row * to_ld + col] = from[row * from_ld + col];
    }
};

template <class T>
static recon_status copy_as(recon_ctx *ctx, const recon_columns_args *a, size_t size)
{
    size_t unit = sizeof(T);
    char *to = data<char>(a->dst) + a->to * size;
    const char *from = data<char>(a->src) + a->from * size;
    copy_columns<T> f = { reinterpret_cast<T *>(to), reinterpret_cast<const T *>(from),
                          a->cols * size / unit, recon_tensor_cols(&a->dst) * size / unit,
                          recon_tensor_cols(&a->src) * size / unit };
    return each_index(ctx, "columns", a->rows * f.cols, f);
}

recon_status cuda_columns(recon_ctx *ctx, const recon_columns_args *a)
{
    size_t size = recon_dtype_size(a->src.type);
    size_t all =
        reinterpret_cast<size_t>(a->dst.data) | reinterpret_cast<size_t>(a->src.data) |
        (a->to | a->from | a->cols | recon_tensor_cols(&a->dst) | recon_tensor_cols(&a->src)) *
            size;
    if (all % 16 == 0)
        return copy_as<uint4>(ctx, a, size);
    if (all % 8 == 0)
        return copy_as<uint64_t>(ctx, a, size);
    if (all % 4 == 0)
        return copy_as<uint32_t>(ctx, a, size);
    return all % 2 == 0 ? copy_as<uint16_t>(ctx, a, size) : copy_as<uint8_t>(ctx, a, size);
}

/* ---- the optimiser's step ---- */

/* Decay and clip enter as floats, rate and bias from device memory in double. */
struct adam_step {
    float *w, *m, *v, *ema;
    const float *g;
    bf16 *half;
    float b1, b2, eps, decay, clip, ema_decay;
    const recon_adam_state *state;
    const double *grad_norm;
    template <int N> __device__ void at(size_t i) const
    {
        float ww[N], mm[N], vv[N], gg[N], ee[N];
        load(ww, w + i), load(mm, m + i), load(vv, v + i), load(gg, g + i);
        if (ema)
            load(ee, ema + i);
        float scale = clip > 0 && *grad_norm > clip ? clip / (float)*grad_norm : 1;
        float rate = (float)state->rate, to_m = (float)(1 / state->bias1),
              to_v = (float)(1 / state->bias2);
        for (int k = 0; k < N; k++) {
            float d = scale * gg[k];
            mm[k] = b1 * mm[k] + (1 - b1) * d;
            vv[k] = b2 * vv[k] + (1 - b2) * d * d;
            ww[k] -= rate * (mm[k] * to_m / (sqrtf(vv[k] * to_v) + eps) + decay * ww[k]);
            ee[k] = ema ? ema_decay * ee[k] + (1 - ema_decay) * ww[k] : 0;
        }
        save(w + i, ww), save(m + i, mm), save(v + i, vv);
        if (ema)
            save(ema + i, ee);
        if (half)
            save(half + i, ww);
    }
};

recon_status cuda_adam(recon_ctx *ctx, const recon_adam_args *a)
{
    if (a->type != RECON_F32)
        return recon_fail(ctx, RECON_ERR_UNSUPPORTED, "adam on cuda: float32, not %s",
                          recon_dtype_name(a->type));
    adam_step f = { (float *)a->w,   (float *)a->m,       (float *)a->v,
                    (float *)a->ema, (const float *)a->g, (bf16 *)a->bf16,
                    (float)a->b1,    (float)a->b2,        (float)a->eps,
                    (float)a->decay, (float)a->clip,      (float)a->ema_decay,
                    a->state,        a->grad_norm };
    return each<4>(ctx, "adam", a->n, f, aligned(f.w, f.m, f.v, f.ema, f.g, f.half));
}
