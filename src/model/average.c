/* average.c - a frozen model's answers, averaged over the natural poses that an input may have. */
#include <recon/model/canonicalize.h>
#include "backbone/kinds.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/image.h"
#include "model/model.h"

#include <math.h>

enum { BLOCK = RECON_BLOCK_AVERAGE, NUMBERS = 1 << 24 /* of the frames of a block of images */ };

/* All candidates of a block of images, one behind the other. */
typedef struct {
    recon_candidates *lists; /* [block]                 */
    size_t *from;            /* [all] whose they are     */
    double *weight, *angle;  /* [all]                    */
    double *answers;         /* [all][outputs]           */
    float *images;           /* [all][pixels]            */
    size_t count;
} frames;

typedef struct {
    const recon_model *model;
    recon_image_size size;
    recon_canonicalize_options options;
    recon_answer *answer;
    void *user;
    size_t outputs;
} averaging;

/* Images whose frames are made at a time: few, where they are large. */
static size_t block_of(size_t n, size_t pixels)
{
    size_t most = NUMBERS / (pixels * RECON_MODES_MAX);
    most = most < 1 ? 1 : most > BLOCK ? BLOCK : most;
    return n < most ? n : most;
}

static recon_status frames_new(recon_ctx *ctx, frames *f, size_t block, size_t pixels,
                               size_t outputs)
{
    size_t all = block * RECON_MODES_MAX;
    *f = (frames){ .count = 0 };
    RECON_CHECK(recon_alloc_raw(ctx, &f->lists, block, sizeof *f->lists));
    RECON_CHECK(recon_alloc_raw(ctx, &f->from, all, sizeof *f->from));
    RECON_CHECK(recon_alloc_raw(ctx, &f->weight, all, sizeof *f->weight));
    RECON_CHECK(recon_alloc_raw(ctx, &f->angle, all, sizeof *f->angle));
    RECON_CHECK(recon_alloc_raw(ctx, &f->answers, all * outputs, sizeof *f->answers));
    return recon_alloc_raw(ctx, &f->images, all * pixels, sizeof *f->images);
}

static void frames_free(frames *f)
{
    recon_free_all(f->lists, f->from, f->weight, f->angle, f->answers, f->images);
}

static void gather(frames *f, size_t n)
{
    f->count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < f->lists[i].count; j++) {
            f->from[f->count] = i;
            f->weight[f->count] = f->lists[i].weight[j];
            f->angle[f->count++] = f->lists[i].pose[j].rotation[0];
        }
}

static void add_up(double *out, const frames *f, size_t n, size_t outputs)
{
    for (size_t i = 0; i < n * outputs; i++)
        out[i] = 0;
    for (size_t k = 0; k < f->count; k++)
        for (size_t o = 0; o < outputs; o++)
            out[f->from[k] * outputs + o] += f->weight[k] * f->answers[k * outputs + o];
}

/* first: the number of the block's first image. */
static recon_status check_answers(recon_ctx *ctx, const frames *f, size_t outputs, size_t first)
{
    for (size_t i = 0; i < f->count * outputs; i++)
        if (!isfinite(f->answers[i]))
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "the frozen model's output %zu for image %zu is %g", i % outputs,
                              first + f->from[i / outputs], f->answers[i]);
    return RECON_OK;
}

/* Of n images, from the first on. */
static recon_status average(recon_ctx *ctx, double *out, frames *f, const averaging *a,
                            const float *in, size_t first, size_t n)
{
    RECON_CHECK(recon_candidates_list(ctx, f->lists, a->model, in, n, &a->options));
    gather(f, n);
    RECON_CHECK(recon_images_rotate(ctx, f->images, in, f->from, f->angle, f->count, &a->size,
                                    a->options.interpolation, a->options.edge));
    RECON_CHECK(a->answer(ctx, a->user, f->answers, f->images, f->count));
    RECON_CHECK(check_answers(ctx, f, a->outputs, first));
    add_up(out, f, n, a->outputs);
    return RECON_OK;
}

recon_status recon_average_images(recon_ctx *ctx, double *out, recon_pose *poses,
                                  const recon_model *model, const float *images, size_t n,
                                  recon_answer *answer, void *user, size_t outputs,
                                  const recon_canonicalize_options *options)
{
    recon_ieae_shape s = recon_model_describe(model).images;
    averaging a = { .model = model,
                    .size = { s.height, s.width_px, s.channels },
                    .answer = answer,
                    .user = user,
                    .outputs = outputs };
    size_t pixels = s.height * s.width_px * s.channels;
    size_t block = 0;
    const recon_backbone *b = model->backbone;
    frames f = { .count = 0 };
    recon_status status;
    RECON_TRY(recon_canonicalize_check(ctx, options));
    if (options)
        a.options = *options;
    if (!recon_backbone_ieae(b))
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT,
                             "averages are for models of `{recon.train()}` on images"));
    RECON_TRY(b->kind->check(ctx, b, images, n)); /* here, where i is the caller's */
    block = block_of(n, pixels);
    RECON_TRY(frames_new(ctx, &f, block, pixels, outputs));
    for (size_t at = 0; at < n; at += block) {
        size_t some = n - at < block ? n - at : block;
        RECON_TRY(average(ctx, out + at * outputs, &f, &a, images + at * pixels, at, some));
        for (size_t i = 0; poses && i < some; i++)
            poses[at + i] = f.lists[i].pose[0];
    }
done:
    frames_free(&f);
    return status;
}
