/* rival.c - the networks of rival.h: construction, training, files and use. */
#include "lab/rival_net.h"
#include "backbone/metadata.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/params.h"
#include "backbone/classifier.h"
#include "backbone/recipe.h"
#include "data/identity.h"
#include "data/rotations.h"
#include "lab/evaluate.h"
#include "nn/run_files.h"
#include "nn/settings.h"
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <recon/nn/train.h>
#include <stdlib.h>
#include <string.h>

enum { STEM = 16, CODE = 64, HIDDEN = 64, MAX_SIDE = 1 << 12, MAX_CLASSES = 1 << 20 };
#define FADE 1.5 /* pixels over which the disc ends */

/* --- networks --------------------------------------------------------------------------------- */

static recon_status add_resnet(recon_ctx *ctx, rival *r)
{
    return recon_resnet18_add(ctx, &r->net.resnet, r->params, r->info.channels, r->info.classes,
                              STEM);
}

static recon_var apply_resnet(recon_tape *t, const rival *r, recon_var x)
{
    return recon_resnet18_apply(t, &r->net.resnet, x);
}

static recon_status add_encoder(recon_ctx *ctx, rival *r)
{
    recon_ieae_shape shape = { .preset = RECON_PRESET_SMALL,
                               .code = CODE,
                               .height = r->info.height,
                               .width_px = r->info.width,
                               .channels = r->info.channels };
    RECON_CHECK(recon_encoder_shape(ctx, &shape));
    return recon_encoder_add(ctx, &r->net.steerable.encoder, r->params, "encoder", &shape);
}

static recon_status add_escnn(recon_ctx *ctx, rival *r)
{
    const size_t sizes[] = { CODE, HIDDEN, r->info.classes };
    RECON_CHECK(add_encoder(ctx, r));
    return recon_mlp_add(ctx, &r->net.steerable.head, r->params, "head", sizes, 3, 0);
}

static recon_var apply_escnn(recon_tape *t, const rival *r, recon_var x)
{
    return recon_mlp_apply(t, &r->net.steerable.head,
                           recon_encoder_apply(t, &r->net.steerable.encoder, x).code);
}

static recon_var apply_pose(recon_tape *t, const rival *r, recon_var x)
{
    return recon_encoder_apply(t, &r->net.steerable.encoder, x).pose;
}

static recon_status add_plain(recon_ctx *ctx, rival *r)
{
    const size_t sizes[] = { r->info.height * r->info.width * r->info.channels, 512, 256, 128, 2 };
    return recon_mlp_add(ctx, &r->net.plain, r->params, "mlp", sizes, 5, 0);
}

static recon_var apply_plain(recon_tape *t, const rival *r, recon_var x)
{
    if (!x)
        return NULL;
    const size_t *s = recon_var_shape(x, NULL);
    x = recon_var_reshape(t, x, (size_t[]){ s[0], s[1] * s[2] * s[3] }, 2);
    return recon_mlp_apply(t, &r->net.plain, x);
}

static recon_status add_partial(recon_ctx *ctx, rival *r)
{
    return partial_add(ctx, &r->net.partial, r->params, r->info.channels, r->info.classes);
}

static recon_status feed_partial(recon_tape *t, rival *r, double offset)
{
    return partial_feed(t, &r->net.partial, offset);
}

static recon_var penalty_partial(recon_tape *t, const rival *r)
{
    return partial_penalty(t, &r->net.partial);
}

static recon_var apply_partial(recon_tape *t, const rival *r, recon_var x)
{
    return partial_apply(t, &r->net.partial, x);
}

static recon_status freeze_encoder(recon_ctx *ctx, rival *r)
{
    return recon_encoder_freeze(ctx, &r->net.steerable.encoder);
}

/* Images that are upright are sharper than any that was rotated: those that see them upright see
 * them resampled (regrid). */
