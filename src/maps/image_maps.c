/* image_maps.c - the paper's Lambda and Theta: networks on images. */
#include "maps/image_maps.h"
#include "backbone/ieae.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "maps/head_training.h"
#include "maps/so2_heads.h"
#include "nn/tape.h"
#include "backbone/kinds.h"

#include <stdio.h>
#include <stdlib.h>

enum { NETS = 2 /* Lambda and Theta, the first of recon_so2_heads */, PASS = 256, MOST = 1 << 16 };

static const char *const net_name[NETS] = { "lambda_image", "theta_image" };
static const recon_maps_options defaults = {
    .hidden = 256,
    .epochs = 30,
    .batch = 128,
    .rate = 1e-3,
    .decay = 0.01,
    .held_out = 0.1,
};

struct recon_image_maps {
    const recon_ieae *backbone; /* lent */
    recon_params *params;
    recon_encoder encoder[NETS];
    recon_mlp out[NETS];
    recon_param *kept; /* the family, which files hold */
    recon_so2_family family;
};

/* --- the networks ----------------------------------------------------------------------------- */

static recon_status add_nets(recon_ctx *ctx, recon_image_maps *m, size_t hidden)
{
    const recon_ieae_shape *shape = &m->backbone->shape;
    recon_layer_name name;
    size_t one = 1;
    recon_status status;
    for (int h = 0; h < NETS; h++) {
        size_t sizes[] = { shape->code, hidden, recon_so2_heads[h].outputs };
        snprintf(name, sizeof name, "%s.out", net_name[h]);
        RECON_TRY(recon_encoder_add(ctx, &m->encoder[h], m->params, net_name[h], shape));
        RECON_TRY(recon_mlp_add(ctx, &m->out[h], m->params, name, sizes, 3, 0));
    }
    RECON_TRY(recon_params_add_buffer(ctx, &m->kept, m->params, "theta_image.family", &one, 1, 0));
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

/* What the backbone sees of n images; seen is scratch, and may be images. */
static recon_var view(recon_tape *t, const recon_ieae *b, float *seen, const float *images,
                      size_t n)
{
    const recon_ieae_shape *s = &b->shape;
    size_t shape[4] = { n, s->height, s->width_px, s->channels };
    recon_ieae_see(seen, b, images, n);
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

/* --- training---------------------------------------------------------------------------------- */

typedef struct {
    recon_image_maps *maps;
    recon_ctx *ctx;
    const recon_dataset *data;
    const size_t *which;
    float *images; /* of a batch */
} learner;

static recon_status get_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    learner *p = arg;
    (void)ctx, (void)worker;
    recon_dataset_get(p->images + i * image_size(p->maps->backbone), p->data, p->which[i]);
    return RECON_OK;
}

static recon_var input(void *user, recon_tape *t, const size_t *which, size_t n)
{
    learner *p = user;
    p->which = which;
    recon_tape_did(t, recon_parallel(p->ctx, get_task, p, n));
    return view(t, p->maps->backbone, p->images, p->images, n);
}

static recon_var output(void *user, recon_tape *t, int head, recon_var x)
{
    return net(t, ((learner *)user)->maps, head, x);
}

static recon_status learn(recon_ctx *ctx, recon_image_maps *m, const recon_dataset *data,
                          const recon_targets *targets, recon_head_training *l)
{
    learner p = { .maps = m, .ctx = ctx, .data = data };
    double family = m->family = targets->number;
    recon_status status;
    RECON_TRY(
        recon_alloc_raw(ctx, &p.images, l->batch * image_size(m->backbone), sizeof *p.images));
    l->params = m->params;
    l->precision = m->params->precision;
    l->heads = NETS;
    l->kind = recon_so2_heads;
    l->number = family;
    for (int h = 0; h < NETS; h++) {
        l->name[h] = net_name[h];
        l->target[h] = targets->of[h];
    }
    l->input = input;
    l->output = output;
    l->user = &p;
    RECON_TRY(recon_head_training_run(ctx, l));
    RECON_TRY(recon_param_write(ctx, m->kept, &family));
    RECON_TRY(freeze(ctx, m));
done:
    free(p.images);
    return status;
}

recon_status recon_image_maps_fit(recon_ctx *ctx, recon_image_maps **out,
                                  const recon_ieae *backbone, const recon_dataset *data,
                                  const double *psi, const recon_frames *frames,
                                  const recon_maps_options *options)
{
    recon_maps_options o = options ? *options : (recon_maps_options){ 0 };
    recon_head_training training = { .n = recon_dataset_describe(data).n };
    const recon_embedded posed = { .n = training.n, .so2 = psi };
    recon_targets targets = { .number = RECON_SO2_AUTO };
    recon_image_maps *m = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_backbone_check_data(ctx, &backbone->base, recon_dataset_data(data)));
    RECON_TRY(recon_targets_make(ctx, &targets, &posed, frames));
    RECON_TRY(recon_head_training_plan(ctx, &training, &o, &defaults));
    RECON_TRY(make(ctx, &m, backbone, o.hidden ? o.hidden : defaults.hidden, NULL, NULL, o.seed));
    RECON_TRY(learn(ctx, m, data, &targets, &training));
    *out = m;
done:
    if (status != RECON_OK)
        recon_image_maps_free(ctx, m);
    recon_targets_free(&targets);
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

recon_status recon_image_maps_open(recon_ctx *ctx, recon_image_maps **out,
                                   const recon_ieae *backbone, const char *path)
{
    recon_safetensors *file = NULL;
    recon_image_maps *m = NULL;
    size_t hidden = 0;
    double family;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(read_hidden(ctx, &hidden, file, path));
    RECON_TRY(make(ctx, &m, backbone, hidden, file, path, 0));
    RECON_TRY(recon_param_read(ctx, &family, m->kept));
    if (family != RECON_SO2_UNIFORM && family != RECON_SO2_NORMAL)
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT, "%s: 'theta_image.family' is %g: 1 or 2", path,
                             family));
    m->family = (recon_so2_family)family;
    RECON_TRY(freeze(ctx, m));
    *out = m;
