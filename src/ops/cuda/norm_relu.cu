/* norm_relu.cu - the norm-nonlinearity on vector fields: one thread a field. */
#include "ops/cuda/sweep.h"
#include "ops/cuda/table.h"

template <class T> __device__ static float length(const T *x, unsigned field)
{
    float sum = 0;
    for (unsigned i = 0; i < field; i++)
        sum += to_float(x[i]) * to_float(x[i]);
    return sqrtf(sum);
}

template <class T> struct norm_relu_forward {
    T *y;
    const T *x;
    const float *bias;
    size_t fields;
    unsigned field;
    __device__ void at(size_t i) const
    {
        float norm = length(x + i * field, field), to = norm + bias[i % fields];
        float factor = norm > 0 && to > 0 ? to / norm : 0;
        for (size_t k = i * field; k < (i + 1) * field; k++)
            assign(y[k], factor * to_float(x[k]));
    }
};

recon_status cuda_norm_relu(recon_ctx *ctx, const recon_norm_relu_args *a)
{
    return by_type(ctx, "norm_relu", a->x.type, [&](auto t) {
        typedef decltype(t) T;
        norm_relu_forward<T> f = { data<T>(a->y), data<T>(a->x), data<float>(a->bias),
                                   recon_tensor_cols(&a->x) / a->field, (unsigned)a->field };
        return each_index(ctx, "norm_relu", recon_tensor_count(&a->x) / a->field, f);
    });
}

/* Summing dbias passes every field once; dx is written on the way. The formulas are in
 * ref/norm.c. */
template <class T> struct norm_relu_backward {
    T *dx;
    const T *dy, *x;
    const float *bias;
    float *dbias;
    size_t fields;
    unsigned field;
    template <int N> __device__ no_factors factors(size_t, size_t) const
    {
        return {};
    }
    template <int N> __device__ void add(float (&acc)[1][N], no_factors, size_t row, size_t f) const
    {
        size_t at = (row * fields + f) * field;
        float norm = length(x + at, field), b = bias[f], dot = 0;
        bool open = norm > 0 && norm + b > 0;
        for (size_t k = at; k < at + field; k++)
            dot += to_float(x[k]) * to_float(dy[k]);
        float keep = open ? 1 + b / norm : 0;
        float along = open ? dot * b / (norm * norm * norm) : 0;
        for (size_t k = at; dx && k < at + field; k++)
            assign(dx[k], to_float(dy[k]) * keep - to_float(x[k]) * along);
        acc[0][0] += open ? dot / norm : 0;
    }
    __device__ void finish(size_t, size_t f, const double (&sum)[1]) const
    {
        if (dbias)
            dbias[f] = (float)sum[0];
    }
};

recon_status cuda_norm_relu_back(recon_ctx *ctx, const recon_norm_relu_args *a)
{
    return by_type(ctx, "norm_relu_back", a->x.type, [&](auto t) {
        typedef decltype(t) T;
        size_t fields = recon_tensor_cols(&a->x) / a->field;
        norm_relu_backward<T> f = { data<T>(a->dx),       data<T>(a->dy),        data<T>(a->x),
                                    data<float>(a->bias), data<float>(a->dbias), fields,
                                    (unsigned)a->field };
        scratch_begin(ctx);
        return column_sums<1, 1>(ctx, "norm_relu_back", f, 1, recon_tensor_rows(&a->x), fields,
                                 nullptr, 1);
    });
}
