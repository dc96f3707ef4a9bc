/* pool.cu - average and max pooling. The gradient asks each input which windows it lies in. */
#include "ops/cuda/image.h"
#include "ops/cuda/table.h"

template <int N, class T> struct pool_forward {
    image_shape to, from;
    T *y;
    const T *x;
    int *index;
    unsigned size, stride;
    int max;
    __device__ void at(size_t i) const
    {
        image_place p = place_of<N>(to, i);
        float best[N], sum[N] = {};
        int won[N] = {};
        for (unsigned k = 0; k < size * size; k++) {
            float v[N];
            load(v, x + pixel_at(from, p.n, p.row * stride + k / size, p.col * stride + k % size,
                                 p.c));
            for (int j = 0; j < N; j++) {
                sum[j] += v[j];
                if (k == 0 || v[j] > best[j]) {
                    best[j] = v[j];
                    won[j] = (int)k;
                }
            }
        }
        for (int j = 0; j < N; j++) {
            sum[j] = max ? best[j] : sum[j] / (float)(size * size);
            if (max && index)
                index[p.at + j] = won[j];
        }
        save(y + p.at, sum);
    }
};

recon_status cuda_pool(recon_ctx *ctx, const recon_pool_args *a)
{
    return by_type(ctx, "pool", a->x.type, [&]<class T>(T) {
        image_shape to = shape_of(a->y), from = shape_of(a->x);
        return each_pixel<pool_forward, T>(ctx, "pool", to, aligned(a->y.data, a->x.data), to, from,
                                           data<T>(a->y), data<T>(a->x), data<int>(a->index),
                                           (unsigned)a->size, (unsigned)a->stride, a->max);
    });
}

/* Windows p with p stride <= row < p stride + size. */
__device__ static unsigned first_window(unsigned row, unsigned size, unsigned stride)
{
    return row < size ? 0 : (row - size) / stride + 1;
}

template <int N, class T> struct pool_backward {
    image_shape from, to; /* of dx, of dy */
    T *dx;
    const T *dy;
    const int *index;
    unsigned size, stride;
    int max;
    __device__ void at(size_t i) const
    {
        image_place s = place_of<N>(from, i);
        float sum[N] = {};
        unsigned p_end = min(s.row / stride + 1, to.h), q_end = min(s.col / stride + 1, to.w);
        for (unsigned p = first_window(s.row, size, stride); p < p_end; p++)
            for (unsigned q = first_window(s.col, size, stride); q < q_end; q++) {
                size_t at = pixel_at(to, s.n, p, q, s.c);
                int place = (int)((s.row - p * stride) * size + s.col - q * stride);
                float d[N];
                load(d, dy + at);
                for (int j = 0; j < N; j++)
                    sum[j] += !max || index[at + j] == place ? d[j] : 0;
            }
        for (int j = 0; j < N; j++)
            sum[j] = max ? sum[j] : sum[j] / (float)(size * size);
        save(dx + s.at, sum);
    }
};

recon_status cuda_pool_back(recon_ctx *ctx, const recon_pool_args *a)
{
    return by_type(ctx, "pool_back", a->dx.type, [&]<class T>(T) {
        image_shape from = shape_of(a->dx), to = shape_of(a->dy);
        return each_pixel<pool_backward, T>(
            ctx, "pool_back", from, aligned(a->dx.data, a->dy.data), from, to, data<T>(a->dx),
            data<T>(a->dy), data<int>(a->index), (unsigned)a->size, (unsigned)a->stride, a->max);
    });
}