const rival_net rival_nets[RIVAL_KINDS] = {
    [RIVAL_AUGMENTED] = { .name = "augmented",
                          .epochs = 2,
                          .batch = 128,
                          .rate = 2e-3,
                          .decay = 0.01,
                          .views = { .rotate = 1 },
                          .add = add_resnet,
                          .apply = apply_resnet },
    [RIVAL_ESCNN] = { .name = "escnn",
                      .masked = 1,
                      .epochs = 2,
                      .batch = 64,
                      .rate = 3e-3,
                      .decay = 0.01,
                      .views = { .rotate = 1, .regrid = 1 },
                      .add = add_escnn,
                      .apply = apply_escnn,
                      .freeze = freeze_encoder },
    [RIVAL_EQUIADAPT] = { .name = "equiadapt",
                          .poses = 1,
                          .masked = 1,
                          .epochs = 3,
                          .batch = 64,
                          .rate = 3e-3,
                          .decay = 0.01,
                          .views = { .rotate = 1, .regrid = 1 },
                          .add = add_encoder,
                          .apply = apply_pose,
                          .freeze = freeze_encoder },
    [RIVAL_PARTIAL] = { .name = "partial_gcnn",
                        .epochs = 2,
                        .batch = 128,
                        .rate = 5e-3,
                        .decay = 0.01,
                        .views = { .regrid = 1 },
                        .add = add_partial,
                        .feed = feed_partial,
                        .penalty = penalty_partial,
                        .apply = apply_partial },
    [RIVAL_SGM] = { .name = "sgm",
                    .poses = 1,
                    .masked = 1,
                    .pairs = 1,
                    .epochs = 8,
                    .batch = 128,
                    .rate = 1e-3,
                    .decay = 0.01,
                    .views = { .rotate = 1, .views = 2 },
                    .add = add_plain,
                    .apply = apply_plain },
};

recon_status rival_feed(recon_tape *t, rival *r, double offset)
{
    const rival_net *net = &rival_nets[r->info.kind];
    return net->feed ? net->feed(t, r, offset) : RECON_OK;
}

const char *rival_name(rival_kind kind)
{
    return rival_nets[kind].name;
}

/* --- made and opened -------------------------------------------------------------------------- */

/* A disc that touches the borders: corners leave the image when it rotates. */
static recon_status make_mask(recon_ctx *ctx, rival *r)
{
    size_t h = r->info.height, w = r->info.width;
    double radius = 0.5 * (double)(h < w ? h : w);
    RECON_CHECK(recon_alloc(ctx, &r->mask, h * w, sizeof *r->mask));
    for (size_t i = 0; i < h * w; i++) {
        double y = (double)(i / w) + 0.5 - 0.5 * (double)h,
               x = (double)(i % w) + 0.5 - 0.5 * (double)w;
        r->mask[i] = (float)fmin(1, fmax(0, (radius - sqrt(x * x + y * y)) / FADE));
    }
    return RECON_OK;
}

recon_status rival_make(recon_ctx *ctx, rival **out, rival_info info, recon_precision precision,
                        const recon_safetensors *file, const char *path, uint64_t seed)
{
    const rival_net *net = &rival_nets[info.kind];
    rival *r = NULL;
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_alloc(ctx, &r, 1, sizeof *r));
    r->info = info;
    r->info.poses = net->poses;
    RECON_TRY(recon_params_new(ctx, &r->params, precision));
    recon_params_expect(r->params, file, path, 1);
    RECON_TRY(net->add(ctx, r));
    RECON_TRY(recon_params_make(ctx, r->params, seed));
    r->info.weights = recon_params_count(r->params);
    if (net->masked)
        RECON_TRY(make_mask(ctx, r));
    *out = r;
done:
    if (status != RECON_OK)
        rival_close(ctx, r);
    return status;
}

void rival_close(recon_ctx *ctx, rival *r)
{
    if (!r)
        return;
    recon_params_free(ctx, r->params);
    recon_free_all(r->mask, r);
}

