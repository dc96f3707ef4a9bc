/* ops.h - the one table of kernels.
 *
 * An entry is a whole kernel, the size of a BLAS call. Mathematics calls recon_ops(ctx)->entry;
 * ref/ fills the table with plain loops, cpu/ with libraries and tuned loops, and the same test
 * holds every table to ref/. Results never depend on the number of threads. */
#ifndef OPS_OPS_H
#define OPS_OPS_H

#include <stddef.h>
#include <stdint.h>
#include <recon/core/array.h>
#include <recon/ops/backend.h>

/* c = alpha op(a) op(b) + beta c, row-major; op(a) is m x k, op(b) is k x n. With beta = 0 the old
 * c is not read. Type RECON_F32 or RECON_F64, or RECON_I8: a and b are int8, c is int32 and exact;
 * then k is at most RECON_BYTE_TERMS, alpha is 1 and beta 0. */
#define RECON_BYTE_TERMS 65536
typedef struct {
    recon_dtype type;
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

/* The scan of a streamed top-k: collects the entries of a tile that beat what their row, or their
 * column, has so far:
 *
 *     scores[r][c] - col_shift[c] >= row_floor[r]   or   scores[r][c] - row_shift[r] >=
 * col_floor[c]
 *
 * One pass serves both because similarities are symmetric. Scores may also be given as products of
 * bytes, scores[r][c] = row_scale[r] * col_scale[c] * bytes[r][c]. The scan starts at row *next and
 * stops in front of the first row that might not fit into hits, leaving *next there, so that the
 * caller can raise the floors in between: the floors rise quickly and hits become rare. */
typedef struct {
    const float *scores;                /* or NULL, and then */
    const int32_t *bytes;               /* these, with       */
    const float *row_scale, *col_scale; /* [rows], [cols]    */
    size_t ld, rows, cols;
    const float *row_floor, *row_shift; /* [rows] */
    const float *col_floor, *col_shift; /* [cols] */
    recon_hit *hits;
    size_t capacity; /* at least cols */
    size_t *count;   /* hits written  */
    size_t *next;
} recon_topk_args;

typedef struct recon_ops {
    const char *name;
    int (*has_fast_bytes)(void); /* is gemm of RECON_I8 several times faster than of RECON_F32? */
    recon_status (*gemm)(recon_ctx *ctx, const recon_gemm_args *args);
    recon_status (*topk)(recon_ctx *ctx, const recon_topk_args *args);
} recon_ops;

/* The context's table; attaches "cpu" when none is there. */
const recon_ops *recon_ops_of(recon_ctx *ctx);

extern const recon_ops recon_ops_ref;
extern const recon_ops recon_ops_cpu;

#endif
