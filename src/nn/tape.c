/* tape.c - the record of one step. */
#include "nn/tape.h"
#include "comm/comm.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

recon_status recon_tape_new(recon_ctx *ctx, recon_tape **out, recon_precision precision,
                            uint64_t seed)
{
    recon_tape *t;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &t, 1, sizeof *t));
    t->ctx = ctx;
    t->ops = recon_ops_of(ctx);
    RECON_TRY(recon_precision_resolve(ctx, &precision));
    t->precision = precision;
    t->seed = seed;
    t->nodes = recon_arena_make();
    if (!t->nodes)
        RECON_TRY(recon_fail(ctx, RECON_ERR_MEMORY, "out of memory"));
    t->empty = recon_arena_mark(t->nodes);
    RECON_TRY(t->ops->alloc(ctx, (void **)&t->constants, sizeof *t->constants));
    RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
    *out = t;
done:
    if (status != RECON_OK)
        recon_tape_free(t);
    return status;
}

void recon_tape_free(recon_tape *t)
{
    if (!t)
        return;
    recon_step_free(t->ctx, &t->side[0]);
    recon_step_free(t->ctx, &t->side[1]);
    if (t->constants)
        t->ops->release(t->ctx, t->constants);
    recon_sums_free(t->sums);
    recon_arena_free(t->nodes);
    free(t);
}

recon_status recon_tape_begin(recon_tape *t, recon_tape_mode mode, uint64_t step)
{
    recon_arena_release(t->nodes, t->empty);
    t->mode = mode;
    t->status = RECON_OK;
    t->last = NULL;
    t->sites = 0;
    t->at = 0;
    t->layer = NULL;
    for (int i = 0; i < 2; i++)
        recon_tape_did(t, recon_step_reset(t->ctx, &t->side[i]));
    double share = t->slice.of && !t->cut.count ? (double)t->slice.n / (double)t->slice.of : 1;
    recon_tape_constants constants = { .counter = step, .share64 = share, .share32 = (float)share };
    recon_tape_did(t, t->ops->upload(t->ctx, t->constants, &constants, sizeof constants));
    return t->status;
}

void recon_tape_split(recon_tape *t, recon_slice slice)
{
    t->slice = slice;
    t->cut = (recon_slices){ 0 };
}

void recon_tape_cut(recon_tape *t, const recon_slices *cut)
{
    t->slice = (recon_slice){ recon_slices_before(cut), recon_slices_here(cut), cut->all };
    t->cut = *cut;
}

void recon_tape_tell_ready(recon_tape *t, recon_ready *ready, void *user)
{
    t->ready = ready;
    t->ready_user = user;
}

recon_slice recon_tape_slice(const recon_tape *t)
{
    return t->slice;
}

recon_slice recon_tape_together(const recon_tape *t)
{
    return t->cut.count ? t->slice : (recon_slice){ 0, t->slice.n, t->slice.n };
}

/* Two sides that do not meet, and neither begins at 0. */
void recon_tape_plan(recon_tape *t)
{
    t->plan = recon_ops_plan(recon_ops_of(t->ctx));
    t->ops = &t->plan;
    for (size_t i = 0; i < 2; i++) {
        t->side[i].peak = 0;
        recon_step_plan(t->ctx, &t->side[i], (1 + i) * RECON_STEP_MOST);
    }
}

void recon_tape_execute(recon_tape *t)
{
    t->ops = recon_ops_of(t->ctx);
    for (size_t i = 0; i < 2; i++)
        recon_step_plan(t->ctx, &t->side[i], 0);
}

recon_status recon_tape_status(const recon_tape *t)
{
    return t->status;
}

void recon_tape_layer(recon_tape *t, const char *name)
{
    t->layer = name;
}

size_t recon_tape_peak(const recon_tape *t)
{
    return t->side[0].peak + t->side[1].peak;
}

recon_dtype recon_tape_activations(const recon_tape *t)
{
    return t->precision == RECON_MIXED    ? RECON_BF16
           : t->precision == RECON_DOUBLE ? RECON_F64
                                          : RECON_F32;
}

/* --- failing ---------------------------------------------------------------------------------- */

