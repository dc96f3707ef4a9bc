/* pairs.cu - messages between all atoms of a molecule. The formulas are in ref/pairs.c.
 *
 * A block takes a molecule, a warp a row of it and 32 channels: it walks over the other atoms with
 * its sums in registers. What a pair is to all channels, its direction and taps, is found once and
 * kept in shared memory; filters and atoms come from the first-level cache, which all blocks of a
 * processor fill alike. The way back to the atoms is the same walk with rows and columns exchanged.
 * Gradients of filters are summed in shared memory, a thread a column, over the molecules of a
 * part, and then over the parts: always in the same order. */
#include "ops/cuda/slices.h"
#include "ops/cuda/table.h"
#include "ops/pairs.h"

#define WARP  32
#define CACHE 640 /* pairs a block keeps; of larger molecules some rows at a time */

/* recon_pair as the channels read it: two accesses of 16 bytes. */
struct alignas(16) lean_pair {
    float n[3];
    int tap;
    float weight[RECON_PAIRS_TAPS];
};

/* Seen from row a of xyz; sign -1: with the direction reversed. */
__device__ static lean_pair pair_between(const float *xyz, size_t a, size_t b, float sign)
{
    double from[3], to[3];
    for (int k = 0; k < 3; k++) {
        from[k] = xyz[3 * a + k];
        to[k] = xyz[3 * b + k];
    }
    recon_pair p = recon_pair_of(from, to);
    lean_pair lean;
    for (int k = 0; k < 3; k++)
        lean.n[k] = sign * (float)p.n[k];
    for (int k = 0; k < RECON_PAIRS_TAPS; k++)
        lean.weight[k] = (float)p.weight[k];
    lean.tap = p.tap;
    return lean;
}

/* The pairs of rows first .. first + count of a molecule of n with all of it, kept or, in a
 * molecule of more than CACHE atoms, found anew. */
struct pair_block {
    const lean_pair *kept;
    const float *xyz;
    size_t begin;
    unsigned n, first, count;
    float sign;
    __device__ lean_pair at(unsigned row, unsigned col) const
    {
        return n <= CACHE ? kept[(row - first) * n + col]
                          : pair_between(xyz, begin + row, begin + col, sign);
    }
};

/* f(block) for all rows of a molecule, as many at a time as can be kept. All threads take part. */
template <class F>
__device__ static void walk_molecule(lean_pair *kept, const float *xyz, const int *offset,
                                     size_t molecule, float sign, F f)
{
    size_t begin = (size_t)offset[molecule];
    unsigned n = (unsigned)(offset[molecule + 1] - offset[molecule]);
    unsigned step = n == 0 ? 1 : n <= CACHE ? CACHE / n : n;
    for (unsigned first = 0; first < n; first += step) {
        unsigned count = n - first < step ? n - first : step;
        __syncthreads();
        for (unsigned k = threadIdx.x; n <= CACHE && k < count * n; k += blockDim.x)
            kept[k] = pair_between(xyz, begin + first + k / n, begin + k % n, sign);
        __syncthreads();
        f(pair_block{ kept, xyz, begin, n, first, count, sign });
    }
}

/* The tensors as kernels see them. S and V are the widths where they were known when this was
 * compiled, so that offsets of channels are no arithmetic; 0: they are in `wide`. */
template <class T, unsigned S, unsigned V> struct pairs_data {
    typedef T number;
    struct {
        unsigned scalars, vectors;
    } wide;
    const T *s, *u, *dy;
    const float *w, *xyz;
    const int *offset;
    T *y, *ds, *du;
    size_t rows, molecules;

    __device__ unsigned scalars() const
    {
        return V ? S : wide.scalars;
    }
    __device__ unsigned vectors() const
    {
        return V ? V : wide.vectors;
    }
    __device__ unsigned wide_s() const
    {
        return scalars() + vectors();
    }
    __device__ unsigned wide_u() const
    {
        return 12 * vectors();
    }
    __device__ unsigned wide_y() const
    {
        return scalars() + 4 * vectors();
    }
    __device__ unsigned wide_w() const
    {
        return scalars() + 5 * vectors();
    }
    /* N filters of a pair, `vectors` columns apart. */
    template <int N>
    __device__ void filters(float (&f)[N], const lean_pair &p, unsigned column) const
    {
        const float *from = w + (unsigned)p.tap * wide_w() + column;
#pragma unroll
        for (int i = 0; i < N; i++)
            f[i] = 0;
#pragma unroll
        for (int k = 0; k < RECON_PAIRS_TAPS; k++, from += wide_w())
#pragma unroll
            for (int i = 0; i < N; i++)
                f[i] += p.weight[k] * __ldg(from + i * vectors());
    }
};