rival_info rival_describe(const rival *r)
{
    return r->info;
}

static recon_status read_info(recon_ctx *ctx, rival_info *out, const recon_safetensors *file,
                              const char *path)
{
    const char *name = recon_safetensors_metadata(file, "rival");
    int kind = 0;
    if (!recon_metadata_is(file, "rival") || !name)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: not a network of `recon reproduce --baselines`", path);
    while (kind < RIVAL_KINDS && strcmp(name, rival_nets[kind].name))
        kind++;
    if (kind == RIVAL_KINDS)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: no rival is called '%.40s'", path, name);
    out->kind = (rival_kind)kind;
    RECON_CHECK(recon_metadata_size(ctx, &out->height, file, "height", 1, MAX_SIDE, path));
    RECON_CHECK(recon_metadata_size(ctx, &out->width, file, "width", 1, MAX_SIDE, path));
    RECON_CHECK(recon_metadata_size(ctx, &out->channels, file, "channels", 1, MAX_SIDE, path));
    return recon_metadata_size(ctx, &out->classes, file, "classes", 1, MAX_CLASSES, path);
}

recon_status rival_open(recon_ctx *ctx, rival **out, const char *path)
{
    recon_safetensors *file = NULL;
    rival_info info = { 0 };
    recon_status status;
    *out = NULL;
    RECON_TRY(recon_safetensors_open(ctx, &file, path));
    RECON_TRY(read_info(ctx, &info, file, path));
    RECON_TRY(rival_make(ctx, out, info, RECON_SINGLE, file, path, 0));
    if (rival_nets[info.kind].freeze)
        RECON_TRY(rival_nets[info.kind].freeze(ctx, *out));
done:
    recon_safetensors_close(file);
    if (status != RECON_OK) {
        rival_close(ctx, *out);
        *out = NULL;
        recon_note_file(ctx, status, path);
    }
    return status;
}

/* --- answers ---------------------------------------------------------------------------------- */

void rival_see(float *out, const rival *r, const float *in, size_t n)
{
    size_t c = r->info.channels, pixels = r->info.height * r->info.width;
    for (size_t i = 0; i < n * pixels; i++)
        for (size_t k = 0; k < c; k++)
            out[i * c + k] = in[i * c + k] * (r->mask ? r->mask[i % pixels] : 1);
}

/* Of n images, `width` numbers each. */
static recon_status answer(recon_ctx *ctx, double *out, size_t width, rival *r, const float *images,
                           size_t n)
{
    size_t size = r->info.height * r->info.width * r->info.channels;
    recon_tape *t = NULL;
    float *seen = NULL;
    recon_status status;
    RECON_TRY(recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    RECON_TRY(recon_alloc_raw(ctx, &seen, RIVAL_BATCH * size, sizeof *seen));
    for (size_t at = 0; at < n; at += RIVAL_BATCH) {
        size_t some = n - at < RIVAL_BATCH ? n - at : RIVAL_BATCH;
        size_t shape[4] = { some, r->info.height, r->info.width, r->info.channels };
        rival_see(seen, r, images + at * size, some);
        RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
        RECON_TRY(rival_feed(t, r, 0));
        recon_var x = recon_var_input(t, seen, RECON_F32, shape, 4);
        RECON_TRY(recon_var_read(t, out + at * width, rival_nets[r->info.kind].apply(t, r, x)));
    }
done:
    free(seen);
    recon_tape_free(t);
    return status;
}

recon_status rival_logits(recon_ctx *ctx, double *out, rival *r, const float *images, size_t n)
{
    return answer(ctx, out, r->info.classes, r, images, n);
}

recon_status rival_poses(recon_ctx *ctx, double *out, rival *r, const float *images, size_t n)
{
    double *vectors = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &vectors, 2 * n, sizeof *vectors));
    RECON_TRY(answer(ctx, vectors, 2, r, images, n));
    for (size_t i = 0; i < n; i++)
        out[i] = atan2(vectors[2 * i + 1], vectors[2 * i]);
