/* var_whole.c - a batch that is shared out: all of its rows, and sums over it.
 *
 * The gradient of all rows is everywhere when it comes back: what made it (the gradient of a
 * product's weights) has added up the slices of all ranks. A rank takes its own rows. */
#include "nn/tape.h"
#include "comm/comm.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

static size_t row_bytes(const recon_tensor *x)
{
    return x->shape[0] ? recon_tensor_bytes(x) / x->shape[0] : 0;
}

/* Where this rank's rows begin among all. */
static size_t first_row(const recon_tensor *x)
{
    recon_slices s = recon_slices_in_rows(x, x->shape[0]);
    return recon_slices_before(&s);
}

static void whole_back(recon_tape *t, recon_var n)
{
    recon_var x = n->in[0];
    recon_tensor gradient = x->value;
    gradient.data = (char *)n->grad.data + first_row(&x->value) * row_bytes(&x->value);
    recon_tape_share(t, x, gradient);
}

static recon_status gather(recon_tape *t, const recon_tensor *y, const recon_tensor *x)
{
    recon_slices s = recon_slices_in_rows(x, x->shape[0]);
    size_t bytes = row_bytes(x), *begin = NULL;
    int size = recon_comm_size(t->ctx);
    recon_status status;
    if (t->ops == &t->plan)
        return RECON_OK;
    RECON_TRY(recon_alloc(t->ctx, &begin, (size_t)size + 1, sizeof *begin));
    for (int r = 0; r < size; r++) {
        size_t end = recon_comm_share(t->ctx, r, s.count, 1).end * s.each;
        begin[r + 1] = end < s.all ? end : s.all;
    }
    recon_tensor own = *x;
    own.data = (char *)y->data + first_row(x) * bytes;
    RECON_TRY(t->ops->add(t->ctx, &(recon_add_args){ .alpha = 1, .y = own, .a = *x }));
    RECON_TRY(t->ops->gather_ranks(t->ctx, y->data, begin, bytes));
done:
    free(begin);
    return status;
}

recon_var recon_var_whole(recon_tape *t, recon_var x)
{
    if (recon_tape_skips(t, x, x, x) || !x->value.slices)
        return x;
    recon_tensor y = x->value;
    if (recon_comm_size(t->ctx) > 1) {
        y.shape[0] = recon_slices_in_rows(&x->value, y.shape[0]).all;
        y = recon_tape_make(t, y.type, y.shape, y.ndim);
        if (t->status == RECON_OK)
            recon_tape_did(t, gather(t, &y, &x->value));
    }
    recon_var all = recon_tape_record(t, y, (recon_operands){ { x } }, whole_back, &y, sizeof y);
    if (all)
        all->value.slices = NULL;
    return all;
}
