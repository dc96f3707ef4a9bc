/* var_norm.c - batch norm, its forms for vector fields and graphs, and the norm of scalars and
 * pairs with its nonlinearity, in one pass. */
#include "nn/tape.h"

static void norm_back(recon_tape *t, recon_var n)
{
    recon_norm_args *a = n->args;
    a->dy = n->grad;
    a->dy_more = n->more;
    if (n->in[3])
        a->dskip = recon_tape_want(t, n->in[3]);
    a->dx = recon_tape_want_all(t, n->in[0]);
    a->dscale = recon_tape_want_all(t, n->in[1]);
    if (n->in[2])
        a->dshift = recon_tape_want_all(t, n->in[2]);
    RECON_CALL(t, norm_back, a);
    recon_tape_give(t, n->in[3], a->dskip);
    recon_tape_give(t, n->in[0], a->dx);
    recon_tape_give(t, n->in[1], a->dscale);
    recon_tape_give(t, n->in[2], a->dshift);
}

static int is_vector(recon_var v, size_t channels)
{
    return v->value.ndim == 1 && v->value.shape[0] == channels;
}

recon_var recon_var_norm(recon_tape *t, recon_var x, recon_var scale, recon_var shift,
                         recon_param *running_mean, recon_param *running_var,
                         const recon_norm_options *options)
{
    recon_norm_options o = options ? *options : (recon_norm_options){ 0 };
    if (recon_tape_skips(t, x, scale, x))
        return NULL;
    size_t field = o.field ? o.field : 1, channels = recon_tensor_cols(&x->value) / field;
    if (channels * field != recon_tensor_cols(&x->value) || !is_vector(scale, channels))
        return recon_tape_mismatch(t, "a norm", x, "scale", scale);
    if ((shift != NULL) != (field == 1) || (shift && !is_vector(shift, channels)))
        return recon_tape_refuse(t, "a norm shifts scalars, one shift a channel, and nothing else");
    if (!o.offset && (!running_mean || !running_var))
        return recon_tape_refuse(t, "a norm without segments needs running statistics");
    if (o.offset && (o.offset->value.ndim != 1 || o.offset->value.shape[0] < 2))
        return recon_tape_mismatch(t, "a norm", x, "offsets", o.offset);
    /* Does the second input of the sum fit the first? */
    if (o.skip &&
        !(recon_same_shape(&x->value, &o.skip->value) && x->value.type == o.skip->value.type))
        return recon_tape_mismatch(t, "a norm", x, "what is added to it,", o.skip);
    recon_norm_args a = { .field = field,
                          .relu = o.relu,
                          .training = t->mode == RECON_TRAIN,
                          .eps = o.eps > 0 ? o.eps : 1e-5,
                          .momentum = o.momentum > 0 ? o.momentum : 0.1,
                          .x = x->value,
                          .scale = scale->value };
    if (shift)
        a.shift = shift->value;
    if (o.offset) {
        a.offset = o.offset->value;
    } else {
        a.running_mean = running_mean->value;
        a.running_var = running_var->value;
    }
    if (o.skip)
        a.skip = o.skip->value;
    size_t segments = a.offset.data ? a.offset.shape[0] - 1 : 1;
    size_t shape[2] = { segments, channels };
    int one = a.offset.data == NULL;
    a.mean = recon_tape_make(t, a.scale.type, shape + one, 2 - one);
    a.inv = recon_tape_like(t, &a.mean);
    a.y = recon_tape_like(t, &x->value);
    RECON_CALL(t, norm, &a);
    recon_var n = recon_tape_record(t, a.y, (recon_operands){ { x, scale, shift, o.skip } },
                                    norm_back, &a, sizeof a);
    if (n) /* the sum of a residual block, which the next block reads twice */
        n->adds = a.relu && n->back;
    return n;
}

static void field_norm_back(recon_tape *t, recon_var n)
{
    recon_field_norm_args *a = n->args;
    a->dy = n->grad;
    a->dx = recon_tape_want_all(t, n->in[0]);
    a->dscale = recon_tape_want_all(t, n->in[1]);
    if (n->in[2])
        a->dshift = recon_tape_want_all(t, n->in[2]);
    if (n->in[3])
        a->dbias = recon_tape_want_all(t, n->in[3]);
    RECON_CALL(t, field_norm_back, a);
    recon_tape_give(t, n->in[0], a->dx);
    recon_tape_give(t, n->in[1], a->dscale);
    recon_tape_give(t, n->in[2], a->dshift);
    recon_tape_give(t, n->in[3], a->dbias);
}

/* NULL exactly where nothing is to be added. */
static int fits(recon_var v, size_t count)
{
    return count ? v && is_vector(v, count) : !v;
}

recon_var recon_var_field_norm(recon_tape *t, recon_var x, recon_var scale, recon_var shift,
                               recon_var bias, recon_param *running_mean, recon_param *running_var,
                               const recon_field_norm_options *o)
{
    if (recon_tape_skips(t, x, scale, x))
        return NULL;
    size_t fields = o->scalars + o->pairs;
    if (recon_tensor_cols(&x->value) != o->scalars + 2 * o->pairs || !is_vector(scale, fields))
        return recon_tape_mismatch(t, "a norm of fields", x, "scale", scale);
    if (!fits(shift, o->scalars) || !fits(bias, o->pairs))
        return recon_tape_refuse(t,
                                 "a norm of %zu scalars and %zu pairs needs a shift and a bias "
                                 "for each of them",
                                 o->scalars, o->pairs);
    recon_field_norm_args a = { .scalars = o->scalars,
                                .pairs = o->pairs,
                                .training = t->mode == RECON_TRAIN,
                                .eps = o->eps > 0 ? o->eps : 1e-5,
                                .momentum = o->momentum > 0 ? o->momentum : 0.1,
                                .x = x->value,
                                .scale = scale->value,
                                .running_mean = running_mean->value,
                                .running_var = running_var->value };
    if (shift)
        a.shift = shift->value;
    if (bias)
        a.bias = bias->value;
    a.mean = recon_tape_make(t, scale->value.type, &fields, 1);
    a.inv = recon_tape_like(t, &a.mean);
    a.y = recon_tape_like(t, &x->value);
    return RECON_APPLY(t, field_norm, a, a.y, x, scale, shift, bias);
}
