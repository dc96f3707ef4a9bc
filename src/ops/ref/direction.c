/* direction.c - rows scaled to length one, and angles of pairs. */
#include "ops/ref/ref.h"

#include <math.h>

enum { ROWS = 16 }; /* of a task */

static double row_dot(const recon_tensor *a, const recon_tensor *b, size_t row)
{
    size_t cols = recon_tensor_cols(a);
    double sum = 0;
    for (size_t i = row * cols; i < (row + 1) * cols; i++)
        sum += recon_ref_get(a, i) * recon_ref_get(b, i);
    return sum;
}

static void unit_span(const void *args, size_t begin, size_t end)
{
    const recon_unit_args *a = args;
    size_t cols = recon_tensor_cols(&a->x);
    for (size_t r = begin; r < end; r++) {
        double norm = sqrt(row_dot(&a->x, &a->x, r));
        double least = norm < RECON_UNIT_LEAST ? RECON_UNIT_LEAST : norm; /* NaN stays */
        for (size_t i = r * cols; i < (r + 1) * cols; i++)
            recon_ref_set(&a->y, i, recon_ref_get(&a->x, i) / least);
    }
}

recon_status recon_ref_unit(recon_ctx *ctx, const recon_unit_args *args)
{
    return recon_ref_spans(ctx, unit_span, args, recon_tensor_rows(&args->x), ROWS);
}

/* dx = (dy - u (u . dy)) / |x| with u = x / |x|. */
static void unit_back_span(const void *args, size_t begin, size_t end)
{
    const recon_unit_args *a = args;
    size_t cols = recon_tensor_cols(&a->x);
    for (size_t r = begin; r < end; r++) {
        double norm = sqrt(row_dot(&a->x, &a->x, r));
        double inv = norm <= RECON_UNIT_LEAST ? 0 : 1 / norm;
        double along = row_dot(&a->x, &a->dy, r) * inv * inv;
        for (size_t i = r * cols; i < (r + 1) * cols; i++)
            recon_ref_set(&a->dx, i,
                          (recon_ref_get(&a->dy, i) - recon_ref_get(&a->x, i) * along) * inv);
    }
}

recon_status recon_ref_unit_back(recon_ctx *ctx, const recon_unit_args *args)
{
    return recon_ref_spans(ctx, unit_back_span, args, recon_tensor_rows(&args->x), ROWS);
}

static void angle_span(const void *args, size_t begin, size_t end)
{
    const recon_angle_args *a = args;
    for (size_t i = begin; i < end; i++)
        recon_ref_set(&a->y, i,
                      atan2(recon_ref_get(&a->x, 2 * i + 1), recon_ref_get(&a->x, 2 * i)));
}

recon_status recon_ref_angle(recon_ctx *ctx, const recon_angle_args *args)
{
    return recon_ref_runs(ctx, angle_span, args, recon_tensor_count(&args->y));
}

/* dx = dy (-x1, x0) / |x|^2. */
static void angle_back_span(const void *args, size_t begin, size_t end)
{
    const recon_angle_args *a = args;
    for (size_t i = begin; i < end; i++) {
        double x = recon_ref_get(&a->x, 2 * i), y = recon_ref_get(&a->x, 2 * i + 1);
        double square = x * x + y * y;
        double slope = square == 0 ? 0 : recon_ref_get(&a->dy, i) / square;
        recon_ref_set(&a->dx, 2 * i, slope * -y);
        recon_ref_set(&a->dx, 2 * i + 1, slope * x);
    }
}

recon_status recon_ref_angle_back(recon_ctx *ctx, const recon_angle_args *args)
{
    return recon_ref_runs(ctx, angle_back_span, args, recon_tensor_count(&args->y));
}
