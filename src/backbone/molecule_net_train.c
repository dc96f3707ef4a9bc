/* molecule_net_train.c - training the autoencoder of molecules.
 *
 * In the first stage, conformers in new orientations are reconstructed. Its latent then shows which
 * conformers are similar. In the second stage, a batch consists of pairs, a conformer and one of
 * its partners (molecule_partners.h), which are both reconstructed. With their orientations H and
 * the rotation T that takes the partner onto the conformer, their poses must obey R R'^T = H T
 * H'^T; and among the z of all partners the conformer's own must be the nearest, and vice versa
 * (van den Oord et al. 2018). A conformer without partners is its own partner, which has no effect.
 *
 * The partners are a function of the first stage's weights, so a resumed run finds them again. The
 * rate stays high through the first stage and falls over the second.
 *
 * A batch is dealt out to its slices (ops/slices.h) by size, so that all have about as many atoms:
 * every slice has as many rows as the largest of the run needs. */
#include "backbone/metadata.h"
#include "backbone/recipe.h"
#include "backbone/molecule_partners.h"
#include "backbone/molecule_net.h"
#include <recon/nn/train.h>
#include <recon/data/dataset.h>
#include <recon/ops/backend.h>
#include "comm/comm.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/identity.h"
#include "data/formats.h"
#include "core/shuffle.h"
#include "nn/peers.h"
#include "nn/run_files.h"
#include "nn/settings.h"
#include "nn/step.h"
#include "nn/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 64, WARMUP = 300, ROUND = 64, SLICE_ROUND = 8, EMBEDDED = 256 };
#define DECAY     0.01  /* of weights */
#define ALIKE     0.6   /* Angstrom: deviation of the bell that weighs partners by RMSD */
#define LONGEST   0.999 /* the weights' average forgets no slower */
#define HELD_SEED 0

/* A set of conformers and how batches are drawn from it. */
typedef struct {
    recon_conformer *x; /* [n] */
    size_t n, batch;
    recon_molecule_partners partners; /* second stage */
    uint64_t seed;
} sample_set;

typedef struct {
    recon_ctx *ctx;
    recon_molecule_net *m;
    const recon_molecule_net_options *o;
    sample_set train, held;
    uint64_t identity, held_identity; /* of the data; of those held out, where they were given */
    int paired;                       /* the second stage */
    int choosing;                     /* the loss is that by which an epoch is chosen */
    size_t nodes, edges;          /* that hold any batch of this stage, or this rank's part of it */
    size_t of_slice, slice_edges; /* nodes and edges that hold any slice of one */
    recon_slices rows;            /* how the nodes of a batch are cut */
    size_t *dealt;                /* [batch] which unit of a step is at each place */
    size_t *atoms, *sorted;       /* [batch] of each unit; units by that */
    uint64_t dealt_of;            /* the step that was dealt, plus 1; 0: none */
    recon_molecule_pack pack;
    recon_conformer *seen; /* [batch] */
    recon_so3 *rotation;   /* [batch] */
    float *between;        /* [batch / 2][9] H T H'^T */
    float *weight;         /* [batch / 2], of sum 1 */
    int32_t *places;       /* [batch / 2] 0, 1, 2 ..: whose partner is whose */
    recon_molecule_net_fed fed;
    recon_var betweens, weights, order;
} trainer;

enum { STEPS_LEAST = 500 };

static int has_pairs(const recon_molecule_net_options *o)
{
    return o->align > 0 || o->contrast > 0;
}

static int is_paired(const void *options)
{
    return has_pairs(options);
}

#define BEFORE_NAME "epochs before pairs"
#define AT(field)   offsetof(recon_molecule_net_options, field)
#define ALL(x)                                                                                     \
    {                                                                                              \
        x, x, x                                                                                    \
    }