int recon_tape_skips(const recon_tape *t, recon_var a, recon_var b, recon_var c)
{
    return t->status != RECON_OK || !a || !b || !c;
}

int recon_tape_did(recon_tape *t, recon_status status)
{
    if (t->status == RECON_OK)
        t->status = status;
    return t->status == RECON_OK;
}

recon_var recon_tape_refuse(recon_tape *t, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    t->status = recon_fail(t->ctx, RECON_ERR_INPUT, "%s%s%s", t->layer ? t->layer : "",
                           t->layer ? ": " : "", text);
    return NULL;
}

recon_var recon_tape_mismatch(recon_tape *t, const char *op, recon_var a, const char *what,
                              recon_var b)
{
    recon_shape_text left, right;
    return recon_tape_refuse(t, "%s of %s does not fit %s%s%s of %s", op,
                             recon_shape_print(left, a->value.shape, a->value.ndim), what,
                             b->param ? " " : "", b->param ? b->param->name : "",
                             recon_shape_print(right, b->value.shape, b->value.ndim));
}

/* --- values ----------------------------------------------------------------------------------- */

recon_tensor recon_tape_make(recon_tape *t, recon_dtype type, const size_t *shape, int ndim)
{
    recon_tensor x = { .type = type, .ndim = ndim };
    memcpy(x.shape, shape, (size_t)ndim * sizeof *shape);
    if (t->status != RECON_OK)
        return x;
    recon_status status = recon_step_take(t->ctx, &t->side[t->at], &x.data, recon_tensor_bytes(&x));
    recon_shape_text text;
    if (status != RECON_OK)
        recon_note(t->ctx, status, "%s, a value of %s", t->layer ? t->layer : "no layer",
                   recon_shape_print(text, shape, ndim));
    recon_tape_did(t, status);
    return x;
}

recon_tensor recon_tape_like(recon_tape *t, const recon_tensor *x)
{
    recon_tensor y = recon_tape_make(t, x->type, x->shape, x->ndim);
    y.slices = x->slices;
    return y;
}

/* Rows of a batch that is cut, or what all of them have made. */
static int is_of_batch(recon_var x)
{
    return x->of_batch || x->value.slices;
}

recon_var recon_tape_record(recon_tape *t, recon_tensor value, recon_operands in, recon_back *back,
                            const void *args, size_t size)
{
    recon_var n;
    if (t->status != RECON_OK ||
        !recon_tape_did(t, recon_arena_take(t->ctx, t->nodes, &n, 1, sizeof *n)))
        return NULL;
    *n = (recon_node){ .value = value };
    for (int i = 0; i < RECON_NODE_INPUTS; i++) {
        n->needs |= in.x[i] && in.x[i]->needs;
        n->of_batch |= in.x[i] && is_of_batch(in.x[i]);
        if (in.x[i] && in.x[i]->value.slices)
            n->value.slices = in.x[i]->value.slices;
    }
    if (!n->needs || !back)
        return n;
    memcpy(n->in, in.x, sizeof n->in);
    n->back = back;
    n->before = t->last;
    if (!recon_tape_did(t, recon_arena_take(t->ctx, t->nodes, &n->args, 1, size)))
        return NULL;
    memcpy(n->args, args, size);
    return t->last = n;
}

recon_var recon_tape_pass(recon_tape *t, recon_var x)
{
    if (t->mode & RECON_RECORD || recon_tape_skips(t, x, x, x))
        return x;
    if (recon_step_holds(&t->side[t->at], x->value.data))
        t->at = !t->at; /* x stays where it is, the other side is free */
    recon_tape_did(t, recon_step_reset(t->ctx, &t->side[t->at]));
    return x;
}

static recon_var leaf(recon_tape *t, recon_tensor value)
{
    return recon_tape_record(t, value, (recon_operands){ { NULL } }, NULL, NULL, 0);
}

recon_tape_mode recon_tape_freeze(recon_tape *t)
{
    recon_tape_mode mode = t->mode;
    t->mode = mode & RECON_RECORD ? RECON_RECORD : RECON_INFER;
    t->frozen = 1;
    return mode;
}

void recon_tape_thaw(recon_tape *t, recon_tape_mode mode)
{
    t->frozen = 0;
    t->mode = mode;
}

