/* rival_segnn.c - see rival_segnn.h. */
#include "lab/rival_segnn.h"
#include "lab/evaluate.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/tape.h"
#include "backbone/recipe.h"
#include "backbone/metadata.h"
#include "backbone/molecule_encoder.h"
#include "backbone/molecule_frame.h"
#include "backbone/molecule_net.h"
#include "data/identity.h"
#include "core/shuffle.h"
#include "nn/params.h"
#include "nn/run_files.h"
#include "nn/settings.h"

#include <inttypes.h>
#include <recon/group/clebsch_gordan.h>
#include <recon/nn/layers.h>
#include <recon/nn/train.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 25 * 9 * 49 }; /* numbers of a table */

/* --- constants -------------------------------------------------------------------------------- */

static recon_var constant(recon_tape *t, const double *values, float *room, size_t i, size_t j,
                          size_t k)
{
    const size_t shape[3] = { i, j, k };
    if (t->precision == RECON_DOUBLE)
        return recon_var_input(t, values, RECON_F64, shape, 3);
    for (size_t at = 0; at < i * j * k; at++)
        room[at] = (float)values[at];
    return recon_var_input(t, room, RECON_F32, shape, 3);
}

/* [m m][9][k k], m and k the sizes of degrees l and l + 1: matrices row-major. C is scaled so that its
 * squares add up to 1, and k of them to one for each component. */
static void fill_raise(double *out, int l)
{
    double c[5 * 3 * 7];
    size_t m = 2 * (size_t)l + 1, k = m + 2, at = 0;
    recon_clebsch_gordan(c, l, 1, l + 1);
    for (size_t a = 0; a < m * m; a++)
        for (size_t b = 0; b < 9; b++)
            for (size_t d = 0; d < k * k; d++)
                out[at++] = (double)k * c[(a / m * 3 + b / 3) * k + d / k] *
                            c[(a % m * 3 + b % 3) * k + d % k];
}

/* [m][m m][m]: component j of the result is the sum over i of D[i][j] x[i]. */
static void fill_undo(double *out, int l)
{
    size_t m = 2 * (size_t)l + 1;
    for (size_t at = 0; at < m * m * m * m; at++)
        out[at] = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            out[(i * m * m + i * m + j) * m + j] = 1;
}

recon_status undo_tables_feed(recon_ctx *ctx, recon_tape *t, undo_tables *out)
{
    double *values = NULL;
    float *room = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &values, LARGEST, sizeof *values));
    RECON_TRY(recon_alloc_raw(ctx, &room, LARGEST, sizeof *room));
    for (int l = 1; l < RECON_DEGREES; l++) {
        size_t m = 2 * (size_t)l + 1, k = m + 2;
        fill_undo(values, l);
        out->undo[l - 1] = constant(t, values, room, m, m * m, m);
        if (l + 1 == RECON_DEGREES)
            break;
        fill_raise(values, l);
        out->raise[l - 1] = constant(t, values, room, m * m, 9, k * k);
    }
    status = recon_tape_status(t);
done:
    recon_free_all(room, values);
    return status;
}

/* --- applied ---------------------------------------------------------------------------------- */

/* Of one degree, whose components begin at `from`: d [n][m m]. */
static recon_var undo_degree(recon_tape *t, recon_var table, recon_var harmonics, recon_var d,
                             const undo_rows *rows, size_t from, size_t m)
{
    size_t n = recon_var_shape(harmonics, NULL)[0];
    recon_var x = recon_var_columns(t, harmonics, from, m);
    d = recon_var_gather(t, d, rows->owner, rows->order, rows->start);
    x = recon_var_reshape(t, x, (const size_t[]){ n, 1, m }, 3);
    return recon_var_reshape(t, recon_var_tensor_product(t, x, d, table), (const size_t[]){ n, m },
                             2);
}

recon_var undo_rotation(recon_tape *t, const undo_tables *tables, recon_var harmonics, recon_var r,
                        const undo_rows *rows)
{
    recon_var part[RECON_DEGREES], d = r;
    if (!harmonics || !r)
        return NULL;
    size_t n = recon_var_shape(r, NULL)[0];
    part[0] = recon_var_columns(t, harmonics, 0, 1);
    for (size_t l = 1; l < RECON_DEGREES; l++) {
        size_t m = 2 * l + 1, k = m + 2;
        part[l] = undo_degree(t, tables->undo[l - 1], harmonics, d, rows, l * l, m);
        if (l + 1 == RECON_DEGREES)
            break;
        d = recon_var_reshape(t, d, (const size_t[]){ n, 1, m * m }, 3);
        d = recon_var_reshape(t, recon_var_tensor_product(t, d, r, tables->raise[l - 1]),
                              (const size_t[]){ n, k * k }, 2);
    }
    return recon_var_concat(t, part, RECON_DEGREES);
}

