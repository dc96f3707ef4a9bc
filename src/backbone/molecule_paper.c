/* molecule_paper.c - the encoder `paper`: SEGNN on the graph of atoms within 2 Angstrom.
 *
 * A last coupling computes scalars and vectors of every atom, which are averaged over the molecule.
 * An MLP on the scalars computes the latent; two steerable layers, gated by the scalars, compute
 * y1, y2 and the shift from the vectors. They are coupled with the mean of the atoms' attributes,
 * so that every path and weight is used. Where the paper leaves a choice, pooling is a mean, and
 * each head has one hidden layer.
 *
 * The graph has one row more than the batch: the edges that pad it to a fixed capacity connect that
 * row to itself, and with the padding of the batch it forms a last segment that is not pooled. */
#include "backbone/molecule_encoder.h"
#include "backbone/radius_graph.h"
#include "core/fail.h"
#include "core/memory.h"
#include "nn/layers.h"
#include "nn/params.h"
#include "nn/tape.h"

#include <math.h>
#include <stdlib.h>

/* What feed leaves in batch->edge. */
enum {
    SOURCE,
    TARGET,
    OFFSET,
    ASCENDING,
    ORDER,
    HARMONICS,
    SQUARE,
    ATTRIBUTE,
    SEGMENT, /* I32 [n + 2] molecules, and the padding */
    SPAN,    /* I32 [n + 1] the padding with the last molecule */
    ELEMENT, /* [rows][elements] one-hot; padding has none */
    SHARE    /* [rows][1] 1 / atoms of the molecule; padding 0 */
};

typedef struct {
    recon_molecule_encoder base;
    recon_molecule_paper_shape shape;
    recon_segnn net;
    recon_coupling readout, vector[2];
    recon_mlp latent;
    recon_param *planes; /* [9][9] vectors of components to planes of vectors */
} paper;

static const paper *paper_of(const recon_molecule_encoder *encoder)
{
    return (const paper *)encoder;
}

/* --- the batch's graph ------------------------------------------------------------------------ */

/* Distances of rotated atoms differ by rounding: so much further an edge may be and still count. */
#define SLACK (1 + 1e-5)

static size_t count_edges(const recon_molecule_encoder *encoder, const recon_conformer *x)
{
    return recon_radius_graph_count(x->xyz, x->atoms, SLACK * paper_of(encoder)->shape.radius);
}

/* What is cut into slices, in batch->own. */
enum { NODES, EDGES, SEGMENTS };

/* An array of one or two dimensions; cols 0: one. cut: batch->own's, or NULL. */
static recon_var put(recon_tape *t, const void *data, recon_dtype type, size_t rows, size_t cols,
                     const recon_slices *cut)
{
    return recon_var_input_rows(t, data, type, (const size_t[]){ rows, cols }, cols ? 2 : 1, cut);
}

static const recon_slices *own_slices(const recon_molecule_batch *b, int which)
{
    return b->rows ? &b->own[which] : NULL;
}

static void put_graph(recon_tape *t, recon_molecule_batch *b, const recon_radius_graph *g)
{
    const recon_slices *nodes = own_slices(b, NODES), *edges = own_slices(b, EDGES);
    recon_var *edge = b->edge;
    edge[SOURCE] = put(t, g->source, RECON_I32, g->edges, 0, edges);
    edge[TARGET] = put(t, g->target, RECON_I32, g->edges, 0, edges);
    edge[OFFSET] = put(t, g->offset, RECON_I32, g->nodes + 1, 0, nodes);
    edge[ASCENDING] = put(t, g->ascending, RECON_I32, g->edges, 0, edges);
    edge[ORDER] = put(t, g->order, RECON_I32, g->edges, 0, edges);
    edge[HARMONICS] = put(t, g->harmonics, RECON_F32, g->edges, RECON_HARMONICS, edges);
    edge[SQUARE] = put(t, g->square, RECON_F32, g->edges, 1, edges);
    edge[ATTRIBUTE] = put(t, g->attribute, RECON_F32, g->nodes, RECON_HARMONICS, nodes);
}

