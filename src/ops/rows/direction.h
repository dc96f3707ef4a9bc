/* direction.h - rows scaled to length one, and angles of pairs: in double, whatever is stored. */
#ifndef OPS_ROWS_DIRECTION_H
#define OPS_ROWS_DIRECTION_H

#include "ops/rows/real.h"

/* Eight sums side by side: the compiler may not reorder a single one. */
RECON_CLONES static double dot(const real *restrict a, const real *restrict b, size_t n)
{
    enum { WIDE = 8 };
    double sum[WIDE] = { 0 }, all = 0;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE)
        for (size_t k = 0; k < WIDE; k++)
            sum[k] += (double)a[i + k] * (double)b[i + k];
    for (; i < n; i++)
        all += (double)a[i] * (double)b[i];
    for (size_t k = 0; k < WIDE; k++)
        all += sum[k];
    return all;
}

RECON_CLONES static void unit_row(real *restrict y, const real *restrict x, size_t n)
{
    double norm = sqrt(dot(x, x, n));
    double least = norm < RECON_UNIT_LEAST ? RECON_UNIT_LEAST : norm; /* NaN stays */
    for (size_t i = 0; i < n; i++)
        y[i] = (real)((double)x[i] / least);
}

/* dx = (dy - u (u . dy)) / |x| with u = x / |x|. */
RECON_CLONES static void unit_row_back(real *restrict dx, const real *restrict dy,
                                       const real *restrict x, size_t n)
{
    double norm = sqrt(dot(x, x, n)), inv = norm <= RECON_UNIT_LEAST ? 0 : 1 / norm;
    double along = dot(x, dy, n) * inv * inv;
    for (size_t i = 0; i < n; i++)
        dx[i] = (real)(((double)dy[i] - (double)x[i] * along) * inv);
}

static void unit_kernel(const void *args, size_t row, real *out, const real *x, const real *dy,
                        real *scratch)
{
    const recon_unit_args *a = args;
    size_t cols = recon_tensor_cols(&a->x);
    (void)row, (void)scratch;
    if (dy)
        unit_row_back(out, dy, x, cols);
    else
        unit_row(out, x, cols);
}

static recon_status each_unit(recon_ctx *ctx, const recon_unit_args *a, const recon_tensor *out,
                              const recon_tensor *dy)
{
    return each_row(ctx, (row_job){ .kernel = unit_kernel,
                                    .args = a,
                                    .out = out,
                                    .x = &a->x,
                                    .dy = dy,
                                    .rows = recon_tensor_rows(&a->x),
                                    .step = recon_rows_per_task(recon_tensor_cols(&a->x)) });
}

recon_status ENTRY(unit)(recon_ctx *ctx, const recon_unit_args *args)
{
    return each_unit(ctx, args, &args->y, NULL);
}

recon_status ENTRY(unit_back)(recon_ctx *ctx, const recon_unit_args *args)
{
    return each_unit(ctx, args, &args->dx, &args->dy);
}

static void angle_run(const void *args, size_t at, size_t n)
{
    const recon_angle_args *a = args;
    for (size_t i = at; i < at + n; i++)
        set_real(&a->y, i,
                 (real)atan2((double)get_real(&a->x, 2 * i + 1), (double)get_real(&a->x, 2 * i)));
}

/* dx = dy (-x1, x0) / |x|^2. */
static void angle_back_run(const void *args, size_t at, size_t n)
{
    const recon_angle_args *a = args;
    for (size_t i = at; i < at + n; i++) {
        double x = (double)get_real(&a->x, 2 * i), y = (double)get_real(&a->x, 2 * i + 1);
        double square = x * x + y * y;
        double slope = square == 0 ? 0 : (double)get_real(&a->dy, i) / square;
        set_real(&a->dx, 2 * i, (real)(slope * -y));
        set_real(&a->dx, 2 * i + 1, (real)(slope * x));
    }
}

recon_status ENTRY(angle)(recon_ctx *ctx, const recon_angle_args *args)
{
    return recon_runs(ctx, angle_run, args, recon_tensor_count(&args->y), RECON_RUN);
}

recon_status ENTRY(angle_back)(recon_ctx *ctx, const recon_angle_args *args)
{
    return recon_runs(ctx, angle_back_run, args, recon_tensor_count(&args->y), RECON_RUN);
}

#endif
