/* var_pairs.c - messages between the atoms of molecules, on the tape. */
#include "nn/tape.h"
#include "ops/pairs.h"

static void pairs_back(recon_tape *t, recon_var n)
{
    recon_pairs_args *a = n->args;
    a->dy = n->grad;
    a->ds = recon_tape_want(t, n->in[0]);
    a->du = recon_tape_want(t, n->in[1]);
    a->dw = recon_tape_want(t, n->in[2]);
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->pairs_back(t->ctx, a));
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
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->pairs(t->ctx, &a));
    return recon_tape_record(t, a.y, (recon_operands){ { s, u, w } }, pairs_back, &a, sizeof a);
}
