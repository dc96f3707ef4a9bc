/* ops.h - the one table of kernels.
 *
 * An entry is a whole kernel, the size of a BLAS or cuDNN call. Code calls
 * recon_ops_of(ctx)->entry; ref/ fills the table with plain loops in float and double, cpu/ with
 * libraries and tuned loops, cuda/ with cuBLAS, cuDNN and kernels of ours. The same tests compare
 * every table with ref/. Results never depend on the number of threads, and sums are never atomic.
 *
 * Rules that hold for every entry:
 * - Tensors are dense. The caller has checked shapes; entries assert nothing a user could cause.
 * - Activations (x, y and their gradients dx, dy) are F32 or BF16, all of one entry alike, and F64
 *   on ref/. Parameters, their gradients, statistics, angles and losses are F32 (F64 on ref/),
 *   except weights of conv and linear, which come in the type of the activations.
 * - An entry overwrites its outputs; the tape adds gradients up.
 * - A pointer that the comment calls optional may be NULL.
 * - If x is cut into slices (slices.h), sums over rows go over the batch on all ranks, in tables
 *   with has_slices. */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/array.h>
#include <recon/ops/backend.h>
#include "ops/tensor.h"

/* c = alpha op(a) op(b) + beta c, row-major; op(a) is m x k, op(b) is k x n. With beta = 0 the old
 * c is not read. Type F32 or F64; BF16: a and b are BF16, c is F32 or BF16 as c_bf16 says; or I8: a
 * and b are int8, c is int32 and exact, k is at most RECON_BYTE_TERMS, alpha is 1 and beta 0.
 *
 * tf32, here and below: factors in F32 may be rounded to TF32, ten bits of mantissa, where that is
 * faster: on the tensor cores of a GPU. Sums stay F32. */
#define RECON_BYTE_TERMS 65536
typedef struct {
    recon_dtype type;
    int c_bf16, tf32;
    int transpose_a, transpose_b;
    size_t m, n, k;
    double alpha, beta;
    const void *a, *b;
    void *c;
    size_t lda, ldb, ldc; /* elements between two rows as stored */
} recon_gemm_args;

/* One entry of a tile that passed. */
typedef struct {
    uint32_t row, col;
    float score;
} recon_hit;

/* The scan of a streamed top-k: collects the entries of a tile that exceed the floor of their row
 * or column:
 *
 *     scores[r][c] - col_shift[c] >= row_floor[r]   or
 *     scores[r][c] - row_shift[r] >= col_floor[c]
 *
 * One pass serves both because similarities are symmetric. Scores may also be given as products of
 * bytes, scores[r][c] = row_scale[r] * col_scale[c] * bytes[r][c]. The scan starts at row *next and
 * stops in front of the first row that might not fit into hits, leaving *next there, so that the
 * caller can raise the floors in between: the floors rise quickly and hits become rare. Host memory
 * only. */
typedef struct {
    const float *scores;                /* or NULL, and then */
    const int32_t *bytes;               /* these, with */
    const float *row_scale, *col_scale; /* [rows], [cols] */
    size_t ld, rows, cols;
    const float *row_floor, *row_shift; /* [rows] */
    const float *col_floor, *col_shift; /* [cols] */
    recon_hit *hits;
    size_t capacity; /* at least cols */
    size_t *count;   /* hits written */
    size_t *next;
} recon_topk_args;

/* y[n][p][q][o] = act(bias[o] + sum over i, j, c of
 *                     x[n][p s + i - pad][q s + j - pad][c] w[o][i][j][c]),
 * zeros outside. x n,h,w,c; w o,kh,kw,c; y n,p,q,o with p = (h + 2 pad - kh) / stride + 1. A linear
 * layer is the case h = w = kh = kw = 1, and may be given as x n,c and w o,c. */
typedef struct {
    size_t stride, pad;
    int relu, tf32;                 /* relu, forward: y = max(0, .) */
    recon_tensor y, x, w, bias;     /* forward; bias.data optional */
    recon_tensor dy, dx, dw, dbias; /* backward: each of dx, dw, dbias .data optional; dw and
                                       dbias are F32, though of BF16 products dw may have been
                                       rounded to BF16 once. With relu, dy is masked by y > 0 */
} recon_conv_args;

