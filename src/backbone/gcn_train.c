/* gcn_train.c - training the classifier of molecules.
 *
 * Conformers are prepared once. A batch depends only on the seed and the step, so the largest one
 * of the run is known in advance. All are padded to its size, so that a backend that records steps
 * records one. */
#include "backbone/gcn.h"
#include "backbone/metadata.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/identity.h"
#include "core/shuffle.h"
#include "nn/run_files.h"
#include "nn/settings.h"

#include <recon/nn/train.h>
#include <stdio.h>

#define DROPOUT 0.1
#define RADIUS  2.0

typedef struct {
    recon_ctx *ctx;
    recon_gcn *c;
    recon_gcn_graphs *train, *held;
    recon_gcn_batch batch;
    recon_gcn_inputs inputs;
    int64_t *which; /* [batch] */
    uint64_t seed;
    uint64_t identity, held_identity;
} trainer;

static recon_gcn_list list_of(const trainer *k, uint64_t step, size_t batch)
{
    uint64_t epoch = k->train->n / batch;
    for (size_t i = 0; i < batch; i++)
        k->which[i] =
            (int64_t)recon_permute(step % epoch * batch + i, k->train->n, k->seed, step / epoch);
    return (recon_gcn_list){ .which = k->which, .n = batch };
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    trainer *k = user;
    recon_gcn_list list = list_of(k, step, k->batch.n);
    RECON_CHECK(recon_gcn_batch_fill(k->ctx, &k->batch, k->train, &list));
    k->inputs = recon_gcn_batch_input(t, &k->batch);
    return recon_tape_status(t);
}

static recon_var loss(void *user, recon_tape *t)
{
    trainer *k = user;
    return recon_var_cross_entropy(t, recon_gcn_apply(t, k->c, &k->inputs), k->inputs.label);
}

static recon_status mistakes(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    double accuracy;
    RECON_CHECK(recon_gcn_accuracy_on(k->ctx, &accuracy, t, k->c, k->held));
    *metric = 1 - accuracy;
    return RECON_OK;
}

static void describe_run(const trainer *k, recon_settings *s, const recon_gcn_options *o)
{
    const recon_gcn_info *i = &k->c->info;
    recon_settings_add(s, "net", "gcn");
    recon_settings_add(s, "width", "%zu", i->width);
    recon_settings_add(s, "hidden", "%zu", i->hidden);
    recon_settings_add(s, "radius", "%.9g", i->radius);
    recon_settings_add(s, "conformers", "%zu", k->train->n);
    recon_settings_add(s, RECON_SETTING_IDENTITY, RECON_IDENTITY, k->identity);
    recon_settings_add(s, RECON_SETTING_HELD, RECON_IDENTITY, k->held_identity);
    recon_settings_add(s, RECON_SETTING_EPOCHS, "%zu", o->epochs);
    recon_settings_add(s, "batch", "%zu", o->batch);
    recon_settings_add(s, "rate", "%.9g%s", o->rate, o->constant ? "" : " (cosine)");
    recon_settings_add(s, "dropout", "%.9g", o->dropout);
    recon_settings_add_run(s, k->ctx, o->seed, o->precision);
}

static recon_status run(trainer *k, recon_train_result *result, const char *path,
                        const recon_gcn_options *o)
{
    const recon_gcn_info *i = &k->c->info;
    uint64_t epoch = k->train->n / o->batch, steps = o->epochs * epoch;
    char radius[32], size[3][24];
    recon_settings settings = { "" };
    const size_t sizes[3] = { i->width, i->hidden, i->classes };
    for (int s = 0; s < 3; s++)
        snprintf(size[s], sizeof size[s], "%zu", sizes[s]);
    snprintf(radius, sizeof radius, "%.9g", i->radius);
    describe_run(k, &settings, o);
    const recon_metadata_entry metadata[] = { { "model", RECON_GCN_KIND },
                                              { "radius", radius },
                                              { "width", size[0] },
                                              { "hidden", size[1] },
                                              { "classes", size[2] },
                                              { "training", settings.text },
                                              { RECON_FORMAT_KEY, RECON_FORMAT } };
    const recon_trainee it = {
        .params = k->c->params, .feed = feed, .loss = loss, .validate = mistakes, .user = k
    };
    const recon_train_options options = {
        .steps = steps,
        .epoch = epoch,
        .every = o->every,
        .patience = o->patience,
        .seed = o->seed,
        .precision = o->precision,
        .schedule = { .kind = o->constant ? RECON_RATE_CONSTANT : RECON_RATE_COSINE,
                      .rate = o->rate,
                      .steps = steps },
        .path = path,
        .metadata = metadata,
        .n_metadata = sizeof metadata / sizeof *metadata,
        .bf16 = o->bf16,
        .settings = settings.text,
        .resume = o->resume,
        .overwrite = o->overwrite,
    };
    return recon_train(k->ctx, result, &it, &options);
}