/* The graph of a whole batch. */
static recon_status make_graph(recon_ctx *ctx, recon_radius_graph *g, const paper *p,
                               const recon_molecule_pack *pack, size_t edges)
{
    recon_radius_graph_options o = { .radius = p->shape.radius,
                                     .nodes = pack->nodes + 1,
                                     .edges = edges };
    RECON_CHECK(recon_radius_graph_fill(ctx, g, pack->xyz, pack->offset, pack->n, &o));
    o.edges = 1; /* atoms alone have no edges, and no kernel likes no rows */
    if (g->edges == 0)
        RECON_CHECK(recon_radius_graph_fill(ctx, g, pack->xyz, pack->offset, pack->n, &o));
    return RECON_OK;
}

/* The same, slice by slice: each has a row more for the edges that fill its capacity. */
static recon_status make_graphs(recon_ctx *ctx, recon_radius_graph *all, const paper *p,
                                const recon_molecule_batch *b, const recon_molecule_pack *pack,
                                size_t edges)
{
    size_t slices = b->rows->end - b->rows->begin, nodes = b->rows->each;
    recon_radius_graph_options o = { p->shape.radius, nodes + 1, edges };
    recon_radius_graph one = { 0 };
    int32_t *offset = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(ctx, &offset, pack->each + 1, sizeof *offset));
    for (size_t s = 0; s < slices; s++) {
        /* Molecules of slice s, and nodes in front of it. */
        size_t first = s * pack->each, end = first + pack->each;
        recon_rows own = (recon_rows){ first, end < pack->n ? end : pack->n };
        size_t n = own.end - own.begin;
        for (size_t i = 0; i < n; i++)
            offset[i] = pack->offset[own.begin + i] - (int32_t)(s * nodes);
        offset[n] = offset[n - 1] + pack->count[own.end - 1];
        RECON_TRY(recon_radius_graph_fill(ctx, &one, pack->xyz + 3 * s * nodes, offset, n, &o));
        RECON_TRY(recon_radius_graph_join(ctx, all, &one, s, slices));
    }
done:
    recon_radius_graph_free(&one);
    free(offset);
    return status;
}

static recon_status feed_graph(recon_tape *t, const paper *p, recon_molecule_batch *batch,
                               const recon_molecule_pack *pack, size_t edges)
{
    recon_radius_graph g = { 0 };
    recon_status status;
    RECON_TRY(batch->rows ? make_graphs(t->ctx, &g, p, batch, pack, edges)
                          : make_graph(t->ctx, &g, p, pack, edges));
    put_graph(t, batch, &g);
done:
    recon_radius_graph_free(&g);
    return status;
}

/* Rows of the graph where each segment begins: molecules, and the padding of each slice. Without
 * padding: as many as molecules, each with what is behind it. */
static size_t set_segments(int32_t *out, const recon_molecule_pack *pack, size_t slices,
                           size_t rows, int padding)
{
    size_t count = 0;
    for (size_t i = 0; i < pack->n; i++) {
        size_t slice = pack->each ? i / pack->each : 0;
        out[count++] = pack->offset[i] + (int32_t)slice;
        if (padding && (i + 1 == pack->n || (pack->each && (i + 1) % pack->each == 0)))
            out[count++] = pack->offset[i] + (int32_t)slice + pack->count[i];
    }
    out[count] = (int32_t)(slices * rows);
    return count;
}

static recon_status feed_nodes(recon_tape *t, const paper *p, recon_molecule_batch *batch,
                               const recon_molecule_pack *pack)
{
    size_t slices = batch->rows ? batch->rows->end - batch->rows->begin : 1;
    size_t nodes = pack->nodes / slices, rows = nodes + 1, elements = p->shape.elements;
    float *element = NULL, *share = NULL;
    int32_t *segment = NULL;
    recon_status status;
    RECON_TRY(recon_alloc(t->ctx, &element, slices * rows * elements, sizeof *element));
    RECON_TRY(recon_alloc(t->ctx, &share, slices * rows, sizeof *share));
    RECON_TRY(recon_alloc(t->ctx, &segment, pack->n + slices + 1, sizeof *segment));
    for (size_t i = 0; i < pack->nodes; i++) {
        size_t row = i + i / nodes;
        if (pack->mask[i] == 0)
            continue;
        element[row * elements + (size_t)pack->kind[i]] = 1;
        share[row] = 1 / (float)pack->count[pack->molecule[i]];
    }
    size_t count = set_segments(segment, pack, slices, rows, 1);
    batch->edge[SEGMENT] = put(t, segment, RECON_I32, count + 1, 0, own_slices(batch, SEGMENTS));
    count = set_segments(segment, pack, slices, rows, 0);
    batch->edge[SPAN] = recon_var_input(t, segment, RECON_I32, (const size_t[]){ count + 1 }, 1);
    batch->edge[ELEMENT] =
        put(t, element, RECON_F32, slices * rows, elements, own_slices(batch, NODES));
    batch->edge[SHARE] = put(t, share, RECON_F32, slices * rows, 1, own_slices(batch, NODES));
done:
    recon_free_all(element, share, segment);
    return status;
}

