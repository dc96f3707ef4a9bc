/* couple.cu - the tensor product: rows to planes, cuBLAS, planes to rows.
 *
 * Some thousand rows at a time, so that what is made of them stays in the second-level cache. The
 * products and the order of each path are couple.h's; a product has an operand with the channels of
 * its depth, on x's side, and one with those of its outputs, on y's. Two kernels do the rest.
 * spread takes rows apart into the operands of one side, coupling on the way what couples there;
 * collect adds results up into rows, coupling what is left. Forward spreads x and collects y; back
 * spreads dy (and x, for dw) and collects dx. Operands have the type of the activations, results
 * are float; channels are padded to a multiple of 8, with zeros, so that every
 * matrix is aligned. A batch in slices goes slice by slice. */
#include "ops/cuda/slices.h"
#include "ops/cuda/sweep.h"
#include "ops/cuda/table.h"
#include "ops/couple.h"

#define CHUNK_BYTES ((size_t)64 << 20)
#define PRODUCTS    (2 * RECON_COUPLE_DEGREES)
#define DIRECT      (~0u) /* in place of a matrix: components as they are */

enum couple_side { X_SIDE, Y_SIDE };

static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* ---- small matrices ---- */

#define MATRIX_ROWS 128
#define MATRIX_SIZE 49 /* entries of the largest */

struct matrix_list {
    struct {
        unsigned matrix, entries, attr, term, terms;
    } path[RECON_COUPLE_PATHS];
    struct {
        unsigned short entry, m2;
        float value;
    } term[RECON_COUPLE_TERMS];
};

/* A block makes one path's matrices for its rows, one a thread. */
__global__ void matrices_kernel(const __grid_constant__ matrix_list list, float *matrices,
                                const float *attr, unsigned numbers, unsigned rows)
{
    __shared__ float own[MATRIX_SIZE][MATRIX_ROWS + 1];
    auto &p = list.path[blockIdx.y];
    unsigned first = blockIdx.x * MATRIX_ROWS, me = threadIdx.x;
    unsigned here = rows - first < MATRIX_ROWS ? rows - first : MATRIX_ROWS;
    const float *a = attr + (size_t)(first + me) * RECON_COUPLE_ATTRS + p.attr;
    for (unsigned e = 0; e < p.entries; e++)
        own[e][me] = 0;
    for (unsigned k = p.term; me < here && k < p.term + p.terms; k++)
        own[list.term[k].entry][me] += list.term[k].value * a[list.term[k].m2];
    __syncthreads();
    for (unsigned i = me; i < here * p.entries; i += MATRIX_ROWS) {
        unsigned row = i / p.entries, e = i % p.entries;
        matrices[(size_t)(first + row) * numbers + p.matrix + e] = own[e][row];
    }
}

static matrix_list matrices_of(const recon_couple_plan *plan, const recon_couple_split &split)
{
    matrix_list list = {};
    for (unsigned i = 0; i < plan->paths; i++) {
        const recon_couple_path &p = plan->path[i];
        unsigned n1 = (unsigned)recon_couple_size(p.l1), n3 = (unsigned)recon_couple_size(p.l3);
        list.path[i] = { (unsigned)split.place[i].matrix, n1 * n3,
                         (unsigned)recon_couple_attr(p.l2), p.term, p.terms };
        for (unsigned k = p.term; k < p.term + p.terms; k++)
            list.term[k] = { (unsigned short)(plan->term[k].m1 * n3 + plan->term[k].m3),
                             plan->term[k].m2, (float)plan->term[k].value };
    }
    return list;
}

/* ---- rows to planes ---- */

template <class T> struct spread_part {
    T *to;
    unsigned to_row, to_plane;        /* steps between rows, and between components */
    unsigned from, size_in, size_out; /* its column in a row; components            */
    unsigned channels, width;         /* zeros from channels to width               */
    unsigned matrix, step_a, step_b;  /* of components out and in                   */
};
template <class T> struct spread_list {
    unsigned count, most; /* most: numbers of the largest part, in a row */
    spread_part<T> part[RECON_COUPLE_PATHS + PRODUCTS];
};