/* A convolution whose filters are sums of few waves, run without making them: groups of channels
 * are filtered with real waves, and what comes out, planes of features, is mixed by one product for
 * each group of outputs. With A and B the waves a and b of a plane, as filters of x as above at
 * stride 1, and channels from .. from + channels of x,
 *
 *     f = A x,   or, with pairs of channels u read as complex numbers,   f = (A + i B) u,
 *                                                                 or     f = (A + i B) conj(u);
 *     y[to + o] = sum over the product's planes p and their channels c of f_p[c] w[o][p][c].
 *
 * Products take the planes in turn, and their outputs lie in y without gap, the first at 0; the
 * weights of a product [outputs][its planes' channels] follow those of the one before. Planes and
 * products are in host memory. The waves are constants. */
typedef struct {
    size_t from, channels;
    int a, b;      /* b < 0: none, A x */
    int conjugate; /* of the pairs */
} recon_steer_plane;
typedef struct {
    size_t planes, outputs; /* no planes: y is 0 */
} recon_steer_product;
typedef struct {
    size_t pad;
    int tf32;
    const recon_steer_plane *plane;
    const recon_steer_product *product;
    size_t products;
    recon_tensor y, x, w, wave; /* w flat, of x's type; wave [waves][size][size] F32 (F64) */
    recon_tensor dy, dx, dw;    /* dx, dw .data optional; dw is F32 */
} recon_steer_args;

typedef enum { RECON_RELU, RECON_SILU, RECON_SIGMOID, RECON_SOFTPLUS } recon_unary;
typedef struct {
    recon_unary kind;
    recon_tensor y, x;   /* forward y = f(x) */
    recon_tensor dy, dx; /* backward dx = dy f'(x) */
} recon_map_args;

/* y = alpha a + beta b, same shapes, any of the types F32, BF16, F64 (with F64 only F64). b
 * optional; y may be a or b. Also the cast, with alpha 1 and no b. */
typedef struct {
    double alpha, beta;
    recon_tensor y, a, b;
} recon_add_args;

/* y[r][f][m] = x[r][f][m] g[r][f]; field is m, so m = 1 is the product. With planes the components
 * are the slow index, y[r][m][f] = x[r][m][f] g[r][f]. Backward: dx, dg optional. */
typedef struct {
    size_t field;
    int planes;
    recon_tensor y, x, g, dy, dx, dg;
} recon_gate_args;

/* y = a x b, vectors that lie as planes [rows][3][f]; y is neither. The gradients are of the same
 * kind: da = b x dy, db = dy x a. */
typedef struct {
    recon_tensor y, a, b;
} recon_cross_args;

/* Batch norm over the rows of x [rows][channels * field]. field 1: y = scale (x - mean) inv +
 * shift, inv = 1 / sqrt(var + eps), var biased over the batch. field m > 1, for vector fields: y =
 * scale x inv, where inv is 1 / sqrt(v + eps) and v the mean over rows of |x_f|^2 / m: no mean, no
 * shift, so that rotating commutes with it; mean, running_mean, shift and dshift are NULL.
 * training: mean and inv are found and stored, and the running ones updated,
 *
 *     running = (1 - momentum) running + momentum new,
 *
 * running_var holding the unbiased variance (of one row: 0; field m: the mean square). Otherwise
 * the running ones take their place, as constants in backward too, and mean and inv may be NULL.
 * segments optional: rows offset[s] .. offset[s+1] are normalised apart (instance norm per graph;
 * where offset is cut into slices, segments are its things), in training or not; mean and inv are
 * then [segments][channels], the running ones are not used and may be NULL. What often follows a
 * norm, a sum with a second input and a ReLU, is part of it, so that it costs no pass over memory
 * of its own:
 *
 *     y = f(norm(x) + skip),   f(u) = max(0, u) with relu, u without.
 *
 * Backward starts from g = dy + dy_more, and with relu 0 wherever y is not above 0; dskip = g. */
