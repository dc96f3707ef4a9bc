/* image_maps.c - the paper's Lambda and Theta: networks on images. */
#include "maps/image_maps.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "maps/head_training.h"
#include "maps/so2_heads.h"
#include "nn/tape.h"
#include "backbone/kinds.h"

#include <recon/core/rng.h>
#include <recon/group/so2.h>
#include <stdio.h>
#include <stdlib.h>

enum { NETS = RECON_IMAGE_NETS, PASS = 256, MOST = 1 << 16, STEPS_LEAST = 600 };
enum { VIEWS = 11 }; /* the stream of random numbers that rotates images */
#define LAMBDA_WEIGHT 0.25

static const char *const net_name[NETS] = { "lambda_image", "theta_image" };
static const recon_maps_options defaults = {
    .hidden = 256,
    .epochs = 60,
    .batch = 128,
    .rate = 1.35e-4,
    .held_out = 1.0 / RECON_HELD_OUT,
};

struct recon_image_maps {
    const recon_ieae *backbone; /* lent */
    recon_params *params;
    recon_encoder encoder[NETS];
    recon_mlp out[NETS];
};

/* --- the networks ----------------------------------------------------------------------------- */

/* The backbone's encoder, but for its pose density. */
static recon_status add_nets(recon_ctx *ctx, recon_image_maps *m, size_t hidden)
{
    recon_ieae_shape shape = m->backbone->shape;
    recon_layer_name name;
    recon_status status = RECON_OK;
    shape.density = 0;
    for (int h = 0; h < NETS; h++) {
        size_t sizes[] = { shape.code, hidden, recon_so2_heads[h].outputs };
        snprintf(name, sizeof name, "%s.out", net_name[h]);
        RECON_TRY(recon_encoder_add(ctx, &m->encoder[h], m->params, net_name[h], &shape));
        RECON_TRY(recon_mlp_add(ctx, &m->out[h], m->params, name, sizes, 3, 0));
    }
done:
    return status;
}

/* With the weights of a file, or with first ones. */
static recon_status make(recon_ctx *ctx, recon_image_maps **out, const recon_ieae *backbone,
                         size_t hidden, const recon_safetensors *file, const char *path,
                         uint64_t seed)
{
    recon_image_maps *m;
    recon_status status = recon_alloc(ctx, &m, 1, sizeof *m);
    *out = NULL;
    if (status != RECON_OK)
        return status;
    m->backbone = backbone;
    RECON_TRY(recon_params_new(ctx, &m->params, backbone->base.params->precision));
    recon_params_expect(m->params, file, path, 0);
    RECON_TRY(add_nets(ctx, m, hidden));
    RECON_TRY(recon_params_make(ctx, m->params, seed));
    *out = m;
done:
    if (status != RECON_OK)
        recon_image_maps_free(ctx, m);
    return status;
}

void recon_image_maps_free(recon_ctx *ctx, recon_image_maps *m)
{
    if (!m)
        return;
    recon_params_free(ctx, m->params);
    free(m);
}

const recon_params *recon_image_maps_params(const recon_image_maps *maps)
{
    return maps->params;
}

static recon_status freeze(recon_ctx *ctx, recon_image_maps *m)
{
    recon_status status = recon_encoder_freeze(ctx, &m->encoder[0]);
    return status == RECON_OK ? recon_encoder_freeze(ctx, &m->encoder[1]) : status;
}

static recon_var as_input(recon_tape *t, const recon_ieae *b, const float *seen, size_t n)
{
    size_t shape[4] = { n, b->shape.height, b->shape.width_px, b->shape.channels };
    recon_var x = recon_var_input(t, seen, RECON_F32, shape, 4);
    return recon_var_cast(t, x, recon_tape_activations(t));
}

static recon_var net(recon_tape *t, const recon_image_maps *m, int head, recon_var x)
{
    return recon_mlp_apply(t, &m->out[head], recon_encoder_apply(t, &m->encoder[head], x).code);
}

static size_t image_size(const recon_ieae *b)
{
    return b->shape.height * b->shape.width_px * b->shape.channels;
}

size_t recon_image_maps_pixels(const recon_image_maps *m)
{
    return image_size(m->backbone);
}

/* --- training --------------------------------------------------------------------------------- */

typedef struct {
    recon_image_maps *maps;
    recon_ctx *ctx;
    const recon_dataset *data;
    uint64_t seed, draw; /* draw 0: images as they are */
    const size_t *which;
    float *images, *views; /* of a batch */
} learner;

/* An image, and where it is trained on a view of it, rotated by an angle of its own. */
static recon_status get_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    learner *p = arg;
    const recon_ieae_shape *s = &p->maps->backbone->shape;
    size_t at = i * image_size(p->maps->backbone);
    (void)ctx, (void)worker;
    recon_dataset_get(p->images + at, p->data, p->which[i]);
    if (!p->draw)
        return RECON_OK;
    recon_rng rng = recon_rng_new(p->seed + VIEWS, p->draw << 32 | i);
    recon_image_rotate(p->views + at, p->images + at, s->height, s->width_px, s->channels,
                       recon_so2_haar(&rng), RECON_BILINEAR);
    return RECON_OK;
}

