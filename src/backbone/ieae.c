/* ieae.c - the image autoencoder: made, opened, used. Training is in ieae_train.c. */
#include "backbone/ieae.h"
#include "backbone/recipe.h"
#include "backbone/kinds.h"
#include "backbone/metadata.h"
#include "core/blocks.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "data/image.h"
#include "data/formats.h"
#include "nn/params.h"
#include "ops/ops.h"

#include <math.h>
#include <recon/core/version.h>
#include <stdlib.h>
#include <string.h>

/* Images at once: as many as a CPU's caches like, or as fill a GPU. */
enum {
    BATCH_HOST = RECON_BLOCK_IMAGES,
    BATCH_DEVICE = 1024,
    MAX_SIDE = 1 << 10,
    MAX_CHANNELS = 16
};
enum { MOST = 1 << 20 }; /* of any size in a file, before it is looked at */
enum { PHOTO_SIDE = 48 };
#define SOFT_EDGE 1.0 /* pixels over which the disc fades */
#define WIDE_EDGE 2.0

/* --- made ------------------------------------------------------------------------------------- */

/* A disc that fades to zero over SOFT_EDGE pixels, in front of the circle that touches the borders:
 * whatever rotates with an image must not show where its frame was, or a network reads the rotation
 * from that. RECON_MASK_WIDE fades beyond that circle, and models were trained so. */
static double mask_at(int mask, double outside)
{
    double in = -outside / SOFT_EDGE;
    if (mask == RECON_MASK_WIDE)
        return outside <= 0 ? 1 : exp(-outside * outside / (WIDE_EDGE * WIDE_EDGE));
    return in >= 1 ? 1 : in <= 0 ? 0 : in * in * (3 - 2 * in);
}

static recon_status make_mask(recon_ctx *ctx, recon_ieae *m)
{
    size_t h = m->shape.height, w = m->shape.width_px;
    double radius = (double)((h < w ? h : w) - 1) / 2;
    RECON_CHECK(recon_alloc(ctx, &m->mask, h * w, sizeof *m->mask));
    for (size_t i = 0; i < h * w; i++) {
        double y = (double)(i / w) - (double)(h - 1) / 2, x = (double)(i % w) - (double)(w - 1) / 2;
        m->mask[i] = (float)mask_at(m->shape.mask, sqrt(x * x + y * y) - radius);
    }
    return RECON_OK;
}

/* What may be trained may be opened. */
static recon_status check_size(recon_ctx *ctx, const recon_ieae_shape *s)
{
    if (s->height > MAX_SIDE || s->width_px > MAX_SIDE || s->channels > MAX_CHANNELS)
        return recon_fail(ctx, RECON_ERR_INPUT, "images of %zu x %zu x %zu: at most %d x %d x %d",
                          s->height, s->width_px, s->channels, MAX_SIDE, MAX_SIDE, MAX_CHANNELS);
    return RECON_OK;
}

recon_status recon_ieae_make(recon_ctx *ctx, recon_ieae **out, const recon_ieae_shape *shape,
                             recon_precision precision, const recon_safetensors *file,
                             const char *path, uint64_t seed)
{
    recon_ieae *m;
    recon_status status;
    *out = NULL;
    RECON_CHECK(recon_alloc(ctx, &m, 1, sizeof *m));
    m->shape = *shape;
    RECON_TRY(recon_encoder_shape(ctx, &m->shape));
    RECON_TRY(check_size(ctx, &m->shape));
    m->base = (recon_backbone){ .kind = &recon_ieae_kind,
                                .code = m->shape.code,
                                .density = m->shape.density };
    RECON_TRY(recon_params_new(ctx, &m->base.params, precision));
    recon_params_expect(m->base.params, file, path, 0);
    RECON_TRY(recon_encoder_add(ctx, &m->encoder, m->base.params, "encoder", &m->shape));
    m->turns = m->encoder.is_photo ? RECON_QUARTERS : 1;
    if (!m->encoder.is_photo)
        RECON_TRY(recon_decoder_add(ctx, &m->decoder, m->base.params, "decoder", &m->shape));
    RECON_TRY(recon_params_make(ctx, m->base.params, seed));
    if (m->shape.mask)
        RECON_TRY(make_mask(ctx, m));
    *out = m;
done:
    if (status != RECON_OK)
        recon_ieae_close(ctx, m);
    return status;
}

