/* ieae_train.c - the training of image networks.
 *
 * A step uses two views of each image: one rotated at random, one rotated and slightly warped. Both
 * are reconstructed, and the pose density must give the rotation of each a high likelihood. Two
 * terms compare the views: the pose term, 1 - cos of (pose of one - pose of the other - the
 * rotation between them), and the contrast (van den Oord et al. 2018): among the codes of all
 * second views, the image's own must be nearest.
 *
 * The photo presets reconstruct nothing. A single pass is not equivariant by construction, so its
 * likelihood is blurred by a few degrees: the target is softmax(SHARPNESS cos(angle - bin)), and
 * the held-out images are rotated too.
 *
 * With a density the epoch is chosen by its likelihood on images held out, as they come: that is
 * what the natural pose depends on. Without one, by their reconstruction. */
#include "backbone/ieae.h"
#include "backbone/metadata.h"
#include "backbone/recipe.h"
#include "data/dataset.h"
#include "data/identity.h"
#include "data/formats.h"
#include "data/loader.h"
#include "nn/restarts.h"
#include "nn/run_files.h"
#include "nn/settings.h"
#include <recon/nn/train.h>
#include <recon/ops/backend.h>
#include "comm/comm.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS = 2, BORDER_IMAGES = 500 };
#define BORDER_SHARE 0.02
#define SHARPNESS    120.0 /* 5 degrees */

typedef struct {
    recon_ctx *ctx;
    recon_ieae *m, *from; /* from: a model to start from, or NULL */
    const recon_ieae_options *o;
    const recon_dataset *train, *held;
    uint64_t identity; /* of both */
    recon_loader_options batches;
    recon_loader *loader; /* opened at the first step fed, which may be any */
    recon_batch batch;    /* of step `fed` - 1, the last one fed */
    uint64_t fed;
    float *seen;     /* [batch][views] images, masked */
    float *angles;   /* [batch][views] of each view's rotation */
    int32_t *given;  /* [batch][views] the bin of each view's rotation */
    float *rotation; /* [batch][2] unit vector of the rotation from view 1 to view 0 */
    float *blur;     /* [batch][views][bins] the given bin less the blurred target, over the rows of
                        the whole batch; of photo presets */
    int32_t *places; /* [batch] place in the whole batch: whose second view is whose */
    recon_var images, rotations, order, product, applied, blurred;
} trainer;

/* The presets' numbers are for tens of thousands of images. Fewer than FEW are shown in smaller
 * batches and more varied, and so often that there are STEPS_FEW steps at least. Weights that have
 * learned from others need fewer. */
enum { FEW = 10000, STEPS_FEW = 1800, STEPS_FROM = 600, STEPS_LEAST = 500 };
#define LONGEST 0.99 /* the average of weights that few images shake forgets no slower */

static size_t views_of(const recon_ieae_options *o)
{
    return o->contrast > 0 || o->pose > 0 ? VIEWS : 1;
}

static int is_photo(const recon_ieae_options *o)
{
    return recon_preset_is_photo(o->shape.preset);
}

static int is_few(const recon_ieae_options *o, size_t n)
{
    return (o->shape.preset == RECON_PRESET_SMALL || o->from) && n < FEW;
}

/* As in the paper: reconstruction alone. */
static int is_plain(const recon_ieae_options *o)
{
    return o->density < 0 && o->pose < 0 && o->contrast < 0;
}

static int is_given(const void *options)
{
    return ((const recon_ieae_options *)options)->views == RECON_VIEWS_GIVEN;
}

static int may_flip(const void *options)
{
    return is_photo(options);
}

#define AT(field) offsetof(recon_ieae_options, field)
#define ALL(x)                                                                                     \
    {                                                                                              \
        x, x, x, x, x                                                                              \
    }
