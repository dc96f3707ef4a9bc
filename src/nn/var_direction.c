/* var_direction.c - rows of length one and angles of pairs on the tape. */
#include "nn/tape.h"

RECON_BACK_TO_ONE(unit, unit)

recon_var recon_var_unit(recon_tape *t, recon_var x)
{
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (x->value.ndim < 1)
        return recon_tape_refuse(t, "a number has no direction: expected rows");
    recon_unit_args a = { .x = x->value, .y = recon_tape_like(t, &x->value) };
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->unit(t->ctx, &a));
    return recon_tape_record(t, a.y, (recon_operands){ { x } }, unit_back, &a, sizeof a);
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
    if (t->status == RECON_OK)
        recon_tape_did(t, t->ops->angle(t->ctx, &a));
    return recon_tape_record(t, a.y, (recon_operands){ { x } }, angle_back, &a, sizeof a);
}