void recon_ieae_close(recon_ctx *ctx, recon_ieae *m)
{
    if (!m)
        return;
    recon_params_free(ctx, m->base.params);
    recon_free_all(m->mask, m);
}

recon_ieae_shape recon_ieae_describe(const recon_ieae *m)
{
    return m->shape;
}

void recon_ieae_preprocess_once(recon_ieae *m)
{
    m->turns = 1;
}

/* --- opened ----------------------------------------------------------------------------------- */

static recon_status read_shape(recon_ctx *ctx, recon_ieae_shape *s, const recon_safetensors *file,
                               const char *path)
{
    size_t mask, density;
    RECON_CHECK(recon_metadata_preset(ctx, &s->preset, file, path));
    RECON_CHECK(recon_metadata_number(ctx, &s->width, file, "width_factor", 0, 64, path));
    RECON_CHECK(
        recon_metadata_size(ctx, &s->frequencies, file, "frequencies", 1, RECON_FREQUENCIES, path));
    RECON_CHECK(recon_metadata_size(ctx, &s->code, file, "code", 1, MOST, path));
    RECON_CHECK(recon_metadata_size(ctx, &mask, file, "mask", 0, RECON_MASK_DISC, path));
    if (!recon_safetensors_metadata(file, "density"))
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: recon 0.2.0 and earlier open this model of images, and this is "
                          "recon %s: train it again, or use that version",
                          path, recon_version());
    RECON_CHECK(recon_metadata_size(ctx, &density, file, "density", 0, 1, path));
    RECON_CHECK(recon_metadata_size(ctx, &s->height, file, "height", 1, MOST, path));
    RECON_CHECK(recon_metadata_size(ctx, &s->width_px, file, "width", 1, MOST, path));
    RECON_CHECK(recon_metadata_size(ctx, &s->channels, file, "channels", 1, MOST, path));
    s->mask = (int)mask;
    s->density = (int)density;
    return RECON_OK;
}

static recon_status open_file(recon_ctx *ctx, recon_backbone **out, const recon_safetensors *file,
                              const char *path, recon_precision precision)
{
    recon_ieae_shape shape = { 0 };
    recon_ieae *m = NULL;
    recon_status status;
    RECON_TRY(read_shape(ctx, &shape, file, path));
    RECON_TRY(recon_ieae_make(ctx, &m, &shape, precision, file, path, 0));
    RECON_TRY(recon_encoder_freeze(ctx, &m->encoder));
    m->crop = recon_safetensors_metadata(file, "crop") != NULL;
    *out = &m->base;
done:
    if (status != RECON_OK)
        recon_ieae_close(ctx, m);
    return status;
}

recon_status recon_ieae_open(recon_ctx *ctx, recon_ieae **out, const char *path,
                             recon_precision precision)
{
    recon_backbone *b;
    recon_status status = recon_backbone_open(ctx, &b, path, precision);
    *out = status == RECON_OK ? recon_backbone_ieae(b) : NULL;
    if (status == RECON_OK && !*out) {
        status = recon_fail(ctx, RECON_ERR_FORMAT, "%s: a model of %s, not of images", path,
                            b->kind->data);
        recon_backbone_close(ctx, b);
    }
    return status;
}

/* --- used ------------------------------------------------------------------------------------- */

void recon_ieae_mask(float *out, const recon_ieae *m, const float *in, size_t n)
{
    size_t c = m->shape.channels, pixels = m->shape.height * m->shape.width_px;
    if (!m->mask) {
        if (out != in)
            memcpy(out, in, n * pixels * c * sizeof *out);
        return;
    }
    for (size_t i = 0; i < n * pixels; i++)
        for (size_t k = 0; k < c; k++)
            out[i * c + k] = in[i * c + k] * m->mask[i % pixels];
}

