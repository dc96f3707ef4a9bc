/* gcn_graphs.c - radius graphs of single molecules, and batches of them. */
#include "backbone/gcn_graphs.h"
#include "core/arena.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "group/turning.h"

#include <math.h>
#include <recon/group/harmonics.h>
#include <stdlib.h>
#include <string.h>

enum { MOLECULES = 16 }; /* of a task */

/* --- preparing -------------------------------------------------------------------------------- */

typedef struct {
    recon_gcn_graphs *g;
    const recon_molecules *data;
} job;

static int joined(const recon_conformer *c, size_t i, size_t j, double radius)
{
    double square = 0;
    for (int k = 0; k < 3; k++)
        square += pow((double)c->xyz[3 * i + k] - (double)c->xyz[3 * j + k], 2);
    return i == j || square < radius * radius;
}

/* How many entries each row has, itself among them, to where the row after it begins. */
static recon_status count_task(recon_ctx *ctx, void *arg, size_t m, int worker)
{
    const job *j = arg;
    recon_conformer c = recon_molecules_get(j->data, m);
    (void)ctx, (void)worker;
    j->g->label[m] = c.molecule;
    for (size_t a = 0; a < c.atoms; a++) {
        size_t count = 0;
        for (size_t b = 0; b < c.atoms; b++)
            count += (size_t)joined(&c, a, b, j->g->radius);
        j->g->entry[j->g->node[m] + a + 1] = count;
    }
    return RECON_OK;
}

static void fill_adjacency(recon_gcn_graphs *g, const recon_conformer *c, size_t node)
{
    for (size_t a = 0; a < c->atoms; a++) {
        size_t e = g->entry[node + a];
        double degree = (double)(g->entry[node + a + 1] - e);
        for (size_t b = 0; b < c->atoms; b++)
            if (joined(c, a, b, g->radius)) {
                g->index[e] = (int32_t)b;
                g->weight[e++] =
                    (float)(1 /
                            sqrt(degree * (double)(g->entry[node + b + 1] - g->entry[node + b])));
            }
    }
}

/* The mean harmonics of the directions an atom is reached from; of none, those of no direction. */
static void mean_harmonics(float mean[RECON_HARMONICS], const recon_gcn_graphs *g,
                           const recon_conformer *c, size_t node, size_t a)
{
    size_t begin = g->entry[node + a], end = g->entry[node + a + 1];
    double sum[RECON_HARMONICS] = { 0 }, y[RECON_HARMONICS], v[3];
    for (size_t e = begin; e < end; e++) {
        size_t b = (size_t)g->index[e];
        if (a == b)
            continue;
        for (size_t k = 0; k < 3; k++)
            v[k] = (double)c->xyz[3 * b + k] - (double)c->xyz[3 * a + k];
        recon_harmonics_row(y, v);
        for (int k = 0; k < RECON_HARMONICS; k++)
            sum[k] += y[k] / (double)(end - begin - 1);
    }
    sum[0] = 1;
    for (int k = 0; k < RECON_HARMONICS; k++)
        mean[k] = (float)sum[k];
}

static recon_status fill_task(recon_ctx *ctx, void *arg, size_t m, int worker)
{
    const job *j = arg;
    recon_gcn_graphs *g = j->g;
    recon_conformer c = recon_molecules_get(j->data, m);
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_mark mark = recon_arena_mark(arena);
    size_t node = g->node[m];
    float(*mean)[RECON_HARMONICS];
    recon_status status;
    RECON_TRY(recon_arena_take(ctx, arena, &mean, c.atoms, sizeof *mean));
    fill_adjacency(g, &c, node);
    for (size_t a = 0; a < c.atoms; a++)
        mean_harmonics(mean[a], g, &c, node, a);
    for (size_t a = 0; a < c.atoms; a++) {
        float *feature = g->feature + (node + a) * RECON_HARMONICS;
        memset(feature, 0, sizeof *mean);
        for (size_t e = g->entry[node + a]; e < g->entry[node + a + 1]; e++)
            for (int k = 0; k < RECON_HARMONICS; k++)
                feature[k] += g->weight[e] * mean[g->index[e]][k];
    }
done:
    recon_arena_release(arena, mark);
    return status;
}

