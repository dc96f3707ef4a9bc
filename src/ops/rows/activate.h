/* activate.h - gates of steerable features, row by row in one pass. */
#ifndef OPS_ROWS_ACTIVATE_H
#define OPS_ROWS_ACTIVATE_H

#include "ops/rows/real.h"
#include "ops/couple.h"

#define SCALAR (real) RECON_ACTIVATE_SCALAR
#define GATE   (real) RECON_ACTIVATE_GATE

/* A row's scalars and opened gates. factor [channels of degree 1 and up] is scratch. */
RECON_CLONES static void activate_row(real *restrict y, real *restrict factor,
                                      const real *restrict x, const uint32_t *channels)
{
    size_t scalars = channels[0], gates = recon_couple_gates(channels);
    for (size_t i = 0; i < scalars; i++)
        y[i] = SCALAR * x[i] * sigmoid(x[i]);
    for (size_t u = 0; u < gates; u++)
        factor[u] = GATE * sigmoid(x[scalars + u]);
    x += scalars + gates;
    y += scalars;
    for (size_t l = 1; l < RECON_COUPLE_DEGREES; l++)
        for (size_t u = 0; u < channels[l]; u++, factor++)
            for (size_t k = 0; k < 2 * l + 1; k++)
                *y++ = *factor * *x++;
}

RECON_CLONES static void activate_row_back(real *restrict dx, real *restrict factor,
                                           const real *restrict dy, const real *restrict x,
                                           const uint32_t *channels)
{
    size_t scalars = channels[0], gates = recon_couple_gates(channels);
    real *dg = dx + scalars;
    const real *g = x + scalars;
    for (size_t i = 0; i < scalars; i++) {
        real s = sigmoid(x[i]);
        dx[i] = SCALAR * dy[i] * s * (1 + x[i] * sigmoid(-x[i]));
    }
    for (size_t u = 0; u < gates; u++)
        factor[u] = GATE * sigmoid(g[u]);
    const real *v = g + gates;
    real *dv = dg + gates, *dot = dg;
    const real *open = factor;
    dy += scalars;
    for (size_t l = 1; l < RECON_COUPLE_DEGREES; l++)
        for (size_t u = 0; u < channels[l]; u++, open++) {
            real sum = 0;
            for (size_t k = 0; k < 2 * l + 1; k++) {
                sum += *dy * *v++;
                *dv++ = *open * *dy++;
            }
            *dot++ = sum;
        }
    for (size_t u = 0; u < gates; u++)
        dg[u] *= factor[u] * sigmoid(-g[u]);
}

static void activate_kernel(const void *args, size_t row, real *y, const real *x, const real *dy,
                            real *factor)
{
    const recon_activate_args *a = args;
    (void)row, (void)dy;
    activate_row(y, factor, x, a->channels);
}

static void activate_back_kernel(const void *args, size_t row, real *dx, const real *x,
                                 const real *dy, real *factor)
{
    const recon_activate_args *a = args;
    (void)row;
    activate_row_back(dx, factor, dy, x, a->channels);
}

static row_job activate_job(const recon_activate_args *a)
{
    return (row_job){ .args = a,
                      .x = &a->x,
                      .rows = recon_tensor_rows(&a->x),
                      .scratch = recon_couple_gates(a->channels),
                      .step = recon_rows_per_task(recon_tensor_cols(&a->x)) };
}

recon_status ENTRY(activate)(recon_ctx *ctx, const recon_activate_args *args)
{
    row_job j = activate_job(args);
    j.kernel = activate_kernel;
    j.out = &args->y;
    return each_row(ctx, j);
}

recon_status ENTRY(activate_back)(recon_ctx *ctx, const recon_activate_args *args)
{
    row_job j = activate_job(args);
    j.kernel = activate_back_kernel;
    j.out = &args->dx;
    j.dy = &args->dy;
    return each_row(ctx, j);
}

#endif