/* n pixels, `step` apart; out may be in. */
static void soften(float *out, const float *in, size_t n, size_t step)
{
    float before = 0, here = in[0];
    for (size_t i = 0; i < n; i++) {
        float after = i + 1 < n ? in[(i + 1) * step] : 0;
        out[i * step] = 0.75f * here + 0.125f * (before + after);
        before = here;
        here = after;
    }
}

void recon_ieae_preprocess(float *out, const recon_ieae *m, const float *in, size_t n)
{
    size_t c = m->shape.channels, wide = m->shape.width_px * c, size = m->shape.height * wide;
    if (m->encoder.is_photo)
        recon_quarters_soften(out, in, n, m->shape.height, c);
    for (size_t i = 0; !m->encoder.is_photo && i < n; i++) {
        float *image = out + i * size;
        for (size_t row = 0; row < m->shape.height; row++)
            for (size_t k = 0; k < c; k++)
                soften(image + row * wide + k, in + i * size + row * wide + k, m->shape.width_px,
                       c);
        for (size_t column = 0; column < wide; column++)
            soften(image + column, image + column, m->shape.height, wide);
    }
    recon_ieae_mask(out, m, out, n);
}

recon_var recon_ieae_rebuild(recon_tape *t, const recon_ieae *m, recon_var code, recon_var pose)
{
    recon_var image = recon_decoder_apply(t, &m->decoder, code);
    return recon_var_rotate(t, image, recon_var_angle(t, pose));
}

static size_t batch_for(recon_ctx *ctx)
{
    return recon_ops_on_host(ctx) == recon_ops_of(ctx) ? BATCH_HOST : BATCH_DEVICE;
}

/* Images whose passes take no more memory than a batch of PHOTO_SIDE pixels a side. */
static size_t photos_for(recon_ctx *ctx, const recon_ieae *m)
{
    size_t usual = (size_t)PHOTO_SIDE * PHOTO_SIDE, pixels = m->shape.height * m->shape.width_px;
    size_t passes = batch_for(ctx) * usual / (pixels > usual ? pixels : usual);
    return passes > (size_t)m->turns ? passes / (size_t)m->turns : 1;
}

typedef struct {
    recon_tape *tape;
    size_t batch, turns;
    float *seen;       /* [turns][batch][pixels], with a mask */
    double *z, *v, *q; /* [turns][batch][code], [2], [bins] */
} scratch;

static recon_status scratch_new(recon_ctx *ctx, scratch *s, const recon_ieae *m)
{
    size_t image = m->shape.height * m->shape.width_px * m->shape.channels;
    *s = (scratch){ .batch = m->encoder.is_photo ? photos_for(ctx, m) : batch_for(ctx),
                    .turns = (size_t)m->turns };
    size_t rows = s->batch * s->turns;
    RECON_CHECK(recon_tape_new(ctx, &s->tape, m->base.params->precision, 0));
    RECON_CHECK(recon_alloc_raw(ctx, &s->seen, rows * image, sizeof *s->seen));
    RECON_CHECK(recon_alloc_raw(ctx, &s->z, rows * m->shape.code, sizeof *s->z));
    RECON_CHECK(recon_alloc_raw(ctx, &s->v, rows * 2, sizeof *s->v));
    return recon_alloc_raw(ctx, &s->q, rows * RECON_POSE_BINS, sizeof *s->q);
}

static void scratch_free(scratch *s)
{
    recon_tape_free(s->tape);
    recon_free_all(s->seen, s->z, s->v, s->q);
}

static recon_status read_poses(scratch *s, double *out, recon_var v, size_t n)
{
    RECON_CHECK(recon_var_read(s->tape, s->v, v));
    if (s->turns > 1)
        recon_quarters_join_pose(s->v, n);
    for (size_t i = 0; i < n; i++)
        out[i] = atan2(s->v[2 * i + 1], s->v[2 * i]);
    return RECON_OK;
}

