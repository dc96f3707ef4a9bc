/* pictures.c - images of a data set as pictures of a figure, as they are or rotated. */
#include "report/pictures.h"
#include "core/fail.h"
#include "core/memory.h"

#include <recon/data/dataset.h>
#include "data/image.h"
#include <stdlib.h>
#include <string.h>

recon_status recon_pictures_new(recon_ctx *ctx, recon_pictures *out, const recon_dataset *data,
                                size_t count)
{
    recon_dataset_info d = recon_dataset_describe(data);
    int large = d.height > RECON_PICTURE_SIDE || d.width > RECON_PICTURE_SIDE;
    size_t height = large ? RECON_PICTURE_SIDE : d.height;
    size_t width = large ? RECON_PICTURE_SIDE : d.width, whole = d.height * d.width * d.channels;
    *out = (recon_pictures){ .info = d, .pixels = height * width * d.channels };
    RECON_CHECK(recon_alloc(ctx, &out->block, count * out->pixels, sizeof *out->block));
    RECON_CHECK(recon_alloc(ctx, &out->read, whole, sizeof *out->read));
    RECON_CHECK(recon_alloc(ctx, &out->rotated, whole, sizeof *out->rotated));
    RECON_CHECK(recon_alloc(ctx, &out->picture, count, sizeof *out->picture));
    for (size_t i = 0; i < count; i++)
        out->picture[i] =
            (recon_picture){ .height = height, .width = width, .channels = d.channels };
    return RECON_OK;
}

void recon_pictures_free(recon_pictures *p)
{
    free(p->block);
    free(p->read);
    free(p->rotated);
    free(p->picture);
    *p = (recon_pictures){ 0 };
}

float *recon_pictures_place(recon_pictures *p, size_t at)
{
    float *pixels = p->block + at * p->pixels;
    p->picture[at].pixels = pixels;
    return pixels;
}

int32_t recon_pictures_put(recon_pictures *p, size_t at, const recon_dataset *data, size_t i,
                           double angle)
{
    const recon_dataset_info *d = &p->info;
    float *to = recon_pictures_place(p, at);
    int32_t label = recon_dataset_get(p->read, data, i);
    recon_image_rotate(p->rotated, p->read, d->height, d->width, d->channels, angle,
                       RECON_BILINEAR);
    if (p->picture[at].height == d->height && p->picture[at].width == d->width)
        memcpy(to, p->rotated, p->pixels * sizeof *to);
    else
        recon_image_fit(to, RECON_PICTURE_SIDE, p->rotated, d->height, d->width, d->channels);
    return label;
}