static const recon_recipe_entry entries[] = {
    /* Presets are fast, paper, small, photo and photo-small. */
    { "width", "factor on the preset's channels", RECON_RECIPE_NUMBER, AT(shape.width),
      .preset = ALL(1), .in_shape = 1 },
    { "frequencies", "rotation orders of the fields, 2 to 4; not of photo presets",
      RECON_RECIPE_COUNT, AT(shape.frequencies), .preset = { 4, 2, 4, 1, 1 }, .in_shape = 1 },
    { "code", "length of the embedding", RECON_RECIPE_COUNT, AT(shape.code), .preset = ALL(128),
      .in_shape = 1 },
    { "mask", "mask to a disc (auto: where there is content at the borders)", RECON_RECIPE_WORD,
      AT(shape.mask), .words = "auto|on", .in_shape = 1 },
    { "epochs", "passes over the data", RECON_RECIPE_COUNT, AT(epochs),
      .preset = { 30, 60 /* the paper's: 700 */, 8, 72, 30 } },
    { "batch", "images in a step", RECON_RECIPE_COUNT, AT(batch),
      .preset = { 256, 128, 64, 256, 64 }, .few = 32 },
    { "rate", "highest learning rate", RECON_RECIPE_NUMBER, AT(rate),
      .preset = { 2e-3, 8e-4, 2e-3, 2e-3, 3e-3 }, .few = 3e-3 },
    /* Weights that could learn their few images by heart are kept small. */
    { "decay", "weight decay, times the learning rate", RECON_RECIPE_WEIGHT, AT(decay),
      .preset = { -1, -1, -1, 0.5, 0.5 }, .few = 0.05 },
    { "density", "weight of the pose density's likelihood", RECON_RECIPE_WEIGHT, AT(density),
      .preset = { 0.3, -1, 0.3, 1, 1 }, .few = 1, .is_term = 1 },
    { "pose", "weight of the pose loss between views", RECON_RECIPE_WEIGHT, AT(pose),
      .preset = { 1, -1, 1, 0.2, 0.2 }, .is_term = 1 },
    { "contrast", "weight of the contrastive loss", RECON_RECIPE_WEIGHT, AT(contrast),
      .preset = { 0.01, -1, 0.01, 0.1, 0.1 }, .is_term = 1 },
    { "temperature", "temperature of the contrastive loss", RECON_RECIPE_NUMBER, AT(temperature),
      .preset = ALL(0.2) },
    { "warp", "stretch the second view by up to this; photo presets: enlarge it",
      RECON_RECIPE_WEIGHT, AT(warp), .preset = ALL(0.2), .few = 0.15 },
    { "augment",
      "warp, shift, blur and brighten every view (auto: with a pose density, or few images)",
      RECON_RECIPE_SWITCH, AT(augment), .words = RECON_RECIPE_ON_OFF },
    { "views",
      "rotated by a new random angle each time, or as they come (with plain or preset paper)",
      RECON_RECIPE_WORD, AT(views), .words = "random|given", .is_recorded = is_given },
    { "flip", "mirror half of the images (auto: of photo presets; off for text)",
      RECON_RECIPE_SWITCH, AT(flip), .words = RECON_RECIPE_ON_OFF, .is_recorded = may_flip },
};
const recon_recipe recon_ieae_recipe = { entries, sizeof entries / sizeof *entries,
                                         RECON_RECIPE_PRESETS };

static size_t preset_count(const char *name, const recon_ieae_options *o, int few)
{
    return (size_t)recon_recipe_default(&recon_ieae_recipe, name, o->shape.preset, few);
}

/* A step takes no more than a quarter of the n images, and epochs are added until there are enough
 * steps. */
static void set_length(recon_ieae_options *o, size_t n)
{
    int few = is_few(o, n), short_one = few && o->from;
    size_t quarter = n >= 8 ? n / 4 : n, usual = preset_count("batch", o, few);
    size_t epochs = preset_count("epochs", o, few);
    if (!o->batch)
        o->batch = n < usual || (few && quarter < usual) ? quarter : usual;
    size_t steps = n / o->batch ? n / o->batch : 1;
    size_t most = short_one ? STEPS_FROM : few ? STEPS_FEW : STEPS_LEAST;
    size_t least = (most + steps - 1) / steps;
    if (!o->epochs)
        o->epochs = epochs > least && !short_one ? epochs : least;
}

static void set_defaults(recon_ieae_options *o, size_t n)
{
    int few = is_few(o, n), decays = o->decay != 0;
    set_length(o, n);
    recon_recipe_fill(o, &recon_ieae_recipe, o->shape.preset, few, 0);
    o->shape.density = o->density > 0;
    if (!decays && is_plain(o))
        o->decay = recon_recipe_default(&recon_ieae_recipe, "decay", o->shape.preset, 0);
    o->decay = fmax(o->decay, 0);
    if (o->augment ==
        0) /* a density learns single images by heart, and few images are soon learned */
        o->augment = o->density > 0 || (few && !is_plain(o)) ? 1 : -1;
    if (o->warp < 0 || (views_of(o) < VIEWS && o->augment <= 0))
        o->warp = 0;
    if (o->flip == 0)
        o->flip = is_photo(o) ? 1 : -1;
    o->threads = o->threads ? o->threads : 2;
}

