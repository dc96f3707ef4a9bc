/* fit.c - scales pictures to fit into a frame, or to fill it.
 *
 * A pixel of the result is a mean with the weights of a triangle as wide as two of them, the
 * product of a row and a column factor. So rows are shrunk as they come and added to the few rows
 * of the result that they touch. */
#include "data/fit.h"
#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <recon/data/dataset.h>
#include "data/image.h"
#include <stdlib.h>

/* Pixels first .. last of an axis that a triangle about a place covers, and their weights. */
typedef struct {
    double place, reach;
    size_t first, last; /* last < first: the place is outside */
} window;

/* Pixels that reach nearer to the middle of the axis than `half` are seen, others are not: half is
 * size / 2 where all are. */
static window window_at(double place, double reach, size_t size, double half)
{
    const double rounding = 1e-9;
    double low = floor((double)size / 2 - 1 - half + rounding) + 1, high = (double)size - 1 - low;
    window w = { place, reach, 1, 0 };
    if (place < -0.5 || place > (double)size - 0.5)
        return w;
    w.first = (size_t)ceil(fmax(place - reach, fmax(low, 0)));
    w.last = (size_t)floor(fmin(place + reach, fmin(high, (double)size - 1)));
    return w;
}

static double window_weight(const window *w, size_t at)
{
    return 1 - fabs((double)at - w->place) / w->reach;
}

static void average(float *out, const float *in, size_t width, size_t channels, const window *row,
                    const window *col)
{
    double total = 0;
    for (size_t c = 0; c < channels; c++) {
        double sum = 0;
        total = 0;
        for (size_t i = row->first; i <= row->last; i++)
            for (size_t j = col->first; j <= col->last; j++) {
                double weight = window_weight(row, i) * window_weight(col, j);
                sum += weight * (double)in[(i * width + j) * channels + c];
                total += weight;
            }
        out[c] = total > 0 ? (float)(sum / total) : 0;
    }
}

void recon_image_fit(float *out, size_t size, const float *in, size_t height, size_t width,
                     size_t channels)
{
    double step = (double)(height > width ? height : width) / (double)size;
    double reach = step > 1 ? step : 1, middle = ((double)size - 1) / 2;
    for (size_t p = 0; p < size; p++)
        for (size_t q = 0; q < size; q++, out += channels) {
            window row = window_at(((double)p - middle) * step + ((double)height - 1) / 2, reach,
                                   height, (double)height / 2);
            window col = window_at(((double)q - middle) * step + ((double)width - 1) / 2, reach,
                                   width, (double)width / 2);
            average(out, in, width, channels, &row, &col);
        }
}

/* --- row by row ------------------------------------------------------------------------------- */

struct recon_fit {
    recon_frame out;
    size_t channels, next; /* next: the first row that has not been emitted */
    window *rows, *columns;
    double *line;   /* [out.width][channels]: the row at hand, shrunk */
    double *sums;   /* [slots][out.width][channels]: row p of the result is in slot p % slots */
    double *totals; /* [slots] of the weights */
    float *made;    /* [out.width][channels] */
    size_t slots;
    recon_fit_emit *emit;
    void *user;
};

static void make_windows(window *out, size_t n, size_t size, double step)
{
    double reach = step > 1 ? step : 1, middle = ((double)n - 1) / 2;
    for (size_t p = 0; p < n; p++)
        out[p] = window_at(((double)p - middle) * step + ((double)size - 1) / 2, reach, size,
                           (double)n * step / 2);
}

