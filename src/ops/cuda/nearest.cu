/* nearest.cu - the k nearest rows of each row, exact, on the GPU.
 *
 * Tensor cores multiply copies of the rows in half precision, a tile of pairs at a time, and a scan
 * of the tile collects the pairs whose product reaches its row's floor. What a product in half
 * precision may be off by is bounded for each row (`bound`), and floors are lower by that, so no
 * neighbour is missed. What the scan finds is scored in double, in the order of additions that the
 * host has, and enters a list of the k nearest by (score, index); the list's last raises the floor.
 * The lists are therefore those of the host, bit by bit, in whatever order pairs come.
 *
 * Among a set's own rows a tile serves its rows and its columns, so every pair is multiplied once.
 * More hits of a row than there is room for: those that had room raise its floor, and the tile is
 * scanned again for it. Rows that do not come to an end so, in crowds nearer to each other than half
 * precision can tell, are left to the caller. */
#include "ops/cuda/kernel.h"
#include "ops/cuda/table.h"

#include <cuda_fp16.h>
#include <math.h>

#define TILE   16384 /* rows and columns of a tile */
#define EACH   8     /* columns of a thread: one load of 16 bytes */
#define STRIP  (EACH * THREADS)
#define DEEP   64 /* rows of a block of the scan */
#define GROWTH 8  /* of the columns that a row's first scans see */
#define ROUNDS 12
#define WARP   32
#define LANES  16 /* sums side by side, as knn/points.c has them */

/* One side of the search, on the GPU. */
struct side {
    size_t n;
    float *z, *shift;
    double *norm;         /* NULL: products are not divided by them */
    __half *v;            /* [n][pitch] */
    float *rest, *length; /* |w - v|, |w|, rounded up */
};

/* The rows' lists; room for the hits of a tile. */
struct lists {
    double *score;   /* [n][k] */
    uint32_t *index; /* [n][k] */
    float *floor;    /* [n] what a product less the column's shift must reach */
    float *again;    /* [n] the same in another scan of this tile; infinite: none is needed */
    double *bound, *base;
    unsigned char *open;
};
struct hits {
    uint32_t *who; /* [TILE][room] */
    uint32_t *count;
};

struct search {
    size_t d, pitch, k, room;
    double slope;
    int euclidean, self, include_self;
    side rows, cols;
    lists list;
    hits row_hits, col_hits;
    __half *tile;    /* [TILE][TILE] */
    float *worst;    /* of the columns: rest, length */
    uint32_t *left;  /* rows that need another scan */
    void *block[32]; /* all there is to release */
    int blocks;
};

/* --- preparation ------------------------------------------------------------------------------ */

static __device__ void raise(float *most, float x)
{
    atomicMax(reinterpret_cast<int *>(most),
              __float_as_int(x)); /* of numbers that are not negative */
}

/* Rows of w [rows][d] in half precision, a warp for each, and what that leaves. */
static __global__ void halve_rows(__half *v, float *rest, float *length, float *worst,
                                  const float *w, size_t rows, size_t d, size_t pitch)
{
    size_t row = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    unsigned lane = threadIdx.x % WARP;
    if (row >= rows)
        return;
    double off = 0, all = 0;
    for (size_t c = lane; c < pitch; c += WARP) {
        float x = c < d ? w[row * d + c] : 0;
        __half h = __float2half_rn(x);
        double gone = (double)x - (double)__half2float(h);
        v[row * pitch + c] = h;
        off += gone * gone;
        all += (double)x * x;
    }
    for (int half = WARP / 2; half > 0; half /= 2) {
        off += __shfl_xor_sync(~0u, off, half);
        all += __shfl_xor_sync(~0u, all, half);
    }
    if (lane > 0)
        return;
    rest[row] = __double2float_ru(sqrt(off) * (1 + 1e-9));
    length[row] = __double2float_ru(sqrt(all) * (1 + 1e-9));
    raise(worst, rest[row]);
    raise(worst + 1, length[row]);
}

