/* pictures.c - images of a data set as the pictures of a figure. */
#include "cli/pictures.h"
#include "core/fail.h"
#include "core/memory.h"

#include <recon/data/image.h>
#include <stdlib.h>

recon_status pictures_new(recon_ctx *ctx, pictures *out, const recon_dataset *data, size_t count)
{
    recon_dataset_info d = recon_dataset_describe(data);
    recon_status status;
    *out = (pictures){ .info = d, .pixels = d.height * d.width * d.channels };
    RECON_TRY(recon_alloc(ctx, &out->block, count * out->pixels, sizeof *out->block));
    RECON_TRY(recon_alloc(ctx, &out->scratch, out->pixels, sizeof *out->scratch));
    RECON_TRY(recon_alloc(ctx, &out->picture, count, sizeof *out->picture));
    for (size_t i = 0; i < count; i++)
        out->picture[i] =
            (recon_picture){ .height = d.height, .width = d.width, .channels = d.channels };
done:
    return status;
}

void pictures_free(pictures *p)
{
    free(p->block);
    free(p->scratch);
    free(p->picture);
}

float *pictures_place(pictures *p, size_t at)
{
    float *pixels = p->block + at * p->pixels;
    p->picture[at].pixels = pixels;
    return pixels;
}

void pictures_put(pictures *p, size_t at, const recon_dataset *data, size_t i, double angle)
{
    recon_dataset_get(p->scratch, data, i);
    recon_image_turn(pictures_place(p, at), p->scratch, p->info.height, p->info.width,
                     p->info.channels, angle, RECON_BILINEAR);
}