static const recon_recipe_entry entries[] = {
    /* Presets are fast, paper and small. */
    { "width", "factor on the preset's channels", RECON_RECIPE_NUMBER, AT(shape.width),
      .preset = ALL(1), .in_shape = 1 },
    { "layers", "number of message-passing layers", RECON_RECIPE_COUNT, AT(shape.layers),
      .preset = { 5, 6, 4 }, .in_shape = 1 },
    { "radius", "radius of the graph in Angstrom; of preset paper", RECON_RECIPE_NUMBER,
      AT(shape.radius), .preset = ALL(2), .in_shape = 1 },
    { "code", "length of the embedding", RECON_RECIPE_COUNT, AT(shape.code), .preset = ALL(64),
      .in_shape = 1 },
    /* Those of the paper are of its appendix on training: reconstruction alone. */
    { "epochs", "passes over the data", RECON_RECIPE_COUNT, AT(epochs),
      .preset = { 120, 600, 20 } },
    { "before", "epochs before neighbours are searched", RECON_RECIPE_COUNT, AT(before),
      .preset = ALL(8), .recorded = BEFORE_NAME },
    { "batch", "conformers in a step", RECON_RECIPE_COUNT, AT(batch), .preset = { 512, 128, 128 } },
    { "rate", "highest learning rate", RECON_RECIPE_NUMBER, AT(rate),
      .preset = { 1e-3, 8.89e-5, 1e-3 } },
    { "element", "weight of the element loss", RECON_RECIPE_WEIGHT, AT(element),
      .preset = { 2, 3.614, 2 } },
    { "align", "weight of aligning neighbours", RECON_RECIPE_WEIGHT, AT(align),
      .preset = { 4, -1, 4 }, .is_term = 1 },
    { "contrast", "weight of the contrastive loss", RECON_RECIPE_WEIGHT, AT(contrast),
      .preset = { 0.1, -1, 0.1 }, .is_term = 1 },
    { "temperature", "temperature of the contrastive loss", RECON_RECIPE_NUMBER, AT(temperature),
      .preset = ALL(0.1) },
    { "pairs",
      "which conformers are paired for align and contrast: those with equal elements and bonds, "
      "or with equal elements",
      RECON_RECIPE_WORD, AT(pairs), .words = "bonds|elements", .is_recorded = is_paired },
};
const recon_recipe recon_molecule_net_recipe = { entries, sizeof entries / sizeof *entries,
                                                 RECON_PRESET_SMALL + 1 };

/* What a preset does besides, and options do not change. */
typedef struct {
    double decay, clip; /* of weights; of the gradient's norm */
    int averaged;       /* the weights that are kept are a running average */
    size_t warmup;      /* epochs; 0: WARMUP steps */
    int by_places;      /* the epoch is chosen by the error of the atoms' places alone */
} habits;
static const habits habits_of[] = {
    [RECON_PRESET_FAST] = { .decay = DECAY, .clip = 1, .averaged = 1 },
    [RECON_PRESET_PAPER] = { .warmup = 5, .by_places = 1 }, /* plain Adam */
    [RECON_PRESET_SMALL] = { .decay = DECAY, .clip = 1, .averaged = 1 },
};

static size_t preset_count(const char *name, const recon_molecule_net_options *o)
{
    return (size_t)recon_recipe_default(&recon_molecule_net_recipe, name, o->shape.preset, 0);
}

static void set_defaults(recon_molecule_net_options *o, size_t n)
{
    /* The preset's are for tens of thousands of conformers. Of n, which may be a few, a step takes
     * no more than a quarter, in pairs, and epochs are added, in both stages alike, until there are
     * STEPS_LEAST steps. */
    size_t usual = preset_count("batch", o), epochs = preset_count("epochs", o);
    size_t quarter = n >= 8 ? n / 4 & ~(size_t)1 : 2, before = preset_count("before", o);
    if (!o->batch)
        o->batch = n < usual ? quarter : usual;
    size_t steps = n / o->batch ? n / o->batch : 1, least = (STEPS_LEAST + steps - 1) / steps;
    if (!o->epochs) {
        o->epochs = epochs > least ? epochs : least;
        before = before * o->epochs / epochs;
    }
    if (!o->before)
        o->before = o->epochs / 3 < before ? o->epochs / 3 : before;
    recon_recipe_fill(o, &recon_molecule_net_recipe, o->shape.preset, 0, 0);
    o->element = fmax(o->element, 0);
    o->shape.mapped = o->contrast > 0;
}

/* --- who is in a batch ------------------------------------------------------------------------ */

/* Every pass shows each conformer once, in a new order. */
static size_t drawn(const sample_set *p, uint64_t number)
{
    return recon_permute(number % p->n, p->n, p->seed, number / p->n);
}

/* One of i's partners, by the number of the draw; i itself where it has none. */
static recon_molecule_partner partner(const sample_set *p, size_t i, uint64_t number)
{
    const recon_molecule_partners *all = &p->partners;
    recon_rng rng = recon_rng_new(p->seed ^ 0x9e3779b97f4a7c15u, number);
    if (all->count[i] == 0)
        return (recon_molecule_partner){ .who = (int32_t)i,
                                         .rmsd = NAN,
                                         .rotation = recon_so3_identity() };
    return all->list[i * all->most + recon_rng_below(&rng, all->count[i])];
}

/* What a batch consists of: pairs, or single conformers. */
static size_t units_of(const trainer *c, const sample_set *p)
{
    return c->paired ? p->batch / 2 : p->batch;
}

/* Conformers of a unit: of a pair the one, then its partner. */
static size_t views_of(const trainer *c)
{
    return c->paired ? 2 : 1;
}

/* The number of the draw that is at a place of a batch: batches of training are dealt. */
static uint64_t number_at(const trainer *c, const sample_set *p, uint64_t step, size_t place)
{
    return step * units_of(c, p) + (p == &c->train ? c->dealt[place] : place);
}