/* A row of matrices goes with each row. */
struct matrix_rows {
    const float *at;
    unsigned numbers, rows;
};

template <class T>
__global__ void spread_kernel(const __grid_constant__ spread_list<T> list, const T *x, unsigned dim,
                              matrix_rows m)
{
    const spread_part<T> &p = list.part[blockIdx.y];
    unsigned count = m.rows * p.size_out * p.width;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        unsigned c = i % p.width, a = i / p.width % p.size_out, row = i / p.width / p.size_out;
        const T *from = x + (size_t)row * dim + p.from + c * p.size_in;
        const float *factor = m.at + (size_t)row * m.numbers + a * p.step_a;
        float sum = 0;
        if (c < p.channels && p.matrix == DIRECT)
            sum = to_float(from[a]);
        else if (c < p.channels)
            for (unsigned b = 0; b < p.size_in; b++)
                sum += factor[p.matrix + b * p.step_b] * to_float(from[b]);
        assign(p.to[(size_t)row * p.to_row + a * p.to_plane + c], sum);
    }
}

/* ---- planes to rows ---- */

struct collect_path {
    const float *from;
    unsigned row, plane, size; /* components */
    unsigned matrix, step_a, step_b;
};
struct collect_degree {
    unsigned at, size, channels;
    const float *base; /* taken as it is, or NULL */
    unsigned base_row, base_plane;
    unsigned first, last; /* paths */
};
struct collect_list {
    unsigned most; /* numbers of the largest degree, in a row */
    collect_degree degree[RECON_COUPLE_DEGREES];
    collect_path path[RECON_COUPLE_PATHS];
};

/* bias [channels of degree 0] or NULL. */
template <class T>
__global__ void collect_kernel(const __grid_constant__ collect_list list, T *y, unsigned dim,
                               const float *bias, matrix_rows m)
{
    const collect_degree &d = list.degree[blockIdx.y];
    unsigned width = d.size * d.channels, count = m.rows * width;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        unsigned j = i % width, a = j % d.size, c = j / d.size;
        size_t row = i / width;
        float sum = d.base ? d.base[row * d.base_row + a * d.base_plane + c] : 0;
        if (bias && blockIdx.y == 0)
            sum += bias[c];
        for (unsigned k = d.first; k < d.last; k++) {
            const collect_path &p = list.path[k];
            const float *factor = m.at + row * m.numbers + p.matrix + a * p.step_a;
            const float *from = p.from + row * p.row + c;
            for (unsigned b = 0; b < p.size; b++)
                sum += factor[b * p.step_b] * from[b * p.plane];
        }
        assign(y[row * dim + d.at + j], sum);
    }
}

/* ---- weights ---- */

struct weight_list {
    recon_couple_block block[RECON_COUPLE_PATHS];
};

/* From the plan's order to that of the products, or back. */
template <class T>
__global__ void weights_kernel(const __grid_constant__ weight_list list, T *to, const T *from,
                               int back)
{
    const recon_couple_block &b = list.block[blockIdx.y];
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < b.rows * b.length;
         i += step) {
        size_t o = i / b.length, u = i % b.length;
        size_t plain = b.in_plan + o * b.plan_step + u, packed = b.in_product + o * b.step + u;
        to[back ? plain : packed] = from[back ? packed : plain];
    }
}

/* ---- a call ---- */

template <class T> struct couple_job {
    const recon_couple_args *a;
    const recon_couple_plan *plan;
    recon_couple_split split; /* padded */
    size_t dim[2];            /* of rows of x, of y */
    size_t weights;           /* padded */
    matrix_list list;
    T *w;
    size_t most, first, rows; /* of a chunk; this one's */
    float *matrices;
    T *operand[2][PRODUCTS]; /* on x's side and on y's */
    float *result[PRODUCTS];
    float *dw;
};

static size_t size_of(const recon_couple_product &p)
{
    return recon_couple_size(p.degree);
}

