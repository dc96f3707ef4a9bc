/* gradients.h - is the gradient right, is the layer equivariant? By finite differences, and by a
 * group element before and after. */
#ifndef TESTS_GRADIENTS_H
#define TESTS_GRADIENTS_H

#include <recon/core/rng.h>
#include <recon/nn/tape.h>
#include "core/fail.h"
#include "core/memory.h"
#include "nn/params.h"
#include "ops/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function of variables, built on the tape. */
typedef recon_var recon_check_function(recon_tape *tape, void *user, const recon_var *x);

typedef struct {
    recon_dtype type; /* F64, or I32 for labels and indices */
    int ndim;
    size_t shape[RECON_MAX_DIMS];
    const void *data;
    int constant; /* 1: its gradient is not looked at; I32 never is */
} recon_check_input;

#define CHECK_STEP 1e-5 /* about the cube root of double's precision */
enum { CHECK_INPUTS = 8 };

typedef struct {
    recon_ctx *ctx;
    recon_tape *tape;
    recon_check_function *f;
    void *user;
    recon_check_input x[CHECK_INPUTS];
    size_t n;
    recon_tape_mode mode;
    recon_var var[CHECK_INPUTS]; /* of the last evaluation */
    double largest, worst;       /* gradient, difference */
} gradient_check;

/* sum of c_i y_i with fixed random c: one number that every element of y matters to. */
static inline recon_var gradient_project(gradient_check *c, recon_var y)
{
    if (!y)
        return NULL;
    size_t count = recon_var_count(y), shape[2] = { 1, count };
    double *weight;
    recon_rng rng = recon_rng_new(7, count);
    if (recon_alloc(c->ctx, &weight, count, sizeof *weight) != RECON_OK)
        return NULL;
    for (size_t i = 0; i < count; i++)
        weight[i] = recon_rng_normal(&rng);
    recon_var w = recon_var_input(c->tape, weight, RECON_F64, shape, 2);
    free(weight);
    return recon_var_sum(c->tape,
                         recon_var_mul(c->tape, recon_var_reshape(c->tape, y, shape, 2), w), 1);
}

static inline recon_status gradient_evaluate(gradient_check *c, double *value, int backward)
{
    recon_tape *t = c->tape;
    recon_status status = recon_tape_begin(t, c->mode, 0);
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; i < c->n; i++) {
        const recon_check_input *x = &c->x[i];
        c->var[i] = recon_var_input(t, x->data, x->type, x->shape, x->ndim);
        if (!x->constant && x->type == RECON_F64)
            recon_var_watch(t, c->var[i]);
    }
    recon_var y = gradient_project(c, c->f(t, c->user, c->var));
    if (!y)
        return recon_tape_status(t) != RECON_OK
                   ? recon_tape_status(t)
                   : recon_fail(c->ctx, RECON_ERR_INPUT, "the function gave no variable");
    status = recon_var_read(t, value, y);
    return status == RECON_OK && backward ? recon_tape_backward(t, y) : status;
}

static inline void gradient_compare(gradient_check *c, double gradient, double up, double down)
{
    double difference = (up - down) / (2 * CHECK_STEP);
    c->largest = fmax(c->largest, fmax(fabs(gradient), fabs(difference)));
    c->worst = fmax(c->worst, fabs(gradient - difference));
    if (isnan(gradient) || isnan(difference))
        c->worst = INFINITY;
}

static inline size_t gradient_count_of(const recon_check_input *x)
{
    size_t count = 1;
    for (int i = 0; i < x->ndim; i++)
        count *= x->shape[i];
    return count;
}

static inline recon_status gradient_input(gradient_check *c, size_t i, const double *gradient)
{
    size_t count = gradient_count_of(&c->x[i]);
    double *x = NULL, up, down;
    const void *given = c->x[i].data;
    recon_status status;
    RECON_TRY(recon_alloc(c->ctx, &x, count, sizeof *x));
    memcpy(x, given, count * sizeof *x);
    c->x[i].data = x;
    for (size_t j = 0; j < count; j++) {
        double kept = x[j];
        x[j] = kept + CHECK_STEP;
        RECON_TRY(gradient_evaluate(c, &up, 0));
        x[j] = kept - CHECK_STEP;
        RECON_TRY(gradient_evaluate(c, &down, 0));
        x[j] = kept;
        gradient_compare(c, gradient[j], up, down);
    }
done:
    c->x[i].data = given;
    free(x);
    return status;
}

static inline recon_status gradient_param(gradient_check *c, recon_param *p, const double *gradient)
{
    size_t count = recon_param_count(p);
    double *w = NULL, up, down;
    recon_status status;
    RECON_TRY(recon_alloc(c->ctx, &w, count, sizeof *w));
    RECON_TRY(recon_param_read(c->ctx, w, p));
    for (size_t j = 0; j < count; j++) {
        double kept = w[j];
        w[j] = kept + CHECK_STEP;
        RECON_TRY(recon_param_write(c->ctx, p, w));
        RECON_TRY(gradient_evaluate(c, &up, 0));
        w[j] = kept - CHECK_STEP;
        RECON_TRY(recon_param_write(c->ctx, p, w));
        RECON_TRY(gradient_evaluate(c, &down, 0));
        w[j] = kept;
        gradient_compare(c, gradient[j], up, down);
    }
    RECON_TRY(recon_param_write(c->ctx, p, w));
done:
    free(w);
    return status;
}

