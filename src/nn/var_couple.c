/* var_couple.c - the tensor product on the tape. */
#include <recon/nn/couple.h>
#include "nn/tape.h"
#include "ops/couple.h"

static void couple_back(recon_tape *t, recon_var n)
{
    recon_couple_args *a = n->args;
    a->dy = n->grad;
    a->dx = recon_tape_want(t, n->in[0]);
    a->dw = recon_tape_want_weight(t, n->in[1]);
    a->dbias = recon_tape_want(t, n->in[2]);
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->couple_back(t->ctx, a));
    recon_tape_give(t, n->in[0], a->dx);
    recon_tape_give(t, n->in[1], a->dw);
    recon_tape_give(t, n->in[2], a->dbias);
}

static int is_rows(recon_var v, size_t rows, size_t cols)
{
    return v->value.ndim == 2 && v->value.shape[0] == rows && v->value.shape[1] == cols;
}

static int is_flat(recon_var v, size_t count)
{
    return v->value.ndim == 1 && v->value.shape[0] == count;
}

/* NULL or a message's words for what does not fit, *what being that. */
static const char *misfit(recon_var *what, recon_var x, recon_var attr, recon_var weight,
                          recon_var bias, const recon_couple_plan *plan)
{
    size_t rows = recon_tensor_rows(&x->value);
    *what = attr;
    if (!is_rows(attr, rows, RECON_COUPLE_ATTRS) || attr->value.type == RECON_BF16 || attr->needs)
        return "constant attributes, in float,";
    *what = weight;
    if (!is_rows(x, rows, recon_couple_dim(plan->in)) ||
        !is_flat(weight, recon_couple_weight(plan, RECON_COUPLE_DEGREES)))
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
    const char *words = misfit(&what, x, attr, weight, bias, plan);
    if (words)
        return recon_tape_mismatch(t, "a tensor product", x, words, what);
    size_t shape[2] = { x->value.shape[0], recon_couple_dim(plan->out) };
    recon_couple_args a = { .plan = plan,
                            .x = x->value,
                            .attr = attr->value,
                            .w = recon_tape_weight_as(t, weight, x->value.type),
                            .y = recon_tape_make(t, x->value.type, shape, 2) };
    if (bias)
        a.bias = bias->value;
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->couple(t->ctx, &a));
    return recon_tape_record(t, a.y, (recon_inputs){ { x, weight, bias } }, couple_back, &a,
                             sizeof a);
}
