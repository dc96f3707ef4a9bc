/* var_map.c - element by element: maps, sums, products, casts, dropout; units and angles. */
#include "nn/tape.h"

RECON_BACK_TO_ONE(map, map)

static recon_var map(recon_tape *t, recon_var x, recon_unary kind)
{
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    recon_map_args a = { .kind = kind, .x = x->value, .y = recon_tape_like(t, &x->value) };
    return RECON_APPLY(t, map, a, a.y, x);
}

recon_var recon_var_relu(recon_tape *t, recon_var x)
{
    return map(t, x, RECON_RELU);
}
recon_var recon_var_silu(recon_tape *t, recon_var x)
{
    return map(t, x, RECON_SILU);
}
recon_var recon_var_sigmoid(recon_tape *t, recon_var x)
{
    return map(t, x, RECON_SIGMOID);
}
recon_var recon_var_softplus(recon_tape *t, recon_var x)
{
    return map(t, x, RECON_SOFTPLUS);
}
/* factor times the gradient, as x's type; with nothing to do it is handed on as it is. */
static void blend_back_to(recon_tape *t, recon_var n, recon_var x, double factor)
{
    if (!x || !x->needs)
        return;
    if (factor == 1 && x->value.type == n->grad.type && !x->param) {
        recon_tape_share(t, x, n->grad);
        return;
    }
    recon_add_args a = { .alpha = factor, .a = n->grad, .y = recon_tape_want(t, x) };
    RECON_CALL(t, add, &a);
    recon_tape_give(t, x, a.y);
}

static void blend_back(recon_tape *t, recon_var n)
{
    const recon_add_args *a = n->args;
    blend_back_to(t, n, n->in[0], a->alpha);
    blend_back_to(t, n, n->in[1], a->beta);
}

static recon_var blend(recon_tape *t, double alpha, recon_var a, double beta, recon_var b,
                       recon_dtype type)
{
    recon_add_args args = { .alpha = alpha, .beta = beta, .a = a->value };
    args.y = recon_tape_make(t, type, a->value.shape, a->value.ndim);
    if (b)
        args.b = b->value;
    RECON_CALL(t, add, &args);
    return recon_tape_record(t, args.y, (recon_operands){ { a, b } }, blend_back, &args,
                             sizeof args);
}

recon_var recon_var_blend(recon_tape *t, double alpha, recon_var a, double beta, recon_var b)
{
    if (recon_tape_skips(t, a, b, a))
        return NULL;
    if (!recon_same_shape(&a->value, &b->value))
        return recon_tape_mismatch(t, "a sum", a, "", b);
    return blend(t, alpha, a, beta, b, a->value.type);
}

recon_var recon_var_add(recon_tape *t, recon_var a, recon_var b)
{
    return recon_var_blend(t, 1, a, 1, b);
}

recon_var recon_var_scale(recon_tape *t, double alpha, recon_var x)
{
    return recon_tape_skips(t, x, x, x) ? NULL : blend(t, alpha, x, 0, NULL, x->value.type);
}

recon_var recon_var_cast(recon_tape *t, recon_var x, recon_dtype type)
{
    if (recon_tape_skips(t, x, x, x) || x->value.type == type)
        return t->status == RECON_OK ? x : NULL;
    if (x->value.type == RECON_F64 || type == RECON_F64)
        return recon_tape_refuse(t, "no cast from %s to %s", recon_dtype_name(x->value.type),
                                 recon_dtype_name(type));
    return blend(t, 1, x, 0, NULL, type);
}

RECON_BACK_TO_TWO(gate, dx, dg)

static recon_var gate(recon_tape *t, recon_var x, recon_var g, recon_gate_args a)
{
    a.x = x->value;
    a.g = g->value;
    a.y = recon_tape_like(t, &a.x);
    return RECON_APPLY(t, gate, a, a.y, x, g);
}

recon_var recon_var_gate(recon_tape *t, recon_var x, recon_var g, size_t field)
{
    if (recon_tape_skips(t, x, g, x))
        return NULL;
    if (field == 0 || recon_tensor_rows(&x->value) != recon_tensor_rows(&g->value) ||
        recon_tensor_cols(&x->value) != field * recon_tensor_cols(&g->value) ||
        x->value.type != g->value.type)
        return recon_tape_mismatch(t, "a field", x, "a gate", g);
    return gate(t, x, g, (recon_gate_args){ .field = field });
}

