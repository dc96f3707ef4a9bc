/* bench_ops.c - convolution stacks against the machine's ceiling, and every op by itself.
 *
 *   bench_ops THREADS stacks|ops [BATCH [fp32|bf16]]      lines of "name seconds rate ..."
 *
 * The ceiling is the largest matrix product of the same run. peers_torch.py prints the same lines
 * for PyTorch. A training step is forward, the gradient of the mean square of the output, backward,
 * and Adam. Each figure is the best of several, taken in turn. bf16 is what --precision bf16
 * computes in: float where that is faster. */
#include "bench.h"
#include "ops/ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, MAX_LAYERS = 16 };

typedef struct {
    size_t out, kernel; /* kernel 0: average-pool 2 */
} layer;

typedef struct {
    const char *name;
    size_t size, channels; /* of the input */
    layer layers[MAX_LAYERS];
} stack;

/* (a) 96 channels, 5 x 5. (b) the prototype encoder's sizes as plain convolutions: fields of
 * frequencies 0 to 3 hold 1, 2, 2 and 2 numbers. */
static const stack stacks[] = {
    { "conv96x4", 24, 96, { { 96, 5 }, { 96, 5 }, { 96, 5 }, { 96, 5 } } },
    { "encoder",
      28,
      1,
      { { 128, 7 },
        { 128, 5 },
        { 2, 0 },
        { 224, 5 },
        { 224, 5 },
        { 2, 0 },
        { 224, 5 },
        { 224, 3 },
        { 130, 1 } } },
};

static recon_tensor tensor(recon_dtype type, size_t n, size_t h, size_t w, size_t c)
{
    recon_tensor t = { .type = type, .ndim = 4, .shape = { n, h, w, c } };
    size_t bytes = recon_tensor_bytes(&t);
    t.data = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(t.data, 0, bytes);
    return t;
}

static recon_tensor flat(float *data, size_t n, size_t h, size_t w, size_t c)
{
    return (recon_tensor){ .type = RECON_F32, .ndim = 4, .shape = { n, h, w, c }, .data = data };
}

