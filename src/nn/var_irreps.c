/* var_irreps.c - rows of degrees on the tape: joined, and gated. */
#include <recon/nn/segnn.h>
#include "nn/tape.h"

typedef struct {
    size_t n;
    recon_irreps part[RECON_NODE_INPUTS], all;
} join;

/* Copies one degree of part k to its place in the row, or back. */
static recon_status copy(recon_tape *t, const join *j, size_t k, size_t l, recon_tensor row,
                         recon_tensor part, int back)
{
    size_t at = recon_irreps_begin(&j->all, l), from = recon_irreps_begin(&j->part[k], l);
    for (size_t i = 0; i < k; i++)
        at += j->part[i].mul[l] * recon_degree_size(l);
    recon_columns_args a = { .rows = row.shape[0],
                             .cols = j->part[k].mul[l] * recon_degree_size(l),
                             .from = back ? at : from,
                             .to = back ? from : at,
                             .dst = back ? part : row,
                             .src = back ? row : part };
    return a.cols && t->status == RECON_OK ? t->ops->columns(t->ctx, &a) : t->status;
}

static void join_back(recon_tape *t, recon_var n)
{
    const join *j = n->args;
    for (size_t k = 0; k < j->n; k++) {
        recon_tensor dx = recon_tape_want(t, n->in[k]);
        for (size_t l = 0; l < RECON_DEGREES && dx.data; l++)
            recon_tape_did(t, copy(t, j, k, l, n->grad, dx, 1));
        recon_tape_give(t, n->in[k], dx);
    }
}

static int is_row_of(recon_var x, const recon_irreps *irreps, size_t rows, recon_dtype type)
{
    return x->value.ndim == 2 && x->value.shape[0] == rows && x->value.type == type &&
           x->value.shape[1] == recon_irreps_dim(irreps);
}

recon_var recon_var_irreps_join(recon_tape *t, const recon_var *x, const recon_irreps *irreps,
                                size_t n)
{
    recon_operands in = { { NULL } };
    join j = { .n = n };
    if (n == 0 || n > RECON_NODE_INPUTS)
        return recon_tape_refuse(t, "joining %zu parts: 1 to %d", n, RECON_NODE_INPUTS);
    for (size_t k = 0; k < n; k++) {
        if (recon_tape_skips(t, x[k], x[k], x[k]))
            return NULL;
        if (!is_row_of(x[k], &irreps[k], x[0]->value.shape[0], x[0]->value.type))
            return recon_tape_mismatch(t, "joining degrees of", x[0], "", x[k]);
        in.x[k] = x[k];
        j.part[k] = irreps[k];
        j.all = recon_irreps_join(&j.all, &irreps[k]);
    }
    size_t shape[2] = { x[0]->value.shape[0], recon_irreps_dim(&j.all) };
    recon_tensor y = recon_tape_make(t, x[0]->value.type, shape, 2);
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < RECON_DEGREES; l++)
            recon_tape_did(t, copy(t, &j, k, l, y, x[k]->value, 0));
    return recon_tape_record(t, y, in, join_back, &j, sizeof j);
}

RECON_BACK_TO_ONE(activate, activate)

recon_var recon_var_activate(recon_tape *t, recon_var x, const recon_irreps *out)
{
    recon_shape_text text;
    recon_irreps_text irreps;
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    recon_activate_args a = { .x = x->value };
    size_t shape[2] = { x->value.shape[0], recon_irreps_dim(out) };
    if (x->value.ndim != 2 ||
        x->value.shape[1] != shape[1] + recon_irreps_channels(out) - out->mul[0])
        return recon_tape_refuse(t, "gates of %s: %s does not hold them",
                                 recon_irreps_print(irreps, out),
                                 recon_shape_print(text, x->value.shape, x->value.ndim));
    for (size_t l = 0; l < RECON_DEGREES; l++)
        a.channels[l] = (uint32_t)out->mul[l];
    a.y = recon_tape_make(t, x->value.type, shape, 2);
    return RECON_APPLY(t, activate, a, a.y, x);
}
