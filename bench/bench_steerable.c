/* bench_steerable.c - a steerable layer, its filters written out against run by waves.
 *
 *   bench_steerable BACKEND THREADS FIELDS_IN FIELDS_OUT SIZE BATCH SIDE [fp32|bf16]
 *
 * FIELDS as "32,24,16": how many of frequency 0, 1, ... Prints one line for inference with frozen
 * weights and one for a training pass (forward, loss, backward): milliseconds of both ways, their
 * ratio, the share of the machine's matrix product rate that the products of the waves run at with
 * everything else in their time, and the way that is chosen. Each time is the least of several,
 * taken in turn: the machine may be busy. */
#include "bench.h"
#include <recon/nn/steerable.h>
#include "nn/planes.h"
#include "ops/steer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 9, GEMM = 1536 };

typedef struct {
    recon_ctx *ctx;
    recon_params *params;
    recon_tape *tape;
    recon_steerable layer[2]; /* dense, by waves */
    recon_precision precision;
    size_t batch, side;
    float *image;
} bench;

static recon_fields fields_of(const char *text)
{
    recon_fields f = { { 0 } };
    char *end = (char *)text;
    for (size_t m = 0; m < RECON_FREQUENCIES && *end; m++) {
        f.of[m] = strtoul(end, &end, 10);
        end += *end == ',';
    }
    return f;
}

static void open_bench(bench *b, const char *in, const char *out, size_t size)
{
    recon_fields from = fields_of(in), to = fields_of(out);
    size_t count = b->batch * b->side * b->side * recon_fields_channels(&from);
    recon_rng rng = recon_rng_new(1, 0);
    must(b->ctx, recon_params_new(b->ctx, &b->params, b->precision));
    for (int i = 0; i < 2; i++)
        must(b->ctx,
             recon_steerable_add(b->ctx, &b->layer[i], b->params, i ? "waves" : "dense", &from, &to,
                                 &(recon_steerable_options){
                                     .size = size, .way = i ? RECON_WAY_WAVES : RECON_WAY_DENSE }));
    must(b->ctx, recon_params_make(b->ctx, b->params, 1));
    for (int i = 0; i < 2; i++)
        must(b->ctx, recon_steerable_freeze(b->ctx, &b->layer[i]));
    must(b->ctx, recon_tape_new(b->ctx, &b->tape, b->precision, 0));
    b->image = malloc((count + 1) * sizeof *b->image);
    for (size_t i = 0; i < count; i++)
        b->image[i] = (float)recon_rng_normal(&rng);
}

static recon_var images(bench *b, recon_tape_mode mode)
{
    size_t shape[4] = { b->batch, b->side, b->side, recon_fields_channels(&b->layer[0].in) };
    must(b->ctx, recon_tape_begin(b->tape, mode, 0));
    recon_var x = recon_var_input(b->tape, b->image, RECON_F32, shape, 4);
    return recon_var_cast(b->tape, x, recon_tape_activations(b->tape));
}

/* A loss that leaves no gradient out: the sum of all. */
static recon_var loss_of(recon_tape *t, recon_var x)
{
    x = recon_var_reshape(t, x, &(size_t){ recon_var_count(x) }, 1);
    return recon_var_sum(t, recon_var_cast(t, x, RECON_F32), 0);
}

/* Seconds of one pass through the layer. */
static double pass(bench *b, int which, int training)
{
    const recon_ops *ops = recon_ops_of(b->ctx);
    recon_var x = images(b, training ? RECON_TRAIN : RECON_INFER);
    if (training)
        x = recon_var_watch(b->tape, x);
    must(b->ctx, ops->sync(b->ctx));
    double start = recon_now();
    recon_var y = recon_steerable_apply(b->tape, &b->layer[which], x);
    if (training)
        must(b->ctx, recon_tape_backward(b->tape, loss_of(b->tape, y)));
    must(b->ctx, ops->sync(b->ctx));
    must(b->ctx, recon_tape_status(b->tape));
    return recon_now() - start;
}

