/* var_rows.c - rows, columns and sums: gather, segment sums, reductions, joining and cutting. */
#include "nn/tape.h"

#include <string.h>

static int is_i32_vector(recon_var v)
{
    return v->value.type == RECON_I32 && v->value.ndim == 1;
}

RECON_BACK_TO_ONE(gather, gather)

recon_var recon_var_gather(recon_tape *t, recon_var x, recon_var index, recon_var order,
                           recon_var offset)
{
    if (recon_tape_skips(t, x, index, order) || !offset)
        return NULL;
    if (!is_i32_vector(index) || !is_i32_vector(order) || !is_i32_vector(offset) ||
        !recon_same_shape(&index->value, &order->value))
        return recon_tape_mismatch(t, "an index", index, "an order", order);
    if (x->value.ndim < 1 || offset->value.shape[0] != x->value.shape[0] + 1)
        return recon_tape_mismatch(t, "rows", x, "offsets", offset);
    size_t shape[RECON_MAX_DIMS];
    memcpy(shape, x->value.shape, sizeof shape);
    shape[0] = index->value.shape[0];
    recon_gather_args a = {
        .x = x->value, .index = index->value, .order = order->value, .offset = offset->value
    };
    a.y = recon_tape_make(t, x->value.type, shape, x->value.ndim);
    recon_var n = RECON_APPLY(t, gather, a, a.y, x);
    if (n)
        n->value.slices = index->value.slices; /* its rows are the index's */
    return n;
}

RECON_BACK_TO_ONE(segment_sum, segment)

recon_var recon_var_segment_sum(recon_tape *t, recon_var x, recon_var offset)
{
    if (recon_tape_skips(t, x, offset, x))
        return NULL;
    if (x->value.ndim < 1 || !is_i32_vector(offset) || offset->value.shape[0] < 2)
        return recon_tape_mismatch(t, "rows", x, "offsets", offset);
    size_t shape[RECON_MAX_DIMS];
    memcpy(shape, x->value.shape, sizeof shape);
    shape[0] = offset->value.shape[0] - 1;
    recon_segment_args a = { .x = x->value, .offset = offset->value };
    a.y = recon_tape_make(t, x->value.type, shape, x->value.ndim);
    recon_var n = RECON_APPLY(t, segment_sum, a, a.y, x);
    if (n)
        n->value.slices = offset->value.slices; /* its rows are the segments */
    return n;
}

typedef struct {
    recon_sparse_args forth, back;
} sparse_pair;

static void sparse_back(recon_tape *t, recon_var n)
{
    recon_sparse_args *a = &((sparse_pair *)n->args)->back;
    a->x = n->grad;
    a->y = recon_tape_want(t, n->in[0]);
    RECON_CALL(t, sparse, a);
    recon_tape_give(t, n->in[0], a->y);
}

static int is_sparse(recon_sparse s, recon_dtype exact)
{
    return is_i32_vector(s.index) && is_i32_vector(s.offset) && s.offset->value.shape[0] > 1 &&
           recon_same_shape(&s.index->value, &s.weight->value) && s.weight->value.type == exact;
}

recon_var recon_var_sparse(recon_tape *t, recon_sparse s, recon_var x, recon_sparse transpose)
{
    if (recon_tape_skips(t, x, s.index, s.weight) ||
        recon_tape_skips(t, s.offset, transpose.index, transpose.weight) || !transpose.offset)
        return NULL;
    recon_dtype exact = t->precision == RECON_DOUBLE ? RECON_F64 : RECON_F32;
    if (!is_sparse(s, exact) || !is_sparse(transpose, exact))
        return recon_tape_mismatch(t, "a sparse matrix", s.index, "of weights", s.weight);
    if (x->value.ndim < 1 || transpose.offset->value.shape[0] != x->value.shape[0] + 1)
        return recon_tape_mismatch(t, "rows", x, "offsets", transpose.offset);
    size_t shape[RECON_MAX_DIMS];
    memcpy(shape, x->value.shape, sizeof shape);
    shape[0] = s.offset->value.shape[0] - 1;
    sparse_pair a = { .forth = { .x = x->value,
                                 .index = s.index->value,
                                 .weight = s.weight->value,
                                 .offset = s.offset->value },
                      .back = { .index = transpose.index->value,
                                .weight = transpose.weight->value,
                                .offset = transpose.offset->value } };
    a.forth.y = recon_tape_make(t, x->value.type, shape, x->value.ndim);
    RECON_CALL(t, sparse, &a.forth);
    return recon_tape_record(t, a.forth.y, (recon_operands){ { x } }, sparse_back, &a, sizeof a);
}

RECON_BACK_TO_ONE(reduce, reduce)

/* Sums over axes first .. last, times scale. */
static recon_var reduce(recon_tape *t, recon_var x, int first, int last, int mean)
{
    recon_reduce_args a = { .outer = 1, .middle = 1, .inner = 1, .scale = 1, .x = x->value };
    size_t shape[RECON_MAX_DIMS];
    int ndim = 0;
    for (int i = 0; i < x->value.ndim; i++) {
        *(i < first ? &a.outer : i <= last ? &a.middle : &a.inner) *= x->value.shape[i];
        if (i < first || i > last)
            shape[ndim++] = x->value.shape[i];
    }
    if (mean)
        a.scale = 1 / (double)(first ? a.middle : recon_slices_in_rows(&x->value, a.middle).all);
    a.batch = first == 0;
    a.y = recon_tape_make(t, x->value.type, shape, ndim);
    recon_var n = RECON_APPLY(t, reduce, a, a.y, x);
    if (n && first == 0)
        n->value.slices = NULL; /* it is the whole batch's */
    return n;
}