/* How far the half-precision product of row i with any column, rounded to half precision itself, may
 * be from the blocked score (knn/points.h): Cauchy-Schwarz on w w' - v v' = (w - v) w' + v (w' - v');
 * sums of d exact products in single precision, each addition off by at most 2^-22 of the lengths
 * (tensor cores cut off where others round); the product's own rounding, 2^-11 of it, or 2^-25 where
 * it is subnormal; and twice what w itself and single precision cost, `fine`. */
struct find_bound {
    double *bound;
    const double *fine;
    const float *rest, *length, *worst;
    size_t d;
    __device__ void at(size_t i) const
    {
        double r = rest[i], x = length[i], most_rest = worst[0], longest = worst[1];
        double lengths = (x + r) * (longest + most_rest);
        bound[i] = 1.0001 * (r * longest + (x + r) * most_rest) +
                   ((double)d * 0x1p-22 + 1.001 * 0x1p-11) * lengths + 0x1p-24 + 2 * fine[i];
    }
};

struct clear_lists {
    lists list;
    size_t k;
    __device__ void at(size_t i) const
    {
        for (size_t c = 0; c < k; c++) {
            list.score[i * k + c] = -INFINITY;
            list.index[i * k + c] = UINT32_MAX;
        }
        list.floor[i] = -INFINITY;
        list.again[i] = INFINITY;
        list.open[i] = 0;
    }
};

/* --- scan ------------------------------------------------------------------------------------- */

struct scan {
    const __half *tile;
    uint32_t rows, begin, end;     /* columns from begin to end; begin is a multiple of EACH */
    uint32_t first_row, first_col; /* of the tile, among all */
    int skip_self;
    const float *row_floor, *row_shift, *col_floor, *col_shift; /* of the tile */
    hits row_hits, col_hits;
    uint32_t room;
};

static __device__ void push(const hits &h, uint32_t room, uint32_t list, uint32_t who)
{
    uint32_t at = atomicAdd(h.count + list, 1);
    if (at < room)
        h.who[(size_t)list * room + at] = who;
}

/* Hits are rare, so finding out that there is none is all that has to be fast. */
template <bool BOTH>
static __device__ void push_hits(const scan &s, uint32_t r, uint32_t c, const float (&x)[EACH])
{
    for (uint32_t e = 0; e < EACH && c + e < s.end; e++) {
        if (s.skip_self && s.first_row + r == s.first_col + c + e)
            continue;
        if (x[e] - s.col_shift[c + e] >= s.row_floor[r])
            push(s.row_hits, s.room, r, s.first_col + c + e);
        if (BOTH && x[e] - s.row_shift[r] >= s.col_floor[c + e])
            push(s.col_hits, s.room, c + e, s.first_row + r);
    }
}

/* A block has STRIP columns and DEEP rows of the tile; a thread keeps what its columns need. */
template <bool BOTH> static __global__ void scan_tile(scan s)
{
    uint32_t c = s.begin + blockIdx.x * STRIP + threadIdx.x * EACH;
    uint32_t first = blockIdx.y * DEEP, last = first + DEEP < s.rows ? first + DEEP : s.rows;
    float shift[EACH], floor[EACH];
    if (c >= s.end)
        return;
    for (uint32_t e = 0; e < EACH; e++) {
        bool in = c + e < s.end;
        shift[e] = in ? s.col_shift[c + e] : 0;
        floor[e] = BOTH && in ? s.col_floor[c + e] : INFINITY;
    }
#pragma unroll 4
    for (uint32_t r = first; r < last; r++) {
        pack<__half2, EACH / 2> p =
            *reinterpret_cast<const pack<__half2, EACH / 2> *>(s.tile + (size_t)r * TILE + c);
        float row_floor = s.row_floor[r], row_shift = BOTH ? s.row_shift[r] : 0, x[EACH];
        bool any = false;
        for (int e = 0; e < EACH / 2; e++) {
            float2 two = __half22float2(p.v[e]);
            x[2 * e] = two.x;
            x[2 * e + 1] = two.y;
        }
        for (int e = 0; e < EACH; e++)
            any |= x[e] - shift[e] >= row_floor || (BOTH && x[e] - row_shift >= floor[e]);
        if (any)
            push_hits<BOTH>(s, r, c, x);
    }
}

