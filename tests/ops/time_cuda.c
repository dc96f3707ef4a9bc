/* Times of the main kernels on the GPU against what the GPU can do: a table, not a test.
 *
 * Each line records a number of calls as one graph, replays it, and divides: launches cost next to
 * nothing. Ceilings are measured in the same run: a large copy for memory, large products for
 * arithmetic. "of" is the share of the ceiling that binds. Operands of the memory-bound kernels are
 * larger than the cache together. */
#include "core/ctx.h"
#include "ops/cuda/attach.h"
#include "ops/graph.h"
#include "ops/ops.h"

#include <recon/core/rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS   20 /* in a graph */
#define REPLAYS 7  /* the median counts */

static recon_ctx *ctx;
static const recon_ops *ops;

static void must(recon_status status, const char *what)
{
    if (status == RECON_OK)
        return;
    printf("# %s: %s\n", what, recon_ctx_message(ctx));
    exit(1);
}
#define MUST(call) must(call, #call)

/* ---- operands: never zeros, which run faster than real numbers do ---- */

static recon_tensor tensor(recon_dtype type, int ndim, const size_t *shape)
{
    recon_tensor t = { .type = type, .ndim = ndim }, wide;
    memcpy(t.shape, shape, (size_t)ndim * sizeof *shape);
    wide = t;
    wide.type = RECON_F32;
    size_t n = recon_tensor_count(&t);
    float *host = malloc(n * sizeof *host);
    recon_rng r = recon_rng_new(1, n);
    uint32_t word = 0;
    for (size_t i = 0; i < n; i++) {
        word = i % 64 ? word * 1664525u + 1013904223u : recon_rng_u32(&r);
        host[i] = (float)(int32_t)word * 0x1p-31f;
    }
    MUST(ops->alloc(ctx, &wide.data, recon_tensor_bytes(&wide)));
    MUST(ops->alloc(ctx, &t.data, recon_tensor_bytes(&t)));
    MUST(ops->upload(ctx, wide.data, host, recon_tensor_bytes(&wide)));
    MUST(ops->add(ctx, &(recon_add_args){ .alpha = 1, .y = t, .a = wide }));
    MUST(ops->sync(ctx));
    ops->release(ctx, wide.data);
    free(host);
    return t;
}
#define SHAPE(...)                                                                                 \
    (int)(sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t)), (const size_t[])                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* ---- timing ---- */

typedef recon_status call_fn(const void *args);

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of one call. */
static double seconds(call_fn *call, const void *args)
{
    double took[REPLAYS];
    recon_graph *graph;
    MUST(call(args)); /* plans are made and scratch memory grows */
    MUST(ops->sync(ctx));
    MUST(recon_graph_begin(ctx));
    for (int i = 0; i < CALLS; i++)
        MUST(call(args));
    MUST(recon_graph_end(ctx, &graph));
    for (int i = -2; i < REPLAYS; i++) {
        double begun = recon_now();
        MUST(recon_graph_launch(ctx, graph));
        MUST(ops->sync(ctx));
        if (i >= 0)
            took[i] = (recon_now() - begun) / CALLS;
    }
    recon_graph_free(ctx, graph);
    qsort(took, REPLAYS, sizeof *took, by_value);
    return took[REPLAYS / 2];
}

typedef struct {
    double copy, fma, tensor; /* bytes/s; flop/s in F32 and BF16 */
} ceilings;

static void line(const char *name, double s, double flop, double bytes, double rate, double copy)
{
    double by_flop = rate > 0 ? flop / rate : 0, by_bytes = bytes / copy;
    double floor = by_flop > by_bytes ? by_flop : by_bytes;
    printf("%-44s %9.3f ms %8.1f TFLOP/s %7.2f TB/s %5.0f %%\n", name, 1e3 * s, 1e-12 * flop / s,
           1e-12 * bytes / s, 100 * floor / s);
    fflush(stdout);
}

#define CALLER(entry)                                                                              \
    static recon_status run_##entry(const void *args)                                              \
    {                                                                                              \
        return ops->entry(ctx, args);                                                              \
    }
CALLER(gemm)
CALLER(add)
CALLER(conv)
CALLER(conv_back)
CALLER(norm)
CALLER(norm_back)
CALLER(field_norm)
CALLER(field_norm_back)
CALLER(expand)
CALLER(expand_back)
CALLER(pairs)
CALLER(pairs_back)
CALLER(map)
CALLER(rotate)
CALLER(rotate_back)
CALLER(resize)
CALLER(resize_back)
CALLER(pool)
CALLER(pool_back)