recon_var recon_var_sum(recon_tape *t, recon_var x, int axis)
{
    recon_shape_text text;
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (axis < 0 || axis >= x->value.ndim)
        return recon_tape_refuse(t, "a sum over axis %d of %s", axis,
                                 recon_shape_print(text, x->value.shape, x->value.ndim));
    return reduce(t, x, axis, axis, 0);
}
recon_var recon_var_spatial_mean(recon_tape *t, recon_var x)
{
    recon_shape_text text;
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    if (x->value.ndim != 4)
        return recon_tape_refuse(t, "a spatial mean of %s: expected n x h x w x channels",
                                 recon_shape_print(text, x->value.shape, x->value.ndim));
    return reduce(t, x, 1, 2, 1);
}

static void reshape_back(recon_tape *t, recon_var n)
{
    recon_var x = n->in[0];
    recon_tensor gradient = x->value;
    gradient.data = n->grad.data;
    recon_tape_share(t, x, gradient);
}

recon_var recon_var_reshape(recon_tape *t, recon_var x, const size_t *shape, int ndim)
{
    recon_shape_text from, to;
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    recon_tensor y = { .type = x->value.type, .ndim = ndim, .data = x->value.data };
    memcpy(y.shape, shape, (size_t)ndim * sizeof *shape);
    if (x->param)
        return recon_tape_refuse(t, "parameters keep their shape");
    if (recon_tensor_count(&y) != recon_tensor_count(&x->value))
        return recon_tape_refuse(t, "%s cannot be seen as %s",
                                 recon_shape_print(from, x->value.shape, x->value.ndim),
                                 recon_shape_print(to, shape, ndim));
    return recon_tape_record(t, y, (recon_operands){ { x } }, reshape_back, &y, sizeof y);
}

static recon_status copy_columns(recon_tape *t, recon_tensor dst, size_t to, recon_tensor src,
                                 size_t from, size_t cols)
{
    recon_columns_args a = { .rows = recon_tensor_rows(&dst),
                             .cols = cols,
                             .from = from,
                             .to = to,
                             .dst = dst,
                             .src = src };
    return t->status == RECON_OK ? t->ops->columns(t->ctx, &a) : t->status;
}

typedef struct {
    size_t from, count;
} cut;

static void columns_back(recon_tape *t, recon_var n)
{
    const cut *c = n->args;
    recon_tensor dx = recon_tape_want(t, n->in[0]);
    RECON_CALL(t, zero, dx.data, recon_tensor_bytes(&dx));
    recon_tape_did(t, copy_columns(t, dx, c->from, n->grad, 0, c->count));
    recon_tape_give(t, n->in[0], dx);
}

recon_var recon_var_columns(recon_tape *t, recon_var x, size_t from, size_t count)
{
    recon_shape_text text;
    if (recon_tape_skips(t, x, x, x))
        return NULL;
    size_t have = recon_tensor_cols(&x->value), shape[RECON_MAX_DIMS];
    if (x->value.ndim < 1 || count == 0 || from > have || count > have - from)
        return recon_tape_refuse(t, "columns %zu .. %zu of %s", from, from + count,
                                 recon_shape_print(text, x->value.shape, x->value.ndim));
    memcpy(shape, x->value.shape, sizeof shape);
    shape[x->value.ndim - 1] = count;
    recon_tensor y = recon_tape_make(t, x->value.type, shape, x->value.ndim);
    recon_tape_did(t, copy_columns(t, y, 0, x->value, from, count));
    return recon_tape_record(t, y, (recon_operands){ { x } }, columns_back, &(cut){ from, count },
                             sizeof(cut));
}

static void join_back(recon_tape *t, recon_var n)
{
    size_t from = 0;
    for (int i = 0; i < 2; i++) {
        recon_var x = n->in[i];
        size_t cols = recon_tensor_cols(&x->value);
        recon_tensor dx = recon_tape_want(t, x);
        if (dx.data)
            recon_tape_did(t, copy_columns(t, dx, 0, n->grad, from, cols));
        recon_tape_give(t, x, dx);
        from += cols;
    }
}

static recon_var join(recon_tape *t, recon_var a, recon_var b)
{
    if (recon_tape_skips(t, a, b, a))
        return NULL;
    size_t left = recon_tensor_cols(&a->value), right = recon_tensor_cols(&b->value);
    size_t shape[RECON_MAX_DIMS];
    int ndim = a->value.ndim;
    memcpy(shape, a->value.shape, sizeof shape);
    if (ndim < 1 || ndim != b->value.ndim || a->value.type != b->value.type ||
        memcmp(shape, b->value.shape, (size_t)(ndim - 1) * sizeof *shape))
        return recon_tape_mismatch(t, "joining", a, "", b);
    shape[ndim - 1] = left + right;
    recon_tensor y = recon_tape_make(t, a->value.type, shape, ndim);
    recon_tape_did(t, copy_columns(t, y, 0, a->value, 0, left));
    recon_tape_did(t, copy_columns(t, y, left, b->value, 0, right));
    return recon_tape_record(t, y, (recon_operands){ { a, b } }, join_back, &y, sizeof y);
}

/* Two at a time, from halves: n parts are copied log n times. */
recon_var recon_var_concat(recon_tape *t, const recon_var *x, size_t n)
{
    if (n == 0)
        return recon_tape_refuse(t, "joining no parts");
    if (n == 1)
        return x[0];
    return join(t, recon_var_concat(t, x, n / 2), recon_var_concat(t, x + n / 2, n - n / 2));
}
