/* norm.c - batch norm, norm of vector fields and per segment, and the norm-nonlinearity.
 *
 * Plain and vector norm are one formula. With m the size of a field, R the rows of the segment,
 *
 *   mean = sum x / R if m = 1, else 0        var = sum (x - mean)^2 / (R m)
 *   xhat = (x - mean) inv                    y = scale xhat + shift
 *
 * and, when the statistics come from the batch,
 *
 *   dx = scale inv (g - [m = 1] sum g / R - xhat sum (g xhat) / (R m)),
 *
 * g being the gradient by scale xhat + shift. */
#include "ops/ref/ref.h"

#include <math.h>

#define CHANNELS 16 /* per task: a cache line of floats, so that each is fetched by one task */

typedef struct {
    size_t begin, end;
} range;

typedef struct {
    double mean, inv, scale, shift;
} channel;

static size_t segments(const recon_norm_args *a)
{
    return a->offset.data ? recon_tensor_count(&a->offset) - 1 : 1;
}

static range rows_of(const recon_norm_args *a, size_t s)
{
    if (a->offset.data)
        return (range){ recon_ref_int(&a->offset, s), recon_ref_int(&a->offset, s + 1) };
    return (range){ 0, recon_tensor_rows(&a->x) };
}

/* Does the batch give the statistics, or do the running ones? */
static int from_batch(const recon_norm_args *a)
{
    return a->training || a->offset.data;
}

/* power 1: the sum of each channel; 2: of its squares about mean. */
static void sums(double *sum, const recon_norm_args *a, range rows, range f, const double *mean,
                 int power)
{
    size_t cols = recon_tensor_cols(&a->x), m = a->field;
    for (size_t k = f.begin; k < f.end; k++)
        sum[k - f.begin] = 0;
    for (size_t r = rows.begin; r < rows.end; r++)
        for (size_t k = f.begin; k < f.end; k++)
            for (size_t i = r * cols + k * m; i < r * cols + (k + 1) * m; i++) {
                double x = recon_ref_get(&a->x, i) - mean[k - f.begin];
                sum[k - f.begin] += power == 1 ? x : x * x;
            }
}

static void update(const recon_tensor *running, size_t k, double momentum, double now)
{
    recon_ref_set(running, k, (1 - momentum) * recon_ref_get(running, k) + momentum * now);
}

/* Stores the statistics of one channel. at: its place among mean and inv. */
static void keep(const recon_norm_args *a, size_t at, size_t k, double mean, double var, double n)
{
    recon_ref_set(&a->inv, at, 1 / sqrt(var + a->eps));
    if (a->field == 1)
        recon_ref_set(&a->mean, at, mean);
    if (a->offset.data)
        return;
    if (a->field == 1) {
        update(&a->running_mean, k, a->momentum, mean);
        var *= n > 1 ? n / (n - 1) : 1;
    }
    update(&a->running_var, k, a->momentum, var);
}

static channel channel_of(const recon_norm_args *a, size_t s, size_t k)
{
    size_t at = s * recon_tensor_count(&a->scale) + k;
    channel c = { .scale = recon_ref_get(&a->scale, k) };
    if (from_batch(a))
        c.inv = recon_ref_get(&a->inv, at);
    else
        c.inv = 1 / sqrt(recon_ref_get(&a->running_var, k) + a->eps);
    if (a->field == 1) {
        c.mean = from_batch(a) ? recon_ref_get(&a->mean, at) : recon_ref_get(&a->running_mean, k);
        c.shift = recon_ref_get(&a->shift, k);
    }
    return c;
}

/* y from what the norm gives. */
static double finish(const recon_norm_args *a, size_t i, double u)
{
    if (a->skip.data)
        u += recon_ref_get(&a->skip, i);
    return a->relu && u < 0 ? 0 : u;
}