/* --- a step ----------------------------------------------------------------------------------- */

/* A step is fed once, or part by part; of several ranks each makes its own images. */
static recon_status take_batch(trainer *k, uint64_t step, recon_slice slice)
{
    recon_status status = RECON_OK;
    if (k->fed == step + 1)
        return RECON_OK;
    if (!k->loader) {
        k->batches.first = step;
        if (recon_comm_size(k->ctx) > 1) {
            k->batches.from = slice.first;
            k->batches.count = slice.n;
        }
        status = recon_loader_open(k->ctx, &k->loader, k->train, &k->batches);
    }
    if (status == RECON_OK) {
        recon_loader_next(&k->batch, k->loader);
        k->fed = step + 1;
    }
    return status;
}

/* The slice of the batch, the views of an image side by side. What was not rotated here is
 * softened, as any image from a file is. */
static void take_slice(trainer *k, recon_slice slice, size_t views)
{
    const recon_ieae_shape *s = &k->m->shape;
    size_t image = s->height * s->width_px * s->channels;
    for (size_t i = 0; i < slice.n; i++)
        for (size_t v = 0; v < views; v++) {
            size_t from = v * k->batch.n + slice.first - k->batches.from + i, to = i * views + v;
            (k->o->views == RECON_VIEWS_GIVEN ? recon_ieae_preprocess : recon_ieae_mask)(
                k->seen + to * image, k->m, k->batch.images + from * image, 1);
            k->angles[to] = k->batch.angles[from];
        }
}

/* By how much the target differs from the given bin alone: the cross-entropy with the target is
 * that with the bin, plus the product of this with the logits. */
static void blur_targets(trainer *k, size_t n, size_t all)
{
    for (size_t i = 0; i < n; i++) {
        float *row = k->blur + i * RECON_POSE_BINS;
        double p[RECON_POSE_BINS], sum = 0;
        for (int b = 0; b < RECON_POSE_BINS; b++)
            sum += p[b] =
                exp(SHARPNESS * (cos((double)k->angles[i] - 2 * M_PI * b / RECON_POSE_BINS) - 1));
        for (int b = 0; b < RECON_POSE_BINS; b++)
            row[b] = (float)(((b == k->given[i]) - p[b] / sum) / (double)all);
    }
}

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    /* The product of complex numbers, c[i][j][k]: (a0, a1)(b0, b1). */
    static const float product[8] = { 1, 0, 0, 1, 0, 1, -1, 0 };
    trainer *k = user;
    const recon_ieae_shape *s = &k->m->shape;
    recon_slice slice = recon_tape_slice(t), together = recon_tape_together(t);
    size_t views = views_of(k->o), n = slice.n;
    RECON_CHECK(take_batch(k, step, slice));
    /* All that the host works out comes before the first copy, which may wait for the GPU. */
    take_slice(k, slice, views);
    for (size_t i = 0; i < views * n; i++)
        k->given[i] = recon_pose_bin((double)k->angles[i]);
    if (k->blur)
        blur_targets(k, views * n, views * together.of);
    k->images = recon_var_input(t, k->seen, RECON_F32,
                                (size_t[]){ views * n, s->height, s->width_px, s->channels }, 4);
    k->applied = recon_var_input(t, k->given, RECON_I32, (size_t[]){ views * n }, 1);
    if (k->blur)
        k->blurred =
            recon_var_input(t, k->blur, RECON_F32, (size_t[]){ views * n, RECON_POSE_BINS }, 2);
    if (views == VIEWS) {
        for (size_t i = 0; i < n; i++) {
            double rotation = k->angles[2 * i] - k->angles[2 * i + 1];
            k->rotation[2 * i] = (float)cos(rotation);
            k->rotation[2 * i + 1] = (float)sin(rotation);
            k->places[i] = (int32_t)(together.first + i);
        }
        k->rotations = recon_var_input(t, k->rotation, RECON_F32, (size_t[]){ n, 2 }, 2);
        k->order = recon_var_input(t, k->places, RECON_I32, (size_t[]){ n }, 1);
        k->product = recon_var_constant(t, product, RECON_F32, (size_t[]){ 2, 2, 2 }, 3);
    }
    return recon_tape_status(t);
}

