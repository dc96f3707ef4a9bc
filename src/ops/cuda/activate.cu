/* activate.cu - gates of steerable features: one thread a scalar or a channel. */
#include "ops/couple.h"
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"

/* Where things lie in a row. */
struct activate_shape {
    unsigned channels[RECON_COUPLE_DEGREES], units, gates, in, out;
};

/* Unit u of a row: a scalar (size 0), or the numbers of a channel and its gate. */
struct activate_unit {
    size_t x, y, gate;
    unsigned size;
    __device__ activate_unit(const activate_shape &s, size_t i)
    {
        size_t row = i / s.units;
        unsigned u = (unsigned)(i % s.units), l = 0, at = 0;
        gate = x = row * s.in + u;
        y = row * s.out + u;
        size = 0;
        if (u < s.channels[0])
            return;
        while (u >= s.channels[l]) {
            u -= s.channels[l];
            at += s.channels[l] * (2 * l + 1);
            l++;
        }
        size = 2 * l + 1;
        at += u * size;
        x = row * s.in + s.gates + at;
        y = row * s.out + at;
    }
};

template <class T> struct activate_forward {
    T *y;
    const T *x;
    activate_shape shape;
    __device__ void at(size_t i) const
    {
        activate_unit u(shape, i);
        float g = to_float(x[u.gate]), s = sigmoid(g);
        if (u.size == 0)
            assign(y[u.y], (float)RECON_ACTIVATE_SCALAR * g * s);
        for (unsigned k = 0; k < u.size; k++)
            assign(y[u.y + k], (float)RECON_ACTIVATE_GATE * s * to_float(x[u.x + k]));
    }
};

template <class T> struct activate_backward {
    T *dx;
    const T *dy, *x;
    activate_shape shape;
    __device__ void at(size_t i) const
    {
        activate_unit u(shape, i);
        float g = to_float(x[u.gate]), s = sigmoid(g), dot = 0;
        float factor = (float)RECON_ACTIVATE_GATE * s;
        if (u.size == 0) {
            assign(dx[u.x],
                   (float)RECON_ACTIVATE_SCALAR * to_float(dy[u.y]) * s * (1 + g * sigmoid(-g)));
            return;
        }
        for (unsigned k = 0; k < u.size; k++) {
            float d = to_float(dy[u.y + k]);
            dot += d * to_float(x[u.x + k]);
            assign(dx[u.x + k], factor * d);
        }
        assign(dx[u.gate], factor * sigmoid(-g) * dot);
    }
};

static activate_shape shape_of(const recon_activate_args *a)
{
    activate_shape s = {};
    s.gates = (unsigned)recon_couple_gates(a->channels);
    s.units = a->channels[0] + s.gates;
    s.out = (unsigned)recon_couple_dim(a->channels);
    s.in = s.out + s.gates;
    for (int l = 0; l < RECON_COUPLE_DEGREES; l++)
        s.channels[l] = a->channels[l];
    return s;
}

recon_status cuda_activate(recon_ctx *ctx, const recon_activate_args *a)
{
    return by_type(ctx, "activate", a->x.type, [&]<class T>(T) {
        activate_forward<T> f = { data<T>(a->y), data<T>(a->x), shape_of(a) };
        return each_index(ctx, "activate", recon_tensor_rows(&a->x) * f.shape.units, f);
    });
}

recon_status cuda_activate_back(recon_ctx *ctx, const recon_activate_args *a)
{
    return by_type(ctx, "activate_back", a->x.type, [&]<class T>(T) {
        activate_backward<T> f = { data<T>(a->dx), data<T>(a->dy), data<T>(a->x), shape_of(a) };
        return each_index(ctx, "activate_back", recon_tensor_rows(&a->x) * f.shape.units, f);
    });
}
