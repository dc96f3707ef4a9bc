/* bench_step.c - a whole training step of an image autoencoder of the size that images will need.
 *
 *   bench_step cpu|cuda|ref f32|bf16 [STEPS [BATCH]]      prints losses, then milliseconds a step
 *
 * The encoder has fields of frequencies 0 to 3 (scalars and pairs): conv7 1 -> 128, conv5, pool,
 * conv5 -> 224, conv5, pool, conv5, conv3, 1x1 -> 130, mean; batch norm and ReLU on scalars, their
 * vector forms on pairs. Then an MLP, a decoder of seven layers, and the picture rotated by an
 * angle. */
#include <recon/recon.h>
#include <recon/nn/steerable.h>
#include "core/ctx.h"
#include <recon/nn/train.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 28, LAYERS = 6, CODE = 128, WARM_UP = 50, SETS = 8 };

/* Fields after each layer of the encoder, kernel sizes, and whether it is pooled. */
static const struct {
    recon_fields fields;
    size_t kernel;
    int pool;
} shape[LAYERS] = {
    { { { 32, 24, 16, 8 } }, 7, 0 }, { { { 32, 24, 16, 8 } }, 5, 1 },
    { { { 64, 48, 24, 8 } }, 5, 0 }, { { { 64, 48, 24, 8 } }, 5, 1 },
    { { { 64, 48, 24, 8 } }, 5, 0 }, { { { 64, 48, 24, 8 } }, 3, 0 },
};

typedef struct {
    recon_steerable conv[LAYERS], head;
    recon_field_norm norm[LAYERS];
    recon_conv decode[6];
    recon_mlp mlp;
    recon_linear widen;
    recon_var images;
    float *pixels; /* [SETS][batch] blobs */
    size_t batch;
    uint64_t steps;
    double begun, ended;
    recon_ctx *ctx;
} model;

static recon_status add_encoder(recon_ctx *ctx, model *m, recon_params *p)
{
    const recon_fields code = { { CODE, 1 } };
    const size_t sizes[] = { CODE, 256, CODE };
    recon_steerable_options o = { .rings = RECON_RINGS_WIDE };
    recon_status status = RECON_OK;
    recon_fields in = { { 1 } };
    for (size_t i = 0; status == RECON_OK && i < LAYERS; i++) {
        char name[32];
        o.size = shape[i].kernel;
        snprintf(name, sizeof name, "conv%zu", i);
        status = recon_steerable_add(ctx, &m->conv[i], p, name, &in, &shape[i].fields, &o);
        in = shape[i].fields;
        snprintf(name, sizeof name, "norm%zu", i);
        if (status == RECON_OK)
            status = recon_field_norm_add(ctx, &m->norm[i], p, name, &in);
    }
    o.size = 1;
    if (status == RECON_OK)
        status = recon_steerable_add(ctx, &m->head, p, "head", &in, &code, &o);
    return status == RECON_OK ? recon_mlp_add(ctx, &m->mlp, p, "code", sizes, 3, 0) : status;
}

static recon_status add_decoder(recon_ctx *ctx, model *m, recon_params *p)
{
    static const size_t channels[] = { 64, 64, 64, 64, 32, 1 };
    recon_conv_layer_options o = { .size = 3, .bias = 1 };
    recon_status status = recon_linear_add(ctx, &m->widen, p, "widen", CODE, 7 * 7 * 64);
    for (size_t i = 0; status == RECON_OK && i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "decode%zu", i);
        status = recon_conv_add(ctx, &m->decode[i], p, name, channels[i], channels[i + 1], &o);
    }
    return status;
}

static recon_var encode(model *m, recon_tape *t, recon_var x)
{
    for (size_t i = 0; i < LAYERS; i++) {
        x = recon_field_norm_apply(t, &m->norm[i], recon_steerable_apply(t, &m->conv[i], x));
        if (shape[i].pool)
            x = recon_var_average_pool(t, x, 2, 2);
    }
    return recon_var_spatial_mean(t, recon_steerable_apply(t, &m->head, x));
}

static recon_var decode(model *m, recon_tape *t, recon_var code)
{
    recon_var x = recon_var_relu(t, recon_linear_apply(t, &m->widen, code));
    x = recon_var_reshape(t, x, (size_t[]){ m->batch, 7, 7, 64 }, 4);
    x = recon_var_relu(t, recon_conv_apply(t, &m->decode[0], x));
    x = recon_var_resize(t, x, 14, 14, 0);
    x = recon_var_relu(t, recon_conv_apply(t, &m->decode[1], x));
    x = recon_var_relu(t, recon_conv_apply(t, &m->decode[2], x));
    x = recon_var_resize(t, x, SIDE, SIDE, 0);
    x = recon_var_relu(t, recon_conv_apply(t, &m->decode[3], x));
    return recon_var_sigmoid(t, recon_conv_apply(t, &m->decode[4], x));
}

