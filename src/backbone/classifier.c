/* classifier.c - the frozen image classifier of the experiments. */
#include <recon/nn/train.h>
#include <recon/backbone/classifier.h>
#include "data/loader.h"
#include <recon/nn/nets.h>
#include <recon/ops/backend.h>
#include "backbone/classifier.h"
#include "backbone/metadata.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/identity.h"
#include "nn/params.h"
#include "nn/run_files.h"
#include "nn/settings.h"
#include "nn/tape.h"
#include "data/dataset.h"
#include <recon/nn/schedule.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVAL_BATCH = RECON_BLOCK_VALIDATION,
    MAX_SIDE = 1 << 12,
    MAX_CLASSES = 1 << 20,
    MAX_STEM = 1024,
    STEM = 64
};
enum { LOADERS = 4 }; /* threads, where there are more than that: a GPU is fed by them */
#define KIND "classifier"

static const char *const net_name[] = { "small", "resnet18" };
enum { NETS = sizeof net_name / sizeof *net_name };

/* --- the network ------------------------------------------------------------------------------ */

static recon_var logits(recon_tape *t, const recon_classifier *c, recon_var x)
{
    return c->info.net == RECON_NET_RESNET18 ? recon_resnet18_apply(t, &c->net.resnet18, x)
                                             : recon_small_cnn_apply(t, &c->net.small, x);
}

recon_var recon_classifier_apply(recon_tape *t, const recon_classifier *c, recon_var x)
{
    recon_tape_mode mode = recon_tape_freeze(t);
    x = logits(t, c, x);
    recon_tape_thaw(t, mode);
    return x;
}

/* With the weights of a file, or with first ones. */
static recon_status make(recon_ctx *ctx, recon_classifier **out, recon_classifier_info info,
                         recon_precision precision, const recon_safetensors *file, const char *path,
                         uint64_t seed)
{
    recon_classifier *c;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &c, 1, sizeof *c));
    c->info = info;
    RECON_TRY(recon_params_new(ctx, &c->params, precision));
    recon_params_expect(c->params, file, path, 1);
    RECON_TRY(info.net == RECON_NET_RESNET18
                  ? recon_resnet18_add(ctx, &c->net.resnet18, c->params, info.channels,
                                       info.classes, info.stem)
                  : recon_small_cnn_add(ctx, &c->net.small, c->params, info.height, info.width,
                                        info.channels, info.classes));
    RECON_TRY(recon_params_make(ctx, c->params, seed));
    c->info.weights = recon_params_count(c->params);
    *out = c;
done:
    if (status != RECON_OK)
        recon_classifier_close(ctx, c);
    return status;
}

void recon_classifier_close(recon_ctx *ctx, recon_classifier *c)
{
    if (!c)
        return;
    recon_params_free(ctx, c->params);
    free(c);
}

recon_classifier_info recon_classifier_describe(const recon_classifier *classifier)
{
    return classifier->info;
}

/* --- files ------------------------------------------------------------------------------------ */

static int is_classifier(const recon_safetensors *file)
{
    const char *kind = recon_safetensors_metadata(file, "model");
    return kind && !strcmp(kind, KIND);
}

static recon_status read_info(recon_ctx *ctx, recon_classifier_info *out,
                              const recon_safetensors *file, const char *path)
{
    const char *net = recon_safetensors_metadata(file, "net");
    int which = 0;
    if (!is_classifier(file) || !net)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: not a classifier of images: `recon classifier train` makes one of "
                          "labelled images",
                          path);
    RECON_CHECK(recon_metadata_check_format(ctx, file, path));
    while (which < NETS && strcmp(net, net_name[which]))
        which++;
    if (which == NETS)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: unknown network '%.40s'", path, net);
    out->net = (recon_net)which;
    RECON_CHECK(recon_metadata_size(ctx, &out->height, file, "height", 1, MAX_SIDE, path));
    RECON_CHECK(recon_metadata_size(ctx, &out->width, file, "width", 1, MAX_SIDE, path));
    RECON_CHECK(recon_metadata_size(ctx, &out->channels, file, "channels", 1, MAX_SIDE, path));
    RECON_CHECK(recon_metadata_size(ctx, &out->classes, file, "classes", 1, MAX_CLASSES, path));
    out->stem = out->net == RECON_NET_RESNET18 ? STEM : 0; /* files of 0.1 do not say it */
    if (recon_safetensors_metadata(file, "stem"))
        RECON_CHECK(recon_metadata_size(ctx, &out->stem, file, "stem", 1, MAX_STEM, path));
    return RECON_OK;
}

recon_status recon_classifier_open(recon_ctx *ctx, recon_classifier **out, const char *path)
{
    recon_safetensors *file = NULL;
    recon_classifier_info info = { 0 };
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(read_info(ctx, &info, file, path));
    RECON_TRY(make(ctx, out, info, RECON_SINGLE, file, path, 0));
done:
    recon_safetensors_close(file);
    return status == RECON_OK ? status : recon_note_file(ctx, status, path);
}

/* --- answers ---------------------------------------------------------------------------------- */

