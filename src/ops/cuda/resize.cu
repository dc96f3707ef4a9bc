/* resize.cu - bilinear resizing. The gradient asks each input which outputs touched it, so that no
 * sum is atomic. */
#include "ops/cuda/image.h"
#include "ops/cuda/table.h"

/* One dimension: output i lies at i * ratio + offset among the inputs, held within them. */
struct resize_axis {
    float ratio, offset;
    unsigned in, out;
    __device__ float source(unsigned i) const
    {
        return fminf(fmaxf((float)i * ratio + offset, 0), (float)(in - 1));
    }
    /* How much of input `i` output `o` takes. */
    __device__ float weight(unsigned o, unsigned i) const
    {
        return fmaxf(1 - fabsf(source(o) - (float)i), 0);
    }
    /* Outputs that can touch input i: one place more on each side than arithmetic says. */
    __device__ unsigned first(unsigned i) const
    {
        float at = ratio > 0 ? ((float)i - 1 - offset) / ratio - 1 : 0;
        return i == 0 || at < 0 ? 0 : (unsigned)at;
    }
    __device__ unsigned end(unsigned i) const
    {
        float at = ratio > 0 ? ((float)i + 1 - offset) / ratio + 2 : (float)out;
        return i + 1 == in || at > (float)out ? out : (unsigned)at;
    }
};

static resize_axis axis_of(size_t in, size_t out, int align_corners)
{
    resize_axis a = { 0, 0, (unsigned)in, (unsigned)out };
    if (align_corners) {
        a.ratio = out > 1 ? (float)(in - 1) / (float)(out - 1) : 0;
    } else {
        a.ratio = (float)in / (float)out;
        a.offset = a.ratio / 2 - 0.5f;
    }
    return a;
}

template <int N, class T> struct resize_forward {
    image_shape to, from;
    T *y;
    const T *x;
    resize_axis rows, cols;
    __device__ void at(size_t i) const
    {
        image_place p = place_of<N>(to, i);
        float row = rows.source(p.row), col = cols.source(p.col);
        unsigned r = (unsigned)row, c = (unsigned)col;
        float fr = row - (float)r, fc = col - (float)c, sum[N] = {};
        for (int k = 0; k < 4; k++) {
            float v[N], weight = (k / 2 ? fr : 1 - fr) * (k % 2 ? fc : 1 - fc);
            load(v, x + pixel_at(from, p.n, min(r + k / 2, from.h - 1), min(c + k % 2, from.w - 1),
                                 p.c));
            for (int j = 0; j < N; j++)
                sum[j] += weight * v[j];
        }
        save(y + p.at, sum);
    }
};

recon_status cuda_resize(recon_ctx *ctx, const recon_resize_args *a)
{
    return by_type(ctx, "resize", a->x.type, [&]<class T>(T) {
        image_shape to = shape_of(a->y), from = shape_of(a->x);
        return each_pixel<resize_forward, T>(ctx, "resize", to, aligned(a->y.data, a->x.data), to,
                                             from, data<T>(a->y), data<T>(a->x),
                                             axis_of(from.h, to.h, a->align_corners),
                                             axis_of(from.w, to.w, a->align_corners));
    });
}

template <int N, class T> struct resize_backward {
    image_shape from, to; /* of dx, of dy */
    T *dx;
    const T *dy;
    resize_axis rows, cols;
    __device__ void at(size_t i) const
    {
        image_place s = place_of<N>(from, i);
        float sum[N] = {};
        unsigned p_end = rows.end(s.row), q_begin = cols.first(s.col), q_end = cols.end(s.col);
        for (unsigned p = rows.first(s.row); p < p_end; p++) {
            float by_row = rows.weight(p, s.row);
            for (unsigned q = q_begin; by_row > 0 && q < q_end; q++) {
                float v[N], weight = by_row * cols.weight(q, s.col);
                if (weight == 0)
                    continue;
                load(v, dy + pixel_at(to, s.n, p, q, s.c));
                for (int j = 0; j < N; j++)
                    sum[j] += weight * v[j];
            }
        }
        save(dx + s.at, sum);
    }
};

recon_status cuda_resize_back(recon_ctx *ctx, const recon_resize_args *a)
{
    return by_type(ctx, "resize_back", a->dx.type, [&]<class T>(T) {
        image_shape from = shape_of(a->dx), to = shape_of(a->dy);
        return each_pixel<resize_backward, T>(
            ctx, "resize_back", from, aligned(a->dx.data, a->dy.data), from, to, data<T>(a->dx),
            data<T>(a->dy), axis_of(from.h, to.h, a->align_corners),
            axis_of(from.w, to.w, a->align_corners));
    });
}
