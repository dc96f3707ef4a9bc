/* norm.c - batch norm, norm of vector fields and per segment, and the norm-nonlinearity.
 *
 * Plain and vector norm are one formula. With m the size of a field, R the rows of the segment,
 *
 *   mean = sum x / R if m = 1, else 0        var = sum (x - mean)^2 / (R m)
 *   xhat = (x - mean) inv                    y = scale xhat + shift
 *
 * and, when the statistics come from the batch,
 *
 *   dx = scale inv (dy - [m = 1] sum dy / R - xhat sum (dy xhat) / (R m)). */
#include "ops/ref/ref.h"

#include <math.h>

#define CHANNELS 16 /* per task */

typedef struct {
    double mean, inv, scale, shift;
} channel;

static size_t segments(const recon_norm_args *a)
{
    return a->offset.data ? recon_tensor_count(&a->offset) - 1 : 1;
}

static void rows_of(const recon_norm_args *a, size_t s, size_t *begin, size_t *end)
{
    *begin = a->offset.data ? recon_ref_int(&a->offset, s) : 0;
    *end = a->offset.data ? recon_ref_int(&a->offset, s + 1) : recon_tensor_rows(&a->x);
}

/* Does the batch give the statistics, or do the running ones? */
static int from_batch(const recon_norm_args *a)
{
    return a->training || a->offset.data;
}

/* The two sums over rows begin .. end of channel f, about mean. */
static void sums(double *first, double *second, const recon_norm_args *a, size_t f, double mean,
                 size_t begin, size_t end)
{
    size_t cols = recon_tensor_cols(&a->x), m = a->field;
    *first = *second = 0;
    for (size_t r = begin; r < end; r++)
        for (size_t i = r * cols + f * m; i < r * cols + (f + 1) * m; i++) {
            double x = recon_ref_get(&a->x, i) - mean;
            *first += x;
            *second += x * x;
        }
}

static void update(const recon_tensor *running, size_t f, double momentum, double now)
{
    recon_ref_set(running, f, (1 - momentum) * recon_ref_get(running, f) + momentum * now);
}

/* Finds and stores the statistics of segment s. */
static void find(const recon_norm_args *a, size_t s, size_t f, size_t begin, size_t end)
{
    double rows = end > begin ? (double)(end - begin) : 1, sum, square, mean = 0;
    if (a->field == 1) {
        sums(&sum, &square, a, f, 0, begin, end);
        mean = sum / rows;
    }
    sums(&sum, &square, a, f, mean, begin, end);
    double var = square / (rows * (double)a->field);
    size_t at = s * recon_tensor_count(&a->scale) + f;
    recon_ref_set(&a->inv, at, 1 / sqrt(var + a->eps));
    if (a->field == 1)
        recon_ref_set(&a->mean, at, mean);
    if (a->offset.data)
        return;
    if (a->field == 1) {
        update(&a->running_mean, f, a->momentum, mean);
        var *= rows > 1 ? rows / (rows - 1) : 1;
    }
    update(&a->running_var, f, a->momentum, var);
}

static channel channel_of(const recon_norm_args *a, size_t s, size_t f)
{
    size_t at = s * recon_tensor_count(&a->scale) + f;
    channel c = { .scale = recon_ref_get(&a->scale, f) };
    if (from_batch(a))
        c.inv = recon_ref_get(&a->inv, at);
    else
        c.inv = 1 / sqrt(recon_ref_get(&a->running_var, f) + a->eps);
    if (a->field == 1) {
        c.mean = from_batch(a) ? recon_ref_get(&a->mean, at) : recon_ref_get(&a->running_mean, f);
        c.shift = recon_ref_get(&a->shift, f);
    }
    return c;
}

static void forward(const recon_norm_args *a, size_t s, size_t f)
{
    size_t cols = recon_tensor_cols(&a->x), m = a->field, begin, end;
    rows_of(a, s, &begin, &end);
    if (from_batch(a))
        find(a, s, f, begin, end);
    channel c = channel_of(a, s, f);
    for (size_t r = begin; r < end; r++)
        for (size_t i = r * cols + f * m; i < r * cols + (f + 1) * m; i++)
            recon_ref_set(&a->y, i, c.scale * (recon_ref_get(&a->x, i) - c.mean) * c.inv + c.shift);
}

static void forward_span(const void *args, size_t begin, size_t end)
{
    const recon_norm_args *a = args;
    for (size_t f = begin; f < end; f++)
        for (size_t s = 0; s < segments(a); s++)
            forward(a, s, f);
}

recon_status recon_ref_norm(recon_ctx *ctx, const recon_norm_args *args)
{
    return recon_ref_spans(ctx, forward_span, args, recon_tensor_count(&args->scale), CHANNELS);
}