static size_t member(const sample_set *p, uint64_t number, size_t view)
{
    size_t i = drawn(p, number);
    return view ? (size_t)partner(p, i, number).who : i;
}

static int larger_first(const void *a, const void *b, void *arg)
{
    const size_t *atoms = arg, i = *(const size_t *)a, j = *(const size_t *)b;
    if (atoms[i] != atoms[j])
        return atoms[i] > atoms[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

/* The largest units to one slice each, the next largest from the last slice on, and so there and
 * back: what a slice gets too much in one round it gets too little in the next. */
static void deal(trainer *c, uint64_t step)
{
    const sample_set *p = &c->train;
    size_t units = units_of(c, p), next = 0;
    recon_slices s = recon_slices_of(c->ctx, units);
    if (c->dealt_of == step + 1)
        return;
    for (size_t u = 0; u < units; u++) {
        c->sorted[u] = u;
        c->atoms[u] = 0;
        for (size_t v = 0; v < views_of(c); v++)
            c->atoms[u] += p->x[member(p, step * units + u, v)].atoms;
    }
    qsort_r(c->sorted, units, sizeof *c->sorted, larger_first, c->atoms);
    for (size_t round = 0; round < s.each; round++)
        for (size_t i = 0; i < s.count; i++) {
            size_t place = (round % 2 ? s.count - 1 - i : i) * s.each + round;
            if (place < units)
                c->dealt[place] = c->sorted[next++];
        }
    c->dealt_of = step + 1;
}

static size_t at_least(size_t most, size_t x)
{
    return x > most ? x : most;
}

static size_t rounded(size_t x, size_t by)
{
    return (x + by - 1) / by * by;
}

typedef struct {
    size_t atoms, edges;             /* of this rank's part of a step */
    size_t slice_atoms, slice_edges; /* of the step's slice that has most */
} sizes;

static sizes count_step(trainer *c, const size_t *edges, uint64_t step)
{
    size_t units = units_of(c, &c->train), atoms = 0, ends = 0;
    recon_slices s = recon_slices_of(c->ctx, units);
    recon_slice own =
        recon_slice_of(units, (size_t)recon_comm_size(c->ctx), (size_t)recon_comm_rank(c->ctx));
    sizes out = { 0 };
    deal(c, step);
    for (size_t place = 0; place < units; place++) {
        size_t here = c->atoms[c->dealt[place]], near = 0;
        int mine = place >= own.first && place < own.first + own.n;
        for (size_t v = 0; edges && v < views_of(c); v++)
            near += edges[member(&c->train, number_at(c, &c->train, step, place), v)];
        atoms = (place % s.each ? atoms : 0) + here;
        ends = (place % s.each ? ends : 0) + near;
        out.slice_atoms = at_least(out.slice_atoms, atoms);
        out.slice_edges = at_least(out.slice_edges, ends);
        out.atoms += mine ? here : 0;
        out.edges += mine ? near : 0;
    }
    return out;
}

/* The largest of all the stage's batches, known before it begins: shapes that repeat let a backend
 * record the step. */
static recon_status find_capacity(trainer *c, uint64_t steps)
{
    const recon_molecule_encoder *e = c->m->encoder;
    size_t *edges = NULL;
    recon_status status = RECON_OK;
    c->nodes = c->edges = c->of_slice = c->slice_edges = 0;
    c->dealt_of = 0; /* stages have units of their own */
    if (e->edges) {
        RECON_TRY(recon_alloc(c->ctx, &edges, c->train.n, sizeof *edges));
        for (size_t i = 0; i < c->train.n; i++)
            edges[i] = e->edges(e, &c->train.x[i]);
    }
    for (uint64_t step = 0; step < steps; step++) {
        sizes n = count_step(c, edges, step);
        c->nodes = at_least(c->nodes, n.atoms);
        c->edges = at_least(c->edges, n.edges);
        c->of_slice = at_least(c->of_slice, n.slice_atoms);
        c->slice_edges = at_least(c->slice_edges, n.slice_edges);
    }
    c->nodes = rounded(c->nodes, ROUND);
    c->edges = rounded(c->edges, ROUND);
    c->of_slice = rounded(c->of_slice, SLICE_ROUND);
    c->slice_edges = rounded(c->slice_edges + 1, SLICE_ROUND); /* no kernel likes no rows */
done:
    free(edges);
    return status;
}

/* --- a step ----------------------------------------------------------------------------------- */

static double alike(recon_molecule_partner b)
{
    double off = (double)b.rmsd / ALIKE;
    return isnan(off) ? 0 : exp(-off * off / 2);
}

static recon_molecule_partner partner_at(const trainer *c, const sample_set *p, uint64_t step,
                                         size_t place)
{
    uint64_t number = number_at(c, p, step, place);
    return partner(p, drawn(p, number), number);
}

/* together: the pairs whose weights add up to one. */
static void set_pairs(trainer *c, const sample_set *p, uint64_t step, recon_slice slice,
                      recon_slice together)
{
    double m[9], sum = 0;
    size_t first = slice.first - together.first;
    for (size_t k = 0; k < together.of; k++)
        sum += alike(partner_at(c, p, step, first + k));
    for (size_t k = 0; k < slice.n; k++) {
        recon_molecule_partner b = partner_at(c, p, step, slice.first + k);
        recon_so3 rotation = recon_so3_compose(recon_so3_compose(c->rotation[2 * k], b.rotation),
                                               recon_so3_inverse(c->rotation[2 * k + 1]));
        recon_so3_to_matrix(m, rotation);
        for (size_t i = 0; i < 9; i++)
            c->between[9 * k + i] = (float)m[i];
        c->weight[k] = sum > 0 ? (float)(alike(b) / sum) : 0;
        c->places[k] = (int32_t)(together.first + k);
    }
}

static recon_status feed_atoms(trainer *c, recon_tape *t, const sample_set *p, uint64_t step,
                               recon_slice slice, const recon_slices *cut)
{
    size_t views = views_of(c), n = views * slice.n;
    int whole = slice.n == slice.of || recon_comm_size(c->ctx) > 1; /* parts are not recorded */
    size_t nodes = cut ? c->of_slice : p == &c->train && whole ? c->nodes : 0;
    size_t edges = cut ? c->slice_edges : p == &c->train && whole ? c->edges : 0;
    RECON_CHECK(recon_molecule_net_pack(c->ctx, &c->pack, c->m, c->seen, c->rotation, n, nodes,
                                        cut ? views * cut->each : 0));
    if (cut) {
        c->rows = (recon_slices){ cut->count * nodes, nodes, cut->count, cut->begin, cut->end };
        c->pack.all_nodes = c->rows.all;
        /* Atoms that the decoder makes, of the whole batch. */
        size_t real = 0, slots = c->m->shape.slots;
        for (size_t place = 0; place < units_of(c, p); place++)
            for (size_t v = 0; v < views_of(c); v++) {
                size_t atoms = p->x[member(p, number_at(c, p, step, place), v)].atoms;
                real += atoms < slots ? atoms : slots;
            }
        c->pack.all_real = real;
    }
    return recon_molecule_net_feed(t, &c->fed, c->m, &c->pack, edges, cut ? &c->rows : NULL);
}

/* cut: the slices of the batch that this rank has; NULL: the slice stands alone. */
static recon_status feed_from(trainer *c, recon_tape *t, const sample_set *p, uint64_t step,
                              recon_slice slice, const recon_slices *cut)
{
    size_t pairs = slice.n;
    if (p == &c->train)
        deal(c, step);
    /* The conformers of a slice, in uniform orientations, by the place in the batch. */
    size_t views = views_of(c);
    for (size_t k = 0; k < views * slice.n; k++) {
        size_t place = slice.first + k / views, view = k % views;
        recon_rng rng = recon_rng_new(p->seed + 1, step * p->batch + views * place + view);
        c->seen[k] = p->x[member(p, number_at(c, p, step, place), view)];
        c->rotation[k] = recon_so3_haar(&rng);
    }
    RECON_CHECK(feed_atoms(c, t, p, step, slice, cut));
    if (c->paired) {
        set_pairs(c, p, step, slice, cut ? slice : (recon_slice){ 0, slice.n, slice.n });
        c->betweens = recon_var_input(t, c->between, RECON_F32, (size_t[]){ pairs, 9 }, 2);
        c->weights = recon_var_input(t, c->weight, RECON_F32, (size_t[]){ 1, pairs }, 2);
        c->order = recon_var_input(t, c->places, RECON_I32, (size_t[]){ pairs }, 1);
    }
    return recon_tape_status(t);
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    trainer *c = user;
    return feed_from(c, t, &c->train, step, recon_tape_slice(t), recon_tape_slices(t));
}

/* Half of x's rows: the ones, or their partners. */
static recon_var half(recon_tape *t, recon_var x, size_t which)
{
    if (!x)
        return NULL;
    size_t rows = recon_var_shape(x, NULL)[0] / 2, cols = recon_var_shape(x, NULL)[1];
    x = recon_var_reshape(t, x, (size_t[]){ rows, 2 * cols }, 2);
    return recon_var_columns(t, x, which * cols, cols);
}

static recon_var align_term(trainer *c, recon_tape *t, recon_var r)
{
    recon_var a = half(t, r, 0), b = half(t, r, 1);
    if (!b)
        return NULL;
    size_t n = recon_var_shape(b, NULL)[0];
    a = recon_var_reshape(t, a, (size_t[]){ n, 3, 3 }, 3);
    a = recon_molecule_act(t, &c->fed.tables, b, a);
    return recon_molecule_apart(t, recon_var_reshape(t, a, (size_t[]){ n, 9 }, 2), c->betweens,
                                c->weights);
}

static recon_var tell(trainer *c, recon_tape *t, recon_var a, recon_var b)
{
    a = recon_var_scale(t, 1 / c->o->temperature, a);
    return recon_var_cross_entropy(t, recon_var_linear(t, a, recon_var_whole(t, b), NULL),
                                   c->order);
}

static recon_var contrast_term(trainer *c, recon_tape *t, recon_var z)
{
    recon_var a = half(t, z, 0), b = half(t, z, 1);
    return recon_var_blend(t, 0.5, tell(c, t, a, b), 0.5, tell(c, t, b, a));
}

static recon_var loss(void *user, recon_tape *t)
{
    trainer *c = user;
    recon_molecule_net_seen seen;
    recon_molecule_net_see(t, &seen, c->m, &c->fed);
    double element = c->choosing && habits_of[c->o->shape.preset].by_places ? 0 : c->o->element;
    recon_var total = recon_molecule_net_rebuild_loss(t, c->m, &c->fed, &seen, element);
    if (c->paired && c->o->align > 0)
        total = recon_var_blend(t, 1, total, c->o->align, align_term(c, t, seen.r));
    if (c->paired && c->o->contrast > 0)
        total = recon_var_blend(t, 1, total, c->o->contrast, contrast_term(c, t, seen.z));
    return total;
}

/* The loss by which an epoch is chosen, on the same batches of what is held out every time, which
 * ranks share out. */
static recon_status mean_loss(void *user, recon_tape *t, double *metric)
{
    trainer *c = user;
    size_t batches = c->held.n < c->held.batch ? 1 : c->held.n / c->held.batch;
    size_t units = units_of(c, &c->held), room = recon_tape_slice(t).n;
    size_t parts = (units + room - 1) / room, blocks = batches * parts;
    recon_share own = recon_comm_own(c->ctx, blocks, 1);
    double sum = 0, *value = NULL;
    recon_status status;
    c->choosing = 1;
    RECON_TRY(recon_alloc(c->ctx, &value, blocks, sizeof *value));
    for (size_t b = own.begin; b < own.end; b++) {
        recon_slice slice = recon_slice_of(units, parts, b % parts);
        RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
        RECON_TRY(feed_from(c, t, &c->held, b / parts, slice, NULL));
        RECON_TRY(recon_var_read(t, &value[b], loss(c, t)));
        value[b] *= (double)slice.n / (double)slice.of;
    }
    RECON_TRY(recon_comm_gather(c->ctx, value, blocks, 1, sizeof *value));
    for (size_t b = 0; b < blocks; b++)
        sum += value[b];
    *metric = sum / (double)batches;
done:
    c->choosing = 0;
    free(value);
    return status;
}

/* --- the run ---------------------------------------------------------------------------------- */

typedef struct {
    recon_settings settings;
    char elements[4 * RECON_MOLECULE_NET_ELEMENTS];
    recon_metadata_list list;
} description;

static void describe(const trainer *c, description *d)
{
    const recon_molecule_net_shape *s = &c->m->shape;
    size_t at = 0;
    *d = (description){ .elements = "" };
    const recon_molecule_net_options *o = c->o;
    recon_settings_add(&d->settings, "preset", "%s", recon_preset_name(c->m->shape.preset));
    recon_settings_add(&d->settings, "conformers", "%zu", c->train.n);
    recon_settings_add(&d->settings, RECON_SETTING_IDENTITY, RECON_IDENTITY, c->identity);
    recon_settings_add(&d->settings, "held out", "%zu", c->held.n);
    if (c->held_identity)
        recon_settings_add(&d->settings, RECON_SETTING_HELD, RECON_IDENTITY, c->held_identity);
    recon_recipe_record(&d->settings, &recon_molecule_net_recipe, o);
    recon_settings_add_run(&d->settings, c->ctx, o->seed, o->precision);
    for (size_t e = 0; e < s->elements; e++)
        at += (size_t)snprintf(d->elements + at, sizeof d->elements - at, "%s%d", e ? " " : "",
                               s->element[e]);
    recon_metadata_add(&d->list, "model", "molnet");
    recon_metadata_add(&d->list, RECON_FORMAT_KEY, RECON_FORMAT);
    recon_metadata_add(&d->list, "preset", recon_preset_name(s->preset));
    recon_metadata_add(&d->list, "training", d->settings.text);
    recon_metadata_add_number(&d->list, "width_factor", s->width);
    recon_metadata_add_number(&d->list, "layers", (double)s->layers);
    recon_metadata_add_number(&d->list, "radius", s->radius);
    recon_metadata_add_number(&d->list, "latent", (double)s->latent);
    recon_metadata_add_number(&d->list, "code", (double)s->code);
    recon_metadata_add_number(&d->list, "mapped", s->mapped);
    recon_metadata_add_number(&d->list, "slots", (double)s->slots);
    recon_metadata_add(&d->list, "elements", d->elements);
    if (c->o->data)
        recon_metadata_add(&d->list, "data", c->o->data);
    if (c->o->data && c->o->rotate)
        recon_metadata_add(&d->list, "rotate", c->o->rotate);
}

/* Of the rate: our own warm-up is a share of the stage, the paper's is counted in epochs. */
static uint64_t warmup_steps(const habits *r, uint64_t steps, uint64_t epoch)
{
    uint64_t most = r->warmup ? r->warmup * epoch : WARMUP;
    return steps / 20 < most ? steps / 20 : most;
}

/* label: of its progress, which begins anew with each stage. */
static recon_status run_stage(trainer *c, recon_train_result *result, const description *d,
                              const char *path, size_t epochs, int last, int resume,
                              const char *label)
{
    const recon_molecule_net_options *o = c->o;
    const habits *r = &habits_of[o->shape.preset];
    uint64_t epoch = c->train.n / o->batch, steps = epochs * epoch;
    recon_trainee it = { .params = c->m->base.params,
                         .feed = feed,
                         .loss = loss,
                         .validate = mean_loss,
                         .user = c,
                         .units = units_of(c, &c->train),
                         .shared = 1,
                         .remedy = "a smaller {width} takes less" };
    RECON_CHECK(find_capacity(c, steps));
    return recon_train(
        c->ctx, result, &it,
        &(recon_train_options){
            .steps = steps,
            .epoch = epoch,
            .every = o->every,
            .patience = last ? o->patience : 0,
            .seed = o->seed,
            .precision = o->precision,
            .schedule = { last ? RECON_RATE_COSINE : RECON_RATE_CONSTANT, o->rate, 0,
                          warmup_steps(r, steps, epoch), steps, 0, 0 },
            /* A tenth of the stage is remembered, of a long one the last thousand steps. */
            .adam = { .clip = r->clip,
                      .decay = r->decay,
                      .average =
                          r->averaged ? fmin(LONGEST, 1 - 10 / fmax((double)steps, 20)) : 0 },
            .path = path,
            .metadata = d->list.entry,
            .n_metadata = d->list.n,
            .settings = d->settings.text,
            .resume = resume,
            .overwrite = 1, /* recon_molecule_net_train has looked, at both stages at once */
            .label = label,
        });
}

/* In blocks that ranks share out. */
static recon_status embed(trainer *c, const sample_set *p, float *latent)
{
    size_t d = c->m->shape.latent;
    recon_share own = recon_comm_own(c->ctx, p->n, EMBEDDED);
    recon_progress_begin(c->ctx, "embed", p->n);
    recon_progress_continue(c->ctx, own.begin);
    for (size_t i = own.begin; i < own.end; i += EMBEDDED) {
        size_t n = own.end - i < EMBEDDED ? own.end - i : EMBEDDED;
        RECON_CHECK(recon_molecule_net_embed(
            c->ctx, &(recon_molecule_net_answer){ .latent = latent + i * d }, c->m, p->x + i, n));
        recon_progress_add(c->ctx, n);
    }
    RECON_CHECK(recon_comm_gather(c->ctx, latent, p->n, EMBEDDED, d * sizeof *latent));
    recon_progress_end(c->ctx);
    return RECON_OK;
}

static recon_status find_partners(trainer *c, sample_set *p)
{
    size_t d = c->m->shape.latent;
    float *latent = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(c->ctx, &latent, p->n * d, sizeof *latent));
    RECON_TRY(embed(c, p, latent));
    RECON_TRY(recon_molecule_partners_find(
        c->ctx, &p->partners, p->x, latent, p->n, d,
        &(recon_molecule_partners_options){ CANDIDATES, CANDIDATES, c->o->pairs, 1 }));
done:
    free(latent);
    return status;
}

static recon_status run(trainer *c, recon_train_result *result, const char *path)
{
    const recon_molecule_net_options *o = c->o;
    recon_train_result first = { 0 };
    description d;
    char *stage = NULL;
    recon_status status;
    describe(c, &d);
    if (!has_pairs(o))
        return run_stage(c, result, &d, path, o->epochs, 1, o->resume, "train");
    RECON_TRY(recon_run_file(c->ctx, &stage, path, RECON_FILE_STAGE));
    if (o->before > 0)
        RECON_TRY(run_stage(c, &first, &d, stage, o->before, 0, o->resume, "train 1 of 2"));
    RECON_TRY(find_partners(c, &c->train));
    RECON_TRY(find_partners(c, &c->held));
    c->paired = 1;
    /* Behind a first stage that was trained just now, a state of the second is of another run. */
    RECON_TRY(run_stage(c, result, &d, path, o->epochs - o->before, 1, o->resume && !first.ran,
                        o->before > 0 ? "train 2 of 2" : "train"));
    result->steps += first.steps;
    result->ran += first.ran;
    result->seconds += first.seconds;
    result->peak = first.peak > result->peak ? first.peak : result->peak;
done:
    free(stage);
    return status;
}

/* --- what it is run on ------------------------------------------------------------------------ */

/* Elements and the most atoms, as the data has them; those that were asked for besides. */
static recon_status look_at(recon_ctx *ctx, recon_molecule_net_shape *s,
                            const recon_molecules *data)
{
    recon_molecules_info info = recon_molecules_describe(data);
    int there[256] = { 0 };
    s->slots = s->slots > info.atoms ? s->slots : info.atoms;
    for (size_t e = 0; e < s->elements; e++)
        there[s->element[e]] = 1;
    s->elements = 0;
    for (size_t i = 0; i < info.n; i++) {
        recon_conformer x = recon_molecules_get(data, i);
        for (size_t a = 0; a < x.atoms; a++)
            there[x.z[a]] = 1;
    }
    for (int z = 0; z < 256; z++) {
        if (there[z] && s->elements == RECON_MOLECULE_NET_ELEMENTS)
            return recon_fail(ctx, RECON_ERR_INPUT, "more than %d different elements",
                              RECON_MOLECULE_NET_ELEMENTS);
        if (there[z])
            s->element[s->elements++] = (uint8_t)z;
    }
    return RECON_OK;
}

static recon_status gather(recon_ctx *ctx, sample_set *p, const recon_molecules *data, size_t batch,
                           uint64_t seed)
{
    p->n = recon_molecules_describe(data).n;
    p->batch = batch;
    p->seed = seed;
    RECON_CHECK(recon_alloc(ctx, &p->x, p->n, sizeof *p->x));
    for (size_t i = 0; i < p->n; i++)
        p->x[i] = recon_molecules_get(data, i);
    return RECON_OK;
}

static recon_status check_sizes(recon_ctx *ctx, const trainer *c)
{
    const recon_molecule_net_options *o = c->o;
    RECON_CHECK(recon_run_fills(ctx, c->train.n, o->batch, "conformer"));
    if (o->batch < 2 || (has_pairs(o) && o->batch % 2))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "a batch of %zu: 2 at least, pairs need an even one", o->batch);
    if (has_pairs(o) && o->before >= o->epochs)
        return recon_fail(ctx, RECON_ERR_INPUT, "before %zu must be smaller than epochs %zu",
                          o->before, o->epochs);
    /* Single conformers of the first stage go to more ranks: known before that is trained. */
    return has_pairs(o) ? recon_note(ctx, recon_ranks_fit(ctx, o->batch / 2),
                                     "%zu conformers, in pairs", o->batch)
                        : RECON_OK;
}