/* Half of x's rows: those of view 0 or of view 1. */
static recon_var view(recon_tape *t, recon_var x, size_t which)
{
    if (!x)
        return NULL;
    size_t rows = recon_var_shape(x, NULL)[0] / VIEWS, cols = recon_var_shape(x, NULL)[1];
    x = recon_var_reshape(t, x, (size_t[]){ rows, VIEWS * cols }, 2);
    return recon_var_columns(t, x, which * cols, cols);
}

static recon_var contrast(trainer *k, recon_tape *t, recon_var code)
{
    recon_var a = recon_var_unit(t, view(t, code, 0)), b = recon_var_unit(t, view(t, code, 1));
    a = recon_var_scale(t, 1 / k->o->temperature, a);
    return recon_var_cross_entropy(t, recon_var_linear(t, a, recon_var_whole(t, b), NULL),
                                   k->order);
}

static recon_var pose_term(trainer *k, recon_tape *t, recon_var pose)
{
    recon_var a = recon_var_unit(t, view(t, pose, 0)), b = recon_var_unit(t, view(t, pose, 1));
    if (!b)
        return NULL;
    size_t n = recon_var_shape(b, NULL)[0];
    b = recon_var_reshape(t, b, (size_t[]){ n, 1, 2 }, 3);
    b = recon_var_tensor_product(t, b, k->rotations, k->product);
    return recon_var_cosine_loss(t, a, recon_var_reshape(t, b, (size_t[]){ n, 2 }, 2));
}

/* The likelihood of the rotation that made a view. */
static recon_var density_term(trainer *k, recon_tape *t, recon_var density)
{
    recon_var sharp = recon_var_cross_entropy(t, density, k->applied), all;
    if (!k->blur || !density)
        return sharp;
    all = recon_var_sum(t, recon_var_mul(t, density, k->blurred), 1);
    all = recon_var_sum(t, all, 0);
    return recon_var_add(t, sharp, recon_var_reshape(t, all, (size_t[]){ 1 }, 1));
}

static recon_var loss(void *user, recon_tape *t)
{
    trainer *k = user;
    recon_encoded e = recon_encoder_apply(t, &k->m->encoder,
                                          recon_var_cast(t, k->images, recon_tape_activations(t)));
    recon_var total =
        is_photo(k->o) ? density_term(k, t, e.density)
                       : recon_var_mse(t, recon_ieae_rebuild(t, k->m, e.code, e.pose), k->images);
    if (is_photo(k->o))
        total = recon_var_scale(t, k->o->density, total);
    if (k->o->contrast > 0)
        total = recon_var_blend(t, 1, total, k->o->contrast, contrast(k, t, e.code));
    if (k->o->pose > 0)
        total = recon_var_blend(t, 1, total, k->o->pose, pose_term(k, t, e.pose));
    if (k->o->density > 0 && !is_photo(k->o))
        total = recon_var_blend(t, 1, total, k->o->density, density_term(k, t, e.density));
    return total;
}

/* --- validation ------------------------------------------------------------------------------- */

static recon_status batch_error(trainer *k, recon_tape *t, double *out, const recon_batch *b)
{
    const recon_ieae_shape *s = &k->m->shape;
    recon_encoded e;
    recon_var x;
    RECON_CHECK(recon_tape_begin(t, RECON_INFER, 0));
    if (is_photo(k->o)) /* they are rotated, and so soft already */
        recon_ieae_mask(k->seen, k->m, b->images, b->n);
    else
        recon_ieae_preprocess(k->seen, k->m, b->images, b->n);
    x = recon_var_input(t, k->seen, RECON_F32,
                        (size_t[]){ b->n, s->height, s->width_px, s->channels }, 4);
    e = recon_encoder_apply(t, &k->m->encoder, recon_var_cast(t, x, recon_tape_activations(t)));
    if (e.density) {
        for (size_t i = 0; i < b->n; i++)
            k->given[i] = recon_pose_bin((double)b->angles[i]); /* 0, where it was not rotated */
        x = recon_var_input(t, k->given, RECON_I32, (size_t[]){ b->n }, 1);
        return recon_var_read(t, out, recon_var_cross_entropy(t, e.density, x));
    }
    /* Again: the encoder has used the memory of its input for something else. */
    x = recon_var_input(t, k->seen, RECON_F32,
                        (size_t[]){ b->n, s->height, s->width_px, s->channels }, 4);
    return recon_var_read(t, out, recon_var_mse(t, recon_ieae_rebuild(t, k->m, e.code, e.pose), x));
}