typedef struct {
    size_t field;
    int training, relu;
    double eps, momentum;
    recon_tensor y, x, scale, shift;        /* [channels]; shift.data NULL when field > 1 */
    recon_tensor skip;                      /* of x's shape, optional */
    recon_tensor running_mean, running_var; /* [channels] */
    recon_tensor mean, inv;                 /* [channels] or [segments][channels], saved */
    recon_tensor offset;                    /* I32 [segments + 1], optional */
    recon_tensor dy, dx, dscale, dshift;
    recon_tensor dy_more, dskip; /* optional; dskip is where no other tensor is */
} recon_norm_args;

/* Rows scaled to length one: y = x / max(|x|, RECON_UNIT_LEAST). A row no longer than that has no
 * direction, and no gradient. */
#define RECON_UNIT_LEAST 1e-12
typedef struct {
    recon_tensor y, x, dy, dx;
} recon_unit_args;

/* y[i] = atan2(x[i][1], x[i][0]), all F32 (F64): angles of pairs x n,2. A pair of zeros has angle 0
 * and no gradient. */
typedef struct {
    recon_tensor y, x, dy, dx;
} recon_angle_args;
/* What stands between two steerable convolutions, in one pass: the norms above and their
 * nonlinearities on x [rows][scalars + 2 pairs], a field being a scalar or a pair. Scalars: y =
 * relu(u), u = scale (x - mean) inv + shift. Pairs: y = u relu(|u| + bias) / |u|, 0 where |u| = 0,
 * with u = scale x inv. Statistics as in norm, [scalars + pairs] each; of pairs, mean and
 * running_mean are not used. shift [scalars], bias [pairs], either NULL where there are none. */
typedef struct {
    size_t scalars, pairs;
    int training;
    double eps, momentum;
    recon_tensor y, x, scale, shift, bias;
    recon_tensor running_mean, running_var;
    recon_tensor mean, inv; /* saved; may be NULL when not training */
    recon_tensor dy, dx, dscale, dshift, dbias;
} recon_field_norm_args;

/* Pooling of images by size x size windows, stride apart, no padding. max keeps in index (I32, of
 * y's shape) which place of the window won, the first of equals. */
typedef struct {
    int max;
    size_t size, stride;
    recon_tensor y, x, index, dy, dx;
} recon_pool_args;

/* Bilinear resizing of images to y's height and width. align_corners: the outer pixel centres
 * coincide; otherwise the outer pixel edges do, and samples beyond the outer centres take the
 * edge's value. */
typedef struct {
    int align_corners;
    recon_tensor y, x, dy, dx;
} recon_resize_args;

/* Rotates image n counter-clockwise, as seen with row 0 on top, by angle[n] radians about its
 * middle: bilinear, zeros outside, pixel centres at (2 i + 1) / W - 1. Backward: dx and dangle
 * optional. */
typedef struct {
    recon_tensor y, x, angle, dy, dx, dangle;
} recon_rotate_args;

/* y = x with each element zeroed with probability rate and the others divided by 1 - rate. Element
 * i of a call draws word i of Philox stream (seed, *counter + (site << 32)), see core/rng.h, and is
 * zeroed if that is below rate 2^32: the gradient is the same call on dy. counter lives in backend
 * memory, so that a captured step draws anew each time. With planes > 1 whole channels go: x is
 * rows,planes,channels, and element channel of row draws word row * channels + channel for all of
 * its planes. */
typedef struct {
    double rate;
    uint64_t seed, site; /* site tells the calls of one step apart */
    const uint64_t *counter;
    recon_tensor y, x;
    size_t planes; /* 0: 1 */
} recon_dropout_args;

/* y[e] = x[index[e]], rows. The gradient sums over the edges of each row, in ascending order:
 * order [e] lists the edges by row, offset [rows + 1] where each row begins; all I32. */
typedef struct {
    recon_tensor y, x, index, order, offset, dy, dx;
} recon_gather_args;

