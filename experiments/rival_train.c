/* rival_train.c - how the networks of rival.h learn. */
#include "experiments/rival_net.h"
#include "backbone/classifier.h"
#include "backbone/fingerprint.h"
#include "backbone/metadata.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/rotations.h"
#include "experiments/evaluate.h"
#include "nn/run_files.h"
#include "nn/settings.h"

#include <inttypes.h>
#include <recon/nn/train.h>
#include <stdlib.h>

enum { HELD_SEED = 1 };    /* of the rotations of images held out */
#define PRIOR_WEIGHT 100.0 /* of EquiAdapt's prior, as in its package */

typedef struct {
    recon_ctx *ctx;
    rival *r;
    const rival_net *net;
    const rival_options *o;
    const recon_dataset *train;
    recon_dataset *held; /* rotated by the rule */
    recon_loader_options batches;
    recon_loader *loader;  /* opened at the first step fed, which may be any */
    float *seen, *upright; /* [batch] as the network sees them; [batch][2] */
    recon_var images, masked, labels, identity;
} trainer;

/* --- steps ------------------------------------------------------------------------------------ */

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    trainer *k = user;
    recon_batch b;
    recon_status status;
    if (!k->loader) {
        k->batches.first = step;
        RECON_TRY(recon_loader_open(k->ctx, &k->loader, k->train, &k->batches));
    }
    recon_loader_next(&b, k->loader);
    const rival_info *i = &k->r->info;
    size_t shape[4] = { b.n, i->height, i->width, i->channels }, pair[2] = { b.n, 2 };
    rival_see(k->seen, k->r, b.images, b.n);
    k->images = recon_var_input(t, b.images, RECON_F32, shape, 4);
    k->masked = recon_var_input(t, k->seen, RECON_F32, shape, 4);
    k->labels = recon_var_input(t, b.labels, RECON_I32, shape, 1);
    k->identity = recon_var_input(t, k->upright, RECON_F32, pair, 2);
    status = recon_tape_status(t);
done:
    return status;
}

static recon_var classify(void *user, recon_tape *t)
{
    trainer *k = user;
    return recon_var_cross_entropy(t, k->net->apply(t, k->r, k->masked), k->labels);
}

/* The pose is undone in front of the frozen classifier, whose loss reaches it through the resampling;
 * the prior says that what is seen in training is upright. */
static recon_var canonicalize(void *user, recon_tape *t)
{
    trainer *k = user;
    recon_var pose = recon_var_unit(t, k->net->apply(t, k->r, k->masked));
    recon_var back = recon_var_scale(t, -1, recon_var_angle(t, pose));
    recon_var logits =
        recon_classifier_apply(t, k->o->frozen, recon_var_rotate(t, k->images, back));
    return recon_var_blend(t, 1, recon_var_cross_entropy(t, logits, k->labels), PRIOR_WEIGHT,
                           recon_var_cosine_loss(t, pose, k->identity));
}

/* --- validation ------------------------------------------------------------------------------- */

static recon_status guess(recon_ctx *ctx, void *user, int64_t *labels, const float *images,
                          size_t n)
{
    const rival *r = user;
    size_t classes = r->info.classes;
    double *logits = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &logits, n * classes, sizeof *logits));
    RECON_TRY(rival_logits(ctx, logits, r, images, n));
    for (size_t i = 0; i < n; i++) {
        labels[i] = 0;
        for (size_t c = 1; c < classes; c++)
            if (logits[i * classes + c] > logits[i * classes + (size_t)labels[i]])
                labels[i] = (int64_t)c;
    }
done:
    free(logits);
    return status;
}

static recon_status undo_and_guess(recon_ctx *ctx, void *user, int64_t *labels, const float *images,
                                   size_t n)
{
    const trainer *k = user;
    const rival_info *i = &k->r->info;
    size_t size = i->height * i->width * i->channels;
    double *pose = NULL;
    float *canonical = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &pose, n, sizeof *pose));
    RECON_TRY(recon_alloc_raw(ctx, &canonical, n * size, sizeof *canonical));
    RECON_TRY(rival_poses(ctx, pose, k->r, images, n));
    for (size_t x = 0; x < n; x++)
        recon_image_rotate(canonical + x * size, images + x * size, i->height, i->width,
                           i->channels, -pose[x], RECON_BILINEAR);
    RECON_TRY(recon_guess_by_classifier(ctx, (void *)(size_t)k->o->frozen, labels, canonical, n));
done:
    free(canonical);
    free(pose);
    return status;
}