enum {
    EPOCHS = 10,
    BATCH = 64,
    ADAPT_BATCH = 128,
    AT_ONCE = 128,
    LATENT = 128,
    HIDDEN = 128,
    MAX_CLASSES = 1 << 20
};
#define RATE         2e-3
#define ADAPT_RATE   1e-3                            /* of a canonicalizer, as in the paper */
#define PRIOR_WEIGHT 100.0                           /* of EquiAdapt's prior, as in its package */
static const uint8_t elements[] = { 1, 6, 7, 8, 9 }; /* those of QM9, as in the paper */

struct segnn {
    recon_molecule_net_shape shape;
    recon_params *params;
    recon_molecule_encoder *encoder;
    recon_mlp head; /* of a classifier */
    size_t classes; /* 0: a canonicalizer */
};

static const char *kind_of(size_t classes)
{
    return classes ? "segnn" : "equiadapt";
}

/* --- the network ------------------------------------------------------------------------------ */

/* The pose of a molecule is about the whole of it, its long axis for one, and messages that go no
 * farther than 2 Angstrom bring little of that together in three layers: where the classifier has the
 * graph of the preset `paper`, the canonicalizer has that of `fast`, in which all atoms meet. */
static recon_molecule_net_shape shape_of(size_t classes)
{
    recon_molecule_net_shape s = { .preset = classes ? RECON_PRESET_PAPER : RECON_PRESET_FAST,
                                   .width = classes ? 0.25 : 0.5,
                                   .layers = classes ? 3 : 4,
                                   .latent = classes ? LATENT : 1,
                                   .slots = 1, /* there is no decoder */
                                   .elements = sizeof elements };
    memcpy(s.element, elements, sizeof elements);
    return s;
}

static recon_status make(recon_ctx *ctx, segnn **out, size_t classes, recon_precision precision,
                         const recon_safetensors *file, const char *path, uint64_t seed)
{
    const size_t sizes[] = { LATENT, HIDDEN, classes };
    segnn *net = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc(ctx, &net, 1, sizeof *net));
    net->classes = classes;
    net->shape = shape_of(classes);
    RECON_TRY(recon_molecule_net_shape_complete(ctx, &net->shape));
    RECON_TRY(recon_params_new(ctx, &net->params, precision));
    recon_params_expect(net->params, file, path, 1);
    RECON_TRY((classes ? recon_molecule_paper_new
                       : recon_molecule_fast_new)(ctx, &net->encoder, net->params, &net->shape));
    if (classes)
        RECON_TRY(recon_mlp_add(ctx, &net->head, net->params, "head", sizes, 3, 0));
    RECON_TRY(recon_params_make(ctx, net->params, seed));
    *out = net;
done:
    if (status != RECON_OK)
        segnn_close(ctx, net);
    return status;
}

recon_status segnn_new(recon_ctx *ctx, segnn **out, size_t classes, recon_precision precision,
                       uint64_t seed)
{
    return make(ctx, out, classes, precision, NULL, NULL, seed);
}

void segnn_close(recon_ctx *ctx, segnn *net)
{
    if (!net)
        return;
    recon_params_free(ctx, net->params);
    if (net->encoder)
        net->encoder->free(net->encoder);
    free(net);
}

size_t segnn_classes(const segnn *net)
{
    return net->classes;
}

size_t segnn_weights(const segnn *net)
{
    return recon_params_count(net->params);
}

