/* var_loss.c - losses: in float whatever the network computes in. */
#include "nn/tape.h"

/* The gradient of x, if anybody asks. */
static void side_back(recon_tape *t, recon_loss_args *a, recon_var x)
{
    a->dx = recon_tape_want(t, x);
    if (a->dx.data && t->status == RECON_OK)
        recon_tape_did(t, t->ops->loss_back(t->ctx, a));
    recon_tape_give(t, x, a->dx);
}

/* A cosine's sides are alike: the target's gradient is that of x with the two exchanged. */
static void loss_back(recon_tape *t, recon_var n)
{
    recon_loss_args *a = n->args, exchanged = *a;
    a->dloss = exchanged.dloss = n->grad;
    side_back(t, a, n->in[0]);
    exchanged.x = a->target;
    exchanged.target = a->x;
    side_back(t, &exchanged, n->in[1]);
}

static recon_var loss(recon_tape *t, recon_var x, recon_var target, recon_loss_kind kind)
{
    if (recon_tape_skips(t, x, target, x))
        return NULL;
    recon_dtype type = t->precision == RECON_DOUBLE ? RECON_F64 : RECON_F32;
    size_t one = 1;
    if (target->needs && kind != RECON_LOSS_COS)
        return recon_tape_refuse(t, "a loss's target must be a constant");
    x = recon_var_cast(t, x, type);
    if (kind != RECON_LOSS_CROSS_ENTROPY)
        target = recon_var_cast(t, target, type);
    if (!x || !target)
        return NULL;
    recon_loss_args a = { .kind = kind, .x = x->value, .target = target->value };
    a.loss = recon_tape_make(t, type, &one, 1);
    recon_var n = RECON_APPLY(t, loss, a, a.loss, x, target);
    if (n)
        n->value.slices = NULL; /* it is the whole batch's */
    return n;
}

/* One target a row. */
static int rows_fit(recon_var x, recon_var target)
{
    return x->value.ndim == 2 && recon_tensor_count(&target->value) == x->value.shape[0];
}

recon_var recon_var_cross_entropy(recon_tape *t, recon_var logits, recon_var labels)
{
    if (recon_tape_skips(t, logits, labels, labels))
        return NULL;
    if (!rows_fit(logits, labels) || labels->value.type != RECON_I32)
        return recon_tape_mismatch(t, "a cross-entropy", logits, "int32 labels", labels);
    return loss(t, logits, labels, RECON_LOSS_CROSS_ENTROPY);
}

static recon_var alike(recon_tape *t, recon_var x, recon_var target, recon_loss_kind kind)
{
    if (recon_tape_skips(t, x, target, x))
        return NULL;
    if (!recon_same_shape(&x->value, &target->value))
        return recon_tape_mismatch(t, "a loss", x, "target", target);
    return loss(t, x, target, kind);
}

recon_var recon_var_mse(recon_tape *t, recon_var x, recon_var target)
{
    return alike(t, x, target, RECON_LOSS_MSE);
}
recon_var recon_var_l1(recon_tape *t, recon_var x, recon_var target)
{
    return alike(t, x, target, RECON_LOSS_L1);
}
recon_var recon_var_cosine_loss(recon_tape *t, recon_var x, recon_var target)
{
    return alike(t, x, target, RECON_LOSS_COS);
}

recon_var recon_var_vonmises_loss(recon_tape *t, recon_var x, recon_var angles)
{
    if (recon_tape_skips(t, x, angles, x))
        return NULL;
    if (!rows_fit(x, angles) || x->value.shape[1] % 4)
        return recon_tape_mismatch(t, "a mixture (4 numbers a part)", x, "angles", angles);
    return loss(t, x, angles, RECON_LOSS_VONMISES);
}
