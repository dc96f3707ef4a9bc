/* bench_couple.c - the tensor products of the paper's SEGNN, forward and back.
 *
 *   bench_couple BACKEND THREADS [BATCH [fp32|bf16]]
 *
 * One line a layer, on the edges or nodes of BATCH molecules of 25 atoms and 88 edges: milliseconds
 * forward and back, useful GFLOP/s of both (as if every path coupled first and mixed then, which is
 * what e3nn does; the way back counts twice), and their share of the machine's rate for one large
 * product in float. Then molecules a second of these products alone, six layers, forward +
 * backward. Each time is the least of several. */
#include "bench.h"
#include <recon/nn/couple.h>
#include <recon/nn/segnn.h>
#include "ops/couple.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 1.5 /* a layer: time enough for a quiet moment */

enum { GEMM = 768, ATOMS = 25, EDGES = 88, LAYERS = 6 };

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
    recon_gemm_args product; /* the large one */
} bench;

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

/* Something to time. */
typedef recon_status call(recon_ctx *ctx, const void *args);
static recon_status call_forward(recon_ctx *ctx, const void *args)
{
    return recon_ops_of(ctx)->couple(ctx, args);
}
static recon_status call_back(recon_ctx *ctx, const void *args)
{
    return recon_ops_of(ctx)->couple_back(ctx, args);
}
static recon_status call_gemm(recon_ctx *ctx, const void *args)
{
    return recon_ops_of(ctx)->gemm(ctx, args);
}

/* Keeps the least time of one more call. */
static void time_one(const bench *b, double *least, call *run, const void *args)
{
    must(b->ctx, b->ops->sync(b->ctx));
    double start = recon_now();
    must(b->ctx, run(b->ctx, args));
    must(b->ctx, b->ops->sync(b->ctx));
    double took = recon_now() - start;
    *least = took < *least ? took : *least;
}

/* Multiplications of a row, each path coupling first. */
static double useful(const recon_couple_plan *plan)
{
    double sum = 0;
    for (size_t l = 0; l < RECON_COUPLE_DEGREES; l++)
        sum += (double)plan->out[l] * plan->columns[l] * (double)recon_couple_size(l);
    return sum;
}

/* Times forward and back, and the large product in turn with them; prints a line. Seconds of
 * both. */
static double report(const bench *b, const char *name, const recon_couple_plan *plan, size_t rows,
                     call *run, call *run_back, const void *args)
{
    double forward = 1e9, back = 1e9, product = 1e9;
    for (double start = recon_now(); recon_now() - start < SECONDS;) {
        time_one(b, &forward, run, args);
        time_one(b, &back, run_back, args);
        time_one(b, &product, call_gemm, &b->product);
    }
    double flop = 2 * useful(plan) * (double)rows, both = 3 * flop / (forward + back);
    double rate = 2.0 * GEMM * GEMM * GEMM / product;
    printf("%-9s %6zu rows  forward %8.2f ms %8.1f GFLOP/s  back %8.2f ms %8.1f GFLOP/s  "
           "%.2f of %.1f\n",
           name, rows, 1e3 * forward, 1e-9 * flop / forward, 1e3 * back, 2e-9 * flop / back,
           both / rate, 1e-9 * rate);
    return forward + back;
}

static void release(const bench *b, const recon_tensor *const *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        b->ops->release(b->ctx, t[i]->data);
}

/* Layer i on rows as they are. */
static double time_rows(const bench *b, size_t i, const recon_couple_plan *plan)
{
    size_t rows = layers[i].rows * b->batch, weights = recon_couple_plan_weights(plan);
    size_t in = recon_couple_dim(plan->in), out = recon_couple_dim(plan->out);
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
    double took = report(b, layers[i].name, plan, rows, call_forward, call_back, &a);
    release(b,
            (const recon_tensor *[]){ &a.x, &a.attr, &a.w, &a.bias, &a.y, &a.dy, &a.dx, &a.dw,
                                      &a.dbias },
            9);
    return took;
}

