/* radius_graph.c - neighbours by trying all pairs: molecules are small. */
#include "backbone/radius_graph.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>

static void free_nodes(recon_radius_graph *g)
{
    recon_free_all(g->offset, g->cursor, g->attribute);
    g->offset = g->cursor = NULL;
    g->attribute = NULL;
    g->room_nodes = 0;
}

static void free_edges(recon_radius_graph *g)
{
    void *blocks[] = { g->source, g->target, g->order, g->ascending, g->harmonics, g->square };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    g->source = g->target = g->order = g->ascending = NULL;
    g->harmonics = g->square = NULL;
    g->room_edges = 0;
}

void recon_radius_graph_free(recon_radius_graph *g)
{
    free_nodes(g);
    free_edges(g);
    *g = (recon_radius_graph){ 0 };
}

static recon_status room_for_nodes(recon_ctx *ctx, recon_radius_graph *g, size_t nodes)
{
    if (nodes <= g->room_nodes && g->offset)
        return RECON_OK;
    free_nodes(g);
    RECON_CHECK(recon_alloc_raw(ctx, &g->offset, nodes + 1, sizeof *g->offset));
    RECON_CHECK(recon_alloc_raw(ctx, &g->cursor, nodes, sizeof *g->cursor));
    RECON_CHECK(recon_alloc_raw(ctx, &g->attribute, nodes, RECON_HARMONICS * sizeof *g->attribute));
    g->room_nodes = nodes;
    return RECON_OK;
}

static recon_status room_for_edges(recon_ctx *ctx, recon_radius_graph *g, size_t edges)
{
    if (edges <= g->room_edges && g->source)
        return RECON_OK;
    free_edges(g);
    RECON_CHECK(recon_alloc_raw(ctx, &g->source, edges, sizeof *g->source));
    RECON_CHECK(recon_alloc_raw(ctx, &g->target, edges, sizeof *g->target));
    RECON_CHECK(recon_alloc_raw(ctx, &g->order, edges, sizeof *g->order));
    RECON_CHECK(recon_alloc_raw(ctx, &g->ascending, edges, sizeof *g->ascending));
    RECON_CHECK(recon_alloc_raw(ctx, &g->harmonics, edges, RECON_HARMONICS * sizeof *g->harmonics));
    RECON_CHECK(recon_alloc_raw(ctx, &g->square, edges, sizeof *g->square));
    g->room_edges = edges;
    return RECON_OK;
}

/* to - from, and its squared length: the same both ways. */
static double step(double v[3], const float *from, const float *to)
{
    for (int k = 0; k < 3; k++)
        v[k] = (double)to[k] - (double)from[k];
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static size_t degree(const float *xyz, size_t target, size_t begin, size_t end, double radius)
{
    size_t count = 0;
    double v[3];
    for (size_t s = begin; s < end; s++)
        count += s != target && step(v, xyz + 3 * target, xyz + 3 * s) <= radius * radius;
    return count;
}

size_t recon_radius_graph_count(const float *xyz, size_t atoms, double radius)
{
    size_t count = 0;
    for (size_t t = 0; t < atoms; t++)
        count += degree(xyz, t, 0, atoms, radius);
    return count;
}

typedef struct {
    recon_radius_graph *graph;
    const float *xyz;
    const int32_t *offset;
    double radius;
} job;

/* Degrees of a molecule's atoms, where their sums will be. */
static recon_status count_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const job *j = arg;
    size_t begin = (size_t)j->offset[i], end = (size_t)j->offset[i + 1];
    (void)ctx, (void)worker;
    for (size_t t = begin; t < end; t++)
        j->graph->offset[t + 1] = (int32_t)degree(j->xyz, t, begin, end, j->radius);
    return RECON_OK;
}

static void set_edge(recon_radius_graph *g, size_t e, size_t source, size_t target)
{
    g->source[e] = (int32_t)source;
    g->target[e] = (int32_t)target;
    g->ascending[e] = (int32_t)e;
    g->order[g->cursor[source]++] = (int32_t)e;
}

static void add_edges(const job *j, size_t target, size_t begin, size_t end)
{
    recon_radius_graph *g = j->graph;
    float *mean = g->attribute + RECON_HARMONICS * target;
    double v[3], row[RECON_HARMONICS], sum[RECON_HARMONICS] = { 0 };
    size_t e = (size_t)g->offset[target], last = (size_t)g->offset[target + 1];
    double share = last > e ? 1 / (double)(last - e) : 0;
    for (size_t s = begin; s < end; s++) {
        double square = step(v, j->xyz + 3 * target, j->xyz + 3 * s);
        if (s == target || !(square <= j->radius * j->radius))
            continue;
        recon_harmonics_row(row, v);
        for (size_t k = 0; k < RECON_HARMONICS; k++) {
            g->harmonics[RECON_HARMONICS * e + k] = (float)row[k];
            sum[k] += row[k];
        }
        g->square[e] = (float)square;
        set_edge(g, e++, s, target);
    }
    for (size_t k = 0; k < RECON_HARMONICS; k++)
        mean[k] = k ? (float)(share * sum[k]) : 1;
}