static recon_status make_room(trainer *c)
{
    size_t n = c->o->batch, pairs = n / 2;
    RECON_CHECK(recon_alloc(c->ctx, &c->seen, n, sizeof *c->seen));
    RECON_CHECK(recon_alloc(c->ctx, &c->rotation, n, sizeof *c->rotation));
    RECON_CHECK(recon_alloc(c->ctx, &c->between, 9 * pairs, sizeof *c->between));
    RECON_CHECK(recon_alloc(c->ctx, &c->weight, pairs, sizeof *c->weight));
    RECON_CHECK(recon_alloc(c->ctx, &c->places, pairs, sizeof *c->places));
    RECON_CHECK(recon_alloc(c->ctx, &c->dealt, n, sizeof *c->dealt));
    RECON_CHECK(recon_alloc(c->ctx, &c->atoms, n, sizeof *c->atoms));
    return recon_alloc(c->ctx, &c->sorted, n, sizeof *c->sorted);
}

/* The lengths of both stages. A resumed run that is not told otherwise has those it was begun with;
 * the first stage's may be 0. */
static recon_status set_lengths(recon_ctx *ctx, recon_molecule_net_options *o, const char *path,
                                size_t n)
{
    const size_t unknown = SIZE_MAX;
    size_t before = unknown;
    recon_status status =
        o->resume && !o->before ? recon_run_setting(ctx, &before, path, BEFORE_NAME) : RECON_OK;
    set_defaults(o, n);
    o->before = !has_pairs(o) ? 0 : before == unknown ? o->before : before;
    return status;
}