done:
    free(vectors);
    return status;
}

enum { HELD_SEED = 1 };          /* of the rotations of images held out */
#define OFFSETS      0x6f666673u /* the draws of rival_feed's offsets, apart from others of a seed */
#define PRIOR_WEIGHT 100.0       /* of EquiAdapt's prior, as in its package */

typedef struct {
    recon_ctx *ctx;
    rival *r;
    const rival_net *net;
    const rival_options *o;
    const recon_dataset *data, *train; /* all, and those not held out */
    recon_dataset *held;               /* rotated by the rule */
    recon_loader_options batches;
    recon_loader *loader; /* opened at the first step fed, which may be any */
    float *seen;          /* [batch] as the network sees them */
    float *target;        /* [batch][2] the pose that the prior asks for */
    float *between;       /* [batch][2] from the first view to the second: cosine and sine */
    recon_var images, masked, other, labels, prior, rotation, product;
} trainer;

/* --- steps ------------------------------------------------------------------------------------ */

/* The second views of a batch, and how far each is rotated against the first. */
static void feed_pair(trainer *k, recon_tape *t, const recon_batch *b, const size_t shape[4],
                      const size_t pair[2])
{
    static const float complex_product[8] = { 1, 0, 0, 1, 0, 1, -1, 0 }; /* [i][j][k] */
    size_t pixels = shape[1] * shape[2] * shape[3];
    for (size_t i = 0; i < b->n; i++) {
        double angle = (double)b->angles[b->n + i] - (double)b->angles[i];
        k->between[2 * i] = (float)cos(angle);
        k->between[2 * i + 1] = (float)sin(angle);
    }
    rival_see(k->seen, k->r, b->images + b->n * pixels, b->n);
    k->other = recon_var_input(t, k->seen, RECON_F32, shape, 4);
    k->rotation = recon_var_input(t, k->between, RECON_F32, pair, 2);
    k->product = recon_var_input(t, complex_product, RECON_F32, (const size_t[]){ 2, 2, 2 }, 3);
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    trainer *k = user;
    recon_batch b;
    if (!k->loader) {
        k->batches.first = step;
        RECON_CHECK(recon_loader_open(k->ctx, &k->loader, k->train, &k->batches));
    }
    recon_loader_next(&b, k->loader);
    const rival_info *i = &k->r->info;
    size_t shape[4] = { b.n, i->height, i->width, i->channels }, pair[2] = { b.n, 2 };
    for (size_t v = 0; v < b.n; v++) {
        k->target[2 * v] = cosf(b.angles[v]);
        k->target[2 * v + 1] = sinf(b.angles[v]);
    }
    rival_see(k->seen, k->r, b.images, b.n);
    k->images = recon_var_input(t, b.images, RECON_F32, shape, 4);
    k->masked = recon_var_input(t, k->seen, RECON_F32, shape, 4);
    k->labels = recon_var_input(t, b.labels, RECON_I32, shape, 1);
    k->prior = recon_var_input(t, k->target, RECON_F32, pair, 2);
    if (k->net->pairs)
        feed_pair(k, t, &b, shape, pair);
    recon_rng rng = recon_rng_new(k->o->seed ^ OFFSETS, step);
    RECON_CHECK(rival_feed(t, k->r, 2 * M_PI * recon_rng_uniform(&rng)));
    return recon_tape_status(t);
}

static recon_var classify(void *user, recon_tape *t)
{
    trainer *k = user;
    recon_var loss = recon_var_cross_entropy(t, k->net->apply(t, k->r, k->masked), k->labels);
    if (!loss || !k->net->penalty)
        return loss;
    int ndim;
    const size_t *shape = recon_var_shape(loss, &ndim);
    return recon_var_add(t, loss, recon_var_reshape(t, k->net->penalty(t, k->r), shape, ndim));
}

