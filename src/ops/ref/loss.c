/* loss.c - losses as means over rows, and their gradients. */
#include "ops/ref/ref.h"
#include "core/fail.h"
#include "ops/sums.h"
#include "core/bessel.h"

#include <math.h>

/* log sum exp of n numbers that get gives. */
typedef double number_fn(const recon_loss_args *a, size_t row, size_t k);

static double log_sum_exp(number_fn *get, const recon_loss_args *a, size_t row, size_t n)
{
    double top = -INFINITY, sum = 0;
    for (size_t k = 0; k < n; k++)
        top = fmax(top, get(a, row, k));
    for (size_t k = 0; k < n; k++)
        sum += exp(get(a, row, k) - top);
    return top + log(sum);
}

static double logit(const recon_loss_args *a, size_t row, size_t k)
{
    return recon_ref_get(&a->x, row * recon_tensor_cols(&a->x) + k);
}

/* ---- the von Mises mixture ---- */

/* Component k: direction (c, s), the reciprocal of its length, concentration. A pair of zeros has
 * no direction; it counts as 0 and gets no gradient. */
typedef struct {
    double c, s, reciprocal, raw, kappa;
    double sine, versine; /* sin(theta - mu), 1 - cos(theta - mu) */
} component;

static component component_of(const recon_loss_args *a, size_t row, size_t k)
{
    size_t parts = recon_tensor_cols(&a->x) / 4, at = row * 4 * parts;
    double x = recon_ref_get(&a->x, at + parts + 2 * k);
    double y = recon_ref_get(&a->x, at + parts + 2 * k + 1);
    double r = hypot(x, y), theta = recon_ref_get(&a->target, row);
    component m = { .c = r > 0 ? x / r : 1,
                    .s = r > 0 ? y / r : 0,
                    .reciprocal = r > 0 ? 1 / r : 0,
                    .raw = recon_ref_get(&a->x, at + 3 * parts + k) };
    m.kappa = fmax(m.raw, 0) + log1p(exp(-fabs(m.raw)));
    double dc = cos(theta) - m.c, ds = sin(theta) - m.s;
    m.sine = m.c * sin(theta) - m.s * cos(theta);
    m.versine = (dc * dc + ds * ds) / 2; /* the cosine would lose what kappa then multiplies */
    return m;
}

/* logit + log density of component k, weights not yet normalised. */
static double log_joint(const recon_loss_args *a, size_t row, size_t k)
{
    component m = component_of(a, row, k);
    return logit(a, row, k) - m.kappa * m.versine - log(2 * M_PI) - recon_bessel_log_i0(m.kappa);
}

static void vonmises_back(const recon_loss_args *a, size_t row, double d)
{
    size_t parts = recon_tensor_cols(&a->x) / 4, at = row * 4 * parts;
    double prior = log_sum_exp(logit, a, row, parts), all = log_sum_exp(log_joint, a, row, parts);
    for (size_t k = 0; k < parts; k++) {
        component m = component_of(a, row, k);
        double share = exp(log_joint(a, row, k) - all);
        double rotation = -d * share * m.kappa * m.sine * m.reciprocal; /* by mu, over the length */
        double slope = 1 / (1 + exp(-m.raw));
        recon_ref_set(&a->dx, at + k, d * (exp(logit(a, row, k) - prior) - share));
        recon_ref_set(&a->dx, at + parts + 2 * k, rotation * -m.s);
        recon_ref_set(&a->dx, at + parts + 2 * k + 1, rotation * m.c);
        recon_ref_set(&a->dx, at + 3 * parts + k,
                      d * share * (m.versine - recon_bessel_spread(m.kappa)) * slope);
    }
}

/* ---- all of them ---- */

static double row_loss(const recon_loss_args *a, size_t row)
{
    size_t cols = recon_tensor_cols(&a->x);
    if (a->kind == RECON_LOSS_CROSS_ENTROPY) {
        size_t label = (size_t)recon_ref_int(&a->target, row);
        return label < cols ? log_sum_exp(logit, a, row, cols) - logit(a, row, label) : NAN;
    }
    if (a->kind == RECON_LOSS_VONMISES)
        return log_sum_exp(logit, a, row, cols / 4) - log_sum_exp(log_joint, a, row, cols / 4);
    double sum = a->kind == RECON_LOSS_COS;
    for (size_t i = row * cols; i < (row + 1) * cols; i++) {
        double x = recon_ref_get(&a->x, i), t = recon_ref_get(&a->target, i);
        sum += a->kind == RECON_LOSS_MSE  ? (x - t) * (x - t)
               : a->kind == RECON_LOSS_L1 ? fabs(x - t)
                                          : -x * t;
    }
    return sum;
}

/* What the sum of row losses is divided by, over the whole batch. */
static double terms(const recon_loss_args *a)
{
    int by_element = a->kind == RECON_LOSS_MSE || a->kind == RECON_LOSS_L1;
    size_t here = by_element ? recon_tensor_count(&a->x) : recon_tensor_rows(&a->x);
    return (double)recon_slices_in_rows(&a->x, here).all;
}

recon_status recon_ref_loss(recon_ctx *ctx, const recon_loss_args *args)
{
    recon_slices s = recon_slices_in_rows(&args->x, recon_tensor_rows(&args->x));
    recon_pieces slices = recon_pieces_of(s, s.each);
    double part[RECON_SLICES] = { 0 }, sum;
    for (size_t i = 0; i < slices.tasks; i++) {
        recon_rows own = recon_pieces_rows(&slices, i);
        for (size_t row = own.begin; row < own.end; row++)
            part[i] += row_loss(args, row);
    }
    RECON_CHECK(recon_pieces_sum(ctx, &slices, &sum, RECON_F64, part, sizeof *part, 1));
    recon_ref_set(&args->loss, 0, sum / terms(args));
    return RECON_OK;
}

static double element_back(recon_loss_kind kind, double x, double t)
{
    switch (kind) {
    case RECON_LOSS_MSE: return 2 * (x - t);
    case RECON_LOSS_L1: return (x > t) - (x < t);
    default: return -t; /* COS */
    }
}

static void loss_back_span(const void *args, size_t begin, size_t end)
{
    const recon_loss_args *a = args;
    size_t cols = recon_tensor_cols(&a->x);
    double d = recon_ref_get(&a->dloss, 0) / terms(a);
    for (size_t row = begin; row < end; row++) {
        if (a->kind == RECON_LOSS_VONMISES) {
            vonmises_back(a, row, d);
            continue;
        }
        int ce = a->kind == RECON_LOSS_CROSS_ENTROPY;
        double all = ce ? log_sum_exp(logit, a, row, cols) : 0;
        for (size_t k = 0; k < cols; k++) {
            double slope = ce ? exp(logit(a, row, k) - all) - (k == recon_ref_int(&a->target, row))
                              : element_back(a->kind, logit(a, row, k),
                                             recon_ref_get(&a->target, row * cols + k));
            recon_ref_set(&a->dx, row * cols + k, d * slope);
        }
    }
}

recon_status recon_ref_loss_back(recon_ctx *ctx, const recon_loss_args *args)
{
    return recon_ref_spans(ctx, loss_back_span, args, recon_tensor_rows(&args->x), 16);
}