static inline recon_status gradient_all(gradient_check *c, recon_params *params)
{
    size_t entries = params ? params->count : 0;
    double **g = NULL, ignored;
    recon_status status;
    RECON_TRY(recon_alloc(c->ctx, &g, c->n + entries, sizeof *g));
    if (params)
        RECON_TRY(recon_params_clear_gradients(c->ctx, params));
    RECON_TRY(gradient_evaluate(c, &ignored, 1));
    for (size_t i = 0; i < c->n; i++) { /* before the differences use the tape again */
        if (c->x[i].constant || c->x[i].type != RECON_F64)
            continue;
        RECON_TRY(recon_alloc(c->ctx, &g[i], recon_var_count(c->var[i]), sizeof **g));
        RECON_TRY(recon_var_read(c->tape, g[i], recon_var_gradient(c->tape, c->var[i])));
    }
    for (size_t i = 0; i < entries; i++) {
        recon_param *p = params->entry[i];
        RECON_TRY(recon_alloc(c->ctx, &g[c->n + i], recon_param_count(p), sizeof **g));
        if (p->trained)
            RECON_TRY(recon_param_read_gradient(c->ctx, g[c->n + i], p));
    }
    for (size_t i = 0; i < c->n; i++)
        if (g[i])
            RECON_TRY(gradient_input(c, i, g[i]));
    for (size_t i = 0; i < entries; i++)
        if (params->entry[i]->trained)
            RECON_TRY(gradient_param(c, params->entry[i], g[c->n + i]));
done:
    for (size_t i = 0; g && i < c->n + entries; i++)
        free(g[i]);
    free(g);
    return status;
}

/* Compares gradients with central differences, in double: of every input and, if params is given,
 * of every parameter (RECON_DOUBLE), all through one random projection of the function's value.
 * The context must compute with "ref". mode is RECON_RECORD or RECON_TRAIN. *error is the largest
 * difference, relative to the largest gradient; about 1e-8 is as good as it gets, and at a kink
 * (ReLU at 0) nothing is. Running statistics are changed. */
static inline recon_status recon_check_gradient(recon_ctx *ctx, double *error,
                                                recon_check_function *f, void *user,
                                                const recon_check_input *x, size_t n,
                                                recon_params *params, recon_tape_mode mode)
{
    gradient_check c = { .ctx = ctx, .f = f, .user = user, .n = n, .mode = mode };
    recon_status status;
    *error = INFINITY;
    if (recon_ops_of(ctx) != &recon_ops_ref || (params && params->type != RECON_F64))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "gradients are checked on backend ref, in double: attach it first");
    if (n > CHECK_INPUTS || !(mode & RECON_RECORD))
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu inputs in mode %d: at most %d, with gradients",
                          n, (int)mode, CHECK_INPUTS);
    memcpy(c.x, x, n * sizeof *x);
    RECON_TRY(recon_tape_new(ctx, &c.tape, RECON_DOUBLE, 1));
    RECON_TRY(gradient_all(&c, params));
    *error = c.worst / fmax(c.largest, 1e-300);
done:
    recon_tape_free(c.tape);
    return status;
}

/* f of x, numbers shaped like `like`, to a new array whose shape `like` takes over. */
static inline recon_status gradient_value_at(recon_ctx *ctx, double **out, recon_check_input *like,
                                             const double *x, recon_check_function *f, void *user,
                                             recon_precision precision)
{
    recon_tape *t = NULL;
    float *single = NULL;
    size_t count = gradient_count_of(like);
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &single, count, sizeof *single));
    for (size_t i = 0; i < count; i++)
        single[i] = (float)x[i];
    RECON_TRY(recon_tape_new(ctx, &t, precision, 1));
    int is_double = precision == RECON_DOUBLE;
    recon_var v = recon_var_input(t, is_double ? (const void *)x : single,
                                  is_double ? RECON_F64 : RECON_F32, like->shape, like->ndim);
    recon_var y = f(t, user, &v);
    RECON_TRY(recon_tape_status(t));
    RECON_TRY(recon_alloc(ctx, out, recon_var_count(y), sizeof **out));
    RECON_TRY(recon_var_read(t, *out, y));
    memcpy(like->shape, recon_var_shape(y, &like->ndim), sizeof like->shape);
done:
    recon_tape_free(t);
    free(single);
    return status;
}

static inline double gradient_distance(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sqrt(sum);
}

/* A group element's action on an array: in to out, same count. */
typedef void recon_check_action(void *user, double *out, const double *in, const size_t *shape,
                                int ndim);

/* *error = |f(a x) - b f(x)| / |f(x)|, where a acts on the input and b on the output (the same user
 * pointer names the group element). In the precision given, on any backend. */
static inline recon_status recon_check_equivariance(recon_ctx *ctx, double *error,
                                                    recon_check_function *f, void *user,
                                                    const recon_check_input *x,
                                                    recon_check_action *a, recon_check_action *b,
                                                    void *element, recon_precision precision)
{
    double *ax = NULL, *fx = NULL, *fax = NULL, *bfx = NULL;
    recon_check_input plain = *x, moved = *x;
    recon_status status;
    *error = INFINITY;
    RECON_TRY(recon_alloc(ctx, &ax, gradient_count_of(x), sizeof *ax));
    a(element, ax, x->data, x->shape, x->ndim);
    RECON_TRY(gradient_value_at(ctx, &fx, &plain, x->data, f, user, precision));
    RECON_TRY(gradient_value_at(ctx, &fax, &moved, ax, f, user, precision));
    size_t count = gradient_count_of(&plain);
    RECON_TRY(recon_alloc(ctx, &bfx, count, sizeof *bfx));
    b(element, bfx, fx, plain.shape, plain.ndim);
    *error = gradient_distance(fax, bfx, count) / fmax(gradient_distance(fx, NULL, count), 1e-300);
done:
    free(ax);
    free(fx);
    free(fax);
    free(bfx);
    return status;
}

#endif