/* The pose is undone in front of the frozen classifier, whose loss reaches it through the
 * resampling; the prior says that training images are upright, so that the pose is how far the view
 * is rotated. */
static recon_var adapt(void *user, recon_tape *t)
{
    trainer *k = user;
    recon_var pose = recon_var_unit(t, k->net->apply(t, k->r, k->masked));
    recon_var back = recon_var_scale(t, -1, recon_var_angle(t, pose));
    recon_var logits =
        recon_classifier_apply(t, k->o->frozen, recon_var_rotate(t, k->images, back));
    return recon_var_blend(t, 1, recon_var_cross_entropy(t, logits, k->labels), PRIOR_WEIGHT,
                           recon_var_cosine_loss(t, pose, k->prior));
}

/* Undone, both views must be the same image: so their poses differ as the views do. */
static recon_var agree(void *user, recon_tape *t)
{
    trainer *k = user;
    recon_var first = recon_var_unit(t, k->net->apply(t, k->r, k->masked));
    recon_var second = recon_var_unit(t, k->net->apply(t, k->r, k->other));
    if (!first)
        return NULL;
    size_t n = recon_var_shape(first, NULL)[0];
    first = recon_var_tensor_product(t, recon_var_reshape(t, first, (size_t[]){ n, 1, 2 }, 3),
                                     k->rotation, k->product);
    return recon_var_cosine_loss(t, second, recon_var_reshape(t, first, (size_t[]){ n, 2 }, 2));
}

/* --- validation ------------------------------------------------------------------------------- */

recon_status rival_guess(recon_ctx *ctx, void *user, int64_t *labels, const float *images, size_t n)
{
    rival *r = user;
    size_t classes = r->info.classes;
    double *logits = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &logits, n * classes, sizeof *logits));
    RECON_TRY(rival_logits(ctx, logits, r, images, n));
    for (size_t i = 0; i < n; i++)
        labels[i] = (int64_t)lab_largest(logits + i * classes, classes);
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
    recon_free_all(canonical, pose);
    return status;
}

/* The same of the images held out: each as it is rotated, against the same rotated back. */
static recon_status disagreement(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    recon_dataset_info d = recon_dataset_describe(k->held);
    size_t size = d.height * d.width * d.channels;
    double pose[2 * RIVAL_BATCH], sum = 0;
    float *images = NULL;
    recon_status status;
    (void)t;
    RECON_TRY(recon_alloc_raw(k->ctx, &images, 2 * RIVAL_BATCH * size, sizeof *images));
    for (size_t at = 0; at < d.n; at += RIVAL_BATCH) {
        size_t n = d.n - at < RIVAL_BATCH ? d.n - at : RIVAL_BATCH;
        for (size_t i = 0; i < n; i++) {
            recon_dataset_get(images + i * size, k->held, at + i);
            recon_image_rotate(images + (n + i) * size, images + i * size, d.height, d.width,
                               d.channels, -recon_dataset_angle(k->held, at + i), RECON_BILINEAR);
        }
        RECON_TRY(rival_poses(k->ctx, pose, k->r, images, 2 * n));
        for (size_t i = 0; i < n; i++)
            sum += 1 - cos(pose[i] - pose[n + i] - recon_dataset_angle(k->held, at + i));
    }
    *metric = sum / (double)d.n;
done:
    free(images);
    return status;
}

