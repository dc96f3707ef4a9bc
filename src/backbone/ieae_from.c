/* ieae_from.c - training from another model: its settings and its weights. */
#include "backbone/ieae.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "nn/params.h"

static recon_status check_numbers(recon_ctx *ctx, const recon_ieae_shape *asked,
                                  const recon_ieae_shape *has, const char *path)
{
    const struct {
        const char *what;
        double asked, has;
    } number[] = {
        { "width", asked->width, has->width },
        { "number of frequencies", (double)asked->frequencies, (double)has->frequencies },
        { "code", (double)asked->code, (double)has->code },
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].asked != 0 && number[i].asked != number[i].has)
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: its %s is %.9g, but %.9g was asked for",
                              path, number[i].what, number[i].has, number[i].asked);
    return RECON_OK;
}

static recon_status check(recon_ctx *ctx, const recon_ieae_options *o, const recon_ieae_shape *has,
                          int preset)
{
    if (preset >= 0 && preset != (int)has->preset)
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: its preset is %s, but %s was asked for",
                          o->from, recon_preset_name(has->preset),
                          recon_preset_name((recon_preset)preset));
    if (has->density ? o->density < 0 : o->density > 0)
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: it has %s pose density, and so must what is "
                          "trained from it",
                          o->from, has->density ? "a" : "no");
    if (o->shape.channels && o->shape.channels != has->channels)
        return recon_fail(
            ctx, RECON_ERR_MISMATCH,
            "%s: its number of channels is %zu, but these images have %zu (grey 1, colour 3): convert "
            "them, or train without it",
            o->from, has->channels, o->shape.channels);
    return check_numbers(ctx, &o->shape, has, o->from);
}

recon_status recon_ieae_follow(recon_ctx *ctx, recon_ieae_options *o, const recon_ieae *from,
                               int preset)
{
    const recon_ieae_shape asked = o->shape;
    RECON_CHECK(check(ctx, o, &from->shape, preset));
    o->shape = from->shape;
    o->shape.height = asked.height;
    o->shape.width_px = asked.width_px;
    o->shape.channels = asked.channels;
    o->shape.mask |= asked.mask; /* no weight depends on it */
    if (o->density == 0)         /* a preset's own weight may be none */
        o->density = from->shape.density ? 1 : -1;
    return RECON_OK;
}

recon_status recon_ieae_take(recon_ctx *ctx, recon_ieae *m, const recon_ieae *from)
{
    const recon_ieae_shape *to = &m->shape, *has = &from->shape;
    int same = to->height == has->height && to->width_px == has->width_px;
    if (m->encoder.is_photo) {
        if (m->encoder.photo.stems != from->encoder.photo.stems)
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "images of %zu x %zu, but the model to start from was made for %zu x "
                              "%zu, and halves its images another number of times: preset %s "
                              "starts from a model of about the same size ({size=%zu})",
                              to->height, to->width_px, has->height, has->width_px,
                              recon_preset_name(to->preset), has->height);
        return recon_params_copy(ctx, m->base.params, from->base.params, "");
    }
    if (!same)
        recon_log(
            ctx, RECON_LOG_INFO,
            "images of %zu x %zu, but the model to start from was made for %zu x %zu: only its "
            "encoder is used",
            to->height, to->width_px, has->height, has->width_px);
    return recon_params_copy(ctx, m->base.params, from->base.params, same ? "" : "encoder.");
}