static recon_status mistakes(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    double share;
    recon_status status;
    (void)t;
    RECON_TRY(recon_evaluate_accuracy(k->ctx, &share, NULL, k->held, NULL,
                                      k->net->poses ? undo_and_guess : guess,
                                      k->net->poses ? (void *)k : (void *)k->r));
    *metric = 1 - share;
done:
    return status;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* All that a resumed run must share. */
static recon_status describe_run(const trainer *k, recon_settings *s, size_t epochs)
{
    uint32_t print;
    recon_status status = recon_fingerprint(k->ctx, &print, k->train);
    if (status != RECON_OK)
        return status;
    recon_settings_add(s, "images", "%zu (%08" PRIx32 ")", recon_dataset_describe(k->train).n,
                       print);
    recon_settings_add(s, RECON_SETTING_EPOCHS, "%zu", epochs);
    recon_settings_add(s, "batch", "%zu", k->net->batch);
    recon_settings_add(s, "rate", "%.9g", k->net->rate);
    recon_settings_add(s, "decay", "%.9g", k->net->decay);
    recon_settings_add(s, "rotated", "%s", k->net->views.rotate ? "any angle" : "no");
    recon_settings_add(s, "held out", "rotated by %s", k->o->rule);
    recon_settings_add(s, "seed", "%" PRIu64, k->o->seed);
    recon_settings_add(s, "precision", "%s",
                       recon_precision_name(recon_precision_on(k->ctx, k->o->precision)));
    recon_settings_add(s, "backend", "%s", recon_ops_name(k->ctx));
    return RECON_OK;
}

static recon_status run(trainer *k, recon_train_result *result, const char *path, size_t epochs)
{
    const rival_info *i = &k->r->info;
    uint64_t epoch = recon_dataset_describe(k->train).n / k->net->batch, steps = epochs * epoch;
    recon_settings settings = { "" };
    recon_metadata_list list = { 0 };
    recon_status status;
    RECON_TRY(describe_run(k, &settings, epochs));
    recon_metadata_add(&list, "model", "rival");
    recon_metadata_add(&list, "rival", k->net->name);
    recon_metadata_add_number(&list, "height", (double)i->height);
    recon_metadata_add_number(&list, "width", (double)i->width);
    recon_metadata_add_number(&list, "channels", (double)i->channels);
    recon_metadata_add_number(&list, "classes", (double)i->classes);
    recon_metadata_add(&list, "training", settings.text);
    const recon_trainee it = { .params = k->r->params,
                               .feed = feed,
                               .loss = k->net->poses ? canonicalize : classify,
                               .validate = mistakes,
                               .user = k };
    const recon_train_options options = {
        .steps = steps,
        .epoch = epoch,
        .seed = k->o->seed,
        .precision = k->o->precision,
        .schedule = { RECON_RATE_COSINE, k->net->rate, 0, steps / 20, steps, 0, 0 },
        .adam = { .decay = k->net->decay },
        .path = path,
        .metadata = list.entry,
        .n_metadata = list.n,
        .bf16 = 1,
        .settings = settings.text,
        .resume = k->o->resume,
        .overwrite = k->o->overwrite,
        .label = k->net->name,
    };
    RECON_TRY(recon_train(k->ctx, result, &it, &options));
done:
    return status;
}

static recon_status prepare(trainer *k, const recon_dataset *train, const recon_dataset *held)
{
    recon_dataset_info d = recon_dataset_describe(train);
    size_t batch = k->net->batch;
    recon_status status;
    if (d.n < batch)
        return recon_fail(k->ctx, RECON_ERR_INPUT, "%zu images do not fill a batch of %zu", d.n,
                          batch);
    RECON_TRY(recon_dataset_rotate_by(k->ctx, &k->held, held, k->o->rule, HELD_SEED));
    RECON_TRY(recon_alloc_raw(k->ctx, &k->seen, batch * d.height * d.width * d.channels,
                              sizeof *k->seen));
    RECON_TRY(recon_alloc(k->ctx, &k->upright, 2 * batch, sizeof *k->upright));
    for (size_t i = 0; i < batch; i++)
        k->upright[2 * i] = 1;
    k->train = train;
    k->batches = k->net->views;
    k->batches.batch = batch;
    k->batches.shuffle = 1;
    k->batches.seed = k->o->seed;
done:
    return status;
}

recon_status rival_train(recon_ctx *ctx, recon_train_result *result, rival_kind kind,
                         const recon_dataset *data, const char *path, const rival_options *o)
{
    trainer k = { .ctx = ctx, .net = &rival_nets[kind], .o = o };
    recon_dataset_info d = recon_dataset_describe(data);
    rival_info info = { .kind = kind,
                        .height = d.height,
                        .width = d.width,
                        .channels = d.channels,
                        .classes = d.classes };
    recon_dataset *train = NULL, *held = NULL;
    recon_status status;
    RECON_TRY(recon_run_check(ctx, path, o->resume, o->overwrite));
    RECON_TRY(recon_dataset_split(ctx, &train, &held, data, RECON_HELD_OUT, 0));
    RECON_TRY(rival_make(ctx, &k.r, info, o->precision, NULL, NULL, o->seed));
    RECON_TRY(prepare(&k, train, held));
    RECON_TRY(run(&k, result, path, o->epochs ? o->epochs : k.net->epochs));
done:
    recon_loader_close(k.loader);
    free(k.seen);
    free(k.upright);
    rival_close(ctx, k.r);
    recon_dataset_close(k.held);
    recon_dataset_close(held);
    recon_dataset_close(train);
    return status;
}