static recon_status logits_of(recon_tape *t, double *out, const recon_classifier *c,
                              const float *images, size_t n)
{
    size_t shape[4] = { n, c->info.height, c->info.width, c->info.channels };
    RECON_CHECK(recon_tape_begin(t, RECON_INFER, 0));
    return recon_var_read(t, out, logits(t, c, recon_var_input(t, images, RECON_F32, shape, 4)));
}

recon_status recon_classifier_logits(recon_ctx *ctx, double *out, const recon_classifier *c,
                                     const float *images, size_t n)
{
    size_t size = c->info.height * c->info.width * c->info.channels;
    recon_tape *t = NULL;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    for (size_t at = 0; at < n; at += EVAL_BATCH)
        RECON_TRY(logits_of(t, out + at * c->info.classes, c, images + at * size,
                            n - at < EVAL_BATCH ? n - at : EVAL_BATCH));
done:
    recon_tape_free(t);
    return status;
}

static size_t count_hits(const double *y, const int32_t *labels, size_t n, size_t classes)
{
    size_t hits = 0;
    for (size_t i = 0; i < n; i++, y += classes) {
        size_t best = 0;
        for (size_t k = 1; k < classes; k++)
            best = y[k] > y[best] ? k : best;
        hits += labels[i] >= 0 && (size_t)labels[i] == best;
    }
    return hits;
}

static recon_status accuracy_on(recon_ctx *ctx, double *out, recon_tape *t,
                                const recon_classifier *c, const recon_dataset *data)
{
    recon_loader *loader = NULL;
    recon_batch b;
    double *y = NULL;
    size_t hits = 0;
    recon_status status;
    RECON_TRY(recon_loader_open(ctx, &loader, data,
                                &(recon_loader_options){ .batch = EVAL_BATCH, .keep_last = 1 }));
    RECON_TRY(recon_alloc(ctx, &y, EVAL_BATCH * c->info.classes, sizeof *y));
    for (uint64_t i = 0; i < recon_loader_batches(loader); i++) {
        recon_loader_next(&b, loader);
        RECON_TRY(logits_of(t, y, c, b.images, b.n));
        hits += count_hits(y, b.labels, b.n, c->info.classes);
    }
    *out = (double)hits / (double)recon_dataset_describe(data).n;
done:
    free(y);
    recon_loader_close(loader);
    return status;
}

static recon_status check_data(recon_ctx *ctx, const recon_classifier_info *info,
                               recon_dataset_info data)
{
    if (!data.classes)
        return recon_fail(ctx, RECON_ERR_INPUT, "the images have no labels");
    if (info && (info->height != data.height || info->width != data.width ||
                 info->channels != data.channels))
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "images of %zu x %zu x %zu, but the classifier was made for %zu x %zu x %zu",
            data.height, data.width, data.channels, info->height, info->width, info->channels);
    return RECON_OK;
}

recon_status recon_classifier_accuracy(recon_ctx *ctx, double *out, const recon_classifier *c,
                                       const recon_dataset *data)
{
    recon_tape *t = NULL;
    recon_status status;
    RECON_TRY(check_data(ctx, &c->info, recon_dataset_describe(data)));
    RECON_TRY(recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    RECON_TRY(accuracy_on(ctx, out, t, c, data));
done:
    recon_tape_free(t);
    return status;
}

/* --- training --------------------------------------------------------------------------------- */

typedef struct {
    recon_ctx *ctx;
    recon_classifier *c;
    const recon_dataset *train, *held;
    uint64_t identity; /* of both, with their labels */
    recon_loader_options batches;
    recon_loader *loader; /* opened at the first step fed, which may be any */
    recon_var images, labels;
} trainer;

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    trainer *k = user;
    recon_batch b;
    if (!k->loader) {
        k->batches.first = step;
        RECON_CHECK(recon_loader_open(k->ctx, &k->loader, k->train, &k->batches));
    }
    recon_loader_next(&b, k->loader);
    const recon_classifier_info *i = &k->c->info;
    size_t shape[4] = { b.n, i->height, i->width, i->channels };
    k->images = recon_var_input(t, b.images, RECON_F32, shape, 4);
    k->labels = recon_var_input(t, b.labels, RECON_I32, shape, 1);
    return recon_tape_status(t);
}

static recon_var loss(void *user, recon_tape *t)
{
    trainer *k = user;
    return recon_var_cross_entropy(t, logits(t, k->c, k->images), k->labels);
}

static recon_status mistakes(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    double accuracy;
    RECON_CHECK(accuracy_on(k->ctx, &accuracy, t, k->c, k->held));
    *metric = 1 - accuracy;
    return RECON_OK;
}