recon_status recon_molecule_net_train(recon_ctx *ctx, recon_train_result *result,
                                      const recon_molecules *data, const recon_molecules *held,
                                      const char *path, const recon_molecule_net_options *options)
{
    recon_molecule_net_options o = options ? *options : (recon_molecule_net_options){ 0 };
    recon_molecules *rest = NULL, *kept = NULL;
    trainer c = { .ctx = ctx, .o = &o };
    recon_status status;
    RECON_TRY(recon_enum_check(ctx, o.pairs, RECON_PAIRS_ELEMENTS, "kind of pairs"));
    RECON_TRY(recon_run_begin(ctx, &o.epochs, path, o.resume, o.overwrite));
    RECON_TRY(look_at(ctx, &o.shape, data));
    RECON_TRY(recon_identity(ctx, &c.identity, recon_molecules_data(data), 0));
    if (held) {
        RECON_TRY(recon_identity(ctx, &c.held_identity, recon_molecules_data(held), 0));
    } else {
        RECON_TRY(recon_molecules_split(ctx, &rest, &kept, data, RECON_HELD_OUT, HELD_SEED));
        data = rest;
        held = kept;
    }
    if ((unsigned)o.shape.preset <= RECON_PRESET_SMALL)
        RECON_TRY(set_lengths(ctx, &o, path, recon_molecules_describe(data).n));
    RECON_TRY(recon_molecule_net_shape_complete(ctx, &o.shape));
    size_t n = recon_molecules_describe(held).n & ~(size_t)1;
    RECON_TRY(gather(ctx, &c.train, data, o.batch, o.seed));
    RECON_TRY(gather(ctx, &c.held, held, n < 2 ? 2 : n < o.batch ? n : o.batch, HELD_SEED));
    RECON_TRY(check_sizes(ctx, &c));
    RECON_TRY(recon_molecule_net_make(ctx, &c.m, &o.shape, o.precision, NULL, NULL, o.seed));
    RECON_TRY(make_room(&c));
    RECON_TRY(run(&c, result, path));
done:
    recon_molecule_partners_free(&c.train.partners);
    recon_molecule_partners_free(&c.held.partners);
    recon_molecule_pack_free(&c.pack);
    recon_molecule_net_close(c.ctx, c.m);
    void *blocks[] = { c.train.x, c.held.x, c.seen,  c.rotation, c.between,
                       c.weight,  c.places, c.dealt, c.atoms,    c.sorted };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    recon_molecules_close(kept);
    recon_molecules_close(rest);
    return status;
}