/* --- exact scores and lists ------------------------------------------------------------------- */

/* By half a warp, each lane one of the sums that knn/points.c keeps side by side. Lane 0 has it. The
 * product of two floats is exact in double, and the square of a difference is fused there too, on
 * CPUs with FMA. */
static __device__ double exact_score(const float *a, const float *b, size_t d, int euclidean,
                                     double divisor)
{
    double sum = 0;
    for (size_t c = threadIdx.x % LANES; c < d; c += LANES) {
        double x = a[c], y = b[c];
        sum = euclidean ? __fma_rn(x - y, x - y, sum) : __fma_rn(x, y, sum);
    }
    for (int half = LANES / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half, LANES);
    return euclidean ? -sum : divisor != 0 ? sum / divisor : sum;
}

/* Into a sorted list of k, by a whole warp; one that is there already stays alone. */
static __device__ void insert(double *score, uint32_t *index, int k, double s, uint32_t who)
{
    int lane = threadIdx.x % WARP, place = 0;
    if (s < score[k - 1] || (s == score[k - 1] && who >= index[k - 1]))
        return;
    for (int from = 0; from < k; from += WARP) {
        int t = from + lane, in = t < k;
        bool before = in && (score[t] > s || (score[t] == s && index[t] < who));
        bool same = in && score[t] == s && index[t] == who;
        if (__any_sync(~0u, same))
            return;
        place += __popc(__ballot_sync(~0u, before));
    }
    for (int from = (k - 1) / WARP * WARP; from >= 0 && from + WARP > place; from -= WARP) {
        int t = from + lane;
        bool moves = t < k && t > place;
        double next = moves ? score[t - 1] : 0;
        uint32_t next_index = moves ? index[t - 1] : 0;
        __syncwarp();
        if (moves) {
            score[t] = next;
            index[t] = next_index;
        }
        __syncwarp();
    }
    if (lane == 0) {
        score[place] = s;
        index[place] = who;
    }
    __syncwarp();
}

struct refine {
    side rows, cols;
    lists list;
    hits found;
    uint32_t first, count, room; /* rows of the tile */
    int d, k, euclidean;
    double slope;
    uint32_t *left;
};

/* A warp for each row: its hits, two at a time, and then its floor. */
static __global__ void refine_rows(refine f)
{
    uint32_t r = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (r >= f.count)
        return;
    size_t i = f.first + r;
    uint32_t hits = f.found.count[r], have = hits < f.room ? hits : f.room;
    double *score = f.list.score + i * f.k;
    uint32_t *index = f.list.index + i * f.k;
    for (uint32_t h = 0; h < have; h += 2) {
        uint32_t mine = h + lane / LANES;
        uint32_t j = f.found.who[(size_t)r * f.room + (mine < have ? mine : h)];
        double divisor = f.rows.norm ? f.rows.norm[i] * f.cols.norm[j] : 0;
        double s =
            exact_score(f.rows.z + i * f.d, f.cols.z + (size_t)j * f.d, f.d, f.euclidean, divisor);
        insert(score, index, f.k, __shfl_sync(~0u, s, 0), __shfl_sync(~0u, j, 0));
        if (h + 1 < have)
            insert(score, index, f.k, __shfl_sync(~0u, s, LANES), __shfl_sync(~0u, j, LANES));
    }
    if (lane > 0)
        return;
    double last = score[f.k - 1], base = f.list.base ? f.list.base[i] : 0;
    if (last > -INFINITY && f.list.floor[i] < INFINITY)
        f.list.floor[i] = __double2float_rd(base + f.slope * last - f.list.bound[i]);
    f.list.again[i] = hits > f.room ? f.list.floor[i] : INFINITY;
    if (hits > f.room)
        atomicAdd(f.left, 1);
    f.found.count[r] = 0;
}