/* So many things to each slice of the batch. */
static recon_slices slices_of(const recon_slices *like, size_t each, size_t all)
{
    return (recon_slices){ all, each, like->count, like->begin, like->end };
}

static void set_slices(recon_tape *t, recon_molecule_batch *b, const recon_molecule_pack *pack,
                       size_t edges)
{
    const recon_slices *units = recon_tape_slices(t), *rows = b->rows;
    if (!rows)
        return;
    size_t nodes = rows->each + 1, molecules = pack->each / units->each * units->all;
    b->own[NODES] = slices_of(rows, nodes, rows->count * nodes);
    b->own[EDGES] = slices_of(rows, edges, rows->count * edges);
    b->own[SEGMENTS] = slices_of(rows, pack->each + 1, molecules + rows->count);
}

static recon_status feed(recon_tape *t, const recon_molecule_encoder *encoder,
                         recon_molecule_batch *batch, const recon_molecule_pack *pack, size_t edges)
{
    set_slices(t, batch, pack, edges);
    RECON_CHECK(feed_graph(t, paper_of(encoder), batch, pack, edges));
    RECON_CHECK(feed_nodes(t, paper_of(encoder), batch, pack));
    return recon_tape_status(t);
}

/* --- the network ------------------------------------------------------------------------------ */

/* Means over each molecule of rows x. */
static recon_var pool(recon_tape *t, recon_var x, size_t cols, const recon_molecule_batch *b)
{
    x = recon_var_gate(t, x, b->edge[SHARE], cols);
    return recon_var_segment_sum(t, x, b->edge[SPAN]);
}

static recon_var vectors(recon_tape *t, const paper *p, recon_var pooled,
                         const recon_molecule_batch *b)
{
    recon_var attr = pool(t, b->edge[ATTRIBUTE], RECON_HARMONICS, b), y = pooled;
    for (int i = 0; i < 2; i++)
        y = recon_coupling_apply(t, &p->vector[i], y, attr);
    y = recon_var_linear(t, y, recon_var_param(t, p->planes), NULL);
    return recon_var_reshape(t, y, (const size_t[]){ b->n, 3, 3 }, 3);
}

static void apply(recon_tape *t, const recon_molecule_encoder *encoder,
                  const recon_molecule_batch *b, recon_var *latent, recon_var *y)
{
    const paper *p = paper_of(encoder);
    const recon_var *e = b->edge;
    const recon_segnn_graph graph = { .source = e[SOURCE],
                                      .target = e[TARGET],
                                      .offset = e[OFFSET],
                                      .ascending = e[ASCENDING],
                                      .order = e[ORDER],
                                      .order_of = e[OFFSET], /* the graph is symmetric */
                                      .harmonics = e[HARMONICS],
                                      .square = e[SQUARE],
                                      .attribute = e[ATTRIBUTE],
                                      .segment = e[SEGMENT] };
    recon_var x = recon_segnn_apply(t, &p->net, e[ELEMENT], &graph);
    x = recon_coupling_apply(t, &p->readout, x, e[ATTRIBUTE]);
    recon_var pooled =
        pool(t, recon_var_cast(t, x, RECON_F32), recon_irreps_dim(&p->readout.out), b);
    *latent = recon_mlp_apply(t, &p->latent, recon_var_columns(t, pooled, 0, p->shape.scalars));
    *y = p->shape.vectors ? vectors(t, p, pooled, b) : NULL;
}