static recon_var input(void *user, recon_tape *t, const size_t *which, size_t n, uint64_t draw)
{
    learner *p = user;
    const recon_ieae *b = p->maps->backbone;
    p->which = which;
    p->draw = draw;
    recon_tape_did(t, recon_parallel(p->ctx, get_task, p, n));
    if (draw)
        recon_ieae_see(p->views, b, p->views, n);
    else
        recon_ieae_look(p->views, b, p->images, n);
    return as_input(t, b, p->views, n);
}

static recon_var output(void *user, recon_tape *t, int head, recon_var x)
{
    return net(t, ((learner *)user)->maps, head, x);
}

static recon_status learn(recon_ctx *ctx, recon_image_maps *m, const recon_dataset *data,
                          const recon_targets *targets, recon_head_training *l)
{
    learner p = { .maps = m, .ctx = ctx, .data = data, .seed = l->seed };
    size_t size = l->batch * image_size(m->backbone);
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &p.images, size, sizeof *p.images));
    RECON_TRY(recon_alloc_raw(ctx, &p.views, size, sizeof *p.views));
    l->params = m->params;
    l->precision = m->params->precision;
    l->heads = NETS;
    l->kind = recon_so2_networks;
    l->number = targets->number;
    l->weight[RECON_SO2_LAMBDA] = LAMBDA_WEIGHT;
    l->restarts = 1;
    l->label = "heads";
    for (int h = 0; h < NETS; h++) {
        l->name[h] = net_name[h];
        l->target[h] = targets->of[h];
    }
    l->input = input;
    l->output = output;
    l->user = &p;
    RECON_TRY(recon_head_training_run(ctx, l));
    RECON_TRY(freeze(ctx, m));
done:
    free(p.images);
    free(p.views);
    return status;
}

recon_status recon_image_maps_fit(recon_ctx *ctx, recon_image_maps **out,
                                  const recon_ieae *backbone, const recon_dataset *data,
                                  const recon_targets *targets, const recon_maps_options *options)
{
    recon_maps_options o = *options;
    recon_head_training training = { .n = recon_dataset_describe(data).n, .as_split = 1 };
    recon_image_maps *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_backbone_check_data(ctx, &backbone->base, recon_dataset_data(data)));
    if (!o.epochs)
        o.epochs = recon_head_training_epochs(&defaults, STEPS_LEAST, training.n);
    RECON_TRY(recon_head_training_plan(ctx, &training, &o, &defaults));
    RECON_TRY(make(ctx, &m, backbone, o.hidden ? o.hidden : defaults.hidden, NULL, NULL, o.seed));
    RECON_TRY(learn(ctx, m, data, targets, &training));
    *out = m;
done:
    if (status != RECON_OK)
        recon_image_maps_free(ctx, m);
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

static recon_status read_hidden(recon_ctx *ctx, size_t *hidden, const recon_safetensors *file,
                                const char *path)
{
    recon_array weight;
    recon_status status = recon_safetensors_get(ctx, &weight, file, "lambda_image.out.0.weight");
    if (status != RECON_OK)
        return recon_note(ctx, status, "the file holds no maps on images");
    if (weight.ndim != 2 || weight.shape[0] < 1 || weight.shape[0] > MOST)
        status =
            recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'lambda_image.out.0.weight' is no weight", path);
    *hidden = weight.shape[0];
    recon_array_free(&weight);
    return status;
}

recon_status recon_image_maps_read(recon_ctx *ctx, recon_image_maps **out,
                                   const recon_ieae *backbone, const recon_safetensors *file,
                                   const char *path)
{
    recon_image_maps *m = NULL;
    size_t hidden = 0;
    recon_status status;
    *out = NULL;
    RECON_TRY(read_hidden(ctx, &hidden, file, path));
    RECON_TRY(make(ctx, &m, backbone, hidden, file, path, 0));
    RECON_TRY(freeze(ctx, m));
    *out = m;
done:
    if (status != RECON_OK)
        recon_image_maps_free(ctx, m);
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

static recon_status apply_some(recon_tape *t, recon_so2_map *out, const recon_image_maps *m,
                               unsigned heads, const float *seen, size_t n, double *y)
{
    recon_status status = RECON_OK;
    for (int h = 0; h < NETS; h++) {
        if (!(heads & 1u << h))
            continue;
        RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
        recon_var x = as_input(t, m->backbone, seen, n); /* anew: a net uses its memory */
        RECON_TRY(recon_var_read(t, y, net(t, m, h, x)));
        for (size_t i = 0; i < n; i++)
            recon_so2_heads[h].read(&out[i], y + i * recon_so2_heads[h].outputs, 0);
    }
done:
    return status;
}

recon_status recon_image_maps_apply(recon_ctx *ctx, recon_so2_map *out, const recon_image_maps *m,
                                    unsigned heads, const float *images, size_t n)
{
    size_t size = image_size(m->backbone);
    recon_tape *t = NULL;
    float *seen = NULL;
    double *y = NULL;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &t, m->params->precision, 0));
    RECON_TRY(recon_alloc_raw(ctx, &seen, PASS * size, sizeof *seen));
    RECON_TRY(recon_alloc_raw(ctx, &y, PASS * RECON_HEAD_OUTPUTS, sizeof *y));
    for (size_t at = 0; at < n; at += PASS) {
        size_t some = n - at < PASS ? n - at : PASS;
        recon_ieae_look(seen, m->backbone, images + at * size, some);
        RECON_TRY(apply_some(t, out + at, m, heads, seen, some, y));
    }
done:
    free(y);
    free(seen);
    recon_tape_free(t);
    return status;
}