recon_status recon_fit_new(recon_ctx *ctx, recon_fit **fit, recon_frame out, recon_frame in,
                           size_t channels, recon_fit_emit *emit, void *user)
{
    double tall = (double)in.height / (double)out.height,
           wide = (double)in.width / (double)out.width;
    double step = tall < wide ? tall : wide, reach = step > 1 ? step : 1;
    double slots = 2 * reach / step + 2;
    size_t row = out.width * channels;
    recon_fit *f;
    *fit = NULL;
    RECON_CHECK(recon_alloc(ctx, fit, 1, sizeof **fit));
    f = *fit;
    *f = (recon_fit){ .out = out, .channels = channels, .emit = emit, .user = user };
    f->slots = slots < (double)out.height ? (size_t)slots : out.height;
    RECON_CHECK(recon_alloc_raw(ctx, &f->rows, out.height, sizeof *f->rows));
    RECON_CHECK(recon_alloc_raw(ctx, &f->columns, out.width, sizeof *f->columns));
    RECON_CHECK(recon_alloc_raw(ctx, &f->line, row, sizeof *f->line));
    RECON_CHECK(recon_alloc(ctx, &f->sums, f->slots * row, sizeof *f->sums));
    RECON_CHECK(recon_alloc(ctx, &f->totals, f->slots, sizeof *f->totals));
    RECON_CHECK(recon_alloc_raw(ctx, &f->made, row, sizeof *f->made));
    make_windows(f->rows, out.height, in.height, step);
    make_windows(f->columns, out.width, in.width, step);
    return RECON_OK;
}

void recon_fit_free(recon_fit *f)
{
    if (!f)
        return;
    void *const owned[] = { f->rows, f->columns, f->line, f->sums, f->totals, f->made, f };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

/* The mean under a column's triangle; 0 beside the picture. */
static inline __attribute__((always_inline)) void shrink_pixel(double *out, const float *row,
                                                               const window *w, size_t channels)
{
    double total = 0, step = 1 / w->reach;
    for (size_t c = 0; c < channels; c++)
        out[c] = 0;
    for (size_t j = w->first; j <= w->last; j++) {
        double weight = 1 - fabs((double)j - w->place) * step;
        total += weight;
        for (size_t c = 0; c < channels; c++)
            out[c] += weight * (double)row[j * channels + c];
    }
    for (size_t c = 0; c < channels && total > 0; c++)
        out[c] /= total;
}

static void shrink_row(recon_fit *f, const float *row)
{
    for (size_t q = 0; q < f->out.width; q++)
        switch (f->channels) { /* constants, so that the loops over channels are unrolled */
        case 1: shrink_pixel(f->line + q, row, &f->columns[q], 1); break;
        case 2: shrink_pixel(f->line + 2 * q, row, &f->columns[q], 2); break;
        case 3: shrink_pixel(f->line + 3 * q, row, &f->columns[q], 3); break;
        default: shrink_pixel(f->line + f->channels * q, row, &f->columns[q], f->channels);
        }
}

/* Emits row p, and empties its slot for another. */
static void finish_row(recon_fit *f, size_t p)
{
    size_t slot = p % f->slots, n = f->out.width * f->channels;
    double *sum = f->sums + slot * n, total = f->totals[slot];
    for (size_t i = 0; i < n; i++) {
        f->made[i] = total > 0 ? (float)(sum[i] / total) : 0;
        sum[i] = 0;
    }
    f->totals[slot] = 0;
    f->emit(f->user, p, f->made);
}

void recon_fit_row(recon_fit *f, size_t y, const float *row)
{
    size_t n = f->out.width * f->channels;
    int is_shrunk = 0;
    for (size_t p = f->next; p < f->out.height; p++) {
        const window *w = &f->rows[p];
        int beside = w->last < w->first;
        if (!beside && w->first > y)
            break;
        if (!beside) {
            double weight = window_weight(w, y), *sum = f->sums + p % f->slots * n;
            if (!is_shrunk++)
                shrink_row(f, row);
            for (size_t i = 0; i < n; i++)
                sum[i] += weight * f->line[i];
            f->totals[p % f->slots] += weight;
            if (w->last == y)
                finish_row(f, p);
        }
        f->next += p == f->next && (beside || w->last == y);
    }
}