static void paper_free(recon_molecule_encoder *encoder)
{
    paper *p = (paper *)encoder;
    recon_segnn_free(&p->net);
    recon_coupling_free(&p->readout);
    for (int i = 0; i < 2; i++)
        recon_coupling_free(&p->vector[i]);
    free(p);
}

/* --- made ------------------------------------------------------------------------------------- */

static recon_status add_vectors(recon_ctx *ctx, paper *p, recon_params *params, const char *name,
                                const recon_irreps *pooled)
{
    const recon_irreps inner = { { 0, (p->shape.vectors + 3) / 4, 0, 0 } },
                       three = { { 0, 3, 0, 0 } };
    recon_coupling_options o = { .gated = 1, .chiral = p->shape.chiral };
    double planes[81] = { 0 };
    recon_part_name full;
    RECON_CHECK(recon_coupling_add(ctx, &p->vector[0], params,
                                   recon_part_print(full, name, "vector1"), pooled, &inner, &o));
    o.gated = 0;
    RECON_CHECK(recon_coupling_add(ctx, &p->vector[1], params,
                                   recon_part_print(full, name, "vector2"), &inner, &three, &o));
    for (int k = 0; k < 9; k++)
        planes[9 * k + k % 3 * 3 + k / 3] = 1;
    return recon_params_keep(ctx, &p->planes, params, planes, (const size_t[]){ 9, 9 }, 2);
}

static recon_status add(recon_ctx *ctx, paper *p, recon_params *params, const char *name)
{
    const recon_molecule_paper_shape *s = &p->shape;
    const recon_segnn_shape net = { .inputs = { { s->elements, 0, 0, 0 } },
                                    .hidden = s->hidden,
                                    .layers = s->layers,
                                    .chiral = s->chiral };
    const recon_irreps pooled = { { s->scalars, s->vectors, 0, 0 } };
    const size_t sizes[] = { s->scalars, s->scalars, s->outputs };
    recon_part_name full;
    RECON_CHECK(recon_segnn_add(ctx, &p->net, params, name, &net));
    RECON_CHECK(recon_coupling_add(ctx, &p->readout, params,
                                   recon_part_print(full, name, "readout"), &s->hidden, &pooled,
                                   &(recon_coupling_options){ .chiral = s->chiral }));
    RECON_CHECK(recon_mlp_add(ctx, &p->latent, params, recon_part_print(full, name, "latent"),
                              sizes, 3, 0));
    if (s->vectors)
        RECON_CHECK(add_vectors(ctx, p, params, name, &pooled));
    return RECON_OK;
}

recon_status recon_molecule_paper_make(recon_ctx *ctx, recon_molecule_encoder **out,
                                       recon_params *params, const char *name,
                                       const recon_molecule_paper_shape *shape)
{
    paper *p;
    recon_status status = recon_alloc(ctx, &p, 1, sizeof *p);
    *out = NULL;
    if (status != RECON_OK)
        return status;
    p->base = (recon_molecule_encoder){
        .feed = feed, .edges = count_edges, .apply = apply, .free = paper_free
    };
    p->shape = *shape;
    status = add(ctx, p, params, name);
    if (status == RECON_OK)
        *out = &p->base;
    else
        paper_free(&p->base);
    return status;
}

static size_t scaled(double channels, double width)
{
    double n = round(channels * width);
    return n < 1 ? 1 : (size_t)n;
}

recon_status recon_molecule_paper_new(recon_ctx *ctx, recon_molecule_encoder **out,
                                      recon_params *params, const recon_molecule_net_shape *s)
{
    static const double channels[RECON_DEGREES] = { 100, 64, 16, 8 };
    recon_molecule_paper_shape shape = { .layers = s->layers ? s->layers : 6,
                                         .radius = s->radius,
                                         .scalars = scaled(512, s->width),
                                         .vectors = scaled(512, s->width),
                                         .outputs = s->latent,
                                         .elements = s->elements };
    for (size_t l = 0; l < RECON_DEGREES; l++)
        shape.hidden.mul[l] = scaled(channels[l], s->width);
    return recon_molecule_paper_make(ctx, out, params, "encoder", &shape);
}
