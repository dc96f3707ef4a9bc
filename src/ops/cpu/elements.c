/* elements.c - bf16 to float and back; sums of columns. */
#include "ops/cpu/elements.h"
#include "core/bf16.h"
#include "core/simd.h"

#include <string.h>

RECON_CLONES void recon_floats_to_bf16(uint16_t *restrict out, const float *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_bf16_from_float(x[i]);
}

RECON_CLONES void recon_floats_from_bf16(float *restrict out, const uint16_t *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = recon_bf16_to_float(x[i]);
}

RECON_CLONES void recon_column_sums(double *restrict sum, const float *restrict x, size_t rows,
                                    size_t cols)
{
    enum { COLS = 256, ROWS = 32 };
    float part[COLS];
    for (size_t c = 0; c < cols; c += COLS)
        for (size_t r = 0; r < rows; r += ROWS) {
            size_t width = cols - c < COLS ? cols - c : COLS;
            size_t end = rows - r < ROWS ? rows : r + ROWS;
            memset(part, 0, width * sizeof *part);
            for (size_t i = r; i < end; i++)
                for (size_t j = 0; j < width; j++)
                    part[j] += x[i * cols + c + j];
            for (size_t j = 0; j < width; j++)
                sum[c + j] += (double)part[j];
        }
}