/* Rows that still need a scan are given up: nothing reaches their floor any more. */
struct give_up {
    lists list;
    size_t first;
    __device__ void at(size_t r) const
    {
        size_t i = first + r;
        if (list.again[i] == INFINITY)
            return;
        list.open[i] = 1;
        list.floor[i] = list.again[i] = INFINITY;
    }
};

/* --- the search ------------------------------------------------------------------------------- */

/* A tile: rows from row on, columns from col on. */
struct place {
    size_t row, rows, col, cols;
};

static recon_status take(recon_ctx *ctx, search *s, void **out, size_t bytes)
{
    TRY(cuda_alloc(ctx, out, bytes));
    s->block[s->blocks++] = *out;
    return RECON_OK;
}
template <class T> static recon_status take(recon_ctx *ctx, search *s, T **out, size_t count)
{
    void *data = nullptr;
    recon_status status = take(ctx, s, &data, count * sizeof(T));
    *out = static_cast<T *>(data);
    return status;
}
template <class T>
static recon_status bring(recon_ctx *ctx, search *s, T **out, const T *host, size_t count)
{
    TRY(take(ctx, s, out, count));
    return cuda_upload(ctx, *out, host, count * sizeof(T));
}

static unsigned warps(size_t rows)
{
    return (unsigned)((rows * WARP + THREADS - 1) / THREADS);
}

/* w goes through scratch memory: only v is needed later. */
static recon_status bring_side(recon_ctx *ctx, search *s, side *to, const recon_nearest_side *from)
{
    float *w;
    to->n = from->n;
    TRY(bring(ctx, s, &to->z, from->z, from->n * s->d));
    TRY(bring(ctx, s, &to->shift, from->shift, from->n));
    if (from->norm)
        TRY(bring(ctx, s, &to->norm, from->norm, from->n));
    TRY(take(ctx, s, &to->v, from->n * s->pitch));
    TRY(take(ctx, s, &to->rest, from->n));
    TRY(take(ctx, s, &to->length, from->n));
    TRY(cuda_zero(ctx, s->worst, 2 * sizeof(float)));
    scratch_begin(ctx);
    TRY(scratch_take(ctx, &w, TILE * s->d));
    for (size_t i = 0; i < from->n; i += TILE) {
        size_t rows = from->n - i < TILE ? from->n - i : TILE;
        TRY(cuda_upload(ctx, w, from->w + i * s->d, rows * s->d * sizeof *w));
        TRY(launch(ctx, "nearest", halve_rows, warps(rows), THREADS, to->v + i * s->pitch,
                   to->rest + i, to->length + i, s->worst, w, rows, s->d, s->pitch));
    }
    return RECON_OK;
}

static recon_status make_hits(recon_ctx *ctx, search *s, hits *h)
{
    TRY(take(ctx, s, &h->who, TILE * s->room));
    TRY(take(ctx, s, &h->count, TILE));
    return cuda_zero(ctx, h->count, TILE * sizeof *h->count);
}

static recon_status make_lists(recon_ctx *ctx, search *s, const recon_nearest_args *args)
{
    size_t n = s->rows.n;
    double *fine;
    TRY(take(ctx, s, &s->list.score, n * s->k));
    TRY(take(ctx, s, &s->list.index, n * s->k));
    TRY(take(ctx, s, &s->list.floor, n));
    TRY(take(ctx, s, &s->list.again, n));
    TRY(take(ctx, s, &s->list.open, n));
    TRY(take(ctx, s, &s->list.bound, n));
    if (args->base)
        TRY(bring(ctx, s, &s->list.base, args->base, n));
    TRY(bring(ctx, s, &fine, args->error, n));
    TRY(each_index(ctx, "nearest", n, clear_lists{ s->list, s->k }));
    return each_index(
        ctx, "nearest", n,
        find_bound{ s->list.bound, fine, s->rows.rest, s->rows.length, s->worst, s->d });
}

