/* field_norm.c - norms and nonlinearities of scalars and pairs, field by field.
 *
 * The norm is that of norm.c on u, the nonlinearity's argument; its way back starts from
 *
 *   scalars: du = dy where u > 0                                     dshift = sum du
 *   pairs:   du = dy (1 + b / |u|) - u (u . dy) b / |u|^3 where |u| + b > 0
 *                                                                    dbias = sum u . dy / |u|. */
#include "ops/ref/ref.h"

#include <math.h>

/* A field: its columns, and the factors of its norm. */
typedef struct {
    size_t number, begin, size; /* size: columns */
    double mean, inv, scale, offset;
} field;

static field field_of(const recon_field_norm_args *a, size_t f)
{
    int pair = f >= a->scalars;
    field k = { .number = f, .begin = f, .size = 1, .scale = recon_ref_get(&a->scale, f) };
    if (pair) {
        k.begin = a->scalars + 2 * (f - a->scalars);
        k.size = 2;
    }
    k.offset = pair ? recon_ref_get(&a->bias, f - a->scalars) : recon_ref_get(&a->shift, f);
    return k;
}

static void set_statistics(const recon_field_norm_args *a, field *k)
{
    if (k->size == 1)
        k->mean = recon_ref_get(a->training ? &a->mean : &a->running_mean, k->number);
    k->inv = a->training ? recon_ref_get(&a->inv, k->number)
                         : 1 / sqrt(recon_ref_get(&a->running_var, k->number) + a->eps);
}

/* The field's numbers in a row, the second 0 for a scalar. */
static void read(double out[2], const recon_tensor *x, const field *k, size_t row)
{
    size_t at = row * recon_tensor_cols(x) + k->begin;
    out[0] = recon_ref_get(x, at);
    out[1] = k->size == 2 ? recon_ref_get(x, at + 1) : 0;
}

static void write(const recon_tensor *y, const field *k, size_t row, const double in[2])
{
    for (size_t i = 0; i < k->size; i++)
        recon_ref_set(y, row * recon_tensor_cols(y) + k->begin + i, in[i]);
}

static void update(const recon_tensor *running, size_t f, double momentum, double now)
{
    recon_ref_set(running, f, (1 - momentum) * recon_ref_get(running, f) + momentum * now);
}

static void find(const recon_field_norm_args *a, const field *k)
{
    size_t rows = recon_tensor_rows(&a->x);
    double sum = 0, square = 0, x[2], n = (double)rows, mean = 0;
    for (size_t r = 0; r < rows && k->size == 1; r++) {
        read(x, &a->x, k, r);
        sum += x[0];
    }
    mean = sum / n;
    for (size_t r = 0; r < rows; r++) {
        read(x, &a->x, k, r);
        square += (x[0] - mean) * (x[0] - mean) + x[1] * x[1];
    }
    double var = square / (n * (double)k->size);
    recon_ref_set(&a->inv, k->number, 1 / sqrt(var + a->eps));
    if (k->size == 1) {
        recon_ref_set(&a->mean, k->number, mean);
        update(&a->running_mean, k->number, a->momentum, mean);
        var *= n > 1 ? n / (n - 1) : 1;
    }
    update(&a->running_var, k->number, a->momentum, var);
}

/* u, and by how much the nonlinearity multiplies it. */
static double argument(double u[2], const recon_field_norm_args *a, const field *k, size_t row)
{
    read(u, &a->x, k, row);
    u[0] = k->scale * (u[0] - k->mean) * k->inv;
    u[1] = k->scale * u[1] * k->inv;
    if (k->size == 1) {
        u[0] += k->offset;
        return u[0] > 0 ? 1 : 0;
    }
    double norm = hypot(u[0], u[1]);
    return norm > 0 && norm + k->offset > 0 ? 1 + k->offset / norm : 0;
}

static void forward_span(const void *args, size_t begin, size_t end)
{
    const recon_field_norm_args *a = args;
    for (size_t f = begin; f < end; f++) {
        field k = field_of(a, f);
        if (a->training)
            find(a, &k);
        set_statistics(a, &k);
        for (size_t r = 0; r < recon_tensor_rows(&a->x); r++) {
            double u[2], factor = argument(u, a, &k, r);
            write(&a->y, &k, r, (double[2]){ factor * u[0], factor * u[1] });
        }
    }
}

/* du, and the row's share of the offset's gradient. */
static double pull(double du[2], const recon_field_norm_args *a, const field *k, size_t row)
{
    double u[2], factor = argument(u, a, k, row);
    read(du, &a->dy, k, row);
    double norm = hypot(u[0], u[1]), dot = u[0] * du[0] + u[1] * du[1];
    if (factor == 0) {
        du[0] = du[1] = 0;
        return 0;
    }
    if (k->size == 1)
        return du[0];
    for (int i = 0; i < 2; i++)
        du[i] = factor * du[i] - u[i] * dot * k->offset / (norm * norm * norm);
    return dot / norm;
}

typedef struct {
    double offset, along; /* sums of the offset's gradient, and of du xhat */
} slopes;

static slopes find_slopes(const recon_field_norm_args *a, const field *k)
{
    slopes s = { 0, 0 };
    for (size_t r = 0; r < recon_tensor_rows(&a->x); r++) {
        double du[2], x[2];
        s.offset += pull(du, a, k, r);
        read(x, &a->x, k, r);
        s.along += (du[0] * (x[0] - k->mean) + du[1] * x[1]) * k->inv;
    }
    return s;
}

static void backward_span(const void *args, size_t begin, size_t end)
{
    const recon_field_norm_args *a = args;
    for (size_t f = begin; f < end; f++) {
        field k = field_of(a, f);
        set_statistics(a, &k);
        slopes s = find_slopes(a, &k);
        size_t rows = recon_tensor_rows(&a->x);
        double n = a->training ? (double)rows : INFINITY; /* statistics that are constants */
        for (size_t r = 0; r < rows; r++) {
            double du[2], x[2], back = k.size == 1 ? s.offset / n : 0;
            pull(du, a, &k, r);
            read(x, &a->x, &k, r);
            for (size_t i = 0; i < k.size; i++) {
                double xhat = (x[i] - k.mean) * k.inv;
                du[i] = k.scale * k.inv * (du[i] - back - xhat * s.along / (n * (double)k.size));
            }
            write(&a->dx, &k, r, du);
        }
        recon_ref_set(&a->dscale, f, s.along);
        if (f < a->scalars)
            recon_ref_set(&a->dshift, f, s.offset);
        else
            recon_ref_set(&a->dbias, f - a->scalars, s.offset);
    }
}

recon_status recon_ref_field_norm(recon_ctx *ctx, const recon_field_norm_args *args)
{
    return recon_ref_spans(ctx, forward_span, args, args->scalars + args->pairs, 8);
}

recon_status recon_ref_field_norm_back(recon_ctx *ctx, const recon_field_norm_args *args)
{
    return recon_ref_spans(ctx, backward_span, args, args->scalars + args->pairs, 8);
}
