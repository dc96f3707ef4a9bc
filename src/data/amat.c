/* amat.c - the text files of the rotated MNIST and its kin. */
#include "data/dataset.h"
#include "data/formats.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "data/image.h"
#include "data/text.h"

#include <math.h>

/* The next line that is not blank. */
static int next_line(recon_span *line, recon_span *rest)
{
    while (recon_text_line(line, rest))
        if (!recon_text_empty(*line))
            return 1;
    return 0;
}

static size_t count_words(recon_span line)
{
    size_t n = 0;
    while (recon_span_size(recon_text_word(&line)))
        n++;
    return n;
}

static size_t count_lines(recon_span rest)
{
    size_t n = 0;
    for (recon_span line; next_line(&line, &rest);)
        n++;
    return n;
}

static recon_status read_line(recon_ctx *ctx, float *pixels, int32_t *label, recon_span line,
                              size_t count, size_t row, const char *path)
{
    double x;
    for (size_t i = 0; i <= count; i++) {
        if (!recon_text_number(&x, recon_text_word(&line)))
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s: row %zu: number %zu of %zu is missing or not a number", path,
                              row, i + 1, count + 1);
        if (i < count && !recon_pixel_fits((float)x))
            return recon_fail(ctx, RECON_ERR_FORMAT,
                              "%s: row %zu: number %zu is %g: " RECON_PIXEL_RULE, path, row, i + 1,
                              x);
        if (i < count)
            pixels[i] = (float)x;
    }
    if (!recon_text_empty(line))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: row %zu: more than %zu numbers", path, row,
                          count + 1);
    if (!(x >= 0 && x <= RECON_LABEL_MAX && x == floor(x)))
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: row %zu: the label is %g: 0 to %d", path, row,
                          x, RECON_LABEL_MAX);
    *label = (int32_t)x;
    return RECON_OK;
}

static recon_status read_lines(recon_ctx *ctx, recon_dataset *d, recon_span rest, int skip_bad,
                               const char *path)
{
    size_t count = recon_dataset_pixels(&d->info), n = 0, at = 0;
    for (recon_span line; next_line(&line, &rest);) {
        int32_t label = 0;
        recon_status status = recon_interrupted(ctx);
        if (status != RECON_OK)
            return status;
        status = read_line(ctx, d->own_floats + n * count, &label, line, count, ++at, path);
        if (status != RECON_OK && !skip_bad)
            return status;
        if (status != RECON_OK)
            continue;
        d->own_labels[n++] = label;
        if ((size_t)label >= d->info.classes)
            d->info.classes = (size_t)label + 1;
    }
    d->info.skipped = d->info.n - n;
    d->info.n = n;
    return n ? RECON_OK : recon_fail(ctx, RECON_ERR_FORMAT, "%s: no row can be read", path);
}

recon_status recon_amat_parse(recon_ctx *ctx, recon_dataset *d, const void *bytes, size_t size,
                              const recon_dataset_options *options, const char *path)
{
    const recon_span all = { bytes, (const char *)bytes + size };
    recon_span rest = all, line = { 0 };
    next_line(&line, &rest);
    size_t n = count_lines(all), words = count_words(line), side = (size_t)sqrt((double)words);
    if (words < 2 || side * side + 1 != words)
        return recon_fail(ctx, RECON_ERR_FORMAT,
                          "%s: %zu numbers in the first row: not a square of pixels and a label",
                          path, words);
    /* A number is two characters at least: so many good rows can be there, and a bad one behind. */
    size_t room = (size + 1) / (2 * words) + 1;
    d->info = (recon_dataset_info){ .n = n, .height = side, .width = side, .channels = 1 };
    RECON_CHECK(recon_alloc_raw(ctx, &d->own_floats, room, side * side * sizeof(float)));
    RECON_CHECK(recon_alloc_raw(ctx, &d->own_labels, room, sizeof *d->own_labels));
    RECON_CHECK(read_lines(ctx, d, all, options->skip_bad, path));
    d->floats = d->own_floats;
    d->labels = d->own_labels;
    return RECON_OK;
}

recon_status recon_amat_read(recon_ctx *ctx, recon_dataset *data, const char *path,
                             const recon_dataset_options *options)
{
    recon_file file;
    RECON_CHECK(recon_file_open(ctx, &file, path));
    recon_status status = recon_amat_parse(ctx, data, file.bytes, file.size, options, path);
    recon_file_close(&file);
    return status;
}
