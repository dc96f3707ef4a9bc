/* input_nets.c - the paper's Lambda and Theta: code common to networks on images and on
 * molecules. */
#include "maps/input_nets.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "maps/head_training.h"
#include "nn/params.h"
#include "nn/tape.h"
#include "backbone/kinds.h"

#include <stdlib.h>

enum { PASS = RECON_BLOCK_NETS, MOST = 1 << 16 };

/* --- the networks ----------------------------------------------------------------------------- */

static const recon_input_nets_kind *kind_of(const recon_backbone *backbone)
{
    return !backbone                               ? NULL
           : recon_backbone_ieae(backbone)         ? &recon_image_nets
           : recon_backbone_molecule_net(backbone) ? &recon_molecule_nets
                                                   : NULL;
}

recon_status recon_input_nets_check(recon_ctx *ctx, const recon_backbone *backbone)
{
    const recon_ieae *images = backbone ? recon_backbone_ieae(backbone) : NULL;
    if (!kind_of(backbone))
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "heads paper needs a backbone trained by `{recon.train()}`, and its inputs");
    if (images && images->encoder.is_photo)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "heads paper needs a steerable backbone, and that of preset %s is not",
                          recon_preset_name(images->shape.preset));
    return RECON_OK;
}

/* With the weights of a file, or with first ones. */
static recon_status make(recon_ctx *ctx, recon_input_nets **out, const recon_backbone *backbone,
                         size_t hidden, const recon_safetensors *file, const char *path,
                         uint64_t seed)
{
    const recon_input_nets_kind *kind = kind_of(backbone);
    recon_input_nets *nets;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &nets, 1, kind->size));
    nets->kind = kind;
    nets->backbone = backbone;
    RECON_TRY(recon_params_new(ctx, &nets->params, backbone->params->precision));
    recon_params_expect(nets->params, file, path, 0);
    RECON_TRY(kind->add(ctx, nets, hidden));
    RECON_TRY(recon_params_make(ctx, nets->params, seed));
    *out = nets;
done:
    if (status != RECON_OK)
        recon_input_nets_free(ctx, nets);
    return status;
}

void recon_input_nets_free(recon_ctx *ctx, recon_input_nets *nets)
{
    if (!nets)
        return;
    if (nets->kind->free)
        nets->kind->free(nets);
    recon_params_free(ctx, nets->params);
    free(nets);
}

static recon_status freeze(recon_ctx *ctx, recon_input_nets *nets)
{
    return nets->kind->freeze ? nets->kind->freeze(ctx, nets) : RECON_OK;
}

/* --- training --------------------------------------------------------------------------------- */

static recon_var view(void *user, recon_tape *t, const size_t *which, size_t n, uint64_t draw)
{
    recon_input_feed *feed = user;
    return feed->nets->kind->view(feed, t, which, n, draw);
}

static recon_var output(void *user, recon_tape *t, int head, recon_var x)
{
    recon_input_feed *feed = user;
    return feed->nets->kind->output(feed, t, head, x);
}

static recon_status learn(recon_ctx *ctx, recon_input_nets *nets, const recon_data *data,
                          const recon_targets *targets, recon_head_training *l)
{
    const recon_input_nets_kind *kind = nets->kind;
    recon_input_feed feed = {
        .ctx = ctx, .nets = nets, .data = data, .seed = l->seed, .most = l->batch
    };
    recon_status status;
    RECON_TRY(kind->feed_new(&feed));
    l->params = nets->params;
    l->precision = nets->params->precision;
    l->heads = RECON_INPUT_NETS;
    l->kind = kind->head;
    l->number = targets->number;
    l->weight[0] = kind->lambda_weight(targets->number);
    l->restarts = kind->restarts;
    l->label = "heads";
    for (int h = 0; h < RECON_INPUT_NETS; h++) {
        l->name[h] = kind->name[h];
        l->target[h] = targets->of[h];
    }
    l->input = view;
    l->output = output;
    l->user = &feed;
    RECON_TRY(recon_head_training_run(ctx, l));
    RECON_TRY(freeze(ctx, nets));
done:
    kind->feed_free(&feed);
    return status;
}