static size_t channels_of(const recon_couple_product &p, int side)
{
    return side == X_SIDE ? p.depth : p.outputs;
}

/* Is the product's operand of this side the rows' own channels, taken apart? */
static bool is_direct(const recon_couple_product &p, int side)
{
    return (p.mixes != 0) == (side == X_SIDE);
}

/* Channels a path has on a side, and components. */
static unsigned path_channels(const recon_couple_plan *plan, const recon_couple_path &p, int side)
{
    return side == X_SIDE ? plan->in[p.l1] : plan->out[p.l3];
}
static unsigned path_size(const recon_couple_path &p, int side)
{
    return (unsigned)recon_couple_size(side == X_SIDE ? p.l1 : p.l3);
}
/* A matrix's step from component to component of a side: it is [2 l1 + 1][2 l3 + 1]. */
static unsigned path_step(const recon_couple_path &p, int side)
{
    return side == X_SIDE ? (unsigned)recon_couple_size(p.l3) : 1;
}

template <class T>
static void add_part(spread_list<T> *list, const couple_job<T> &j, int side, size_t product,
                     spread_part<T> part)
{
    const recon_couple_product &p = j.split.product[product];
    part.to_plane = (unsigned)channels_of(p, side);
    part.to_row = part.to_plane * (unsigned)size_of(p);
    list->part[list->count++] = part;
    unsigned numbers = part.size_out * part.width;
    list->most = numbers > list->most ? numbers : list->most;
}

/* Columns that a path fills in its product's operand: its own and, of the last one, the padding. */
template <class T> static unsigned path_width(const couple_job<T> &j, unsigned path, int side)
{
    const recon_couple_place &at = j.split.place[path];
    unsigned next = path + 1;
    while (next < j.plan->paths && j.split.place[next].product != at.product)
        next++;
    if (next < j.plan->paths)
        return path_channels(j.plan, j.plan->path[path], side);
    return (unsigned)(channels_of(j.split.product[at.product], side) - at.at);
}

/* What the operands of a side are made of: degrees as they are, and coupled paths. */
template <class T> static spread_list<T> spread_of(const couple_job<T> &j, int side)
{
    spread_list<T> list = {};
    const uint32_t *channels = side == X_SIDE ? j.plan->in : j.plan->out;
    for (size_t i = 0; i < j.split.products; i++) {
        const recon_couple_product &p = j.split.product[i];
        unsigned size = (unsigned)size_of(p), width = (unsigned)channels_of(p, side);
        if (is_direct(p, side))
            add_part<T>(&list, j, side, i,
                        { j.operand[side][i], 0, 0, (unsigned)recon_couple_at(channels, p.degree),
                          size, size, channels[p.degree], width, DIRECT, 0, 0 });
    }
    for (unsigned i = 0; i < j.plan->paths; i++) {
        const recon_couple_path &path = j.plan->path[i];
        const recon_couple_place &at = j.split.place[i];
        const recon_couple_product &p = j.split.product[at.product];
        unsigned own = path_channels(j.plan, path, side);
        if (is_direct(p, side))
            continue;
        add_part<T>(&list, j, side, at.product,
                    { j.operand[side][at.product] + at.at, 0, 0,
                      (unsigned)recon_couple_at(channels, side == X_SIDE ? path.l1 : path.l3),
                      path_size(path, side), path_size(path, !side), own, path_width(j, i, side),
                      (unsigned)at.matrix, path_step(path, !side), path_step(path, side) });
    }
    return list;
}

