/* molecule_nets.c - the paper's Lambda and Theta on molecules: invariant SEGNNs of four layers.
 *
 * The recipe is the paper's: 50x0e + 32x1o + 8x2e + 4x3o, batches of 128, Adam at 4.83e-4 with a
 * cosine, squared errors of the matrices, that of Lambda weighted by 500. F is learned in units of its
 * usual length, so that the weight is divided by the unit's square: the same sum, but for a factor.
 * What is ours: fewer epochs than the paper's 150. The networks are invariant by construction, and so
 * conformers need not be rotated while training. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/formats.h"
#include "maps/input_nets.h"
#include "maps/so3_heads.h"
#include "nn/tape.h"
#include "backbone/kinds.h"
#include "backbone/molecule_encoder.h"

#include <math.h>
#include <stdlib.h>

enum { NETS = RECON_INPUT_NETS, LAYERS = 4 };
#define RADIUS 2.0 /* Angstrom, of a backbone that has none */

typedef struct {
    recon_input_nets base;
    recon_molecule_encoder *net[NETS];
} molecule_nets;

static const recon_molecule_net *backbone_of(const recon_input_nets *nets)
{
    return recon_backbone_molecule_net(nets->backbone);
}

static size_t bytes(const recon_input_nets *nets)
{
    (void)nets;
    return sizeof(recon_conformer);
}

/* As wide as the backbone, of which `width` is one of the preset's. */
static recon_status add(recon_ctx *ctx, recon_input_nets *nets, size_t hidden)
{
    static const double channels[RECON_DEGREES] = { 50, 32, 8, 4 };
    const recon_molecule_net_shape *s = &backbone_of(nets)->shape;
    molecule_nets *m = (molecule_nets *)nets;
    recon_molecule_paper_shape shape = { .layers = LAYERS,
                                         .radius = s->radius > 0 ? s->radius : RADIUS,
                                         .scalars = hidden,
                                         .elements = s->elements };
    for (size_t l = 0; l < RECON_DEGREES; l++)
        shape.hidden.mul[l] = (size_t)fmax(1, round(channels[l] * s->width));
    for (int h = 0; h < NETS; h++) {
        shape.outputs = recon_so3_networks[h].outputs;
        RECON_CHECK(
            recon_molecule_paper_make(ctx, &m->net[h], nets->params, nets->kind->name[h], &shape));
    }
    return RECON_OK;
}

static void free_nets(recon_input_nets *nets)
{
    molecule_nets *m = (molecule_nets *)nets;
    for (int h = 0; h < NETS; h++)
        if (m->net[h])
            m->net[h]->free(m->net[h]);
}

/* --- a batch ---------------------------------------------------------------------------------- */

typedef struct {
    recon_conformer *x; /* [most], in training */
    recon_molecule_pack pack;
    recon_molecule_batch batch;
} fed;

static recon_status feed_new(recon_input_feed *feed)
{
    fed *f;
    RECON_CHECK(recon_alloc(feed->ctx, &f, 1, sizeof *f));
    feed->own = f;
    if (feed->data)
        RECON_CHECK(recon_alloc(feed->ctx, &f->x, feed->most, sizeof *f->x));
    return RECON_OK;
}

static void feed_free(recon_input_feed *feed)
{
    fed *f = feed->own;
    if (f) {
        recon_molecule_pack_free(&f->pack);
        free(f->x);
    }
    free(f);
}

/* Both networks see the same graph. */
static recon_status feed_batch(recon_input_feed *feed, recon_tape *t, const recon_conformer *x,
                               size_t n)
{
    const recon_molecule_encoder *net = ((const molecule_nets *)feed->nets)->net[0];
    fed *f = feed->own;
    RECON_CHECK(
        recon_molecule_net_pack(feed->ctx, &f->pack, backbone_of(feed->nets), x, NULL, n, 0, 0));
    RECON_CHECK(recon_molecule_batch_feed(t, &f->batch, &f->pack, NULL));
    return net->feed(t, net, &f->batch, &f->pack, 0);
}

static recon_var look(recon_input_feed *feed, recon_tape *t, const void *inputs, size_t n)
{
    recon_tape_did(t, feed_batch(feed, t, inputs, n));
    return ((const fed *)feed->own)->batch.xyz;
}

static recon_var view(recon_input_feed *feed, recon_tape *t, const size_t *which, size_t n,
                      uint64_t draw)
{
    fed *f = feed->own;
    (void)draw;
    for (size_t i = 0; i < n; i++)
        f->x[i] = recon_molecules_get(recon_data_molecules(feed->data), which[i]);
    return look(feed, t, f->x, n);
}

static recon_var output(const recon_input_feed *feed, recon_tape *t, int head, recon_var x)
{
    const recon_molecule_encoder *net = ((const molecule_nets *)feed->nets)->net[head];
    recon_var answer, vectors;
    (void)x; /* it is in the batch, with its graph */
    if (recon_tape_status(t) != RECON_OK)
        return NULL;
    net->apply(t, net, &((const fed *)feed->own)->batch, &answer, &vectors);
    return answer;
}

static double lambda_weight(double unit)
{
    return 500 / (unit * unit);
}

const recon_input_nets_kind recon_molecule_nets = {
    .name = { "lambda_molecule", "theta_molecule" },
    .sized = "lambda_molecule.latent.0.weight",
    .head = recon_so3_networks,
    .size = sizeof(molecule_nets),
    .defaults = { .hidden = 256, .epochs = 30, .batch = 128, .rate = 4.83e-4 },
    .lambda_weight = lambda_weight,
    .bytes = bytes,
    .add = add,
    .free = free_nets,
    .feed_new = feed_new,
    .feed_free = feed_free,
    .look = look,
    .view = view,
    .output = output,
};
