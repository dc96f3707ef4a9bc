/* bench_photo.c - a whole training step of preset `photo`: 2 x 256 views of 32 x 32 x 3 pixels.
 *
 *   bench_photo cpu|cuda|ref f32|bf16 [STEPS [IMAGES [photo|photo-small]]]
 *
 * prints milliseconds a step. The views are noise that was made beforehand, so that nothing but the
 * step itself is timed; the losses are those of training, the likelihood of a rotation, codes of two
 * views told from the others', and their poses. */
#include <recon/recon.h>
#include "backbone/photo_net.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "nn/params.h"
#include <recon/nn/train.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, CHANNELS = 3, VIEWS = 2, PIXELS = SIDE * SIDE * CHANNELS, MOST_WARM_UP = 20 };

typedef struct {
    recon_photo_net net;
    recon_var images, given, order;
    float *pixels;
    int32_t *bin, *place;
    size_t batch, warm_up;
    double begun, cpu_begun;
} model;

/* Half of x's rows: those of view 0 or of view 1, as directions. */
static recon_var view(recon_tape *t, recon_var x, size_t which)
{
    if (!x)
        return NULL;
    size_t rows = recon_var_shape(x, NULL)[0] / VIEWS, cols = recon_var_shape(x, NULL)[1];
    x = recon_var_reshape(t, x, (size_t[]){ rows, VIEWS * cols }, 2);
    return recon_var_unit(t, recon_var_columns(t, x, which * cols, cols));
}

static recon_var loss(void *user, recon_tape *t)
{
    model *m = user;
    recon_var code, pose, density;
    recon_photo_net_apply(t, &m->net, recon_var_cast(t, m->images, recon_tape_activations(t)),
                          &code, &pose, &density);
    recon_var alike =
        recon_var_linear(t, recon_var_scale(t, 10, view(t, code, 0)), view(t, code, 1), NULL);
    recon_var total = recon_var_cross_entropy(t, density, m->given);
    total = recon_var_blend(t, 1, total, 0.1, recon_var_cross_entropy(t, alike, m->order));
    return recon_var_blend(t, 1, total, 0.2,
                           recon_var_cosine_loss(t, view(t, pose, 0), view(t, pose, 1)));
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    model *m = user;
    size_t n = VIEWS * m->batch;
    if (step == m->warm_up) {
        m->begun = recon_now();
        m->cpu_begun = processor_seconds();
    }
    m->images = recon_var_input(t, m->pixels, RECON_F32, (size_t[]){ n, SIDE, SIDE, CHANNELS }, 4);
    m->given = recon_var_input(t, m->bin, RECON_I32, &n, 1);
    m->order = recon_var_input(t, m->place, RECON_I32, &m->batch, 1);
    return recon_tape_status(t);
}

static recon_status make_views(recon_ctx *ctx, model *m)
{
    size_t n = VIEWS * m->batch;
    m->pixels = malloc(n * PIXELS * sizeof *m->pixels);
    m->bin = malloc(n * sizeof *m->bin);
    m->place = malloc(m->batch * sizeof *m->place);
    if (!m->pixels || !m->bin || !m->place)
        return recon_fail(ctx, RECON_ERR_MEMORY, "out of memory");
    recon_rng r = recon_rng_new(1, 0);
    for (size_t i = 0; i < n * PIXELS; i++)
        m->pixels[i] = (float)recon_rng_normal(&r);
    for (size_t i = 0; i < n; i++)
        m->bin[i] = (int32_t)recon_rng_below(&r, RECON_POSE_BINS);
    for (size_t i = 0; i < m->batch; i++)
        m->place[i] = (int32_t)i;
    return RECON_OK;
}

static recon_status run(recon_ctx *ctx, model *m, const char *backend, recon_precision precision,
                        recon_preset preset, uint64_t steps)
{
    recon_params *p = NULL;
    recon_trainee it = { .feed = feed, .loss = loss, .user = m };
    recon_train_result result;
    recon_ieae_shape shape = {
        .preset = preset, .height = SIDE, .width_px = SIDE, .channels = CHANNELS, .density = 1
    };
    recon_train_options o = {
        .steps = steps, .readings = steps, .precision = precision, .schedule = { .rate = 1e-3 }
    };
    recon_status status;
    RECON_TRY(recon_ops_attach(ctx, backend));
    RECON_TRY(make_views(ctx, m));
    RECON_TRY(recon_params_new(ctx, &p, precision));
    RECON_TRY(recon_photo_shape(ctx, &shape));
    RECON_TRY(recon_photo_net_add(ctx, &m->net, p, "encoder", &shape));
    RECON_TRY(recon_params_make(ctx, p, 1));
    it.params = p;
    RECON_TRY(recon_train(ctx, &result, &it, &o));
    double n = (double)(steps - m->warm_up);
    printf(
        "%s, 2 x %zu views: loss %.6f after %zu steps, %.3f ms a step, %.3f of processor, %zu MiB\n",
        recon_ops_name(ctx), m->batch, result.loss, (size_t)steps,
        1e3 * (recon_now() - m->begun) / n, 1e3 * (processor_seconds() - m->cpu_begun) / n,
        result.peak >> 20);
done:
    recon_params_free(ctx, p);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3 || (strcmp(argv[2], "f32") && strcmp(argv[2], "bf16")))
        return fprintf(stderr, "usage: bench_photo cpu|cuda|ref f32|bf16 "
                               "[STEPS [IMAGES [photo|photo-small]]]\n"),
               2;
    uint64_t steps = argc > 3 ? strtoul(argv[3], NULL, 10) : 220;
    int small = argc > 5 && !strcmp(argv[5], "photo-small");
    model m = { .batch = argc > 4 ? strtoul(argv[4], NULL, 10) : 256,
                .warm_up = steps / 2 < MOST_WARM_UP ? steps / 2 : MOST_WARM_UP };
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_status s =
        ctx ? run(ctx, &m, argv[1], strcmp(argv[2], "f32") ? RECON_MIXED : RECON_SINGLE,
                  small ? RECON_PRESET_PHOTO_SMALL : RECON_PRESET_PHOTO, steps)
            : RECON_ERR_MEMORY;
    if (s != RECON_OK)
        fprintf(stderr, "bench_photo: %s\n", ctx ? recon_ctx_message(ctx) : "no context");
    free(m.pixels);
    free(m.bin);
    free(m.place);
    recon_ctx_free(ctx);
    return s != RECON_OK;
}