/* Which results make up the degrees of a side. */
template <class T> static collect_list collect_of(const couple_job<T> &j, int side)
{
    collect_list list = {};
    const uint32_t *channels = side == X_SIDE ? j.plan->in : j.plan->out;
    unsigned paths = 0;
    for (unsigned l = 0; l < RECON_COUPLE_DEGREES; l++) {
        collect_degree &d = list.degree[l];
        d.at = (unsigned)recon_couple_at(channels, l);
        d.size = (unsigned)recon_couple_size(l);
        d.channels = channels[l];
        list.most = d.size * d.channels > list.most ? d.size * d.channels : list.most;
        for (size_t i = 0; i < j.split.products; i++) {
            const recon_couple_product &p = j.split.product[i];
            if (p.degree != l || !is_direct(p, side))
                continue;
            d.base = j.result[i];
            d.base_plane = (unsigned)channels_of(p, side);
            d.base_row = d.base_plane * d.size;
        }
        d.first = paths;
        for (unsigned i = 0; i < j.plan->paths; i++) {
            const recon_couple_path &path = j.plan->path[i];
            const recon_couple_place &at = j.split.place[i];
            const recon_couple_product &p = j.split.product[at.product];
            unsigned plane = (unsigned)channels_of(p, side), size = path_size(path, !side);
            if ((side == X_SIDE ? path.l1 : path.l3) == l && !is_direct(p, side))
                list.path[paths++] = { j.result[at.product] + at.at,
                                       plane * size,
                                       plane,
                                       size,
                                       (unsigned)at.matrix,
                                       path_step(path, side),
                                       path_step(path, !side) };
        }
        d.last = paths;
    }
    return list;
}

template <class T> static matrix_rows matrices_here(const couple_job<T> &j)
{
    return { j.matrices, (unsigned)j.split.numbers, (unsigned)j.rows };
}

/* x or dy of the chunk into the operands of its side. */
template <class T>
static recon_status spread(recon_ctx *ctx, const couple_job<T> &j, int side,
                           const recon_tensor &from)
{
    spread_list<T> list = spread_of(j, side);
    return launch(ctx, "couple", spread_kernel<T>,
                  dim3(blocks_for(ctx, j.rows * list.most), list.count), THREADS, list,
                  data<T>(from) + j.first * j.dim[side], j.dim[side], matrices_here(j));
}

/* The results into the chunk's rows of y or dx. */
template <class T>
static recon_status collect(recon_ctx *ctx, const couple_job<T> &j, int side,
                            const recon_tensor &to, const float *bias)
{
    collect_list list = collect_of(j, side);
    return launch(ctx, "couple", collect_kernel<T>,
                  dim3(blocks_for(ctx, j.rows * list.most), RECON_COUPLE_DEGREES), THREADS, list,
                  data<T>(to) + j.first * j.dim[side], j.dim[side], bias, matrices_here(j));
}

template <class T> static recon_status make_matrices(recon_ctx *ctx, const couple_job<T> &j)
{
    unsigned blocks = (unsigned)((j.rows + MATRIX_ROWS - 1) / MATRIX_ROWS);
    return launch(ctx, "couple", matrices_kernel, dim3(blocks, j.plan->paths), MATRIX_ROWS, j.list,
                  j.matrices, data<float>(j.a->attr) + j.first * RECON_COUPLE_ATTRS,
                  j.split.numbers, j.rows);
}

/* Results of one side from operands of the other: u w^T towards y, u w towards x. */
template <class T> static recon_status multiply(recon_ctx *ctx, const couple_job<T> &j, int side)
{
    for (size_t i = 0; i < j.split.products; i++) {
        const recon_couple_product &p = j.split.product[i];
        recon_gemm_args g = {};
        g.type = j.a->x.type;
        g.tf32 = j.a->tf32;
        g.alpha = 1;
        g.transpose_b = side == Y_SIDE;
        g.m = j.rows * size_of(p), g.n = channels_of(p, side), g.k = channels_of(p, !side);
        g.a = j.operand[!side][i], g.lda = g.k;
        g.b = j.w + p.weights, g.ldb = p.depth;
        g.c = j.result[i], g.ldc = g.n;
        TRY(cuda_gemm(ctx, &g));
    }
    return RECON_OK;
}

