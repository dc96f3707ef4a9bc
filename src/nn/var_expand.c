/* var_expand.c - filters out of weights and a basis. */
#include "nn/expand.h"

static void expand_back(recon_tape *t, recon_var n)
{
    recon_expand_args *a = n->args;
    a->dfilter = n->grad;
    a->dweight = recon_tape_want(t, n->in[0]);
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->expand_back(t->ctx, a));
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
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->expand(t->ctx, &a));
    return recon_tape_record(t, a.filter, (recon_operands){ { weight } }, expand_back, &a,
                             sizeof a);
}