static recon_status read_densities(scratch *s, float *out, recon_var logits, size_t n)
{
    RECON_CHECK(recon_var_read(s->tape, s->q, logits));
    if (s->turns > 1)
        recon_quarters_join_density(s->q, n);
    recon_pose_densities(out, s->q, n);
    return RECON_OK;
}

/* Weights that are finite may still make numbers that are not. */
static int is_finite(const recon_seen *s, size_t code, size_t i)
{
    int good = !s->psi || isfinite(s->psi[i]);
    for (size_t c = 0; s->z && c < code; c++)
        good = good && isfinite(s->z[i * code + c]);
    for (size_t b = 0; s->density && b < RECON_POSE_BINS; b++)
        good = good && isfinite(s->density[i * RECON_POSE_BINS + b]);
    return good;
}

static recon_status check_finite(recon_ctx *ctx, const recon_seen *s, size_t code, size_t first,
                                 size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_finite(s, code, i))
            return recon_fail(
                ctx, RECON_ERR_NUMERIC,
                "image %zu: the network's answer is not a finite number: a damaged model?",
                first + i);
    return RECON_OK;
}

/* first: the number of the first image, for messages. */
static recon_status embed_batch(recon_ctx *ctx, scratch *s, const recon_seen *out,
                                const recon_ieae *m, const float *images, size_t first, size_t n)
{
    const recon_ieae_shape *h = &m->shape;
    recon_encoded e;
    recon_var x;
    recon_ieae_preprocess(s->seen, m, images, n);
    if (s->turns > 1)
        recon_quarters_make(s->seen, s->seen, n, h->height, h->channels);
    RECON_CHECK(recon_tape_begin(s->tape, RECON_INFER, 0));
    x = recon_var_input(s->tape, s->seen, RECON_F32,
                        (size_t[]){ s->turns * n, h->height, h->width_px, h->channels }, 4);
    e = recon_encoder_apply(s->tape, &m->encoder,
                            recon_var_cast(s->tape, x, recon_tape_activations(s->tape)));
    if (out->z)
        RECON_CHECK(recon_var_read(s->tape, s->z, e.code));
    if (out->z && s->turns > 1)
        recon_quarters_join_code(s->z, n, h->code);
    for (size_t i = 0; out->z && i < n * h->code; i++)
        out->z[i] = (float)s->z[i];
    if (out->psi)
        RECON_CHECK(read_poses(s, out->psi, e.pose, n));
    if (out->density)
        RECON_CHECK(read_densities(s, out->density, e.density, n));
    return check_finite(ctx, out, h->code, first, n);
}

/* Behind the first `at` inputs; density only where the model has one. */
static recon_seen behind(const recon_seen *s, const recon_ieae_shape *h, size_t at)
{
    return (recon_seen){
        .z = s->z ? s->z + at * h->code : NULL,
        .psi = s->psi ? s->psi + at : NULL,
        .density = s->density && h->density ? s->density + at * RECON_POSE_BINS : NULL,
    };
}

recon_status recon_ieae_embed(recon_ctx *ctx, const recon_seen *out, const recon_ieae *m,
                              const float *images, size_t n)
{
    size_t image = m->shape.height * m->shape.width_px * m->shape.channels;
    scratch s;
    recon_status status;
    RECON_TRY(scratch_new(ctx, &s, m));
    for (size_t at = 0; at < n; at += s.batch) {
        recon_seen some = behind(out, &m->shape, at);
        RECON_TRY(embed_batch(ctx, &s, &some, m, images + at * image, at,
                              n - at < s.batch ? n - at : s.batch));
        RECON_TRY(recon_interrupted(ctx));
    }
done:
    scratch_free(&s);
    return status;
}