/* ---- what the GPU can do ---- */

static double product_rate(recon_dtype type)
{
    enum { N = 8192 };
    recon_tensor a = tensor(type, SHAPE(N, N)), b = tensor(type, SHAPE(N, N)),
                 c = tensor(type, SHAPE(N, N));
    recon_gemm_args g = { .type = type,
                          .c_bf16 = type == RECON_BF16,
                          .m = N,
                          .n = N,
                          .k = N,
                          .alpha = 1,
                          .a = a.data,
                          .b = b.data,
                          .c = c.data,
                          .lda = N,
                          .ldb = N,
                          .ldc = N };
    double rate = 2.0 * N * N * N / seconds(run_gemm, &g);
    ops->release(ctx, a.data), ops->release(ctx, b.data), ops->release(ctx, c.data);
    return rate;
}

static double copy_rate(void)
{
    size_t n = (size_t)1 << 27;
    recon_tensor a = tensor(RECON_F32, SHAPE(n)), y = tensor(RECON_F32, SHAPE(n));
    double s = seconds(run_add, &(recon_add_args){ .alpha = 1, .y = y, .a = a });
    ops->release(ctx, a.data), ops->release(ctx, y.data);
    return 2.0 * 4 * (double)n / s;
}

/* ---- kernels ---- */

typedef struct {
    const char *name;
    size_t n, h, c, o, k; /* square images, same padding */
    size_t stride;
} conv_case;

/* Returns the seconds of all three calls. */
static double time_conv(const conv_case *v, recon_dtype type, const ceilings *top)
{
    char name[64];
    const char *text = type == RECON_BF16 ? "bf16" : "fp32";
    double rate = type == RECON_BF16 ? top->tensor : top->fma;
    size_t stride = v->stride, h = v->h / stride;
    double size = (double)recon_dtype_size(type), pixels = (double)(v->n * h * h);
    double flop = 2 * pixels * (double)(v->k * v->k * v->c * v->o);
    double bytes = size * pixels * (double)(v->c * stride * stride + v->o), took[3];
    recon_conv_args a = { .stride = stride,
                          .pad = v->k / 2,
                          .x = tensor(type, SHAPE(v->n, v->h, v->h, v->c)),
                          .w = tensor(type, SHAPE(v->o, v->k, v->k, v->c)),
                          .y = tensor(type, SHAPE(v->n, h, h, v->o)) };
    snprintf(name, sizeof name, "%s %s forward", v->name, text);
    line(name, took[0] = seconds(run_conv, &a), flop, bytes, rate, top->copy);
    a.dy = a.y;
    recon_conv_args data = a, filter = a;
    data.dx = tensor(type, SHAPE(v->n, v->h, v->h, v->c));
    filter.dw = tensor(RECON_F32, SHAPE(v->o, v->k, v->k, v->c));
    snprintf(name, sizeof name, "%s %s by x", v->name, text);
    line(name, took[1] = seconds(run_conv_back, &data), flop, bytes, rate, top->copy);
    snprintf(name, sizeof name, "%s %s by w", v->name, text);
    line(name, took[2] = seconds(run_conv_back, &filter), flop, bytes, rate, top->copy);
    void *used[] = { a.x.data, a.w.data, a.y.data, data.dx.data, filter.dw.data };
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        ops->release(ctx, used[i]);
    return took[0] + took[1] + took[2];
}

/* What the convolutions of a step of preset `photo` take: 2 x 256 pictures of 32 x 32 x 3. A step as a
 * whole is held to twice that. */
static void time_photo(const ceilings *top)
{
    static const struct {
        conv_case v;
        int times;
    } all[] = {
        { { "photo 3->64 3x3 32x32", 512, 32, 3, 64, 3, 1 }, 1 },
        { { "photo 64->64 3x3 32x32", 512, 32, 64, 64, 3, 1 }, 4 },
        { { "photo 64->128 3x3 32x32 / 2", 512, 32, 64, 128, 3, 2 }, 1 },
        { { "photo 64->128 1x1 32x32 / 2", 512, 32, 64, 128, 1, 2 }, 1 },
        { { "photo 128->128 3x3 16x16", 512, 16, 128, 128, 3, 1 }, 3 },
        { { "photo 128->256 3x3 16x16 / 2", 512, 16, 128, 256, 3, 2 }, 1 },
        { { "photo 128->256 1x1 16x16 / 2", 512, 16, 128, 256, 1, 2 }, 1 },
        { { "photo 256->256 3x3 8x8", 512, 8, 256, 256, 3, 1 }, 3 },
        { { "photo 256->512 3x3 8x8 / 2", 512, 8, 256, 512, 3, 2 }, 1 },
        { { "photo 256->512 1x1 8x8 / 2", 512, 8, 256, 512, 1, 2 }, 1 },
        { { "photo 512->512 3x3 4x4", 512, 4, 512, 512, 3, 1 }, 3 },
    };
    double sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum += all[i].times * time_conv(&all[i].v, RECON_BF16, top);
    printf("convolutions of a step of `photo`, 2 x 256 pictures of 32 x 32: %.2f ms\n", 1e3 * sum);
}