recon_status segnn_open(recon_ctx *ctx, segnn **out, const char *path)
{
    recon_safetensors *file = NULL;
    const char *name;
    size_t classes = 0;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    name = recon_safetensors_metadata(file, "rival");
    RECON_TRY(recon_metadata_size(ctx, &classes, file, "classes", 0, MAX_CLASSES, path));
    if (!recon_metadata_is(file, "rival") || !name || strcmp(name, kind_of(classes)))
        RECON_TRY(recon_fail(ctx, RECON_ERR_FORMAT,
                             "%s: not a network of `recon reproduce molecules --baselines`", path));
    RECON_TRY(make(ctx, out, classes, RECON_SINGLE, file, path, 0));
done:
    recon_safetensors_close(file);
    return status == RECON_OK ? status : recon_note_file(ctx, status, path);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Conformers onto a tape, by way of pack. */
static recon_status feed_batch(recon_tape *t, recon_ctx *ctx, recon_molecule_batch *fed,
                               recon_molecule_pack *pack, const segnn *net,
                               const recon_conformer *x, size_t n)
{
    const recon_molecule_pack_options o = { .element = net->shape.element,
                                            .elements = net->shape.elements,
                                            .slots = net->shape.slots };
    RECON_CHECK(recon_molecule_pack_fill(ctx, pack, x, NULL, n, &o));
    RECON_CHECK(recon_molecule_batch_feed(t, fed, pack, NULL));
    if (net->encoder->feed)
        RECON_CHECK(net->encoder->feed(t, net->encoder, fed, pack, 0));
    return RECON_OK;
}

static recon_var logits(recon_tape *t, const segnn *net, const recon_molecule_batch *fed)
{
    recon_var latent = NULL, vectors = NULL;
    net->encoder->apply(t, net->encoder, fed, &latent, &vectors);
    return recon_mlp_apply(t, &net->head, latent);
}

static recon_var vectors(recon_tape *t, const segnn *net, const recon_molecule_batch *fed)
{
    recon_var latent = NULL, y = NULL;
    net->encoder->apply(t, net->encoder, fed, &latent, &y);
    return y;
}

/* Of n conformers, `width` numbers each. */
static recon_status answer(recon_ctx *ctx, double *out, size_t width, const segnn *net,
                           const recon_conformer *x, size_t n)
{
    recon_molecule_pack pack = { 0 };
    recon_molecule_batch fed;
    recon_tape *t = NULL;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    for (size_t at = 0; at < n; at += AT_ONCE) {
        size_t some = n - at < AT_ONCE ? n - at : AT_ONCE;
        RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
        RECON_TRY(feed_batch(t, ctx, &fed, &pack, net, x + at, some));
        RECON_TRY(
            recon_var_read(t, out + at * width, (net->classes ? logits : vectors)(t, net, &fed)));
    }
done:
    recon_molecule_pack_free(&pack);
    recon_tape_free(t);
    return status;
}

recon_status segnn_logits(recon_ctx *ctx, double *out, const segnn *net, const recon_conformer *x,
                          size_t n)
{
    return answer(ctx, out, net->classes, net, x, n);
}

recon_status segnn_poses(recon_ctx *ctx, recon_so3 *out, const segnn *net, const recon_conformer *x,
                         size_t n)
{
    double *y = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &y, 9 * n, sizeof *y));
    RECON_TRY(answer(ctx, y, 9, net, x, n));
    for (size_t i = 0; i < n; i++)
        out[i] = recon_molecule_frame_of(y + 9 * i);
done:
    free(y);
    return status;
}

/* --- training --------------------------------------------------------------------------------- */

typedef struct {
    recon_ctx *ctx;
    segnn *net;
    const recon_molecules *train, *held;
    const segnn_options *o;
    size_t n, batch;
    recon_conformer x[AT_ONCE];
    int32_t label[AT_ONCE];
    recon_molecule_pack pack;
    recon_molecule_batch fed;
    recon_var labels;
    /* Of a canonicalizer: the conformers as the frozen classifier takes them. */
    recon_gcn_graphs *graphs, *held_graphs;
    int64_t which[AT_ONCE];
    float upright[9 * AT_ONCE]; /* the identity */
    recon_molecule_tables tables;
    undo_tables undo;
    undo_rows rows;
    recon_gcn_inputs in;
    recon_var prior;
} trainer;