/* dw += dy^T u, over both sides' operands; the first chunk overwrites. */
template <class T> static recon_status add_weights(recon_ctx *ctx, const couple_job<T> &j)
{
    for (size_t i = 0; i < j.split.products; i++) {
        const recon_couple_product &p = j.split.product[i];
        recon_gemm_args g = {};
        g.type = j.a->x.type;
        g.tf32 = j.a->tf32;
        g.alpha = 1;
        g.beta = j.first > 0;
        g.transpose_a = 1;
        g.m = p.outputs, g.n = p.depth, g.k = j.rows * size_of(p);
        g.a = j.operand[Y_SIDE][i], g.lda = p.outputs;
        g.b = j.operand[X_SIDE][i], g.ldb = p.depth;
        g.c = j.dw + p.weights, g.ldc = p.depth;
        TRY(cuda_gemm(ctx, &g));
    }
    return RECON_OK;
}

template <class T> static weight_list weights_of(const couple_job<T> &j)
{
    weight_list list = {};
    for (size_t i = 0; i < j.plan->paths; i++)
        list.block[i] = recon_couple_block_of(j.plan, &j.split, i);
    return list;
}

/* The split with padded products, and the weights in its order. */
template <class T> static recon_status open_job(recon_ctx *ctx, couple_job<T> *j)
{
    j->plan = j->a->plan;
    j->split = recon_couple_split_of(j->plan);
    j->list = matrices_of(j->plan, j->split);
    j->dim[X_SIDE] = recon_couple_dim(j->plan->in);
    j->dim[Y_SIDE] = recon_couple_dim(j->plan->out);
    for (size_t i = 0; i < j->split.products; i++) {
        recon_couple_product &p = j->split.product[i];
        p.depth = padded(p.depth);
        p.outputs = padded(p.outputs);
        p.weights = j->weights;
        j->weights += p.depth * p.outputs;
    }
    TRY(scratch_take(ctx, &j->w, j->weights));
    TRY(cuda_zero(ctx, j->w, j->weights * sizeof(T)));
    return launch(ctx, "couple", weights_kernel<T>, dim3(32, j->plan->paths), THREADS,
                  weights_of(*j), j->w, data<T>(j->a->w), 0);
}

/* Room for a chunk; both: operands of both sides, else of one. */
template <class T>
static recon_status take_chunk(recon_ctx *ctx, couple_job<T> *j, const bool (&sides)[2])
{
    size_t numbers = j->split.numbers * sizeof(float), all = recon_tensor_rows(&j->a->x);
    for (size_t i = 0; i < j->split.products; i++) {
        const recon_couple_product &p = j->split.product[i];
        for (int side = 0; side < 2; side++)
            numbers += size_of(p) * channels_of(p, side) * (sides[side] ? sizeof(T) : 0);
        numbers += size_of(p) * (p.depth > p.outputs ? p.depth : p.outputs) * sizeof(float);
    }
    j->most = CHUNK_BYTES / numbers / 128 * 128;
    j->most = j->most < 128 ? 128 : j->most;
    j->most = j->most < all ? j->most : all;
    TRY(scratch_take(ctx, &j->matrices, j->most * j->split.numbers));
    for (size_t i = 0; i < j->split.products; i++) {
        const recon_couple_product &p = j->split.product[i];
        size_t rows = j->most * size_of(p), widest = p.depth > p.outputs ? p.depth : p.outputs;
        for (int side = 0; side < 2; side++)
            if (sides[side])
                TRY(scratch_take(ctx, &j->operand[side][i], rows * channels_of(p, side)));
        TRY(scratch_take(ctx, &j->result[i], rows * widest));
    }
    return RECON_OK;
}

template <class T, class F> static recon_status each_chunk(recon_ctx *ctx, couple_job<T> *j, F run)
{
    size_t all = recon_tensor_rows(&j->a->x);
    for (j->first = 0; j->first < all; j->first += j->rows) {
        j->rows = all - j->first < j->most ? all - j->first : j->most;
        TRY(make_matrices(ctx, *j));
        TRY(run());
    }
    return RECON_OK;
}