recon_var recon_var_constant(recon_tape *t, const void *host, recon_dtype type, const size_t *shape,
                             int ndim)
{
    recon_dtype real = t->precision == RECON_DOUBLE ? RECON_F64 : RECON_F32;
    if (t->status != RECON_OK)
        return NULL;
    if (type != real && type != RECON_I32)
        return recon_tape_refuse(t, "an input of %s on a tape of %s", recon_dtype_name(type),
                                 recon_dtype_name(real));
    recon_tensor x = recon_tape_make(t, type, shape, ndim);
    RECON_CALL(t, upload, x.data, host, recon_tensor_bytes(&x));
    return leaf(t, x);
}

recon_var recon_var_input(recon_tape *t, const void *host, recon_dtype type, const size_t *shape,
                          int ndim)
{
    recon_var x = recon_var_constant(t, host, type, shape, ndim);
    if (x && t->cut.count)
        x->value.slices = &t->cut;
    return x;
}

const recon_slices *recon_tape_slices(const recon_tape *t)
{
    return t->cut.count ? &t->cut : NULL;
}

recon_var recon_var_input_rows(recon_tape *t, const void *host, recon_dtype type,
                               const size_t *shape, int ndim, const recon_slices *rows)
{
    recon_var x = recon_var_constant(t, host, type, shape, ndim);
    if (x)
        x->value.slices = rows;
    return x;
}

recon_var recon_var_param(recon_tape *t, recon_param *param)
{
    recon_var n = leaf(t, param->value);
    if (n) {
        n->param = param;
        n->needs = t->mode & RECON_RECORD && param->trained && !t->frozen;
    }
    return n;
}

recon_var recon_var_watch(recon_tape *t, recon_var input)
{
    if (input)
        input->needs = (t->mode & RECON_RECORD) != 0;
    return input;
}

recon_var recon_var_gradient(recon_tape *t, recon_var input)
{
    if (recon_tape_skips(t, input, input, input))
        return NULL;
    if (!input->grad.data)
        return recon_tape_refuse(t, "no gradient reached this input");
    return leaf(t, input->grad);
}

recon_status recon_var_read(recon_tape *t, double *out, recon_var x)
{
    if (t->status == RECON_OK && t->ops == &t->plan)
        memset(out, 0, recon_var_count(x) * sizeof *out); /* there is nothing to read */
    else if (t->status == RECON_OK)
        return recon_tensor_read(t->ctx, out, &x->value);
    return t->status;
}

const size_t *recon_var_shape(recon_var x, int *ndim)
{
    if (ndim)
        *ndim = x->value.ndim;
    return x->value.shape;
}

size_t recon_var_count(recon_var x)
{
    return recon_tensor_count(&x->value);
}

int recon_same_shape(const recon_tensor *a, const recon_tensor *b)
{
    return a->ndim == b->ndim && !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape);
}

/* --- the way back ----------------------------------------------------------------------------- */

/* The first gradient of a parameter is written straight into its block, later ones beside it. */
recon_tensor recon_tape_want(recon_tape *t, recon_var x)
{
    if (!x || !x->needs)
        return (recon_tensor){ 0 };
    if (x->param && x->param->fresh) {
        x->param->fresh = 0; /* the block is handed out once: an operation may use x twice */
        return x->param->grad;
    }
    return recon_tape_like(t, &x->value);
}

recon_tensor recon_tape_want_all(recon_tape *t, recon_var x)
{
    return x->needs ? recon_tape_want(t, x) : recon_tape_like(t, &x->value);
}

/* Sums go where nobody else looks: a gradient that is there may be shared. Of a node that adds two
 * gradients itself the second is kept beside the first. */
static void settle(recon_tape *t, recon_var x, recon_tensor gradient, int shared)
{
    recon_tensor *sum = x->param ? &x->param->grad : &x->grad;
    if (x->adds && sum->data && !x->more.data && gradient.type == sum->type) {
        x->more = gradient;
        return;
    }
    if (x->param && gradient.data == sum->data)
        return; /* written where it belongs */
    if (sum->data) {
        recon_tensor into = x->param ? *sum : shared ? recon_tape_like(t, sum) : gradient;
        recon_add_args a = { .alpha = 1, .beta = 1, .y = into, .a = *sum, .b = gradient };
        RECON_CALL(t, add, &a);
        *sum = into;
    } else {
        *sum = gradient;
    }
}