/* The columns come last: their worst is what the bound needs. */
static recon_status prepare(recon_ctx *ctx, search *s, const recon_nearest_args *args)
{
    TRY(take(ctx, s, &s->worst, 2));
    TRY(take(ctx, s, &s->left, 1));
    TRY(take(ctx, s, &s->tile, (size_t)TILE * TILE));
    if (!s->self)
        TRY(bring_side(ctx, s, &s->rows, &args->rows));
    TRY(bring_side(ctx, s, &s->cols, &args->cols));
    if (s->self)
        s->rows = s->cols;
    TRY(make_hits(ctx, s, &s->row_hits));
    if (s->self)
        TRY(make_hits(ctx, s, &s->col_hits));
    return make_lists(ctx, s, args);
}

/* Row-major tile = v v'^T, which cuBLAS sees as its transpose. */
static recon_status multiply(recon_ctx *ctx, const search *s, const place &p)
{
    float one = 1, zero = 0;
    BLAS_TRY(cublasGemmEx(cuda_of(ctx)->blas, CUBLAS_OP_T, CUBLAS_OP_N, (int)p.cols, (int)p.rows,
                          (int)s->pitch, &one, s->cols.v + p.col * s->pitch, CUDA_R_16F,
                          (int)s->pitch, s->rows.v + p.row * s->pitch, CUDA_R_16F, (int)s->pitch,
                          &zero, s->tile, CUDA_R_16F, TILE, CUBLAS_COMPUTE_32F,
                          CUBLAS_GEMM_DEFAULT));
    return RECON_OK;
}

static recon_status scan_columns(recon_ctx *ctx, const search *s, const place &p, size_t begin,
                                 size_t end, int both, bool again)
{
    const float *floor = again ? s->list.again : s->list.floor;
    scan a = { s->tile,
               (uint32_t)p.rows,
               (uint32_t)begin,
               (uint32_t)end,
               (uint32_t)p.row,
               (uint32_t)p.col,
               s->self && !s->include_self && p.row == p.col,
               floor + p.row,
               s->rows.shift + p.row,
               both ? floor + p.col : nullptr,
               s->cols.shift + p.col,
               s->row_hits,
               s->col_hits,
               (uint32_t)s->room };
    dim3 grid((unsigned)((end - begin + STRIP - 1) / STRIP),
              (unsigned)((p.rows + DEEP - 1) / DEEP));
    return launch(ctx, "nearest", both ? scan_tile<true> : scan_tile<false>, grid, THREADS, a);
}

static recon_status refine_side(recon_ctx *ctx, const search *s, const hits &found, size_t first,
                                size_t rows)
{
    refine f = { s->rows,         s->cols,        s->list,           found,
                 (uint32_t)first, (uint32_t)rows, (uint32_t)s->room, (int)s->d,
                 (int)s->k,       s->euclidean,   s->slope,          s->left };
    return launch(ctx, "nearest", refine_rows, warps(rows), THREADS, f);
}

/* Until no row has more hits than there is room for. */
static recon_status settle(recon_ctx *ctx, const search *s, const place &p, size_t begin,
                           size_t end, int both)
{
    uint32_t left = 1;
    for (int round = 0; left > 0 && round < ROUNDS; round++) {
        TRY(cuda_zero(ctx, s->left, sizeof *s->left));
        TRY(scan_columns(ctx, s, p, begin, end, both, round > 0));
        TRY(refine_side(ctx, s, s->row_hits, p.row, p.rows));
        if (both)
            TRY(refine_side(ctx, s, s->col_hits, p.col, p.cols));
        TRY(cuda_download(ctx, &left, s->left, sizeof left));
    }
    if (left == 0)
        return RECON_OK;
    TRY(each_index(ctx, "nearest", p.rows, give_up{ s->list, p.row }));
    return both ? each_index(ctx, "nearest", p.cols, give_up{ s->list, p.col }) : RECON_OK;
}