static void forward(const recon_norm_args *a, size_t s, range f)
{
    size_t cols = recon_tensor_cols(&a->x), m = a->field;
    range rows = rows_of(a, s);
    channel channels[CHANNELS];
    if (from_batch(a)) {
        double n = rows.end > rows.begin ? (double)(rows.end - rows.begin) : 1;
        double mean[CHANNELS] = { 0 }, sum[CHANNELS];
        if (a->field == 1) {
            sums(sum, a, rows, f, mean, 1);
            for (size_t k = 0; k < f.end - f.begin; k++)
                mean[k] = sum[k] / n;
        }
        sums(sum, a, rows, f, mean, 2);
        for (size_t k = f.begin; k < f.end; k++)
            keep(a, s * recon_tensor_count(&a->scale) + k, k, mean[k - f.begin],
                 sum[k - f.begin] / (n * (double)a->field), n);
    }
    for (size_t k = f.begin; k < f.end; k++)
        channels[k - f.begin] = channel_of(a, s, k);
    for (size_t r = rows.begin; r < rows.end; r++)
        for (size_t k = f.begin; k < f.end; k++) {
            channel c = channels[k - f.begin];
            for (size_t i = r * cols + k * m; i < r * cols + (k + 1) * m; i++)
                recon_ref_set(
                    &a->y, i,
                    finish(a, i, c.scale * (recon_ref_get(&a->x, i) - c.mean) * c.inv + c.shift));
        }
}

static void forward_span(const void *args, size_t begin, size_t end)
{
    for (size_t s = 0; s < segments(args); s++)
        forward(args, s, (range){ begin, end });
}

recon_status recon_ref_norm(recon_ctx *ctx, const recon_norm_args *args)
{
    return recon_ref_spans(ctx, forward_span, args, recon_tensor_count(&args->scale), CHANNELS);
}

/* What backward needs of a channel: sums of g and of g xhat over the rows of a segment. */
typedef struct {
    channel c;
    double g, along;
} slopes;

static double slope_at(const recon_norm_args *a, size_t i)
{
    if (a->relu && !(recon_ref_get(&a->y, i) > 0))
        return 0;
    return recon_ref_get(&a->dy, i) + (a->dy_more.data ? recon_ref_get(&a->dy_more, i) : 0);
}

static void spread_back(const recon_norm_args *a, const slopes *slope, range rows, range f)
{
    size_t cols = recon_tensor_cols(&a->x), m = a->field;
    double n = (double)(rows.end - rows.begin), batch = from_batch(a) ? 1 : 0;
    for (size_t r = rows.begin; r < rows.end; r++)
        for (size_t k = f.begin; k < f.end; k++) {
            const slopes *p = &slope[k - f.begin];
            double back = m == 1 ? batch * p->g / n : 0, along = batch * p->along / (n * (double)m);
            for (size_t i = r * cols + k * m; i < r * cols + (k + 1) * m; i++) {
                double xhat = (recon_ref_get(&a->x, i) - p->c.mean) * p->c.inv, g = slope_at(a, i);
                recon_ref_set(&a->dx, i, p->c.scale * p->c.inv * (g - back - xhat * along));
                if (a->dskip.data)
                    recon_ref_set(&a->dskip, i, g);
            }
        }
}

static void backward_span(const void *args, size_t begin, size_t end)
{
    const recon_norm_args *a = args;
    range f = { begin, end };
    double dscale[CHANNELS] = { 0 }, dshift[CHANNELS] = { 0 };
    slopes slope[CHANNELS];
    for (size_t s = 0; s < segments(a); s++) {
        size_t cols = recon_tensor_cols(&a->x), m = a->field;
        range rows = rows_of(a, s);
        for (size_t k = f.begin; k < f.end; k++)
            slope[k - f.begin] = (slopes){ .c = channel_of(a, s, k) };
        for (size_t r = rows.begin; r < rows.end; r++)
            for (size_t k = f.begin; k < f.end; k++) {
                slopes *p = &slope[k - f.begin];
                for (size_t i = r * cols + k * m; i < r * cols + (k + 1) * m; i++) {
                    double g = slope_at(a, i);
                    p->g += g;
                    p->along += g * (recon_ref_get(&a->x, i) - p->c.mean) * p->c.inv;
                }
            }
        spread_back(a, slope, rows_of(a, s), f);
        for (size_t k = 0; k < end - begin; k++) {
            dscale[k] += slope[k].along;
            dshift[k] += slope[k].g;
        }
    }
    recon_ref_store(&a->dscale, begin, dscale, end - begin);
    if (a->field == 1)
        recon_ref_store(&a->dshift, begin, dshift, end - begin);
}

recon_status recon_ref_norm_back(recon_ctx *ctx, const recon_norm_args *args)
{
    return recon_ref_spans(ctx, backward_span, args, recon_tensor_count(&args->scale), CHANNELS);
}