static recon_status fill_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const job *j = arg;
    size_t begin = (size_t)j->offset[i], end = (size_t)j->offset[i + 1];
    (void)ctx, (void)worker;
    for (size_t t = begin; t < end; t++)
        add_edges(j, t, begin, end);
    return RECON_OK;
}

static void pad(recon_radius_graph *g, size_t atoms)
{
    for (size_t t = atoms; t < g->nodes; t++)
        for (size_t k = 0; k < RECON_HARMONICS; k++)
            g->attribute[RECON_HARMONICS * t + k] = k == 0;
    size_t more = g->edges - g->found;
    if (more == 0)
        return;
    memset(g->harmonics + RECON_HARMONICS * g->found, 0,
           more * RECON_HARMONICS * sizeof *g->harmonics);
    memset(g->square + g->found, 0, more * sizeof *g->square);
    for (size_t e = g->found; e < g->edges; e++)
        set_edge(g, e, g->nodes - 1, g->nodes - 1);
    g->offset[g->nodes] = (int32_t)g->edges;
}

recon_status recon_radius_graph_fill(recon_ctx *ctx, recon_radius_graph *g, const float *xyz,
                                     const int32_t *offset, size_t n,
                                     const recon_radius_graph_options *o)
{
    job j = { .graph = g, .xyz = xyz, .offset = offset, .radius = o->radius };
    size_t atoms = n ? (size_t)offset[n] : 0;
    if (!(o->radius > 0))
        return recon_fail(ctx, RECON_ERR_INPUT, "a graph of neighbours within %g: above 0",
                          o->radius);
    if ((o->nodes && o->nodes < atoms) || atoms >= INT32_MAX || o->nodes >= INT32_MAX ||
        o->edges > INT32_MAX)
        return recon_fail(ctx, RECON_ERR_INPUT, "%zu atoms in a graph of %zu nodes, %zu edges",
                          atoms, o->nodes, o->edges);
    RECON_CHECK(room_for_nodes(ctx, g, o->nodes ? o->nodes : atoms));
    g->nodes = o->nodes ? o->nodes : atoms;
    RECON_CHECK(recon_parallel(ctx, count_task, &j, n));
    /* From degrees to where they begin; padding nodes have none, but for the last. */
    g->found = 0;
    g->offset[0] = 0;
    for (size_t t = 0; t < g->nodes; t++) {
        g->found += t < atoms ? (size_t)g->offset[t + 1] : 0;
        if (g->found > INT32_MAX)
            return recon_fail(ctx, RECON_ERR_INPUT,
                              "a graph of %zu atoms has more edges than %d: fewer at a time", atoms,
                              INT32_MAX);
        g->offset[t + 1] = (int32_t)g->found;
    }
    g->edges = o->edges ? o->edges : g->found;
    if (g->found > g->edges || (g->found < g->edges && g->nodes == atoms))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%zu edges among %zu atoms in a graph of %zu nodes, %zu edges", g->found,
                          atoms, g->nodes, g->edges);
    RECON_CHECK(room_for_edges(ctx, g, g->edges));
    memcpy(g->cursor, g->offset, g->nodes * sizeof *g->cursor);
    RECON_CHECK(recon_parallel(ctx, fill_task, &j, n));
    pad(g, atoms);
    return RECON_OK;
}

/* Numbers of nodes or edges, moved on by so many. */
static void move_on(int32_t *to, const int32_t *from, size_t n, size_t by)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] + (int32_t)by;
}

recon_status recon_radius_graph_join(recon_ctx *ctx, recon_radius_graph *all,
                                     const recon_radius_graph *one, size_t part, size_t parts)
{
    size_t nodes = one->nodes, edges = one->edges, node = part * nodes, edge = part * edges;
    RECON_CHECK(room_for_nodes(ctx, all, parts * nodes));
    RECON_CHECK(room_for_edges(ctx, all, parts * edges));
    all->nodes = parts * nodes;
    all->edges = parts * edges;
    all->found = (part ? all->found : 0) + one->found;
    move_on(all->source + edge, one->source, edges, node);
    move_on(all->target + edge, one->target, edges, node);
    move_on(all->offset + node, one->offset, nodes + 1, edge);
    move_on(all->order + edge, one->order, edges, edge);
    move_on(all->ascending + edge, one->ascending, edges, edge);
    memcpy(all->harmonics + RECON_HARMONICS * edge, one->harmonics,
           RECON_HARMONICS * edges * sizeof *one->harmonics);
    memcpy(all->square + edge, one->square, edges * sizeof *one->square);
    memcpy(all->attribute + RECON_HARMONICS * node, one->attribute,
           RECON_HARMONICS * nodes * sizeof *one->attribute);
    return RECON_OK;
}
