/* shortlist.c - bounded candidate lists. */
#include "knn/shortlist.h"

#include <stdlib.h>

#define SHORT   64  /* a list that is sorted by insertion */
#define FETCHED 128 /* numbers of a row: the processor guesses the rest */

/* Room for k and for those that rounding leaves open; more is rare, and is settled. */
size_t recon_shortlist_capacity(size_t k)
{
    return (k + k / 4 + 16 + 7) / 8 * 8;
}

void recon_shortlist_clear(recon_shortlist *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->floor[i] = -INFINITY;
    memset(s->used, 0, s->count * sizeof *s->used);
}

static int nearer_first(const void *a, const void *b)
{
    const recon_neighbor *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void recon_neighbors_clear(recon_neighbor *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        list[i] = (recon_neighbor){ -INFINITY, UINT32_MAX };
}

/* Short lists come nearly sorted, by their blocked scores. */
void recon_neighbors_sort(recon_neighbor *list, size_t n)
{
    if (n > SHORT) {
        qsort(list, n, sizeof *list, nearer_first);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        recon_neighbor x = list[i];
        size_t at = i;
        for (; at > 0 && nearer_first(&x, list + at - 1) < 0; at--)
            list[at] = list[at - 1];
        list[at] = x;
    }
}

void recon_neighbors_merge(recon_neighbor *best, size_t k, const recon_neighbor *more, size_t count,
                           recon_neighbor *scratch)
{
    size_t a = 0, b = 0;
    if (count == 0 || nearer_first(best + k - 1, more) < 0)
        return;
    for (size_t i = 0; i < k; i++)
        scratch[i] = b < count && nearer_first(more + b, best + a) < 0 ? more[b++] : best[a++];
    memcpy(best, scratch, k * sizeof *best);
}

/* Rounded down, so that a candidate exactly at the bound is kept. */
static void raise_floor(recon_shortlist *s, size_t i, double to)
{
    float floor = recon_float_below((float)to);
    if (floor > s->floor[i])
        s->floor[i] = floor;
}

static void fetch(const recon_points *p, size_t i)
{
    for (size_t c = 0; c < p->d && c < FETCHED; c += 64 / sizeof *p->z)
        __builtin_prefetch(p->z + i * p->d + c);
}

void recon_shortlist_fetch(const recon_shortlist *s, size_t i)
{
    if (i >= s->count || s->used[i] == 0)
        return;
    fetch(s->rows, s->begin + i);
    for (size_t j = 0; j < s->used[i]; j++)
        fetch(s->points, s->candidates[i * s->capacity + j].index);
}

static void score_exactly(const recon_shortlist *s, size_t i, recon_neighbor *out)
{
    const recon_candidate *c = s->candidates + i * s->capacity;
    for (size_t j = 0; j < s->used[i]; j++)
        out[j] = (recon_neighbor){ recon_points_exact(s->rows, s->begin + i, s->points, c[j].index),
                                   c[j].index };
    recon_neighbors_sort(out, s->used[i]);
}

/* Keeps the k that are exactly nearest. The floor may then rise to within one error of the k-th,
 * because only the newcomer's score is uncertain. */
static void settle(recon_shortlist *s, size_t i, recon_neighbor *scratch)
{
    score_exactly(s, i, scratch);
    recon_candidate *c = s->candidates + i * s->capacity;
    size_t row = s->begin + i;
    for (size_t j = 0; j < s->k; j++)
        c[j] = (recon_candidate){ (float)recon_points_blocked(s->rows, row, scratch[j].score),
                                  scratch[j].index };
    s->used[i] = (uint32_t)s->k;
    double kth = recon_points_blocked(s->rows, row, scratch[s->k - 1].score);
    raise_floor(s, i, kth - recon_points_error(s->rows, row, s->points));
}

void recon_shortlist_push(recon_shortlist *s, size_t i, float score, uint32_t index,
                          recon_neighbor *scratch)
{
    recon_candidate *c = s->candidates + i * s->capacity;
    size_t at = s->used[i]++;
    for (; at > 0 && c[at - 1].score < score; at--)
        c[at] = c[at - 1];
    c[at] = (recon_candidate){ score, index };
    if (s->used[i] < s->k)
        return;
    double error = recon_points_error(s->rows, s->begin + i, s->points);
    raise_floor(s, i, (double)c[s->k - 1].score - 2 * error);
    while (c[s->used[i] - 1].score < s->floor[i])
        s->used[i]--;
    if (s->used[i] == s->capacity)
        settle(s, i, scratch);
}

float recon_shortlist_floor(const recon_points *rows, size_t i, const recon_points *points,
                            double kth)
{
    if (kth == -INFINITY)
        return -INFINITY;
    double floor = recon_points_blocked(rows, i, kth) - recon_points_error(rows, i, points);
    return recon_float_below((float)floor);
}

void recon_shortlist_take(recon_shortlist *s, size_t i, recon_neighbor *out)
{
    score_exactly(s, i, out);
}
