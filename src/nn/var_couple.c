/* var_couple.c - tensor products and messages between nodes on the tape. */
#include <recon/nn/couple.h>
#include "nn/tape.h"
#include "ops/couple.h"

RECON_BACK_TO_LAYER(couple)

static int is_rows(recon_var v, size_t rows, size_t cols)
{
    return v->value.ndim == 2 && v->value.shape[0] == rows && v->value.shape[1] == cols;
}

static int is_flat(recon_var v, size_t count)
{
    return v->value.ndim == 1 && v->value.shape[0] == count;
}

/* NULL or a message's words for what does not fit rows of edges or nodes, *what being that. */
static const char *misfit(recon_var *what, size_t rows, recon_var attr, recon_var weight,
                          recon_var bias, const recon_couple_plan *plan)
{
    *what = attr;
    if (!is_rows(attr, rows, RECON_COUPLE_ATTRS) || attr->value.type == RECON_BF16 || attr->needs)
        return "constant attributes, in float,";
    *what = weight;
    if (!is_flat(weight, recon_couple_weight(plan, RECON_COUPLE_DEGREES)))
        return "weights";
    *what = bias;
    return bias && !is_flat(bias, plan->out[0]) ? "bias" : NULL;
}

recon_var recon_var_couple(recon_tape *t, recon_var x, recon_var attr, recon_var weight,
                           recon_var bias, const recon_couple_plan *plan)
{
    recon_var what;
    if (recon_tape_skips(t, x, attr, weight))
        return NULL;
    size_t rows = recon_tensor_rows(&x->value), dim = recon_couple_dim(plan->in);
    const char *words = misfit(&what, rows, attr, weight, bias, plan);
    if (!is_rows(x, rows, dim))
        return recon_tape_refuse(t, "a tensor product: rows of %zu numbers, not %zu", dim,
                                 recon_tensor_cols(&x->value));
    if (words)
        return recon_tape_mismatch(t, "a tensor product", x, words, what);
    size_t shape[2] = { rows, recon_couple_dim(plan->out) };
    recon_couple_args a = { .plan = plan,
                            .tf32 = t->precision == RECON_TF32,
                            .x = x->value,
                            .attr = attr->value,
                            .w = recon_tape_weight_as(t, weight, x->value.type),
                            .y = recon_tape_make(t, x->value.type, shape, 2) };
    if (bias)
        a.bias = bias->value;
    return RECON_APPLY(t, couple, a, a.y, x, weight, bias);
}

/* --- messages between all atoms of a molecule -------------------------------------------------- */

static void pairs_back(recon_tape *t, recon_var n)
{
    recon_pairs_args *a = n->args;
    a->dy = n->grad;
    a->ds = recon_tape_want(t, n->in[0]);
    a->du = recon_tape_want(t, n->in[1]);
    a->dw = recon_tape_want(t, n->in[2]);
    RECON_CALL(t, pairs_back, a);
    recon_tape_give(t, n->in[0], a->ds);
    recon_tape_give(t, n->in[1], a->du);
    recon_tape_give(t, n->in[2], a->dw);
}

/* Is x rows, b, c - or rows, c where b is 1 - of this type? */
static int is(recon_var x, recon_dtype type, size_t rows, size_t b, size_t c)
{
    const recon_tensor *v = &x->value;
    return v->type == type && v->ndim == (b == 1 ? 2 : 3) && v->shape[0] == rows &&
           recon_tensor_cols(v) == c && recon_tensor_count(v) == rows * b * c;
}

recon_var recon_var_pairs(recon_tape *t, recon_var s, recon_var u, recon_var w, recon_var xyz,
                          recon_var offset)
{
    if (recon_tape_skips(t, s, u, w) || recon_tape_skips(t, xyz, offset, xyz))
        return NULL;
    size_t rows = s->value.shape[0], vectors = recon_tensor_cols(&u->value) / 4;
    size_t cols = recon_tensor_cols(&s->value);
    recon_dtype exact = s->value.type == RECON_F64 ? RECON_F64 : RECON_F32;
    if (cols < vectors || !is(s, s->value.type, rows, 1, cols) ||
        !is(u, s->value.type, rows, 3, 4 * vectors))
        return recon_tape_mismatch(t, "scalars of atoms", s, "vectors", u);
    if (!is(w, exact, RECON_PAIRS_KNOTS, 1, cols + 4 * vectors))
        return recon_tape_mismatch(t, "vectors of atoms", u, "filters", w);
    if (!is(xyz, exact, rows, 1, 3))
        return recon_tape_mismatch(t, "scalars of atoms", s, "positions", xyz);
    if (offset->value.type != RECON_I32 || offset->value.ndim != 1 || offset->value.shape[0] < 2)
        return recon_tape_mismatch(t, "atoms", s, "offsets", offset);
    recon_pairs_args a = { .scalars = cols - vectors,
                           .vectors = vectors,
                           .s = s->value,
                           .u = u->value,
                           .w = w->value,
                           .xyz = xyz->value,
                           .offset = offset->value };
    a.y = recon_tape_make(t, s->value.type, (size_t[]){ rows, cols + 3 * vectors }, 2);
    return RECON_APPLY(t, pairs, a, a.y, s, u, w);
}