done:
    recon_safetensors_close(file);
    if (status == RECON_OK)
        return status;
    recon_image_maps_free(ctx, m);
    return recon_note_file(ctx, status, path);
}

/* --- answers ---------------------------------------------------------------------------------- */

static recon_status apply_some(recon_tape *t, recon_so2_map *out, const recon_image_maps *m,
                               const float *images, size_t n, float *seen, double *y)
{
    recon_status status = RECON_OK;
    for (int h = 0; h < NETS; h++) {
        RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
        recon_var x = view(t, m->backbone, seen, images, n); /* anew: a net uses its memory */
        RECON_TRY(recon_var_read(t, y, net(t, m, h, x)));
        for (size_t i = 0; i < n; i++) {
            recon_so2_heads[h].read(&out[i], y + i * recon_so2_heads[h].outputs, m->family);
            out[i].family = m->family;
        }
    }
done:
    return status;
}

recon_status recon_image_maps_apply(recon_ctx *ctx, recon_so2_map *out, const recon_image_maps *m,
                                    const float *images, size_t n)
{
    size_t size = image_size(m->backbone);
    recon_tape *t = NULL;
    float *seen = NULL;
    double *y = NULL;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &t, m->params->precision, 0));
    RECON_TRY(recon_alloc_raw(ctx, &seen, PASS * size, sizeof *seen));
    RECON_TRY(recon_alloc_raw(ctx, &y, PASS * RECON_HEAD_OUTPUTS, sizeof *y));
    for (size_t at = 0; at < n; at += PASS)
        RECON_TRY(
            apply_some(t, out + at, m, images + at * size, n - at < PASS ? n - at : PASS, seen, y));
done:
    free(y);
    free(seen);
    recon_tape_free(t);
    return status;
}