/* y[s] = sum of x[offset[s]] .. x[offset[s+1]-1], rows. Backward spreads:
 * dx[e] = dy[segment of e]. */
typedef struct {
    recon_tensor y, x, offset, dy, dx;
} recon_segment_args;

/* Messages between all atoms of each molecule, of which nothing is kept: rows are atoms, those of
 * molecule m being offset[m] .. offset[m + 1]; rows of none get zeros. Of target i and source j !=
 * i with n = (x_j - x_i) / d and f(d) a filter, a spline through learned numbers (see ops/pairs.h)
 * and another one wherever f is written,
 *
 *     y scalars [S]     = sum over j of f a_j
 *     y from vectors [V] = sum over j of f n . q_j
 *     y vectors [3][V]  = sum over j of f b_j n + f c_j + f n x e_j + f n (n . h_j)
 *
 * Columns: s is a [S], b [V]; each plane of u is c, e, h, q [V]; w has the columns of s, then those
 * of a plane of u. Rotating positions and vectors rotates the vectors that come out; n x e tells a
 * molecule from its mirror image. Positions are constants, and F32 (F64) as w is. */
#define RECON_PAIRS_KNOTS 32
typedef struct {
    size_t scalars, vectors;     /* S, V */
    recon_tensor y;              /* [rows][S + V + 3 V] */
    recon_tensor s, u, w;        /* [rows][S + V], [rows][3][4 V], [RECON_PAIRS_KNOTS][S + 5 V] */
    recon_tensor xyz, offset;    /* [rows][3], I32 [molecules + 1] */
    recon_tensor dy, ds, du, dw; /* ds, du, dw .data optional */
} recon_pairs_args;

/* y = s x with a sparse matrix s [rows of y][rows of x] by rows: y[r] is the sum of weight[e]
 * x[index[e]] over e = offset[r] .. offset[r+1]-1, in this order. index and offset [rows + 1] are
 * I32, weight is F32 (F64). The gradient is the same call on dy with s transposed. */
typedef struct {
    recon_tensor y, x, index, weight, offset;
} recon_sparse_args;

/* y[o][i] = scale * sum over m of x[o][m][i]; backward dx[o][m][i] = scale * dy[o][i]. batch: m are
 * the rows of x, which may be cut into slices; outer is 1. */
typedef struct {
    size_t outer, middle, inner;
    int batch;
    double scale;
    recon_tensor y, x, dy, dx;
} recon_reduce_args;

/* y[r][u][k] = sum over i, j of c[i][j][k] a[r][u][i] b[r][j]. da, db optional. c is F32 (F64). */
typedef struct {
    size_t rows, channels, ni, nj, nk;
    recon_tensor y, a, b, c, dy, da, db;
} recon_tensor_product_args;

/* A fully connected tensor product of features with attributes, of degrees 0 .. 3. A row of x or y
 * is the degrees in order, each [channels][2 l + 1]; a row of attr is one channel of each degree.
 * Over paths p = (l1, l2, l3) and channels u of degree l1,
 *
 *     y_l3[o][m3] = bias[o] (of degree 0) + sum over p, u of w_l3[o][column_p + u]
 *         sum over m1, m2 of c_p[m1][m2][m3] x_l1[u][m1] attr_l2[m2].
 *
 * The matrices w_0, w_1 .. follow one another, each [out][columns]; paths are ordered by l3, and a
 * path's columns follow those of the one before. A degree that no path reaches is 0 but for the
 * bias. The plan is in host memory; attr is a constant. */