recon_status recon_input_nets_fit(recon_ctx *ctx, recon_input_nets **out,
                                  const recon_backbone *backbone, const recon_data *data,
                                  const recon_targets *targets, const recon_maps_options *options)
{
    const recon_input_nets_kind *kind = kind_of(backbone);
    recon_maps_options o = *options;
    recon_input_nets *nets = NULL;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_input_nets_check(ctx, data ? backbone : NULL));
    const recon_maps_kind *maps = recon_maps_kind_of(backbone->kind->group);
    recon_maps_options usual = kind->defaults;
    recon_head_training training = { .n = recon_data_describe(data).n,
                                     .plain = maps->plain,
                                     .as_split = maps->as_split };
    usual.held_out = maps->defaults.held_out;
    RECON_TRY(recon_backbone_check_data(ctx, backbone, data));
    if (!o.epochs)
        o.epochs = recon_head_training_epochs(&usual, 10 * usual.epochs, training.n);
    RECON_TRY(recon_head_training_plan(ctx, &training, &o, &usual));
    RECON_TRY(make(ctx, &nets, backbone, o.hidden ? o.hidden : usual.hidden, NULL, NULL, o.seed));
    RECON_TRY(learn(ctx, nets, data, targets, &training));
    *out = nets;
done:
    if (status != RECON_OK)
        recon_input_nets_free(ctx, nets);
    return status;
}

/* --- files ------------------------------------------------------------------------------------ */

static recon_status read_hidden(recon_ctx *ctx, size_t *hidden, const char *entry,
                                const recon_safetensors *file, const char *path)
{
    recon_array weight;
    recon_status status = recon_safetensors_get(ctx, &weight, file, entry);
    if (status != RECON_OK)
        return recon_note(ctx, status, "the file holds no maps on its inputs");
    if (weight.ndim != 2 || weight.shape[0] < 1 || weight.shape[0] > MOST)
        status = recon_fail(ctx, RECON_ERR_FORMAT, "%s: '%s' is no weight", path, entry);
    *hidden = weight.shape[0];
    recon_array_free(&weight);
    return status;
}

recon_status recon_input_nets_read(recon_ctx *ctx, recon_input_nets **out,
                                   const recon_backbone *backbone, const recon_safetensors *file,
                                   const char *path)
{
    const recon_input_nets_kind *kind = kind_of(backbone);
    recon_input_nets *nets = NULL;
    size_t hidden = 0;
    recon_status status = RECON_OK;
    *out = NULL;
    if (!kind)
        return recon_fail(
            ctx, RECON_ERR_FORMAT,
            "%s: heads 'paper' need a backbone of `{recon.train()}`, and there is none", path);
    RECON_TRY(recon_input_nets_check(ctx, backbone));
    RECON_TRY(read_hidden(ctx, &hidden, kind->sized, file, path));
    RECON_TRY(make(ctx, &nets, backbone, hidden, file, path, 0));
    RECON_TRY(freeze(ctx, nets));
    *out = nets;
done:
    if (status != RECON_OK)
        recon_input_nets_free(ctx, nets);
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

static recon_status apply_some(recon_input_feed *feed, recon_tape *t, char *out, unsigned heads,
                               double number, const void *inputs, size_t n, double *y)
{
    const recon_input_nets_kind *kind = feed->nets->kind;
    size_t map = recon_maps_kind_of(feed->nets->backbone->kind->group)->map;
    for (int h = 0; h < RECON_INPUT_NETS; h++) {
        if (!(heads & 1u << h))
            continue;
        RECON_CHECK(recon_tape_begin(t, RECON_INFER, 0));
        recon_var x = kind->look(feed, t, inputs, n); /* anew: a net uses its memory */
        RECON_CHECK(recon_var_read(t, y, kind->output(feed, t, h, x)));
        for (size_t i = 0; i < n; i++)
            kind->head[h].read(out + i * map, y + i * kind->head[h].outputs, number);
    }
    return RECON_OK;
}

recon_status recon_input_nets_apply(recon_ctx *ctx, void *out, const recon_input_nets *nets,
                                    unsigned heads, double number, const void *inputs, size_t n)
{
    size_t map = recon_maps_kind_of(nets->backbone->kind->group)->map;
    size_t bytes = nets->kind->bytes(nets);
    recon_input_feed feed = { .ctx = ctx, .nets = nets, .most = PASS };
    recon_tape *t = NULL;
    double *y = NULL;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &t, nets->params->precision, 0));
    RECON_TRY(recon_alloc_raw(ctx, &y, PASS * RECON_HEAD_OUTPUTS, sizeof *y));
    RECON_TRY(nets->kind->feed_new(&feed));
    for (size_t at = 0; at < n; at += PASS) {
        size_t some = n - at < PASS ? n - at : PASS;
        RECON_TRY(apply_some(&feed, t, (char *)out + at * map, heads, number,
                             (const char *)inputs + at * bytes, some, y));
    }
done:
    nets->kind->feed_free(&feed);
    free(y);
    recon_tape_free(t);
    return status;
}