static void settle_later(recon_tape *t, recon_var x, recon_tensor gradient, int shared)
{
    recon_late *l;
    if (!recon_tape_did(t, recon_arena_take(t->ctx, t->nodes, &l, 1, sizeof *l)))
        return;
    *l = (recon_late){ x, gradient, shared, NULL };
    *t->late_end = l;
    t->late_end = &l->next;
}

/* Gradients of weights may wait for other ranks. Those of a batch's own rows, which the gathered
 * rows of a batch can be the weights of, are needed next. */
static void hand_over(recon_tape *t, recon_var x, recon_tensor gradient, int shared)
{
    if (!x || !x->needs || !gradient.data || t->status != RECON_OK)
        return;
    if (t->late_end && !is_of_batch(x))
        settle_later(t, x, gradient, shared);
    else if (!recon_sums_wait_for(t->ctx, gradient.data) ||
             recon_tape_did(t, recon_sums_finish(t->ctx)))
        settle(t, x, gradient, shared);
}

void recon_tape_give(recon_tape *t, recon_var x, recon_tensor gradient)
{
    hand_over(t, x, gradient, 0);
}

void recon_tape_share(recon_tape *t, recon_var x, recon_tensor gradient)
{
    hand_over(t, x, gradient, 1);
}

/* Through the nodes that are made from a batch's slices, or the others, or all. */
static void go_back(recon_tape *t, int of_batch, int others)
{
    int telling = t->ready && !t->cut.count && t->ops != &t->plan;
    if (telling) {
        /* The backward pass ends with what was recorded first: a parameter's gradient with its
         * first use. */
        for (recon_var n = t->last; n; n = n->before)
            for (int i = 0; i < RECON_NODE_INPUTS; i++)
                if (n->in[i] && n->in[i]->param && n->in[i]->needs)
                    n->in[i]->param->last = n;
    }
    for (recon_var n = t->last; n && t->status == RECON_OK; n = n->before) {
        if (n->grad.data && (is_of_batch(n) ? of_batch : others)) {
            n->back(t, n);
            n->grad.data = n->more.data = NULL; /* another pass over the same record begins anew */
        }                                       /* else not on the way to the loss, or not yet */
        if (telling) {
            for (int i = 0; i < RECON_NODE_INPUTS && t->status == RECON_OK; i++) {
                recon_param *param = n->in[i] ? n->in[i]->param : NULL;
                if (!param || param->last != n)
                    continue;
                param->last = NULL; /* an operation may use it twice */
                recon_tape_did(t, t->ready(t->ready_user, param));
            }
        }
    }
}

/* Of a batch that is cut. What is computed from weights alone comes after the batch, so that their
 * gradients can wait, and meet those of other ranks all at once. */
static void go_back_in_slices(recon_tape *t)
{
    t->late = NULL;
    t->late_end = &t->late;
    if (recon_comm_size(t->ctx) > 1)
        recon_tape_did(t, recon_sums_begin(t->ctx, &t->sums));
    go_back(t, 1, 0);
    if (t->status == RECON_OK)
        recon_tape_did(t, recon_sums_finish(t->ctx));
    recon_sums_end(t->ctx);
    t->late_end = NULL;
    for (const recon_late *l = t->late; l && t->status == RECON_OK; l = l->next)
        settle(t, l->x, l->gradient, l->shared);
    go_back(t, 0, 1);
}

recon_status recon_tape_backward(recon_tape *t, recon_var loss)
{
    if (t->status != RECON_OK)
        return t->status;
    if (!loss || recon_tensor_count(&loss->value) != 1 || !loss->back) {
        recon_tape_refuse(
            t, "the backward pass starts from one number that was computed from parameters");
        return t->status;
    }
    loss->grad = loss->value;
    loss->grad.data = loss->value.type == RECON_F64 ? (void *)&t->constants->share64
                                                    : (void *)&t->constants->share32;
    if (t->cut.count)
        go_back_in_slices(t);
    else
        go_back(t, 1, 1);
    return t->status;
}
