/* couple.h - the parts of a tensor product that are no matrix products: small matrices, components
 * and channels in turn, and the coupling itself, for tiles of rows. */
#ifndef OPS_CPU_COUPLE_H
#define OPS_CPU_COUPLE_H

#include "ops/couple.h"
#include "ops/sums.h"

/* The matrices of sixteen rows lie together, number by number: [numbers][RECON_COUPLE_LANES]. */
#define RECON_COUPLE_LANES 16
static inline size_t recon_couple_blocks(size_t rows)
{
    return (rows + RECON_COUPLE_LANES - 1) / RECON_COUPLE_LANES;
}

/* M of every path for rows of attributes [rows][16]: m [blocks of the rows][numbers][LANES]. */
void recon_couple_matrices(float *m, const recon_couple_plan *plan, const recon_couple_split *split,
                           const float *attr, size_t rows);

/* Channels [n][size], the rows step apart, to planes [rows][size][plane], and back. size is 1, 3, 5
 * or 7. */
void recon_couple_to_planes(float *planes, size_t plane, const float *x, size_t step, size_t rows,
                            size_t n, size_t size);
void recon_couple_from_planes(float *x, size_t step, const float *planes, size_t plane, size_t rows,
                              size_t n, size_t size);

/* out[r][a][c] (+)= sum over b of M_r[a][b] in[r][b][c], c < n. */
typedef struct {
    float *out;
    const float *in;
    size_t row_out, row_in, plane_out, plane_in; /* steps from row to row, component to component */
    const float *m;                              /* of the first row: its first number */
    size_t numbers;                              /* of a row's matrices */
    size_t step_a, step_b;                       /* in numbers of the matrix */
    size_t rows, na, nb, n;                      /* na and nb are 1, 3, 5 or 7 */
    int add;
} recon_couple_step;
void recon_couple_apply(const recon_couple_step *s);

/* The gradients that tasks have left: of the weights, and behind them of the bias. Either has no out
 * where nobody asks for it. */
recon_status recon_couple_sum(recon_ctx *ctx, recon_gradient weights, float *dbias, size_t biases);

#endif