#define RECON_COUPLE_DEGREES 4
#define RECON_COUPLE_ATTRS   16
#define RECON_COUPLE_PATHS   34
#define RECON_COUPLE_TERMS   640
typedef struct {
    uint8_t m1, m2, m3;
    double value;
} recon_couple_term;
typedef struct {
    uint32_t l1, l2, l3, column;
    uint32_t term, terms; /* the entries of c_p that are not 0: the first, how many */
} recon_couple_path;
typedef struct recon_couple_plan {
    uint32_t in[RECON_COUPLE_DEGREES], out[RECON_COUPLE_DEGREES]; /* channels */
    uint32_t columns[RECON_COUPLE_DEGREES];                       /* of each w_l */
    uint32_t paths;
    recon_couple_path path[RECON_COUPLE_PATHS];
    recon_couple_term term[RECON_COUPLE_TERMS];
} recon_couple_plan;
typedef struct {
    const recon_couple_plan *plan;
    int tf32;
    recon_tensor y, x, attr, w, bias; /* attr and bias F32 (F64), w flat and of x's type; bias.data
                                         optional */
    recon_tensor dy, dx, dw, dbias;   /* dx, dw, dbias .data optional; dw is F32 */
} recon_couple_args;

/* What stands between two such layers: degrees 0 .. 3 as there, y [rows][channels], and x the same
 * with a gate for each channel of degree 1 and up, in their order, behind the scalars. With s(t) =
 * 1 / (1 + exp(-t)), factors that make the mean square 1 when the argument is normal, and g the
 * gate of a channel,
 *
 *     scalars: y = RECON_ACTIVATE_SCALAR x s(x);     others: y = RECON_ACTIVATE_GATE s(g) x. */
#define RECON_ACTIVATE_SCALAR 1.6765324703
#define RECON_ACTIVATE_GATE   1.8462285453
typedef struct {
    uint32_t channels[RECON_COUPLE_DEGREES]; /* of y */
    recon_tensor y, x, dy, dx;
} recon_activate_args;

/* Filters out of weights and a fixed basis, block by block. A block joins copies_in x copies_out
 * fields of dim_in and dim_out channels by `elements` numbers a pair of fields:
 *
 *     filter[start + (u dim_out + i) row + tap step + v dim_in + j] = sum over b of
 *         weight[first_weight + (u copies_in + v) elements + b]
 *         basis[first_basis + ((b dim_out + i) dim_in + j) taps + tap]
 *
 * filter is F32 or BF16, and dfilter likewise; the blocks cover it and do not overlap, one without
 * elements being zeros. dweight has weight's shape, and weights of no block are left alone. */
#define RECON_EXPAND_BLOCKS 64
typedef struct {
    uint32_t copies_out, copies_in, dim_out, dim_in, elements, taps;
    uint32_t start, row, step;
    uint32_t first_weight, first_basis;
} recon_expand_block;
typedef struct {
    uint32_t count; /* a value, so that a kernel takes it along */
    recon_expand_block block[RECON_EXPAND_BLOCKS];
} recon_expand_plan;
typedef struct {
    recon_expand_plan plan;
    recon_tensor filter, weight, basis, dfilter, dweight;
} recon_expand_args;

/* Fields that come out, over all blocks, and the block of one of them; *field becomes its number
 * there. */
static inline size_t recon_expand_fields(const recon_expand_plan *plan)
{
    size_t fields = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        fields += plan->block[i].copies_out;
    return fields;
}
static inline const recon_expand_block *recon_expand_find(const recon_expand_plan *plan,
                                                          size_t *field)
{
    const recon_expand_block *b = plan->block;
    for (; *field >= b->copies_out; b++)
        *field -= b->copies_out;
    return b;
}

/* Columns from .. from + cols of src to columns to .. of dst; rows alike. Concatenation and
 * splitting. */
typedef struct {
    size_t rows, cols, from, to;
    recon_tensor dst, src;
} recon_columns_args;

/* Losses: a mean over rows into loss [1]; backward gives d loss / d x times *dloss [1].
 * CROSS_ENTROPY: x logits [n][c], target I32 [n]; an out-of-range target makes the loss NaN.
 * MSE, L1: x and target alike, mean over elements.
 * COS: 1 - x . target over rows of unit vectors.
 * VONMISES: -log sum_k w_k f(theta; mu_k, kappa_k), x [n][4 parts]: logits of w, then pairs
 * (2 parts numbers) whose direction is mu, then softplus^-1 of kappa; target theta [n]. */
