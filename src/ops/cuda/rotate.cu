/* rotate.cu - rotating images about their middle; the geometry is that of rows/rotate.h.
 *
 * The gradient by the image is a gather: input pixel s is touched by the outputs whose source lies
 * less than a pixel from it in row and column, and these lie within sqrt(2) of where s rotates to:
 * at most 3 x 3 outputs are asked, in fixed order. The gradient by the angle is one block an
 * image. */
#include "ops/cuda/image.h"
#include "ops/cuda/table.h"

struct rotation {
    float c, s, middle_row, middle_col;
    __device__ rotation(const image_shape &shape, float angle)
        : middle_row((float)(shape.h - 1) / 2), middle_col((float)(shape.w - 1) / 2)
    {
        sincosf(angle, &s, &c);
    }
    /* Where output row, col comes from. */
    __device__ void source(float *out_row, float *out_col, float row, float col) const
    {
        float y = row - middle_row, x = col - middle_col;
        *out_row = s * x + c * y + middle_row;
        *out_col = c * x - s * y + middle_col;
    }
    /* Where input row, col goes to. */
    __device__ void target(float *out_row, float *out_col, float row, float col) const
    {
        float y = row - middle_row, x = col - middle_col;
        *out_row = c * y - s * x + middle_row;
        *out_col = c * x + s * y + middle_col;
    }
};

/* N channels of a pixel, zeros outside. */
template <int N, class T>
__device__ static void load_pixel(float (&v)[N], const T *x, const image_shape &shape, unsigned n,
                                  float row, float col, unsigned c)
{
    if (row >= 0 && col >= 0 && row < (float)shape.h && col < (float)shape.w)
        load(v, x + pixel_at(shape, n, (unsigned)row, (unsigned)col, c));
    else
        for (int j = 0; j < N; j++)
            v[j] = 0;
}

template <int N, class T> struct rotate_forward {
    image_shape shape;
    T *y;
    const T *x;
    const float *angle;
    __device__ void at(size_t i) const
    {
        image_place p = place_of<N>(shape, i);
        float row, col, sum[N] = {};
        rotation(shape, angle[p.n]).source(&row, &col, (float)p.row, (float)p.col);
        float r = floorf(row), c = floorf(col), fr = row - r, fc = col - c;
        for (int k = 0; k < 4; k++) {
            float v[N], weight = (k / 2 ? fr : 1 - fr) * (k % 2 ? fc : 1 - fc);
            load_pixel(v, x, shape, p.n, r + (float)(k / 2), c + (float)(k % 2), p.c);
            for (int j = 0; j < N; j++)
                sum[j] += weight * v[j];
        }
        save(y + p.at, sum);
    }
};

recon_status cuda_rotate(recon_ctx *ctx, const recon_rotate_args *a)
{
    return by_type(ctx, "rotate", a->x.type, [&]<class T>(T) {
        image_shape shape = shape_of(a->x);
        return each_pixel<rotate_forward, T>(ctx, "rotate", shape, aligned(a->y.data, a->x.data),
                                             shape, data<T>(a->y), data<T>(a->x),
                                             data<float>(a->angle));
    });
}

#define REACH 1.4143f /* a little over sqrt(2) */

template <int N, class T> struct rotate_dx {
    image_shape shape;
    T *dx;
    const T *dy;
    const float *angle;
    __device__ void at(size_t i) const
    {
        image_place s = place_of<N>(shape, i);
        rotation t(shape, angle[s.n]);
        float row, col, sum[N] = {};
        t.target(&row, &col, (float)s.row, (float)s.col);
        float p_end = fminf(row + REACH, (float)(shape.h - 1));
        float q_begin = fmaxf(ceilf(col - REACH), 0);
        float q_end = fminf(col + REACH, (float)(shape.w - 1));
        for (float p = fmaxf(ceilf(row - REACH), 0); p <= p_end; p++)
            for (float q = q_begin; q <= q_end; q++) {
                float from_row, from_col, v[N];
                t.source(&from_row, &from_col, p, q);
                float weight = fmaxf(1 - fabsf(from_row - (float)s.row), 0) *
                               fmaxf(1 - fabsf(from_col - (float)s.col), 0);
                if (weight == 0)
                    continue;
                load(v, dy + pixel_at(shape, s.n, (unsigned)p, (unsigned)q, s.c));
                for (int j = 0; j < N; j++)
                    sum[j] += weight * v[j];
            }
        save(dx + s.at, sum);
    }
};

/* dX'/dt = -Y', dY'/dt = X': places from the middle. */
template <class T>
__global__ void rotate_dangle_kernel(image_shape shape, float *dangle, const T *dy, const T *x,
                                     const float *angle)
{
    unsigned n = blockIdx.x;
    rotation t(shape, angle[n]);
    float sum = 0;
    size_t count = (size_t)shape.h * shape.w * shape.c;
    for (size_t i = threadIdx.x; i < count; i += THREADS) {
        image_place p = place_of<1>(shape, n * count + i);
        float row, col, v[4][1];
        t.source(&row, &col, (float)p.row, (float)p.col);
        float r = floorf(row), c = floorf(col), fr = row - r, fc = col - c;
        for (int k = 0; k < 4; k++)
            load_pixel(v[k], x, shape, n, r + (float)(k / 2), c + (float)(k % 2), p.c);
        float by_col = (1 - fr) * (v[1][0] - v[0][0]) + fr * (v[3][0] - v[2][0]);
        float by_row = (1 - fc) * (v[2][0] - v[0][0]) + fc * (v[3][0] - v[1][0]);
        sum += to_float(dy[p.at]) * (by_row * (col - t.middle_col) - by_col * (row - t.middle_row));
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        dangle[n] = sum;
}

recon_status cuda_rotate_back(recon_ctx *ctx, const recon_rotate_args *a)
{
    return by_type(ctx, "rotate_back", a->dy.type, [&]<class T>(T) {
        image_shape shape = shape_of(a->dy);
        const T *dy = data<T>(a->dy);
        const float *angle = data<float>(a->angle);
        if (a->dx.data)
            TRY((each_pixel<rotate_dx, T>(ctx, "rotate_back", shape, aligned(a->dx.data, dy), shape,
                                          data<T>(a->dx), dy, angle)));
        if (a->dangle.data && shape.n > 0)
            TRY(launch(ctx, "rotate_back", rotate_dangle_kernel<T>, shape.n, THREADS, shape,
                       data<float>(a->dangle), dy, data<T>(a->x), angle));
        return RECON_OK;
    });
}
