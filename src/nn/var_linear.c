/* var_linear.c - convolutions, linear layers and tensor products on the tape. */
#include "nn/planes.h"
#include "nn/tape.h"
#include "ops/steer.h"

recon_tensor recon_tape_want_weight(recon_tape *t, recon_var w)
{
    if (!w->needs || w->value.type != RECON_BF16)
        return recon_tape_want(t, w);
    return recon_tape_make(t, RECON_F32, w->value.shape, w->value.ndim);
}

RECON_BACK_TO_LAYER(conv)

recon_tensor recon_tape_weight_as(recon_tape *t, recon_var w, recon_dtype type)
{
    if (w->value.type == type)
        return w->value;
    if (w->param && w->param->low.data && type == RECON_BF16)
        return w->param->low;
    recon_tensor low = recon_tape_make(t, type, w->value.shape, w->value.ndim);
    recon_add_args a = { .alpha = 1, .y = low, .a = w->value };
    RECON_CALL(t, add, &a);
    return low;
}

/* What a product's gradient of w is made for: floats, whatever w is. */
static recon_var in_float(recon_tape *t, recon_var w)
{
    return w && w->value.type == RECON_BF16 ? recon_var_cast(t, w, RECON_F32) : w;
}

static recon_var apply(recon_tape *t, recon_conv_args *a, recon_var x, recon_var w, recon_var bias,
                       const size_t *shape, int ndim)
{
    a->w = recon_tape_weight_as(t, w, x->value.type);
    w = in_float(t, w);
    bias = in_float(t, bias);
    a->bias = bias ? bias->value : (recon_tensor){ 0 };
    a->y = recon_tape_make(t, x->value.type, shape, ndim);
    a->tf32 = t->precision == RECON_TF32;
    RECON_CALL(t, conv, a);
    return recon_tape_record(t, a->y, (recon_operands){ { x, w, bias } }, conv_back, a, sizeof *a);
}

static int bias_fits(recon_var bias, recon_var w)
{
    return !bias || (bias->value.ndim == 1 && bias->value.shape[0] == w->value.shape[0]);
}

recon_var recon_var_conv(recon_tape *t, recon_var x, recon_var w, recon_var bias,
                         const recon_conv_options *options)
{
    recon_conv_options o = options ? *options : (recon_conv_options){ 0 };
    if (recon_tape_skips(t, x, w, x))
        return NULL;
    const size_t *xs = x->value.shape, *ws = w->value.shape;
    o.stride = o.stride ? o.stride : 1;
    if (x->value.ndim != 4 || w->value.ndim != 4 || xs[3] != ws[3] || xs[1] + 2 * o.pad < ws[1] ||
        xs[2] + 2 * o.pad < ws[2])
        return recon_tape_mismatch(t, "a convolution", x, "weight", w);
    if (!bias_fits(bias, w))
        return recon_tape_mismatch(t, "a convolution by weights", w, "bias", bias);
    size_t shape[4] = { xs[0], (xs[1] + 2 * o.pad - ws[1]) / o.stride + 1,
                        (xs[2] + 2 * o.pad - ws[2]) / o.stride + 1, ws[0] };
    recon_conv_args a = { .stride = o.stride, .pad = o.pad, .relu = o.relu, .x = x->value };
    return apply(t, &a, x, w, bias, shape, 4);
}

static void steer_back(recon_tape *t, recon_var n)
{
    recon_steer_args *a = n->args;
    a->dy = n->grad;
    a->dx = recon_tape_want(t, n->in[0]);
    a->dw = recon_tape_want_weight(t, n->in[1]);
    RECON_CALL(t, steer_back, a);
    recon_tape_give(t, n->in[0], a->dx);
    recon_tape_give(t, n->in[1], a->dw);
}

