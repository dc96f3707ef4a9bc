/* gcn_graphs.c - molecules prepared for the graph classifier, and batches of them. */
#include "backbone/gcn_graphs.h"
#include "backbone/radius_graph.h"
#include "core/blocks.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "group/wigner_blocks.h"

#include <math.h>
#include <string.h>

enum { MOLECULES = RECON_BLOCK_GRAPHS_TASK, BLOCK = RECON_BLOCK_GRAPHS };

/* --- preparing -------------------------------------------------------------------------------- */

typedef struct {
    recon_gcn_graphs *g;
    const recon_molecules *data;
    recon_radius_graph edges; /* of conformers first .. first + n */
    size_t first, n;
    float *xyz;
    int32_t *offset; /* [n + 1] */
} job;

/* Entries of a conformer's adjacency, an atom with itself among them, behind its first atom. */
static recon_status count_task(recon_ctx *ctx, void *arg, size_t m, int worker)
{
    const job *j = arg;
    recon_conformer c = recon_molecules_get(j->data, m);
    (void)ctx, (void)worker;
    j->g->label[m] = c.molecule;
    j->g->entry[j->g->node[m]] = c.atoms + recon_radius_graph_count(c.xyz, c.atoms, j->g->radius);
    return RECON_OK;
}

static double degree_of(const recon_radius_graph *edges, size_t row)
{
    return 1 + (double)(edges->offset[row + 1] - edges->offset[row]);
}

/* Row of the adjacency of atom a, whose row among the edges is `row`, and what it makes of the
 * features; rows of its molecule begin at `base`. Returns where the next atom's row begins. */
static size_t fill_atom(recon_gcn_graphs *g, const recon_radius_graph *edges, size_t a, size_t row,
                        size_t base)
{
    size_t at = g->entry[a], begin = (size_t)edges->offset[row];
    size_t count = (size_t)edges->offset[row + 1] - begin;
    float *feature = g->feature + a * RECON_HARMONICS;
    memset(feature, 0, RECON_HARMONICS * sizeof *feature);
    for (size_t e = 0; e <= count; e++) {
        size_t source = e < count ? (size_t)edges->source[begin + e] : row;
        double weight = 1 / sqrt(degree_of(edges, row) * degree_of(edges, source));
        g->index[at + e] = (int32_t)(source - base);
        g->weight[at + e] = (float)weight;
        for (size_t k = 0; k < RECON_HARMONICS; k++)
            feature[k] += (float)weight * edges->attribute[source * RECON_HARMONICS + k];
    }
    return at + count + 1;
}

static recon_status fill_task(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    const job *j = arg;
    size_t base = (size_t)j->offset[i], atoms = (size_t)j->offset[i + 1] - base;
    size_t first = j->g->node[j->first + i];
    (void)ctx, (void)worker;
    for (size_t a = 0; a < atoms; a++) {
        size_t next = fill_atom(j->g, &j->edges, first + a, base + a, base);
        if (a + 1 < atoms) /* the next molecule's is known, and another thread reads it */
            j->g->entry[first + a + 1] = next;
    }
    return RECON_OK;
}

static recon_status fill_block(recon_ctx *ctx, job *j)
{
    j->n = j->g->n - j->first < BLOCK ? j->g->n - j->first : BLOCK;
    for (size_t i = 0; i < j->n; i++) {
        recon_conformer c = recon_molecules_get(j->data, j->first + i);
        memcpy(j->xyz + 3 * (size_t)j->offset[i], c.xyz, 3 * c.atoms * sizeof *j->xyz);
        j->offset[i + 1] = j->offset[i] + (int32_t)c.atoms;
    }
    RECON_CHECK(recon_radius_graph_fill(ctx, &j->edges, j->xyz, j->offset, j->n,
                                        &(recon_radius_graph_options){ .radius = j->g->radius }));
    return recon_parallel(ctx, fill_task, j, j->n);
}

/* Where everything lies. */
static recon_status lay_out(recon_ctx *ctx, job *j, size_t atoms)
{
    recon_gcn_graphs *g = j->g;
    size_t entries = 0;
    RECON_CHECK(recon_alloc(ctx, &g->label, g->n, sizeof *g->label));
    RECON_CHECK(recon_alloc(ctx, &g->node, g->n + 1, sizeof *g->node));
    RECON_CHECK(recon_alloc(ctx, &g->entry, atoms + 1, sizeof *g->entry));
    RECON_CHECK(recon_alloc_raw(ctx, &g->feature, atoms * RECON_HARMONICS, sizeof *g->feature));
    for (size_t m = 0; m < g->n; m++)
        g->node[m + 1] = g->node[m] + recon_molecules_get(j->data, m).atoms;
    RECON_CHECK(recon_parallel(ctx, count_task, j, g->n));
    for (size_t m = 0; m < g->n; m++) {
        size_t count = g->entry[g->node[m]];
        g->entry[g->node[m]] = entries;
        entries += count;
    }
    g->entry[atoms] = entries;
    RECON_CHECK(recon_alloc_raw(ctx, &g->index, entries, sizeof *g->index));
    return recon_alloc_raw(ctx, &g->weight, entries, sizeof *g->weight);
}

static recon_status prepare(recon_ctx *ctx, recon_gcn_graphs *g, const recon_molecules *data)
{
    recon_molecules_info info = recon_molecules_describe(data);
    job j = { .g = g, .data = data };
    recon_status status;
    RECON_TRY(lay_out(ctx, &j, info.total));
    RECON_TRY(recon_alloc_raw(ctx, &j.xyz, 3 * BLOCK * info.atoms, sizeof *j.xyz));
    RECON_TRY(recon_alloc(ctx, &j.offset, BLOCK + 1, sizeof *j.offset));
    for (; j.first < g->n; j.first += BLOCK)
        RECON_TRY(fill_block(ctx, &j));
done:
    recon_radius_graph_free(&j.edges);
    recon_free_all(j.offset, j.xyz);
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
    RECON_CHECK(recon_alloc(ctx, &g, 1, sizeof *g));
    g->n = info.n;
    g->classes = info.molecules;
    g->radius = radius;
    status = prepare(ctx, g, data);
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
    recon_free_all(g->label, g->node, g->entry, g->index, g->weight, g->feature, g);
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
    RECON_CHECK(recon_alloc(ctx, &at, (RECON_HARMONICS + 5) * nodes + 2 * entries + 2 * n + 8, 4));
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
    if (p->list->rotations) {
        recon_wigner_blocks t = recon_wigner_blocks_of(p->list->rotations[p->list->first + i]);
        recon_wigner_blocks_apply(out, &t, in, atoms);
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