/* With what a residual block does behind its two norms. Gradients of two readers come back. */
static void time_norm_with_relu(recon_norm_args a, const ceilings *top)
{
    double bytes = (double)recon_tensor_bytes(&a.x);
    size_t rows = recon_tensor_rows(&a.x), c = recon_tensor_cols(&a.x);
    recon_tensor more = tensor(RECON_BF16, SHAPE(rows, c)), dx = tensor(RECON_BF16, SHAPE(rows, c)),
                 skip = tensor(RECON_BF16, SHAPE(rows, c));
    a.relu = 1;
    a.dx = dx;
    line("norm, relu (3 passes)", seconds(run_norm, &a), 0, 3 * bytes, 0, top->copy);
    a.dy = more;
    line("  its gradient (5 passes)", seconds(run_norm_back, &a), 0, 5 * bytes, 0, top->copy);
    a.skip = skip;
    line("norm, sum, relu (4 passes)", seconds(run_norm, &a), 0, 4 * bytes, 0, top->copy);
    a.dskip = tensor(RECON_BF16, SHAPE(rows, c));
    line("  its gradient (7 passes)", seconds(run_norm_back, &a), 0, 7 * bytes, 0, top->copy);
    a.dy_more = skip;
    line("  of two gradients (8 passes)", seconds(run_norm_back, &a), 0, 8 * bytes, 0, top->copy);
    ops->release(ctx, more.data), ops->release(ctx, dx.data), ops->release(ctx, skip.data);
    ops->release(ctx, a.dskip.data);
}

static void time_norms(const ceilings *top)
{
    size_t rows = 256 * 28 * 28, c = 128;
    double bytes = 2 * (double)(rows * c);
    recon_tensor x = tensor(RECON_BF16, SHAPE(rows, c)), y = tensor(RECON_BF16, SHAPE(rows, c)),
                 dy = tensor(RECON_BF16, SHAPE(rows, c)), s = tensor(RECON_F32, SHAPE(6, c));
    float *at = s.data;
    recon_tensor one = { .type = RECON_F32, .ndim = 1, .shape = { c } };
    recon_norm_args a = { .field = 1, .training = 1, .eps = 1e-5, .momentum = 0, .y = y, .x = x };
    a.scale = a.shift = a.running_mean = a.running_var = a.mean = a.inv = one;
    a.scale.data = at, a.shift.data = at + c, a.running_mean.data = at + 2 * c;
    a.running_var.data = at + 3 * c, a.mean.data = at + 4 * c, a.inv.data = at + 5 * c;
    line("batch norm 256x28x28x128 bf16 (3 passes)", seconds(run_norm, &a), 0, 3 * bytes, 0,
         top->copy);
    a.dy = dy;
    a.dx = y;
    a.dscale = a.running_mean, a.dshift = a.running_var;
    line("  its gradient (5 passes)", seconds(run_norm_back, &a), 0, 5 * bytes, 0, top->copy);
    time_norm_with_relu(a, top);
    line("relu (2 passes)",
         seconds(run_map, &(recon_map_args){ .kind = RECON_RELU, .y = y, .x = x }), 0, 2 * bytes, 0,
         top->copy);
    ops->release(ctx, x.data), ops->release(ctx, y.data), ops->release(ctx, dy.data);
    ops->release(ctx, s.data);
}

