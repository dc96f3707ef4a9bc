/* rival.c - the networks of rival.h, their files and their answers. */
#include "lab/rival_net.h"
#include "backbone/metadata.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/params.h"

#include <math.h>
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
    recon_status status;
    RECON_TRY(recon_encoder_shape(ctx, &shape));
    RECON_TRY(recon_encoder_add(ctx, &r->net.steerable.encoder, r->params, "encoder", &shape));
done:
    return status;
}

static recon_status add_escnn(recon_ctx *ctx, rival *r)
{
    const size_t sizes[] = { CODE, HIDDEN, r->info.classes };
    recon_status status;
    RECON_TRY(add_encoder(ctx, r));
    RECON_TRY(recon_mlp_add(ctx, &r->net.steerable.head, r->params, "head", sizes, 3, 0));
done:
    return status;
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

/* Images that are upright are sharper than any that was rotated: those that see them upright see them
 * resampled (regrid). */
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
    recon_status status = recon_alloc(ctx, &r->mask, h * w, sizeof *r->mask);
    for (size_t i = 0; status == RECON_OK && i < h * w; i++) {
        double y = (double)(i / w) + 0.5 - 0.5 * (double)h,
               x = (double)(i % w) + 0.5 - 0.5 * (double)w;
        r->mask[i] = (float)fmin(1, fmax(0, (radius - sqrt(x * x + y * y)) / FADE));
    }
    return status;
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
    free(r->mask);
    free(r);
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
    recon_status status;
    if (!recon_metadata_is(file, "rival") || !name)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: not a network of `recon reproduce --baselines`", path);
    while (kind < RIVAL_KINDS && strcmp(name, rival_nets[kind].name))
        kind++;
    if (kind == RIVAL_KINDS)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: no rival is called '%.40s'", path, name);
    out->kind = (rival_kind)kind;
    RECON_TRY(recon_metadata_size(ctx, &out->height, file, "height", 1, MAX_SIDE, path));
    RECON_TRY(recon_metadata_size(ctx, &out->width, file, "width", 1, MAX_SIDE, path));
    RECON_TRY(recon_metadata_size(ctx, &out->channels, file, "channels", 1, MAX_SIDE, path));
    RECON_TRY(recon_metadata_size(ctx, &out->classes, file, "classes", 1, MAX_CLASSES, path));
done:
    return status;
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
