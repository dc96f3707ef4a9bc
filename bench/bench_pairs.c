/* bench_pairs.c - the molecule encoder `fast` and the operation it is made of.
 *
 *   bench_pairs cpu|cuda|ref THREADS [f32|bf16 [BATCH]]
 *
 * Milliseconds a molecule of 20 atoms, the best of several rounds: pairs at S = 128, V = 64 forth
 * and back, then the whole encoder, answering and learning, one molecule at a time and a batch. */
#include "backbone/molecule_encoder.h"
#include "core/ctx.h"
#include "nn/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATOMS = 20, S = 128, V = 64, MANY = 512, ROUNDS = 7 };
static const uint8_t known[] = { 1, 6, 7, 8 };

typedef struct {
    recon_ctx *ctx;
    recon_tape *tape;
    recon_molecule_encoder *encoder;
    recon_param *filters;
    recon_molecule_pack pack;
    recon_molecule_batch batch;
    recon_tape_mode mode;
    float xyz[MANY * ATOMS][3];
    uint8_t z[MANY * ATOMS];
    float *noise; /* [MANY * ATOMS][12 V] */
} bench;

static recon_status check(recon_ctx *ctx, recon_status status)
{
    if (status != RECON_OK) {
        fprintf(stderr, "bench_pairs: %s\n", recon_ctx_message(ctx));
        exit(1);
    }
    return status;
}

/* A loss that leaves no gradient out: the sum of all. */
static recon_var loss_of(recon_tape *t, recon_var x)
{
    x = recon_var_reshape(t, x, &(size_t){ recon_var_count(x) }, 1);
    return recon_var_sum(t, recon_var_cast(t, x, RECON_F32), 0);
}

static recon_var run_pairs(bench *b, size_t n)
{
    recon_tape *t = b->tape;
    recon_dtype type = recon_tape_activations(t);
    recon_var s = recon_var_input(t, b->noise, RECON_F32, (size_t[]){ n * ATOMS, S + V }, 2);
    recon_var u = recon_var_input(t, b->noise, RECON_F32, (size_t[]){ n * ATOMS, 3, 4 * V }, 3);
    s = recon_var_cast(t, recon_var_watch(t, s), type);
    u = recon_var_cast(t, recon_var_watch(t, u), type);
    recon_var y =
        recon_var_pairs(t, s, u, recon_var_param(t, b->filters), b->batch.xyz, b->batch.offset);
    for (int i = 1; i < 10; i++) /* ten of them, so that copies do not count */
        y = recon_var_pairs(t, recon_var_columns(t, y, 0, S + V), u, recon_var_param(t, b->filters),
                            b->batch.xyz, b->batch.offset);
    return y;
}

static recon_var run_encoder(bench *b, size_t n)
{
    recon_var latent, y;
    check(b->ctx, b->encoder->feed(b->tape, b->encoder, &b->batch, &b->pack, 0));
    b->encoder->apply(b->tape, b->encoder, &b->batch, &latent, &y);
    y = recon_var_reshape(b->tape, y, (size_t[]){ n, 9 }, 2);
    return recon_var_concat(b->tape, (recon_var[]){ latent, y }, 2);
}

static void pass(bench *b, size_t n, recon_var (*run)(bench *, size_t))
{
    double loss;
    check(b->ctx, recon_tape_begin(b->tape, b->mode, 1));
    check(b->ctx, recon_molecule_batch_feed(b->tape, &b->batch, &b->pack, NULL));
    recon_var y = run(b, n);
    if (b->mode != RECON_INFER) {
        recon_var l = loss_of(b->tape, y);
        check(b->ctx, recon_tape_backward(b->tape, l));
        check(b->ctx, recon_var_read(b->tape, &loss, l));
    }
    check(b->ctx, recon_tape_status(b->tape));
    check(b->ctx, b->tape->ops->sync(b->ctx));
}