recon_status recon_ieae_decode(recon_ctx *ctx, float *out, const recon_ieae *m, const float *z,
                               size_t n)
{
    size_t image = m->shape.height * m->shape.width_px * m->shape.channels, code = m->shape.code;
    double *read = NULL;
    recon_tape *t = NULL;
    size_t batch = batch_for(ctx);
    recon_status status;
    if (m->encoder.is_photo)
        return recon_fail(ctx, RECON_ERR_INPUT, "preset %s has no decoder",
                          recon_preset_name(m->shape.preset));
    RECON_TRY(recon_tape_new(ctx, &t, m->base.params->precision, 0));
    RECON_TRY(recon_alloc_raw(ctx, &read, batch * image, sizeof *read));
    for (size_t at = 0; at < n; at += batch) {
        size_t part = n - at < batch ? n - at : batch;
        RECON_TRY(recon_tape_begin(t, RECON_INFER, 0));
        recon_var x = recon_var_input(t, z + at * code, RECON_F32, (size_t[]){ part, code }, 2);
        RECON_TRY(recon_var_read(t, read, recon_decoder_apply(t, &m->decoder, x)));
        for (size_t i = 0; i < part * image; i++)
            out[at * image + i] = (float)read[i];
    }
done:
    recon_tape_free(t);
    free(read);
    return status;
}

/* --- as one kind among others ----------------------------------------------------------------- */

recon_ieae *recon_backbone_ieae(const recon_backbone *b)
{
    return b->kind == &recon_ieae_kind ? (recon_ieae *)b : NULL;
}

static const recon_ieae *of(const recon_backbone *b)
{
    return (const recon_ieae *)b;
}

static void close_backbone(recon_ctx *ctx, recon_backbone *b)
{
    recon_ieae_close(ctx, (recon_ieae *)b);
}

static recon_status embed(recon_ctx *ctx, const recon_seen *out, const recon_backbone *b,
                          const void *inputs, size_t n)
{
    return recon_ieae_embed(ctx, out, of(b), inputs, n);
}

static recon_status rotate(recon_ctx *ctx, void *out, const recon_backbone *b, const void *inputs,
                           const double *g, size_t n, recon_interpolation interpolation)
{
    const recon_ieae_shape *s = &of(b)->shape;
    return recon_images_rotate(ctx, out, inputs, NULL, g, n,
                               &(recon_image_size){ s->height, s->width_px, s->channels },
                               interpolation, 0);
}

/* Pictures are fitted into squares, with the model's channels; what a model of other images needs, its
 * data must have. */
static void data_options(const recon_backbone *b, recon_data_options *o)
{
    const recon_ieae_shape *s = &of(b)->shape;
    o->crop |= of(b)->crop;
    if (!o->size && s->height == s->width_px)
        o->size = s->height;
    o->channels = s->channels;
}

static recon_status fits(recon_ctx *ctx, const recon_backbone *b, const recon_data *data)
{
    const recon_ieae_shape *s = &of(b)->shape;
    const recon_dataset *images = recon_data_images(data);
    if (!images)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "images of an application's own kind cannot be checked: "
                          "use recon_dataset");
    recon_dataset_info d = recon_dataset_describe(images);
    if (d.height != s->height || d.width != s->width_px || d.channels != s->channels)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "images of %zu x %zu x %zu, but the model was made for %zu x %zu x %zu",
                          d.height, d.width, d.channels, s->height, s->width_px, s->channels);
    return RECON_OK;
}

static recon_status check_pixels(recon_ctx *ctx, const recon_backbone *b, const void *inputs,
                                 size_t n)
{
    const recon_ieae_shape *s = &of(b)->shape;
    const float *pixel = inputs;
    size_t pixels = s->height * s->width_px * s->channels;
    for (size_t i = 0; i < n * pixels; i++)
        if (!recon_pixel_fits(pixel[i]))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "pixel %zu of image %zu is %g: " RECON_PIXEL_RULE, i % pixels,
                              i / pixels, (double)pixel[i]);
    return RECON_OK;
}

const recon_backbone_kind recon_ieae_kind = {
    .name = "ieae",
    .data = "images",
    .group = RECON_SO2,
    .k = 10,
    .pool = 50,
    .open = open_file,
    .close = close_backbone,
    .embed = embed,
    .rotate = rotate,
    .data_options = data_options,
    .fits = fits,
    .check = check_pixels,
    .recipe = &recon_ieae_recipe,
    .prepare = recon_ieae_complete,
    .train = recon_ieae_train_kind,
    .refit = recon_ieae_refit,
};