static void fill(float *x, size_t n, double scale)
{
    recon_rng r = recon_rng_new(1, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(scale * (2 * recon_rng_uniform(&r) - 1));
}

/* A stack with its weights in one block, as a model has them. */
typedef struct {
    const stack *s;
    int layers;
    size_t batch, count; /* weights in all */
    double flops, step;  /* 1e9 of one forward pass, and of one training step */
    recon_dtype type;
    float *w, *g, *m, *v;
    uint16_t *half;                                     /* the weights in bf16 */
    recon_tensor y[MAX_LAYERS + 1], dy[MAX_LAYERS + 1]; /* y[0] is the input */
    size_t at[MAX_LAYERS];                              /* of a layer's weights; its bias follows */
    recon_adam_state state;
    recon_tensor target, loss, dloss;
} net;

static void net_size(net *n, const stack *s)
{
    size_t size = s->size, c = s->channels;
    for (n->layers = 0; n->layers < MAX_LAYERS && s->layers[n->layers].out; n->layers++) {
        const layer *l = &s->layers[n->layers];
        size_t k = l->kernel, out = k ? l->out : c;
        n->at[n->layers] = n->count;
        n->count += k ? out * k * k * c + out : 0;
        double flops = 2e-9 * (double)(n->batch * size * size * out * k * k * c);
        n->flops += flops;
        n->step += n->layers ? 3 * flops : 2 * flops; /* nobody needs the input's gradient */
        size = k ? size : size / 2;
        c = out;
        n->y[n->layers + 1] = tensor(n->type, n->batch, size, size, c);
        n->dy[n->layers + 1] = tensor(n->type, n->batch, size, size, c);
    }
}

static net *net_new(recon_ctx *ctx, const stack *s, size_t batch, recon_dtype type)
{
    net *n = calloc(1, sizeof *n);
    n->s = s, n->batch = batch, n->type = type;
    net_size(n, s);
    n->y[0] = tensor(type, batch, s->size, s->size, s->channels);
    size_t pixels = recon_tensor_count(&n->y[0]);
    recon_tensor x = tensor(RECON_F32, 1, 1, 1, pixels);
    fill(x.data, pixels, 1);
    x.ndim = 1, x.shape[0] = pixels;
    must(ctx, recon_ops_of(ctx)->add(ctx, &(recon_add_args){ .alpha = 1, .y = n->y[0], .a = x }));
    free(x.data);
    n->w = calloc(4 * n->count, sizeof *n->w);
    n->g = n->w + n->count, n->m = n->g + n->count, n->v = n->m + n->count;
    n->half = calloc(n->count, sizeof *n->half);
    fill(n->w, n->count, 0.02);
    n->state = (recon_adam_state){ 1e-4, 0.1, 0.001 };
    n->target = tensor(type, 1, 1, 1, recon_tensor_count(&n->y[n->layers]));
    n->loss = flat(calloc(1, sizeof(float)), 1, 1, 1, 1);
    n->dloss = flat(calloc(1, sizeof(float)), 1, 1, 1, 1);
    *(float *)n->dloss.data = 1;
    return n;
}

static void net_free(net *n)
{
    for (int i = 0; i <= n->layers; i++) {
        free(n->y[i].data);
        free(n->dy[i].data);
    }
    free(n->target.data);
    free(n->loss.data);
    free(n->dloss.data);
    free(n->half);
    free(n->w);
    free(n);
}

static recon_conv_args conv_of(net *n, int i)
{
    size_t k = n->s->layers[i].kernel, o = n->s->layers[i].out, c = recon_tensor_cols(&n->y[i]);
    size_t bias = n->at[i] + o * k * k * c;
    recon_conv_args a = { .stride = 1,
                          .pad = k / 2,
                          .relu = i + 1 < n->layers,
                          .x = n->y[i],
                          .y = n->y[i + 1],
                          .w = flat(n->w + n->at[i], o, k, k, c),
                          .bias = flat(n->w + bias, 1, 1, 1, o),
                          .dy = n->dy[i + 1],
                          .dx = n->dy[i],
                          .dw = flat(n->g + n->at[i], o, k, k, c),
                          .dbias = flat(n->g + bias, 1, 1, 1, o) };
    if (n->type == RECON_BF16) {
        a.w.type = RECON_BF16;
        a.w.data = n->half + n->at[i];
    }
    return a;
}

static recon_pool_args pool_of(net *n, int i)
{
    return (recon_pool_args){
        .size = 2, .stride = 2, .x = n->y[i], .y = n->y[i + 1], .dy = n->dy[i + 1], .dx = n->dy[i]
    };
}

static void forward(recon_ctx *ctx, net *n)
{
    const recon_ops *ops = recon_ops_of(ctx);
    for (int i = 0; i < n->layers; i++) {
        recon_conv_args conv = conv_of(n, i);
        recon_pool_args pool = pool_of(n, i);
        must(ctx, n->s->layers[i].kernel ? ops->conv(ctx, &conv) : ops->pool(ctx, &pool));
    }
}

static void train(recon_ctx *ctx, net *n)
{
    const recon_ops *ops = recon_ops_of(ctx);
    double norm = 0;
    forward(ctx, n);
    recon_loss_args loss = { .kind = RECON_LOSS_MSE,
                             .loss = n->loss,
                             .x = n->y[n->layers],
                             .target = n->target,
                             .dloss = n->dloss,
                             .dx = n->dy[n->layers] };
    must(ctx, ops->loss(ctx, &loss));
    must(ctx, ops->loss_back(ctx, &loss));
    for (int i = n->layers - 1; i >= 0; i--) {
        recon_conv_args conv = conv_of(n, i);
        recon_pool_args pool = pool_of(n, i);
        must(ctx, n->s->layers[i].kernel ? ops->conv_back(ctx, &conv) : ops->pool_back(ctx, &pool));
    }
    must(ctx, ops->adam(ctx, &(recon_adam_args){ .n = n->count,
                                                 .b1 = 0.9,
                                                 .b2 = 0.999,
                                                 .eps = 1e-8,
                                                 .state = &n->state,
                                                 .grad_norm = &norm,
                                                 .w = n->w,
                                                 .g = n->g,
                                                 .m = n->m,
                                                 .v = n->v,
                                                 .bf16 = n->half,
                                                 .type = RECON_F32 }));
}

/* ---- the ceiling ---- */

static double gemm_seconds(recon_ctx *ctx, size_t n)
{
    static float *a;
    if (!a)
        a = calloc(3 * n * n, sizeof *a);
    double begin = recon_now();
    must(ctx, recon_ops_of(ctx)->gemm(ctx, &(recon_gemm_args){ .type = RECON_F32,
                                                               .m = n,
                                                               .n = n,
                                                               .k = n,
                                                               .alpha = 1,
                                                               .a = a,
                                                               .b = a + n * n,
                                                               .c = a + 2 * n * n,
                                                               .lda = n,
                                                               .ldb = n,
                                                               .ldc = n }));
    return recon_now() - begin;
}

typedef struct {
    double step, infer; /* seconds */
} stack_times;

static stack_times bench_stack(recon_ctx *ctx, const stack *s, size_t batch, const char *kind)
{
    enum { GEMM = 4096 };
    int low = strcmp(kind, "bf16") == 0 && recon_ops_of(ctx)->has_fast_bf16(ctx);
    net *n = net_new(ctx, s, batch, low ? RECON_BF16 : RECON_F32);
    double step = INFINITY, infer = INFINITY, gemm = INFINITY;
    train(ctx, n); /* warm up */
    for (int i = 0; i < REPEATS; i++) {
        double t0 = recon_now();
        train(ctx, n);
        double t1 = recon_now();
        forward(ctx, n);
        step = fmin(step, t1 - t0);
        infer = fmin(infer, recon_now() - t1);
        gemm = fmin(gemm, gemm_seconds(ctx, GEMM));
    }
    double ceiling = 2e-9 * GEMM * GEMM * GEMM / gemm;
    printf("%s/%s/train %.5f %.1f %.2f\n", s->name, kind, step, n->step / step,
           n->step / step / ceiling);
    printf("%s/%s/forward %.5f %.1f %.2f\n", s->name, kind, infer, n->flops / infer,
           n->flops / infer / ceiling);
    fflush(stdout);
    net_free(n);
    return (stack_times){ step, infer };
}

/* only: "fp32", "bf16", or NULL for both and their ratio. */
static void bench_stacks(recon_ctx *ctx, size_t batch, const char *only)
{
    for (size_t s = 0; s < sizeof stacks / sizeof *stacks; s++) {
        if (only) {
            bench_stack(ctx, &stacks[s], batch, only);
            continue;
        }
        stack_times full = bench_stack(ctx, &stacks[s], batch, "fp32");
        stack_times low = bench_stack(ctx, &stacks[s], batch, "bf16");
        printf("# %s: bf16 is %.2fx fp32 in training, %.2fx forward%s\n", stacks[s].name,
               full.step / low.step, full.infer / low.infer,
               recon_ops_of(ctx)->has_fast_bf16(ctx) ? "" : " (computed in fp32 on this CPU)");
    }
}

/* ---- single ops, on what lies between two layers of stack (a) ---- */

enum { COPIES = 4 };
typedef struct {
    recon_ctx *ctx;
    const recon_ops *ops;
    recon_tensor t[COPIES], small, image[2], angle; /* [rows][96] four times; 28 x 28 twice */
    float channel[8][96];
    double bytes; /* of one of t */
} bed;

static recon_tensor channels_of(bed *b, int i, size_t n)
{
    return (recon_tensor){ .type = RECON_F32, .ndim = 1, .shape = { n }, .data = b->channel[i] };
}

static recon_norm_args norm_of(bed *b, size_t field)
{
    size_t n = 96 / field;
    return (recon_norm_args){ .field = field,
                              .training = 1,
                              .eps = 1e-5,
                              .momentum = 0.1,
                              .x = b->t[0],
                              .y = b->t[1],
                              .dy = b->t[2],
                              .dx = b->t[3],
                              .scale = channels_of(b, 0, n),
                              .shift = channels_of(b, 1, n),
                              .running_mean = channels_of(b, 2, n),
                              .running_var = channels_of(b, 3, n),
                              .mean = channels_of(b, 4, n),
                              .inv = channels_of(b, 5, n),
                              .dscale = channels_of(b, 6, n),
                              .dshift = channels_of(b, 7, n) };
}

static recon_map_args map_of(bed *b, recon_unary kind)
{
    return (recon_map_args){ kind, b->t[1], b->t[0], b->t[2], b->t[3] };
}

/* Runs entry number i, or says there is none; passes is how often the tensor is read or written. */
static const char *call_entry(bed *b, int i, double *passes)
{
    recon_ctx *c = b->ctx;
    const recon_ops *o = b->ops;
    uint64_t counter = 1;
    double norm;
    recon_adam_state state = { 1e-4, 0.1, 0.001 };
    recon_pool_args pool = { .size = 2, .stride = 2, .x = b->t[0], .y = b->small };
    recon_pool_args unpool = { .size = 2, .stride = 2, .dx = b->t[0], .dy = b->small };
    recon_resize_args resize = { .x = b->small, .y = b->t[1] };
    recon_resize_args unsize = { .dx = b->small, .dy = b->t[1] };
    recon_norm_args plain = norm_of(b, 1), vector = norm_of(b, 2);
    recon_map_args relu = map_of(b, RECON_RELU), silu = map_of(b, RECON_SILU);
    recon_reduce_args mean = { .outer = b->t[0].shape[0],
                               .middle = 576,
                               .inner = 96,
                               .scale = 1,
                               .y = b->small,
                               .x = b->t[0] };
    size_t n = recon_tensor_count(&b->t[0]);
    switch (i) {
    case 0:
        *passes = 2;
        must(c, o->map(c, &relu));
        return "relu";
    case 1:
        *passes = 3;
        must(c, o->map_back(c, &relu));
        return "relu_back";
    case 2:
        *passes = 2;
        must(c, o->map(c, &silu));
        return "silu";
    case 3:
        *passes = 3;
        must(c, o->map_back(c, &silu));
        return "silu_back";
    case 4:
        *passes = 3;
        must(c, o->add(c, &(recon_add_args){ 1, 1, b->t[2], b->t[0], b->t[1] }));
        return "add";
    case 5:
        *passes = 3;
        must(c, o->norm(c, &plain));
        return "norm";
    case 6:
        *passes = 5;
        must(c, o->norm_back(c, &plain));
        return "norm_back";
    case 7:
        *passes = 3;
        must(c, o->norm(c, &vector));
        return "norm_field2";
    case 8:
        *passes = 5;
        must(c, o->norm_back(c, &vector));
        return "norm_field2_back";
    case 9:
        *passes = 1.25;
        must(c, o->pool(c, &pool));
        return "average_pool";
    case 10:
        *passes = 1.25;
        must(c, o->pool_back(c, &unpool));
        return "average_pool_back";
    case 11:
        *passes = 1.25;
        must(c, o->resize(c, &resize));
        return "resize";
    case 12:
        *passes = 1.25;
        must(c, o->resize_back(c, &unsize));
        return "resize_back";
    case 13:
        *passes = 1;
        must(c, o->reduce(c, &mean));
        return "reduce";
    case 14:
        *passes = 2;
        must(c, o->dropout(c, &(recon_dropout_args){ 0.2, 1, 1, &counter, b->t[1], b->t[0], 0 }));
        return "dropout";
    case 15:
        *passes = 1;
        must(c, o->norm2(c, &norm, b->t[0].data, n, RECON_F32));
        return "norm2";
    case 16:
        *passes = 7;
        norm = 0;
        must(c, o->adam(c, &(recon_adam_args){ .n = n,
                                               .b1 = 0.9,
                                               .b2 = 0.999,
                                               .eps = 1e-8,
                                               .state = &state,
                                               .grad_norm = &norm,
                                               .w = b->t[0].data,
                                               .g = b->t[1].data,
                                               .m = b->t[2].data,
                                               .v = b->t[3].data,
                                               .type = RECON_F32 }));
        return "adam";
    case 17:
        *passes = 2 * (double)recon_tensor_bytes(&b->image[0]) / b->bytes;
        must(c, o->rotate(c, &(recon_rotate_args){
                                 .y = b->image[1], .x = b->image[0], .angle = b->angle }));
        return "rotate_1000_digits";
    default: return NULL;
    }
}

static void bench_ops(recon_ctx *ctx, size_t batch)
{
    bed b = { .ctx = ctx, .ops = recon_ops_of(ctx) };
    const char *name;
    double passes;
    for (int i = 0; i < COPIES; i++) {
        b.t[i] = tensor(RECON_F32, batch, 24, 24, 96);
        fill(b.t[i].data, recon_tensor_count(&b.t[i]), 1);
    }
    b.small = tensor(RECON_F32, batch, 12, 12, 96);
    b.image[0] = tensor(RECON_F32, 1000, 28, 28, 1);
    b.image[1] = tensor(RECON_F32, 1000, 28, 28, 1);
    b.angle = tensor(RECON_F32, 1000, 1, 1, 1);
    fill(b.angle.data, 1000, 3);
    b.bytes = (double)recon_tensor_bytes(&b.t[0]);
    for (int i = 0; (name = call_entry(&b, i, &passes)) != NULL; i++) {
        double best = INFINITY;
        for (int r = 0; r < REPEATS; r++) {
            double begin = recon_now();
            call_entry(&b, i, &passes);
            best = fmin(best, recon_now() - begin);
        }
        printf("%s %.6f %.1f GB/s\n", name, best, 1e-9 * passes * b.bytes / best);
    }
    for (int i = 0; i < COPIES; i++)
        free(b.t[i].data);
    free(b.small.data);
    free(b.image[0].data);
    free(b.image[1].data);
    free(b.angle.data);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: bench_ops THREADS stacks|ops [BATCH [fp32|bf16]]\n"), 2;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = atoi(argv[1]) });
    size_t batch = argc > 3 ? strtoul(argv[3], NULL, 10) : 128;
    if (strcmp(argv[2], "stacks") == 0)
        bench_stacks(ctx, batch, argc > 4 ? argv[4] : NULL);
    else
        bench_ops(ctx, batch);
    recon_ctx_free(ctx);
    return 0;
}