typedef enum {
    RECON_LOSS_CROSS_ENTROPY,
    RECON_LOSS_MSE,
    RECON_LOSS_L1,
    RECON_LOSS_COS,
    RECON_LOSS_VONMISES
} recon_loss_kind;
typedef struct {
    recon_loss_kind kind;
    recon_tensor loss, x, target, dloss, dx;
} recon_loss_args;

/* Adam (decoupled decay: AdamW) on n numbers, all F32 (F64), and what it reads each step, in
 * backend memory so that a captured step can go on, with s = min(1, clip / |g|) from grad_norm:
 *
 *     m = b1 m + (1 - b1) s g,   v = b2 v + (1 - b2) (s g)^2,
 *     w -= rate (mhat / (sqrt(vhat) + eps) + decay w),   ema = decay_ema ema + (1 - decay_ema) w.
 *
 * bf16 optional: w rounded for the next step's products. */
typedef struct {
    double rate;         /* of this step, warm-up and schedule applied */
    double bias1, bias2; /* 1 - b1^t, 1 - b2^t */
} recon_adam_state;
typedef struct {
    size_t n;
    double b1, b2, eps, decay, clip, ema_decay; /* clip 0: none */
    const recon_adam_state *state;
    const double *grad_norm; /* |g| over all parameters, see norm */
    void *w, *g, *m, *v;
    void *ema;  /* optional */
    void *bf16; /* optional */
    recon_dtype type;
} recon_adam_args;

/* For each of rows its k nearest of cols, exact: what knn/points.h says of scores, blocked scores
 * and their error. All in host memory. The score of row i and column j is the dot product of their
 * z in double, divided by norm_i norm_j where there are norms; euclidean: minus the squared
 * distance. What a blocked score is without rounding is base_i (NULL: 0) + slope times it.
 *
 * Lists are sorted by score, then index, as the host's. open[i]: row i could not be settled, its
 * list is not to be used. tile_done is called so often as nearest_tiles says; an error ends the
 * search. */
typedef struct {
    size_t n;
    const float *z, *w; /* [n][d] as given; prepared, at most RECON_NEAREST_LONGEST long */
    const float *shift; /* [n] */
    const double *norm; /* [n] or NULL */
} recon_nearest_side;
#define RECON_NEAREST_LONGEST 64.0
#define RECON_NEAREST_MOST    512 /* neighbours */
typedef struct {
    recon_nearest_side rows, cols;
    int self, include_self; /* rows and cols are the same; a row counts among its own */
    size_t d, k;
    int euclidean;
    double slope;
    const double *base;  /* [rows] or NULL */
    const double *error; /* [rows] of blocked scores */
    double *score;       /* [rows][k] */
    uint32_t *index;     /* [rows][k] */
    unsigned char *open; /* [rows] */
    recon_status (*tile_done)(recon_ctx *ctx);
} recon_nearest_args;

/* The list of kernels: OP(name, kind) takes a recon_<kind>_args. The table, the prototypes of every
 * backend and the code that fills its table are generated from it. */
/* clang-format off */
#define RECON_OPS(OP)                                                                              \
    OP(gemm, gemm)                                                                                 \
    OP(conv, conv)                     OP(conv_back, conv)                                         \
    OP(steer, steer)                   OP(steer_back, steer)                                       \
    OP(map, map)                       OP(map_back, map)                                           \
    OP(add, add)                                                                                   \
    OP(gate, gate)                     OP(gate_back, gate)                                         \
    OP(cross, cross)                                                                               \
    OP(norm, norm)                     OP(norm_back, norm)                                         \
    OP(unit, unit)                     OP(unit_back, unit)                                         \
    OP(angle, angle)                   OP(angle_back, angle)                                       \
    OP(field_norm, field_norm)         OP(field_norm_back, field_norm)                             \
    OP(pool, pool)                     OP(pool_back, pool)                                         \
    OP(resize, resize)                 OP(resize_back, resize)                                     \
    OP(rotate, rotate)                 OP(rotate_back, rotate)                                     \
    OP(dropout, dropout)                                                                           \
    OP(gather, gather)                 OP(gather_back, gather)                                     \
    OP(segment_sum, segment)           OP(segment_sum_back, segment)                               \
    OP(pairs, pairs)                   OP(pairs_back, pairs)                                       \
    OP(sparse, sparse)                                                                             \
    OP(reduce, reduce)                 OP(reduce_back, reduce)                                     \
    OP(tensor_product, tensor_product) OP(tensor_product_back, tensor_product)                     \
    OP(couple, couple)                 OP(couple_back, couple)                                     \
    OP(activate, activate)             OP(activate_back, activate)                                 \
    OP(expand, expand)                 OP(expand_back, expand)                                     \
    OP(columns, columns)                                                                           \
    OP(loss, loss)                     OP(loss_back, loss)                                         \
    OP(adam, adam)