/* Each molecule has EDGES edges: a ring of its atoms three times over, in steps of 1, 2 and 3, and
 * what is left of a fourth round. */
static void fill_graph(const bench *b, int32_t *source, int32_t *target, int32_t *offset)
{
    int32_t e = 0;
    for (size_t i = 0; i < b->batch * ATOMS; i++) {
        size_t first = i / ATOMS * ATOMS, me = i % ATOMS, rounds = me < EDGES % ATOMS ? 4 : 3;
        offset[i] = e;
        for (size_t k = 1; k <= rounds; k++, e++) {
            source[e] = (int32_t)(first + (me + k) % ATOMS);
            target[e] = (int32_t)i;
        }
    }
    offset[b->batch * ATOMS] = e;
}

/* ---- the whole network ---- */

typedef struct {
    recon_params *params;
    recon_tape *tape;
    recon_segnn net;
    size_t nodes, edges, molecules;
    float *x, *harmonics, *square, *attribute;
    int32_t *source, *target, *offset, *ascending, *order, *order_of, *segment;
} network;

static float *floats(size_t n, double scale)
{
    float *x = malloc((n + 1) * sizeof *x);
    recon_rng rng = recon_rng_new(2, n);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(scale * (2 * recon_rng_uniform(&rng) - 1));
    return x;
}

static int32_t *indices(size_t n)
{
    return calloc(n + 1, sizeof(int32_t));
}

/* The edges by source, from those by target. */
static void sort_by_source(network *n)
{
    for (size_t e = 0; e < n->edges; e++)
        n->order_of[n->source[e] + 1]++;
    for (size_t i = 0; i < n->nodes; i++)
        n->order_of[i + 1] += n->order_of[i];
    int32_t *next = indices(n->nodes);
    memcpy(next, n->order_of, n->nodes * sizeof *next);
    for (size_t e = 0; e < n->edges; e++)
        n->order[next[n->source[e]]++] = (int32_t)e;
    free(next);
}

static void open_network(const bench *b, network *n)
{
    const recon_segnn_shape shape = { .inputs = { { 5, 0, 0, 0 } },
                                      .hidden = layers[3].out,
                                      .layers = LAYERS };
    recon_precision precision = b->type == RECON_BF16 ? RECON_MIXED : RECON_SINGLE;
    size_t nodes = b->batch * ATOMS, edges = b->batch * EDGES;
    *n = (network){ .nodes = nodes, .edges = edges, .molecules = b->batch };
    must(b->ctx, recon_params_new(b->ctx, &n->params, precision));
    must(b->ctx, recon_segnn_add(b->ctx, &n->net, n->params, "net", &shape));
    must(b->ctx, recon_params_make(b->ctx, n->params, 1));
    must(b->ctx, recon_tape_new(b->ctx, &n->tape, precision, 0));
    n->x = floats(nodes * 5, 1), n->harmonics = floats(edges * 16, 1.7);
    n->square = floats(edges, 1), n->attribute = floats(nodes * 16, 1);
    n->source = indices(edges), n->target = indices(edges), n->offset = indices(nodes);
    n->ascending = indices(edges), n->order = indices(edges), n->order_of = indices(nodes);
    n->segment = indices(b->batch);
    fill_graph(b, n->source, n->target, n->offset);
    sort_by_source(n);
    for (size_t e = 0; e < edges; e++)
        n->ascending[e] = (int32_t)e;
    for (size_t i = 0; i <= b->batch; i++)
        n->segment[i] = (int32_t)(i * ATOMS);
}

static void close_network(const bench *b, network *n)
{
    recon_tape_free(n->tape);
    recon_segnn_free(&n->net);
    recon_params_free(b->ctx, n->params);
    free(n->x), free(n->harmonics), free(n->square), free(n->attribute);
    free(n->source), free(n->target), free(n->offset), free(n->ascending), free(n->order);
    free(n->order_of), free(n->segment);
}