/* 1e9 multiply-adds a second of one large product, the most of several. */
static double ceiling(bench *b)
{
    const recon_ops *ops = recon_ops_of(b->ctx);
    int bf16 = b->precision == RECON_MIXED;
    void *m[3];
    double best = 0;
    for (int i = 0; i < 3; i++) {
        must(b->ctx, ops->alloc(b->ctx, &m[i], GEMM * GEMM * sizeof(float)));
        must(b->ctx, ops->zero(b->ctx, m[i], GEMM * GEMM * sizeof(float)));
    }
    recon_gemm_args g = { .type = bf16 ? RECON_BF16 : RECON_F32,
                          .c_bf16 = bf16,
                          .m = GEMM,
                          .n = GEMM,
                          .k = GEMM,
                          .alpha = 1,
                          .a = m[0],
                          .b = m[1],
                          .c = m[2],
                          .lda = GEMM,
                          .ldb = GEMM,
                          .ldc = GEMM };
    for (int i = 0; i < REPEATS; i++) {
        must(b->ctx, ops->sync(b->ctx));
        double start = recon_now();
        must(b->ctx, ops->gemm(b->ctx, &g));
        must(b->ctx, ops->sync(b->ctx));
        double rate = 1e-9 * GEMM * GEMM * GEMM / (recon_now() - start);
        best = rate > best ? rate : best;
    }
    for (int i = 0; i < 3; i++)
        ops->release(b->ctx, m[i]);
    return best;
}

/* What the choice looks at. */
static recon_steer_args form_of(bench *b, const recon_planes *p)
{
    const recon_steerable *l = &b->layer[1];
    return (recon_steer_args){ .pad = l->pad,
                               .plane = p->plane,
                               .product = p->product,
                               .products = p->products,
                               .x = { .type = recon_tape_activations(b->tape),
                                      .ndim = 4,
                                      .shape = { b->batch, b->side, b->side,
                                                 recon_fields_channels(&l->in) } },
                               .wave = { .ndim = 3, .shape = { p->waves, l->size, l->size } } };
}

static void report(bench *b, int training, double rate)
{
    recon_arena *arena = recon_worker_arena(b->ctx, 0);
    recon_mark mark = recon_arena_mark(arena);
    double best[2] = { 1e9, 1e9 };
    recon_planes *planes;
    for (int r = 0; r < REPEATS; r++)
        for (int which = 0; which < 2; which++) {
            double seconds = pass(b, which, training);
            best[which] = seconds < best[which] ? seconds : best[which];
        }
    must(b->ctx, recon_planes_of(b->ctx, &planes, arena, &b->layer[1]));
    recon_steer_args form = form_of(b, planes);
    recon_steer_sizes s = recon_steer_sizes_of(&form);
    double work =
        (training ? 3e-9 : 1e-9) * recon_steer_product_work(&form) * (double)(s.n * s.p * s.q);
    printf("%-6s dense %9.3f ms  waves %9.3f ms  ratio %5.2f  of gemm %4.2f  chosen %s\n",
           training ? "train" : "infer", 1e3 * best[0], 1e3 * best[1], best[0] / best[1],
           work / best[1] / rate,
           recon_ops_of(b->ctx)->steer_pays(b->ctx, &form, training) ? "waves" : "dense");
    recon_arena_release(arena, mark);
}

int main(int argc, char **argv)
{
    bench b = { 0 };
    if (argc < 8 || argc > 9) {
        fprintf(stderr, "bench_steerable BACKEND THREADS FIELDS_IN FIELDS_OUT SIZE BATCH SIDE "
                        "[fp32|bf16]\n");
        return 2;
    }
    b.ctx = recon_ctx_new(&(recon_ctx_options){ .threads = atoi(argv[2]) });
    if (!b.ctx)
        return 1;
    must(b.ctx, recon_ops_attach(b.ctx, argv[1]));
    b.precision = argc > 8 && strcmp(argv[8], "bf16") == 0 ? RECON_MIXED : RECON_SINGLE;
    b.batch = strtoul(argv[6], NULL, 10);
    b.side = strtoul(argv[7], NULL, 10);
    open_bench(&b, argv[3], argv[4], strtoul(argv[5], NULL, 10));
    double rate = ceiling(&b);
    printf("%s -> %s, %sx%s, batch %s of %sx%s, %s: products at most %.0f GFLOP/s\n", argv[3],
           argv[4], argv[5], argv[5], argv[6], argv[7], argv[7], recon_ops_name(b.ctx), 2 * rate);
    report(&b, 0, rate);
    report(&b, 1, rate);
    free(b.image);
    recon_tape_free(b.tape);
    recon_params_free(b.ctx, b.params);
    recon_ctx_free(b.ctx);
    return 0;
}