/* 32 scalars and 48 pairs: three passes and five, though norm and nonlinearity are both in them. */
static void time_field_norm(const ceilings *top)
{
    size_t rows = 256 * 28 * 28, scalars = 32, pairs = 48, fields = scalars + pairs;
    size_t c = scalars + 2 * pairs;
    double bytes = 2 * (double)(rows * c);
    recon_tensor x = tensor(RECON_BF16, SHAPE(rows, c)), y = tensor(RECON_BF16, SHAPE(rows, c)),
                 dy = tensor(RECON_BF16, SHAPE(rows, c)), s = tensor(RECON_F32, SHAPE(9, fields));
    recon_tensor part[9];
    for (size_t i = 0; i < 9; i++) {
        part[i] = (recon_tensor){ .type = RECON_F32, .ndim = 1, .shape = { fields } };
        part[i].data = (float *)s.data + i * fields;
    }
    recon_field_norm_args a = { .scalars = scalars,
                                .pairs = pairs,
                                .training = 1,
                                .eps = 1e-5,
                                .y = y,
                                .x = x,
                                .scale = part[0],
                                .shift = part[1],
                                .bias = part[2],
                                .running_mean = part[3],
                                .running_var = part[4],
                                .mean = part[5],
                                .inv = part[6] };
    line("field norm 256x28x28x128 bf16 (3 passes)", seconds(run_field_norm, &a), 0, 3 * bytes, 0,
         top->copy);
    a.dy = dy;
    a.dx = y;
    a.dscale = part[3], a.dshift = part[7], a.dbias = part[8];
    line("  its gradient (5 passes)", seconds(run_field_norm_back, &a), 0, 5 * bytes, 0, top->copy);
    ops->release(ctx, x.data), ops->release(ctx, y.data), ops->release(ctx, dy.data);
    ops->release(ctx, s.data);
}

/* The filter of 112 pairs on 112 pairs, 5 x 5, of ten elements. */
static void time_expand(const ceilings *top)
{
    enum { PAIRS = 112, TAPS = 25, ELEMENTS = 10 };
    recon_expand_args a = { .filter = tensor(RECON_BF16, SHAPE(2 * PAIRS, TAPS, 2 * PAIRS)),
                            .weight = tensor(RECON_F32, SHAPE(PAIRS * PAIRS * ELEMENTS)),
                            .basis = tensor(RECON_F32, SHAPE(ELEMENTS * 4 * TAPS)),
                            .dfilter = tensor(RECON_F32, SHAPE(2 * PAIRS, TAPS, 2 * PAIRS)),
                            .dweight = tensor(RECON_F32, SHAPE(PAIRS * PAIRS * ELEMENTS)) };
    double flop = 2.0 * ELEMENTS * (double)recon_tensor_count(&a.filter);
    double bytes = (double)recon_tensor_bytes(&a.filter),
           read = (double)recon_tensor_bytes(&a.dfilter);
    a.plan.count = 1;
    a.plan.block[0] = (recon_expand_block){
        .copies_out = PAIRS, .copies_in = PAIRS, .dim_out = 2, .dim_in = 2, .elements = ELEMENTS
    };
    line("expand 224->224 5x5", seconds(run_expand, &a), flop, bytes, top->fma, top->copy);
    line("  its gradient", seconds(run_expand_back, &a), flop, read, top->fma, top->copy);
    void *used[] = { a.filter.data, a.weight.data, a.basis.data, a.dfilter.data, a.dweight.data };
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        ops->release(ctx, used[i]);
}

/* 512 molecules of 20 atoms, a few Angstrom across. */
static void time_pairs(recon_dtype type, const ceilings *top)
{
    enum { MOLECULES = 512, ATOMS = 20, ROWS = MOLECULES * ATOMS, S = 128, V = 64 };
    int32_t first[MOLECULES + 1];
    recon_tensor s = tensor(type, SHAPE(ROWS, S + V)), u = tensor(type, SHAPE(ROWS, 3, 4 * V)),
                 y = tensor(type, SHAPE(ROWS, S + 4 * V)), xyz = tensor(RECON_F32, SHAPE(ROWS, 3)),
                 w = tensor(RECON_F32, SHAPE(RECON_PAIRS_KNOTS, S + 5 * V)),
                 dw = tensor(RECON_F32, SHAPE(RECON_PAIRS_KNOTS, S + 5 * V)),
                 offset = { .type = RECON_I32, .ndim = 1, .shape = { MOLECULES + 1 } };
    for (int i = 0; i <= MOLECULES; i++)
        first[i] = i * ATOMS;
    MUST(ops->alloc(ctx, &offset.data, sizeof first));
    MUST(ops->upload(ctx, offset.data, first, sizeof first));
    MUST(ops->add(ctx, &(recon_add_args){ .alpha = 4, .y = xyz, .a = xyz }));
    recon_pairs_args a = { .scalars = S,
                           .vectors = V,
                           .y = y,
                           .s = s,
                           .u = u,
                           .w = w,
                           .xyz = xyz,
                           .offset = offset,
                           .dy = y,
                           .ds = s,
                           .du = u };
    /* of a message: four taps a filter, then products */
    double flop = 2.0 * ROWS * (ATOMS - 1) * (4 * (S + 5 * V) + S + 25 * V);
    double bytes =
        (double)(recon_tensor_bytes(&s) + recon_tensor_bytes(&u) + recon_tensor_bytes(&y));
    line(type == RECON_F32 ? "pairs 512 x 20, 128 + 64" : "pairs, the same in bf16",
         seconds(run_pairs, &a), flop, bytes, top->fma, top->copy);
    line("  its gradient by the atoms", seconds(run_pairs_back, &a), flop, bytes, top->fma,
         top->copy);
    a.dw = dw;
    a.ds.data = a.du.data = NULL;
    line("  its gradient by the filters", seconds(run_pairs_back, &a), flop, bytes, top->fma,
         top->copy);
    void *used[] = { s.data, u.data, y.data, xyz.data, w.data, dw.data, offset.data };
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        ops->release(ctx, used[i]);
}

