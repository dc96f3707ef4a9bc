/* var_fisher.c - the likelihood of matrix Fisher mixtures on the tape.
 *
 * No entry of the op table: each row is an eigenproblem and a Bessel integral in double, a few
 * microseconds of a CPU that group/so3 already knows how to spend, and ten numbers a part to carry. The
 * gradient is found with the value, and kept where the network lives. */
#include "nn/tape.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "group/so3/fisher.h"

#include <stdlib.h>

enum { ROWS = RECON_BLOCK_FISHER, F = 9 };

/* n rows in host memory: what goes in, and what comes out. */
typedef struct {
    size_t n, parts;
    double *f, *share /* NULL: none */, *rotations;
    double *loss, *df, *dshare;
} batch;

static recon_status rows_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const batch *b = arg;
    double n = (double)b->n;
    size_t parts = b->parts;
    (void)ctx, (void)worker;
    for (size_t i = task * ROWS; i < (task + 1) * ROWS && i < b->n; i++) {
        double *df = b->df + i * F * parts, *dshare = b->dshare + i * parts;
        b->loss[i] = recon_fisher_loss(df, dshare, b->f + i * F * parts,
                                       b->share ? b->share + i * parts : NULL, (int)parts,
                                       b->rotations + i * F);
        for (size_t k = 0; k < parts; k++)
            dshare[k] /= n;
        for (size_t j = 0; j < F * parts; j++)
            df[j] /= n;
    }
    return RECON_OK;
}

static recon_status batch_new(recon_ctx *ctx, batch *b, double **block, size_t n, size_t parts)
{
    RECON_CHECK(recon_alloc_raw(ctx, block, n * (2 * parts * (F + 1) + F + 1), sizeof **block));
    b->n = n;
    b->parts = parts;
    b->f = *block;
    b->share = b->f + n * F * parts;
    b->rotations = b->share + n * parts;
    b->loss = b->rotations + n * F;
    b->df = b->loss + n;
    b->dshare = b->df + n * F * parts;
    return RECON_OK;
}

/* What the way back needs: the gradients, for d loss = 1. */
typedef struct {
    recon_tensor df, dshare;
} slopes;

static recon_status compute(recon_tape *t, recon_tensor loss, const slopes *out, recon_var f,
                            recon_var share, recon_var rotations)
{
    batch b;
    double *block = NULL, mean = 0;
    recon_status status;
    RECON_TRY(batch_new(t->ctx, &b, &block, f->value.shape[0], f->value.shape[1] / F));
    RECON_TRY(recon_tensor_read(t->ctx, b.f, &f->value));
    if (share)
        RECON_TRY(recon_tensor_read(t->ctx, b.share, &share->value));
    else
        b.share = NULL;
    RECON_TRY(recon_tensor_read(t->ctx, b.rotations, &rotations->value));
    RECON_TRY(recon_parallel(t->ctx, rows_task, &b, (b.n + ROWS - 1) / ROWS));
    for (size_t i = 0; i < b.n; i++)
        mean += b.loss[i] / (double)b.n;
    RECON_TRY(recon_tensor_write(t->ctx, &loss, &mean));
    RECON_TRY(recon_tensor_write(t->ctx, &out->df, b.df));
    if (share)
        RECON_TRY(recon_tensor_write(t->ctx, &out->dshare, b.dshare));
done:
    free(block);
    return status;
}

/* slope times d loss, a number that lies with the backend: a product of one by one and one by n. */
static void give(recon_tape *t, recon_var x, recon_tensor slope, recon_tensor dloss)
{
    recon_tensor dx = recon_tape_want(t, x);
    size_t n = recon_tensor_count(&slope);
    recon_gemm_args product = { .type = slope.type,
                                .m = 1,
                                .n = n,
                                .k = 1,
                                .alpha = 1,
                                .a = dloss.data,
                                .b = slope.data,
                                .c = dx.data,
                                .lda = 1,
                                .ldb = n,
                                .ldc = n };
    if (dx.data && t->status == RECON_OK)
        recon_tape_did(t, t->ops->gemm(t->ctx, &product));
    recon_tape_give(t, x, dx);
}

static void fisher_back(recon_tape *t, recon_var n)
{
    const slopes *s = n->args;
    give(t, n->in[0], s->df, n->grad);
    if (n->in[1])
        give(t, n->in[1], s->dshare, n->grad);
}

static int has_columns(recon_var x, size_t rows, size_t columns)
{
    return x->value.ndim == 2 && x->value.shape[0] == rows && x->value.shape[1] == columns;
}

recon_var recon_var_fisher_loss(recon_tape *t, recon_var f, recon_var share, recon_var rotations)
{
    recon_dtype type = t->precision == RECON_DOUBLE ? RECON_F64 : RECON_F32;
    size_t one = 1;
    if (recon_tape_skips(t, f, f, rotations))
        return NULL;
    size_t n = f->value.shape[0], parts = f->value.ndim == 2 ? f->value.shape[1] / F : 0;
    if (parts < 1 || parts > RECON_FISHER_PARTS || !has_columns(f, n, F * parts) ||
        !has_columns(rotations, n, F))
        return recon_tape_mismatch(t, "F, 9 numbers a part,", f, "rotations", rotations);
    if (share && !has_columns(share, n, parts))
        return recon_tape_mismatch(t, "F, 9 numbers a part,", f, "shares", share);
    if (rotations->needs)
        return recon_tape_refuse(t, "a loss's target is a constant: detach it");
    f = recon_var_cast(t, f, type);
    if (share)
        share = recon_var_cast(t, share, type);
    if (recon_tape_skips(t, f, f, f))
        return NULL;
    recon_tensor loss = recon_tape_make(t, type, &one, 1);
    slopes s = { .df = recon_tape_like(t, &f->value) };
    if (share)
        s.dshare = recon_tape_like(t, &share->value);
    if (t->status == RECON_OK)
        recon_tape_did(t, compute(t, loss, &s, f, share, rotations));
    return recon_tape_record(t, loss, (recon_operands){ { f, share } }, fisher_back, &s, sizeof s);
}