/* All that a resumed run must share. */
static void describe_run(const trainer *k, recon_settings *s, const recon_classifier_options *o)
{
    recon_settings_add(s, "net", "%s", net_name[o->net]);
    recon_settings_add(s, "width", "%zu", o->stem);
    recon_settings_add(s, "images", "%zu", recon_dataset_describe(k->train).n);
    recon_settings_add(s, RECON_SETTING_IDENTITY, RECON_IDENTITY, k->identity);
    recon_settings_add(s, RECON_SETTING_EPOCHS, "%zu", o->epochs);
    recon_settings_add(s, "batch", "%zu", o->batch);
    recon_settings_add(s, "rate", "%.9g", o->rate);
    recon_settings_add(s, "decay", "%.9g", o->decay);
    recon_settings_add(s, "shift", "%.9g", o->shift);
    recon_settings_add(s, "flip", "%s", o->flip ? "yes" : "no");
    if (o->rotate)
        recon_settings_add(s, "rotate", "yes");
    recon_settings_add_run(s, k->ctx, o->seed, o->precision);
}

static recon_status run(trainer *k, recon_train_result *result, const char *path,
                        const recon_classifier_options *o)
{
    const recon_classifier_info *i = &k->c->info;
    uint64_t epoch = recon_dataset_describe(k->train).n / o->batch, steps = o->epochs * epoch;
    char size[5][24];
    recon_settings settings = { "" };
    const size_t sizes[5] = { i->height, i->width, i->channels, i->classes, i->stem };
    for (int s = 0; s < 5; s++)
        snprintf(size[s], sizeof size[s], "%zu", sizes[s]);
    describe_run(k, &settings, o);
    const recon_metadata_entry metadata[] = {
        { "model", KIND },           { RECON_FORMAT_KEY, RECON_FORMAT },
        { "net", net_name[o->net] }, { "height", size[0] },
        { "width", size[1] },        { "channels", size[2] },
        { "classes", size[3] },      { "training", settings.text },
        { "stem", size[4] } /* last: where there is one */
    };
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
        .schedule = { RECON_RATE_COSINE, o->rate, 0, steps / 20, steps, 0, 0 },
        .adam = { .decay = o->decay },
        .path = path,
        .metadata = metadata,
        .n_metadata = sizeof metadata / sizeof *metadata - !i->stem,
        .bf16 = o->bf16,
        .settings = settings.text,
        .resume = o->resume,
        .overwrite = o->overwrite,
    };
    return recon_train(k->ctx, result, &it, &options);
}

static recon_status check_options(recon_ctx *ctx, const recon_classifier_options *o)
{
    RECON_CHECK(recon_enum_check(ctx, o->net, RECON_NET_RESNET18, "net"));
    if (o->net != RECON_NET_RESNET18 && o->stem)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s has one width", net_name[o->net]);
    if (o->stem > MAX_STEM)
        return recon_fail(ctx, RECON_ERR_INPUT, "a width of %zu: at most %d", o->stem, MAX_STEM);
    return RECON_OK;
}

recon_status recon_classifier_train(recon_ctx *ctx, recon_train_result *result,
                                    const recon_dataset *data, const char *path,
                                    const recon_classifier_options *options)
{
    recon_classifier_options o = options ? *options : (recon_classifier_options){ 0 };
    recon_dataset_info d = recon_dataset_describe(data);
    recon_dataset *train = NULL, *held = NULL;
    trainer k = { .ctx = ctx };
    recon_status status;
    RECON_TRY(check_options(ctx, &o));
    RECON_TRY(recon_run_begin(ctx, &o.epochs, path, o.resume, o.overwrite));
    int large = o.net == RECON_NET_RESNET18;
    o.epochs = o.epochs ? o.epochs : large ? 15 : 3;
    o.batch = o.batch ? o.batch : large ? 128 : 64;
    o.rate = o.rate > 0 ? o.rate : large ? 1e-3 : 2e-3;
    o.decay = o.decay == 0 ? 0.01 : fmax(o.decay, 0);
    o.stem = large && !o.stem ? STEM : o.stem;
    recon_classifier_info info = { .net = o.net,
                                   .stem = o.stem,
                                   .height = d.height,
                                   .width = d.width,
                                   .channels = d.channels,
                                   .classes = d.classes };
    RECON_TRY(check_data(ctx, NULL, d));
    RECON_TRY(recon_identity(ctx, &k.identity, recon_dataset_data(data), 1));
    RECON_TRY(recon_dataset_split(ctx, &train, &held, data, RECON_HELD_OUT, 0));
    RECON_TRY(recon_run_fills(ctx, recon_dataset_describe(train).n, o.batch, "image"));
    RECON_TRY(make(ctx, &k.c, info, o.precision, NULL, NULL, o.seed));
    k.train = train;
    k.held = held;
    k.batches = (recon_loader_options){ .batch = o.batch,
                                        .shuffle = 1,
                                        .seed = o.seed,
                                        .threads = recon_ctx_threads(ctx) > LOADERS ? LOADERS : 1,
                                        .shift = o.shift,
                                        .flip = o.flip,
                                        .rotate = o.rotate,
                                        .all = o.rotate,
                                        .edge = o.rotate };
    RECON_TRY(run(&k, result, path, &o));
done:
    recon_loader_close(k.loader);
    recon_classifier_close(ctx, k.c);
    recon_dataset_close(held);
    recon_dataset_close(train);
    return status;
}
