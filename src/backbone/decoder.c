/* decoder.c - two decoders from a code to an image.
 *
 * Ours maps the code linearly to an image of half the size and doubles it twice between
 * convolutions. The paper's starts with the code on 2 x 2 pixels, doubles four times, to the next
 * multiple of 16 pixels, and cuts the image out of the middle (28 of 32), with dropout of whole
 * channels in between. */
#include "backbone/ieae.h"
#include "core/fail.h"

#include <stdio.h>

typedef struct {
    size_t outputs, size; /* 0 outputs: the image's channels */
    int last;
    size_t grow; /* in front of it the image becomes this fraction of the whole: 1/grow; 0: stays */
} stage;

/* fast and small begin with as many channels as come out of the first, on H/4 x W/4 pixels. */
static const stage fast[] = {
    { 64, 3, 0, 0 }, { 64, 3, 0, 2 }, { 64, 3, 0, 0 }, { 32, 3, 0, 1 }, { 0, 3, 1, 0 }
};
static const stage small[] = {
    { 32, 3, 0, 0 }, { 32, 3, 0, 2 }, { 32, 3, 0, 0 }, { 16, 3, 0, 1 }, { 0, 3, 1, 0 }
};
static const stage papers[] = { { 128, 1, 0, 0 }, { 128, 3, 0, 8 }, { 128, 3, 0, 4 },
                                { 128, 5, 0, 2 }, { 128, 5, 0, 1 }, { 0, 1, 1, 0 } };
static const stage *const stages[] = {
    [RECON_PRESET_FAST] = fast, [RECON_PRESET_PAPER] = papers, [RECON_PRESET_SMALL] = small
};
#define PAPER_DROPOUT 0.2

enum { PAPER_GRAIN = 16 }; /* sides of the paper's last picture are multiples of it */

static size_t part(size_t side, size_t of)
{
    return (side + of - 1) / of;
}

/* The side of the last picture of which the image is made. */
static size_t canvas(const recon_decoder *d, size_t side)
{
    return d->preset == RECON_PRESET_PAPER ? part(side, PAPER_GRAIN) * PAPER_GRAIN : side;
}

recon_status recon_decoder_add(recon_ctx *ctx, recon_decoder *d, recon_params *p, const char *name,
                               const recon_ieae_shape *s)
{
    int paper = s->preset == RECON_PRESET_PAPER;
    const stage *list = stages[s->preset];
    size_t in = paper ? s->code : list[0].outputs, i = 0;
    recon_layer_name full;
    *d = (recon_decoder){ .preset = s->preset, .height = s->height, .width = s->width_px };
    snprintf(full, sizeof full, "%s.widen", name);
    if (!paper)
        RECON_CHECK(recon_linear_add(ctx, &d->widen, p, full, s->code,
                                     in * part(s->height, 4) * part(s->width_px, 4)));
    do {
        size_t out = list[i].last ? s->channels : list[i].outputs;
        snprintf(full, sizeof full, "%s.conv%zu", name, i);
        RECON_CHECK(recon_conv_add(
            ctx, &d->conv[i], p, full, in, out,
            &(recon_conv_layer_options){ .size = list[i].size, .bias = list[i].last }));
        snprintf(full, sizeof full, "%s.norm%zu", name, i);
        if (!list[i].last)
            RECON_CHECK(recon_norm_add(ctx, &d->norm[i], p, full, out, 1));
        in = out;
    } while (!list[i++].last);
    return RECON_OK;
}

/* The code as a picture: spread by a linear map, or the same on all of 2 x 2 pixels. */
static recon_var begin(recon_tape *t, const recon_decoder *d, recon_var code)
{
    size_t n = code ? recon_var_shape(code, NULL)[0] : 0;
    if (d->preset == RECON_PRESET_PAPER) {
        size_t shape[4] = { n, 1, 1, code ? recon_var_shape(code, NULL)[1] : 0 };
        return recon_var_resize(t, recon_var_reshape(t, code, shape, 4), 2, 2, 0);
    }
    size_t shape[4] = { n, part(d->height, 4), part(d->width, 4), stages[d->preset][0].outputs };
    recon_var x = recon_var_relu(t, recon_linear_apply(t, &d->widen, code));
    return recon_var_reshape(t, x, shape, 4);
}

/* The middle of a picture: columns of its rows, then rows. */
static recon_var crop(recon_tape *t, const recon_decoder *d, recon_var x)
{
    size_t height = canvas(d, d->height), width = canvas(d, d->width);
    if (!x || (height == d->height && width == d->width))
        return x;
    const size_t *s = recon_var_shape(x, NULL);
    size_t n = s[0], c = s[3], row = d->width * c;
    x = recon_var_reshape(t, x, (size_t[]){ n * height, width * c }, 2);
    x = recon_var_columns(t, x, (width - d->width) / 2 * c, row);
    x = recon_var_reshape(t, x, (size_t[]){ n, height * row }, 2);
    x = recon_var_columns(t, x, (height - d->height) / 2 * row, d->height * row);
    return recon_var_reshape(t, x, (size_t[]){ n, d->height, d->width, c }, 4);
}

/* ReLU of the norm, in one pass where nothing comes between them. */
static recon_var normed(recon_tape *t, const recon_decoder *d, size_t i, recon_var x)
{
    if (d->preset != RECON_PRESET_PAPER)
        return recon_norm_relu_apply(t, &d->norm[i], x, NULL);
    x = recon_norm_apply(t, &d->norm[i], x);
    return recon_var_relu(t, recon_var_dropout_channels(t, x, PAPER_DROPOUT));
}

recon_var recon_decoder_apply(recon_tape *t, const recon_decoder *d, recon_var code)
{
    const stage *s = stages[d->preset];
    recon_var x = recon_var_cast(t, begin(t, d, code), recon_tape_activations(t));
    for (size_t i = 0;; i++) {
        if (s[i].grow)
            x = recon_var_resize(t, x, part(canvas(d, d->height), s[i].grow),
                                 part(canvas(d, d->width), s[i].grow),
                                 d->preset == RECON_PRESET_PAPER);
        x = recon_conv_apply(t, &d->conv[i], x);
        if (s[i].last)
            break;
        x = normed(t, d, i, x);
    }
    x = crop(t, d, x);
    if (recon_tape_activations(t) == RECON_BF16)
        x = recon_var_cast(t, x, RECON_F32);
    return recon_var_sigmoid(t, x);
}
