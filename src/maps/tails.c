/* tails.c - see tails.h. */
#include "maps/tails.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

enum { LAST = RECON_TAIL_QUANTILES - 1, LEAST = 400 /* points of a bin */ };

static int by_sharpness(const void *a, const void *b)
{
    double x = ((const recon_tail_point *)a)->sharpness;
    double y = ((const recon_tail_point *)b)->sharpness;
    return (x > y) - (x < y);
}

static int by_tail(const void *a, const void *b)
{
    double x = ((const recon_tail_point *)a)->tail, y = ((const recon_tail_point *)b)->tail;
    return (x > y) - (x < y);
}

/* The value below which a share of the points lies, sorted by tail. */
static double quantile_of(const recon_tail_point *points, size_t n, double share)
{
    double place = share * (double)(n - 1);
    size_t below = (size_t)place, above = below + 1 < n ? below + 1 : below;
    return points[below].tail + (place - (double)below) * (points[above].tail - points[below].tail);
}

void recon_tails_make(recon_tails *out, recon_tail_point *points, size_t n)
{
    size_t bins = n / LEAST < 1 ? 1 : n / LEAST < RECON_TAIL_BINS ? n / LEAST : RECON_TAIL_BINS;
    qsort(points, n, sizeof *points, by_sharpness);
    for (size_t b = 0; b < RECON_TAIL_BINS; b++) {
        size_t part = b < bins ? b : bins - 1;
        size_t from = part * n / bins, count = (part + 1) * n / bins - from;
        out->bin[b].from = b < bins ? (float)points[from].sharpness : INFINITY;
        out->bin[b].n = (double)count;
    }
    for (size_t b = 0; b < bins; b++) {
        size_t from = b * n / bins, count = (size_t)out->bin[b].n;
        qsort(points + from, count, sizeof *points, by_tail);
        for (size_t i = 0; i < RECON_TAIL_QUANTILES; i++)
            out->bin[b].quantile[i] = (float)quantile_of(points + from, count, (double)i / LAST);
    }
    for (size_t b = bins; b < RECON_TAIL_BINS; b++)
        for (size_t i = 0; i < RECON_TAIL_QUANTILES; i++)
            out->bin[b].quantile[i] = out->bin[bins - 1].quantile[i];
}

double recon_tails_p_value(const recon_tails *t, recon_tail_point point)
{
    size_t b = RECON_TAIL_BINS - 1, low = 0, high = LAST;
    while (b > 0 && !(point.sharpness >= t->bin[b].from))
        b--;
    const double *x = t->bin[b].quantile, n = t->bin[b].n, least = 1 / (n + 1);
    if (isnan(point.tail) || n == 0)
        return point.tail;
    if (point.tail < x[0])
        return least;
    if (point.tail >= x[LAST])
        return 1;
    while (high - low > 1) { /* x[low] <= tail < x[high] */
        size_t middle = (low + high) / 2;
        *(x[middle] <= point.tail ? &low : &high) = middle;
    }
    double place = (double)low + (point.tail - x[low]) / (x[high] - x[low]);
    return fmax(place / LAST, least);
}

void recon_tails_pack(double numbers[RECON_TAIL_NUMBERS], const recon_tails *t)
{
    for (size_t b = 0; b < RECON_TAIL_BINS; b++) {
        *numbers++ = isinf(t->bin[b].from) ? 2 : t->bin[b].from; /* moments end at 1 */
        *numbers++ = t->bin[b].n;
        for (size_t i = 0; i < RECON_TAIL_QUANTILES; i++)
            *numbers++ = t->bin[b].quantile[i];
    }
}

int recon_tails_unpack(recon_tails *t, const double numbers[RECON_TAIL_NUMBERS])
{
    int good = 1;
    for (size_t b = 0; b < RECON_TAIL_BINS; b++) {
        t->bin[b].from = *numbers++;
        t->bin[b].n = *numbers++;
        good = good && t->bin[b].n >= 0 && t->bin[b].n < 1e15 &&
               (b == 0 || t->bin[b].from >= t->bin[b - 1].from);
        for (size_t i = 0; i < RECON_TAIL_QUANTILES; i++) {
            t->bin[b].quantile[i] = *numbers++;
            good = good && (i == 0 || t->bin[b].quantile[i] >= t->bin[b].quantile[i - 1]);
        }
    }
    return good;
}