recon_var recon_var_gate_planes(recon_tape *t, recon_var x, recon_var g, size_t planes)
{
    if (recon_tape_skips(t, x, g, x))
        return NULL;
    if (planes == 0 || recon_tensor_cols(&x->value) != recon_tensor_cols(&g->value) ||
        recon_tensor_rows(&x->value) != planes * recon_tensor_rows(&g->value) ||
        x->value.type != g->value.type)
        return recon_tape_mismatch(t, "planes", x, "a gate", g);
    return gate(t, x, g, (recon_gate_args){ .field = planes, .planes = 1 });
}

recon_var recon_var_mul(recon_tape *t, recon_var a, recon_var b)
{
    return recon_var_gate(t, a, b, 1);
}

static void cross_into(recon_tape *t, recon_var x, recon_tensor a, recon_tensor b)
{
    recon_cross_args c = { .y = recon_tape_want(t, x), .a = a, .b = b };
    if (c.y.data && t->status == RECON_OK)
        recon_tape_did(t, t->ops->cross(t->ctx, &c));
    recon_tape_give(t, x, c.y);
}

static void cross_back(recon_tape *t, recon_var n)
{
    const recon_cross_args *c = n->args;
    cross_into(t, n->in[0], c->b, n->grad);
    cross_into(t, n->in[1], n->grad, c->a);
}

recon_var recon_var_cross_planes(recon_tape *t, recon_var a, recon_var b)
{
    if (recon_tape_skips(t, a, b, a))
        return NULL;
    if (!recon_same_shape(&a->value, &b->value) || a->value.type != b->value.type ||
        a->value.ndim < 2 || a->value.shape[a->value.ndim - 2] != 3)
        return recon_tape_mismatch(t, "cross products of", a, "", b);
    recon_cross_args c = { .y = recon_tape_like(t, &a->value), .a = a->value, .b = b->value };
    return RECON_APPLY(t, cross, c, c.y, a, b);
}

/* The same elements are dropped on the way back: the draw has a name, (seed, step, site). */
static void dropout_back(recon_tape *t, recon_var n)
{
    recon_dropout_args *a = n->args;
    a->x = n->grad;
    a->y = recon_tape_want(t, n->in[0]);
    RECON_CALL(t, dropout, a);
    recon_tape_give(t, n->in[0], a->y);
}

static recon_var dropout(recon_tape *t, recon_var x, double rate, size_t planes)
{
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (!(rate >= 0 && rate < 1))
        return recon_tape_refuse(t, "a dropout rate of %g: expected 0 .. 1", rate);
    if (t->mode != RECON_TRAIN || rate == 0)
        return x;
    recon_dropout_args a = {
        .rate = rate, .seed = t->seed, .site = t->sites++, .x = x->value, .planes = planes
    };
    a.counter = &t->constants->counter;
    a.y = recon_tape_like(t, &x->value);
    return RECON_APPLY(t, dropout, a, a.y, x);
}

recon_var recon_var_dropout(recon_tape *t, recon_var x, double rate)
{
    return dropout(t, x, rate, 1);
}

recon_var recon_var_dropout_channels(recon_tape *t, recon_var x, double rate)
{
    if (x && x->value.ndim != 4) {
        recon_shape_text text;
        return recon_tape_refuse(t,
                                 "dropout of channels of %s: expected images n x h x w x channels",
                                 recon_shape_print(text, x->value.shape, x->value.ndim));
    }
    return dropout(t, x, rate, x ? x->value.shape[1] * x->value.shape[2] : 1);
}

/* --- rows of length one, and angles of pairs -------------------------------------------------- */

RECON_BACK_TO_ONE(unit, unit)

recon_var recon_var_unit(recon_tape *t, recon_var x)
{
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (x->value.ndim < 1)
        return recon_tape_refuse(t, "a number has no direction: expected rows");
    recon_unit_args a = { .x = x->value, .y = recon_tape_like(t, &x->value) };
    return RECON_APPLY(t, unit, a, a.y, x);
}

RECON_BACK_TO_ONE(angle, angle)

recon_var recon_var_angle(recon_tape *t, recon_var x)
{
    recon_shape_text text;
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (x->value.ndim != 2 || x->value.shape[1] != 2)
        return recon_tape_refuse(t, "angles of %s: expected n x 2",
                                 recon_shape_print(text, x->value.shape, x->value.ndim));
    x = recon_var_cast(t, x, t->precision == RECON_DOUBLE ? RECON_F64 : RECON_F32);
    if (!x)
        return NULL;
    recon_angle_args a = { .x = x->value };
    a.y = recon_tape_make(t, x->value.type, x->value.shape, 1);
    return RECON_APPLY(t, angle, a, a.y, x);
}