static recon_status check_sets(recon_ctx *ctx, recon_molecules_info train,
                               recon_molecules_info held, const recon_gcn_options *o)
{
    if (o->width > RECON_GCN_WIDEST || o->hidden > RECON_GCN_WIDEST)
        return recon_fail(ctx, RECON_ERR_INPUT, "widths of %zu and %zu: at most %d", o->width,
                          o->hidden, RECON_GCN_WIDEST);
    if (!(o->dropout < 1))
        return recon_fail(ctx, RECON_ERR_INPUT, "a dropout of %g", o->dropout);
    if (held.n == 0 || held.molecules != train.molecules)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%zu conformers of %zu molecules held out of a set of %zu molecules",
                          held.n, held.molecules, train.molecules);
    return recon_run_fills(ctx, train.n, o->batch, "conformer");
}

recon_status recon_gcn_train(recon_ctx *ctx, recon_train_result *result,
                             const recon_molecules *data, const recon_molecules *held,
                             const char *path, const recon_gcn_options *options)
{
    recon_gcn_options o = options ? *options : (recon_gcn_options){ 0 };
    recon_molecules_info d = recon_molecules_describe(data);
    trainer k = { .ctx = ctx, .seed = o.seed };
    recon_status status;
    RECON_TRY(recon_run_begin(ctx, &o.epochs, path, o.resume, o.overwrite));
    o.radius = o.radius > 0 ? o.radius : RADIUS;
    o.width = o.width ? o.width : 128;
    o.hidden = o.hidden ? o.hidden : 64;
    o.dropout = o.dropout < 0 ? 0 : o.dropout > 0 ? o.dropout : DROPOUT;
    o.epochs = o.epochs ? o.epochs : 50;
    o.batch = o.batch ? o.batch : 128;
    o.rate = o.rate > 0 ? o.rate : 1e-3;
    RECON_TRY(check_sets(ctx, d, recon_molecules_describe(held), &o));
    RECON_TRY(recon_identity(ctx, &k.identity, recon_molecules_data(data), 1));
    RECON_TRY(recon_identity(ctx, &k.held_identity, recon_molecules_data(held), 1));
    RECON_TRY(recon_gcn_make(
        ctx, &k.c,
        (recon_gcn_info){
            .radius = o.radius, .width = o.width, .hidden = o.hidden, .classes = d.molecules },
        o.dropout, o.precision, NULL, NULL, o.seed));
    RECON_TRY(recon_gcn_graphs_make(ctx, &k.train, data, o.radius));
    RECON_TRY(recon_gcn_graphs_make(ctx, &k.held, held, o.radius));
    recon_gcn_size most = { 0, 0 };
    RECON_TRY(recon_alloc(k.ctx, &k.which, o.batch, sizeof *k.which));
    for (uint64_t step = 0; step < o.epochs * (d.n / o.batch); step++) {
        recon_gcn_list list = list_of(&k, step, o.batch);
        recon_gcn_size size = recon_gcn_size_of(k.train, &list);
        most.nodes = size.nodes > most.nodes ? size.nodes : most.nodes;
        most.entries = size.entries > most.entries ? size.entries : most.entries;
    }
    RECON_TRY(recon_gcn_batch_make(k.ctx, &k.batch, o.batch, most));
    RECON_TRY(run(&k, result, path, &o));
done:
    recon_free_all(k.which, k.batch.block);
    recon_gcn_graphs_free(k.held);
    recon_gcn_graphs_free(k.train);
    recon_gcn_close(ctx, k.c);
    return status;
}