static double time_of(bench *b, size_t n, recon_tape_mode mode, recon_var (*run)(bench *, size_t))
{
    static recon_conformer x[MANY];
    double best = INFINITY;
    for (size_t i = 0; i < n; i++)
        x[i] = (recon_conformer){ .atoms = ATOMS, .z = b->z + i * ATOMS, .xyz = b->xyz[i * ATOMS] };
    check(b->ctx, recon_molecule_pack_fill(b->ctx, &b->pack, x, NULL, n,
                                           &(recon_molecule_pack_options){ .element = known,
                                                                           .elements = sizeof known,
                                                                           .slots = ATOMS }));
    b->mode = mode;
    for (int round = 0; round <= ROUNDS; round++) {
        double begin = recon_now(), took;
        int passes = 0;
        do {
            pass(b, n, run);
            passes++;
            took = (recon_now() - begin) / passes;
        } while (recon_now() - begin < 0.1);
        best = round ? fmin(best, took) : best; /* the first one warms up */
    }
    return 1e3 * best / (double)n;
}

static void report(bench *b, size_t n)
{
    double forth = time_of(b, n, RECON_INFER, run_pairs) / 10;
    double both = time_of(b, n, RECON_RECORD, run_pairs) / 10;
    double answer = time_of(b, n, RECON_INFER, run_encoder);
    double learn = time_of(b, n, RECON_TRAIN, run_encoder);
    printf("%4zu molecules at a time: pairs %.4f ms, with gradient %.4f ms; encoder %.4f ms, with "
           "gradient %.4f ms a molecule\n",
           n, forth, both, answer, learn);
}

int main(int argc, char **argv)
{
    static bench b;
    if (argc < 3)
        return fprintf(stderr, "usage: bench_pairs cpu|cuda|ref THREADS [f32|bf16 [BATCH]]\n"), 2;
    recon_precision precision =
        argc > 3 && strcmp(argv[3], "bf16") == 0 ? RECON_MIXED : RECON_SINGLE;
    size_t batch = argc > 4 ? strtoul(argv[4], NULL, 10) : 64;
    recon_molecule_net_shape shape = {
        .width = 1, .layers = 5, .latent = 256, .elements = sizeof known
    };
    recon_params *params;
    recon_rng r = recon_rng_new(2, 0);
    recon_ctx *ctx = b.ctx = recon_ctx_new(&(recon_ctx_options){ .threads = atoi(argv[2]) });
    check(ctx, recon_ops_attach(ctx, argv[1]));
    b.noise = malloc(sizeof *b.noise * MANY * ATOMS * 12 * V);
    for (size_t i = 0; i < (size_t)MANY * ATOMS * 12 * V; i++)
        b.noise[i] = (float)recon_rng_normal(&r);
    for (size_t i = 0; i < MANY * ATOMS; i++) {
        b.z[i] = known[recon_rng_below(&r, sizeof known)];
        for (int k = 0; k < 3; k++)
            b.xyz[i][k] = (float)(1.8 * recon_rng_normal(&r));
    }
    check(ctx, recon_params_new(ctx, &params, precision));
    check(ctx, recon_params_add(ctx, &b.filters, params, "filters",
                                (size_t[]){ RECON_PAIRS_KNOTS, S + 5 * V }, 2,
                                (recon_init){ RECON_INIT_XAVIER, 0 }));
    check(ctx, recon_molecule_fast_new(ctx, &b.encoder, params, &shape));
    check(ctx, recon_params_make(ctx, params, 1));
    check(ctx, recon_tape_new(ctx, &b.tape, precision, 1));
    report(&b, 1);
    report(&b, batch < MANY ? batch : MANY);
    recon_molecule_pack_free(&b.pack);
    recon_tape_free(b.tape);
    b.encoder->free(b.encoder);
    recon_params_free(ctx, params);
    recon_ctx_free(ctx);
    free(b.noise);
    return 0;
}
