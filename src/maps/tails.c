/* tails.c - see tails.h. */
#include "maps/tails.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { LAST = RECON_TAIL_QUANTILES - 1, LEAST = 200 /* points of a bin */, BROAD = 1 };

/* A pose within 18 degrees is sharp; below a quarter nothing is natural, as in recon_so2_fold. */
const double recon_tail_from[RECON_TAIL_BINS] = { 0, 0.25, 0.95 };

static size_t bin_of(double sharpness)
{
    size_t b = RECON_TAIL_BINS - 1;
    while (b > 0 && !(sharpness >= recon_tail_from[b]))
        b--;
    return b;
}

static int by_bin_and_tail(const void *a, const void *b)
{
    const recon_tail_point *x = a, *y = b;
    if (x->sharpness != y->sharpness)
        return x->sharpness > y->sharpness ? 1 : -1;
    return (x->tail > y->tail) - (x->tail < y->tail);
}

/* Which bins are counted together: to[b] is where the points of bin b go. */
static void merge_small(size_t to[RECON_TAIL_BINS], const recon_tail_point *points, size_t n)
{
    size_t count[RECON_TAIL_BINS] = { 0 }, broad = 0;
    for (size_t i = 0; i < n; i++)
        count[bin_of(points[i].sharpness)]++;
    for (size_t b = 0; b < RECON_TAIL_BINS; b++) {
        to[b] = count[b] < LEAST ? BROAD : b;
        broad += to[b] == BROAD ? count[b] : 0;
    }
    for (size_t b = 0; broad < LEAST && b < RECON_TAIL_BINS; b++)
        to[b] = BROAD;
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
    size_t to[RECON_TAIL_BINS];
    merge_small(to, points, n);
    for (size_t i = 0; i < n; i++)
        points[i].sharpness = (double)to[bin_of(points[i].sharpness)];
    qsort(points, n, sizeof *points, by_bin_and_tail);
    for (size_t b = 0; b < RECON_TAIL_BINS; b++) {
        size_t begin = 0, end;
        while (begin < n && points[begin].sharpness < (double)to[b])
            begin++;
        for (end = begin; end < n && points[end].sharpness == (double)to[b];)
            end++;
        out->bin[b].n = (double)(end - begin);
        for (size_t i = 0; i < RECON_TAIL_QUANTILES; i++)
            out->bin[b].quantile[i] =
                (float)quantile_of(points + begin, end - begin, (double)i / LAST);
    }
}

/* The share of the points with such a tail or a smaller one. */
static double share_below(const double x[RECON_TAIL_QUANTILES], double tail)
{
    size_t low = 0, high = LAST;
    if (tail < x[0])
        return 0;
    if (tail >= x[LAST])
        return 1;
    while (high - low > 1) { /* x[low] <= tail < x[high] */
        size_t middle = (low + high) / 2;
        *(x[middle] <= tail ? &low : &high) = middle;
    }
    return ((double)low + (tail - x[low]) / (x[high] - x[low])) / LAST;
}

double recon_tails_p_value(const recon_tails *t, recon_tail_point point)
{
    size_t b = bin_of(point.sharpness);
    double n = t->bin[b].n;
    if (isnan(point.tail))
        return point.tail;
    if (n == 0)
        return fmax(point.tail, DBL_MIN);
    return (1 + n * share_below(t->bin[b].quantile, point.tail)) / (n + 1);
}

void recon_tails_pack(double numbers[RECON_TAIL_NUMBERS], const recon_tails *t)
{
    for (size_t b = 0; b < RECON_TAIL_BINS; b++) {
        *numbers++ = t->bin[b].n;
        for (size_t i = 0; i < RECON_TAIL_QUANTILES; i++)
            *numbers++ = t->bin[b].quantile[i];
    }
}

int recon_tails_unpack(recon_tails *t, const double numbers[RECON_TAIL_NUMBERS])
{
    int good = 1;
    for (size_t b = 0; b < RECON_TAIL_BINS; b++) {
        t->bin[b].n = *numbers++;
        good = good && t->bin[b].n >= 0 && t->bin[b].n < 1e15;
        for (size_t i = 0; i < RECON_TAIL_QUANTILES; i++) {
            t->bin[b].quantile[i] = *numbers++;
            good = good && (i == 0 || t->bin[b].quantile[i] >= t->bin[b].quantile[i - 1]);
        }
    }
    return good;
}