/* In blocks that ranks share out. */
static recon_status mean_error(void *user, recon_tape *t, double *metric)
{
    trainer *k = user;
    recon_loader *loader = NULL;
    recon_batch b;
    double sum = 0, *error = NULL;
    size_t n = recon_dataset_describe(k->held).n;
    recon_loader_options o = { .batch = RECON_BLOCK_VALIDATION,
                               .keep_last = 1,
                               .threads = k->o->threads,
                               .rotate = is_photo(k->o),
                               .mask = k->batches.mask,
                               .regrid = k->o->density > 0 };
    recon_status status;
    size_t room = recon_tape_slice(t).n; /* what fits into memory, and into k->seen */
    o.batch = o.batch < room ? o.batch : room;
    size_t blocks = (n + o.batch - 1) / o.batch;
    recon_share own = recon_comm_own(k->ctx, blocks, 1);
    o.first = own.begin;
    RECON_TRY(recon_alloc(k->ctx, &error, blocks, sizeof *error));
    RECON_TRY(recon_loader_open(k->ctx, &loader, k->held, &o));
    for (size_t i = own.begin; i < own.end; i++) {
        recon_loader_next(&b, loader);
        RECON_TRY(batch_error(k, t, &error[i], &b));
        error[i] *= (double)b.n;
    }
    RECON_TRY(recon_comm_gather(k->ctx, error, blocks, 1, sizeof *error));
    for (size_t i = 0; i < blocks; i++)
        sum += error[i];
    *metric = sum / (double)n;
done:
    free(error);
    recon_loader_close(loader);
    return status;
}

/* --- the run ---------------------------------------------------------------------------------- */

typedef struct {
    recon_settings settings;
    recon_metadata_list list;
} description;

static recon_status describe_settings(const trainer *k, recon_settings *s)
{
    uint32_t from;
    const recon_ieae_options *o = k->o;
    recon_settings_add(s, "preset", "%s", recon_preset_name(o->shape.preset));
    recon_settings_add(s, "images", "%zu", recon_dataset_describe(k->train).n);
    recon_settings_add(s, RECON_SETTING_IDENTITY, RECON_IDENTITY, k->identity);
    recon_recipe_record(s, &recon_ieae_recipe, o);
    recon_settings_add(s, "mask", "%s", k->m->shape.mask ? "yes" : "no");
    recon_settings_add_run(s, k->ctx, o->seed, o->precision);
    if (k->from) {
        RECON_CHECK(recon_fingerprint_weights(k->ctx, &from, k->from->base.params));
        recon_settings_add(s, RECON_RECIPE_FROM, "%" PRIu32, from);
    }
    return RECON_OK;
}

static recon_status describe_run(trainer *k, description *d)
{
    const recon_ieae_shape *s = &k->m->shape;
    const recon_ieae_options *o = k->o;
    *d = (description){ .list = { .n = 0 } };
    RECON_CHECK(describe_settings(k, &d->settings));
    recon_metadata_add(&d->list, "model", "ieae");
    recon_metadata_add(&d->list, RECON_FORMAT_KEY, RECON_FORMAT);
    recon_metadata_add(&d->list, "preset", recon_preset_name(s->preset));
    recon_metadata_add(&d->list, "training", d->settings.text);
    recon_metadata_add_number(&d->list, "width_factor", s->width);
    recon_metadata_add_number(&d->list, "frequencies", (double)s->frequencies);
    recon_metadata_add_number(&d->list, "code", (double)s->code);
    recon_metadata_add_number(&d->list, "mask", s->mask);
    recon_metadata_add_number(&d->list, "density", s->density);
    recon_metadata_add_number(&d->list, "height", (double)s->height);
    recon_metadata_add_number(&d->list, "width", (double)s->width_px);
    recon_metadata_add_number(&d->list, "channels", (double)s->channels);
    if (o->data)
        recon_metadata_add(&d->list, "data", o->data);
    if (o->data && o->rotate)
        recon_metadata_add(&d->list, "rotate", o->rotate);
    if (o->data && recon_images_folder(o->data))
        recon_metadata_add(&d->list, "transparent", RECON_TRANSPARENT);
    if (o->crop)
        recon_metadata_add(&d->list, "crop", "auto");
    if (o->from && recon_utf8_is(o->from))
        recon_metadata_add(&d->list, RECON_RECIPE_FROM, o->from);
    return RECON_OK;
}