static recon_status prepare(recon_ctx *ctx, job *j, size_t atoms)
{
    recon_gcn_graphs *g = j->g;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &g->label, g->n, sizeof *g->label));
    RECON_TRY(recon_alloc(ctx, &g->node, g->n + 1, sizeof *g->node));
    RECON_TRY(recon_alloc(ctx, &g->entry, atoms + 1, sizeof *g->entry));
    RECON_TRY(recon_alloc_raw(ctx, &g->feature, atoms * RECON_HARMONICS, sizeof *g->feature));
    for (size_t m = 0; m < g->n; m++)
        g->node[m + 1] = g->node[m] + recon_molecules_get(j->data, m).atoms;
    RECON_TRY(recon_parallel(ctx, count_task, j, g->n));
    for (size_t a = 0; a < atoms; a++)
        g->entry[a + 1] += g->entry[a];
    RECON_TRY(recon_alloc_raw(ctx, &g->index, g->entry[atoms], sizeof *g->index));
    RECON_TRY(recon_alloc_raw(ctx, &g->weight, g->entry[atoms], sizeof *g->weight));
    RECON_TRY(recon_parallel(ctx, fill_task, j, g->n));
done:
    return status;
}

recon_status recon_gcn_graphs_make(recon_ctx *ctx, recon_gcn_graphs **out,
                                   const recon_molecules *data, double radius)
{
    recon_molecules_info info = recon_molecules_describe(data);
    recon_gcn_graphs *g;
    recon_status status;
    *out = NULL;
    if (!(radius > 0) || !isfinite(radius))
        return recon_fail(ctx, RECON_ERR_INPUT, "a radius of %g", radius);
    status = recon_alloc(ctx, &g, 1, sizeof *g);
    if (status != RECON_OK)
        return status;
    g->n = info.n;
    g->classes = info.molecules;
    g->radius = radius;
    status = prepare(ctx, &(job){ g, data }, info.total);
    if (status == RECON_OK)
        *out = g;
    else
        recon_gcn_graphs_free(g);
    return status;
}

void recon_gcn_graphs_free(recon_gcn_graphs *g)
{
    if (!g)
        return;
    free(g->label);
    free(g->node);
    free(g->entry);
    free(g->index);
    free(g->weight);
    free(g->feature);
    free(g);
}

size_t recon_gcn_graphs_count(const recon_gcn_graphs *graphs)
{
    return graphs->n;
}

/* --- batches ---------------------------------------------------------------------------------- */

static size_t molecule_of(const recon_gcn_list *list, size_t i)
{
    return list->which ? (size_t)list->which[list->first + i] : list->first + i;
}

recon_gcn_size recon_gcn_size_of(const recon_gcn_graphs *g, const recon_gcn_list *list)
{
    recon_gcn_size size = { 0, 0 };
    for (size_t i = 0; i < list->n; i++) {
        size_t m = molecule_of(list, i);
        size.nodes += g->node[m + 1] - g->node[m];
        size.entries += g->entry[g->node[m + 1]] - g->entry[g->node[m]];
    }
    return size;
}

recon_status recon_gcn_batch_make(recon_ctx *ctx, recon_gcn_batch *b, size_t n, recon_gcn_size size)
{
    size_t nodes = size.nodes, entries = size.entries;
    char *at;
    recon_status status =
        recon_alloc(ctx, &at, (RECON_HARMONICS + 5) * nodes + 2 * entries + 2 * n + 8, 4);
    if (status != RECON_OK)
        return status;
    *b = (recon_gcn_batch){ .n = n, .nodes = nodes, .entries = entries, .block = at };
    b->feature = (float *)at;
    b->share = b->feature + RECON_HARMONICS * nodes;
    b->weight = b->share + nodes;
    b->index = (int32_t *)(b->weight + entries);
    b->row = b->index + entries;
    b->owner = b->row + nodes;
    b->offset = b->owner + nodes;
    b->single = b->offset + nodes + 1;
    b->start = b->single + nodes + 1;
    b->label = b->start + n + 1;
    return RECON_OK;
}