static recon_var loss(void *user, recon_tape *t)
{
    model *m = user;
    recon_var pooled = encode(m, t, m->images);
    recon_var code = recon_mlp_apply(t, &m->mlp, recon_var_columns(t, pooled, 0, CODE));
    recon_var angle = recon_var_columns(t, pooled, CODE, 1);
    angle = recon_var_reshape(t, recon_var_cast(t, angle, RECON_F32), &m->batch, 1);
    recon_var picture = recon_var_cast(t, decode(m, t, code), RECON_F32);
    recon_var rotated = recon_var_rotate(t, picture, angle);
    return recon_var_mse(t, rotated, recon_var_cast(t, m->images, RECON_F32));
}

/* Two blobs in a random place each: something to learn. */
static void draw(float *pixels, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        recon_rng r = recon_rng_new(1, n);
        float *image = pixels + n * SIDE * SIDE;
        memset(image, 0, SIDE * SIDE * sizeof *image);
        for (int blob = 0; blob < 2; blob++) {
            int y = 4 + (int)recon_rng_below(&r, 14), x = 4 + (int)recon_rng_below(&r, 14);
            for (int i = 0; i < 6 + 2 * blob; i++)
                for (int j = 0; j < 6; j++)
                    image[(y + i) * SIDE + x + j] = 1;
        }
    }
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    model *m = user;
    if (step == WARM_UP)
        m->begun = recon_now();
    const float *set = m->pixels + step % SETS * m->batch * SIDE * SIDE;
    m->images = recon_var_input(t, set, RECON_F32, (size_t[]){ m->batch, SIDE, SIDE, 1 }, 4);
    m->images = recon_var_cast(t, m->images, recon_tape_activations(t));
    return recon_tape_status(t);
}

int main(int argc, char **argv)
{
    if (argc < 3 || (strcmp(argv[2], "f32") && strcmp(argv[2], "bf16")))
        return fprintf(stderr, "usage: bench_step cpu|cuda|ref f32|bf16 [STEPS [BATCH]]\n"), 2;
    recon_precision precision = strcmp(argv[2], "f32") ? RECON_MIXED : RECON_SINGLE;
    recon_ctx *ctx = recon_ctx_new(NULL);
    model m = { .steps = argc > 3 ? strtoul(argv[3], NULL, 10) : 300,
                .batch = argc > 4 ? strtoul(argv[4], NULL, 10) : 256,
                .ctx = ctx };
    recon_params *p = NULL;
    recon_trainee it = { .feed = feed, .loss = loss, .user = &m };
    recon_train_result result;
    m.pixels = malloc(SETS * m.batch * SIDE * SIDE * sizeof *m.pixels);
    if (m.pixels)
        draw(m.pixels, SETS * m.batch);
    recon_status s = ctx && m.pixels ? recon_ops_attach(ctx, argv[1]) : RECON_ERR_MEMORY;
    if (s == RECON_OK)
        s = recon_params_new(ctx, &p, precision);
    if (s == RECON_OK)
        s = add_encoder(ctx, &m, p);
    if (s == RECON_OK)
        s = add_decoder(ctx, &m, p);
    if (s == RECON_OK)
        s = recon_params_make(ctx, p, 1);
    it.params = p;
    recon_train_options o = { .steps = m.steps,
                              .readings = m.steps / 100 ? m.steps / 100 : 1,
                              .precision = precision,
                              .schedule = { .rate = 2e-3, .warmup = 100 },
                              .path = argc > 5 ? argv[5] : NULL };
    if (s == RECON_OK)
        s = recon_train(ctx, &result, &it, &o);
    if (s != RECON_OK)
        return fprintf(stderr, "bench_step: %s\n", recon_ctx_message(ctx)), 1;
    m.ended = recon_now();
    printf("%s %s batch %zu: %zu weights, loss %.5f after %zu steps, %.3f ms a step, %zu MiB\n",
           recon_ops_name(ctx), argv[2], m.batch, recon_params_count(p), result.loss,
           (size_t)result.steps, 1e3 * (m.ended - m.begun) / (double)(m.steps - WARM_UP),
           result.peak >> 20);
    recon_params_free(ctx, p);
    free(m.pixels);
    recon_ctx_free(ctx);
    return 0;
}