/* What the frozen classifier is to see of the batch. */
static recon_status feed_frozen(trainer *k, recon_tape *t)
{
    const recon_gcn_list list = { .which = k->which, .n = k->batch };
    recon_gcn_batch b = { 0 };
    recon_status status;
    RECON_TRY(recon_gcn_batch_make(k->ctx, &b, k->batch, recon_gcn_size_of(k->graphs, &list)));
    RECON_TRY(recon_gcn_batch_fill(k->ctx, &b, k->graphs, &list));
    k->in = recon_gcn_batch_input(t, &b);
    k->rows = (undo_rows){ k->in.spread.index, k->in.pool.index, k->in.pool.offset };
    k->prior = recon_var_input(t, k->upright, RECON_F32, (const size_t[]){ k->batch, 9 }, 2);
    RECON_TRY(recon_molecule_tables_feed(t, &k->tables));
    RECON_TRY(undo_tables_feed(k->ctx, t, &k->undo));
done:
    free(b.block);
    return status;
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    trainer *k = user;
    uint64_t epoch = step / (k->n / k->batch), first = step % (k->n / k->batch) * k->batch;
    for (size_t i = 0; i < k->batch; i++) {
        size_t row = recon_permute((size_t)first + i, k->n, k->o->seed, epoch + 1);
        k->which[i] = (int64_t)row;
        k->x[i] = recon_molecules_get(k->train, row);
        k->label[i] = k->x[i].molecule;
    }
    RECON_CHECK(feed_batch(t, k->ctx, &k->fed, &k->pack, k->net, k->x, k->batch));
    k->labels = recon_var_input(t, k->label, RECON_I32, &k->batch, 1);
    if (k->o->frozen)
        RECON_CHECK(feed_frozen(k, t));
    return recon_tape_status(t);
}

static recon_var loss(void *user, recon_tape *t)
{
    trainer *k = user;
    return recon_var_cross_entropy(t, logits(t, k->net, &k->fed), k->labels);
}

/* The rotation is undone in front of the frozen classifier, whose loss reaches it; the prior says that
 * training conformers are upright. */
static recon_var adapt(void *user, recon_tape *t)
{
    trainer *k = user;
    recon_var r = NULL, shift = NULL;
    recon_gcn_inputs in = k->in;
    recon_molecule_frame(t, &k->tables, vectors(t, k->net, &k->fed), &r, &shift);
    in.feature = undo_rotation(t, &k->undo, in.feature, r, &k->rows);
    return recon_var_blend(
        t, 1, recon_var_cross_entropy(t, recon_gcn_apply_frozen(t, k->o->frozen, &in), k->labels),
        PRIOR_WEIGHT, recon_var_mse(t, r, k->prior));
}

static recon_status mistakes_behind(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    size_t n = k->held_graphs->n, c = recon_gcn_describe(k->o->frozen).classes, right = 0;
    recon_so3 back[AT_ONCE];
    float *y = NULL;
    recon_status status;
    (void)t;
    RECON_TRY(recon_alloc_raw(k->ctx, &y, AT_ONCE * c, sizeof *y));
    for (size_t at = 0; at < n; at += AT_ONCE) {
        size_t some = n - at < AT_ONCE ? n - at : AT_ONCE;
        for (size_t i = 0; i < some; i++) {
            k->which[i] = (int64_t)(at + i);
            k->x[i] = recon_molecules_get(k->held, at + i);
        }
        RECON_TRY(segnn_poses(k->ctx, back, k->net, k->x, some));
        for (size_t i = 0; i < some; i++)
            back[i] = recon_so3_inverse(back[i]);
        RECON_TRY(recon_gcn_logits_rotated(k->ctx, y, k->o->frozen, k->held_graphs, k->which, back,
                                           some));
        for (size_t i = 0; i < some; i++)
            right += (int32_t)lab_largest_float(y + i * c, c) == k->x[i].molecule;
    }
    *metric = 1 - (double)right / (double)n;
done:
    free(y);
    return status;
}

recon_status segnn_right(recon_ctx *ctx, size_t *right, const segnn *net, const recon_conformer *x,
                         size_t n)
{
    double *y = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &y, n * net->classes, sizeof *y));
    RECON_TRY(segnn_logits(ctx, y, net, x, n));
    for (size_t i = 0; i < n; i++)
        *right += (int32_t)lab_largest(y + i * net->classes, net->classes) == x[i].molecule;
done:
    free(y);
    return status;
}

static recon_status mistakes(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    size_t n = recon_molecules_describe(k->held).n, right = 0;
    (void)t;
    for (size_t at = 0; at < n; at += AT_ONCE) {
        size_t some = n - at < AT_ONCE ? n - at : AT_ONCE;
        for (size_t i = 0; i < some; i++)
            k->x[i] = recon_molecules_get(k->held, at + i);
        RECON_CHECK(segnn_right(k->ctx, &right, k->net, k->x, some));
    }
    *metric = 1 - (double)right / (double)n;
    return RECON_OK;
}

static double rate_of(const trainer *k)
{
    return k->o->frozen ? ADAPT_RATE : RATE;
}

