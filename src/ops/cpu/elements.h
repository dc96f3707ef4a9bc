/* elements.h - runs of numbers as floats, whatever a tensor stores them in.
 *
 * Kernels are written once, for float, on runs of at most RECON_RUN numbers. F32 is worked on in
 * place; BF16 passes through a buffer that stays in the first-level cache. */
#ifndef OPS_CPU_ELEMENTS_H
#define OPS_CPU_ELEMENTS_H

#include "ops/ops.h"

#define RECON_RUN 1024

/* See core/bf16.h. */
void recon_floats_to_bf16(uint16_t *out, const float *x, size_t n);
void recon_floats_from_bf16(float *out, const uint16_t *x, size_t n);

/* Elements at .. at + n of t to read; buffer [n] is used when they are not floats. */
static inline const float *recon_run_read(float *buffer, const recon_tensor *t, size_t at, size_t n)
{
    if (t->type == RECON_F32)
        return (const float *)t->data + at;
    recon_floats_from_bf16(buffer, (const uint16_t *)t->data + at, n);
    return buffer;
}

/* Where to put elements at .. of t; recon_run_wrote then stores what went to the buffer. */
static inline float *recon_run_write(float *buffer, const recon_tensor *t, size_t at)
{
    return t->type == RECON_F32 ? (float *)t->data + at : buffer;
}
static inline void recon_run_wrote(const float *buffer, const recon_tensor *t, size_t at, size_t n)
{
    if (t->type != RECON_F32)
        recon_floats_to_bf16((uint16_t *)t->data + at, buffer, n);
}

/* sum[c] += the column sums of x [rows][cols]: floats within a few rows, doubles beyond. */
void recon_column_sums(double *sum, const float *x, size_t rows, size_t cols);

#endif