static recon_schedule schedule_of(const recon_ieae_options *o, uint64_t epoch, uint64_t steps)
{
    if (o->shape.preset == RECON_PRESET_PAPER)
        return recon_restarts(o->rate, epoch, steps);
    return (recon_schedule){ .kind = RECON_RATE_COSINE,
                             .rate = o->rate,
                             .warmup = steps / 20 < 300 ? steps / 20 : 300,
                             .steps = steps };
}

static recon_adam_options adam_of(const recon_ieae_options *o, size_t n, uint64_t steps)
{
    int few = is_few(o, n) && !is_plain(o);
    return (recon_adam_options){ .clip = 1,
                                 .decay = o->decay,
                                 .average =
                                     few ? fmin(LONGEST, 1 - 10 / fmax((double)steps, 20)) : 0 };
}

static recon_status run(trainer *k, recon_train_result *result, const char *path)
{
    const recon_ieae_options *o = k->o;
    size_t n = recon_dataset_describe(k->train).n;
    uint64_t epoch = n / o->batch, steps = o->epochs * epoch;
    description d;
    RECON_CHECK(describe_run(k, &d));
    const recon_trainee it = { .params = k->m->base.params,
                               .feed = feed,
                               .loss = loss,
                               .validate = mean_error,
                               .user = k,
                               .units = o->batch,
                               .shared = 1,
                               .beside = recon_loader_bytes(k->train, &k->batches),
                               .data = recon_dataset_bytes(k->train),
                               .side = k->m->shape.height < k->m->shape.width_px
                                           ? k->m->shape.width_px
                                           : k->m->shape.height,
                               .remedy = "a smaller {size} or {width} takes less" };
    return recon_train(k->ctx, result, &it,
                       &(recon_train_options){
                           .steps = steps,
                           .epoch = epoch,
                           .every = o->every,
                           .patience = o->patience,
                           .seed = o->seed,
                           .precision = o->precision,
                           .schedule = schedule_of(o, epoch, steps),
                           .adam = adam_of(o, n, steps),
                           .path = path,
                           .metadata = d.list.entry,
                           .n_metadata = d.list.n,
                           .settings = d.settings.text,
                           .resume = o->resume,
                           .overwrite = o->overwrite,
                       });
}

static recon_status make_room(trainer *k)
{
    const recon_ieae_shape *s = &k->m->shape;
    size_t n = k->o->batch, image = s->height * s->width_px * s->channels;
    RECON_CHECK(recon_alloc_raw(k->ctx, &k->seen, VIEWS * n * image, sizeof *k->seen));
    RECON_CHECK(recon_alloc_raw(k->ctx, &k->angles, VIEWS * n, sizeof *k->angles));
    RECON_CHECK(recon_alloc_raw(k->ctx, &k->rotation, 2 * n, sizeof *k->rotation));
    RECON_CHECK(recon_alloc_raw(k->ctx, &k->given, VIEWS * n, sizeof *k->given));
    RECON_CHECK(recon_alloc_raw(k->ctx, &k->places, n, sizeof *k->places));
    if (is_photo(k->o))
        RECON_CHECK(
            recon_alloc_raw(k->ctx, &k->blur, VIEWS * n * RECON_POSE_BINS, sizeof *k->blur));
    return RECON_OK;
}

/* Augmented, every view is warped, moved, blurred and made brighter or darker, the first one too.
 * Photographs are not stretched: that does not rotate them as a whole, but it tilts their horizons
 * by up to 6 degrees, and the density would have to doubt its poses for it. */
static recon_loader_options batches_of(const recon_ieae_options *o)
{
    int all = o->augment > 0, photo = is_photo(o);
    size_t side = o->shape.height < o->shape.width_px ? o->shape.height : o->shape.width_px;
    return (recon_loader_options){ .batch = o->batch,
                                   .shuffle = 1,
                                   .seed = o->seed,
                                   .threads = o->threads,
                                   .views = views_of(o),
                                   .rotate = o->views == RECON_VIEWS_RANDOM,
                                   .shear = photo ? 0 : o->warp,
                                   .scale = o->warp,
                                   .all = all,
                                   .shift = all ? (double)side / (photo ? 8 : 30) : 0,
                                   .flip = o->flip > 0,
                                   .inside = photo,
                                   .gain = all ? 0.2 : 0,
                                   .blur = all ? 0.2 : 0,
                                   .regrid = o->density > 0 };
}