__device__ inline float dot3(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Three planes from x on, step apart. */
template <class T> __device__ inline void load3(float (&to)[3], const T *x, unsigned step)
{
    for (int k = 0; k < 3; k++)
        to[k] = to_float(x[k * step]);
}

/* ---- forward: rows are targets ---- */

template <class D> struct pairs_forward {
    typedef typename D::number T;
    static constexpr float sign = 1;
    D d;

    __device__ void clear(size_t row, unsigned thread, unsigned threads) const
    {
        for (unsigned c = thread; c < d.wide_y(); c += threads)
            assign(d.y[row * d.wide_y() + c], 0);
    }

    __device__ void scalar(const pair_block &b, unsigned row, unsigned c) const
    {
        float sum = 0;
        const T *s = d.s + b.begin * d.wide_s() + c;
        for (unsigned j = 0; j < b.n; j++, s += d.wide_s()) {
            if (j == row)
                continue;
            float f[1];
            d.template filters<1>(f, b.at(row, j), c);
            sum += f[0] * to_float(*s);
        }
        assign(d.y[(b.begin + row) * d.wide_y() + c], sum);
    }

    __device__ void vector(const pair_block &b, unsigned row, unsigned v) const
    {
        float sum[3] = {}, out = 0;
        unsigned V = d.vectors();
        const T *s = d.s + b.begin * d.wide_s() + d.scalars() + v;
        const T *u = d.u + b.begin * d.wide_u() + v;
        for (unsigned j = 0; j < b.n; j++, s += d.wide_s(), u += d.wide_u()) {
            if (j == row)
                continue;
            lean_pair p = b.at(row, j);
            float f[5], x[4][3];
            d.template filters<5>(f, p, d.scalars() + v);
            for (unsigned set = 0; set < 4; set++)
                load3(x[set], u + set * V, 4 * V);
            const float *n = p.n, *e = x[1];
            float along = f[0] * to_float(*s) + f[3] * dot3(n, x[2]);
            out += f[4] * dot3(n, x[3]);
            sum[0] += f[1] * x[0][0] + f[2] * (n[1] * e[2] - n[2] * e[1]) + along * n[0];
            sum[1] += f[1] * x[0][1] + f[2] * (n[2] * e[0] - n[0] * e[2]) + along * n[1];
            sum[2] += f[1] * x[0][2] + f[2] * (n[0] * e[1] - n[1] * e[0]) + along * n[2];
        }
        T *y = d.y + (b.begin + row) * d.wide_y() + d.scalars() + v;
        assign(y[0], out);
        for (int k = 0; k < 3; k++)
            assign(y[(k + 1) * V], sum[k]);
    }
};

/* ---- backward: rows are sources, so that directions are reversed ---- */

template <class D> struct pairs_backward {
    typedef typename D::number T;
    static constexpr float sign = -1;
    D d;

    __device__ void clear(size_t row, unsigned thread, unsigned threads) const
    {
        for (unsigned c = thread; d.ds && c < d.wide_s(); c += threads)
            assign(d.ds[row * d.wide_s() + c], 0);
        for (unsigned c = thread; d.du && c < d.wide_u(); c += threads)
            assign(d.du[row * d.wide_u() + c], 0);
    }

    __device__ void scalar(const pair_block &b, unsigned row, unsigned c) const
    {
        float sum = 0;
        const T *dy = d.dy + b.begin * d.wide_y() + c;
        for (unsigned i = 0; d.ds && i < b.n; i++, dy += d.wide_y()) {
            if (i == row)
                continue;
            float f[1];
            d.template filters<1>(f, b.at(row, i), c);
            sum += f[0] * to_float(*dy);
        }
        if (d.ds)
            assign(d.ds[(b.begin + row) * d.wide_s() + c], sum);
    }

    __device__ void vector(const pair_block &b, unsigned row, unsigned v) const
    {
        float sum[4][3] = {}, out = 0;
        unsigned V = d.vectors();
        const T *dy = d.dy + b.begin * d.wide_y() + d.scalars() + v;
        for (unsigned i = 0; i < b.n; i++, dy += d.wide_y()) {
            if (i == row)
                continue;
            lean_pair p = b.at(row, i);
            float f[5], g[3];
            d.template filters<5>(f, p, d.scalars() + v);
            load3(g, dy + V, V);
            const float *n = p.n;
            float along = dot3(n, g), h = f[3] * along, q = f[4] * to_float(*dy);
            out += f[0] * along;
            for (int k = 0; k < 3; k++) {
                sum[0][k] += f[1] * g[k];
                sum[2][k] += h * n[k];
                sum[3][k] += q * n[k];
            }
            sum[1][0] += f[2] * (g[1] * n[2] - g[2] * n[1]);
            sum[1][1] += f[2] * (g[2] * n[0] - g[0] * n[2]);
            sum[1][2] += f[2] * (g[0] * n[1] - g[1] * n[0]);
        }
        if (d.ds)
            assign(d.ds[(b.begin + row) * d.wide_s() + d.scalars() + v], out);
        T *du = d.du + (b.begin + row) * d.wide_u() + v;
        for (unsigned set = 0; d.du && set < 4; set++)
            for (int k = 0; k < 3; k++)
                assign(du[(4 * k + set) * V], sum[set][k]);
    }
};

/* ---- a block a molecule; rows of none are cleared by all blocks in turn ---- */

template <class F> __global__ void __launch_bounds__(THREADS) pairs_kernel(F f)
{
    __shared__ lean_pair kept[CACHE];
    unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    unsigned packs_v = (f.d.vectors() + WARP - 1) / WARP,
             packs_s = (f.d.scalars() + WARP - 1) / WARP;
    walk_molecule(kept, f.d.xyz, f.d.offset, blockIdx.x, F::sign, [&](const pair_block &b) {
        for (unsigned at = warp; at < b.count * packs_v; at += THREADS / WARP)
            if (unsigned v = at % packs_v * WARP + lane; v < f.d.vectors())
                f.vector(b, b.first + at / packs_v, v);
        for (unsigned at = warp; at < b.count * packs_s; at += THREADS / WARP)
            if (unsigned c = at % packs_s * WARP + lane; c < f.d.scalars())
                f.scalar(b, b.first + at / packs_s, c);
    });
    for (size_t row = (size_t)f.d.offset[f.d.molecules] + blockIdx.x; row < f.d.rows;
         row += gridDim.x)
        f.clear(row, threadIdx.x, THREADS);
}

/* ---- gradients of the filters ---- */

#define PARTS    256
#define OF_SLICE 32  /* parts of a slice */
#define COLUMNS  128 /* of a block, a thread each */

/* What target i and source j add to the gradient of the filter of one column: kind 0 is a, then b,
 * c, e, h, q; c is the column of s or, from 2 on, of a plane of u. */
template <class D> struct filter_column {
    typedef typename D::number T;
    const D &d;
    unsigned kind, v;

    __device__ float at(size_t i, size_t j, const float (&n)[3]) const
    {
        unsigned V = d.vectors();
        const T *dy = d.dy + i * d.wide_y();
        if (kind == 0)
            return to_float(dy[v]) * to_float(d.s[j * d.wide_s() + v]);
        dy += d.scalars() + v;
        float g[3], x[3];
        if (kind == 1) {
            load3(g, dy + V, V);
            return dot3(n, g) * to_float(d.s[j * d.wide_s() + d.scalars() + v]);
        }
        load3(x, d.u + j * d.wide_u() + (kind - 2) * V + v, 4 * V);
        if (kind == 5)
            return to_float(*dy) * dot3(n, x);
        load3(g, dy + V, V);
        if (kind == 2)
            return dot3(g, x);
        if (kind == 4)
            return dot3(n, g) * dot3(n, x);
        return x[0] * (g[1] * n[2] - g[2] * n[1]) + x[1] * (g[2] * n[0] - g[0] * n[2]) +
               x[2] * (g[0] * n[1] - g[1] * n[0]);
    }
};

/* The first molecule of a slice, which has so many rows: a molecule is in the slice it begins in. */
template <class D> __device__ size_t first_molecule(const D &d, size_t slice, size_t rows)
{
    size_t low = 0, high = d.molecules;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((size_t)d.offset[middle] < slice * rows)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* partial[slice][part][knot][column]: the molecules part, part + parts, ... of a slice, or of all: each
 * is 0. A pair has the same taps either way. */
template <class D>
__global__ void __launch_bounds__(COLUMNS) filters_kernel(D d, float *partial, size_t each)
{
    __shared__ lean_pair kept[CACHE];
    __shared__ float sum[RECON_PAIRS_KNOTS][COLUMNS];
    unsigned me = threadIdx.x, column = blockIdx.x * COLUMNS + me;
    bool there = column < d.wide_w();
    filter_column<D> f = { d, 0, column };
    if (there && column >= d.scalars()) {
        f.kind = 1 + (column - d.scalars()) / d.vectors();
        f.v = (column - d.scalars()) % d.vectors();
    }
    for (int k = 0; k < RECON_PAIRS_KNOTS; k++)
        sum[k][me] = 0;
    size_t first = each ? first_molecule(d, blockIdx.z, each) : 0;
    size_t end = blockIdx.z + 1 < gridDim.z ? first_molecule(d, blockIdx.z + 1, each) : d.molecules;
    for (size_t m = first + blockIdx.y; m < end; m += gridDim.y)
        walk_molecule(kept, d.xyz, d.offset, m, 1.0f, [&](const pair_block &b) {
            for (unsigned i = b.first; there && i < b.first + b.count; i++)
                for (unsigned j = i + 1; j < b.n; j++) {
                    lean_pair p = b.at(i, j);
                    float back[3] = { -p.n[0], -p.n[1], -p.n[2] };
                    float g =
                        f.at(b.begin + i, b.begin + j, p.n) + f.at(b.begin + j, b.begin + i, back);
                    for (int k = 0; k < RECON_PAIRS_TAPS; k++)
                        sum[p.tap + k][me] += p.weight[k] * g;
                }
        });
    for (unsigned k = 0; there && k < RECON_PAIRS_KNOTS; k++)
        partial[(((size_t)blockIdx.z * gridDim.y + blockIdx.y) * RECON_PAIRS_KNOTS + k) *
                    d.wide_w() +
                column] = sum[k][me];
}

struct sum_parts {
    float *dw; /* [slices][count] */
    const float *partial;
    size_t parts, count;
    __device__ void at(size_t i) const
    {
        const float *from = partial + i / count * parts * count + i % count;
        double sum = 0;
#pragma unroll 8
        for (size_t p = 0; p < parts; p++)
            sum += from[p * count];
        dw[i] = (float)sum;
    }
};

/* Of `slices` slices of `each` rows, or of all: each is 0 then. */
template <class D>
static recon_status filter_parts(recon_ctx *ctx, const D &d, float *dw, size_t parts, size_t slices,
                                 size_t each)
{
    size_t wide = d.wide.scalars + 5 * (size_t)d.wide.vectors, count = RECON_PAIRS_KNOTS * wide;
    float *partial;
    TRY(scratch_take(ctx, &partial, slices * parts * count));
    dim3 grid((unsigned)((wide + COLUMNS - 1) / COLUMNS), (unsigned)parts, (unsigned)slices);
    TRY(launch(ctx, "pairs_back", filters_kernel<D>, grid, COLUMNS, d, partial, each));
    return each_index(ctx, "pairs_back", slices * count, sum_parts{ dw, partial, parts, count });
}

template <class D>
static recon_status filter_gradients(recon_ctx *ctx, const recon_pairs_args *a, const D &d)
{
    float *dw = data<float>(a->dw), *part;
    size_t count = recon_tensor_count(&a->dw);
    scratch_begin(ctx);
    if (!a->s.slices)
        return filter_parts(ctx, d, dw, d.molecules < PARTS ? d.molecules : PARTS, 1, 0);
    recon_slices s = slices_of(a->s);
    TRY(scratch_take(ctx, &part, slices_here(s) * count));
    TRY(filter_parts(ctx, d, part, OF_SLICE, slices_here(s), s.each));
    return sum_slices(ctx, s, dw, part, count, count);
}

/* ---- the entries ---- */

template <class D> static D data_of(const recon_pairs_args *a)
{
    typedef typename D::number T;
    return { { (unsigned)a->scalars, (unsigned)a->vectors },
             data<T>(a->s),
             data<T>(a->u),
             data<T>(a->dy),
             data<float>(a->w),
             data<float>(a->xyz),
             data<int>(a->offset),
             data<T>(a->y),
             data<T>(a->ds),
             data<T>(a->du),
             a->s.shape[0],
             a->offset.shape[0] - 1 };
}

/* f(d) with the tensors, at the widths of the encoder `fast` or at any. */
template <class F>
static recon_status by_widths(recon_ctx *ctx, const char *name, const recon_pairs_args *a, F f)
{
    return by_type(ctx, name, a->s.type, [&]<class T>(T) {
        if (a->scalars == 128 && a->vectors == 64)
            return f(data_of<pairs_data<T, 128, 64>>(a));
        return f(data_of<pairs_data<T, 0, 0>>(a));
    });
}

recon_status cuda_pairs(recon_ctx *ctx, const recon_pairs_args *a)
{
    return by_widths(ctx, "pairs", a, [&](auto d) {
        pairs_forward<decltype(d)> f = { d };
        return launch(ctx, "pairs", pairs_kernel<decltype(f)>, (unsigned)d.molecules, THREADS, f);
    });
}

recon_status cuda_pairs_back(recon_ctx *ctx, const recon_pairs_args *a)
{
    return by_widths(ctx, "pairs_back", a, [&](auto d) {
        pairs_backward<decltype(d)> f = { d };
        if (d.ds || d.du)
            TRY(launch(ctx, "pairs_back", pairs_kernel<decltype(f)>, (unsigned)d.molecules, THREADS,
                       f));
        return a->dw.data ? filter_gradients(ctx, a, d) : (recon_status)RECON_OK;
    });
}
