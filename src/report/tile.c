/* tile.c - pictures on paper.
 *
 * Pixels are magnified by a whole number before they go into the PNG, so that they stay squares in
 * viewers that smooth what they stretch. */
#include "report/tile.h"
#include "report/canvas.h"
#include "core/picture.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE_MAX = 4096, TIMES_MAX = 16 };

static int drawable(const recon_picture *p)
{
    return p->height > 0 && p->height <= SIDE_MAX && p->width > 0 && p->width <= SIDE_MAX &&
           p->channels > 0;
}

/* Channels that are drawn: the first three as red, green and blue, or the first as grey. */
static size_t drawn(const recon_picture *p)
{
    return p->channels < 3 ? 1 : 3;
}

recon_status recon_tile_check(recon_ctx *ctx, const char *figure, const char *what,
                              const recon_picture *pictures, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const recon_picture *p = &pictures[i];
        if (!p->pixels)
            continue;
        if (!drawable(p))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s %zu is %zu x %zu x %zu", figure, what,
                              i, p->height, p->width, p->channels);
        for (size_t k = 0; k < p->height * p->width * p->channels; k++)
            if (!isfinite(p->pixels[k]))
                return recon_fail(ctx, RECON_ERR_INPUT, "%s: %s %zu: pixel %zu is %g", figure, what,
                                  i, k / p->channels, (double)p->pixels[k]);
    }
    return RECON_OK;
}

/* Each pixel `times` times in both directions, as bytes. */
static void magnify(uint8_t *out, const recon_picture *p, size_t times)
{
    for (size_t y = 0; y < p->height * times; y++)
        for (size_t x = 0; x < p->width * times; x++)
            for (size_t c = 0; c < drawn(p); c++) {
                float v = p->pixels[((y / times) * p->width + x / times) * p->channels + c];
                *out++ = (uint8_t)lrintf(255 * fminf(fmaxf(v, 0), 1));
            }
}

static recon_status encode(recon_ctx *ctx, uint8_t **out, size_t *size, const recon_picture *p,
                           double side)
{
    size_t longer = p->height > p->width ? p->height : p->width;
    size_t times = (size_t)fmin(fmax(ceil(side / (double)longer), 1), TIMES_MAX);
    uint8_t *bytes = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &bytes, p->height * p->width * times * times, drawn(p)));
    magnify(bytes, p, times);
    RECON_TRY(
        recon_png_encode(ctx, out, size, bytes, p->height * times, p->width * times, drawn(p)));
done:
    free(bytes);
    return status;
}

void recon_tile_draw(recon_ctx *ctx, recon_svg *svg, double x, double y, double side,
                     const recon_picture *picture)
{
    uint8_t *png = NULL;
    size_t size = 0;
    recon_short_text text;
    if (picture->pixels) {
        double scale = side / fmax((double)picture->width, (double)picture->height);
        double width = scale * (double)picture->width, height = scale * (double)picture->height;
        double left = x + (side - width) / 2, top = y + (side - height) / 2;
        recon_svg_fail(svg, encode(ctx, &png, &size, picture, side));
        recon_svg_image(svg, "pixels", left, top, width, height, png, size, picture->caption);
        recon_svg_rect(svg, "edge", left, top, width, height);
    }
    if (picture->caption)
        recon_svg_text(svg, "small mid", x + side / 2, y + side + RECON_TILE_CAPTION - 2,
                       recon_text_fit(text, picture->caption, side + 5, 9.5));
    free(png);
}