/* fresh: rows that have no list yet see few columns first, then more and more. */
static recon_status serve(recon_ctx *ctx, const search *s, const recon_nearest_args *args,
                          const place &p, int both, bool fresh)
{
    size_t begin = 0, end = fresh && s->room < p.cols ? s->room : p.cols;
    TRY(multiply(ctx, s, p));
    while (begin < p.cols) {
        TRY(settle(ctx, s, p, begin, end, both));
        begin = end;
        end = GROWTH * end < p.cols ? GROWTH * end : p.cols;
    }
    return args->tile_done(ctx);
}

static size_t tiles_of(size_t n)
{
    return (n + TILE - 1) / TILE;
}

static place place_of(const search *s, size_t row_tile, size_t col_tile)
{
    place p = { row_tile * TILE, TILE, col_tile * TILE, TILE };
    if (p.row + p.rows > s->rows.n)
        p.rows = s->rows.n - p.row;
    if (p.col + p.cols > s->cols.n)
        p.cols = s->cols.n - p.col;
    return p;
}

/* All pairs once: the tiles on the diagonal first, then ever farther from it, so that floors rise
 * everywhere alike. */
static recon_status search_self(recon_ctx *ctx, const search *s, const recon_nearest_args *args)
{
    size_t tiles = tiles_of(s->rows.n);
    for (size_t apart = 0; apart < tiles; apart++)
        for (size_t i = 0; i + apart < tiles; i++)
            TRY(serve(ctx, s, args, place_of(s, i, i + apart), apart > 0, apart == 0));
    return RECON_OK;
}

static recon_status search_others(recon_ctx *ctx, const search *s, const recon_nearest_args *args)
{
    for (size_t i = 0; i < tiles_of(s->rows.n); i++)
        for (size_t j = 0; j < tiles_of(s->cols.n); j++)
            TRY(serve(ctx, s, args, place_of(s, i, j), 0, j == 0));
    return RECON_OK;
}

/* Sums stay in single precision: the bound counts on it. */
static recon_status search_all(recon_ctx *ctx, const search *s, const recon_nearest_args *args)
{
    cublasHandle_t blas = cuda_of(ctx)->blas;
    cublasMath_t before;
    BLAS_TRY(cublasGetMathMode(blas, &before));
    BLAS_TRY(cublasSetMathMode(blas, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
    recon_status status = s->self ? search_self(ctx, s, args) : search_others(ctx, s, args);
    BLAS_TRY(cublasSetMathMode(blas, before));
    return status;
}

static recon_status run(recon_ctx *ctx, search *s, const recon_nearest_args *args)
{
    size_t n = args->rows.n;
    TRY(prepare(ctx, s, args));
    TRY(search_all(ctx, s, args));
    TRY(cuda_download(ctx, args->score, s->list.score, n * s->k * sizeof *args->score));
    TRY(cuda_download(ctx, args->index, s->list.index, n * s->k * sizeof *args->index));
    return cuda_download(ctx, args->open, s->list.open, n);
}

size_t cuda_nearest_tiles(const recon_nearest_args *args)
{
    size_t rows = tiles_of(args->rows.n), cols = tiles_of(args->cols.n);
    return args->self ? rows * (rows + 1) / 2 : rows * cols;
}

recon_status cuda_nearest(recon_ctx *ctx, const recon_nearest_args *args)
{
    search s = {};
    s.d = args->d;
    s.pitch = (args->d + 7) / 8 * 8; /* rows that tensor cores can load */
    s.k = args->k;
    s.room = (16 * args->k + 128) / EACH * EACH;
    s.slope = args->slope;
    s.euclidean = args->euclidean;
    s.self = args->self;
    s.include_self = args->include_self;
    recon_status status = run(ctx, &s, args);
    for (int i = 0; i < s.blocks; i++)
        cuda_release(ctx, s.block[i]);
    return status;
}