recon_var recon_var_steer(recon_tape *t, recon_var x, recon_var w, const recon_tensor *wave,
                          const recon_planes *planes, size_t pad)
{
    if (recon_tape_skips(t, x, w, x))
        return NULL;
    recon_steer_args a = { .pad = pad,
                           .tf32 = t->precision == RECON_TF32,
                           .plane = planes->plane,
                           .product = planes->product,
                           .products = planes->products,
                           .x = x->value,
                           .w = recon_tape_weight_as(t, w, x->value.type),
                           .wave = *wave };
    recon_steer_sizes s = recon_steer_sizes_of(&a);
    a.y = recon_tape_make(t, x->value.type, (size_t[]){ s.n, s.p, s.q, s.o }, 4);
    return RECON_APPLY(t, steer, a, a.y, x, w);
}

/* As one matrix: all dimensions but the last count rows. */
static recon_tensor as_rows(recon_tensor x)
{
    size_t rows = recon_tensor_rows(&x), cols = recon_tensor_cols(&x);
    x.ndim = 2;
    x.shape[0] = rows;
    x.shape[1] = cols;
    return x;
}

recon_var recon_var_linear(recon_tape *t, recon_var x, recon_var w, recon_var bias)
{
    size_t shape[RECON_MAX_DIMS];
    if (recon_tape_skips(t, x, w, x))
        return NULL;
    int ndim = x->value.ndim;
    if (ndim < 1 || w->value.ndim != 2 || recon_tensor_cols(&x->value) != w->value.shape[1])
        return recon_tape_mismatch(t, "a linear map", x, "weight", w);
    if (!bias_fits(bias, w))
        return recon_tape_mismatch(t, "a linear map by weights", w, "bias", bias);
    recon_conv_args a = { .stride = 1, .x = as_rows(x->value) };
    shape[0] = a.x.shape[0];
    shape[1] = w->value.shape[0];
    recon_var y = apply(t, &a, x, w, bias, shape, 2);
    if (ndim == 2)
        return y;
    for (int i = 0; i + 1 < ndim; i++)
        shape[i] = x->value.shape[i];
    shape[ndim - 1] = w->value.shape[0];
    return recon_var_reshape(t, y, shape, ndim);
}

RECON_BACK_TO_TWO(tensor_product, da, db)

recon_var recon_var_tensor_product(recon_tape *t, recon_var a, recon_var b, recon_var c)
{
    if (recon_tape_skips(t, a, b, c))
        return NULL;
    const size_t *as = a->value.shape, *bs = b->value.shape, *cs = c->value.shape;
    if (c->value.ndim != 3 || c->needs)
        return recon_tape_refuse(t, "the table of a tensor product is a constant of i x j x k");
    if (a->value.ndim != 3 || b->value.ndim != 2 || as[0] != bs[0] ||
        a->value.type != b->value.type)
        return recon_tape_mismatch(t, "a tensor product", a, "", b);
    if (as[2] != cs[0] || bs[1] != cs[1])
        return recon_tape_mismatch(t, "a tensor product", as[2] != cs[0] ? a : b, "table", c);
    size_t shape[3] = { as[0], as[1], cs[2] };
    recon_tensor_product_args args = {
        .rows = as[0],
        .channels = as[1],
        .ni = cs[0],
        .nj = cs[1],
        .nk = cs[2],
        .a = a->value,
        .b = b->value,
        .c = c->value,
        .y = recon_tape_make(t, a->value.type, shape, 3),
    };
    return RECON_APPLY(t, tensor_product, args, args.y, a, b);
}

/* --- filters out of weights and a basis ------------------------------------------------------- */

static void expand_back(recon_tape *t, recon_var n)
{
    recon_expand_args *a = n->args;
    a->dfilter = n->grad;
    a->dweight = recon_tape_want(t, n->in[0]);
    RECON_CALL(t, expand_back, a);
    recon_tape_give(t, n->in[0], a->dweight);
}

recon_var recon_var_expand(recon_tape *t, recon_var weight, recon_var basis,
                           const recon_expand_plan *plan, recon_dtype type, const size_t *shape,
                           int ndim)
{
    if (recon_tape_skips(t, weight, basis, weight))
        return NULL;
    recon_expand_args a = { .plan = *plan, .weight = weight->value, .basis = basis->value };
    a.filter = recon_tape_make(t, type, shape, ndim);
    return RECON_APPLY(t, expand, a, a.filter, weight);
}