/* Those that backends on the host have, and others need not. */
#define RECON_HOST_OPS(OP) OP(topk, topk)
/* clang-format on */

typedef struct recon_ops {
    const char *name;
    int (*has_fast_bytes)(void);          /* is gemm of I8 several times faster than of F32? */
    int (*has_fast_bf16)(recon_ctx *ctx); /* are convolutions in BF16 faster than in F32? */
    /* Is steer, and steer_back when training, likely faster than conv with the filters written out?
     * Looks at shapes alone, so that the answer does not depend on what else the machine does. */
    int (*steer_pays)(recon_ctx *ctx, const recon_steer_args *args, int training);
    /* Do kernels heed tensors that are cut (slices.h)? NULL: no. */
    int (*has_slices)(recon_ctx *ctx);

    /* Memory. Host pointers are pageable; upload and download are ordered with the kernels. */
    recon_status (*alloc)(recon_ctx *ctx, void **out, size_t bytes);
    void (*release)(recon_ctx *ctx, void *block);
    recon_status (*upload)(recon_ctx *ctx, void *to, const void *host, size_t bytes);
    recon_status (*download)(recon_ctx *ctx, void *host, const void *from, size_t bytes);
    recon_status (*zero)(recon_ctx *ctx, void *block, size_t bytes);
    recon_status (*sync)(recon_ctx *ctx);

    /* rows [begin[ranks]][bytes] in backend memory, of which rank r has filled those from begin[r]
     * to begin[r + 1]: then all of them everywhere. Called by all ranks. */
    recon_status (*gather_ranks)(recon_ctx *ctx, void *rows, const size_t *begin, size_t bytes);

    /* out[0] = |x| of x [n] F32 (F64): one double in backend memory, summed in a fixed order. */
    recon_status (*norm2)(recon_ctx *ctx, double *out, const void *x, size_t n, recon_dtype type);

    /* NULL where the search is the host's own, by gemm and topk. */
    recon_status (*nearest)(recon_ctx *ctx, const recon_nearest_args *args);
    size_t (*nearest_tiles)(const recon_nearest_args *args);
    double nearest_pairs; /* below so many the host is done before the data is copied */
#define RECON_OP_MEMBER(name, kind)                                                                \
    recon_status (*name)(recon_ctx * ctx, const recon_##kind##_args *args);
    RECON_OPS(RECON_OP_MEMBER)
    RECON_HOST_OPS(RECON_OP_MEMBER)
#undef RECON_OP_MEMBER
} recon_ops;

/* The context's table; attaches "cpu" when none is there. */
const recon_ops *recon_ops_of(recon_ctx *ctx);
/* For what stays in the host's memory: the same, or "cpu" where that one works elsewhere. */
const recon_ops *recon_ops_on_host(recon_ctx *ctx);

extern const recon_ops recon_ops_ref;
extern const recon_ops recon_ops_cpu;

/* A backend whose kernels do nothing. A step on it goes through all its operations and requests all
 * its memory, so that the amount is known before any is allocated. Shapes are checked and the
 * caller's own memory is allocated as with the real table; nothing is copied or computed. */
recon_ops recon_ops_plan(const recon_ops *real);

/* "f32", "bf16", "f64", "tf32" or "auto"; "?" for any other number. */
const char *recon_precision_name(recon_precision precision);

#endif