/* --- again, on other conformers, as the model's file says ------------------------------------- */

recon_status recon_molecule_net_refit(recon_ctx *ctx, const char *path,
                                      const recon_backbone *backbone, const recon_safetensors *file,
                                      const recon_data *data, recon_precision precision)
{
    const recon_molecules *molecules = recon_data_molecules(data);
    recon_train_result result;
    recon_molecule_net_options o = {
        .shape = recon_molecule_net_describe((const recon_molecule_net *)backbone),
        .seed = recon_recipe_size(file, "seed"),
        .precision = precision,
        .overwrite = 1,
    };
    recon_recipe_read(&o, &recon_molecule_net_recipe, file);
    o.batch = recon_recipe_batch(file, recon_molecules_describe(molecules).n);
    return recon_molecule_net_train(ctx, &result, molecules, NULL, path, &o);
}

/* --- by name ---------------------------------------------------------------------------------- */

static recon_status options_of(recon_ctx *ctx, recon_molecule_net_options *o,
                               const recon_training *t)
{
    *o = (recon_molecule_net_options){ .seed = t->seed,
                                       .every = t->every,
                                       .patience = t->patience,
                                       .precision = t->precision,
                                       .resume = t->resume,
                                       .overwrite = t->overwrite,
                                       .data = t->data,
                                       .rotate = t->rotate };
    if (t->from || t->crop)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s is for images", t->from ? "from" : "crop");
    RECON_CHECK(recon_training_preset(ctx, &o->shape.preset, t));
    return recon_recipe_apply(ctx, o, &recon_molecule_net_recipe, t, "molecules");
}

recon_status recon_molecule_net_prepare(recon_ctx *ctx, recon_training *t, recon_data_options *as)
{
    recon_molecule_net_options o;
    recon_status status = options_of(ctx, &o, t);
    (void)as;
    if (status == RECON_OK)
        t->preset = recon_preset_name(o.shape.preset);
    return status;
}

recon_status recon_molecule_net_train_kind(recon_ctx *ctx, recon_train_result *result,
                                           const recon_data *data, const char *path,
                                           const recon_training *t)
{
    recon_molecule_net_options o;
    RECON_CHECK(options_of(ctx, &o, t));
    return recon_molecule_net_train(ctx, result, recon_data_molecules(data),
                                    t->held ? recon_data_molecules(t->held) : NULL, path, &o);
}
