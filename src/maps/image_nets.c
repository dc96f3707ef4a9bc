/* image_nets.c - the paper's Lambda and Theta on images.
 *
 * The recipe is the paper's: batches of 128, Adam at 1.35e-4 with warm restarts (nn/restarts.h),
 * squared errors with a weight of 0.25 for Lambda. These differ: Lambda is a unit vector, since an
 * angle jumps; images are preprocessed as for the backbone and rotated at random in training; and
 * there are fewer epochs than 600. */
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/formats.h"
#include "maps/input_nets.h"
#include "maps/so2_heads.h"
#include "nn/tape.h"
#include "backbone/kinds.h"

#include <recon/core/rng.h>
#include <recon/group/so2.h>
#include <stdio.h>
#include <stdlib.h>

enum { NETS = RECON_INPUT_NETS, VIEWS = 11 /* the stream of random numbers that rotates images */ };

typedef struct {
    recon_input_nets base;
    recon_encoder encoder[NETS];
    recon_mlp out[NETS];
} image_nets;

static const recon_ieae *backbone_of(const recon_input_nets *nets)
{
    return recon_backbone_ieae(nets->backbone);
}

static size_t pixels_of(const recon_ieae *b)
{
    return b->shape.height * b->shape.width_px * b->shape.channels;
}

static size_t bytes(const recon_input_nets *nets)
{
    return pixels_of(backbone_of(nets)) * sizeof(float);
}

/* The backbone's encoder, but for its pose density. */
static recon_status add(recon_ctx *ctx, recon_input_nets *nets, size_t hidden)
{
    image_nets *m = (image_nets *)nets;
    recon_ieae_shape shape = backbone_of(nets)->shape;
    recon_layer_name name;
    shape.density = 0;
    for (int h = 0; h < NETS; h++) {
        size_t sizes[] = { shape.code, hidden, recon_so2_networks[h].outputs };
        snprintf(name, sizeof name, "%s.out", nets->kind->name[h]);
        RECON_CHECK(
            recon_encoder_add(ctx, &m->encoder[h], nets->params, nets->kind->name[h], &shape));
        RECON_CHECK(recon_mlp_add(ctx, &m->out[h], nets->params, name, sizes, 3, 0));
    }
    return RECON_OK;
}

static recon_status freeze(recon_ctx *ctx, recon_input_nets *nets)
{
    image_nets *m = (image_nets *)nets;
    RECON_CHECK(recon_encoder_freeze(ctx, &m->encoder[0]));
    return recon_encoder_freeze(ctx, &m->encoder[1]);
}

recon_image_net recon_image_nets_at(const recon_input_nets *nets, int head)
{
    const image_nets *m = (const image_nets *)nets;
    return (recon_image_net){ &m->encoder[head], &m->out[head] };
}

/* --- a batch ---------------------------------------------------------------------------------- */

typedef struct {
    const recon_input_feed *feed;
    const size_t *which;
    uint64_t draw;         /* 0: images as they are */
    float *images, *views; /* of a batch */
} batch;

static recon_status feed_new(recon_input_feed *feed)
{
    size_t size = feed->most * pixels_of(backbone_of(feed->nets));
    batch *b;
    RECON_CHECK(recon_alloc(feed->ctx, &b, 1, sizeof *b));
    feed->own = b;
    b->feed = feed;
    RECON_CHECK(recon_alloc_raw(feed->ctx, &b->views, size, sizeof *b->views));
    if (feed->data)
        RECON_CHECK(recon_alloc_raw(feed->ctx, &b->images, size, sizeof *b->images));
    return RECON_OK;
}

static void feed_free(recon_input_feed *feed)
{
    batch *b = feed->own;
    if (b) {
        recon_free_all(b->images, b->views);
    }
    free(b);
}

static recon_var as_input(recon_tape *t, const recon_ieae *b, const float *seen, size_t n)
{
    size_t shape[4] = { n, b->shape.height, b->shape.width_px, b->shape.channels };
    recon_var x = recon_var_input(t, seen, RECON_F32, shape, 4);
    return recon_var_cast(t, x, recon_tape_activations(t));
}

static recon_var look(recon_input_feed *feed, recon_tape *t, const void *inputs, size_t n)
{
    batch *b = feed->own;
    recon_ieae_preprocess(b->views, backbone_of(feed->nets), inputs, n);
    return as_input(t, backbone_of(feed->nets), b->views, n);
}

/* An image, and where it is trained on a view of it, rotated by an angle of its own. */
static recon_status get_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const batch *b = arg;
    const recon_ieae *net = backbone_of(b->feed->nets);
    const recon_ieae_shape *s = &net->shape;
    size_t at = i * pixels_of(net);
    (void)ctx, (void)worker;
    recon_dataset_get(b->images + at, recon_data_images(b->feed->data), b->which[i]);
    if (!b->draw)
        return RECON_OK;
    recon_rng rng = recon_rng_new(b->feed->seed + VIEWS, b->draw << 32 | i);
    recon_image_rotate(b->views + at, b->images + at, s->height, s->width_px, s->channels,
                       recon_so2_haar(&rng), RECON_BILINEAR);
    return RECON_OK;
}

static recon_var view(recon_input_feed *feed, recon_tape *t, const size_t *which, size_t n,
                      uint64_t draw)
{
    batch *b = feed->own;
    const recon_ieae *net = backbone_of(feed->nets);
    b->which = which;
    b->draw = draw;
    recon_tape_did(t, recon_parallel(feed->ctx, get_task, b, n));
    if (!draw)
        return look(feed, t, b->images, n);
    recon_ieae_mask(b->views, net, b->views, n);
    return as_input(t, net, b->views, n);
}

static recon_var output(const recon_input_feed *feed, recon_tape *t, int head, recon_var x)
{
    const image_nets *m = (const image_nets *)feed->nets;
    return recon_mlp_apply(t, &m->out[head], recon_encoder_apply(t, &m->encoder[head], x).code);
}

static double lambda_weight(double family)
{
    (void)family;
    return 0.25;
}

const recon_input_nets_kind recon_image_nets = {
    .name = { "lambda_image", "theta_image" },
    .sized = "lambda_image.out.0.weight",
    .head = recon_so2_networks,
    .size = sizeof(image_nets),
    .defaults = { .hidden = 256, .epochs = 60, .batch = 128, .rate = 1.35e-4 },
    .restarts = 1,
    .lambda_weight = lambda_weight,
    .bytes = bytes,
    .add = add,
    .freeze = freeze,
    .feed_new = feed_new,
    .feed_free = feed_free,
    .look = look,
    .view = view,
    .output = output,
};