/* Adds the segment's share to dscale and dshift. */
static void backward(double *dscale, double *dshift, const recon_norm_args *a, size_t s, size_t f)
{
    size_t cols = recon_tensor_cols(&a->x), m = a->field, begin, end;
    rows_of(a, s, &begin, &end);
    channel c = channel_of(a, s, f);
    double first = 0, second = 0, rows = (double)(end - begin);
    for (size_t r = begin; r < end; r++)
        for (size_t i = r * cols + f * m; i < r * cols + (f + 1) * m; i++) {
            double dy = recon_ref_get(&a->dy, i);
            first += dy;
            second += dy * (recon_ref_get(&a->x, i) - c.mean) * c.inv;
        }
    *dscale += second;
    *dshift += first;
    double back = from_batch(a) && m == 1 ? first / rows : 0;
    double along = from_batch(a) ? second / (rows * (double)m) : 0;
    for (size_t r = begin; r < end; r++)
        for (size_t i = r * cols + f * m; i < r * cols + (f + 1) * m; i++) {
            double xhat = (recon_ref_get(&a->x, i) - c.mean) * c.inv;
            recon_ref_set(&a->dx, i,
                          c.scale * c.inv * (recon_ref_get(&a->dy, i) - back - xhat * along));
        }
}

static void backward_span(const void *args, size_t begin, size_t end)
{
    const recon_norm_args *a = args;
    for (size_t f = begin; f < end; f++) {
        double dscale = 0, dshift = 0;
        for (size_t s = 0; s < segments(a); s++)
            backward(&dscale, &dshift, a, s, f);
        recon_ref_set(&a->dscale, f, dscale);
        if (a->field == 1)
            recon_ref_set(&a->dshift, f, dshift);
    }
}

recon_status recon_ref_norm_back(recon_ctx *ctx, const recon_norm_args *args)
{
    return recon_ref_spans(ctx, backward_span, args, recon_tensor_count(&args->scale), CHANNELS);
}

/* ---- norm-nonlinearity ---- */

static double length(const recon_tensor *x, size_t at, size_t m)
{
    double sum = 0;
    for (size_t i = at; i < at + m; i++)
        sum += recon_ref_get(x, i) * recon_ref_get(x, i);
    return sqrt(sum);
}

static void norm_relu_span(const void *args, size_t begin, size_t end)
{
    const recon_norm_relu_args *a = args;
    size_t cols = recon_tensor_cols(&a->x), m = a->field;
    for (size_t r = begin; r < end; r++)
        for (size_t f = 0; f < cols / m; f++) {
            size_t at = r * cols + f * m;
            double norm = length(&a->x, at, m), to = norm + recon_ref_get(&a->bias, f);
            double factor = norm > 0 && to > 0 ? to / norm : 0;
            for (size_t i = at; i < at + m; i++)
                recon_ref_set(&a->y, i, factor * recon_ref_get(&a->x, i));
        }
}

recon_status recon_ref_norm_relu(recon_ctx *ctx, const recon_norm_relu_args *args)
{
    return recon_ref_spans(ctx, norm_relu_span, args, recon_tensor_rows(&args->x), 16);
}

/* y = x (1 + b / |x|): dx = dy (1 + b / |x|) - x (x . dy) b / |x|^3, db = x . dy / |x|. Returns
 * db. */
static double norm_relu_field(const recon_norm_relu_args *a, size_t at, double bias)
{
    double norm = length(&a->x, at, a->field), dot = 0;
    int open = norm > 0 && norm + bias > 0;
    for (size_t i = at; i < at + a->field; i++)
        dot += recon_ref_get(&a->x, i) * recon_ref_get(&a->dy, i);
    for (size_t i = at; i < at + a->field; i++)
        recon_ref_set(&a->dx, i,
                      open ? recon_ref_get(&a->dy, i) * (1 + bias / norm) -
                                 recon_ref_get(&a->x, i) * dot * bias / (norm * norm * norm)
                           : 0);
    return open ? dot / norm : 0;
}

static void norm_relu_back_span(const void *args, size_t begin, size_t end)
{
    const recon_norm_relu_args *a = args;
    size_t cols = recon_tensor_cols(&a->x);
    for (size_t f = begin; f < end; f++) {
        double sum = 0, bias = recon_ref_get(&a->bias, f);
        for (size_t r = 0; r < recon_tensor_rows(&a->x); r++)
            sum += norm_relu_field(a, r * cols + f * a->field, bias);
        recon_ref_set(&a->dbias, f, sum);
    }
}

recon_status recon_ref_norm_relu_back(recon_ctx *ctx, const recon_norm_relu_args *args)
{
    return recon_ref_spans(ctx, norm_relu_back_span, args, recon_tensor_count(&args->bias),
                           CHANNELS);
}
