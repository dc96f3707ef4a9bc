/* expand.cu - filters out of weights and a basis: one thread a number, of the filter on the way
 * forth and of the weights on the way back. blockIdx.y is the block of the plan. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"

template <class T>
__global__ void expand_kernel(const __grid_constant__ recon_expand_plan plan, T *filter,
                              const float *weight, const float *basis)
{
    const recon_expand_block &b = plan.block[blockIdx.y];
    unsigned taps = b.taps, wide = b.copies_in * b.dim_in;
    unsigned count = b.copies_out * b.dim_out * taps * wide;
    unsigned stride = b.dim_out * b.dim_in * taps, step = gridDim.x * blockDim.x;
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step) {
        unsigned c = at % wide, tap = at / wide % taps, o = at / wide / taps;
        unsigned pair = o / b.dim_out * b.copies_in + c / b.dim_in;
        const float *w = weight + b.first_weight + pair * b.elements;
        const float *e =
            basis + b.first_basis + (o % b.dim_out * b.dim_in + c % b.dim_in) * taps + tap;
        float sum = 0;
        for (unsigned k = 0; k < b.elements; k++)
            sum += w[k] * e[k * stride];
        assign(filter[b.start + (size_t)o * b.row + tap * b.step + c], sum);
    }
}

template <class T>
__global__ void expand_back_kernel(const __grid_constant__ recon_expand_plan plan, float *dweight,
                                   const T *dfilter, const float *basis)
{
    const recon_expand_block &b = plan.block[blockIdx.y];
    unsigned count = b.copies_out * b.copies_in * b.elements, step = gridDim.x * blockDim.x;
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step) {
        unsigned k = at % b.elements, pair = at / b.elements;
        unsigned o = pair / b.copies_in * b.dim_out, c = pair % b.copies_in * b.dim_in;
        const float *e = basis + b.first_basis + k * b.dim_out * b.dim_in * b.taps;
        float sum = 0;
        for (unsigned i = 0; i < b.dim_out; i++)
            for (unsigned j = 0; j < b.dim_in; j++)
                for (unsigned tap = 0; tap < b.taps; tap++)
                    sum +=
                        *e++ *
                        to_float(dfilter[b.start + (size_t)(o + i) * b.row + tap * b.step + c + j]);
        dweight[b.first_weight + at] = sum;
    }
}

/* Threads for the largest block; the others end early. */
static dim3 grid_for(recon_ctx *ctx, const recon_expand_plan &plan,
                     size_t (*numbers)(const recon_expand_block &))
{
    size_t most = 1;
    for (unsigned i = 0; i < plan.count; i++) {
        size_t n = numbers(plan.block[i]);
        most = n > most ? n : most;
    }
    return dim3(blocks_for(ctx, most), plan.count);
}

static size_t filter_numbers(const recon_expand_block &b)
{
    return (size_t)b.copies_out * b.dim_out * b.copies_in * b.dim_in * b.taps;
}

static size_t weight_numbers(const recon_expand_block &b)
{
    return (size_t)b.copies_out * b.copies_in * b.elements;
}

recon_status cuda_expand(recon_ctx *ctx, const recon_expand_args *a)
{
    return by_type(ctx, "expand", a->filter.type, [&]<class T>(T) {
        return launch(ctx, "expand", expand_kernel<T>, grid_for(ctx, a->plan, filter_numbers),
                      THREADS, a->plan, data<T>(a->filter), data<float>(a->weight),
                      data<float>(a->basis));
    });
}

recon_status cuda_expand_back(recon_ctx *ctx, const recon_expand_args *a)
{
    return by_type(ctx, "expand_back", a->dfilter.type, [&]<class T>(T) {
        return launch(ctx, "expand_back", expand_back_kernel<T>,
                      grid_for(ctx, a->plan, weight_numbers), THREADS, a->plan,
                      data<float>(a->dweight), data<T>(a->dfilter), data<float>(a->basis));
    });
}