/* Whether images show something at their borders: the share of their squares outside the disc. What
 * is there leaves the frame when an image is rotated, and the cut would give the rotation away. */
static recon_status reach_borders(recon_ctx *ctx, int *out, const recon_dataset *data)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t wide = d.width * d.channels, some = d.n < BORDER_IMAGES ? d.n : BORDER_IMAGES;
    double radius = (double)(d.height < d.width ? d.height : d.width) / 2 - 2, all = 0, outer = 0;
    float *x;
    recon_status status = recon_alloc_raw(ctx, &x, d.height * wide, sizeof *x);
    for (size_t k = 0; status == RECON_OK && k < some; k++) {
        recon_dataset_get(x, data, k * d.n / some);
        for (size_t i = 0; i < d.height * wide; i++) {
            double v = (double)i / (double)wide, h = (double)(i % wide / d.channels);
            double y = floor(v) - (double)(d.height - 1) / 2, w = h - (double)(d.width - 1) / 2;
            double square = (double)x[i] * (double)x[i];
            all += square;
            outer += sqrt(y * y + w * w) > radius ? square : 0;
        }
    }
    *out = outer > BORDER_SHARE * all;
    free(x);
    return status;
}

static int is_blank(const float *x, size_t count, size_t channels)
{
    for (size_t i = channels; i < count; i++)
        if (x[i] != x[i - channels])
            return 0;
    return 1;
}

/* Images of one colour each give an encoder nothing: its codes are zeros. */
static recon_status check_contents(recon_ctx *ctx, const recon_dataset *data)
{
    recon_dataset_info d = recon_dataset_describe(data);
    size_t count = d.height * d.width * d.channels, blank = 0;
    float *x;
    RECON_CHECK(recon_alloc_raw(ctx, &x, count, sizeof *x));
    for (int more = 1; more && blank < d.n; blank += (size_t)more) {
        recon_dataset_get(x, data, blank);
        more = is_blank(x, count, d.channels);
    }
    free(x);
    return blank < d.n ? RECON_OK
                       : recon_fail(ctx, RECON_ERR_INPUT,
                                    "all %zu images are blank: there is nothing to learn", d.n);
}

static recon_status check_options(recon_ctx *ctx, const recon_ieae_options *o)
{
    const char *name = recon_preset_name(o->shape.preset);
    if (is_photo(o) && o->density < 0)
        return recon_fail(
            ctx, RECON_ERR_INPUT,
            "preset %s is trained by its pose density and has no decoder: fast, small "
            "and paper can do without a density",
            name);
    if (!is_photo(o) && o->flip > 0)
        return recon_fail(ctx, RECON_ERR_INPUT, "preset %s is not trained on mirrored images",
                          name);
    if (o->views == RECON_VIEWS_GIVEN && !is_plain(o))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "views given needs plain or preset paper: the other terms compare "
                          "rotations");
    return RECON_OK;
}

recon_status recon_ieae_train(recon_ctx *ctx, recon_train_result *result, const recon_dataset *data,
                              const char *path, const recon_ieae_options *options)
{
    recon_ieae_options o = options ? *options : (recon_ieae_options){ 0 };
    recon_dataset_info d = recon_dataset_describe(data);
    recon_dataset *train = NULL, *held = NULL;
    trainer k = { .ctx = ctx, .o = &o };
    recon_status status;
    o.shape.height = d.height;
    o.shape.width_px = d.width;
    o.shape.channels = d.channels;
    o.crop = o.crop > 0 || data->cropped;
    RECON_TRY(recon_enum_check(ctx, o.views, RECON_VIEWS_GIVEN, "kind of views"));
    RECON_TRY(recon_run_begin(ctx, &o.epochs, path, o.resume, o.overwrite));
    RECON_TRY(check_contents(ctx, data));
    RECON_TRY(recon_identity(ctx, &k.identity, recon_dataset_data(data), 0));
    if (o.from) {
        RECON_TRY(recon_ieae_open(ctx, &k.from, o.from, o.precision));
        RECON_TRY(recon_ieae_follow(ctx, &o, k.from, o.shape.preset ? (int)o.shape.preset : -1));
    }
    RECON_TRY(recon_encoder_shape(ctx, &o.shape));
    RECON_TRY(recon_dataset_split(ctx, &train, &held, data, RECON_HELD_OUT, 0));
    set_defaults(&o, recon_dataset_describe(train).n);
    RECON_TRY(check_options(ctx, &o));
    RECON_TRY(recon_run_fills(ctx, recon_dataset_describe(train).n, o.batch, "image"));
    if (recon_dataset_is_cut(data))
        o.shape.mask = RECON_MASK_DISC;
    else if (!o.shape.mask && o.density > 0) {
        RECON_TRY(reach_borders(ctx, &o.shape.mask, train));
        o.shape.mask *= RECON_MASK_DISC;
    }
    RECON_TRY(recon_ieae_make(ctx, &k.m, &o.shape, o.precision, NULL, NULL, o.seed));
    if (k.from)
        RECON_TRY(recon_ieae_take(ctx, k.m, k.from));
    k.train = train;
    k.held = held;
    k.batches = batches_of(&o);
    /* Moved or made smaller, a view shows where its picture ends: a disc, however that is
     * rotated. */
    k.batches.mask = recon_dataset_is_cut(data) ? k.m->mask : NULL;
    RECON_TRY(make_room(&k));
    RECON_TRY(run(&k, result, path));
done:
    recon_loader_close(k.loader);
    recon_free_all(k.seen, k.rotation, k.angles, k.given, k.places, k.blur);
    recon_ieae_close(ctx, k.m);
    recon_ieae_close(ctx, k.from);
    recon_dataset_close(held);
    recon_dataset_close(train);
    return status;
}

