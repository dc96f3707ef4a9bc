/* bench_couple.c - the tensor products of the paper's SEGNN, forward and back.
 *
 *   bench_couple BACKEND THREADS [BATCH [fp32|bf16]]
 *
 * One line a layer, on the edges or nodes of BATCH molecules of 25 atoms and 88 edges: milliseconds
 * forward and back, useful GFLOP/s of both (as if every path coupled first and mixed then, which is
 * what e3nn does; the way back counts twice), and their share of the machine's rate for one large
 * product in float. Then molecules a second of these products alone, six layers, forward +
 * backward. Each time is the least of several. */
#include <recon/recon.h>
#include <recon/nn/couple.h>
#include "core/ctx.h"
#include "ops/couple.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 7, GEMM = 1536, ATOMS = 25, EDGES = 88, LAYERS = 6 };

static const struct {
    const char *name;
    recon_irreps in, out;
    size_t rows; /* a molecule */
} layers[] = { { "message1", { { 201, 128, 32, 16 } }, { { 188, 64, 16, 8 } }, EDGES },
               { "message2", { { 100, 64, 16, 8 } }, { { 188, 64, 16, 8 } }, EDGES },
               { "update1", { { 200, 128, 32, 16 } }, { { 188, 64, 16, 8 } }, ATOMS },
               { "update2", { { 100, 64, 16, 8 } }, { { 100, 64, 16, 8 } }, ATOMS } };

typedef struct {
    recon_ctx *ctx;
    const recon_ops *ops;
    recon_dtype type;
    size_t batch;
} bench;

static void must(recon_ctx *ctx, recon_status status)
{
    if (status != RECON_OK) {
        fprintf(stderr, "%s\n", recon_ctx_message(ctx));
        exit(1);
    }
}

static recon_tensor tensor(const bench *b, recon_dtype type, size_t rows, size_t cols)
{
    recon_tensor t = { .type = type, .ndim = 2, .shape = { rows, cols } };
    recon_tensor host = { .type = RECON_F32, .ndim = 2, .shape = { rows, cols } }, wide = host;
    recon_rng rng = recon_rng_new(1, rows + cols);
    float *x = malloc(recon_tensor_bytes(&host));
    for (size_t i = 0; i < rows * cols; i++)
        x[i] = (float)(2 * recon_rng_uniform(&rng) - 1);
    must(b->ctx, b->ops->alloc(b->ctx, &t.data, recon_tensor_bytes(&t)));
    must(b->ctx, b->ops->alloc(b->ctx, &wide.data, recon_tensor_bytes(&wide)));
    must(b->ctx, b->ops->upload(b->ctx, wide.data, x, recon_tensor_bytes(&host)));
    must(b->ctx, b->ops->add(b->ctx, &(recon_add_args){ .alpha = 1, .y = t, .a = wide }));
    b->ops->release(b->ctx, wide.data);
    free(x);
    return t;
}

typedef recon_status call(recon_ctx *ctx, const recon_couple_args *args);
static double seconds(const bench *b, call *run, const recon_couple_args *a)
{
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        must(b->ctx, b->ops->sync(b->ctx));
        double start = recon_now();
        must(b->ctx, run(b->ctx, a));
        must(b->ctx, b->ops->sync(b->ctx));
        double took = recon_now() - start;
        best = took < best ? took : best;
    }
    return best;
}

/* Operations a second of one large product, the most of several. */
static double ceiling(const bench *b)
{
    recon_tensor m = tensor(b, RECON_F32, GEMM, GEMM), c = tensor(b, RECON_F32, GEMM, GEMM);
    double best = 1e9;
    recon_gemm_args g = { .type = RECON_F32,
                          .m = GEMM,
                          .n = GEMM,
                          .k = GEMM,
                          .alpha = 1,
                          .a = m.data,
                          .b = m.data,
                          .c = c.data,
                          .lda = GEMM,
                          .ldb = GEMM,
                          .ldc = GEMM };
    for (int i = 0; i < REPEATS; i++) {
        must(b->ctx, b->ops->sync(b->ctx));
        double start = recon_now();
        must(b->ctx, b->ops->gemm(b->ctx, &g));
        must(b->ctx, b->ops->sync(b->ctx));
        double took = recon_now() - start;
        best = took < best ? took : best;
    }
    b->ops->release(b->ctx, m.data);
    b->ops->release(b->ctx, c.data);
    return 2.0 * GEMM * GEMM * GEMM / best;
}

/* Multiplications of a row, each path coupling first. */
static double useful(const recon_couple_plan *plan)
{
    double sum = 0;
    for (size_t l = 0; l < RECON_COUPLE_DEGREES; l++)
        sum += (double)plan->out[l] * plan->columns[l] * (double)recon_couple_size(l);
    return sum;
}

/* Seconds forward and back of layer i. */
static double time_layer(const bench *b, size_t i, double rate)
{
    size_t rows = layers[i].rows * b->batch;
    recon_couple_plan *plan;
    must(b->ctx, recon_couple_plan_make(b->ctx, &plan, &layers[i].in, &layers[i].out, 1));
    size_t in = recon_couple_dim(plan->in), out = recon_couple_dim(plan->out);
    size_t weights = recon_couple_plan_weights(plan);
    recon_couple_args a = { .plan = plan,
                            .x = tensor(b, b->type, rows, in),
                            .attr = tensor(b, RECON_F32, rows, RECON_COUPLE_ATTRS),
                            .w = tensor(b, b->type, 1, weights),
                            .bias = tensor(b, RECON_F32, 1, plan->out[0]),
                            .y = tensor(b, b->type, rows, out),
                            .dy = tensor(b, b->type, rows, out),
                            .dx = tensor(b, b->type, rows, in),
                            .dw = tensor(b, RECON_F32, 1, weights),
                            .dbias = tensor(b, RECON_F32, 1, plan->out[0]) };
    double forward = seconds(b, b->ops->couple, &a), back = seconds(b, b->ops->couple_back, &a);
    double flop = 2 * useful(plan) * (double)rows, both = 3 * flop / (forward + back);
    printf("%-9s %6zu rows  forward %8.2f ms %8.1f GFLOP/s  back %8.2f ms %8.1f GFLOP/s  "
           "%.2f of %.1f\n",
           layers[i].name, rows, 1e3 * forward, 1e-9 * flop / forward, 1e3 * back,
           2e-9 * flop / back, both / rate, 1e-9 * rate);
    void *all[] = { a.x.data,  a.attr.data, a.w.data,  a.bias.data, a.y.data,
                    a.dy.data, a.dx.data,   a.dw.data, a.dbias.data };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        b->ops->release(b->ctx, all[k]);
    recon_couple_plan_free(plan);
    return forward + back;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_couple BACKEND THREADS [BATCH [fp32|bf16]]\n");
        return 2;
    }
    bench b = { .ctx = recon_ctx_new(&(recon_ctx_options){ .threads = atoi(argv[2]) }),
                .batch = argc > 3 ? strtoul(argv[3], NULL, 10) : 128,
                .type = argc > 4 && strcmp(argv[4], "bf16") == 0 ? RECON_BF16 : RECON_F32 };
    if (!b.ctx)
        return 1;
    must(b.ctx, recon_ops_attach(b.ctx, argv[1]));
    b.ops = recon_ops_of(b.ctx);
    double rate = ceiling(&b), step = 0;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        step += LAYERS * time_layer(&b, i, rate);
    printf("products of %d layers, forward + backward: %.1f molecules/s\n", (int)LAYERS,
           (double)b.batch / step);
    recon_ctx_free(b.ctx);
    return 0;
}