static recon_status mistakes(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    double share;
    (void)t;
    RECON_CHECK(recon_evaluate_accuracy(k->ctx, &share, NULL, k->held, NULL,
                                        k->net->poses ? undo_and_guess : rival_guess,
                                        k->net->poses ? (void *)k : (void *)k->r));
    *metric = 1 - share;
    return RECON_OK;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* All that a resumed run must share. */
static recon_status describe_run(const trainer *k, recon_settings *s, size_t epochs)
{
    int by_frozen = k->net->poses && !k->net->pairs;
    uint32_t frozen = 0;
    uint64_t identity;
    RECON_CHECK(recon_identity(k->ctx, &identity, recon_dataset_data(k->data), 1));
    if (by_frozen)
        RECON_CHECK(recon_fingerprint_weights(k->ctx, &frozen, k->o->frozen->params));
    recon_settings_add(s, "images", "%zu", recon_dataset_describe(k->train).n);
    recon_settings_add(s, RECON_SETTING_IDENTITY, RECON_IDENTITY, identity);
    recon_settings_add(s, RECON_SETTING_EPOCHS, "%zu", epochs);
    recon_settings_add(s, "batch", "%zu", k->net->batch);
    recon_settings_add(s, "rate", "%.9g", k->net->rate);
    recon_settings_add(s, "decay", "%.9g", k->net->decay);
    recon_settings_add(s, "rotated", "%s", k->net->views.rotate ? "any angle" : "no");
    recon_settings_add(s, "held out", "rotated by %s", k->o->rule);
    if (by_frozen)
        recon_settings_add(s, "classifier", "%08" PRIx32, frozen);
    recon_settings_add_run(s, k->ctx, k->o->seed, k->o->precision);
    return RECON_OK;
}

static recon_status run(trainer *k, recon_train_result *result, const char *path, size_t epochs)
{
    const rival_info *i = &k->r->info;
    uint64_t epoch = recon_dataset_describe(k->train).n / k->net->batch, steps = epochs * epoch;
    recon_settings settings = { "" };
    recon_metadata_list list = { 0 };
    RECON_CHECK(describe_run(k, &settings, epochs));
    recon_metadata_add(&list, "model", "rival");
    recon_metadata_add(&list, "rival", k->net->name);
    recon_metadata_add_number(&list, "height", (double)i->height);
    recon_metadata_add_number(&list, "width", (double)i->width);
    recon_metadata_add_number(&list, "channels", (double)i->channels);
    recon_metadata_add_number(&list, "classes", (double)i->classes);
    recon_metadata_add(&list, "training", settings.text);
    const recon_trainee it = { .params = k->r->params,
                               .feed = feed,
                               .loss = k->net->pairs   ? agree
                                       : k->net->poses ? adapt
                                                       : classify,
                               .validate = k->net->pairs ? disagreement : mistakes,
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
    return recon_train(k->ctx, result, &it, &options);
}

static recon_status prepare(trainer *k, const recon_dataset *train, const recon_dataset *held)
{
    recon_dataset_info d = recon_dataset_describe(train);
    size_t batch = k->net->batch;
    RECON_CHECK(recon_run_fills(k->ctx, d.n, batch, "image"));
    RECON_CHECK(recon_dataset_rotate_by(k->ctx, &k->held, held, k->o->rule, HELD_SEED));
    RECON_CHECK(recon_alloc_raw(k->ctx, &k->seen, batch * d.height * d.width * d.channels,
                                sizeof *k->seen));
    RECON_CHECK(recon_alloc(k->ctx, &k->target, 2 * batch, sizeof *k->target));
    RECON_CHECK(recon_alloc(k->ctx, &k->between, 2 * batch, sizeof *k->between));
    k->train = train;
    k->batches = k->net->views;
    k->batches.batch = batch;
    k->batches.shuffle = 1;
    k->batches.seed = k->o->seed;
    return RECON_OK;
}

recon_status rival_train(recon_ctx *ctx, recon_train_result *result, rival_kind kind,
                         const recon_dataset *data, const char *path, const rival_options *o)
{
    trainer k = { .ctx = ctx, .net = &rival_nets[kind], .o = o, .data = data };
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
    recon_free_all(k.seen, k.target, k.between);
    rival_close(ctx, k.r);
    recon_dataset_close(k.held);
    recon_dataset_close(held);
    recon_dataset_close(train);
    return status;
}