typedef struct {
    recon_gcn_batch *b;
    const recon_gcn_graphs *g;
    const recon_gcn_list *list;
} packing;

/* Molecule i of the batch; its rows and its first entry are known. */
static void pack(const packing *p, size_t i)
{
    const recon_gcn_graphs *g = p->g;
    recon_gcn_batch *b = p->b;
    size_t m = molecule_of(p->list, i), from = g->node[m], atoms = g->node[m + 1] - from;
    size_t row = (size_t)b->start[i], entry = (size_t)b->offset[row];
    size_t count = g->entry[from + atoms] - g->entry[from];
    for (size_t a = 0; a < atoms; a++) {
        b->owner[row + a] = (int32_t)i;
        b->share[row + a] = 1 / (float)atoms;
        b->offset[row + a + 1] = (int32_t)(entry + g->entry[from + a + 1] - g->entry[from]);
    }
    for (size_t e = 0; e < count; e++)
        b->index[entry + e] = g->index[g->entry[from] + e] + (int32_t)row;
    memcpy(b->weight + entry, g->weight + g->entry[from], count * sizeof *b->weight);
    float *out = b->feature + row * RECON_HARMONICS;
    const float *in = g->feature + from * RECON_HARMONICS;
    if (p->list->turns) {
        recon_turning t = recon_turning_of(p->list->turns[p->list->first + i]);
        recon_turning_apply(out, &t, in, atoms);
    } else
        memcpy(out, in, atoms * RECON_HARMONICS * sizeof *out);
}

static recon_status pack_task(recon_ctx *ctx, void *arg, size_t task, int worker)
{
    const packing *p = arg;
    size_t begin = task * MOLECULES;
    (void)ctx, (void)worker;
    for (size_t i = begin; i < p->list->n && i < begin + MOLECULES; i++)
        pack(p, i);
    return RECON_OK;
}

recon_status recon_gcn_batch_fill(recon_ctx *ctx, recon_gcn_batch *b, const recon_gcn_graphs *g,
                                  const recon_gcn_list *list)
{
    size_t rows = 0, entries = 0;
    for (size_t i = 0; i < b->n; i++) {
        size_t m = molecule_of(list, i);
        b->start[i] = (int32_t)rows;
        b->offset[rows] = (int32_t)entries;
        b->label[i] = g->label[m];
        rows += g->node[m + 1] - g->node[m];
        entries += g->entry[g->node[m + 1]] - g->entry[g->node[m]];
    }
    b->start[b->n] = (int32_t)rows;
    for (size_t r = 0; r < b->nodes; r++) {
        b->row[r] = (int32_t)r;
        b->single[r] = (int32_t)(r < rows ? r : rows);
    }
    b->single[b->nodes] = (int32_t)rows;
    for (size_t r = rows; r <= b->nodes; r++)
        b->offset[r] = (int32_t)entries;
    return recon_parallel(ctx, pack_task, &(packing){ b, g, list },
                          (b->n + MOLECULES - 1) / MOLECULES);
}

static recon_var ints(recon_tape *t, const int32_t *values, size_t n)
{
    return recon_var_input(t, values, RECON_I32, &n, 1);
}

static recon_var floats(recon_tape *t, const float *values, size_t n)
{
    return recon_var_input(t, values, RECON_F32, &n, 1);
}

recon_gcn_inputs recon_gcn_batch_input(recon_tape *t, const recon_gcn_batch *b)
{
    const size_t shape[2] = { b->nodes, RECON_HARMONICS };
    recon_var share = floats(t, b->share, b->nodes);
    return (recon_gcn_inputs){
        .feature = recon_var_input(t, b->feature, RECON_F32, shape, 2),
        .label = ints(t, b->label, b->n),
        .adjacency = { ints(t, b->index, b->entries), floats(t, b->weight, b->entries),
                       ints(t, b->offset, b->nodes + 1) },
        .pool = { ints(t, b->row, b->nodes), share, ints(t, b->start, b->n + 1) },
        .spread = { ints(t, b->owner, b->nodes), share, ints(t, b->single, b->nodes + 1) },
    };
}