static recon_var input(const network *n, const void *host, recon_dtype type, size_t rows,
                       size_t cols)
{
    return recon_var_input(n->tape, host, type, (size_t[]){ rows, cols }, cols ? 2 : 1);
}

/* A loss that leaves no gradient out: the sum of all. */
static recon_var loss_of(recon_tape *t, recon_var x)
{
    x = recon_var_reshape(t, x, &(size_t){ recon_var_count(x) }, 1);
    return recon_var_sum(t, recon_var_cast(t, x, RECON_F32), 0);
}

/* One pass forward, or forward and back. */
static void pass(const bench *b, network *n, recon_tape_mode mode)
{
    must(b->ctx, recon_tape_begin(n->tape, mode, 0));
    recon_segnn_graph g = { .source = input(n, n->source, RECON_I32, n->edges, 0),
                            .target = input(n, n->target, RECON_I32, n->edges, 0),
                            .offset = input(n, n->offset, RECON_I32, n->nodes + 1, 0),
                            .ascending = input(n, n->ascending, RECON_I32, n->edges, 0),
                            .order = input(n, n->order, RECON_I32, n->edges, 0),
                            .order_of = input(n, n->order_of, RECON_I32, n->nodes + 1, 0),
                            .harmonics = input(n, n->harmonics, RECON_F32, n->edges, 16),
                            .square = input(n, n->square, RECON_F32, n->edges, 1),
                            .attribute = input(n, n->attribute, RECON_F32, n->nodes, 16),
                            .segment = input(n, n->segment, RECON_I32, n->molecules + 1, 0) };
    recon_var x = input(n, n->x, RECON_F32, n->nodes, 5);
    x = recon_segnn_apply(n->tape, &n->net, x, &g);
    if (mode == RECON_TRAIN) {
        must(b->ctx, recon_params_clear_gradients(b->ctx, n->params));
        must(b->ctx, recon_tape_backward(n->tape, loss_of(n->tape, x)));
    }
    must(b->ctx, recon_tape_status(n->tape));
}

static void time_network(const bench *b)
{
    double least[2] = { 1e9, 1e9 };
    network n;
    open_network(b, &n);
    for (double start = recon_now(); recon_now() - start < 4 * SECONDS;)
        for (int i = 0; i < 2; i++) {
            must(b->ctx, b->ops->sync(b->ctx));
            double begin = recon_now();
            pass(b, &n, i ? RECON_TRAIN : RECON_INFER);
            must(b->ctx, b->ops->sync(b->ctx));
            least[i] = recon_now() - begin < least[i] ? recon_now() - begin : least[i];
        }
    printf("SEGNN of %d layers: forward %.1f, forward + backward %.1f molecules/s\n", (int)LAYERS,
           (double)b->batch / least[0], (double)b->batch / least[1]);
    close_network(b, &n);
}

static double time_layer(const bench *b, size_t i)
{
    recon_couple_plan *plan;
    must(b->ctx, recon_couple_plan_make(b->ctx, &plan, &layers[i].in, &layers[i].out, 1));
    double took = time_rows(b, i, plan);
    recon_couple_plan_free(plan);
    return took;
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
    recon_tensor m = tensor(&b, RECON_F32, GEMM, GEMM), c = tensor(&b, RECON_F32, GEMM, GEMM);
    b.product = (recon_gemm_args){ .type = RECON_F32,
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
    double step = 0;
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        step += LAYERS * time_layer(&b, i);
    printf("products of %d layers, forward + backward: %.1f molecules/s\n", (int)LAYERS,
           (double)b.batch / step);
    time_network(&b);
    b.ops->release(b.ctx, m.data);
    b.ops->release(b.ctx, c.data);
    recon_ctx_free(b.ctx);
    return 0;
}