static void time_images(const ceilings *top)
{
    recon_tensor x = tensor(RECON_BF16, SHAPE(1024, 24, 24, 96)),
                 y = tensor(RECON_BF16, SHAPE(1024, 24, 24, 96)),
                 small = tensor(RECON_BF16, SHAPE(1024, 12, 12, 96)),
                 angle = tensor(RECON_F32, SHAPE(1024)), dangle = tensor(RECON_F32, SHAPE(1024));
    double large_bytes = (double)recon_tensor_bytes(&x), both = 1.25 * large_bytes;
    recon_rotate_args r = { .y = y, .x = x, .angle = angle };
    line("rotate 1024x24x24x96 bf16", seconds(run_rotate, &r), 0, 2 * large_bytes, 0, top->copy);
    r.dy = y;
    r.dx = x;
    line("  its gradient by the image", seconds(run_rotate_back, &r), 0, 2 * large_bytes, 0,
         top->copy);
    r.dx.data = NULL;
    r.dangle = dangle;
    line("  its gradient by the angle", seconds(run_rotate_back, &r), 0, 2 * large_bytes, 0,
         top->copy);
    recon_resize_args up = { .y = y, .x = small, .dy = y, .dx = small };
    line("resize 12 -> 24, the same", seconds(run_resize, &up), 0, both, 0, top->copy);
    line("  its gradient", seconds(run_resize_back, &up), 0, both, 0, top->copy);
    recon_pool_args pool = { .size = 2, .stride = 2, .y = small, .x = x, .dy = small, .dx = x };
    line("average pool 24 -> 12, the same", seconds(run_pool, &pool), 0, both, 0, top->copy);
    line("  its gradient", seconds(run_pool_back, &pool), 0, both, 0, top->copy);
    void *used[] = { x.data, y.data, small.data, angle.data, dangle.data };
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        ops->release(ctx, used[i]);
}

int main(int argc, char **argv)
{
    static const conv_case conv[] = { { "conv 96->96 5x5 24x24 x256", 256, 24, 96, 96, 5, 1 },
                                      { "conv 128->128 5x5 28x28 x256", 256, 28, 128, 128, 5, 1 },
                                      { "conv 224->224 5x5 14x14 x256", 256, 14, 224, 224, 5, 1 },
                                      { "conv 1->128 7x7 28x28 x256", 256, 28, 1, 128, 7, 1 },
                                      { "conv 32->1 3x3 28x28 x256", 256, 28, 32, 1, 3, 1 } };
    ctx = recon_ctx_new(NULL);
    if (!ctx || recon_ops_attach(ctx, "cuda") != RECON_OK) {
        printf("# skipped: %s\n", ctx ? recon_ctx_message(ctx) : "no context");
        recon_ctx_free(ctx);
        return 0;
    }
    ops = recon_ops_of(ctx);
    recon_cuda_tune(ctx, argc > 1 && strcmp(argv[1], "--tune") == 0);
    ceilings top = { copy_rate(), product_rate(RECON_F32), product_rate(RECON_BF16) };
    printf("ceilings: copy %.2f TB/s, products %.1f TFLOP/s in fp32, %.1f in bf16; plans %s\n",
           1e-12 * top.copy, 1e-12 * top.fma, 1e-12 * top.tensor,
           argc > 1 ? "timed" : "by cuDNN's heuristics");
    for (size_t i = 0; i < sizeof conv / sizeof *conv; i++)
        time_conv(&conv[i], RECON_BF16, &top);
    time_conv(&conv[0], RECON_F32, &top);
    time_photo(&top);
    time_norms(&top);
    time_field_norm(&top);
    time_expand(&top);
    time_pairs(RECON_F32, &top);
    time_pairs(RECON_BF16, &top);
    time_images(&top);
    recon_ctx_free(ctx);
    return 0;
}