template <class T> static recon_status forward(recon_ctx *ctx, couple_job<T> *j)
{
    const float *bias = data<float>(j->a->bias);
    TRY(open_job(ctx, j));
    TRY(take_chunk(ctx, j, { true, false }));
    return each_chunk(ctx, j, [&]() -> recon_status {
        TRY(spread(ctx, *j, X_SIDE, j->a->x));
        TRY(multiply(ctx, *j, Y_SIDE));
        return collect(ctx, *j, Y_SIDE, j->a->y, bias);
    });
}

recon_status cuda_couple(recon_ctx *ctx, const recon_couple_args *a)
{
    typedef recon_couple_args A;
    if (a->x.slices)
        return in_slices<A>(ctx, a, cuda_couple, { &A::x, &A::attr }, { &A::y });
    if (recon_tensor_rows(&a->x) == 0)
        return RECON_OK;
    return by_type(ctx, "couple", a->x.type, [&](auto t) {
        couple_job<decltype(t)> j = {};
        j.a = a;
        scratch_begin(ctx);
        return forward(ctx, &j);
    });
}

template <class T> struct couple_bias {
    float *dbias;
    const T *dy;
    size_t dim;
    template <int N> __device__ no_factors factors(size_t, size_t) const
    {
        return {};
    }
    template <int N>
    __device__ void add(float (&acc)[1][N], no_factors, size_t row, size_t col) const
    {
        acc[0][0] += to_float(dy[row * dim + col]);
    }
    __device__ void finish(size_t, size_t col, const double (&sum)[1]) const
    {
        dbias[col] = (float)sum[0];
    }
};

template <class T> static recon_status backward(recon_ctx *ctx, couple_job<T> *j)
{
    const recon_couple_args *a = j->a;
    bool weights = a->dw.data != nullptr;
    TRY(open_job(ctx, j));
    if (weights)
        TRY(scratch_take(ctx, &j->dw, j->weights));
    TRY(take_chunk(ctx, j, { weights, true }));
    recon_status status = each_chunk(ctx, j, [&]() -> recon_status {
        TRY(spread(ctx, *j, Y_SIDE, a->dy));
        if (weights) {
            TRY(spread(ctx, *j, X_SIDE, a->x));
            TRY(add_weights(ctx, *j));
        }
        if (!a->dx.data)
            return RECON_OK;
        TRY(multiply(ctx, *j, X_SIDE));
        return collect(ctx, *j, X_SIDE, a->dx, nullptr);
    });
    if (status != RECON_OK || !weights)
        return status;
    return launch(ctx, "couple_back", weights_kernel<float>, dim3(32, j->plan->paths), THREADS,
                  weights_of(*j), data<float>(a->dw), j->dw, 1);
}

recon_status cuda_couple_back(recon_ctx *ctx, const recon_couple_args *a)
{
    typedef recon_couple_args A;
    if (a->x.slices)
        return in_slices<A>(ctx, a, cuda_couple_back, { &A::x, &A::attr, &A::dy }, { &A::dx },
                            { &A::dw, &A::dbias });
    size_t rows = recon_tensor_rows(&a->x);
    if (rows == 0 && a->dw.data)
        TRY(cuda_zero(ctx, a->dw.data, recon_tensor_bytes(&a->dw)));
    if (rows == 0 && a->dbias.data)
        TRY(cuda_zero(ctx, a->dbias.data, recon_tensor_bytes(&a->dbias)));
    if (rows == 0)
        return RECON_OK;
    return by_type(ctx, "couple_back", a->dy.type, [&](auto t) -> recon_status {
        typedef decltype(t) T;
        couple_job<T> j = {};
        j.a = a;
        scratch_begin(ctx);
        if (a->dbias.data) {
            couple_bias<T> f = { data<float>(a->dbias), data<T>(a->dy),
                                 recon_couple_dim(a->plan->out) };
            TRY((column_sums<1, 1>(ctx, "couple_back", f, 1, rows, a->plan->out[0], nullptr, 1)));
        }
        return a->dw.data || a->dx.data ? backward(ctx, &j) : RECON_OK;
    });
}
