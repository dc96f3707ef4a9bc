/* conv_plan.c - a convolution as oneDNN's: its plans, its packed weights. */
#include "ops/cpu/conv.h"
#include "core/arena.h"
#include "core/fail.h"

#include <string.h>

typedef recon_conv_job job;

static recon_dnnl_shape shape_of(const job *j, recon_dnnl_kind kind, size_t images)
{
    recon_dnnl_shape s;
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.bf16 = j->type == RECON_BF16;
    s.n = (int64_t)images, s.h = (int64_t)j->h, s.w = (int64_t)j->w, s.c = (int64_t)j->c;
    s.p = (int64_t)j->p, s.q = (int64_t)j->q, s.o = (int64_t)j->o;
    s.kh = (int64_t)j->kh, s.kw = (int64_t)j->kw, s.stride = (int64_t)j->a->stride;
    s.pad_h = s.pad_w = (int64_t)j->a->pad;
    if (j->point) {
        s.n = s.stride = 1;
        s.w = s.q = (int64_t)images;
    }
    return s;
}

/* Can the gradient of x be had by a forward convolution? */
static int is_reversible(const job *j)
{
    return j->point || (j->a->stride == 1 && j->a->pad < j->kh && j->a->pad < j->kw);
}

static recon_dnnl_shape rotated(recon_dnnl_shape s)
{
    recon_dnnl_shape t = s;
    t.kind = RECON_DNNL_FORWARD;
    t.h = s.p, t.w = s.q, t.c = s.o;
    t.p = s.h, t.q = s.w, t.o = s.c;
    t.pad_h = s.kh - 1 - s.pad_h;
    t.pad_w = s.kw - 1 - s.pad_w;
    return t;
}

static recon_dnnl_shape shape_for(const job *j, recon_dnnl_kind kind, size_t images)
{
    recon_dnnl_shape s = shape_of(j, kind, images);
    if (kind == RECON_DNNL_DATA && is_reversible(j))
        return rotated(s);
    s.bias = kind == RECON_DNNL_FORWARD && j->a->bias.data;
    return s;
}

/* Plans for each size of task; where there are weights, packed for each. */
static recon_status prepare(recon_ctx *ctx, const job *j, recon_conv_kernel *k,
                            recon_dnnl_kind kind, const void *weights)
{
    for (int i = 0; i < RECON_CONV_SIZES; i++) {
        if (j->images[i] == 0)
            continue;
        recon_dnnl_shape s = shape_for(j, kind, j->images[i]);
        RECON_CHECK(recon_dnnl_find(ctx, &k->plan[i], &s));
        if (!weights)
            continue;
        RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &k->packed[i],
                                     recon_dnnl_packed_bytes(k->plan[i]), 1));
        int exchange = kind == RECON_DNNL_DATA && is_reversible(j);
        RECON_CHECK(recon_dnnl_pack(ctx, k->plan[i], k->packed[i], weights, exchange));
    }
    return RECON_OK;
}

/* w[o][kh - 1 - i][kw - 1 - j][c] */
static recon_status flip_taps(recon_ctx *ctx, const job *j, const void **out)
{
    size_t taps = j->kh * j->kw, bytes = j->c * recon_dtype_size(j->type);
    char *to;
    RECON_CHECK(recon_arena_take(ctx, recon_worker_arena(ctx, 0), &to, j->o * taps, bytes));
    const char *from = j->weights;
    for (size_t o = 0; o < j->o; o++)
        for (size_t t = 0; t < taps; t++)
            memcpy(to + (o * taps + t) * bytes, from + (o * taps + taps - 1 - t) * bytes, bytes);
    *out = to;
    return RECON_OK;
}

recon_status recon_conv_plan_forward(recon_ctx *ctx, job *j)
{
    return recon_conv_by_dnnl(j) ? prepare(ctx, j, &j->forward, RECON_DNNL_FORWARD, j->weights)
                                 : RECON_OK;
}

recon_status recon_conv_plan_back(recon_ctx *ctx, job *j)
{
    const void *weights = j->weights;
    if (!recon_conv_by_dnnl(j))
        return RECON_OK;
    if (j->a->dw.data)
        RECON_CHECK(prepare(ctx, j, &j->gradient, RECON_DNNL_WEIGHTS, NULL));
    if (!j->a->dx.data)
        return RECON_OK;
    if (is_reversible(j))
        RECON_CHECK(flip_taps(ctx, j, &weights));
    return prepare(ctx, j, &j->data, RECON_DNNL_DATA, weights);
}

recon_status recon_conv_run(recon_ctx *ctx, const job *j, int size, int worker, void *x, void *y)
{
    if (!recon_conv_by_dnnl(j))
        return recon_patches_run(ctx, j, j->images[size], worker, x, y);
    return recon_dnnl_run(ctx, j->forward.plan[size], worker, x, j->forward.packed[size],
                          j->a->bias.data, y);
}

recon_status recon_conv_run_data(recon_ctx *ctx, const job *j, int size, int worker, void *dx,
                                 void *dy)
{
    if (!recon_conv_by_dnnl(j))
        return recon_patches_data(ctx, j, j->images[size], worker, dx, dy);
    void *x = is_reversible(j) ? dy : dx, *y = is_reversible(j) ? dx : dy;
    return recon_dnnl_run(ctx, j->data.plan[size], worker, x, j->data.packed[size], NULL, y);
}

recon_status recon_conv_run_weights(recon_ctx *ctx, const job *j, int size, int worker, void *dw,
                                    void *x, void *dy)
{
    if (!recon_conv_by_dnnl(j))
        return recon_patches_weights(ctx, j, j->images[size], worker, dw, x, dy);
    return recon_dnnl_run(ctx, j->gradient.plan[size], worker, x, dw, NULL, dy);
}

size_t recon_conv_gradient_bytes(const job *j)
{
    size_t plain = j->o * j->kh * j->kw * j->c * sizeof(float), most = plain;
    for (int i = 0; i < RECON_CONV_SIZES; i++)
        if (j->gradient.plan[i] && recon_dnnl_packed_bytes(j->gradient.plan[i]) > most)
            most = recon_dnnl_packed_bytes(j->gradient.plan[i]);
    return most;
}

size_t recon_conv_packed_count(const job *j)
{
    return recon_dnnl_packed_bytes(j->gradient.plan[0]) / sizeof(float);
}

recon_status recon_conv_unpack(recon_ctx *ctx, const job *j, int size, float *to, const void *from)
{
    return recon_dnnl_unpack(ctx, j->gradient.plan[size], to, from);
}