/* --- again, on other images, as the model's file says ----------------------------------------- */

recon_status recon_ieae_refit(recon_ctx *ctx, const char *path, const recon_backbone *backbone,
                              const recon_safetensors *file, const recon_data *data,
                              recon_precision precision)
{
    const recon_dataset *images = recon_data_images(data);
    recon_train_result result;
    recon_ieae_options o = { .shape = recon_ieae_describe((const recon_ieae *)backbone),
                             .seed = recon_recipe_size(file, "seed"),
                             .from = recon_recipe_from(file),
                             .precision = precision,
                             .overwrite = 1 };
    recon_recipe_read(&o, &recon_ieae_recipe, file);
    o.epochs = recon_recipe_short(file);
    o.batch = recon_recipe_batch(file, recon_dataset_describe(images).n);
    return recon_ieae_train(ctx, &result, images, path, &o);
}

/* --- by name ---------------------------------------------------------------------------------- */

static recon_status options_of(recon_ctx *ctx, recon_ieae_options *o, const recon_training *t)
{
    *o = (recon_ieae_options){ .seed = t->seed,
                               .every = t->every,
                               .patience = t->patience,
                               .threads = t->threads,
                               .precision = t->precision,
                               .resume = t->resume,
                               .overwrite = t->overwrite,
                               .from = t->from,
                               .crop = t->crop,
                               .data = t->data,
                               .rotate = t->rotate };
    if (t->held)
        return recon_fail(ctx, RECON_ERR_INPUT, "held is for molecules");
    if (t->preset || !t->from)
        RECON_CHECK(recon_training_preset(ctx, &o->shape.preset, t));
    RECON_CHECK(recon_recipe_apply(ctx, o, &recon_ieae_recipe, t, "images"));
    if (o->shape.mask)
        o->shape.mask = RECON_MASK_DISC;
    return RECON_OK;
}

recon_status recon_ieae_complete(recon_ctx *ctx, recon_training *t, recon_data_options *as)
{
    recon_ieae_options o;
    recon_ieae *from = NULL;
    recon_status status;
    RECON_TRY(options_of(ctx, &o, t));
    if (t->from) {
        RECON_TRY(recon_ieae_open(ctx, &from, t->from, t->precision));
        RECON_TRY(recon_ieae_follow(ctx, &o, from, t->preset ? (int)o.shape.preset : -1));
        recon_backbone_data_options(&from->base, as);
    }
    if (as && !as->size)
        as->size = RECON_SIZE_AUTO;
    if (as && !t->from && !is_photo(&o))
        as->crop = RECON_CROP_OPEN;
    t->preset = recon_preset_name(o.shape.preset);
    set_defaults(&o, FEW); /* or more: which terms there are does not depend on it */
    RECON_TRY(check_options(ctx, &o));
done:
    recon_ieae_close(ctx, from);
    return status;
}

recon_status recon_ieae_train_kind(recon_ctx *ctx, recon_train_result *result,
                                   const recon_data *data, const char *path,
                                   const recon_training *t)
{
    recon_ieae_options o;
    RECON_CHECK(options_of(ctx, &o, t));
    return recon_ieae_train(ctx, result, recon_data_images(data), path, &o);
}
