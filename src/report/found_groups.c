/* found_groups.c - rows that belong together: by label, by component, or by the graph of
 * neighbours. */
#include "report/found.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/shuffle.h"
#include "knn/clusters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 5 /* members of a cluster worth showing */ };

/* --- samples ---------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

recon_status recon_found_sample(recon_ctx *ctx, size_t **out, size_t *count, size_t rows, size_t n)
{
    RECON_CHECK(recon_alloc_raw(ctx, out, rows, sizeof **out));
    *count = n < rows ? n : rows;
    recon_shuffle(*out, rows, *count, RECON_FOUND_SEED);
    qsort(*out, *count, sizeof **out, by_size);
    return RECON_OK;
}

size_t recon_found_extreme(size_t *out, size_t most, const double *key, size_t stride, double sign,
                           size_t rows)
{
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) {
        double own = sign * key[i * stride];
        if (n == most && own <= sign * key[out[n - 1] * stride])
            continue;
        size_t at = n < most ? n++ : n - 1;
        for (; at > 0 && sign * key[out[at - 1] * stride] < own; at--)
            out[at] = out[at - 1];
        out[at] = i;
    }
    return n;
}

/* --- groups ----------------------------------------------------------------------------------- */

typedef struct {
    int64_t label;
    size_t named; /* how often other rows have it for a neighbour */
    size_t row;
} entry;

static int by_label(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    if (x->named != y->named)
        return x->named > y->named ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* One run of equal labels. */
typedef struct {
    size_t first, n;
} stretch;

static int by_length(const void *a, const void *b)
{
    const stretch *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_place(const void *a, const void *b)
{
    const stretch *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The longest runs; how many. */
static size_t find_stretches(stretch *out, const entry *entries, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || entries[i].label != entries[i - 1].label)
            out[count++] = (stretch){ i, 0 };
        out[count - 1].n++;
    }
    qsort(out, count, sizeof *out, by_length);
    return count < RECON_FOUND_GROUPS ? count : RECON_FOUND_GROUPS;
}

static recon_status list_entries(recon_ctx *ctx, entry *out, const recon_found_folder *f,
                                 const int64_t *label)
{
    size_t *named;
    RECON_CHECK(recon_alloc(ctx, &named, f->points + 1, sizeof *named));
    if (f->neighbors && f->points == f->rows)
        for (size_t i = 0; i < f->rows * f->k; i++)
            named[f->neighbors[i]]++;
    for (size_t i = 0; i < f->rows; i++)
        out[i] = (entry){ label ? label[i] : 0, i < f->points ? named[i] : 0, i };
    qsort(out, f->rows, sizeof *out, by_label);
    free(named);
    return RECON_OK;
}

/* Small clusters are noise of the search; clusters of a discovery are shown however small. */
static void fill(recon_found_groups *g, const entry *entries, stretch *runs, size_t count,
                 size_t rows, int named)
{
    g->others = rows;
    if (named)
        qsort(runs, count, sizeof *runs, by_place);
    for (size_t i = 0; i < count; i++) {
        if (entries[runs[i].first].label < 0 || (!named && i > 0 && runs[i].n < LEAST))
            continue;
        size_t at = g->count++, *to = g->owned + (rows - g->others);
        for (size_t j = 0; j < runs[i].n; j++)
            to[j] = entries[runs[i].first + j].row;
        g->member[at] = to;
        g->n[at] = runs[i].n;
        g->others -= runs[i].n;
        snprintf(g->name[at], sizeof g->name[at], "%s %lld", g->what,
                 named ? (long long)entries[runs[i].first].label : (long long)at + 1);
    }
}

static recon_status gather(recon_ctx *ctx, recon_found_groups *out, const recon_found_folder *f,
                           const int64_t *label, int named)
{
    entry *entries = NULL;
    stretch *runs = NULL;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &entries, f->rows, sizeof *entries));
    RECON_TRY(recon_alloc_raw(ctx, &runs, f->rows, sizeof *runs));
    RECON_TRY(recon_alloc_raw(ctx, &out->owned, f->rows, sizeof *out->owned));
    RECON_TRY(list_entries(ctx, entries, f, label));
    fill(out, entries, runs, find_stretches(runs, entries, f->rows), f->rows, named);
done:
    free(entries);
    free(runs);
    return status;
}

recon_status recon_found_group(recon_ctx *ctx, recon_found_groups *out, const recon_found_folder *f)
{
    int64_t *clusters = NULL;
    recon_status status;
    *out = (recon_found_groups){ .what = f->classes && !f->lines.n ? "component" : "cluster" };
    if (f->classes)
        return gather(ctx, out, f, f->classes, f->lines.n > 0);
    if (f->points != f->rows) { /* queries: their neighbours are not among them */
        status = gather(ctx, out, f, NULL, 0);
        snprintf(out->name[0], sizeof out->name[0], "all");
        out->what = "all";
        return status;
    }
    RECON_TRY(recon_alloc_raw(ctx, &clusters, f->rows, sizeof *clusters));
    RECON_TRY(recon_clusters(ctx, clusters, NULL, f->neighbors, f->rows, f->k));
    RECON_TRY(gather(ctx, out, f, clusters, 0));
done:
    free(clusters);
    return status;
}

void recon_found_groups_free(recon_found_groups *groups)
{
    free(groups->owned);
    *groups = (recon_found_groups){ 0 };
}