static recon_status describe_run(const trainer *k, recon_settings *s, size_t epochs)
{
    uint32_t frozen = 0;
    uint64_t identity, held;
    RECON_CHECK(recon_identity(k->ctx, &identity, recon_molecules_data(k->train), 1));
    RECON_CHECK(recon_identity(k->ctx, &held, recon_molecules_data(k->held), 1));
    if (k->o->frozen)
        RECON_CHECK(recon_fingerprint_weights(k->ctx, &frozen, k->o->frozen->params));
    recon_settings_add(s, "conformers", "%zu", k->n);
    recon_settings_add(s, RECON_SETTING_IDENTITY, RECON_IDENTITY, identity);
    recon_settings_add(s, RECON_SETTING_HELD, RECON_IDENTITY, held);
    recon_settings_add(s, RECON_SETTING_EPOCHS, "%zu", epochs);
    recon_settings_add(s, "batch", "%zu", k->batch);
    recon_settings_add(s, "rate", "%.9g", rate_of(k));
    if (k->o->frozen)
        recon_settings_add(s, "classifier", "%08" PRIx32, frozen);
    recon_settings_add_run(s, k->ctx, k->o->seed, k->o->precision);
    return RECON_OK;
}

static recon_status run(trainer *k, recon_train_result *result, const char *path)
{
    size_t epochs = k->o->epochs ? k->o->epochs : EPOCHS;
    uint64_t epoch = k->n / k->batch, steps = epochs * epoch;
    recon_settings settings = { "" };
    recon_metadata_list list = { 0 };
    RECON_CHECK(describe_run(k, &settings, epochs));
    recon_metadata_add(&list, "model", "rival");
    recon_metadata_add(&list, "rival", kind_of(k->net->classes));
    recon_metadata_add_number(&list, "classes", (double)k->net->classes);
    recon_metadata_add(&list, "training", settings.text);
    const recon_trainee it = { .params = k->net->params,
                               .feed = feed,
                               .loss = k->o->frozen ? adapt : loss,
                               .validate = k->o->frozen ? mistakes_behind : mistakes,
                               .user = k };
    const recon_train_options options = {
        .steps = steps,
        .epoch = epoch,
        .seed = k->o->seed,
        .precision = k->o->precision,
        .schedule = { RECON_RATE_COSINE, rate_of(k), 0, steps / 20, steps, 0, 0 },
        .path = path,
        .metadata = list.entry,
        .n_metadata = list.n,
        .bf16 = 1,
        .settings = settings.text,
        .resume = k->o->resume,
        .overwrite = k->o->overwrite,
        .label = kind_of(k->net->classes),
        .plain = 1, /* batches differ in size, and what is recorded has one */
    };
    return recon_train(k->ctx, result, &it, &options);
}

/* The conformers as the frozen classifier takes them. */
static recon_status prepare_frozen(trainer *k)
{
    double radius = recon_gcn_describe(k->o->frozen).radius;
    RECON_CHECK(recon_gcn_graphs_make(k->ctx, &k->graphs, k->train, radius));
    RECON_CHECK(recon_gcn_graphs_make(k->ctx, &k->held_graphs, k->held, radius));
    for (size_t i = 0; i < 9 * AT_ONCE; i++)
        k->upright[i] = i % 9 % 4 == 0;
    return RECON_OK;
}

recon_status segnn_train(recon_ctx *ctx, recon_train_result *result, const recon_molecules *data,
                         const recon_molecules *held, const char *path, const segnn_options *o)
{
    recon_molecules_info d = recon_molecules_describe(data);
    trainer *k = NULL; /* large */
    recon_status status;
    RECON_TRY(recon_run_check(ctx, path, o->resume, o->overwrite));
    RECON_TRY(recon_alloc(ctx, &k, 1, sizeof *k));
    k->ctx = ctx;
    k->o = o;
    k->train = data;
    k->held = held;
    k->n = d.n;
    k->batch = o->batch ? o->batch : o->frozen ? ADAPT_BATCH : BATCH;
    k->batch = k->batch < AT_ONCE ? k->batch : AT_ONCE;
    RECON_TRY(recon_run_fills(ctx, k->n, k->batch, "conformer"));
    if (o->frozen)
        RECON_TRY(prepare_frozen(k));
    RECON_TRY(make(ctx, &k->net, o->frozen ? 0 : d.molecules, o->precision, NULL, NULL, o->seed));
    RECON_TRY(run(k, result, path));
done:
    if (k) {
        segnn_close(ctx, k->net);
        recon_molecule_pack_free(&k->pack);
        recon_gcn_graphs_free(k->graphs);
        recon_gcn_graphs_free(k->held_graphs);
    }
    free(k);
    return status;
}
